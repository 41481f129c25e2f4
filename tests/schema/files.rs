//! The list of schema files, and their generation from the types.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use expect_test::expect_file;

use engine::doodle::{CardFileFields, Doodle};

use engine::patchwork::{PatchFile, Patchwork};
use engine::wire::{FromBot, ToBot, WireFormat};
use referee::games::external::{Description, External, ExternalSetup, answers};
use referee::play::Position;
use referee::record::{MatchRecord, hex};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tournament::comparison::Comparison;
use tournament::journal::shard::{ShardEnd, ShardHead};
use tournament::plan::TournamentFile;
use tournament::standings::Standings;

use crate::documents::markdown::top;
use crate::schema::shape::{
    absent_rather_than_null, bound_integers, branches, in_full, of, open, plain_description,
};

/// The schemas by file name, without the extension.
pub(crate) type Schemas = BTreeMap<String, Value>;

/// Returns every schema, generated from the current types.
pub(crate) fn generated() -> Schemas {
    let mut schemas = Schemas::new();
    of_game::<Doodle>(&mut schemas);
    of_game::<Patchwork>(&mut schemas);
    add(&mut schemas, "card-file", "Card file for --cards", read::<CardFileFields>());
    add(&mut schemas, "patch-file", "Patch file for --patches", read::<PatchFile>());
    add(&mut schemas, "game-describe", "The answer of a game to describe", read::<Description>());
    add(&mut schemas, "game-deal", "The answer of a game to deal", read::<answers::Dealt>());
    let title = "The answer of a game to observe, play, or withdraw";
    add(&mut schemas, "game-play", title, read::<answers::Fields<'_>>());
    add(&mut schemas, "game-result", "The answer of a game to result", read::<answers::ResultOf>());
    add(&mut schemas, "game-legal", "The answer of a game to legal", read::<answers::Legal>());
    add(&mut schemas, "game-text", "The answer of a game to text", read::<answers::Text>());
    let title = "A line of matches.jsonl, of a game of your own";
    add(&mut schemas, "record-external", title, written::<MatchRecord<External>>());
    let title = "tournament.json of a game of your own";
    add(&mut schemas, "tournament-external", title, written::<TournamentFile<ExternalSetup>>());
    add(&mut schemas, "standings", "standings.json", written::<Standings>());
    add(&mut schemas, "compare", "compare.json", written::<Comparison>());
    add(&mut schemas, "shard-head", "A line of a shard before its matches", written::<ShardHead>());
    add(&mut schemas, "shard-end", "The last line of a shard", written::<ShardEnd>());
    schemas
}

/// Adds a schema with a title. A schema with the same name must be equal in both games.
fn add(schemas: &mut Schemas, name: &str, title: &str, mut schema: Value) {
    schema["title"] = title.into();
    let before = schemas.insert(name.to_owned(), schema);
    assert!(before.is_none_or(|before| before == schemas[name]), "{name} differs from game to game");
}

/// Adds the messages and files of a game. Messages that are equal in all games appear once.
fn of_game<G>(schemas: &mut Schemas)
where
    G: WireFormat<Setup: JsonSchema, Observation: JsonSchema, WireMove: JsonSchema, Deal: JsonSchema>,
{
    let game = G::NAME;
    for (kind, message) in branches(&written::<ToBot<G::Setup, G::Observation>>()) {
        let (name, message) = match kind.as_str() {
            "hello" => ("arena-hello".to_owned(), message),
            "start" => (format!("start-{game}"), in_full(of(game, message))),
            "turn" => (format!("turn-{game}"), message),
            _ => (kind.clone(), message),
        };
        add(schemas, &name, &format!("{kind}, from the arena to a bot"), open(message));
    }
    for (kind, message) in branches(&read::<FromBot<'_, G::WireMove>>()) {
        let name = match kind.as_str() {
            "hello" => "bot-hello".to_owned(),
            "move" => format!("move-{game}"),
            _ => kind.clone(),
        };
        add(schemas, &name, &format!("{kind}, from a bot to the arena"), message);
    }
    let record = of(game, written::<MatchRecord<G>>());
    add(schemas, &format!("record-{game}"), "A line of matches.jsonl", record);
    let mut position = of(game, read::<Position<G>>());
    // Its deal may be the public part alone, whose lists end early.
    for list in ["deck", "dice"] {
        let list = position.pointer_mut(&format!("/$defs/Deal/properties/{list}"));
        list.and_then(Value::as_object_mut).map(|list| list.remove("minItems"));
    }
    add(schemas, &format!("position-{game}"), "A line of a file of positions", position);
    let tournament = of(game, written::<TournamentFile<G::Setup>>());
    add(schemas, &format!("tournament-{game}"), "tournament.json", tournament);
}

/// Returns the schema of data that the program writes.
fn written<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    schema::<T>(settings.with_transform(RecursiveTransform(absent_rather_than_null)))
}

