//! Events of a running tournament.

use crate::standings::Tally;
use referee::record::Summary;

/// Whoever follows a tournament while it is played. A function of the tally and the number of matches is
/// one that never has enough.
pub trait Observer {
    /// A match counts: one from the journal of an earlier run, or one that has just been written to it.
    fn counted(&mut self, _summary: &Summary) {}

    /// Whether enough was played: then the running matches are dropped. Asked before the first match, and
    /// whenever some were counted. `total` is the number of matches of the whole plan, as far as it is
    /// known by then.
    fn is_enough(&mut self, tally: &Tally, total: u64) -> bool;
}

impl<F: FnMut(&Tally, u64)> Observer for F {
    fn is_enough(&mut self, tally: &Tally, total: u64) -> bool {
        self(tally, total);
        false
    }
}
