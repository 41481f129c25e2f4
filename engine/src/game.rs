//! The trait of a game, for a referee: it covers simultaneous and sequential games.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::rule::Refusal;
use crate::wire::scan::Scan;

/// A place at the table, from 0.
pub type Seat = usize;

/// Plain data: comparable, printable, and serializable for messages and files.
pub trait Plain: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync {}
impl<T: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync> Plain for T {}

/// A game in progress, as a value.
///
/// It knows which seats owe an action and what each seat may see and do. It accepts or refuses one
/// action at a time, and gives the result. The game itself is deterministic: all chance is in the
/// [`Deal`](Game::Deal). `tests/conformance.rs` checks the contract that every implementation keeps.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// Rules and components as written in `start` messages and records.
    type Setup: Setup;
    /// The components with everything that is computed from them once; all matches share it.
    type Equipment: Debug + Send + Sync;
    /// Everything that chance decides in a match.
    type Deal: Plain;
    /// The information that one seat may have, as written in `turn` messages.
    type Observation: Plain;
    /// A move as written on the wire: parsed but not checked.
    type Word: Plain;
    /// A move in the engine's terms.
    type Action: Clone + Debug + PartialEq + Eq + PartialOrd + Ord + Hash;
    /// The reason why a move is refused, in words for the author of a bot.
    type Illegal: Refusal;

    /// The game's name in commands, messages and records.
    const NAME: &'static str;
    /// True if all seats decide at the same time. A match then keeps one core per seat busy.
    const SIMULTANEOUS: bool;

    /// Computes the equipment.
    ///
    /// # Errors
    /// [`SetupError`] if the components are not playable.
    fn equip(setup: &Self::Setup) -> Result<Self::Equipment, SetupError>;

    /// Returns the rules and components in full.
    fn setup(equipment: &Self::Equipment) -> &Self::Setup;

    /// Returns the deal of `seed` for this number of seats.
    ///
    /// # Errors
    /// [`SetupError::Seats`] if the game cannot be played with this number of seats.
    fn deal(equipment: &Self::Equipment, seats: usize, seed: u64) -> Result<Self::Deal, SetupError>;

    /// Returns the seat's part of the deal, for games in which seats do not affect each other. The
    /// match of this one seat on the returned deal is then the same as its match at the full table.
    /// Returns `None` if a seat's options or points depend on the other seats.
    fn alone(_equipment: &Self::Equipment, _deal: &Self::Deal, _seat: Seat) -> Option<Alone<Self::Deal>> {
        None
    }

    /// Begins a match.
    ///
    /// # Errors
    /// [`SetupError::Deal`] if the deal does not fit the equipment.
    fn new(equipment: &Arc<Self::Equipment>, deal: &Self::Deal) -> Result<Self, SetupError>;

    /// Number of seats at the table.
    fn seats(&self) -> usize;

    /// Number of the current decision, from 0. Seats that decide together have the same number.
    fn decision(&self) -> u32;

    /// Returns true if this seat owes an action now.
    fn owes(&self, seat: Seat) -> bool;

    /// The seats that owe an action, in ascending order; empty when the game is over.
    fn pending(&self) -> impl Iterator<Item = Seat> {
        (0..self.seats()).filter(|&seat| self.owes(seat))
    }

    /// The first seat that owes an action; `None` when the game is over.
    fn first_pending(&self) -> Option<Seat> {
        self.pending().next()
    }

    /// Returns the information that the seat may have now. Two deals that differ only in hidden
    /// information give equal observations. Actions of other seats in the same decision do not change
    /// it.
    fn observe(&self, seat: Seat) -> Self::Observation;

    /// Returns true if two seats that decide together get the same observation.
    fn sees_like(&self, seat: Seat, other: Seat) -> bool;

    /// Appends the [`observe`](Game::observe) value to a line, as JSON. The bytes are the same as
    /// serde's, with less work.
    fn write_state(&self, seat: Seat, line: &mut Vec<u8>);

    /// Parses a move in its usual spelling, in one pass up to the closing brace of the move. Returns
    /// `None` for any other spelling, valid or not; [`read`](Game::read) then parses the move.
    fn read_usual(equipment: &Self::Equipment, scan: &mut Scan<'_>) -> Option<Self::Action>;

    /// Converts a move from its wire form.
    ///
    /// # Errors
    /// `Illegal` if it names things that do not exist, such as a cell outside the board.
    fn read(equipment: &Self::Equipment, word: &Self::Word) -> Result<Self::Action, Self::Illegal>;

    /// Converts a move to its wire form. Each action has exactly one such form.
    fn write(equipment: &Self::Equipment, action: &Self::Action) -> Self::Word;

    /// Appends a move to a line, as JSON. The bytes are the same as serde's, with less work.
    fn write_word(word: &Self::Word, line: &mut Vec<u8>);

    /// Appends a deal to a line, as JSON. The bytes are the same as serde's, with less work.
    fn write_deal(deal: &Self::Deal, line: &mut Vec<u8>);

    /// Every distinct action that the seat may take now; empty if the seat owes no action.
    fn legal_actions(&self, seat: Seat) -> impl Iterator<Item = Self::Action>;

    /// Returns the number of [`legal_actions`](Game::legal_actions).
    fn legal_count(&self, seat: Seat) -> u64 {
        self.legal_actions(seat).count() as u64
    }

    /// Plays the seat's action.
    ///
    /// # Errors
    /// `Illegal` if the rules forbid the action. The game is then unchanged.
    fn play(&mut self, seat: Seat, action: &Self::Action) -> Result<(), Self::Illegal>;

    /// Takes a seat out of the match after a fault. The other seats continue if the game allows it.
    fn withdraw(&mut self, seat: Seat);

    /// Returns the current scores and ranks. They are final when no seat owes an action.
    fn outcome(&self) -> Outcome;
}

