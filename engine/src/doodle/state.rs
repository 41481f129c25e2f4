//! One seat's match as a small value that a search copies, beside what stays the same.
//!
//! Seats do not touch each other's sheets, and no choice changes which cards come up, so a seat's
//! future depends on its own sheet and the turn alone.

use crate::doodle::action::Action;
use crate::doodle::cards::Equipment;
use crate::doodle::deal::{OFFER_MAX, TURNS, Timeline, Turn};
use crate::doodle::decision::Decision;
use crate::doodle::sheet::{Sheet, Uses};
use crate::game::Seat;
use crate::shapes::bitboard::Bitboard;
use crate::shapes::cpu::with_vectors;
use crate::shapes::patch::Placements;

/// What stays the same for one seat in a match.
#[derive(Clone, Copy, Debug)]
pub struct Course<'t> {
    /// The cards.
    pub equipment: &'t Equipment,
    /// What lies on the table in each turn. A search that may not know the deal lays out one of its
    /// own, with what is unseen in some order.
    pub timeline: &'t Timeline,
    /// Whose sheet it is about.
    pub seat: Seat,
}

/// A seat's match between two turns. It takes no memory elsewhere, so a search copies it freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The sheet.
    pub sheet: Sheet,
    /// Turns that were decided, the start patch among them; the match is over at [`TURNS`].
    pub turn: u8,
}

/// A search keeps many of them.
const _: () = assert!(size_of::<State>() <= 48);

impl State {
    /// The beginning of a match.
    pub const NEW: State = State { sheet: Sheet::NEW, turn: 0 };

    /// Whether all turns were decided.
    pub fn is_over(&self) -> bool {
        usize::from(self.turn) >= TURNS
    }

    /// What the seat may do now; `None` when the match is over.
    pub fn decision<'t>(&self, course: Course<'t>) -> Option<Decision<'t>> {
        let turn = usize::from(self.turn);
        let Turn { phase, circle, .. } = course.timeline.turns.get(turn)?;
        let offer = course.timeline.offer(turn, course.seat);
        Some(Decision::new(course.equipment, self.sheet, *phase, offer, circle))
    }

    /// Plays a legal action that takes `uses`, to the end of the turn. What an illegal one leaves is
    /// not a state of this game: [`Decision::check`] first what is not one of the legal actions.
    pub fn apply(&mut self, timeline: &Timeline, action: &Action, uses: Uses) {
        self.sheet = self.sheet.after(action, uses);
        self.end_turn(timeline);
    }

    /// Scores the round if it ends here, and goes on to the next turn.
    #[inline]
    pub fn end_turn(&mut self, timeline: &Timeline) {
        if let Some(round) = timeline.scored_after(self.turn.into()) {
            self.sheet.score_round(round);
        }
        self.turn += 1;
    }

    /// Plays to the end without special actions, a card on offer drawn whole in each turn, each place
    /// of each such card equally likely, and nothing where none fits. `below` is to give a random
    /// number below its argument, which is not 0. Gives how many placements there were in all turns.
    pub fn play_out(&mut self, course: Course<'_>, mut below: impl FnMut(u32) -> u32) -> u32 {
        let mut any = |_: Bitboard, offered: &[Placements<'_>]| {
            let count = offered.iter().map(Placements::count).sum();
            let number = if count == 0 { 0 } else { below(count) };
            nth(offered, number)
        };
        with_vectors(
            #[inline(always)]
            || self.play_plainly(course, &mut any),
        )
    }

    /// The same, but each time with the placement that leaves the fewest free cells beside it; of
    /// equal ones the first by card, orientation and anchor.
    pub fn play_greedily(&mut self, course: Course<'_>) -> u32 {
        with_vectors(
            #[inline(always)]
            || self.play_plainly(course, &mut snuggest),
        )
    }

    #[inline(always)]
    fn play_plainly<F>(&mut self, course: Course<'_>, choose: &mut F) -> u32
    where
        F: FnMut(Bitboard, &[Placements<'_>]) -> Option<Bitboard>,
    {
        let mut offered = [Placements::NONE; OFFER_MAX];
        let mut count = 0;
        while !self.is_over() {
            let free = !self.sheet.board;
            let cards = course.timeline.offer(self.turn.into(), course.seat);
            for (places, &card) in offered.iter_mut().zip(cards) {
                places.find(course.equipment.patch(card).whole(), free);
                count += places.count();
            }
            if let Some(cells) = choose(free, &offered[..cards.len()]) {
                self.sheet.board |= cells;
            }
            self.end_turn(course.timeline);
        }
        count
    }
}

#[inline(always)]
fn nth(offered: &[Placements<'_>], mut number: u32) -> Option<Bitboard> {
    for places in offered {
        if number < places.count() {
            return places.nth(number);
        }
        number -= places.count();
    }
    None
}

#[inline(always)]
fn snuggest(free: Bitboard, offered: &[Placements<'_>]) -> Option<Bitboard> {
    let least = offered.iter().filter_map(|places| places.with_fewest_beside(free));
    least.min_by_key(|(beside, _)| *beside).map(|(_, cells)| cells)
}
