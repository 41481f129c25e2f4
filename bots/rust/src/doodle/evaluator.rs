//! The value function of a sheet after a given turn.
//!
//! Points scored right after the turn are exact. Future points are the sum of the window weights and the
//! output of a small network over [features](Seen), both [learned](Learned) for each turn. The coming cards
//! are not an input.

use engine::bitboard::Bitboard;
use engine::cpu::with_vectors;
use engine::doodle::{Rectangle, Specials, best_rectangle};

use super::features::Seen;
use super::learned::{Learned, MATCH_TURNS, ROUND_TURNS, Stage};
use crate::windows;

/// What `planner` scores on average beyond the values of a turn, while it is not known which cards come: at the start patch,
/// and less in each turn, in points. The values were learned from the play of `greedy`, and the turns after the known ones are
/// played by a fast policy. `cargo lab --release --example values` fits these numbers.
const BEYOND: [f64; 2] = [12.6, 0.6];
/// The last turn with unknown cards to come.
pub(super) const LAST_UNKNOWN: u8 = MATCH_TURNS - ROUND_TURNS;

/// The value function after a given turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluator<'l> {
    /// The learned parameters; `None` after the last turn.
    stage: Option<&'l Stage>,
    /// True if a scoring follows the turn.
    is_scoring: bool,
    /// The number of turns left after this one.
    turns_left: u8,
}

impl<'l> Evaluator<'l> {
    /// Returns the value function after the turn with this number; 0 is the start patch.
    pub(crate) fn new(learned: &'l Learned, turn: u8) -> Evaluator<'l> {
        Evaluator {
            stage: learned.stages.get(usize::from(turn)),
            is_scoring: turn > 0 && turn.is_multiple_of(ROUND_TURNS),
            turns_left: MATCH_TURNS - turn,
        }
    }

    /// Returns the number of turns left after this one.
    pub(crate) fn turns_left(&self) -> u8 {
        self.turns_left
    }

    /// Returns true if a scoring follows the turn.
    pub(crate) fn is_scoring(&self) -> bool {
        self.is_scoring
    }

    /// Returns the expected points from this turn's scoring on, minus the empty cells at the end. The sheet
    /// has these cells shaded and these special actions left.
    pub(crate) fn value(&self, shaded: Bitboard, specials: Specials) -> f32 {
        with_vectors(
            #[inline(always)]
            || self.value_here(shaded, specials),
        )
    }

    #[inline(always)]
    fn value_here(&self, shaded: Bitboard, specials: Specials) -> f32 {
        let Some(stage) = self.stage else { return counted(shaded) };
        let seen = Seen::new(shaded, specials);
        let scored = if self.is_scoring { seen.full } else { 0.0 };
        scored + stage.net.points(&seen.features) + windows::sum(&stage.windows, shaded)
    }
}

/// Returns what the values of a turn lack on average.
pub(super) fn beyond(turn: u8) -> f64 {
    if turn <= LAST_UNKNOWN { BEYOND[0] - BEYOND[1] * f64::from(turn) } else { 0.0 }
}

/// Returns the exact points of a final sheet, without the points of earlier rounds.
fn counted(shaded: Bitboard) -> f32 {
    let scored = best_rectangle(shaded).map_or(0, Rectangle::points);
    f32::from(scored) - (!shaded).len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_last_turn_a_sheet_is_worth_what_it_counts() {
        let sheet = Bitboard::rectangle(5, 7);
        let evaluator = Evaluator::new(Learned::bundled(), MATCH_TURNS);
        assert_eq!(evaluator.value(sheet, Specials::NONE), 27.0 - 46.0);
    }
}
