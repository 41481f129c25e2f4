//! Variants of the arena's lines that the protocol allows and other arenas could write.

use serde_json::{Map, Value, json};

/// A change to the lines for the bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dress {
    /// No change.
    #[default]
    Plain,
    /// A carriage return before the newline.
    Crlf,
    /// An unknown field in every object, and another order of fields.
    Fields,
}

impl Dress {
    /// Returns the changed line, newline included.
    pub(super) fn put_on(self, line: &[u8]) -> Vec<u8> {
        match self {
            Dress::Plain => line.to_vec(),
            Dress::Crlf => [line.strip_suffix(b"\n").unwrap_or(line), b"\r\n"].concat(),
            Dress::Fields => with_fields(line),
        }
    }
}

fn with_fields(line: &[u8]) -> Vec<u8> {
    let mut message: Value = serde_json::from_slice(line).expect("the referee writes JSON");
    grow(&mut message);
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
    use super::Dress;

    #[test]
    fn dressed_lines_say_the_same() {
        let line = b"{\"type\":\"turn\",\"id\":5,\"state\":{\"players\":[{\"board\":[]}]}}\n";
        assert_eq!(Dress::Plain.put_on(line), line);
        assert!(Dress::Crlf.put_on(line).ends_with(b"}\r\n"));
        let dressed = String::from_utf8(Dress::Fields.put_on(line)).unwrap();
        assert_eq!(dressed.matches("a_field_of_tomorrow").count(), 3);
        assert!(dressed.find("\"type\"") > dressed.find("\"state\"") && dressed.ends_with('\n'));
    }
}
