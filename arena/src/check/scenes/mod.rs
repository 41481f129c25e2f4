//! Prepared matches: each brings a bot into a situation that ordinary matches reach seldom.

mod doodle;
mod patchwork;

use engine::dealer::Dealer;
use engine::game::Seat;

use super::dress::Dress;
use referee::games::Playable;

/// The seed of the deal and of the bots in every prepared match.
pub(super) const SEED: u64 = 20_141;

/// A prepared match.
#[derive(Clone, Debug)]
pub(super) struct Scene<G: Playable> {
    /// Its short name, without the game's.
    pub(super) name: &'static str,
    /// What it is about.
    pub(super) title: &'static str,
    /// What a bot that fails only here should do.
    pub(super) hint: &'static str,
    /// Rules and components.
    pub(super) setup: G::Setup,
    /// Seats at the table.
    pub(super) seats: usize,
    /// The seat of the bot that is examined.
    pub(super) seat: Seat,
    /// How the arena's lines are changed.
    pub(super) dress: Dress,
    /// Whether there is a bank of time for the whole match.
    pub(super) has_bank: bool,
    /// The decision in which the other seats drop out, if they do.
    pub(super) others_leave_at: Option<u32>,
    /// The decision from which on the bot plays; before it a stand-in has its seat.
    pub(super) takes_over_at: u32,
}

impl<G: Playable> Scene<G> {
    /// An ordinary match with standard components, for the first of so many seats.
    fn ordinary(name: &'static str, title: &'static str, seats: usize) -> Scene<G> {
        Scene {
            name,
            title,
            hint: "",
            setup: G::Setup::default(),
            seats,
            seat: 0,
            dress: Dress::Plain,
            has_bank: false,
            others_leave_at: None,
            takes_over_at: 0,
        }
    }

    /// What both games have: a match taken over (what `middle` says), others that drop out, lines in
    /// another dress.
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
                dress: Dress::Crlf,
                ..Scene::ordinary("crlf", "lines that end in \\r\\n", seats)
            },
            Scene {
                hint: "ignore fields that you do not know, and find those you know by name, not by place",
                dress: Dress::Fields,
                ..Scene::ordinary("fields", "unknown fields, and fields in another order", seats)
            },
        ]
    }
}

/// A game with its prepared matches.
pub(super) trait Scenes: Playable {
    /// All of them; the first one is an ordinary match.
    fn scenes() -> Vec<Scene<Self>>;

    /// A legal move of a seat that owes one, drawn by chance; special actions are used up soon.
    fn any_action(&self, seat: Seat, chance: &mut Dealer) -> Self::Action;
}
