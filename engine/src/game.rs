//! What a game offers a referee: one trait for simultaneous and for sequential games.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::rule::Refusal;
use crate::wire::scan::Scan;

/// A place at the table, from 0.
pub type Seat = usize;

/// Plain data: compared, printed, and written to every wire and file.
pub trait Plain: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync {}
impl<T: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync> Plain for T {}

/// A game in progress, as a value.
///
/// It knows which seats owe an action, what each may see and do, accepts or refuses one action at
/// a time, and gives the result. Nothing in it is random: chance is in the [`Deal`](Game::Deal).
/// `tests/conformance.rs` holds what every implementation must keep.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// Rules and components as written in `start` messages and records.
    type Setup: Setup;
    /// The components with everything about them computed once; shared by all matches.
    type Equipment: Debug + Send + Sync;
    /// Everything chance decides in a match.
    type Deal: Plain;
    /// What one seat may know, as written in `turn` messages.
    type Observation: Plain;
    /// A move as written on the wire, understood but not yet checked.
    type Word: Plain;
    /// A move in the engine's terms.
    type Action: Clone + Debug + PartialEq + Eq + PartialOrd + Ord + Hash;
    /// Why a move is refused, in words for the author of a bot.
    type Illegal: Refusal;

    /// The game's name in commands, messages and records.
    const NAME: &'static str;
    /// Whether all seats decide at the same time, so that a match keeps that many cores busy.
    const SIMULTANEOUS: bool;

    /// Computes the equipment.
    ///
    /// # Errors
    /// [`SetupError`] where the components cannot be played with.
    fn equip(setup: &Self::Setup) -> Result<Self::Equipment, SetupError>;

    /// The rules and components in full.
    fn setup(equipment: &Self::Equipment) -> &Self::Setup;

    /// The deal of `seed` for so many seats.
    ///
    /// # Errors
    /// [`SetupError::Seats`] where so many cannot play.
    fn deal(equipment: &Self::Equipment, seats: usize, seed: u64) -> Result<Self::Deal, SetupError>;

    /// What of a deal concerns the seat, where seats do not touch each other: then the match of one
    /// seat on that deal is, for this seat, the match at the table. `None` where what a seat gets or
    /// may do depends on the others.
    fn alone(_equipment: &Self::Equipment, _deal: &Self::Deal, _seat: Seat) -> Option<Alone<Self::Deal>> {
        None
    }

    /// The beginning of a match.
    ///
    /// # Errors
    /// [`SetupError::Deal`] where the deal does not fit the equipment.
    fn new(equipment: &Arc<Self::Equipment>, deal: &Self::Deal) -> Result<Self, SetupError>;

    /// Number of seats at the table.
    fn seats(&self) -> usize;

    /// Number of the current decision, from 0; seats that decide together share it.
    fn decision(&self) -> u32;

    /// Whether this seat owes an action now.
    fn owes(&self, seat: Seat) -> bool;

    /// The seats that owe an action, in order; none when the game is over.
    fn pending(&self) -> impl Iterator<Item = Seat> {
        (0..self.seats()).filter(|&seat| self.owes(seat))
    }

    /// The first seat that owes an action; `None` when the game is over.
    fn first_pending(&self) -> Option<Seat> {
        self.pending().next()
    }

    /// What the seat may know now. Two deals that differ only in what is still hidden give equal
    /// observations, and an action of another seat in the same decision does not change it.
    fn observe(&self, seat: Seat) -> Self::Observation;

    /// Whether two seats that decide together are shown the same state.
    fn sees_like(&self, seat: Seat, other: Seat) -> bool;

    /// Adds what [`observe`](Game::observe) gives to a line, as JSON: the bytes that serde would write, with
    /// less work.
    fn write_state(&self, seat: Seat, line: &mut Vec<u8>);

    /// Understands a move that is written in the usual way, in one pass; it goes no further than the move's
    /// closing brace. `None` for every other one, be it right or wrong: that is for [`read`](Game::read).
    fn read_usual(equipment: &Self::Equipment, scan: &mut Scan<'_>) -> Option<Self::Action>;

    /// Understands a move.
    ///
    /// # Errors
    /// `Illegal` where it names things that do not exist, such as a cell outside the board.
    fn read(equipment: &Self::Equipment, word: &Self::Word) -> Result<Self::Action, Self::Illegal>;

    /// Writes a move, in one fixed form for each action.
    fn write(equipment: &Self::Equipment, action: &Self::Action) -> Self::Word;

    /// Adds a move to a line, as JSON: the bytes that serde would write, with less work.
    fn write_word(word: &Self::Word, line: &mut Vec<u8>);

    /// Adds a deal to a line, as JSON: the bytes that serde would write, with less work.
    fn write_deal(deal: &Self::Deal, line: &mut Vec<u8>);

    /// Every distinct action that the seat may take now; none where it owes none.
    fn legal_actions(&self, seat: Seat) -> impl Iterator<Item = Self::Action>;

    /// How many [`legal_actions`](Game::legal_actions) there are.
    fn legal_count(&self, seat: Seat) -> u64 {
        self.legal_actions(seat).count() as u64
    }

    /// Takes the seat's action.
    ///
    /// # Errors
    /// `Illegal` where the rules forbid it; the game is unchanged then.
    fn play(&mut self, seat: Seat, action: &Self::Action) -> Result<(), Self::Illegal>;

    /// Takes a seat out of the match after a fault. The others go on where the game allows.
    fn withdraw(&mut self, seat: Seat);

    /// Scores and ranks as they stand now; final once nobody owes an action.
    fn outcome(&self) -> Outcome;
}

/// A seat's part of a deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone<D> {
    /// Seats for which this number is the same have the same part of the same deal.
    pub place: Seat,
    /// The deal with this seat alone.
    pub deal: D,
}

/// Rules and components as plain data, in two forms: written out in full for bots, and abridged
/// for records, which leave out components that are the standard ones.
pub trait Setup: Plain + Default {
    /// With all components.
    fn in_full(&self) -> Self;
    /// Without components that are the standard ones.
    fn abridged(&self) -> Self;
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Points of each seat.
    pub scores: Vec<i32>,
    /// Rank of each seat, from 1; see [`ranks`].
    pub ranks: Vec<u32>,
    /// The points of each seat in each round, for games that score by rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Vec<Vec<i32>>>,
}

/// Ranks by descending merit. Equal merit shares a rank, the next rank is skipped accordingly.
/// Withdrawn seats share the rank behind all others; if every seat is withdrawn all share rank 1.
pub fn ranks<M: Ord>(merits: &[M], withdrawn: &[bool]) -> Vec<u32> {
    let better = |seat: Seat, other: Seat| match (withdrawn[seat], withdrawn[other]) {
        (false, false) => merits[other] > merits[seat],
        (seat_out, other_out) => seat_out && !other_out,
    };
    let count_better = |seat| (0..merits.len()).filter(|&other| better(seat, other)).count();
    (0..merits.len()).map(|seat| count_better(seat) as u32 + 1).collect()
}

/// Why rules, components, seats or a deal cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A card or patch that cannot be used.
    #[error("{id:?}: {reason}")]
    Card {
        /// Its id.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The components as a whole cannot be used.
    #[error("{0}")]
    Components(String),
    /// So many seats cannot play.
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
