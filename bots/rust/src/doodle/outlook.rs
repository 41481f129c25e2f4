//! What a sheet is worth with so many turns to go.
//!
//! The points that are scored right then are counted. What is still to come is the sum of what the small windows of
//! the sheet add and of what a small network makes of its [features](Seen), both [learned](Learned) from play for each
//! turn. The cards to come are left out.

use engine::bitboard::Bitboard;
use engine::cpu::with_vectors;
use engine::doodle::{Rectangle, Specials, best_rectangle};

use super::features::Seen;
use super::learned::{Learned, MATCH_TURNS, ROUND_TURNS, Stage};
use super::windows;

/// How sheets are weighed after a certain turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook<'l> {
    /// Nothing after the last turn.
    stage: Option<&'l Stage>,
    /// Whether a round is scored after the turn.
    is_scoring: bool,
    /// Turns to go after this one.
    turns_left: u8,
}

impl<'l> Outlook<'l> {
    /// The outlook after the turn with this number, 0 for the start patch.
    pub(crate) fn new(learned: &'l Learned, turn: u8) -> Outlook<'l> {
        Outlook {
            stage: learned.stages.get(usize::from(turn)),
            is_scoring: turn > 0 && turn.is_multiple_of(ROUND_TURNS),
            turns_left: MATCH_TURNS - turn,
        }
    }

    /// Turns to go after this one.
    pub(crate) fn turns_left(&self) -> u8 {
        self.turns_left
    }

    /// Whether a round is scored after the turn.
    pub(crate) fn is_scoring(&self) -> bool {
        self.is_scoring
    }

    /// Points from this turn's scoring on, less the empty cells in the end, on a sheet with these cells shaded and these
    /// special actions left.
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

/// What a sheet with these cells shaded gets in the end beside the points of earlier rounds.
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
        let outlook = Outlook::new(Learned::bundled(), MATCH_TURNS);
        assert_eq!(outlook.value(sheet, Specials::NONE), 27.0 - 46.0);
    }
}
