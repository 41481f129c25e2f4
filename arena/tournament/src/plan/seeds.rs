//! The seeds of matches, and the positions in which they start.

use serde_json::Value;

use referee::play::position::digest_of;
use referee::play::seeds::{deal_seed, position_seed};
use sandbox::SandboxLevel;

/// The seeds and the positions of the matches of a tournament, by round.
#[derive(Clone, Debug)]
pub struct MatchSeeds {
    seed: u64,
    /// The digests of the positions.
    positions: Vec<String>,
}

impl MatchSeeds {
    pub(super) fn new(seed: u64, positions: &[Value]) -> MatchSeeds {
        MatchSeeds { seed, positions: positions.iter().map(digest_of).collect() }
    }

    /// Returns the seed of the matches of a round.
    pub fn seed(&self, round: u64) -> u64 {
        match self.digest(round) {
            None => deal_seed(self.seed, round),
            Some(position) => position_seed(self.seed, position, round),
        }
    }

    /// Returns the place of the position of a round among those of the tournament, if it has some.
    pub fn place(&self, round: u64) -> Option<usize> {
        round.checked_rem(self.positions.len() as u64).map(|place| place as usize)
    }

    /// Returns the digest of the position of a round.
    pub fn digest(&self, round: u64) -> Option<&str> {
        self.place(round).map(|place| self.positions[place].as_str())
    }
}

/// Returns true if each match gets its own deal: a stranger's bot could profit from meeting a deal again. `meets_again` is
/// true if a bot sits at several tables of a round, and turns that are simultaneous have something hidden.
pub fn gives_own_deals(level: SandboxLevel, is_simultaneous: bool, meets_again: bool) -> bool {
    level.is_strict() && is_simultaneous && meets_again
}
