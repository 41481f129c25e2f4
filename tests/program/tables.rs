//! Tables and records that the program writes.

use std::fs;
use std::path::Path;

use referee::games::GameName;
use referee::record::MatchRecord;
use serde_json::Value;

/// Fields that depend on the machine and the time: durations, values derived from them, and the checksum over
/// all.
const FLEETING: [&str; 14] = [
    "us",
    "credit_us",
    "credited",
    "untold",
    "untold_timeouts",
    "late_us",
    "cpu_us",
    "stolen_us",
    "starved_us",
    "off_turn_us",
    "time_us",
    "slow_moves",
    "replayed",
    "check",
];

/// Returns a record or a table without the fields that may differ between repetitions.
pub(crate) fn lasting(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|name, _| !FLEETING.contains(&name.as_str()));
            fields.values_mut().for_each(|field| *field = lasting(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = lasting(item.take())),
        _ => {}
    }
    value
}

/// Returns the tables of a tournament's directory without those fields.
pub(crate) fn standings(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("standings.json")).expect("tables");
    lasting(serde_json::from_str(&text).expect("JSON"))
}

/// Returns the records of a tournament's directory in order of their numbers.
pub(crate) fn records(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("matches.jsonl")).expect("a journal");
    let mut records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    records.sort_by_key(|record| record["match"].as_u64());
    records
}

/// Returns a journal or a shard with the check of each record renewed, as by somebody who forges results.
pub(crate) fn sealed(text: &str) -> String {
    let line = |line: &str| {
        let game = serde_json::from_str::<Value>(line).map_or(Value::Null, |line| line["game"].clone());
        let Ok(game) = GameName::named(game.as_str().unwrap_or_default()) else { return format!("{line}\n") };
        let sealed = referee::for_game!(game, G => {
            MatchRecord::<G>::from_line(line.as_bytes()).expect("a record").0.to_line()
        });
        String::from_utf8(sealed).expect("JSON")
    };
    text.lines().map(line).collect()
}

/// Returns the number of complete lines in a file; 0 if there is no file.
pub(crate) fn lines_in(file: &Path) -> usize {
    fs::read(file).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}
