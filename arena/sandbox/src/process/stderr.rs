//! The beginning and the end of a bot's stderr, within a bound.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::command::Command;
use crate::process::crash::crash;

/// The most labels of one log. Later text has the last of them.
const LABELS_MAX: usize = 10_000;

/// The kept part of a process's stderr.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StderrLog {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes that are not in `head`.
    pub tail: Vec<u8>,
    /// The number of bytes written in all. Larger than `head` and `tail` together if the middle was dropped.
    pub bytes_total: u64,
    /// The labels of the text, each with the number of bytes before it, in ascending order. Text before the first has
    /// no label.
    pub labels: Vec<(u64, u32)>,
}

impl StderrLog {
    /// The number of bytes dropped between `head` and `tail`.
    pub fn bytes_dropped(&self) -> u64 {
        self.bytes_total - (self.head.len() + self.tail.len()) as u64
    }

    /// Returns the kept lines, without their newlines, each with the label of its first byte. A line in the place of the
    /// dropped middle says how many bytes were left out.
    pub fn lines(&self) -> Vec<(Option<u32>, Cow<'_, [u8]>)> {
        let tail_begins = self.bytes_total - self.tail.len() as u64;
        let label_at = |place: u64| {
            let after = self.labels.partition_point(|(from, _)| *from <= place);
            after.checked_sub(1).map(|last| self.labels[last].1)
        };
        let mut lines = Vec::new();
        for (mut place, part) in [(0, &self.head), (tail_begins, &self.tail)] {
            if place > 0 && self.bytes_dropped() > 0 {
                let note = format!("[{} bytes left out]", self.bytes_dropped()).into_bytes();
                lines.push((label_at(self.head.len() as u64), Cow::Owned(note)));
            }
            for line in part.split_inclusive(|&byte| byte == b'\n') {
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                lines.push((label_at(place), Cow::Borrowed(text)));
                place += line.len() as u64;
            }
        }
        lines
    }

    /// Quotes what a crashed program says of its crash, with the place in its own files: `"KeyError: 'P07'" at bot.py:3`.
    /// Quotes the last lines if no line looks like that. Returns `None` if the program wrote nothing.
    pub fn crash(&self, command: &Command) -> Option<String> {
        let end = if self.tail.is_empty() { &self.head } else { &self.tail };
        crash(end, command.start_folder().as_deref())
    }
}

/// The growing log: a head that fills once, then a ring for the tail.
#[derive(Debug)]
pub(crate) struct StderrKeep {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half_bytes_max: usize,
    bytes_total: u64,
    labels: Vec<(u64, u32)>,
}

impl StderrKeep {
    /// Keeps at most `bytes_max` bytes, half of them from the beginning.
    pub(crate) fn new(bytes_max: usize) -> Self {
        let half_bytes_max = bytes_max / 2;
        StderrKeep {
            head: Vec::new(),
            tail: VecDeque::new(),
            half_bytes_max,
            bytes_total: 0,
            labels: Vec::new(),
        }
    }

    /// Labels all later text.
    pub(crate) fn label(&mut self, label: u32) {
        self.labels.pop_if(|(from, _)| *from == self.bytes_total);
        if self.labels.len() < LABELS_MAX {
            self.labels.push((self.bytes_total, label));
        }
    }

    /// Takes what was just read.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes_total += bytes.len() as u64;
        let room = self.half_bytes_max - self.head.len();
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.half_bytes_max)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.half_bytes_max);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    /// The kept part so far.
    pub(crate) fn to_log(&self) -> StderrLog {
        StderrLog {
            head: self.head.clone(),
            tail: self.tail.iter().copied().collect(),
            bytes_total: self.bytes_total,
            labels: self.labels.clone(),
        }
    }

    /// Moves the kept part out.
    pub(crate) fn take(&mut self) -> StderrLog {
        StderrLog {
            head: std::mem::take(&mut self.head),
            tail: std::mem::take(&mut self.tail).into(),
            bytes_total: std::mem::take(&mut self.bytes_total),
            labels: std::mem::take(&mut self.labels),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_are_kept_within_the_bound() {
        let mut handle = StderrKeep::new(8);
        for chunk in ["ab", "cdef", "ghijkl", "m"] {
            handle.push(chunk.as_bytes());
        }
        let log = handle.to_log();
        assert_eq!((log.head.as_slice(), log.tail.as_slice()), (&b"abcd"[..], &b"jklm"[..]));
        assert_eq!((log.bytes_total, log.bytes_dropped()), (13, 5));
        assert_eq!(handle.take(), log);
    }

    #[test]
    fn lines_have_the_label_of_their_first_byte() {
        let mut handle = StderrKeep::new(16);
        handle.push(b"hi\n");
        for (label, text) in [(0, ""), (1, "one\ntw"), (2, "o\n"), (3, "three\nfour\n")] {
            handle.label(label);
            handle.push(text.as_bytes());
        }
        let log = handle.to_log();
        let text = |(label, line): (Option<u32>, Cow<'_, [u8]>)| {
            (label, String::from_utf8_lossy(&line).into_owned())
        };
        let expected = [
            (None, "hi"),
            (Some(1), "one"),
            (Some(1), "t"),
            (Some(1), "[6 bytes left out]"),
            (Some(3), "ee"),
            (Some(3), "four"),
        ];
        let lines: Vec<_> = log.lines().into_iter().map(text).collect();
        assert_eq!(lines, expected.map(|(label, text)| (label, text.to_owned())));
    }

    #[test]
    fn nothing_is_kept_under_a_bound_of_nothing() {
        let mut handle = StderrKeep::new(0);
        handle.push(b"abc");
        assert_eq!(handle.to_log().bytes_dropped(), 3);
    }
}
