//! Prepared matches. Each one puts a bot into a situation that is rare in ordinary matches.

mod doodle;
mod own;
mod patchwork;

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::game::{Seat, SetupError};

use super::variant::Variant;
use referee::games::GameKind;
use referee::games::external::Equipment;

/// A user's own game whose program may be asked.
pub(super) type Own = Arc<Equipment>;

/// The seed of the deal and of the bots in every prepared match.
pub(super) const SEED: u64 = 20_141;

/// A prepared match.
#[derive(Clone, Debug)]
pub(super) struct Scene<G: GameKind> {
    /// The short name, without the name of the game.
    pub(super) name: &'static str,
    /// The description of the situation.
    pub(super) title: &'static str,
    /// Advice for a bot that fails only here.
    pub(super) hint: &'static str,
    /// The rules and components.
    pub(super) setup: G::Setup,
    /// The number of seats.
    pub(super) seats: usize,
    /// The seat of the bot under test.
    pub(super) seat: Seat,
    /// The change to the arena's lines.
    pub(super) variant: Variant,
    /// True if the match has a time bank.
    pub(super) has_bank: bool,
    /// The decision in which the other seats drop out, if they do.
    pub(super) others_leave_at: Option<u32>,
    /// The decision with which the match starts, after random moves of all seats.
    pub(super) takes_over_at: u32,
}

impl<G: GameKind> Scene<G> {
    /// Returns a match with standard components, with the bot in the first of `seats` seats.
    fn ordinary(name: &'static str, title: &'static str, seats: usize) -> Scene<G> {
        Scene {
            name,
            title,
            hint: "",
            setup: G::Setup::default(),
            seats,
            seat: 0,
            variant: Variant::Plain,
            has_bank: false,
            others_leave_at: None,
            takes_over_at: 0,
        }
    }

    /// Returns the prepared matches that both games share: a match taken over in the middle, described by
    /// `middle`, opponents that drop out, and variants of the arena's lines.
    fn common(middle: &'static str) -> Vec<Scene<G>> {
        let seats = 2;
        vec![
            Scene {
                hint: "the state of a turn says all: do not count on having seen the turns before",
                takes_over_at: 9,
                ..Scene::ordinary("takes-over", middle, seats)
            },
            Scene {
                hint: "seats that are out stay in \"players\"; their boards do not change any more",
                others_leave_at: Some(3),
                ..Scene::ordinary("others-leave", "the others drop out", seats)
            },
            Scene {
                hint: "a line may end in \\r\\n: let a JSON reader have it whole, or strip blanks from its end",
                variant: Variant::Crlf,
                ..Scene::ordinary("crlf", "lines that end in \\r\\n", seats)
            },
            Scene {
                hint: "ignore fields that you do not know, and find those you know by name, not by place",
                variant: Variant::Fields,
                ..Scene::ordinary("fields", "unknown fields, and fields in another order", seats)
            },
        ]
    }
}

/// A game with its prepared matches.
pub(super) trait Scenes: GameKind {
    /// Returns all prepared matches, in the user's own game if there is one. The first one is an ordinary match.
    fn scenes(own: Option<&Own>) -> Vec<Scene<Self>>;

    /// Returns the rules and components of a prepared match.
    ///
    /// # Errors
    /// The game cannot be played with them.
    fn equipped(setup: &Self::Setup, _own: Option<&Own>) -> Result<Arc<Self::Equipment>, SetupError> {
        Self::equip(setup).map(Arc::new)
    }

    /// Returns a random legal move of a seat that owes one. The moves use up special actions early.
    fn any_action(&self, seat: Seat, chance: &mut Dealer) -> Self::Action;
}
