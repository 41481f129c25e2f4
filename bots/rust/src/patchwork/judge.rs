//! Moves of a position with the value of what they lead to.

use engine::bitboard::{Bitboard, Cell};
use engine::cpu::with_vectors;
use engine::game::Seat;
use engine::patch::Placements;
use engine::patchwork::{Action, PatchId, State, Table};

use super::end::final_lead;
use super::features::Seen;
use super::gaps::{Gaps, missing, parts};
use super::net::{Net, chance, exp};

/// Points of lead that change the odds of a finished match by a factor of e.
pub(super) const MARGIN: f32 = 8.0;
/// The odds of a finished match are at most this far from even.
const CERTAIN: f32 = 1e4;
/// The cost of an empty cell that only leather covers, of the end of a gap, and of an edge between an empty and a covered
/// cell. They select the placements that are judged.
const LONE: f32 = 2.2;
const ENDS: f32 = 0.8;
const SIDES: f32 = 0.2;
/// The cost of each part of the empty cells, and of a cell that the nearest 7x7 square lacks, for leather.
const PARTS: f32 = 0.3;
const LACKING: f32 = 0.45;
/// A 7x7 square that lacks more cells has no part in the cost.
const LACKING_MAX: u32 = 10;
/// The sizes of the tables of placements and of cells for leather, as powers of two.
const LAID: u32 = 13;
const SNUG: u32 = 15;

/// A move with its value for the seat that makes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) action: Action,
    pub(super) after: State,
    /// The odds to win.
    pub(super) odds: f32,
}

/// What was found out in earlier positions.
#[derive(Debug)]
pub(super) struct Memory {
    /// The best placement of a patch on a quilt, and the search that found it.
    laid: Vec<(u128, PatchId, u32, Option<Action>)>,
    /// The number of the search.
    search: u32,
    /// The best cell of a quilt for leather.
    snug: Vec<(u128, Option<Cell>)>,
}

impl Memory {
    pub(super) fn new(table: &Table) -> Memory {
        let any = table.equipment().patches().next().expect("every file has a patch");
        let (laid, snug) = (vec![(u128::MAX, any, 0, None); 1 << LAID], vec![(u128::MAX, None); 1 << SNUG]);
        Memory { laid, search: 0, snug }
    }

    /// Forgets placements, which depend on the positions of a search. A search then finds the same without the ones before
    /// it, as in a match that starts in its position.
    pub(super) fn forget(&mut self) {
        self.search += 1;
    }
}

/// Judges moves, and counts the values that it computes.
#[derive(Debug)]
pub(super) struct Judge<'t> {
    pub(super) table: &'t Table,
    net: &'t Net,
    memory: &'t mut Memory,
    seen: Seen,
    /// The number of evaluations so far.
    pub(super) evaluations: u64,
    /// Placements with their cost.
    group: Vec<(f32, Bitboard)>,
}

