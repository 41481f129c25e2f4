//! Text that fits the columns of a terminal.

use std::borrow::Cow;

use console::measure_text_width;

/// The mark in place of text that was cut.
const CUT: char = '…';
/// The fewest columns for text beside a heading.
const HANGING_MIN: usize = 20;

/// Returns the columns that a text takes on a terminal. Escape sequences take none.
pub fn width(text: &str) -> usize {
    measure_text_width(text)
}

/// Breaks lines longer than `columns` at spaces. A continuation line has the same indent as the line. A word
/// that is too long for a line is broken too, if possible after a comma. A word with a slash stays whole, so
/// that paths can be copied.
pub fn wrapped(text: &str, columns: usize) -> String {
    let mut fitted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches('\n');
        if width(body) <= columns {
            fitted.push_str(line);
            continue;
        }
        let indent = &body[..body.len() - body.trim_start_matches(' ').len()];
        let mut used = 0;
        let room = columns.saturating_sub(indent.len()).max(1);
        for word in body[indent.len()..].split_inclusive(' ').flat_map(|word| parts(word, room)) {
            let letters = width(word.trim_end_matches(' '));
            match used {
                0 => fitted.push_str(indent),
                _ if used + letters > columns => {
                    fitted.truncate(fitted.trim_end_matches(' ').len());
                    fitted.push('\n');
                    fitted.push_str(indent);
                    used = 0;
                }
                _ => {}
            }
            if used == 0 {
                used = indent.len();
            }
            fitted.push_str(word);
            used += width(word);
        }
        fitted.truncate(fitted.trim_end_matches(' ').len());
        fitted.push_str(&line[body.len()..]);
    }
    fitted
}

/// Joins two texts. Continuation lines of the second text stand below its beginning.
pub fn hanging(first: &str, second: &str, columns: Option<usize>) -> String {
    let indent = width(first);
    let room = columns.map(|columns| columns.saturating_sub(indent)).filter(|&room| room >= HANGING_MIN);
    let second = room.map_or_else(|| second.to_owned(), |room| wrapped(second, room));
    format!("{first}{}", second.replace('\n', &format!("\n{:indent$}", "")))
}

/// Splits a word into parts of at most `columns` columns.
fn parts(word: &str, columns: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), word);
    while width(rest.trim_end_matches(' ')) > columns && !rest.contains('/') {
        let letters = taken(rest.chars(), columns);
        let bytes = letters.iter().map(|letter| letter.len_utf8()).sum::<usize>().max(1);
        let end = rest[..bytes].rfind(',').map_or(bytes, |comma| comma + 1);
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// Joins two texts with a space. If the line is too long for the terminal, the second text goes on a line of
/// its own, indented.
pub fn on_one_line(first: &str, second: &str, indent: usize, columns: Option<usize>) -> String {
    let line = format!("{first} {second}");
    match columns {
        Some(columns) if width(&line) > columns => {
            format!("{}\n{}{second}", first.trim_end(), " ".repeat(indent))
        }
        _ => line,
    }
}

/// Cuts the middle out of a text longer than `columns`, because names of versions differ at their ends.
pub fn shortened(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let letters = columns.saturating_sub(1);
    let end = taken(text.chars().rev(), letters / 2);
    let start = taken(text.chars(), letters - letters / 2);
    Cow::Owned(start.into_iter().chain([CUT]).chain(end.into_iter().rev()).collect())
}

/// Returns the first letters that fit.
fn taken(letters: impl Iterator<Item = char>, columns: usize) -> Vec<char> {
    let mut used = 0;
    let fits = |letter: &char| {
        used += width(letter.encode_utf8(&mut [0; 4]));
        used <= columns
    };
    letters.take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_spaces_and_keep_their_indentation() {
        assert_eq!(wrapped("one two three\nfour", 8), "one two\nthree\nfour");
        assert_eq!(wrapped("  one two three\n", 9), "  one two\n  three\n");
        assert_eq!(wrapped("a /a/long/path b", 6), "a\n/a/long/path\nb");
        assert_eq!(wrapped("one  two\n\n", 80), "one  two\n\n");
        assert_eq!(wrapped("[[1,2],[3,4]] abcdefghij", 8), "[[1,2],\n[3,4]]\nabcdefgh\nij");
    }

    #[test]
    fn names_keep_both_ends() {
        assert_eq!(shortened("greedy", 6), "greedy");
        assert_eq!(shortened("a-long-name-v10", 9), "a-lo…-v10");
        assert_eq!(shortened("漢字漢字漢字", 6), "漢…字");
    }

    #[test]
    fn continuation_lines_hang_below_the_second_text() {
        let text = "a word and a second word and more";
        assert_eq!(hanging("bot: ", text, Some(30)), "bot: a word and a second word\n     and more");
        assert_eq!(hanging("bot: ", text, None), format!("bot: {text}"));
        assert_eq!(hanging("bot: ", text, Some(10)), format!("bot: {text}")); // no room beside the name
    }
}