/// Returns the schema of data that the program reads.
fn read<T: JsonSchema>() -> Value {
    schema::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

fn schema<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings
        .with_transform(RecursiveTransform(bound_integers))
        .with_transform(RecursiveTransform(plain_description));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Returns the folder of the schema files.
fn folder() -> PathBuf {
    top().join("docs/schema")
}

/// Returns the text of a schema file.
fn text(schema: &Value) -> String {
    serde_json::to_string_pretty(schema).expect("plain data") + "\n"
}

#[test]
fn the_schema_files_are_those_of_the_types() {
    let generated = generated();
    for (name, schema) in &generated {
        let path = folder().join(format!("{name}.json"));
        let file = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let cure = "cargo test -p quilt-arena --test integration schema:: -- --ignored";
        assert!(file == text(schema), "{name}.json is old: {cure}");
    }
    let files = fs::read_dir(folder()).expect("the folder is there").flatten();
    let files = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "json"));
    assert_eq!(files.count(), generated.len(), "a file in docs/schema/ belongs to no type");
}

/// Fails if more than the text of a schema has changed. Such a change needs a new version of the protocol or of the
/// file.
#[test]
fn only_titles_and_descriptions_of_schemas_change() {
    let digest = |(name, schema): (&String, &Value)| {
        let bytes = serde_json::to_vec(&without_text(schema, false)).expect("plain data");
        format!("{name} {}\n", hex(&Sha256::digest(bytes)))
    };
    let digests: String = generated().iter().map(digest).collect();
    expect_file!["../golden/schemas.txt"].assert_eq(&digests);
}

/// Returns the schema without titles and descriptions. `is_names` is true for a map from names to schemas, where both
/// words are names.
fn without_text(schema: &Value, is_names: bool) -> Value {
    match schema {
        Value::Object(parts) => {
            let kept =
                parts.iter().filter(|(key, _)| is_names || !["title", "description"].contains(&key.as_str()));
            let part = |(key, part): (&String, &Value)| {
                let names = !is_names && ["properties", "$defs"].contains(&key.as_str());
                (key.clone(), without_text(part, names))
            };
            Value::Object(kept.map(part).collect())
        }
        Value::Array(parts) => parts.iter().map(|part| without_text(part, false)).collect(),
        other => other.clone(),
    }
}

#[test]
fn every_field_in_the_schemas_is_described() {
    fn check(place: &str, schema: &Value) {
        if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
            for (name, field) in fields.iter().filter(|(_, field)| field.get("const").is_none()) {
                let described = ["description", "$ref"].iter().any(|key| field.get(key).is_some());
                assert!(described, "{place}: {name} is not described");
            }
        }
        match schema {
            Value::Object(parts) => {
                parts.iter().for_each(|(key, part)| check(&format!("{place}/{key}"), part))
            }
            Value::Array(parts) => parts.iter().for_each(|part| check(place, part)),
            Value::String(text) => assert!(!text.contains("](") && !text.contains("[`"), "{place}: {text}"),
            _ => {}
        }
    }
    generated().iter().for_each(|(name, schema)| check(name, schema));
}

/// Regenerates the files from the types.
#[test]
#[ignore = "rewrites docs/schema/"]
fn write_schema_files() {
    fs::create_dir_all(folder()).expect("a folder for the schemas");
    for (name, schema) in generated() {
        fs::write(folder().join(format!("{name}.json")), text(&schema)).expect("the schemas can be written");
    }
}
