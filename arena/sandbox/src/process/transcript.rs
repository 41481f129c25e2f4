//! The last lines both ways, for the bundle that explains a failure. A ring of reused buffers: once
//! they have grown, keeping a line costs a copy and no allocation.

/// The number of lines kept, both directions together.
pub const TRANSCRIPT_LINES_MAX: usize = 8;
/// The number of bytes kept of each line.
pub const TRANSCRIPT_LINE_BYTES_MAX: usize = 1_024;

/// One line that was written or read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// True if the bot wrote it, false if the arena did.
    pub by_bot: bool,
    /// The beginning of the line without its newline, at most [`TRANSCRIPT_LINE_BYTES_MAX`].
    pub text: Vec<u8>,
    /// The length of the whole line without its newline, in bytes.
    pub bytes_total: usize,
}

/// The ring.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    slots: Vec<Said>,
    next: usize,
}

impl Transcript {
    /// Keeps a line and forgets the oldest.
    pub(crate) fn push(&mut self, by_bot: bool, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if self.slots.len() < TRANSCRIPT_LINES_MAX {
            self.slots.push(Said::default());
        }
        let slot = &mut self.slots[self.next];
        slot.by_bot = by_bot;
        slot.bytes_total = line.len();
        slot.text.clear();
        slot.text.extend_from_slice(&line[..line.len().min(TRANSCRIPT_LINE_BYTES_MAX)]);
        self.next = (self.next + 1) % TRANSCRIPT_LINES_MAX;
    }

    /// The kept lines, oldest first.
    pub(crate) fn into_lines(mut self) -> Vec<Said> {
        if self.slots.len() == TRANSCRIPT_LINES_MAX {
            self.slots.rotate_left(self.next);
        }
        self.slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_stay_in_order_and_are_cut() {
        let mut transcript = Transcript::default();
        for count in 0..11 {
            transcript.push(count % 2 == 1, format!("line {count}\n").as_bytes());
        }
        transcript.push(true, &[b'x'; 5_000]);
        let lines = transcript.into_lines();
        assert_eq!(lines.len(), TRANSCRIPT_LINES_MAX);
        assert_eq!(lines[0].text, b"line 4");
        assert!(lines[1].by_bot);
        assert_eq!(lines[7].text.len(), TRANSCRIPT_LINE_BYTES_MAX);
        assert_eq!(lines[7].bytes_total, 5_000);
    }

    #[test]
    fn few_lines_stay_few() {
        let mut transcript = Transcript::default();
        transcript.push(false, b"a\n");
        assert_eq!(transcript.into_lines().len(), 1);
    }
}
