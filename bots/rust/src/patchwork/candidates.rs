//! The few moves of a position that are worth a look.

use engine::patchwork::{Action, Moves, Position, Table};

use crate::greedy::patchwork::Outlook;

/// A move with what speaks for it before it was ever tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) action: Action,
    /// In points.
    pub(super) value: f32,
}

/// Finds candidates, in memory that is used again.
#[derive(Debug)]
pub(super) struct Finder<'t> {
    table: &'t Table,
    /// What positions are worth to either seat.
    outlooks: [Outlook<'t>; 2],
    moves: Moves<'t>,
    judged: Vec<Candidate>,
}

impl<'t> Finder<'t> {
    pub(super) fn new(table: &'t Table) -> Finder<'t> {
        let outlooks = [0, 1].map(|seat| Outlook::new(table, seat));
        Finder { table, outlooks, moves: Moves::none(), judged: Vec::new() }
    }

    /// The advance, and of each patch the best few placements; or the best few cells for leather.
    pub(super) fn find(&mut self, position: &Position, placements: usize) -> Vec<Candidate> {
        let Some(seat) = position.to_move(self.table) else { return Vec::new() };
        self.moves.find(self.table, position);
        let outlook = &self.outlooks[seat];
        let judged = |action: Action| {
            let mut after = *position;
            after.apply(self.table, action);
            (Candidate { action, value: outlook.value(&after) }, after)
        };
        let mut found = Vec::new();
        if self.moves.may_advance() {
            let (advance, after) = judged(Action::Advance);
            found.push(Candidate { value: advance.value + outlook.value_of_circle(&after), ..advance });
        }
        for group in self.groups() {
            self.judged.clear();
            self.judged.extend(group.into_iter().map(|action| judged(action).0));
            let better = |one: &Candidate, other: &Candidate| other.value.total_cmp(&one.value);
            // Those that look best at first are looked at closer, twice as many as are kept.
            let closer = (2 * placements).min(self.judged.len());
            if closer < self.judged.len() {
                self.judged.select_nth_unstable_by(closer, better);
                self.judged.truncate(closer);
            }
            for candidate in &mut self.judged {
                candidate.value += outlook.value_of_circle(&judged(candidate.action).1);
            }
            self.judged.sort_by(better);
            found.extend(self.judged.iter().take(placements));
        }
        found
    }

    /// By how many points seat 0 looks better.
    pub(super) fn lead(&self, position: &Position) -> f32 {
        let [one, other] = self.outlooks.each_ref().map(|outlook| outlook.value(position));
        one - other
    }

    /// The moves other than the advance, those with the same patch together.
    fn groups(&self) -> Vec<Vec<Action>> {
        let leather = self.moves.leather();
        if !leather.is_empty() {
            return vec![leather.iter().map(Action::Leather).collect()];
        }
        let mut groups: Vec<(_, Vec<Action>)> = Vec::new();
        for fits in self.moves.fits() {
            if groups.last().is_none_or(|(patch, _)| *patch != fits.patch) {
                groups.push((fits.patch, Vec::new()));
            }
            if let Some((_, group)) = groups.last_mut() {
                group.extend(fits.anchors.iter().map(|anchor| fits.buy(anchor)));
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }
}
