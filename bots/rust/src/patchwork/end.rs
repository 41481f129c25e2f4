//! The end of a match, worked out: every move of both players, where there are few enough.

use engine::patchwork::{Action, Moves, Position, Table};

use crate::budget::Budget;

/// Spaces that both players together have left, at most: with more there are too many moves anyway.
const SPACES_MAX: u8 = 12;
/// How much of the budget it may take: where that does not suffice the search needs the rest.
const SHARE_MAX: f64 = 0.3;
/// So many positions take as long as one node of the search.
const POSITIONS_A_NODE: u64 = 16;

/// The move that leads to the best end whatever the other player does; `None` where that takes too much
/// of the budget.
pub(super) fn solve(table: &Table, position: &Position, budget: &mut Budget) -> Option<Action> {
    let seat = position.to_move(table)?;
    let left: u8 = position.players().iter().map(|player| table.track().last() - player.space).sum();
    if left > SPACES_MAX {
        return None;
    }
    let mut solver = Solver { table, budget, positions: 0 };
    let mut best: Option<(i32, Action)> = None;
    for action in Moves::new(table, position).iter() {
        let mut after = *position;
        after.apply(table, action);
        let least = best.map_or(-ENDLESS, |(lead, _)| lead);
        let window = if seat == 0 { (least, ENDLESS) } else { (-ENDLESS, -least) };
        let lead = solver.lead(&after, window)? * if seat == 0 { 1 } else { -1 };
        if lead > least {
            best = Some((lead, action));
        }
    }
    best.map(|(_, action)| action)
}

/// More than any lead.
const ENDLESS: i32 = i32::MAX;

/// By how much seat 0 leads in the end, doubled, so that there is room to tell who was first.
pub(super) fn final_lead(position: &Position) -> i32 {
    let [one, other] = position.players();
    2 * (one.score() - other.score()) + if one.was_first { 1 } else { -1 }
}

struct Solver<'t> {
    table: &'t Table,
    budget: &'t mut Budget,
    positions: u64,
}

impl Solver<'_> {
    /// Seat 0's lead if both play their best: alpha-beta, exact within the window. `None` where the
    /// budget does not suffice.
    fn lead(&mut self, position: &Position, (mut low, mut high): (i32, i32)) -> Option<i32> {
        let Some(seat) = position.to_move(self.table) else { return Some(final_lead(position)) };
        self.positions += 1;
        if self.positions.is_multiple_of(POSITIONS_A_NODE) {
            self.budget.spend(1);
            if self.budget.share_spent() > SHARE_MAX {
                return None;
            }
        }
        for action in Moves::new(self.table, position).iter() {
            let mut after = *position;
            after.apply(self.table, action);
            let lead = self.lead(&after, (low, high))?;
            match seat {
                0 => low = low.max(lead),
                _ => high = high.min(lead),
            }
            if low >= high {
                break;
            }
        }
        Some(if seat == 0 { low } else { high })
    }
}
