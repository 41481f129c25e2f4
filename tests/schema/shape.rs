//! Converts the generated schema of a type to the schema of one message or file.

use std::collections::{BTreeMap, BTreeSet};

use engine::wire::{LINE_BYTES_MAX, NOTE_BYTES_MAX, NUMBER_MAX};
use schemars::Schema;
use serde_json::{Map, Value, json};

/// Components that records omit if they are the standard ones. `start` always has them.
const COMPONENTS: [&str; 3] = ["cards", "patches", "track"];
/// Constants that doc comments link to, and their values for the descriptions.
const CONSTANTS: [(&str, usize); 2] =
    [("LINE_BYTES_MAX", LINE_BYTES_MAX), ("NOTE_BYTES_MAX", NOTE_BYTES_MAX)];

/// Removes `null` from optional fields, because the program omits them instead.
pub(crate) fn absent_rather_than_null(schema: &mut Schema) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (_, field) in fields.iter_mut().filter(|(name, _)| !required.contains(&json!(name))) {
        let field = field.as_object_mut().expect("a field has a schema");
        if let Some(Value::Array(types)) = field.get_mut("type") {
            types.retain(|kind| kind != "null");
            field["type"] = types[0].clone();
        }
        if let Some(Value::Array(kinds)) = field.remove("anyOf") {
            field.insert("$ref".to_owned(), kinds[0]["$ref"].clone());
        }
    }
}

/// Limits whole numbers to their type and below 2^53. Removes Rust's type names, and bounds that a constant
/// makes redundant.
pub(crate) fn bound_integers(schema: &mut Schema) {
    schema.remove("default");
    let Some(format) = schema.remove("format").and_then(|format| format.as_str().map(str::to_owned)) else {
        return;
    };
    let max = match format.as_str() {
        "uint8" => u8::MAX.into(),
        "uint16" => u16::MAX.into(),
        "int32" => i32::MAX as u64,
        "uint32" => u32::MAX.into(),
        "uint" | "uint64" | "int64" => NUMBER_MAX - 1,
        "double" => return,
        other => panic!("no bounds are known for the format {other}"),
    };
    let fields = schema.ensure_object();
    if fields.contains_key("const") {
        fields.remove("minimum");
        return;
    }
    fields.entry("maximum").or_insert(max.into());
    match format.as_str() {
        "int32" => fields.entry("minimum").or_insert(i32::MIN.into()),
        "int64" => fields.entry("minimum").or_insert((1 - NUMBER_MAX as i64).into()),
        _ => return,
    };
}

/// Turns doc comments into descriptions: one line, with links between types as plain words.
pub(crate) fn plain_description(schema: &mut Schema) {
    let Some(Value::String(text)) = schema.get_mut("description") else { return };
    let paragraph = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let mut plain = String::new();
    let mut rest = paragraph.as_str();
    while let Some((before, link)) = rest.split_once("[`") {
        let (name, after) = link.split_once("`]").expect("a link is closed");
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        let constant = CONSTANTS.iter().find(|(constant, _)| *constant == name);
        plain.push_str(before);
        plain.push_str(&constant.map_or(format!("`{name}`"), |(_, value)| value.to_string()));
        rest = target.map_or(after, |(_, after)| after);
    }
    *text = plain + rest;
}

/// Returns the branches of a type that its field `type` distinguishes, each as a schema of its own.
pub(crate) fn branches(whole: &Value) -> BTreeMap<String, Value> {
    let branch = |message: &Value| {
        let kind = message["properties"]["type"]["const"].as_str().expect("a branch has a type").to_owned();
        let mut message = merged(message, &whole["$defs"]);
        message["$schema"] = whole["$schema"].clone();
        let definitions = used_definitions(&message, &whole["$defs"]);
        if !definitions.is_empty() {
            message["$defs"] = definitions.into();
        }
        (kind, message)
    };
    whole["oneOf"].as_array().expect("a schema of branches").iter().map(branch).collect()
}

/// Returns a branch with the fields of the type that it refers to as a whole, if any.
fn merged(branch: &Value, definitions: &Value) -> Value {
    let mut whole = branch.clone();
    let Some(Value::String(reference)) = whole.as_object_mut().and_then(|fields| fields.remove("$ref"))
    else {
        return whole;
    };
    let definition = &definitions[reference.trim_start_matches("#/$defs/")];
    for (name, field) in definition["properties"].as_object().into_iter().flatten() {
        whole["properties"][name] = field.clone();
    }
    let required = whole["required"].as_array_mut().expect("a branch requires its type");
    required.extend(definition["required"].as_array().into_iter().flatten().cloned());
    whole
}

/// Returns the definitions that a schema refers to, directly or through other definitions.
fn used_definitions(schema: &Value, all: &Value) -> Map<String, Value> {
    let mut used = Map::new();
    let mut open: BTreeSet<String> = references(schema);
    while let Some(name) = open.pop_first() {
        let definition = all[&name].clone();
        open.extend(references(&definition).into_iter().filter(|other| !used.contains_key(other)));
        used.insert(name, definition);
    }
    used
}

fn references(schema: &Value) -> BTreeSet<String> {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/"));
            own.map(str::to_owned).into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => BTreeSet::new(),
    }
}

/// Returns the schema with its field `game` restricted to this game.
pub(crate) fn of(game: &str, mut schema: Value) -> Value {
    schema["properties"]["game"] = json!({ "description": "Name of the game.", "const": game });
    schema
}

/// Returns the schema of a `start` message, in which every component is required.
pub(crate) fn in_full(mut schema: Value) -> Value {
    for component in COMPONENTS {
        if schema["properties"].get(component).is_some() {
            let required = schema["required"].as_array_mut().expect("a list");
            required.push(component.into());
        }
    }
    schema
}

/// Returns the schema of a message to which a later version may add fields.
pub(crate) fn open(mut schema: Value) -> Value {
    fn visit(schema: &mut Value) {
        match schema {
            Value::Object(parts) => {
                parts.remove("additionalProperties");
                parts.values_mut().for_each(visit);
            }
            Value::Array(parts) => parts.iter_mut().for_each(visit),
            _ => {}
        }
    }
    visit(&mut schema);
    schema
}
