//! Variants of the arena's lines that the protocol allows and other arenas could write.

use serde_json::{Map, Value, json};

/// A change to the lines for the bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Variant {
    /// No change.
    #[default]
    Plain,
    /// A carriage return before the newline.
    Crlf,
    /// An unknown field in every object, and another order of fields.
    Fields,
    /// Another seed for the chance of the bot.
    Seed,
}

/// The seed of [`Variant::Seed`]; the referee draws that of a match from all whole numbers.
const OTHER_SEED: u64 = 987_654_321;

impl Variant {
    /// Returns the changed line, newline included.
    pub(super) fn apply(self, line: &[u8]) -> Vec<u8> {
        match self {
            Variant::Plain => line.to_vec(),
            Variant::Crlf => [line.strip_suffix(b"\n").unwrap_or(line), b"\r\n"].concat(),
            Variant::Fields => changed(line, grow),
            Variant::Seed => changed(line, |message| {
                if let Some(seed) = message.get_mut("seed") {
                    *seed = OTHER_SEED.into();
                }
            }),
        }
    }
}

fn changed(line: &[u8], change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut message: Value = serde_json::from_slice(line).expect("the referee writes JSON");
    change(&mut message);
    let mut text = message.to_string().into_bytes();
    text.push(b'\n');
    text
}

/// Adds a field to every object. The map sorts its fields by name, so `type` is never the first field. The
/// arena itself never writes this order.
fn grow(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(grow);
            fields.insert("a_field_of_tomorrow".to_owned(), news());
        }
        Value::Array(items) => items.iter_mut().for_each(grow),
        _ => {}
    }
}

fn news() -> Value {
    json!({"text": "\u{e9}\u{1f9f5} \"quoted\" \\ \n", "number": 0.5, "list": [null, true, Map::new()]})
}

#[cfg(test)]
mod tests {
    use super::Variant;

    #[test]
    fn dressed_lines_say_the_same() {
        let line = b"{\"type\":\"turn\",\"id\":5,\"state\":{\"players\":[{\"board\":[]}]}}\n";
        assert_eq!(Variant::Plain.apply(line), line);
        assert!(Variant::Crlf.apply(line).ends_with(b"}\r\n"));
        let changed = String::from_utf8(Variant::Fields.apply(line)).unwrap();
        assert_eq!(changed.matches("a_field_of_tomorrow").count(), 3);
        assert_eq!(Variant::Seed.apply(b"{\"id\":5}\n"), b"{\"id\":5}\n");
        assert_eq!(Variant::Seed.apply(b"{\"seed\":5}\n"), b"{\"seed\":987654321}\n");
        assert!(changed.find("\"type\"") > changed.find("\"state\"") && changed.ends_with('\n'));
    }
}
