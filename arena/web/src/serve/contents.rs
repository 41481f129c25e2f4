//! What stands in a file of matches: lines that say where the matches behind them were played, matches, and the line
//! that ends it. A journal has matches alone.

use referee::error::Error;
use tournament::journal::shard;
use tournament::journal::shard::{Shard, ShardEnd, ShardHead};

/// A match as it stands in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Where it begins, in bytes.
    pub(super) offset: u64,
    /// The line, newline included.
    pub(super) bytes: &'a [u8],
    /// Of a part: where the match was played. Without its bots.
    pub(super) head: Option<&'a ShardHead>,
}

/// What was read of a file.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Which part it is of.
    pub(super) shard: Option<Shard>,
    head: Option<ShardHead>,
    /// The matches so far.
    pub(super) matches: u64,
    /// Whether its last line was read.
    pub(super) is_whole: bool,
}

impl Contents {
    /// Takes a line, and hands it to `take` if it is a match.
    ///
    /// # Errors
    /// What cannot stand there, and what `take` refuses.
    pub(super) fn take(
        &mut self,
        is_part: bool,
        plan_digest: &str,
        line: Line<'_>,
        take: impl FnOnce(Line<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let wrong = |error: serde_json::Error| Error::usage(format!("this is not a line of a part: {error}"));
        if line.bytes.starts_with(shard::HEAD) {
            return self.begin(ShardHead::of_line(line.bytes).map_err(wrong)?, plan_digest);
        }
        if line.bytes.starts_with(shard::END) {
            return self.end(serde_json::from_slice(line.bytes).map_err(wrong)?);
        }
        if is_part && self.head.is_none() {
            return Err(Error::usage("this is not a part of a tournament"));
        }
        take(Line { head: self.head.as_ref(), ..line })?;
        self.matches += 1;
        Ok(())
    }

    /// The matches from here on were played there.
    fn begin(&mut self, mut head: ShardHead, plan_digest: &str) -> Result<(), Error> {
        if head.plan_digest != plan_digest {
            return Err(Error::usage(format!("it is of another plan ({})", head.plan_digest)));
        }
        // There may be thousands of bots and of parts.
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
