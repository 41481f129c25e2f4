//! The lines of a match file: matches, and in shards also head lines and an end line. A head line names the
//! machine that played the matches after it.

use referee::error::Error;
use tournament::journal::shard;
use tournament::journal::shard::{Shard, ShardEnd, ShardHead};

/// The line of a match in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The offset of the line, in bytes.
    pub(super) offset: u64,
    /// The line, including its newline.
    pub(super) bytes: &'a [u8],
    /// In a shard, the head line above the match, without its bots.
    pub(super) head: Option<&'a ShardHead>,
}

/// The contents of a file up to the last line read.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The shard of the file; `None` for a journal.
    pub(super) shard: Option<Shard>,
    head: Option<ShardHead>,
    /// The number of matches so far.
    pub(super) matches: u64,
    /// True if the end line was read.
    pub(super) is_whole: bool,
}

impl Contents {
    /// Reads a line, and passes it to `take` if it is a match.
    ///
    /// # Errors
    /// Fails if the line is invalid, or if `take` fails.
    pub(super) fn take(
        &mut self,
        is_shard: bool,
        plan_digest: &str,
        line: Line<'_>,
        take: impl FnOnce(Line<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let wrong =
            |error: serde_json::Error| Error::usage(format!("this is not a line of a shard: {error}"));
        if line.bytes.starts_with(shard::HEAD) {
            return self.begin(ShardHead::of_line(line.bytes).map_err(wrong)?, plan_digest);
        }
        if line.bytes.starts_with(shard::END) {
            return self.end(serde_json::from_slice(line.bytes).map_err(wrong)?);
        }
        if is_shard && self.head.is_none() {
            return Err(Error::usage("this is not a shard of a tournament"));
        }
        take(Line { head: self.head.as_ref(), ..line })?;
        self.matches += 1;
        Ok(())
    }

    /// Reads a head line, which holds for the matches after it.
    fn begin(&mut self, mut head: ShardHead, plan_digest: &str) -> Result<(), Error> {
        if head.plan_digest != plan_digest {
            return Err(Error::usage(format!("it is of another plan ({})", head.plan_digest)));
        }
        // The list of bots is dropped to save memory: there may be thousands of bots and of shards.
        head.bots.clear();
        self.shard.get_or_insert(head.which());
        self.head = Some(head);
        Ok(())
    }

    fn end(&mut self, ShardEnd { end }: ShardEnd) -> Result<(), Error> {
        if end != self.matches {
            return Err(Error::usage(format!("it is not whole: it has {} matches of {end}", self.matches)));
        }
        self.is_whole = true;
        Ok(())
    }
}