/// A seat's part of a deal, from [`Game::alone`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone<D> {
    /// Seats with the same number have the same part of the deal.
    pub place: Seat,
    /// The deal with this seat alone.
    pub deal: D,
}

/// Rules and components as plain data, in two forms. The full form is for bots. The abridged form is
/// for records, and omits components that are the standard ones.
pub trait Setup: Plain + Default {
    /// Returns the form with all components.
    fn in_full(&self) -> Self;
    /// Returns the form without the standard components.
    fn abridged(&self) -> Self;
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Points of each seat.
    pub scores: Vec<i32>,
    /// Rank of each seat, from 1; see [`ranks`].
    pub ranks: Vec<u32>,
    /// The points of each seat in each round, if the game scores by rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Vec<Vec<i32>>>,
}

/// Returns ranks by descending merit, from 1. Equal merits share a rank, and the following ranks are
/// skipped. Withdrawn seats share the rank behind all others; if all seats are withdrawn, they share
/// rank 1.
pub fn ranks<M: Ord>(merits: &[M], withdrawn: &[bool]) -> Vec<u32> {
    let better = |seat: Seat, other: Seat| match (withdrawn[seat], withdrawn[other]) {
        (false, false) => merits[other] > merits[seat],
        (seat_out, other_out) => seat_out && !other_out,
    };
    let count_better = |seat| (0..merits.len()).filter(|&other| better(seat, other)).count();
    (0..merits.len()).map(|seat| count_better(seat) as u32 + 1).collect()
}

/// The reason why rules, components, seats, or a deal are not playable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A card or patch is not usable.
    #[error("{id:?}: {reason}")]
    Card {
        /// The id of the card or patch.
        id: String,
        /// The reason.
        reason: String,
    },
    /// The components as a whole are not usable.
    #[error("{0}")]
    Components(String),
    /// The game cannot be played with this number of seats.
    #[error("{0}")]
    Seats(String),
    /// The deal does not fit the components.
    #[error("the deal cannot be played: {0}")]
    Deal(String),
}

#[cfg(test)]
mod tests {
    use super::ranks;

    #[test]
    fn equal_merits_share_a_rank_and_the_withdrawn_rank_behind() {
        assert_eq!(ranks(&[5, 9, 5, 1], &[false; 4]), [2, 1, 2, 4]);
        assert_eq!(ranks(&[5, 9, 5, 1], &[false, true, false, true]), [1, 3, 1, 3]);
        assert_eq!(ranks(&[5, 9], &[true, true]), [1, 1]);
        assert_eq!(ranks(&[7], &[false]), [1]);
    }
}
