//! What a sheet is worth with so many turns to go.
//!
//! For each scoring still to come every promising rectangle counts with its points times the chance
//! that it is full by then, which follows from how hard its holes are to fill. From that go the
//! empty cells that will be left at the end, and holes that hardly any patch fits.

use engine::bitboard::Bitboard;
use engine::doodle::{CardId, Equipment, Phase, Position, ROUNDS, Specials};
use engine::patch::Placements;

use super::holes::Holes;
use super::targets::{STEPS, Sums, Target};
use super::weights;

/// Turns of a round, and of the match.
const ROUND_TURNS: u8 = 6;
const MATCH_TURNS: u8 = 18;
/// Length of the tables by difficulty; all beyond is as hopeless as the last entry.
const TABLE: usize = 1024;
/// Rectangles looked at in one turn.
const TARGETS: usize = 60;
/// By how much one move can make a rectangle easier: what is further off is not looked at.
const MOVE_CELLS: f32 = 4.0;
/// The same for a scoring right after the move, where only a full rectangle counts.
const LAST_MOVE_CELLS: u32 = 8;

/// A value for each difficulty, in steps.
type Table = Box<[f32; TABLE]>;

/// Everything about a turn that does not depend on the drawing, computed once.
#[derive(Debug)]
pub(super) struct Outlook<'a> {
    equipment: &'a Equipment,
    /// Turns to go after this one.
    turns_left: u8,
    /// For each scoring still to come, the chance that a rectangle is full by then, by difficulty.
    chances: Vec<Table>,
    /// Cells expected to be empty at the end, by difficulty of the whole sheet.
    leftover: Table,
    /// The rectangles looked at, by points.
    targets: Vec<Target>,
    /// What each special action is worth if kept.
    worth: [f32; 4],
    /// The three cards of which the next roll picks one.
    next_cards: Vec<CardId>,
}

impl<'a> Outlook<'a> {
    /// The outlook after the move in `position`; `all` are the rectangles of the board.
    pub(super) fn new(equipment: &'a Equipment, position: &Position, all: &[Target]) -> Outlook<'a> {
        let round = position.round.max(1);
        let played = (round - 1) * ROUND_TURNS + position.turn;
        let turns_left = MATCH_TURNS.saturating_sub(played);
        let scored_after = (round..=ROUNDS as u8).map(|round| round * ROUND_TURNS);
        let waits: Vec<u8> = scored_after.map(|turn| turn.saturating_sub(played)).collect();
        let chances: Vec<_> =
            waits.iter().map(|&turns| by_difficulty(|cells| chance(cells, turns))).collect();
        let targets = promising(all, position.sheet.board, &waits, &chances);
        // An action kept loses its worth towards the end, slowly at first.
        let turns = f32::from(turns_left);
        let kept = turns / (turns + weights::WORTH_HALVED);
        Outlook {
            equipment,
            turns_left,
            chances,
            leftover: by_difficulty(|cells| leftover(cells, turns_left)),
            targets,
            worth: weights::WORTH.map(|worth| worth * kept),
            next_cards: next_cards(position),
        }
    }

    /// Turns to go after this one.
    pub(super) fn turns_left(&self) -> u8 {
        self.turns_left
    }

    /// The rectangles looked at.
    pub(super) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// What these special actions are worth if kept.
    pub(super) fn worth(&self, specials: Specials) -> f32 {
        specials.iter().map(|special| self.worth[special as usize]).sum()
    }

    /// What the sheet is worth without its special actions and without the cards to come.
    pub(super) fn value(&self, shaded: Bitboard) -> f32 {
        let holes = Holes::new(shaded);
        self.round_points(&Sums::new(&holes)) - self.holes_cost(&holes)
    }

    /// Points expected in the scorings to come.
    ///
    /// From the smallest rectangles up: each either gets full, or those below it still count, though
    /// less, because turns went into this one. Of rectangles that score the same the easiest counts.
    fn round_points(&self, sums: &Sums) -> f32 {
        let mut expected = [0.0f32; ROUNDS];
        for level in self.targets.chunk_by(|one, other| one.points == other.points) {
            let points = f32::from(level[0].points);
            let easiest = level.iter().map(|target| sums.difficulty(target)).min();
            let place = easiest.unwrap_or(TABLE).min(TABLE - 1);
            for (chances, expected) in self.chances.iter().zip(&mut expected) {
                let chance = chances[place];
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
        self.leftover[((difficulty * STEPS) as usize).min(TABLE - 1)] + trouble
    }

    /// What it costs that known cards to come fit nowhere any more. Dearer to compute than
    /// [`value`](Self::value), so only the best few drawings are looked at this way.
    pub(super) fn stuck_cost(&self, shaded: Bitboard) -> f32 {
        let free = !shaded;
        let fits = |card: &CardId| Placements::new(self.equipment.patch(*card).whole(), free).count() > 0;
        let stuck = self.next_cards.iter().filter(|card| !fits(card)).count();
        stuck as f32 * weights::STUCK
    }
}

/// The three cards of which the next roll picks one; none where no roll follows.
fn next_cards(position: &Position) -> Vec<CardId> {
    let drawn = match position.phase {
        Phase::Start => 0,
        Phase::Draw => 1,
        Phase::Final => return Vec::new(),
    };
    position.circle.iter().skip(drawn).take(3).copied().collect()
}

/// The rectangles that can matter after one move on this sheet, by points.
fn promising(all: &[Target], shaded: Bitboard, waits: &[u8], chances: &[Table]) -> Vec<Target> {
    let sums = Sums::new(&Holes::new(shaded));
    let hope = |target: &Target| {
        let empty = (target.cells - shaded).len();
        let eased = (sums.difficulty(target) as f32 - MOVE_CELLS * STEPS).max(0.0) as usize;
        let chance = |turns: u8, chances: &[f32; TABLE]| match turns {
            0 => f32::from(u8::from(empty <= LAST_MOVE_CELLS)),
            _ => chances[eased.min(TABLE - 1)],
        };
        f32::from(target.points)
            * waits.iter().zip(chances).map(|(&turns, chances)| chance(turns, chances)).sum::<f32>()
    };
    let mut ranked: Vec<(f32, Target)> = all.iter().map(|target| (hope(target), *target)).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut kept: Vec<Target> = ranked.into_iter().take(TARGETS).map(|(_, target)| target).collect();
    kept.sort_by_key(|target| target.points);
    kept
}

/// A function of the difficulty in cells, as a table.
fn by_difficulty(value: impl Fn(f32) -> f32) -> Table {
    Box::new(std::array::from_fn(|place| value(place as f32 / STEPS)))
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
