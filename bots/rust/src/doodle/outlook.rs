//! What a sheet is worth with so many turns to go.
//!
//! For each scoring still to come every promising rectangle counts with its points times the chance
//! that it is full by then, which follows from how hard its holes are to fill. From that go the
//! empty cells that will be left at the end, and holes that hardly any patch fits.

use std::sync::LazyLock;

use engine::bitboard::Bitboard;
use engine::doodle::{ROUNDS, Specials};

use super::holes::Holes;
use super::targets::{ALL_TARGETS, STEPS, Sums, Target};
use super::weights;

/// Turns of a round, and of the match.
pub(crate) const ROUND_TURNS: u8 = 6;
pub(crate) const MATCH_TURNS: u8 = 18;
/// Length of the tables by difficulty; all beyond is as hopeless as the last entry.
const TABLE: usize = 1024;
/// Rectangles looked at in one turn.
const TARGETS: usize = 60;
/// By how much one move can make a rectangle easier: what is further off is not looked at.
const MOVE_CELLS: f32 = 4.0;
/// The same for a scoring right after the move, where only a full rectangle counts.
const LAST_MOVE_CELLS: f32 = 10.0;
/// Scorings side by side, one more than there are, to fill a vector register.
const LANES: usize = ROUNDS + 1;

/// What depends on the number of turns played alone, by difficulty in steps.
#[derive(Debug)]
struct Scale {
    /// For each scoring the chance that a rectangle is full by then; 0 for those that are over.
    chances: Vec<[f32; LANES]>,
    /// The sum of these chances for what one move may make easier.
    hope: Vec<f32>,
    /// Cells expected to be empty at the end, by difficulty of the whole sheet.
    leftover: Vec<f32>,
    /// What each special action is worth if kept.
    worth: [f32; 4],
}

/// The scales after so many turns.
static SCALES: LazyLock<Vec<Scale>> = LazyLock::new(|| (0..=MATCH_TURNS).map(Scale::new).collect());

impl Scale {
    fn new(played: u8) -> Scale {
        let turns_left = MATCH_TURNS - played;
        let waits: [Option<u8>; LANES] = std::array::from_fn(|round| {
            let scored_after = (round as u8 + 1) * ROUND_TURNS;
            scored_after.checked_sub(played).filter(|_| round < ROUNDS)
        });
        let chances = |cells: f32| waits.map(|wait| wait.map_or(0.0, |turns| chance(cells, turns)));
        let hope = |cells: f32| -> f32 {
            let eased = |turns: u8| match turns {
                0 => f32::from(u8::from(cells <= LAST_MOVE_CELLS)),
                _ => chance((cells - MOVE_CELLS).max(0.0), turns),
            };
            waits.into_iter().flatten().map(eased).sum()
        };
        // An action kept loses its worth towards the end, slowly at first.
        let turns = f32::from(turns_left);
        let kept = turns / (turns + weights::WORTH_HALVED);
        Scale {
            chances: by_difficulty(chances),
            hope: by_difficulty(hope),
            leftover: by_difficulty(|cells| leftover(cells, turns_left)),
            worth: weights::WORTH.map(|worth| worth * kept),
        }
    }
}

/// Everything about a turn that does not depend on the drawing, computed once.
#[derive(Debug)]
pub(crate) struct Outlook {
    scale: &'static Scale,
    /// Turns to go after this one.
    turns_left: u8,
    /// The rectangles looked at, by points.
    targets: Vec<Target>,
}

impl Outlook {
    /// The outlook after the turn with this number, 0 for the start patch, which is played on a sheet
    /// with these cells shaded.
    pub(crate) fn new(turn: u8, shaded: Bitboard) -> Outlook {
        let mut outlook = Outlook { scale: &SCALES[0], turns_left: 0, targets: Vec::with_capacity(TARGETS) };
        outlook.look_from(turn, shaded);
        outlook
    }

    /// Becomes [`new`](Self::new) in the same memory.
    pub(crate) fn look_from(&mut self, turn: u8, shaded: Bitboard) {
        self.turns_left = MATCH_TURNS - turn;
        self.scale = &SCALES[usize::from(turn)];
        promising(self.scale, shaded, &mut self.targets);
    }

    /// Turns to go after this one.
    pub(crate) fn turns_left(&self) -> u8 {
        self.turns_left
    }

    /// The rectangles looked at.
    pub(crate) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// What these special actions are worth if kept.
    pub(crate) fn worth(&self, specials: Specials) -> f32 {
        specials.iter().map(|special| self.scale.worth[special as usize]).sum()
    }

    /// What the sheet is worth without its special actions and without the cards to come.
    pub(crate) fn value(&self, shaded: Bitboard) -> f32 {
        let holes = Holes::new(shaded);
        self.round_points(&Sums::new(&holes)) - self.holes_cost(&holes)
    }

