//! Describes how two values differ, for files and answers that people write.

use std::collections::BTreeSet;

use engine::wire::NUMBER_MAX;
use serde::Serialize;
use serde_json::{Map, Value};

/// The longest value in a message, in characters.
const SHOWN_MAX: usize = 60;

/// Describes the first difference of a later value from an earlier one: the key and both values. Returns `None` if they
/// are equal.
pub fn difference(earlier: &impl Serialize, later: &impl Serialize) -> Option<String> {
    let [earlier, later] = [serde_json::to_value(earlier), serde_json::to_value(later)];
    first("", earlier.ok().as_ref(), later.ok().as_ref())
}

/// Describes the first difference of a later JSON text from an earlier one. Keys may be in another order, and a number may
/// be written in another way: 1.0 is 1. Returns `None` if they are equal.
pub fn by_value(earlier: &str, later: &str) -> Option<String> {
    let read = |text: &str| serde_json::from_str(text).map(plain).unwrap_or_else(|_| Value::from(text));
    if earlier == later { None } else { first("", Some(&read(earlier)), Some(&read(later))) }
}

/// Returns the value with whole numbers as integers.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < NUMBER_MAX as f64 => {
                Value::from(float as i64)
            }
            _ => Value::Number(number),
        },
        Value::Array(all) => all.into_iter().map(plain).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

fn first(key: &str, earlier: Option<&Value>, later: Option<&Value>) -> Option<String> {
    if earlier == later {
        return None;
    }
    let none = Value::Object(Map::new());
    if let [Some(Value::Array(one)), Some(Value::Array(two))] = [earlier, later]
        && one.len() == two.len()
    {
        let mut pairs = one.iter().zip(two).enumerate();
        return pairs.find_map(|(place, (one, two))| first(&format!("{key}[{place}]"), Some(one), Some(two)));
    }
    let entries = [earlier, later].map(|value| value.unwrap_or(&none).as_object());
    let [Some(one), Some(two)] = entries else {
        let key = if key.is_empty() { "it" } else { key };
        return Some(format!("{key} is {} instead of {}", shown(later), shown(earlier)));
    };
    let keys: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
    keys.into_iter().find_map(|name| {
        let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        first(&key, one.get(name), two.get(name))
    })
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value.filter(|value| !value.is_null()) else { return "not set".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_names_its_key_and_both_values() {
        let of = |earlier, later| difference(&earlier, &later);
        assert_eq!(of(json!({"a": 1, "b": [2]}), json!({"a": 1, "b": [2]})), None);
        for (earlier, later, expected) in [
            (json!({"a": 1}), json!({"a": 2}), "a is 2 instead of 1"),
            (json!({"a": 1}), json!({}), "a is not set instead of 1"),
            (json!({}), json!({"a": {"b": "x"}}), "a.b is \"x\" instead of not set"),
            (json!({"a": {"b": 1, "c": 2}}), json!({"a": {"b": 1, "c": 3}}), "a.c is 3 instead of 2"),
            (json!({"a": {"b": 1}}), json!({"a": [1]}), "a is [1] instead of {\"b\":1}"),
        ] {
            assert_eq!(of(earlier, later).as_deref(), Some(expected));
        }
        assert_eq!(
            of(json!({"a": [1, [2, 3]]}), json!({"a": [1, [2, 4]]})).as_deref(),
            Some("a[1][1] is 4 instead of 3")
        );
        let long = of(json!({"a": ""}), json!({"a": "ä".repeat(100)})).expect("they differ");
        assert!(long.contains("ä...") && long.chars().count() < 100, "{long}");
    }

    #[test]
    fn the_same_value_may_be_written_differently() {
        for (one, other) in [
            (r#"{"a":1,"b":[2,{"c":-3}]}"#, r#"{ "b": [2.0, {"c": -3e0}], "a": 1.0 }"#),
            ("0", "-0.0"),
            ("100000000", "1e8"),
            ("null", "null"),
        ] {
            assert_eq!(by_value(one, other), None, "{one} {other}");
        }
        for (one, other) in [
            ("1", "1.5"),
            ("1", "true"),
            ("1", "\"1\""),
            ("[1, 2]", "[2, 1]"),
            ("9007199254740993", "9007199254740992.0"),
            ("null", "{}"),
            ("{\"a\":null}", "{}"),
            ("not JSON", "no JSON"),
        ] {
            assert!(by_value(one, other).is_some(), "{one} {other}");
        }
    }
}
