//! Mends lines of writers that go beyond JSON: Python writes `NaN` and `Infinity`, and JavaScript cuts texts between the
//! two halves of a surrogate pair.

/// The words that stand for no number of JSON.
const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
/// The fields in which they are dropped.
const FREE: [&str; 2] = ["data", "note"];

/// A line without them.
pub(super) struct Mended<'a> {
    /// The line with `null` in the place of a number that JSON does not have, and without halves of pairs.
    pub(super) text: String,
    /// The first of them that is in another field than `data` and `note`.
    pub(super) outside: Option<&'a str>,
}

/// Mends a line. Returns `None` if there is nothing to mend.
pub(super) fn mend(line: &str) -> Option<Mended<'_>> {
    let (mut text, mut outside, mut from) = (String::new(), None, 0);
    let (mut depth, mut key, mut string) = (0, "", None);
    let mut at = 0;
    while let Some(letter) = line[at..].chars().next() {
        let rest = &line[at..];
        let mut length = letter.len_utf8();
        let odd = match (letter, string) {
            ('\\', Some(_)) => {
                length = escape(rest);
                (length == HALF && half(rest).is_some()).then_some("")
            }
            ('"', Some(begin)) => {
                let is_key = depth == 1 && line[at + 1..].trim_start().starts_with(':');
                key = if is_key { &line[begin..at] } else { key };
                string = None;
                None
            }
            (_, Some(_)) => None,
            ('"', None) => {
                string = Some(at + 1);
                None
            }
            _ => {
                depth += i32::from("{[".contains(letter)) - i32::from("}]".contains(letter));
                let word = NO_NUMBERS.iter().find(|word| rest.starts_with(**word));
                length = word.map_or(length, |word| word.len());
                word.map(|_| "null")
            }
        };
        if let Some(instead) = odd {
            text += &line[from..at];
            text += instead;
            from = at + length;
            outside = outside.or((!FREE.contains(&key)).then(|| &rest[..length]));
        }
        at += length;
    }
    (from > 0).then(|| Mended { text: text + &line[from..], outside })
}

/// The length of an escape by a number, such as `\ud83d`.
const HALF: usize = 6;

/// Returns the length of an escape, or of the pair that it begins.
fn escape(text: &str) -> usize {
    let is_pair = half(text) == Some(true) && text.get(HALF..).is_some_and(|rest| half(rest) == Some(false));
    match text.as_bytes().get(1) {
        _ if is_pair => 2 * HALF,
        Some(b'u') if text.is_char_boundary(HALF.min(text.len())) => HALF.min(text.len()),
        _ => 1 + text.chars().nth(1).map_or(0, char::len_utf8),
    }
}

/// Returns true for an escape that is the first half of a pair, and false for the second half.
fn half(text: &str) -> Option<bool> {
    let number = u32::from_str_radix(text.strip_prefix("\\u")?.get(..HALF - 2)?, 16).ok()?;
    (0xd800..0xe000).contains(&number).then_some(number < 0xdc00)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_halves_that_json_does_not_have_are_mended() {
        for (line, mended) in [
            (r#"{"data":{"eval":-Infinity,"b":[NaN, 1]}}"#, r#"{"data":{"eval":null,"b":[null, 1]}}"#),
            (r#"{"note":"\ud83d half","data":{}}"#, r#"{"note":" half","data":{}}"#),
            (r#"{"note":"\ud83d\ude00 \ude00 NaN \"x"}"#, r#"{"note":"\ud83d\ude00  NaN \"x"}"#),
            (r#"{"data":{"move":Infinity}}"#, r#"{"data":{"move":null}}"#),
        ] {
            let found = mend(line).expect(line);
            assert_eq!((found.text.as_str(), found.outside), (mended, None), "{line}");
        }
        for (line, outside) in
            [(r#"{"id":NaN}"#, "NaN"), (r#"{"data":{},"move":{"card":"\ud83d"}}"#, r"\ud83d")]
        {
            assert_eq!(mend(line).expect(line).outside, Some(outside), "{line}");
        }
        for line in
            [r#"{"note":"NaN \u0041 \\ud83d"}"#, r#"{"note":"\u"#, r#"{"note":"\uü"}"#, "\\", "", "\""]
        {
            assert!(mend(line).is_none(), "{line}");
        }
    }
}
