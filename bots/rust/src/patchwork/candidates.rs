//! Candidate moves of a position, for the tree search.

use std::cmp::Ordering;

use engine::bitboard::Bitboard;
use engine::cpu::with_vectors;
use engine::game::Seat;
use engine::patchwork::{Action, Moves, Position, Table};

use super::settings::Settings;
use crate::greedy::patchwork::Evaluator;

/// A candidate move with its evaluation before any search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) action: Action,
    /// The evaluation, in points.
    pub(super) value: f32,
}

/// Finds candidate moves. It reuses its memory between positions.
#[derive(Debug)]
pub(super) struct Finder<'t> {
    table: &'t Table,
    /// The evaluations for both seats.
    evaluators: [Evaluator<'t>; 2],
    moves: Moves<'t>,
    settings: Settings,
    /// The placements of one patch, or the cells for leather.
    group: Vec<Candidate>,
    found: Vec<Candidate>,
}

impl<'t> Finder<'t> {
    pub(super) fn new(table: &'t Table, settings: Settings) -> Finder<'t> {
        let evaluators = [0, 1].map(|seat| Evaluator::new(table, seat));
        Finder { table, evaluators, moves: Moves::none(), settings, group: Vec::new(), found: Vec::new() }
    }

    /// Returns the candidate moves: the advance and the best few placements of each patch. In a leather
    /// decision these are the best few cells.
    pub(super) fn find(&mut self, position: &Position, placements: usize) -> &[Candidate] {
        self.found.clear();
        if let Some(seat) = position.to_move(self.table) {
            with_vectors(
                #[inline(always)]
                || self.find_for(seat, position, placements),
            );
        }
        &self.found
    }

    #[inline(always)]
    fn find_for(&mut self, seat: Seat, position: &Position, placements: usize) {
        self.moves.find(self.table, position);
        if self.moves.may_advance() {
            let value = self.value(seat, position, Action::Advance)
                + self.value_of_circle(seat, position, Action::Advance);
            self.found.push(Candidate { action: Action::Advance, value });
        }
        let board = position.players()[seat].board;
        for cell in self.moves.leather().iter() {
            let quilt = board | Bitboard::from_iter([cell]);
            self.group.push(self.rough(seat, position, Action::Leather(cell), quilt));
        }
        let mut patch = None;
        for fits in self.moves.fits() {
            if patch.replace(fits.patch).is_some_and(|before| before != fits.patch) {
                self.keep_best(seat, position, placements);
            }
            for anchor in fits.anchors.iter() {
                let quilt = board | fits.orientation.at(anchor);
                self.group.push(self.rough(seat, position, fits.buy(anchor), quilt));
            }
        }
        self.keep_best(seat, position, placements);
    }

    /// Evaluates a placement by the resulting quilt only.
    #[inline(always)]
    fn rough(&self, seat: Seat, position: &Position, action: Action, quilt: Bitboard) -> Candidate {
        Candidate { action, value: -self.evaluators[seat].awkwardness(position, quilt) }
    }

    /// Moves the best few placements of a group to the results. Three stages judge fewer and fewer
    /// placements, each more precisely.
    #[inline(always)]
    fn keep_best(&mut self, seat: Seat, position: &Position, placements: usize) {
        if !self.evaluators[seat].bonus_is_near(position) {
            keep(&mut self.group, self.settings.judged * placements);
        }
        for place in 0..self.group.len() {
            self.group[place].value = self.value(seat, position, self.group[place].action);
        }
        keep(&mut self.group, self.settings.closer * placements);
        for place in 0..self.group.len() {
            self.group[place].value += self.value_of_circle(seat, position, self.group[place].action);
        }
        self.group.sort_by(better);
        self.found.extend(self.group.iter().take(placements));
        self.group.clear();
    }

    #[inline(always)]
    fn value(&self, seat: Seat, position: &Position, action: Action) -> f32 {
        self.evaluators[seat].value(&self.after(position, action))
    }

    #[inline(always)]
    fn value_of_circle(&self, seat: Seat, position: &Position, action: Action) -> f32 {
        self.evaluators[seat].value_of_circle(&self.after(position, action), self.settings.ahead)
    }

    #[inline(always)]
    fn after(&self, position: &Position, action: Action) -> Position {
        let mut after = *position;
        after.apply(self.table, action);
        after
    }

    /// Returns the difference of the evaluations, seat 0 minus seat 1, in points.
    pub(super) fn lead(&self, position: &Position) -> f32 {
        with_vectors(
            #[inline(always)]
            || self.evaluators[0].value(position) - self.evaluators[1].value(position),
        )
    }
}

/// Orders candidates by value, best first.
fn better(one: &Candidate, other: &Candidate) -> Ordering {
    other.value.total_cmp(&one.value)
}

/// Keeps the `count` best candidates, in no particular order.
fn keep(group: &mut Vec<Candidate>, count: usize) {
    if count < group.len() {
        group.select_nth_unstable_by(count, better);
        group.truncate(count);
    }
}
