//! The first difference between two JSON values, and the first different decision of two records.

use serde_json::Value;

/// The most letters of a value that a message shows.
const SHOWN_CHARS_MAX: usize = 300;
/// The fields of a record's canonical form other than turns, in the order of the comparison.
const REPRODUCED: [&str; 9] =
    ["game", "rules", "cards", "patches", "track", "seed", "bots", "deal", "result"];

/// The first difference between two values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The path of fields and indices to the place, such as `deal.dice[3]`.
    pub path: String,
    /// The text of the first value at this place.
    pub left: String,
    /// The text of the second value at this place.
    pub right: String,
}

impl Mismatch {
    fn at(path: String, left: Option<&Value>, right: Option<&Value>) -> Mismatch {
        let text = |value: Option<&Value>| value.map_or("nothing".to_owned(), shown);
        Mismatch { path, left: text(left), right: text(right) }
    }

    /// The first index in the path.
    pub(crate) fn first_index(&self) -> Option<usize> {
        self.path.split(['[', ']']).nth(1)?.parse().ok()
    }
}

/// Formats a value for a message.
pub fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

/// Returns the first difference at or below `path`.
pub(crate) fn first_mismatch(path: &str, left: &Value, right: &Value) -> Option<Mismatch> {
    match (left, right) {
        (Value::Object(fields), Value::Object(others)) => {
            let mut names: Vec<&String> = fields.keys().chain(others.keys()).collect();
            names.sort_unstable();
            names.dedup();
            names
                .into_iter()
                .find_map(|name| pair(format!("{path}.{name}"), fields.get(name), others.get(name)))
        }
        (Value::Array(items), Value::Array(others)) => (0..items.len().max(others.len()))
            .find_map(|index| pair(format!("{path}[{index}]"), items.get(index), others.get(index))),
        _ if left == right => None,
        _ => Some(Mismatch::at(path.to_owned(), Some(left), Some(right))),
    }
}

fn pair(path: String, left: Option<&Value>, right: Option<&Value>) -> Option<Mismatch> {
    match (left, right) {
        (Some(left), Some(right)) => first_mismatch(&path, left, right),
        (None, None) => None,
        _ => Some(Mismatch::at(path, left, right)),
    }
}

/// A decision in which two records of a match differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The turn. If only one record has an entry in this place, the turn and the seat are from that record.
    pub id: u64,
    /// The seat.
    pub seat: usize,
    /// The move or fault in the first record.
    pub left: String,
    /// The move or fault in the second record.
    pub right: String,
}

/// Returns the first decision in which two records differ.
pub fn first_decision(left: &Value, right: &Value) -> Option<Decision> {
    let turns = |record: &Value| record["turns"].as_array().cloned().unwrap_or_default();
    let (left, right) = (turns(left), turns(right));
    (0..left.len().max(right.len())).find_map(|number| {
        let (left, right) = (left.get(number), right.get(number));
        let place = left.map(order).into_iter().chain(right.map(order)).min()?;
        let decided = |turn: Option<&Value>| match turn.filter(|turn| order(turn) == place) {
            Some(turn) => decided(turn),
            None => ("no entry".to_owned(), "no entry".to_owned()),
        };
        let ((left, left_text), (right, right_text)) = (decided(left), decided(right));
        let (id, seat) = place;
        (left != right).then_some(Decision { id, seat: seat as usize, left: left_text, right: right_text })
    })
}

/// Returns the turn and the seat.
fn order(turn: &Value) -> (u64, u64) {
    (turn["id"].as_u64().unwrap_or(u64::MAX), turn["seat"].as_u64().unwrap_or(u64::MAX))
}

/// Returns the part of a decision that counts, and the text for a message. The wording of a fault does not
/// count.
fn decided(turn: &Value) -> (String, String) {
    match turn["fault"].as_object() {
        Some(fault) => {
            let word = |name: &str| fault.get(name).and_then(Value::as_str).unwrap_or("?").to_owned();
            let kind = format!("fault {}", word("kind"));
            (kind.clone(), format!("{kind}: {}", shown(&Value::String(word("detail")))))
        }
        None => (turn["move"].to_string(), shown(&turn["move"])),
    }
}

/// Returns the first difference between the canonical forms of two records, decisions excepted.
pub fn first_reproduced(left: &Value, right: &Value) -> Option<Mismatch> {
    REPRODUCED.iter().find_map(|name| pair((*name).to_owned(), left.get(name), right.get(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_mismatch_is_named_by_its_path() {
        let left = json!({"a": [1, 2, {"b": 3}], "c": 1});
        let right = json!({"a": [1, 2, {"b": 4}], "c": 2});
        let found = first_mismatch("x", &left, &right).unwrap();
        assert_eq!((found.path.as_str(), found.left.as_str(), found.right.as_str()), ("x.a[2].b", "3", "4"));
        assert_eq!(found.first_index(), Some(2));
        assert_eq!(first_mismatch("x", &left, &left), None);
        let shorter = first_mismatch("x", &json!([1]), &json!([1, 2])).unwrap();
        assert_eq!((shorter.left.as_str(), shorter.right.as_str()), ("nothing", "2"));
    }

    #[test]
    fn the_first_decision_is_told_with_both_answers_and_details_do_not_count() {
        let turn =
            |id: u64, seat: u64, cell: u64| json!({"id": id, "seat": seat, "move": {"leather": [0, cell]}});
        let fault = |text: &str| json!({"id": 1, "seat": 0, "fault": {"kind": "exit", "detail": text}});
        let record = |turns: Vec<Value>| json!({"turns": turns});
        let left = record(vec![turn(0, 0, 1), turn(0, 1, 1), fault("a")]);
        let right = record(vec![turn(0, 0, 1), turn(0, 1, 2), fault("b")]);
        let found = first_decision(&left, &right).unwrap();
        assert_eq!((found.id, found.seat), (0, 1));
        assert_eq!(found.right, r#"{"leather":[0,2]}"#);
        assert_eq!(first_decision(&record(vec![fault("a")]), &record(vec![fault("b")])), None);
        let missing = first_decision(&record(vec![turn(0, 1, 1)]), &left).unwrap();
        assert_eq!((missing.id, missing.seat, missing.left.as_str()), (0, 0, "no entry"));
    }
}
