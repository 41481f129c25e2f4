//! The tables of `results/README.md` have the fields of the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The sections of the page, and the schemas of their files.
const SECTIONS: [(&str, &[&str]); 5] = [
    ("tournament.json", &["tournament-doodle", "tournament-patchwork", "tournament-external"]),
    ("matches.jsonl", &["record-doodle", "record-patchwork", "record-external"]),
    ("Shards", &["shard-head", "shard-end"]),
    ("standings.json", &["standings"]),
    ("compare.json", &["compare"]),
];
/// Words in the tables that are neither fields nor their values.
const OTHERS: [&str; 4] = ["true", "false", "null", "hello"];

/// Collects the names of all fields of a schema, and all values that it lists.
fn collect(schema: &Value, names: &mut BTreeSet<String>, values: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object);
            names.extend(properties.into_iter().flat_map(|properties| properties.keys().cloned()));
            let listed = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
            let listed = listed.chain(fields.get("const")).filter_map(Value::as_str);
            values.extend(listed.map(str::to_owned));
            fields.values().for_each(|field| collect(field, names, values));
        }
        Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, names, values)),
        _ => {}
    }
}

#[test]
fn the_page_about_results_names_every_field_and_no_other() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(top.join("results/README.md")).expect("a page");
    for (section, files) in SECTIONS {
        let text = page.split("\n## ").find(|part| part.starts_with(&format!("{section}\n")));
        let text = text.unwrap_or_else(|| panic!("there is no section {section}"));
        let (mut names, mut values, mut first) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for file in files {
            let schema = fs::read_to_string(top.join(format!("docs/schema/{file}.json"))).expect("a schema");
            let schema: Value = serde_json::from_str(&schema).expect("JSON");
            collect(&schema, &mut names, &mut values);
            first.extend(schema["properties"].as_object().expect("fields").keys().cloned());
        }
        let wanted = if files.len() == 1 { &names } else { &first };
        let is_said =
            |name: &&String| text.contains(&format!("`{name}`")) || text.contains(&format!("\"{name}\":"));
        let unsaid: Vec<&String> = wanted.iter().filter(|name| !is_said(name)).collect();
        assert!(unsaid.is_empty(), "{section} does not have {unsaid:?}");
        let rows = text.lines().filter(|line| line.starts_with('|'));
        let words = rows.flat_map(|line| line.split('`').skip(1).step_by(2));
        let plain =
            |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-.".contains(&byte));
        let words = words.filter(|word| plain(word) && !word.starts_with("--") && !word.ends_with(".json"));
        let is_known = |word: &str| names.contains(word) || values.contains(word) || OTHERS.contains(&word);
        let unknown: BTreeSet<&str> =
            words.flat_map(|word| word.split('.')).filter(|word| !is_known(word)).collect();
        // A row may point to a field of the plan.
        let unknown: Vec<&&str> = unknown.iter().filter(|word| **word != "own_deals").collect();
        assert!(unknown.is_empty(), "{section} has {unknown:?}, which no schema has");
    }
}
