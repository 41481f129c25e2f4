//! The trait of a game, for a referee: it covers simultaneous and sequential games.

use std::error::Error;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A place at the table, from 0.
pub type Seat = usize;

/// Plain data: comparable, printable, and serializable for messages and files.
///
/// # Examples
/// ```
/// use engine::doodle::{Doodle, Equipment};
/// use engine::game::{Game, Plain};
///
/// fn copy<T: Plain>(value: &T) -> T {
///     let text = serde_json::to_string(value).expect("plain data is JSON");
///     serde_json::from_str(&text).expect("plain data reads back")
/// }
/// let deal = Doodle::deal(&Equipment::standard(), 2, 7)?;
/// assert_eq!(copy(&deal), deal);
/// # Ok::<(), engine::game::SetupError>(())
/// ```
pub trait Plain: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync {}
impl<T: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync> Plain for T {}

/// A game in progress, as a value.
///
/// It knows which seats owe an action and what each seat may see and do. It accepts or refuses one
/// action at a time, and gives the result. The game itself is deterministic: all chance is in the
/// [`Deal`](Game::Deal). `tests/conformance.rs` checks the contract that every implementation keeps.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use engine::doodle::Doodle;
/// use engine::game::{Game, SetupError, first_pending};
/// use engine::patchwork::Patchwork;
///
/// /// Plays a match in which both seats always take the first legal action.
/// fn first_actions<G: Game>(seed: u64) -> Result<G, SetupError> {
///     let equipment = Arc::new(G::equip(&G::Setup::default())?);
///     let mut game = G::new(&equipment, &G::deal(&equipment, 2, seed)?)?;
///     while let Some(seat) = first_pending(&game) {
///         let action = game.legal_actions(seat).next().expect("the seat owes an action");
///         game.play(seat, &action).expect("a listed action is legal");
///     }
///     Ok(game)
/// }
/// // Both players only advance, for one button a space. The leather patches all lie on even spaces,
/// // and seat 1 takes them: each covers a cell and saves two points.
/// let patchwork = first_actions::<Patchwork>(7)?;
/// let score = 5 + 53 - 2 * 81;
/// assert_eq!(patchwork.outcome().scores, [score, score + 5 * 2]);
/// assert_eq!(first_actions::<Doodle>(7)?.decision(), 19);
/// # Ok::<(), SetupError>(())
/// ```
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// Rules and components as written in `start` messages and records.
    type Setup: Setup;
    /// The components with everything that is computed from them once; all matches share it.
    type Equipment: Debug + Send + Sync;
    /// Everything that chance decides in a match.
    type Deal: Plain;
    /// The information that one seat may have, as written in `turn` messages.
    type Observation: Plain;
    /// A move in the engine's terms.
    type Action: Clone + Debug + PartialEq + Eq + PartialOrd + Ord + Hash;
    /// The reason why a move is refused, in words for the author of a bot.
    type Illegal: Error + Clone + PartialEq;

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

    /// Returns the part of the deal that is public before this decision: a deal whose lists end early.
    /// The default is the whole deal, for games without hidden information.
    fn revealed(deal: &Self::Deal, _decision: u32) -> Self::Deal {
        deal.clone()
    }

    /// Completes the public part of a deal. Everything that is possible is equally likely.
    fn redeal(_equipment: &Self::Equipment, revealed: &Self::Deal, _seed: u64) -> Self::Deal {
        revealed.clone()
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

    /// Returns the name of a decision for people, who count turns from 1.
    fn turn_name(id: u32) -> String {
        turn_name(id)
    }

    /// Returns true if this seat owes an action now; false if it does not exist.
    fn owes(&self, seat: Seat) -> bool;

    /// Returns the information that the seat may have now. Two deals that differ only in hidden
    /// information give equal observations. Actions of other seats in the same decision do not change
    /// it.
    fn observe(&self, seat: Seat) -> Self::Observation;

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

    /// Takes a seat out of the match after a fault. The other seats continue if the game allows it. A seat that does
    /// not exist changes nothing.
    fn withdraw(&mut self, seat: Seat);

    /// Returns the current scores and ranks. They are final when no seat owes an action.
    fn outcome(&self) -> Outcome;
}

