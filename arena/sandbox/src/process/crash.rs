//! The words of a crash: the line of a program's stderr that says what happened, and the place in the program's own
//! files. Runtimes put them at the beginning, in the middle, or at the end of what they write.

use std::path::Path;

use crate::text::quote;

/// The number of last lines that are quoted if no line looks like the message of a crash.
const LAST_LINES_MAX: usize = 2;
/// The longest ending of a file's name, such as `java`, and the number of words after a file in which its line stands.
const ENDING_MAX: usize = 4;
const NEAR: usize = 4;
/// Words at the beginning of a line with the message of a crash, separated by `|`. The last such line of a stderr counts.
const HEADS: &str = "Exception in thread |Exception: |Caused by: |Unhandled exception. |panic: |fatal error: |what():|PHP Fatal error: |\
                     Fatal error: |Uncaught |error: Uncaught |lua: |lua5|luajit: |Assertion failed|\
                     escript: exception |error: |fatal: ";
/// Words in such a line, separated by `|`.
const IN_HEADS: &str = ": Assertion `|ERROR: AddressSanitizer|runtime error: |: uncaught exception: ";
/// Lines after which the next line has the message, separated by `|`.
const BEFORE: &str = "Unhandled Exception:|panicked at ";
/// Beginnings of lines that only lead to a message or follow one, separated by `|`.
const AROUND: &str = "at |from |#|Require stack:|- |goroutine |note: |Node.js v|exit status |stack traceback:|Stack trace:|stack backtrace:|\
                      CallStack (|HasCallStack|[C]: |[C](|Raised |Re-raised |Called from |thrown in |created by |... |\
                      Traceback (|{main}|[ERROR] FATAL UNHANDLED EXCEPTION|terminate called|Aborted|Execution halted|File \"|error, called at ";
/// Parts of lines with a place in files of others, separated by `|`.
const OF_OTHERS: &str = "node:|node_modules/|site-packages/|dist-packages/|/usr/|/opt/|/rustc/|/.rustup/|/.cargo/|<frozen |\
                         <string>|<internal:|java.base/|at java.|at jdk.|at sun.|\"stdlib|libraries/|/go/src/|/.nvm/|/.pyenv/|[C]:|.erl, line ";

/// Quotes the message of a crash with its place, such as `"TypeError: no move" at bot.js:3`. `folder` is the one in
/// which the program starts. Without a message it quotes the last lines. Returns `None` if the program wrote nothing.
pub(crate) fn crash(stderr: &[u8], folder: Option<&Path>) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.trim().is_empty() && !is_underline(line)).collect();
    let Some(head) = head(&lines) else { return last_lines(&lines) };
    let message = lines[head].trim();
    let place = place(&lines, head, folder);
    // Some runtimes name the place in the message.
    let place = place.filter(|place| {
        let (file, line) = place.split_once(':').unwrap_or_default();
        !(message.contains(place) || message.contains(file) && message.contains(&format!("line {line}")))
    });
    let at = place.map_or(String::new(), |place| format!(" at {place}"));
    Some(quote(message.as_bytes()) + &at)
}

/// Returns true for a line that only marks a part of the line before, as in Python's tracebacks.
fn is_underline(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b'^' | b'~' | b' '))
}

fn begins(line: &str, words: &str) -> bool {
    words.split('|').any(|word| line.trim_start().starts_with(word))
}

fn has(line: &str, words: &str) -> bool {
    words.split('|').any(|word| line.contains(word))
}

/// Returns true for the name of an error and its text: `ValueError: no move`, or `IllegalState` with `Exception`.
fn is_error(line: &str) -> bool {
    let name = line.split([':', ' ']).next().unwrap_or_default();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$' | b'\\');
    let ends = ["Error", "Exception", "Interrupt", "Exit", "Failure"];
    let is_name =
        name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) && name.bytes().all(is_word);
    is_name && ends.iter().any(|end| name.ends_with(end))
}

/// Returns the number of the line with the message of the crash that ends the stderr.
fn head(lines: &[&str]) -> Option<usize> {
    // Node prints the fields of an error after its frames, in braces.
    let is_inside = |line: &str| line.starts_with([' ', '\t']) && !begins(line, "what():") || line == "}";
    let is_of_ruby = |line: &str| line.contains(":in ") && line.ends_with(')');
    let is_of_perl = |line: &str| line.contains(" at ") && line.contains(" line ") && line.ends_with('.');
    for at in (0..lines.len()).rev() {
        let line = lines[at];
        let is_told_before = at > 0 && has(lines[at - 1], BEFORE);
        // Racket has its message before this line, with the values below it.
        let below = lines[at + 1..].iter().take_while(|below| below.starts_with("  "));
        let is_told_after = lines.get(at + 1).is_some_and(|next| next.starts_with("CallStack ("))
            || !is_inside(line) && { below }.any(|below| below.trim() == "context...:");
        if is_told_before || is_told_after {
            return Some(at);
        }
        let is_around = is_inside(line) || begins(line, AROUND);
        let is_head = begins(line, HEADS) || has(line, IN_HEADS) || is_error(line);
        if !is_around && (is_head || is_of_ruby(line) || is_of_perl(line)) {
            return Some(at);
        }
        // Go names functions at the beginning of lines. Any other line came after whatever was before it.
        if !is_around && !line.ends_with(')') {
            return None;
        }
    }
    None
}

