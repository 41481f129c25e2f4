//! Cuts the bytes of a bot's stdout into lines, within a bound. Pure bookkeeping on one reused
//! buffer: it reads nothing itself and knows no time.

use std::ops::Range;

/// The longest line that a program may send, in bytes, without its newline.
pub const LINE_BYTES_MAX: usize = 65_536;
/// The buffer's first size, in bytes: room for any ordinary answer.
const BUFFER_BYTES_MIN: usize = 1_024;
/// The longest line with its carriage return and newline, in bytes; the buffer's last size.
const BUFFER_BYTES_MAX: usize = LINE_BYTES_MAX + 2;

/// Received bytes that are not answers yet.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// Initialised all over; only `start..end` holds received bytes.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Up to here there is no newline.
    searched: usize,
}

impl Inbox {
    /// An empty inbox.
    pub(crate) fn new() -> Self {
        Inbox { bytes: vec![0; BUFFER_BYTES_MIN], start: 0, end: 0, searched: 0 }
    }

    /// The number of bytes that wait here.
    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// The bytes that wait here.
    pub(crate) fn waiting(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Throws everything away.
    pub(crate) fn clear(&mut self) {
        (self.start, self.end, self.searched) = (0, 0, 0);
    }

    /// Where to read the next bytes to. Never empty unless the line is too long already.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            self.clear();
        }
        if self.end == self.bytes.len() {
            self.make_room();
        }
        &mut self.bytes[self.end..]
    }

    fn make_room(&mut self) {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
        } else {
            let larger = (self.bytes.len() * 2).min(BUFFER_BYTES_MAX);
            self.bytes.resize(larger, 0);
        }
    }

    /// Counts `count` bytes that were read into [`Inbox::space`].
    pub(crate) fn filled(&mut self, count: usize) {
        self.end += count;
    }

    /// Takes the first complete line, unless it is too long: its place in [`Inbox::line`], without
    /// newline and without a carriage return before it. The place is good until the next call of [`Inbox::space`].
    pub(crate) fn take_line(&mut self) -> Option<Range<usize>> {
        let fresh = &self.bytes[self.searched..self.end];
        let Some(offset) = memchr::memchr(b'\n', fresh) else {
            self.searched = self.end;
            return None;
        };
        let newline = self.searched + offset;
        let mut line = self.start..newline;
        line.end -= usize::from(self.bytes[line.clone()].ends_with(b"\r"));
        if line.len() > LINE_BYTES_MAX {
            return None; // left where it is, to be found oversize
        }
        self.start = newline + 1;
        self.searched = self.start;
        Some(line)
    }

    /// The bytes at a place that [`Inbox::take_line`] gave.
    pub(crate) fn line(&self, place: Range<usize>) -> &[u8] {
        &self.bytes[place]
    }

    /// Returns true if the unfinished line is already too long. Call it after [`Inbox::take_line`] found nothing.
    pub(crate) fn is_oversize(&self) -> bool {
        let waiting = self.waiting();
        let content = waiting.len() - usize::from(waiting.ends_with(b"\r"));
        content > LINE_BYTES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(inbox: &mut Inbox, mut bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        while !bytes.is_empty() {
            let space = inbox.space();
            let count = space.len().min(bytes.len());
            if count == 0 {
                break;
            }
            space[..count].copy_from_slice(&bytes[..count]);
            inbox.filled(count);
            bytes = &bytes[count..];
            while let Some(place) = inbox.take_line() {
                lines.push(inbox.line(place).to_vec());
            }
        }
        lines
    }

    #[test]
    fn lines_are_cut_wherever_the_reads_fall() {
        let text = b"one\ntwo\r\n\nthree\r\r\nrest";
        let expected: [&[u8]; 4] = [b"one", b"two", b"", b"three\r"];
        for size in 1..text.len() {
            let mut inbox = Inbox::new();
            let lines: Vec<_> = text.chunks(size).flat_map(|part| feed(&mut inbox, part)).collect();
            assert_eq!(lines, expected, "reads of {size} bytes");
            assert_eq!(inbox.waiting(), b"rest");
        }
    }

    #[test]
    fn the_longest_line_fits_and_one_byte_more_does_not() {
        for ending in [&b"\n"[..], b"\r\n"] {
            let mut inbox = Inbox::new();
            let mut text = vec![b'x'; LINE_BYTES_MAX];
            text.extend_from_slice(ending);
            let lines = feed(&mut inbox, &text);
            assert_eq!(lines[0].len(), LINE_BYTES_MAX);
            assert!(!inbox.is_oversize());
        }
        let mut inbox = Inbox::new();
        feed(&mut inbox, &vec![b'x'; LINE_BYTES_MAX]);
        assert!(!inbox.is_oversize());
        feed(&mut inbox, b"x");
        assert!(inbox.is_oversize());
        let mut inbox = Inbox::new();
        let lines = feed(&mut inbox, &[&[b'x'; LINE_BYTES_MAX + 1][..], b"\n"].concat());
        assert!(lines.is_empty() && inbox.is_oversize());
    }

    #[test]
    fn the_buffer_never_outgrows_its_bound() {
        let mut inbox = Inbox::new();
        feed(&mut inbox, &vec![b'x'; 10 * LINE_BYTES_MAX]);
        assert_eq!(inbox.len(), BUFFER_BYTES_MAX);
        assert!(inbox.is_oversize());
    }
}
