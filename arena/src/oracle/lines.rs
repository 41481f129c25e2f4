//! Reads lines from a pipe whose writer waits for answers, or from a file with millions of lines.

use std::io::{self, BufRead, BufReader, Read};

/// The size of the buffers for input and output, in bytes.
pub(super) const BUFFER_BYTES: usize = 1 << 16;
/// The maximum length of a line, in bytes. It is sixteen times the maximum for a bot's line.
const LINE_BYTES_MAX: usize = 1 << 20;

/// The lines of an input.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
}

/// The error for a line that is too long to be read.
#[derive(Debug, thiserror::Error)]
#[error("the line is longer than {LINE_BYTES_MAX} bytes")]
pub(super) struct TooLong;

impl<R: Read> Lines<R> {
    pub(super) fn new(input: BufReader<R>) -> Lines<R> {
        Lines { input, line: Vec::new() }
    }

    /// Returns the next line without its newline, or `None` at the end. The last line may lack a newline.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<&[u8], TooLong>>> {
        self.line.clear();
        let most = LINE_BYTES_MAX as u64 + 1;
        if self.input.by_ref().take(most).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        if self.line.pop_if(|last| *last == b'\n').is_none() && self.line.len() > LINE_BYTES_MAX {
            self.input.skip_until(b'\n')?;
            return Ok(Some(Err(TooLong)));
        }
        Ok(Some(Ok(&self.line)))
    }

    /// Returns true if a whole line is buffered, so that reading it does not wait.
    pub(super) fn has_next(&self) -> bool {
        self.input.buffer().contains(&b'\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_the_last_needs_no_newline() {
        let long = [b"x".repeat(LINE_BYTES_MAX), b"y\n".to_vec()].concat();
        let fits = [b"z".repeat(LINE_BYTES_MAX), b"\n".to_vec()].concat();
        let input = [b"a\n\n".as_slice(), &long, &fits, b"b"].concat();
        let mut lines = Lines::new(BufReader::new(input.as_slice()));
        let mut lengths = Vec::new();
        while let Some(line) = lines.next().expect("memory does not break") {
            lengths.push(line.ok().map(<[u8]>::len));
        }
        assert_eq!(lengths, [Some(1), Some(0), None, Some(LINE_BYTES_MAX), Some(1)]);
    }

    #[test]
    fn half_a_line_is_no_next_line() {
        let mut lines = Lines::new(BufReader::new(b"a\nb\nc".as_slice()));
        lines.next().expect("memory does not break");
        assert!(lines.has_next());
        lines.next().expect("memory does not break");
        assert!(!lines.has_next());
    }
}