/// The seats that owe an action, in ascending order; empty when the game is over.
pub fn pending<G: Game>(game: &G) -> impl Iterator<Item = Seat> {
    (0..game.seats()).filter(|&seat| game.owes(seat))
}

/// The first seat that owes an action; `None` when the game is over.
pub fn first_pending<G: Game>(game: &G) -> Option<Seat> {
    pending(game).next()
}

/// A seat's part of a deal, from [`Game::alone`].
///
/// # Examples
/// ```
/// use engine::doodle::{Doodle, DoodleSetup, Equipment, Rules, StartCards};
/// use engine::game::Game;
///
/// let rules = Rules { start_cards: StartCards::Shared };
/// let equipment = Equipment::new(&DoodleSetup { rules, cards: None })?;
/// let deal = Doodle::deal(&equipment, 2, 7)?;
/// let [first, second] = [0, 1].map(|seat| Doodle::alone(&equipment, &deal, seat).unwrap());
/// assert_eq!((first.place, second.place), (0, 0));
/// assert_eq!(first.deal, second.deal);
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone<D> {
    /// Seats with the same number have the same part of the deal.
    pub place: Seat,
    /// The deal with this seat alone.
    pub deal: D,
}

/// Rules and components as plain data, in two forms. The full form is for bots. The abridged form is
/// for records, and omits components that are the standard ones.
///
/// # Examples
/// ```
/// use engine::doodle::DoodleSetup;
/// use engine::game::Setup;
///
/// let record = DoodleSetup::default();
/// let start = record.in_full();
/// assert_eq!(start.cards.as_ref().map(|cards| cards.patches.len()), Some(30));
/// assert_eq!(start.abridged(), record);
/// ```
pub trait Setup: Plain + Default {
    /// Returns the form with all components.
    fn in_full(&self) -> Self;
    /// Returns the form without the standard components.
    fn abridged(&self) -> Self;
    /// Returns the abridged form without what belongs to one machine, such as the path of a program.
    fn portable(&self) -> Self {
        self.abridged()
    }
}

/// The result of a match.
///
/// # Examples
/// ```
/// use engine::game::{Outcome, ranks};
///
/// let scores = vec![-12, 30];
/// let outcome = Outcome { ranks: ranks(&scores, &[false, false]), scores, rounds: None };
/// assert_eq!(outcome.ranks, [2, 1]);
/// assert_eq!(serde_json::to_string(&outcome)?, r#"{"scores":[-12,30],"ranks":[2,1]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
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
///
/// # Examples
/// ```
/// use engine::game::ranks;
///
/// assert_eq!(ranks(&[5, 9, 5, 1], &[false; 4]), [2, 1, 2, 4]);
/// assert_eq!(ranks(&[5, 9, 5, 1], &[false, true, false, true]), [1, 3, 1, 3]);
/// ```
pub fn ranks<M: Ord>(merits: &[M], withdrawn: &[bool]) -> Vec<u32> {
    let is_out = |seat: Seat| withdrawn.get(seat).copied().unwrap_or(false);
    let better = |seat: Seat, other: Seat| match (is_out(seat), is_out(other)) {
        (false, false) => merits[other] > merits[seat],
        (seat_out, other_out) => seat_out && !other_out,
    };
    let count_better = |seat| (0..merits.len()).filter(|&other| better(seat, other)).count();
    (0..merits.len()).map(|seat| count_better(seat) as u32 + 1).collect()
}

/// The reason why rules, components, seats, or a deal are not playable.
///
/// # Examples
/// ```
/// use engine::game::SetupError;
/// use engine::doodle::CardFile;
///
/// let error = CardFile::from_json("[]").unwrap_err();
/// assert!(matches!(error, SetupError::Components(_)));
/// assert!(error.to_string().starts_with("not a card file: "));
/// ```
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
    /// The game itself failed, such as a program that knows its rules.
    #[error("the game failed: {0}")]
    Failed(String),
}

/// Returns the name of a decision for people, who count turns from 1, without the parts of a game.
pub fn turn_name(id: impl Into<u64>) -> String {
    format!("turn {}", id.into().saturating_add(1))
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
