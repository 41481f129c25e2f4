//! One seat's match as a small value that a search copies, and the constant data of the match.
//!
//! Seats do not affect each other's sheets, and no choice changes which cards come up. A seat's future
//! therefore depends only on its own sheet and the turn.

use crate::doodle::action::Action;
use crate::doodle::cards::Equipment;
use crate::doodle::deal::{OFFER_MAX, TURNS, Timeline, Turn};
use crate::doodle::moves::Moves;
use crate::doodle::sheet::{Sheet, Uses};
use crate::game::Seat;
use crate::shapes::bitboard::Bitboard;
use crate::shapes::cpu::with_vectors;
use crate::shapes::patch::Placements;

/// The constant data of one seat in a match.
///
/// # Examples
/// ```
/// use engine::doodle::{Table, Doodle, Equipment, State, Timeline};
/// use engine::game::Game;
///
/// let equipment = Equipment::standard();
/// let timeline = Timeline::new(&equipment, &Doodle::deal(&equipment, 1, 7)?)?;
/// let table = Table { equipment: &equipment, timeline: &timeline, seat: 0 };
/// assert!(State::NEW.moves(table).is_some());
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Table<'t> {
    /// The cards.
    pub equipment: &'t Equipment,
    /// The table in each turn. A search without clairvoyance builds its own timeline, with the unseen
    /// cards in some order.
    pub timeline: &'t Timeline,
    /// The seat that owns the sheet.
    pub seat: Seat,
}

/// A seat's match between two turns. It uses no heap memory, so copies are cheap.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use engine::bitboard::Bitboard;
/// use engine::doodle::{Action, Doodle, Equipment, State};
/// use engine::game::Game;
///
/// let equipment = Arc::new(Equipment::standard());
/// let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 1, 7)?)?;
/// let table = game.table(0);
/// let mut state = State::NEW;
/// while let Some(moves) = state.moves(table) {
///     // Draws in the first place it finds, without special actions.
///     let plain = moves.drawings().find(|drawing| !drawing.neighbor && drawing.cuts == 0);
///     let action = Action { draw: plain.map(|drawing| drawing.draw), singles: Bitboard::EMPTY };
///     state.apply(table.timeline, &action, Default::default());
/// }
/// assert_eq!((state.turn, state.sheet.score()), (19, 11));
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The sheet.
    pub sheet: Sheet,
    /// Number of turns decided, with the start patch; the match is over at [`TURNS`].
    pub turn: u8,
}

/// A search keeps many states, so a state must stay small.
const _: () = assert!(size_of::<State>() <= 48);

impl State {
    /// The state of every seat before its start patch.
    pub const NEW: State = State { sheet: Sheet::NEW, turn: 0 };

    /// Returns true if all [`TURNS`] are decided.
    pub fn is_over(&self) -> bool {
        usize::from(self.turn) >= TURNS
    }

    /// The seat's decision; `None` when the match is over.
    pub fn moves<'t>(&self, table: Table<'t>) -> Option<Moves<'t>> {
        let turn = usize::from(self.turn);
        let Turn { phase, circle, .. } = table.timeline.turns.get(turn)?;
        let offer = table.timeline.offer(turn, table.seat);
        Some(Moves::new(table.equipment, self.sheet, *phase, offer, circle))
    }

    /// Plays a legal action that takes the special actions `uses`, and ends the turn. An illegal action
    /// leaves an invalid state, so call [`Moves::check`] first if the action may be illegal.
    pub fn apply(&mut self, timeline: &Timeline, action: &Action, uses: Uses) {
        self.sheet = self.sheet.after(action, uses);
        self.end_turn(timeline);
    }

    /// Scores the round if it ends here, and continues with the next turn.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// use engine::bitboard::Bitboard;
    /// use engine::doodle::Sheet;
    ///
    /// let sheet = Sheet { board: Bitboard::rectangle(3, 4), ..Sheet::NEW };
    /// let mut state = State { sheet, turn: 6 }; // the last turn of round 1
    /// state.end_turn(game.table(0).timeline);
    /// assert_eq!((state.turn, state.sheet.rounds), (7, [10, 0, 0]));
    /// ```
    #[inline]
    pub fn end_turn(&mut self, timeline: &Timeline) {
        if let Some(round) = timeline.scored_after(self.turn.into()) {
            self.sheet.score_round(round);
        }
        self.turn = self.turn.saturating_add(1);
    }

    /// Plays to the end at random, without special actions. In each turn it draws one of the cards on
    /// offer whole, with equal probability for each placement of each card; if no card fits, it passes.
    /// `below` returns a random number below its argument, which is never 0; with a larger number, the
    /// seat passes. Returns the number of placements in all turns together.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// use engine::dealer::Dealer;
    ///
    /// let mut chance = Dealer::new(7, 0);
    /// let mut state = State::NEW;
    /// let placements = state.play_out(game.table(0), |bound| chance.below(bound));
    /// assert!(state.is_over());
    /// assert_eq!((placements, state.sheet.score()), (987, 10));
    /// ```
    pub fn play_out(&mut self, table: Table<'_>, mut below: impl FnMut(u32) -> u32) -> u32 {
        let mut any = |_: Bitboard, offered: &[Placements<'_>]| {
            let count = offered.iter().map(Placements::count).sum();
            let number = if count == 0 { 0 } else { below(count) };
            nth(offered, number)
        };
        with_vectors(
            #[inline(always)]
            || self.play_plainly(table, &mut any),
        )
    }

    /// Plays to the end like [`play_out`](Self::play_out), but with the placement that leaves the
    /// fewest free neighboring cells. Among equal placements it takes the first by card, orientation,
    /// and anchor.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let mut state = State::NEW;
    /// state.play_greedily(game.table(0));
    /// assert!(state.is_over());
    /// assert_eq!(state.sheet.score(), 48);
    /// ```
    pub fn play_greedily(&mut self, table: Table<'_>) -> u32 {
        with_vectors(
            #[inline(always)]
            || self.play_plainly(table, &mut snuggest),
        )
    }

    #[inline(always)]
    fn play_plainly<F>(&mut self, table: Table<'_>, choose: &mut F) -> u32
    where
        F: FnMut(Bitboard, &[Placements<'_>]) -> Option<Bitboard>,
    {
        let mut offered = [Placements::NONE; OFFER_MAX];
        let mut count = 0;
        while !self.is_over() {
            let free = !self.sheet.board;
            let cards = table.timeline.offer(self.turn.into(), table.seat);
            for (places, &card) in offered.iter_mut().zip(cards) {
                places.find(table.equipment.patch(card).whole(), free);
                count += places.count();
            }
            if let Some(cells) = choose(free, &offered[..cards.len()]) {
                self.sheet.board |= cells;
            }
            self.end_turn(table.timeline);
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
