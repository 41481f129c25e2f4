//! Refuses commands that only a shell understands, and writes the command that does what is meant.

use std::env;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use crate::error::Error;

/// A part of a command. A part without a name is quoted, or an address. The others are for a shell: a redirection (`to`),
/// a command in the command (`inner`), the home, a variable (`name`, `braced`), a joint of commands, or a pattern (`glob`).
static PART: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"'[^']*'|"(?:[^"\\]|\\.)*"|\\.|\S+://\S*|(?<to>(?:^|\s)[\d&]*[<>]\S*)|(?<inner>`[^`]*`\S*|\$\([^)]*\)?\S*)|(?<home>(?:^|\s)~(?:/|\s|$))|\$(?:(?<name>[A-Za-z_]\w*)|\{(?<braced>\w+)\})|(?<joint>(?:^|\s)[|&;]\S*|[|&;]+(?:\s|$))|(?<glob>[*?])"#;
    Regex::new(pattern).expect("the pattern is sound")
});

/// Checks that the text of a command has no marks of a shell outside of quotes.
///
/// # Errors
/// It has some. The hint is the command to write instead.
pub(super) fn check(shown: &str, text: &str) -> Result<(), Error> {
    let marks = ["to", "inner", "home", "name", "braced", "joint", "glob"];
    let mark = |part: &Captures<'_>| {
        marks.iter().find_map(|name| part.name(name).map(|found| (*name, found.range())))
    };
    let found = PART.captures_iter(text).find_map(|part| mark(&part));
    let Some((kind, place)) = found else { return Ok(()) };
    let begin = place.start + text[place.clone()].len() - text[place.clone()].trim_start().len();
    let begin = text[..begin].rfind(char::is_whitespace).map_or(0, |before| before + 1);
    let word = text[begin..].split_whitespace().next().unwrap_or_default();
    let what = format!("bot {shown:?}: {word} needs a shell, and the arena starts programs without one");
    let is_end = text[place.end..].trim().is_empty();
    let hint = match kind {
        "to" => format!("leave out {word}: stdin and stdout are the dialogue, and the arena keeps stderr"),
        "inner" => format!("write out what {word} stands for"),
        "joint" if is_end && word == "&" => {
            "leave out &: all bots of a match run at the same time".to_owned()
        }
        _ => format!("write {}, or set dir and env in a league file", instead(text)),
    };
    Err(Error::usage(what).hint(hint))
}

/// Returns the command for which `text` stands in a shell. Bots have a home of their own, so the user's home and
/// variables are written out. What is left is for a shell.
fn instead(text: &str) -> String {
    let mut is_plain = true;
    let written = PART.replace_all(text, |part: &Captures<'_>| {
        let whole = &part[0];
        let name = part.name("name").or(part.name("braced")).map_or("HOME", |name| name.as_str());
        let is_value = part.name("home").is_some() || whole.starts_with('$');
        let value =
            env::var(name).ok().filter(|_| is_value).map(|value| shell_words::quote(&value).into_owned());
        is_plain &= value.is_some() || part.iter().skip(1).flatten().next().is_none();
        match value {
            Some(value) if whole.contains('~') => whole.replacen('~', &value, 1),
            value => value.unwrap_or_else(|| whole.to_owned()),
        }
    });
    if is_plain { written.into_owned() } else { format!("sh -c {}", shell_words::quote(&written)) }
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
