//! Events of a running tournament.

use crate::standings::Tally;
use referee::record::Summary;

/// Receives the events of a running tournament and decides when to stop it. Closures `FnMut(&Tally, u64)`
/// implement it and never stop early.
pub trait Observer {
    /// Called for each counted match: from the journal of an earlier run, or just written to the journal.
    fn counted(&mut self, _summary: &Summary) {}

    /// Returns true if enough was played; the running matches are then dropped. Called before the first match
    /// and after each batch of counted matches. `total` is the number of matches of the whole plan, as far as
    /// known.
    fn is_enough(&mut self, tally: &Tally, total: u64) -> bool;
}

impl<F: FnMut(&Tally, u64)> Observer for F {
    fn is_enough(&mut self, tally: &Tally, total: u64) -> bool {
        self(tally, total);
        false
    }
}
