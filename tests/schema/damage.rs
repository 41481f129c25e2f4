//! Damaged messages. The schemas must reject them.

use engine::{doodle, patchwork};
use referee::play::answer::{read_hello, read_move, read_ready};
use serde_json::{Value, json};

use crate::documents::markdown::read;
use crate::program::words;
use crate::schema::examples::dialogue_lines;
use crate::schema::validators::{name, validate};

/// Fields that may be missing, by the prefix of the schema's name.
const OPTIONAL: [(&str, &str); 7] = [
    ("bot-hello", "/name /version"),
    ("move-", "/note /move/singles"),
    ("start-doodle", "/cards/name"),
    ("card-file", "/name /note"),
    ("patch-file", "/name /note"),
    (
        "record-",
        "/replayed /result/rounds /note /move /singles /fault /late_us /cpu_us /stolen_us /starved_us",
    ),
    ("record-", "/check /us"), // `us` of given moves
];
/// Lists of numbers that may be negative.
const SIGNED: [&str; 2] = ["/scores", "/result/rounds"];
/// The smallest number that the protocol does not allow.
const TOO_LARGE: u64 = 1 << 53;

/// Returns valid values for the schemas, in each of their forms.
fn samples() -> Vec<(String, Value)> {
    let mut samples = Vec::new();
    for game in ["doodle", "patchwork"] {
        let parsed = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
        let lines = dialogue_lines(game).into_iter().map(|(speaker, line)| (speaker, parsed(&line)));
        samples.extend(lines.map(|(speaker, line)| (name(speaker, game, &line), line)));
        let journal = read(&format!("tests/golden/journals/{game}/matches.jsonl"));
        let records = journal.lines().take(needs::sized(1, 1, 3));
        samples.extend(records.map(|line| (format!("record-{game}"), parsed(line))));
        let standard = parsed(&read(&format!("engine/data/{game}-standard.json")));
        samples.push((if game == "doodle" { "card-file" } else { "patch-file" }.to_owned(), standard));
    }
    let singles = json!({ "pass": true, "singles": [[0, 0]] });
    let more = [
        ("bot-hello", json!({ "type": "hello", "protocol": 1, "name": "a", "version": "1" })),
        ("fault", json!({ "type": "fault", "id": 0, "kind": "exit", "detail": "it is gone" })),
        ("retry", json!({ "type": "retry", "id": 0, "kind": "illegal", "detail": "it is not" })),
        ("move-doodle", json!({ "type": "move", "id": 0, "move": singles, "note": "a" })),
        ("shard-end", json!({ "end": 20 })),
        ("move-patchwork", json!({ "type": "move", "id": 0, "move": { "leather": [4, 4] } })),
    ];
    samples.extend(more.map(|(schema, sample)| (schema.to_owned(), sample)));
    samples
}

/// Collects JSON pointers to every part of a value, but not to the whole value.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let fields = value.as_object().into_iter().flatten().map(|(key, part)| (key.clone(), part));
    let items = value.as_array().into_iter().flatten().enumerate();
    for (key, part) in fields.chain(items.map(|(index, part)| (index.to_string(), part))) {
        let place = format!("{at}/{key}");
        places(part, &place, found);
        found.push(place);
    }
}

/// Returns every damaged version of a value, each with a description.
fn damages(whole: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut found = Vec::new();
    places(whole, "", &mut found);
    for place in found {
        let (parent, key) = place.rsplit_once('/').expect("a pointer");
        if whole.pointer(parent).is_some_and(Value::is_object) {
            let mut without = whole.clone();
            let fields = without.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
            fields.remove(key);
            all.push((format!("remove {place}"), without));
        }
        for wrong in wrong_values(whole.pointer(&place).expect("it was found there")) {
            let mut damaged = whole.clone();
            *damaged.pointer_mut(&place).expect("it is there") = wrong.clone();
            all.push((format!("put {wrong} at {place}"), damaged));
        }
    }
    all
}

fn wrong_values(right: &Value) -> Vec<Value> {
    match right {
        Value::Number(_) => {
            vec![json!("1"), json!(-1), json!(0.5), json!(TOO_LARGE), json!([1]), json!(true)]
        }
        Value::String(_) => vec![json!(1), json!({}), json!(["a"])],
        Value::Array(_) => vec![json!({}), json!("a"), Value::Null],
        Value::Object(_) => vec![json!([]), json!("a"), Value::Null],
        Value::Bool(true) => vec![json!(false), json!(1), json!("true")],
        Value::Bool(false) | Value::Null => vec![json!("a"), json!({})],
    }
}

/// Returns true if the change is no damage: a missing optional field, a negative score, or one fault less.
fn is_harmless(schema: &str, what: &str) -> bool {
    let optional = OPTIONAL.iter().filter(|(start, _)| schema.starts_with(start));
    let mut optional = optional.flat_map(|(_, places)| words(places));
    let signed = what.starts_with("put -1 ") && SIGNED.iter().any(|list| what.contains(list));
    let forgiven = what.starts_with("put null ") && what.contains("/result/faults/");
    signed || forgiven || what.starts_with("remove ") && optional.any(|place| what.ends_with(place))
}

#[test]
fn damaged_messages_are_refused() {
    let mut count = 0;
    for (schema, sample) in samples() {
        validate(&schema, &sample).unwrap_or_else(|why| panic!("{why}: {sample}"));
        for (what, damaged) in damages(&sample) {
            let refused = validate(&schema, &damaged).is_err();
            assert!(refused || is_harmless(&schema, &what), "{schema}: {what} is taken: {damaged}");
            count += 1;
        }
    }
    assert!(count > 10_000, "only {count} damages were tried");
}

/// Adds an unknown field to every object of every sample.
#[test]
fn unknown_fields_are_refused_in_moves_and_card_files_only() {
    for (schema, sample) in samples().into_iter().filter(|(schema, _)| !schema.starts_with("record-")) {
        let mut found = vec![String::new()];
        places(&sample, "", &mut found);
        for place in found.iter().filter(|place| sample.pointer(place).is_some_and(Value::is_object)) {
            let mut more = sample.clone();
            more.pointer_mut(place).expect("it is there")["unheard"] = json!(1);
            let closed = place == "/move" || place.is_empty() && schema.ends_with("-file");
            assert_eq!(validate(&schema, &more).is_err(), closed, "{schema}: an unknown field in {place:?}");
        }
    }
}

/// The reverse does not hold. A schema may be stricter than the arena's reader, which leaves the edges of the
/// board to the rules.
#[test]
fn what_the_schemas_take_of_a_bot_the_arena_reads() {
    for (schema, sample) in samples() {
        for (what, damaged) in damages(&sample) {
            let line = damaged.to_string().into_bytes();
            let id = damaged["id"].as_u64().and_then(|id| u32::try_from(id).ok()).unwrap_or_default();
            let read = match schema.as_str() {
                "bot-hello" => read_hello(&line).map(drop),
                "ready" => read_ready(&line),
                "move-doodle" => read_move::<doodle::WireMove>(&line, id, false).map(drop),
                "move-patchwork" => read_move::<patchwork::WireMove>(&line, id, false).map(drop),
                _ => continue,
            };
            let is_right = read.is_ok() || validate(&schema, &damaged).is_err();
            assert!(is_right, "{schema}: {what}: the schema takes it, the arena does not: {read:?}");
        }
    }
}