/// Returns the place of the crash in the program's own files, as `file:line`.
fn place(lines: &[&str], head: usize, folder: Option<&Path>) -> Option<String> {
    let of_own = |line: &str| if has(line, OF_OTHERS) { None } else { place_in(line, folder) };
    let after = lines[head + 1..].iter().find_map(|line| of_own(line));
    // Python has its frames before the message, the innermost last, each with a line of the source below it. Others have
    // their place there, too.
    let is_source = |at: usize| at > 0 && lines[at - 1].trim_start().starts_with("File \"");
    let before = || (0..head).rev().filter(|at| !is_source(*at)).find_map(|at| of_own(lines[at]));
    place_in(lines[head], folder).or(after).or_else(before)
}

/// Returns the first file with a line number in a line.
fn place_in(line: &str, folder: Option<&Path>) -> Option<String> {
    let words =
        line.split([' ', '\t', '(', ')', '"', '\'', '`', ',', '[', ']']).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let digits = |text: &str| -> Option<u32> {
        text.split(|letter: char| !letter.is_ascii_digit()).next().and_then(|digits| digits.parse().ok())
    };
    words.iter().enumerate().find_map(|(at, word)| {
        let word = word.trim_start_matches("file://");
        let (path, rest) = word.split_once(':').unwrap_or((word, ""));
        let ending = Path::new(path).extension()?.to_str()?;
        if !ending.starts_with(|first: char| first.is_ascii_alphabetic()) || ending.len() > ENDING_MAX {
            return None;
        }
        // `bot.py:3`, `bot.php(3)`, and `line 3` in the next words
        let in_brackets = || line.contains(&format!("{path}(")).then(|| words.get(at + 1)).flatten();
        let is_line = |(near, word): &(usize, &&str)| **word == "line" || *near == 0 && rest == "line";
        let after_line = || {
            let (near, _) = words[at..].iter().enumerate().take(NEAR).find(is_line)?;
            words.get(at + near + 1)
        };
        let number = digits(rest).or_else(|| digits(in_brackets()?)).or_else(|| digits(after_line()?))?;
        let path = Path::new(path);
        let shown = folder.and_then(|folder| path.strip_prefix(folder).ok());
        let name = || path.file_name().filter(|_| path.is_absolute()).map(Path::new);
        Some(format!("{}:{number}", shown.or_else(name).unwrap_or(path).display()))
    })
}

fn last_lines(lines: &[&str]) -> Option<String> {
    let told: Vec<&&str> = lines.iter().filter(|line| !begins(line, AROUND)).collect();
    let told = if told.is_empty() { lines.iter().collect() } else { told };
    let last = &told[told.len().saturating_sub(LAST_LINES_MAX)..];
    let quoted: Vec<String> = last.iter().map(|line| quote(line.trim().as_bytes())).collect();
    (!quoted.is_empty()).then(|| quoted.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What programs wrote when they crashed; for .NET, tsx, and Deno the form that they use. A line that begins with `==`
    /// has the language, the line below it the expected quote.
    const CRASHES: &str = include_str!("crashes.txt");

    #[test]
    fn each_language_is_quoted_by_its_message_and_its_place() {
        let mut count = 0;
        for crash in CRASHES.split("== ").skip(1) {
            let (language, rest) = crash.split_once('\n').expect("a line");
            let (expected, stderr) = rest.split_once('\n').expect("a quote");
            let found = super::crash(stderr.as_bytes(), Some(Path::new("/home/me/bot")));
            assert_eq!(found.as_deref(), Some(expected), "{language}");
            count += 1;
        }
        assert!(count >= 20, "{count} crashes");
    }

    #[test]
    fn without_a_message_the_last_lines_are_quoted() {
        let of = |text: &str| crash(text.as_bytes(), None);
        assert_eq!(of(""), None);
        assert_eq!(of("one\ntwo\n\nthree\n").as_deref(), Some("\"two\" \"three\""));
        assert_eq!(of("bot.sh: 3: exce: not found\n").as_deref(), Some("\"bot.sh: 3: exce: not found\""));
        // What was logged before is not what ended the program.
        assert_eq!(of("ValueError: handled\nbye\n").as_deref(), Some("\"ValueError: handled\" \"bye\""));
        assert_eq!(of("at\n at x\n").as_deref(), Some("\"at\""));
    }
}
