//! Patchwork Doodle: one to many seats, simultaneous turns, a sheet for each.
//!
//! `cards` is the deck, `deal` the only place with chance, `sheet` one player's board and special
//! actions, `decision` what a seat may do in a turn, `state` a seat's match as a search copies it,
//! `game` the match, `view` the wire's words, `position` the way back from them.

mod action;
mod cards;
mod deal;
mod decision;
mod game;
mod illegal;
mod position;
mod score;
mod sheet;
mod state;
mod view;

pub use action::{Action, Draw};
pub use cards::{CardFile, CardFileFields, CardId, CardText, DoodleSetup, Equipment, Rules, StartCards};
pub use deal::{DICE, Deal, Phase, TURNS, Timeline, Turn};
pub use decision::{Decision, Drawing, Offer};
pub use game::Doodle;
pub use illegal::Illegal;
pub use position::{BadObservation, Position};
pub use score::{Rectangle, best_rectangle, rectangle_points};
pub use sheet::{ROUNDS, Sheet, Special, Specials, Uses};
pub use state::{Course, State};
pub use view::{Observation, PlayerView, Word};
