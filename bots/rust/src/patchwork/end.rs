//! Exact solution of short endgames: all moves of both players.

use engine::patchwork::{Action, Moves, State, Table};

use crate::budget::Budget;

/// The most spaces that both players together may have left. Beyond this number there are too many moves.
const SPACES_MAX: u8 = 12;
/// The largest share of the budget for the solver. If it fails, the search needs the rest.
const SHARE_MAX: f64 = 0.3;
/// The number of positions that cost as much time as one evaluation.
const POSITIONS_A_NODE: u64 = 2;

/// Returns the move with the best guaranteed final lead, and that lead, doubled. `None` if solving would take too much of the budget.
pub(super) fn solve(table: &Table, state: &State, budget: &mut Budget) -> Option<(Action, i32)> {
    let seat = state.to_move(table)?;
    let left: u8 = state.players().iter().map(|player| table.track().last() - player.space).sum();
    if left > SPACES_MAX {
        return None;
    }
    let mut solver = Solver { table, budget, positions: 0 };
    let mut best: Option<(i32, Action)> = None;
    for action in Moves::new(table, state).iter() {
        let mut after = *state;
        after.apply(table, action);
        let least = best.map_or(-ENDLESS, |(lead, _)| lead);
        let window = if seat == 0 { (least, ENDLESS) } else { (-ENDLESS, -least) };
        let lead = solver.lead(&after, window)? * if seat == 0 { 1 } else { -1 };
        if lead > least {
            best = Some((lead, action));
        }
    }
    best.map(|(lead, action)| (action, lead))
}

/// A bound above every lead.
const ENDLESS: i32 = i32::MAX;

/// Returns the final lead of seat 0, doubled. The lowest step breaks ties for the player who arrived first.
pub(super) fn final_lead(state: &State) -> i32 {
    let [one, other] = state.players();
    2 * (one.score() - other.score()) + if one.was_first { 1 } else { -1 }
}

struct Solver<'t> {
    table: &'t Table,
    budget: &'t mut Budget,
    positions: u64,
}

impl Solver<'_> {
    /// Returns the lead of seat 0 under best play, by alpha-beta search; exact within the window. `None` if
    /// the budget does not suffice.
    fn lead(&mut self, state: &State, (mut low, mut high): (i32, i32)) -> Option<i32> {
        let Some(seat) = state.to_move(self.table) else { return Some(final_lead(state)) };
        self.positions += 1;
        if self.positions.is_multiple_of(POSITIONS_A_NODE) {
            self.budget.spend(1);
            if self.budget.share_spent() > SHARE_MAX {
                return None;
            }
        }
        for action in Moves::new(self.table, state).iter() {
            let mut after = *state;
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
