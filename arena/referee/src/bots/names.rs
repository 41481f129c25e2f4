//! Names of bots: valid names, and pairs of names that look alike.

use std::collections::HashMap;

use unicode_security::skeleton;

use crate::error::Error;
use sandbox::text::is_printable;

/// The maximum length of a name, in characters.
pub(crate) const NAME_CHARS_MAX: usize = 40;
/// The characters of a name other than letters and digits.
const MARKS: &str = "._+-";
/// Characters that cannot begin a name. The name would be a hidden file or an option.
const NOT_FIRST: [char; 2] = ['.', '-'];

/// Returns true for visible letters and digits of any language, and for `._+-`. Names appear in tables,
/// paths, and commands.
fn is_fit(letter: char) -> bool {
    (letter.is_alphanumeric() && is_printable(letter)) || MARKS.contains(letter)
}

/// Checks the name of a bot from a person, a league file, or a file of results.
///
/// # Errors
/// The name is invalid; the message says which characters a name may have.
pub fn check_name(name: &str) -> Result<String, Error> {
    let length = name.chars().count();
    if length == 0 || length > NAME_CHARS_MAX || !name.chars().all(is_fit) || name.starts_with(NOT_FIRST) {
        let short: String = name.chars().take(NAME_CHARS_MAX).collect();
        return Err(Error::usage(format!("{short:?} cannot be the name of a bot"))
            .hint(format!("a name has 1 to {NAME_CHARS_MAX} letters, digits, '.', '_', '+' or '-'")));
    }
    Ok(name.to_owned())
}

/// Turns any text into a valid name.
pub(crate) fn fitted(wanted: &str) -> String {
    let fit = |letter: char| if is_fit(letter) { letter } else { '-' };
    let name: String = wanted.chars().map(fit).take(NAME_CHARS_MAX).collect();
    let name = name.trim_start_matches(NOT_FIRST);
    if name.is_empty() { "bot".to_owned() } else { name.to_owned() }
}

/// Returns the first two names that look alike by Unicode's table of confusable letters. Names of plain
/// ASCII, such as `bot-1` and `bot-l`, are allowed: a careful reader sees the difference.
pub(crate) fn look_alikes<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<[&'a str; 2]> {
    let mut known: HashMap<String, Vec<&str>> = HashMap::new();
    for name in names {
        let alike = known.entry(skeleton(name).collect()).or_default();
        let is_alike = |other: &&&str| **other != name && !(name.is_ascii() && other.is_ascii());
        if let Some(other) = alike.iter().find(is_alike) {
            return Some([other, name]);
        }
        alike.push(name);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_language_stay_and_invisible_letters_do_not() {
        for honest in ["Größe", "大", "שלום", "greedy_2.1+x", "+1"] {
            assert_eq!(check_name(honest).as_deref(), Ok(honest));
            assert_eq!(fitted(honest), honest);
        }
        let invisible = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}', '\u{17b4}', '\u{200b}', '\u{202e}'];
        for letter in invisible.into_iter().chain(['\x1b', '\n', '\t', '<', '|', '=', ' ', '/']) {
            let name = format!("greedy{letter}");
            let refused = check_name(&name).expect_err("it cannot be told from greedy").to_string();
            assert!(refused.chars().all(|letter| letter == '\n' || is_printable(letter)), "{refused:?}");
            assert_eq!(fitted(&name), "greedy-");
        }
        assert_eq!(fitted("../.."), "bot");
        let long = "x".repeat(NAME_CHARS_MAX + 1);
        assert!([&long, "", ".", "-rf"].iter().all(|name| check_name(name).is_err()));
    }

    #[test]
    fn names_that_look_alike_are_found() {
        for other in ["gr\u{435}edy", "ｇreedy", "gre\u{435}d\u{443}"] {
            assert_eq!(look_alikes(["a", "greedy", other]), Some(["greedy", other]), "{other}");
        }
        let honest =
            ["greedy", "Greedy", "greedy-2", "bot-1", "bot-l", "Größe", "Grosse", "大", "太", "שלום"];
        assert_eq!(look_alikes(honest), None);
    }
}
