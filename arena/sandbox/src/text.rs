//! Makes foreign text printable: names, messages, and output of strangers' programs, before a person reads them.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::Path;

/// The most of a bot's output that a message quotes, in bytes before escaping.
pub(crate) const QUOTE_BYTES_MAX: usize = 120;
/// A quote leaves out more bytes than this, or none.
const MISSING_BYTES_MIN: usize = 24;

/// Invisible characters that hide, join or reorder the text around them, or break the line. A program could use them to
/// make a person or a terminal read another text. Characters that choose the form of the letter before them are
/// allowed.
const FORMAT_CHARACTERS: [RangeInclusive<char>; 22] = [
    '\u{ad}'..='\u{ad}',
    '\u{600}'..='\u{605}',
    '\u{61c}'..='\u{61c}',
    '\u{6dd}'..='\u{6dd}',
    '\u{70f}'..='\u{70f}',
    '\u{890}'..='\u{891}',
    '\u{8e2}'..='\u{8e2}',
    '\u{115f}'..='\u{1160}', // letters without a shape
    '\u{17b4}'..='\u{17b5}', // vowels without a shape
    '\u{180e}'..='\u{180e}',
    '\u{200b}'..='\u{200f}', // no width, and marks of direction
    '\u{2028}'..='\u{202e}', // ends of lines and paragraphs, embedding and overriding of direction
    '\u{2060}'..='\u{206f}', // joiners, and isolation of direction
    '\u{3164}'..='\u{3164}', // a letter without a shape
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}', // a letter without a shape
    '\u{fff0}'..='\u{fffb}',
    '\u{110bd}'..='\u{110bd}',
    '\u{110cd}'..='\u{110cd}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e007f}', // tags
];

/// Returns true if a character can be shown unchanged: it is no control and no format character.
pub fn is_printable(letter: char) -> bool {
    !letter.is_control() && !FORMAT_CHARACTERS.iter().any(|range| range.contains(&letter))
}

/// Returns a text as one printable line. Control and format characters become escapes; letters of any language stay.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_printable, |letter| letter.escape_default().collect())
}

/// Returns a path as one printable line.
pub fn path(path: &Path) -> String {
    line(&path.display().to_string()).into_owned()
}

/// Returns a text of several lines in printable form. Line ends and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    let stays = |letter| matches!(letter, '\n' | '\t') || is_printable(letter);
    escaped(text, stays, |letter| letter.escape_default().collect())
}

/// Returns bytes as printable text of several lines. Bytes that are not UTF-8 become escapes.
pub fn lines_of(bytes: &[u8]) -> String {
    of_bytes(bytes, lines)
}

/// Returns JSON in printable form with the same value. Only its strings can hold unprintable characters.
pub fn json(text: &str) -> Cow<'_, str> {
    let escape = |letter: char| {
        let mut units = [0; 2];
        letter.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    };
    escaped(text, |letter| letter == '\n' || is_printable(letter), escape)
}

fn escaped(text: &str, stays: impl Fn(char) -> bool, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    if text.chars().all(&stays) {
        return Cow::Borrowed(text);
    }
    let mut printable = String::with_capacity(2 * text.len());
    for letter in text.chars() {
        match stays(letter) {
            true => printable.push(letter),
            false => printable.push_str(&escape(letter)),
        }
    }
    Cow::Owned(printable)
}

/// Returns the first of some things in one line, and the number of the others.
pub fn few(things: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = things[..things.len().min(SHOWN)].join("; ");
    match things.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

/// Returns bytes as a quoted line of plain text: escaped, and cut with the number of missing bytes.
pub fn quote(bytes: &[u8]) -> String {
    // A few bytes more take no more room than their number.
    let is_short = bytes.len() <= QUOTE_BYTES_MAX + MISSING_BYTES_MIN;
    let shown = if is_short { bytes } else { &bytes[..QUOTE_BYTES_MAX] };
    let escaped = of_bytes(shown, line);
    match bytes.len() - shown.len() {
        0 => format!("\"{escaped}\""),
        missing => format!("\"{escaped}\" (and {missing} bytes more)"),
    }
}

fn of_bytes(bytes: &[u8], printable: fn(&str) -> Cow<'_, str>) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(&printable(chunk.valid()));
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// Returns a line as Markdown that shows exactly its text, without markup, HTML or links, also in a table's cell.
pub fn markdown(text: &str) -> String {
    const MARKUP: &str = "\\`*_[]<>|&~!#$";
    let text = line(text);
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if MARKUP.contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    // Addresses become links without any markup.
    escaped.replace("://", ":\\//").replace("www.", "www\\.")
}

/// Returns a line as a spreadsheet cell that no program reads as a formula. Not for numbers: it would hide their sign.
pub fn spreadsheet(text: &str) -> String {
    let text = line(text);
    let is_formula = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if is_formula { format!("'{text}") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_one_plain_line_of_bounded_length() {
        assert_eq!(quote(b"{\"a\":1}\r"), "\"{\"a\":1}\\r\"");
        assert_eq!(quote(b"\xff\0"), "\"\\xff\\u{0}\"");
        let hidden = "a\u{202e}b\u{2028}c\u{2066}\u{200b}\u{feff}\u{e0041}\u{3164}".as_bytes();
        assert_eq!(quote(hidden), r#""a\u{202e}b\u{2028}c\u{2066}\u{200b}\u{feff}\u{e0041}\u{3164}""#);
        let letters = "Größe e\u{301} 大 שלום हिन्दी 🧵 ☂\u{fe0f}";
        assert_eq!(quote(letters.as_bytes()), format!("\"{letters}\""));
        let long = quote(&[b'x'; 1_000]);
        assert!(long.len() < 200 && long.ends_with("(and 880 bytes more)"), "{long}");
        let whole = quote(&[b'x'; QUOTE_BYTES_MAX + 1]);
        assert!(whole.ends_with("xx\""), "{whole}");
    }

    #[test]
    fn only_lines_keep_their_ends() {
        assert_eq!(line("a\nb\x1b[31m\u{9b}\t"), r"a\nb\u{1b}[31m\u{9b}\t");
        assert_eq!(lines("a\nb\x1b\n"), "a\nb\\u{1b}\n");
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({"a\u{7f}\u{202e}": "\u{1b}\u{e0041} \u{9b}\n大"});
        let text = serde_json::to_string_pretty(&value).expect("plain data");
        let printable = json(&text);
        assert!(printable.chars().all(|letter| letter == '\n' || is_printable(letter)), "{printable}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printable).expect("it is JSON"), value);
    }

    #[test]
    fn nothing_comes_of_text_in_markdown() {
        assert_eq!(markdown("<img src=x>|`*_[a](b)"), r"\<img src=x\>\|\`\*\_\[a\](b)");
        assert_eq!(markdown("https://x www.x"), r"https:\//x www\.x");
        assert_eq!(markdown("-1.50 to +2 ± 3 (95 %)"), "-1.50 to +2 ± 3 (95 %)");
    }

    #[test]
    fn no_text_is_a_formula() {
        for formula in ["=HYPERLINK(\"x\")", "+1+1", "-1", "@SUM(A1)", "＝1"] {
            assert_eq!(spreadsheet(formula), format!("'{formula}"));
        }
        assert_eq!(spreadsheet("\t=1\r"), r"\t=1\r");
        assert_eq!(spreadsheet("a=1"), "a=1");
    }
}
