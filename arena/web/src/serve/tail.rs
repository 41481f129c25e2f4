//! Reader for a growing file of lines. Each read continues at the end of the last one.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use tournament::journal::results::{self, LINE_BYTES_MAX};

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// No new lines.
    Same,
    /// New complete lines.
    Lines,
    /// The path names another file now, or the file is shorter than the part already read.
    Another,
    /// The file existed earlier and has been removed.
    Gone,
}

/// A reader at the end of a growing file. A line without its newline waits until the newline arrives.
#[derive(Debug)]
pub(super) struct Tail {
    /// The current path, which may change.
    pub(super) path: PathBuf,
    /// Device and inode of the file; `None` until the file exists.
    inode: Option<(u64, u64)>,
    /// The offset after the last complete line, where the next read begins.
    pub(super) offset: u64,
    /// The length of the file at the last read.
    pub(super) length: u64,
    /// The number of bytes read, including an incomplete line.
    pub(super) seen_bytes: u64,
    /// True if the file stays open between reads, so that lines written before its removal can be read.
    holds: bool,
    held: Option<File>,
}

impl Tail {
    /// Creates a reader at the beginning of the file.
    pub(super) fn new(path: PathBuf) -> Tail {
        Tail { path, inode: None, offset: 0, length: 0, seen_bytes: 0, holds: false, held: None }
    }

    /// Creates a reader for a file that may be removed right after its last line.
    pub(super) fn holding(path: PathBuf) -> Tail {
        Tail { holds: true, ..Tail::new(path) }
    }

    /// Returns true if these metadata belong to the file of this reader. The name does not matter.
    pub(super) fn is_of(&self, facts: &Metadata) -> bool {
        self.inode == Some(inode(facts))
    }

    /// Moves back to this offset, the beginning of a line, to read from there again.
    pub(super) fn back_to(&mut self, offset: u64) {
        (self.offset, self.seen_bytes) = (offset, 0);
    }

    /// Passes the next complete lines to `take`, each with the offset of its beginning. Reads as many lines
    /// as fit into the buffer, which grows for a longer line.
    ///
    /// # Errors
    /// Fails if the file cannot be read. A missing file is no error.
    pub(super) fn read(&mut self, buffer: &mut Vec<u8>, take: impl FnMut(u64, &[u8])) -> io::Result<Seen> {
        // Opening the file each time reveals a replacement, and makes writes of other machines visible.
        let found = match results::open(&self.path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let is_there = found.is_some();
        let Some(mut file) = found.or_else(|| self.held.take()) else {
            return Ok(if self.inode.is_some() { Seen::Gone } else { Seen::Same });
        };
        let seen = self.read_from(&mut file, buffer, take)?;
        if seen == Seen::Same && !is_there {
            return Ok(Seen::Gone);
        }
        self.held = self.holds.then_some(file);
        Ok(seen)
    }

    fn read_from(
        &mut self,
        file: &mut File,
        buffer: &mut Vec<u8>,
        mut take: impl FnMut(u64, &[u8]),
    ) -> io::Result<Seen> {
        let facts = file.metadata()?;
        let inode = inode(&facts);
        if facts.len() < self.offset || *self.inode.get_or_insert(inode) != inode {
            return Ok(Seen::Another);
        }
        self.length = facts.len();
        if self.seen_bytes == self.length {
            return Ok(Seen::Same);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let read = fill(file, buffer)?;
        let whole = buffer[..read].iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        if whole == 0 && read as u64 >= LINE_BYTES_MAX {
            return Err(results::line_too_long());
        }
        if whole == 0 && read == buffer.len() {
            buffer.resize(2 * buffer.len(), 0);
            return self.read_from(file, buffer, take);
        }
        self.seen_bytes = self.offset + read as u64;
        for line in buffer[..whole].split_inclusive(|&byte| byte == b'\n') {
            take(self.offset, line);
            self.offset += line.len() as u64;
        }
        Ok(if whole > 0 { Seen::Lines } else { Seen::Same })
    }
}

fn inode(facts: &Metadata) -> (u64, u64) {
    (facts.dev(), facts.ino())
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;
    use std::path::Path;

    use super::*;

    const READ_BYTES: usize = 1 << 10;

    fn read(tail: &mut Tail) -> (Seen, Vec<(u64, String)>) {
        let mut lines = Vec::new();
        let mut take = |offset, line: &[u8]| lines.push((offset, String::from_utf8(line.to_vec()).unwrap()));
        let seen = tail.read(&mut vec![0; READ_BYTES], &mut take).expect("it can be read");
        (seen, lines)
    }

    fn append(path: &Path, text: &str) {
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn lines_come_once_and_whole_and_a_torn_one_waits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let mut tail = Tail::new(path.clone());
        assert_eq!(read(&mut tail), (Seen::Same, vec![]), "it need not be there yet");
        append(&path, "one\ntwo\nth");
        assert_eq!(read(&mut tail), (Seen::Lines, vec![(0, "one\n".into()), (4, "two\n".into())]));
        assert_eq!(read(&mut tail), (Seen::Same, vec![]));
        append(&path, "ree\n");
        assert_eq!(read(&mut tail), (Seen::Lines, vec![(8, "three\n".into())]));
        assert_eq!(read(&mut tail), (Seen::Same, vec![]));
    }

    #[test]
    fn a_line_may_be_longer_than_what_is_read_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let long = "x".repeat(3 * READ_BYTES) + "\n";
        append(&path, &format!("one\n{long}"));
        let mut tail = Tail::new(path);
        assert_eq!(read(&mut tail).1, [(0, "one\n".to_owned())]);
        assert_eq!(read(&mut tail).1, [(4, long)]);
        assert_eq!(read(&mut tail).0, Seen::Same);
    }

    #[test]
    fn what_was_written_before_a_file_was_removed_is_read_where_it_is_held() {
        let folder = tempfile::tempdir().unwrap();
        for (holds, left) in [(true, vec![(4, "two\n".to_owned())]), (false, vec![])] {
            let path = folder.path().join("lines");
            append(&path, "one\n");
            let mut tail = if holds { Tail::holding(path.clone()) } else { Tail::new(path.clone()) };
            assert_eq!(read(&mut tail).0, Seen::Lines);
            append(&path, "two\nthr");
            fs::remove_file(&path).unwrap();
            assert_eq!(read(&mut tail).1, left);
            assert_eq!(read(&mut tail), (Seen::Gone, vec![]));
            assert_eq!(read(&mut tail), (Seen::Gone, vec![]));
        }
    }

    #[test]
    fn a_file_in_its_place_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        append(&path, "one\ntwo\n");
        let mut tail = Tail::new(path.clone());
        read(&mut tail);
        fs::write(&path, "one\n").unwrap();
        assert_eq!(read(&mut tail).0, Seen::Another, "shorter");
        fs::write(folder.path().join("new"), "one\ntwo\nthree\n").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        assert_eq!(read(&mut tail).0, Seen::Another, "another one");
        fs::remove_file(&path).unwrap();
        assert_eq!(read(&mut tail).0, Seen::Gone);
    }
}
