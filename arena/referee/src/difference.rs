//! Describes how two values differ, for files that people write.

use std::collections::BTreeSet;

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

fn first(key: &str, earlier: Option<&Value>, later: Option<&Value>) -> Option<String> {
    if earlier == later {
        return None;
    }
    let none = Value::Object(Map::new());
    let entries = [earlier, later].map(|value| value.unwrap_or(&none).as_object());
    let [Some(one), Some(two)] = entries else {
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
        let long = of(json!({"a": ""}), json!({"a": "ä".repeat(100)})).expect("they differ");
        assert!(long.contains("ä...") && long.chars().count() < 100, "{long}");
    }
}
