//! The few colours of the program. They emphasise words and carry no meaning of their own.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};

use sandbox::text::lines;

/// The first character of an escape sequence.
const ESCAPE: char = '\u{1b}';

/// A kind of emphasis. Each colour is readable on dark and on light backgrounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Headings and leaders.
    Strong,
    /// Passed checks, and pieces that were just placed.
    Good,
    /// A warning.
    Warning,
    /// A failure.
    Bad,
}

impl Mark {
    fn style(self) -> Style {
        match self {
            Mark::Strong => Style::new().bold(),
            Mark::Good => AnsiColor::Green.on_default(),
            Mark::Warning => AnsiColor::Magenta.on_default(),
            Mark::Bad => AnsiColor::Red.on_default().bold(),
        }
    }

    /// Puts the escape sequences of this mark around a text.
    pub fn on(self, text: &str) -> String {
        let style = self.style();
        format!("{style}{text}{style:#}")
    }

    /// Marks a text, or returns it unchanged without a mark.
    pub fn on_some(mark: Option<Mark>, text: &str) -> String {
        mark.map_or_else(|| text.to_owned(), |mark| mark.on(text))
    }

    /// The same colour for cells of tables.
    pub(crate) fn color(self) -> tabled::settings::Color {
        let style = self.style();
        tabled::settings::Color::new(style.render().to_string(), style.render_reset().to_string())
    }
}

/// Makes foreign text printable like [lines], but keeps the escape sequences of marks. Foreign text can
/// change colours at most.
pub fn marked_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return lines(text);
    }
    let mut printable = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(ESCAPE) {
        printable.push_str(&lines(&rest[..place]));
        // An escape character that begins no mark is escaped. The characters after it are handled as text.
        let length = escape_len(&rest[place..]);
        match length {
            Some(length) => printable.push_str(&rest[place..place + length]),
            None => printable.push_str(&lines("\u{1b}")),
        }
        rest = &rest[place + length.unwrap_or(ESCAPE.len_utf8())..];
    }
    printable.push_str(&lines(rest));
    Cow::Owned(printable)
}

/// Returns the length in bytes of an escape sequence of a mark at the start of a text.
fn escape_len(text: &str) -> Option<usize> {
    let code = text.strip_prefix("\u{1b}[")?;
    let digits = code.find(|letter: char| !letter.is_ascii_digit())?;
    let is_known = ["0", "1", "31", "32", "35"].contains(&&code[..digits]);
    (is_known && code[digits..].starts_with('m')).then_some(2 + digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_known_and_other_escapes_are_not() {
        for mark in [Mark::Strong, Mark::Good, Mark::Warning, Mark::Bad] {
            let mut marked = mark.on("x");
            while let Some(place) = marked.find('\u{1b}') {
                let length = escape_len(&marked[place..]).expect("a known sequence");
                marked.replace_range(place..place + length, "");
            }
            assert_eq!(marked, "x");
        }
        for foreign in ["\u{1b}[8m", "\u{1b}[2J", "\u{1b}]0;x\u{7}", "\u{1b}[38;5;1m"] {
            assert_eq!(escape_len(foreign), None);
        }
    }
}
