//! Validators for the schema files in `docs/schema/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::documents::markdown::read;
use crate::schema::files;

/// The sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    Arena,
    Bot,
}

/// Validates a value against the schema file with this name. The error says what is wrong.
pub(crate) fn validate(name: &str, value: &Value) -> Result<(), String> {
    static ALL: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
        let compiled = |name: String| {
            let schema: Value =
                serde_json::from_str(&read(&format!("docs/schema/{name}.json"))).expect("JSON");
            let validator =
                jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, validator)
        };
        files::generated().into_keys().map(compiled).collect()
    });
    let validator = ALL.get(name).ok_or_else(|| format!("there is no schema {name}"))?;
    validator
        .validate(value)
        .map_err(|error| format!("{name}: {error} at {:?}", error.instance_path().as_str()))
}

/// Returns the name of the schema file for a message.
pub(crate) fn name(speaker: Speaker, game: &str, message: &Value) -> String {
    match (speaker, message["type"].as_str().unwrap_or("no type")) {
        (Speaker::Arena, "hello") => "arena-hello".to_owned(),
        (Speaker::Bot, "hello") => "bot-hello".to_owned(),
        (_, kind @ ("start" | "turn" | "move")) => format!("{kind}-{game}"),
        (_, kind) => kind.to_owned(),
    }
}

/// Parses a line as a message and panics if its schema rejects it.
pub(crate) fn message(speaker: Speaker, game: &str, line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    validate(&name(speaker, game, &message), &message).unwrap_or_else(|why| panic!("{why}: {line}"));
    message
}

#[test]
fn the_schemas_are_schemas() {
    for (name, schema) in files::generated() {
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{name} is not a schema of draft 2020-12");
    }
}
