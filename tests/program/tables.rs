//! The tables that the program leaves.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The tables of a tournament's directory without times.
pub(crate) fn standings(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("standings.json")).expect("tables");
    let mut standings: Value = serde_json::from_str(&text).expect("JSON");
    for row in standings["rows"].as_array_mut().expect("rows") {
        row.as_object_mut().expect("a row").remove("time_us");
    }
    standings
}
