//! Names of bots: valid names, and pairs of names that look alike.

use std::collections::HashMap;

use unicode_normalization::char::compose;
use unicode_security::skeleton;

use crate::error::Error;
use sandbox::text::is_printable;

/// The maximum length of a name, in characters.
pub(crate) const NAME_CHARS_MAX: usize = 40;
/// The maximum length of a version, in characters.
const VERSION_CHARS_MAX: usize = 32;
/// A word with this many wrong letters is a slip.
const SLIPS_MAX: usize = 2;
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

/// Checks a new name of a bot, which a person or a program gives. It begins with a letter or a digit, because
/// spreadsheets and shells read more into other characters.
///
/// # Errors
/// As [`check_name`].
pub fn check_new_name(name: &str) -> Result<String, Error> {
    match name.chars().next().filter(|first| MARKS.contains(*first)) {
        None => check_name(name),
        Some(first) => {
            Err(Error::usage(format!("{name:?} cannot be the name of a bot: it begins with {first:?}"))
                .hint("a name begins with a letter or a digit"))
        }
    }
}

/// Returns the first characters of a text. Those that no name can have become `-`.
fn replaced(text: &str, chars_max: usize) -> String {
    text.chars().map(|letter| if is_fit(letter) { letter } else { '-' }).take(chars_max).collect()
}

/// Turns the text of a bot's version into one of the characters of names. Returns `None` if it has none of them.
pub(crate) fn fitted_version(wanted: &str) -> Option<String> {
    let version = replaced(wanted.trim_matches(|letter| !is_fit(letter)), VERSION_CHARS_MAX);
    (!version.is_empty()).then_some(version)
}

/// Returns a text that is equal for names that a reader confuses: they differ in case, in `-` or `_` at the end, or
/// in letters that look alike.
pub(crate) fn impression(name: &str) -> String {
    skeleton(&name.trim_end_matches(['-', '_']).to_lowercase()).collect()
}

/// Returns the start of a hint that asks for the name nearest to the word. It is empty if no name is near.
pub fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let distances = names.into_iter().map(|name| (strsim::damerau_levenshtein(word, name), name));
    let nearest =
        distances.min_by_key(|(distance, _)| *distance).filter(|(distance, _)| *distance <= SLIPS_MAX);
    nearest.map_or(String::new(), |(_, name)| format!("did you mean {name}? "))
}

/// Returns a text in which accents are part of their letters, as in Unicode's composed form (NFC). Letters that this form takes
/// apart stay as they are.
pub fn composed(text: &str) -> String {
    let mut letters: Vec<char> = Vec::new();
    for letter in text.chars() {
        let both = letters.last().and_then(|before| compose(*before, letter));
        letters.truncate(letters.len() - usize::from(both.is_some()));
        letters.push(both.unwrap_or(letter));
    }
    letters.into_iter().collect()
}

/// Turns any text into a valid name.
pub fn fitted(wanted: &str) -> String {
    let name = replaced(&composed(wanted), NAME_CHARS_MAX);
    let name = name.trim_start_matches(|first| MARKS.contains(first));
    if name.is_empty() { "bot".to_owned() } else { name.to_owned() }
}

/// Returns the first two names that differ in case alone. On some file systems their folders are one.
pub fn same_but_for_case<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<[&'a str; 2]> {
    let mut known: HashMap<String, &str> = HashMap::new();
    names.into_iter().find_map(|name| {
        let other = known.insert(name.to_lowercase(), name).filter(|other| *other != name)?;
        Some([other, name])
    })
}

/// Returns the first two names that look alike by Unicode's table of confusable letters. Names of plain
/// ASCII, such as `bot-1` and `bot-l`, are allowed: a careful reader sees the difference.
pub fn look_alikes<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<[&'a str; 2]> {
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
        for honest in ["Größe", "大", "שלום", "greedy_2.1+x"] {
            assert_eq!(check_name(honest).as_deref(), Ok(honest));
            assert_eq!(check_new_name(honest).as_deref(), Ok(honest));
            assert_eq!(fitted(honest), honest);
        }
        assert_eq!(fitted("Jose\u{301}"), "Jos\u{e9}");
        assert_eq!(fitted("\u{958}"), "\u{958}", "a letter that has no composed form of two");
        let invisible = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}', '\u{17b4}', '\u{200b}', '\u{202e}'];
        for letter in invisible.into_iter().chain(['\x1b', '\n', '\t', '<', '|', '=', ' ', '/']) {
            let name = format!("greedy{letter}");
            let refused = check_name(&name).expect_err("it cannot be told from greedy").to_string();
            assert!(refused.chars().all(|letter| letter == '\n' || is_printable(letter)), "{refused:?}");
            assert_eq!(fitted(&name), "greedy-");
        }
        // Results have such names from the time before the rule.
        for earlier in ["+1", "_x"] {
            assert_eq!(check_name(earlier).as_deref(), Ok(earlier));
            assert!(check_new_name(earlier).is_err());
        }
        assert_eq!((fitted("../..").as_str(), fitted("+1.0").as_str()), ("bot", "1.0"));
        let long = "x".repeat(NAME_CHARS_MAX + 1);
        assert!([&long, "", ".", "-rf"].iter().all(|name| check_name(name).is_err()));
    }

    #[test]
    fn versions_are_short_words() {
        assert_eq!(fitted_version("0.3-β+x_1").as_deref(), Some("0.3-β+x_1"));
        let row = fitted_version(" 1. greedy 100-0-0 winner\u{1b}[31m");
        assert_eq!(row.as_deref(), Some("1.-greedy-100-0-0-winner--31m"));
        assert_eq!(fitted_version(&"ä".repeat(60_000)), Some("ä".repeat(VERSION_CHARS_MAX)));
        assert_eq!(fitted_version("\u{0}\u{2028} |"), None);
    }

    #[test]
    fn names_that_differ_in_case_endings_or_letters_that_look_alike_give_one_impression() {
        for other in ["GREEDY", "Greedy_", "greedy-", "greedy--", "gr\u{435}edy", "GR\u{415}EDY"] {
            assert_eq!(impression(other), impression("greedy"), "{other}");
        }
        for honest in ["greedy-2", "greedier", "大"] {
            assert_ne!(impression(honest), impression("greedy"), "{honest}");
        }
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
