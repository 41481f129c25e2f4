//! Refuses commands that only a shell understands, and writes the command that does what is meant.

use std::env;

use crate::error::Error;

/// What separates words.
const BLANK: [char; 3] = [' ', '\t', '\n'];
/// Characters that join commands or redirect them, and the ones that begin what a shell replaces.
const SPECIAL: [char; 10] = ['|', '&', ';', '<', '>', '`', '~', '$', '*', '?'];

/// Checks that the text of a command has no special characters outside of quotes.
///
/// # Errors
/// It has some. The hint is the command to write instead.
pub(super) fn check(shown: &str, text: &str) -> Result<(), Error> {
    let found = special(text);
    let Some(&(at, first)) = found.first() else { return Ok(()) };
    let word = word_around(text, at);
    let what = format!("bot {shown:?}: {word} needs a shell, and the arena starts programs without one");
    let is_end = |at: usize| text[at + 1..].trim().is_empty();
    let hint = match first {
        '<' | '>' => {
            format!("leave out {word}: stdin and stdout are the dialogue, and the arena keeps stderr")
        }
        '`' => format!("write out what {word} stands for"),
        '$' if text[at..].starts_with("$(") => format!("write out what {word} stands for"),
        '&' if is_end(at) => "leave out &: all bots of a match run at the same time".to_owned(),
        _ => format!("write {}, or set dir and env in a league file", instead(text, &found)),
    };
    Err(Error::usage(what).hint(hint))
}

/// Returns the special characters outside of quotes, with their places.
fn special(text: &str) -> Vec<(usize, char)> {
    let (mut found, mut quote, mut is_escaped, mut before) = (Vec::new(), None, false, ' ');
    for (at, letter) in text.char_indices() {
        let next = text[at + letter.len_utf8()..].chars().next();
        let is_edge =
            before.is_whitespace() || next.is_none_or(|next| next.is_whitespace() || next == letter);
        let is_special = match letter {
            '|' | '&' | ';' => is_edge,
            '<' | '>' => {
                text[..at].trim_end_matches(|lead: char| "0123456789&".contains(lead)).ends_with(BLANK)
            }
            '~' => before.is_whitespace() && next.is_none_or(|next| next == '/' || next.is_whitespace()),
            '$' => next.is_some_and(|next| next.is_alphabetic() || "_{(".contains(next)),
            '?' => !word_around(text, at).contains("://"), // an address
            other => SPECIAL.contains(&other),
        };
        match quote {
            _ if is_escaped => is_escaped = false,
            None if letter == '\\' => is_escaped = true,
            Some('"') if letter == '\\' => is_escaped = true,
            None if letter == '\'' || letter == '"' => quote = Some(letter),
            Some(open) if letter == open => quote = None,
            None if is_special => found.push((at, letter)),
            _ => {}
        }
        before = letter;
    }
    found
}

/// Returns the word with this place in a text.
fn word_around(text: &str, at: usize) -> &str {
    let begin = text[..at].rfind(char::is_whitespace).map_or(0, |before| before + 1);
    text[begin..].split(char::is_whitespace).next().unwrap_or_default()
}

/// Returns the command for which `text` stands in a shell. Bots have a home of their own, so the user's home and
/// variables are written out. What is left is for a shell.
fn instead(text: &str, found: &[(usize, char)]) -> String {
    let (mut written, mut from, mut is_plain) = (String::new(), 0, true);
    for &(at, letter) in found {
        let rest = &text[at + 1..];
        let length =
            rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (name, end) = if letter == '~' { ("HOME", at + 1) } else { (&rest[..length], at + 1 + length) };
        let value = env::var(name).ok().filter(|_| matches!(letter, '~' | '$'));
        is_plain &= value.is_some();
        if let Some(value) = value {
            written += &text[from..at];
            written += &shell_words::quote(&value);
            from = end;
        }
    }
    written += &text[from..];
    if is_plain { written } else { format!("sh -c {}", shell_words::quote(&written)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_act_on_is_refused() {
        for text in [
            "python3 bot.py",
            "python3 'a bot*.py' \"x | y\" --cost 3$ a~b \\; --least=>3 a|b;c&d http://host/?level=3",
            "sh -c 'cd x && ./bot > log'",
            "bots/x~/bot -cp 'lib/*'",
        ] {
            assert!(check("bot", text).is_ok(), "{text}");
        }
        for (text, word) in [
            ("./bot | tee log", "|"),
            ("./bot 2>log", "2>log"),
            ("./bot <in", "<in"),
            ("./bot &", "&"),
            ("sleep 1; ./bot", "1;"),
            ("a && b", "&&"),
            ("python3 bo?.py", "bo?.py"),
            ("python3 *.py", "*.py"),
            ("~/bot", "~/bot"),
            ("./bot ~", "~"),
            ("$X/bot", "$X/bot"),
            ("`pwd`/bot", "`pwd`/bot"),
            ("./bot ${X}", "${X}"),
        ] {
            let error = check("bot", text).expect_err(text);
            assert!(error.message().starts_with(&format!("bot \"bot\": {word} needs a shell")), "{error}");
        }
    }

    #[test]
    fn homes_and_variables_are_written_out() {
        let home = env::var("HOME").unwrap_or_default();
        let told = check("bot", "~/bot --book $HOME/book").expect_err("a shell").to_string();
        assert!(told.contains(&format!("write {home}/bot --book {home}/book, or")), "{told}");
        let told = check("bot", "$HOME/bot | cat").expect_err("a shell").to_string();
        assert!(told.contains(&format!("write sh -c '{home}/bot | cat', or")), "{told}");
        let told = check("bot", "./bot $QUILT_NO_SUCH").expect_err("a shell").to_string();
        assert!(told.contains("write sh -c './bot $QUILT_NO_SUCH', or"), "{told}");
    }
}
