//! Patchwork Doodle: one seat or more, simultaneous turns, one sheet for each seat.
//!
//! - `cards`: the deck
//! - `deal`: the deal, which has all chance of the game
//! - `sheet`: one player's board and special actions
//! - `moves`: the legal moves of a seat in a turn
//! - `steps`: a move as a list of numbers
//! - `state`: one seat's match, as a search copies it
//! - `game`: the match
//! - `view`: observations and moves on the wire
//! - `seat_turn`: a seat's turn, restored from an observation
//!
//! ```
//! use std::sync::Arc;
//!
//! use engine::doodle::{Doodle, Equipment};
//! use engine::game::Game;
//!
//! let equipment = Arc::new(Equipment::standard());
//! let deal = Doodle::deal(&equipment, 2, 7)?;
//! let mut game = Doodle::new(&equipment, &deal)?;
//! assert_eq!((deal.starts.len(), deal.deck.len(), deal.dice.len()), (2, 30, 17));
//!
//! let action = game.legal_actions(0).next().expect("a start patch fits the empty sheet");
//! game.play(0, &action).expect("a listed action is legal");
//! // The other seat does not see the action before it has decided, too.
//! assert_eq!(game.observe(1).players[0].board.len(), 0);
//! # Ok::<(), engine::game::SetupError>(())
//! ```

mod action;
mod cards;
mod deal;
mod game;
mod illegal;
mod moves;
mod score;
mod seat_turn;
mod sheet;
mod state;
mod steps;
mod view;

pub use action::{Action, Draw};
pub use cards::{CardFile, CardFileFields, CardId, CardText, DoodleSetup, Equipment, Rules, StartCards};
pub use deal::{DICE, Deal, Phase, TURNS, Timeline, Turn};
pub use game::Doodle;
pub use illegal::Illegal;
pub use moves::{Drawing, Moves, Offer};
pub use score::{Rectangle, best_rectangle, rectangle_points};
pub use seat_turn::{BadObservation, SeatTurn};
pub use sheet::{ROUNDS, Sheet, Special, Specials, Uses};
pub use state::{State, Table};
pub use steps::{Step, Steps};
pub use view::{Observation, PlayerView, WireMove};