    /// Points expected in the scorings to come.
    ///
    /// From the smallest rectangles up: each either gets full, or those below it still count, though
    /// less, because turns went into this one. Of rectangles that score the same the easiest counts.
    fn round_points(&self, sums: &Sums) -> f32 {
        let mut expected = [0.0f32; LANES];
        let mut targets = self.targets.iter().peekable();
        while let Some(target) = targets.next() {
            let mut easiest = sums.difficulty(target);
            while let Some(same) = targets.next_if(|next| next.points == target.points) {
                easiest = easiest.min(sums.difficulty(same));
            }
            let points = f32::from(target.points);
            let chances = &self.scale.chances[easiest.min(TABLE - 1)];
            for (&chance, expected) in chances.iter().zip(&mut expected) {
                let tried = chance * points + (1.0 - chance) * *expected * weights::FALL_BACK;
                *expected = expected.max(tried);
            }
        }
        expected.iter().sum()
    }

    /// What the holes will cost: one point each in the end, and trouble until then.
    fn holes_cost(&self, holes: &Holes) -> f32 {
        let count = |cells: u128| cells.count_ones() as f32;
        let (empty, lone) = (count(holes.empty), count(holes.lone));
        if self.turns_left == 0 {
            return empty;
        }
        let (ends, narrow) = (count(holes.ends), count(holes.narrow));
        let difficulty =
            empty + weights::LEFT_LONE * lone + weights::LEFT_END * ends + weights::LEFT_NARROW * narrow;
        let trouble =
            weights::TROUBLE_LONE * lone + weights::TROUBLE_END * ends + weights::TROUBLE_NARROW * narrow;
        self.scale.leftover[((difficulty * STEPS) as usize).min(TABLE - 1)] + trouble
    }
}

/// The rectangles that can matter after one move on this sheet, by points.
fn promising(scale: &Scale, shaded: Bitboard, kept: &mut Vec<Target>) {
    let sums = Sums::new(&Holes::new(shaded));
    let hope =
        |target: &Target| f32::from(target.points) * scale.hope[sums.difficulty(target).min(TABLE - 1)];
    let mut ranked: Vec<(f32, u16)> =
        (0..).zip(ALL_TARGETS.iter()).map(|(number, it)| (hope(it), number)).collect();
    ranked.select_nth_unstable_by(TARGETS, |one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    ranked.truncate(TARGETS);
    // The list of all is by points.
    ranked.sort_unstable_by_key(|&(_, number)| number);
    kept.clear();
    kept.extend(ranked.into_iter().map(|(_, number)| ALL_TARGETS[usize::from(number)]));
}

/// A function of the difficulty in cells, as a table.
fn by_difficulty<T>(value: impl Fn(f32) -> T) -> Vec<T> {
    (0..TABLE).map(|place| value(place as f32 / STEPS)).collect()
}

/// The chance that a rectangle of this difficulty is full after so many turns: even where the
/// expected work of those turns equals it, and the vaguer the more turns there are.
fn chance(cells: f32, turns: u8) -> f32 {
    match (cells == 0.0, turns) {
        (true, _) => 1.0,
        (false, 0) => 0.0,
        _ => {
            let turns = f32::from(turns);
            let missing = cells - weights::PACE * turns - weights::RESERVE;
            let spread = weights::SPREAD + weights::SPREAD_TURN * turns.sqrt();
            1.0 / (1.0 + (missing / spread).exp())
        }
    }
}

/// The cells expected to be empty at the end: what the turns to go cannot fill, rounded off where
/// both are near.
fn leftover(cells: f32, turns: u8) -> f32 {
    let missing = cells - weights::LEFT_PACE * f32::from(turns);
    match turns {
        0 => cells,
        _ => weights::LEFT_SPREAD * (missing / weights::LEFT_SPREAD).min(40.0).exp().ln_1p(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_fall_with_holes_and_rise_with_turns() {
        for turns in 1..MATCH_TURNS {
            assert_eq!(chance(0.0, turns), 1.0);
            assert!((1..60).all(|cells| chance(cells as f32, turns) > chance(cells as f32 + 1.0, turns)));
            assert!((10..60).all(|cells| chance(cells as f32, turns) < chance(cells as f32, turns + 1)));
        }
        assert_eq!((chance(0.0, 0), chance(1.0, 0)), (1.0, 0.0));
    }

    #[test]
    fn leftovers_fall_with_turns_and_are_all_there_is_without_any() {
        assert_eq!(leftover(7.0, 0), 7.0);
        for cells in [5.0, 20.0, 60.0] {
            assert!((1..MATCH_TURNS).all(|turns| leftover(cells, turns) >= leftover(cells, turns + 1)));
        }
    }
}