impl<'t> Judge<'t> {
    pub(super) fn new(table: &'t Table, net: &'t Net, memory: &'t mut Memory) -> Judge<'t> {
        Judge { table, net, memory, seen: Seen::NOTHING, evaluations: 0, group: Vec::new() }
    }

    /// Returns all kinds of moves of a position that is not over: the advance, and the best of some placements of each
    /// patch, or the best cells for leather. `judged` placements of a patch are evaluated and `kept` remain.
    pub(super) fn moves(&mut self, state: &State, judged: usize, kept: usize) -> Vec<Judged> {
        let seat = state.to_move(self.table).expect("it is not over");
        let mut all = Vec::new();
        if state.leather_due() > 0 {
            let cells = (!state.players()[seat].board).iter().map(Action::Leather);
            all.extend(cells.map(|action| self.judged(state, seat, action)));
            best(&mut all, kept);
            return all;
        }
        for patch in state.offer(self.table) {
            if self.table.patch(patch).buttons <= state.players()[seat].buttons {
                let mut group = self.placements(state, seat, patch, judged);
                best(&mut group, kept);
                all.append(&mut group);
            }
        }
        all.push(self.judged(state, seat, Action::Advance));
        all
    }

    /// Returns one move of each kind, in a position without leather due that is not over. Placements are those that were
    /// best in the first position with the same quilt.
    pub(super) fn few_moves(&mut self, state: &State, seat: Seat, all: &mut Vec<Judged>) {
        all.clear();
        for patch in state.offer(self.table) {
            if self.table.patch(patch).buttons <= state.players()[seat].buttons
                && let Some(best) = self.laid(state, seat, patch)
            {
                all.push(best);
            }
        }
        all.push(self.judged(state, seat, Action::Advance));
    }

    /// Returns the placement of a patch that is best by the value, from memory if this quilt had it before. Counts one
    /// more evaluation even if it was just computed, so that numbers of nodes mean the same.
    fn laid(&mut self, state: &State, seat: Seat, patch: PatchId) -> Option<Judged> {
        const JUDGED: usize = 6;
        let quilt = state.players()[seat].board;
        let place = slot(quilt, patch.index() as u64, LAID);
        let (there, of, search, action) = self.memory.laid[place];
        if (there, of, search) == (quilt.bits(), patch, self.memory.search) {
            return action.map(|action| self.judged(state, seat, action));
        }
        let best = self.placements(state, seat, patch, JUDGED).into_iter().max_by(worse);
        self.evaluations += u64::from(best.is_some_and(|best| best.after.to_move(self.table).is_some()));
        self.memory.laid[place] = (quilt.bits(), patch, self.memory.search, best.map(|best| best.action));
        best
    }

    /// Judges the placements of a patch that leave the fewest gaps.
    fn placements(&mut self, state: &State, seat: Seat, patch: PatchId, count: usize) -> Vec<Judged> {
        let quilt = state.players()[seat].board;
        let wants_square = state.bonus().is_none() && missing(quilt) <= LACKING_MAX;
        let mut group = std::mem::take(&mut self.group);
        group.clear();
        let shapes = self.table.patch(patch).shape.whole();
        with_vectors(
            #[inline(always)]
            || {
                let cost = |cells| (cost(quilt | cells, wants_square), cells);
                group.extend(Placements::new(shapes, !quilt).iter().map(cost));
            },
        );
        if count < group.len() {
            group.select_nth_unstable_by(count, |one, other| one.0.total_cmp(&other.0));
            group.truncate(count);
        }
        let buy = |&(_, cells): &(f32, Bitboard)| self.judged(state, seat, Action::Buy { patch, cells });
        let judged = group.iter().map(buy).collect();
        self.group = group;
        judged
    }

    fn judged(&mut self, state: &State, seat: Seat, action: Action) -> Judged {
        let after = self.after(state, action);
        Judged { action, after, odds: self.odds(&after, seat) }
    }

    /// Plays an action, and lays the leather that it brings where it fits best.
    pub(super) fn after(&mut self, state: &State, action: Action) -> State {
        let mut after = *state;
        after.apply(self.table, action);
        while after.leather_due() > 0 {
            let seat = after.to_move(self.table).expect("leather is due");
            let cell = self.snug(after.players()[seat].board);
            after.apply(self.table, Action::Leather(cell));
        }
        after
    }

    /// Returns the odds that a seat wins. No leather is due.
    pub(super) fn odds(&mut self, state: &State, seat: Seat) -> f32 {
        let Some(mover) = state.to_move(self.table) else {
            return if seat == 0 { final_odds(state) } else { 1.0 / final_odds(state) };
        };
        self.evaluations += 1;
        let (seen, net, table) = (&mut self.seen, self.net, self.table);
        let odds = with_vectors(
            #[inline(always)]
            || {
                seen.look(table, state, mover);
                net.odds(seen)
            },
        );
        if seat == mover { odds } else { 1.0 / odds }
    }

    /// Returns the best empty cell of a quilt for leather.
    fn snug(&mut self, quilt: Bitboard) -> Cell {
        let place = slot(quilt, 0, SNUG);
        if let (there, Some(cell)) = self.memory.snug[place]
            && there == quilt.bits()
        {
            return cell;
        }
        let wants_square = (1..LACKING_MAX).contains(&missing(quilt));
        // A cell takes away at most one part, so few cells need their parts counted.
        let least = PARTS * parts(!quilt).saturating_sub(1) as f32;
        let mut best = (f32::INFINITY, None);
        for cell in (!quilt).iter() {
            let quilt = quilt | Bitboard::from_iter([cell]);
            let cost = cost(quilt, wants_square);
            if cost + least < best.0 {
                let cost = cost + PARTS * parts(!quilt) as f32;
                best = if cost < best.0 { (cost, Some(cell)) } else { best };
            }
        }
        let cell = best.1.expect("leather has room");
        self.memory.snug[place] = (quilt.bits(), Some(cell));
        cell
    }
}

/// Returns the odds of seat 0 in a finished match: half of the chance is the win, half the margin.
fn final_odds(state: &State) -> f32 {
    let lead = final_lead(state);
    let margin = chance(exp(lead as f32 / 2.0 / MARGIN));
    let chance = 0.5 * margin + 0.5 * f32::from(u8::from(lead > 0));
    (chance / (1.0 - chance)).clamp(1.0 / CERTAIN, CERTAIN)
}

/// Returns the cost of the gaps of a quilt.
#[inline(always)]
fn cost(quilt: Bitboard, wants_square: bool) -> f32 {
    let Gaps { lone, ends, sides, .. } = Gaps::new(quilt);
    let lacking = if wants_square { LACKING * missing(quilt) as f32 } else { 0.0 };
    LONE * lone as f32 + ENDS * ends as f32 + SIDES * sides as f32 + lacking
}

/// Returns the odds of the best move.
pub(super) fn best_odds(moves: &[Judged]) -> f32 {
    moves.iter().map(|one| one.odds).fold(0.0, f32::max)
}

/// Keeps the best moves, best first.
fn best(moves: &mut Vec<Judged>, count: usize) {
    moves.sort_by(|one, other| worse(other, one));
    moves.truncate(count);
}

fn worse(one: &Judged, other: &Judged) -> std::cmp::Ordering {
    one.odds.total_cmp(&other.odds)
}

/// Returns the place of a quilt in a table of this size.
fn slot(quilt: Bitboard, salt: u64, size: u32) -> usize {
    let bits = quilt.bits();
    let mixed = (bits as u64 ^ ((bits >> 64) as u64 ^ salt << 20).rotate_left(32))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - size)) as usize
}
