//! Mends lines of writers that go beyond JSON: Python writes `NaN` and `Infinity`, and JavaScript cuts texts between the
//! two halves of a surrogate pair.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

/// The fields in which they are dropped.
const FREE: [&str; 2] = ["data", "note"];
/// A text with the colon of a key, a word that is no number of JSON, or a bracket.
static TOKEN: LazyLock<Regex> =
    LazyLock::new(|| regex(r#""((?:[^"\\]|\\.)*)"(\s*:)?|-?Infinity|NaN|[{}\[\]]"#));
/// A pair, half of one, or another escape.
static ESCAPE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(\\u[dD][89a-fA-F]\w\w)|\\."));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is sound")
}

/// A line without them.
pub(super) struct Mended {
    /// The line with `null` in the place of a number that JSON does not have, and without halves of pairs.
    pub(super) text: String,
    /// The first of them that is in another field than `data` and `note`.
    pub(super) outside: Option<String>,
}

/// Mends a line. Returns `None` if there is nothing to mend.
pub(super) fn mend(line: &str) -> Option<Mended> {
    let (mut depth, mut key, mut outside) = (0, String::new(), None);
    let whole_pairs = |escape: &Captures<'_>| match escape.get(1) {
        Some(_) => String::new(),
        None => escape[0].to_owned(),
    };
    let text = TOKEN.replace_all(line, |token: &Captures<'_>| {
        let (found, string) = (&token[0], token.get(1));
        let (instead, odd) = match (found, string) {
            ("{" | "[" | "}" | "]", _) => {
                depth += if "{[".contains(found) { 1 } else { -1 };
                return found.to_owned();
            }
            (_, Some(string)) => {
                if depth == 1 && token.get(2).is_some() {
                    string.as_str().clone_into(&mut key);
                }
                (ESCAPE.replace_all(found, whole_pairs).into_owned(), "half of a surrogate pair")
            }
            (word, None) => ("null".to_owned(), word),
        };
        if instead != found && !FREE.contains(&key.as_str()) {
            outside.get_or_insert(odd.to_owned());
        }
        instead
    });
    (text != line).then(|| Mended { text: text.into_owned(), outside })
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
        for (line, outside) in [
            (r#"{"id":NaN}"#, "NaN"),
            (r#"{"data":{},"move":{"card":"\ud83d"}}"#, "half of a surrogate pair"),
        ] {
            assert_eq!(mend(line).expect(line).outside.as_deref(), Some(outside), "{line}");
        }
        for line in
            [r#"{"note":"NaN \u0041 \\ud83d"}"#, r#"{"note":"\u"#, r#"{"note":"\uü"}"#, "\\", "", "\""]
        {
            assert!(mend(line).is_none(), "{line}");
        }
    }
}
