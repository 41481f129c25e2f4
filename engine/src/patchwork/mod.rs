//! Patchwork for two: the player whose token is further behind on the time track moves.
//!
//! - `patches`: rules and components as written in files and messages
//! - `equipment`: the same, compiled for play
//! - `track`: the time track
//! - `deal`: the deal, which has all chance of the game
//! - `table`: the constant data of a match
//! - `state`: the changing data of a match
//! - `moves`: the legal moves as sets
//! - `numbers`: the numbers of moves
//! - `action`: the check of one move, and the reasons why it is refused
//! - `game`: the match
//! - `restore`: a match from an observation
//! - `view`: observations and moves on the wire
//!
//! A search needs only [`Table`], [`State`], and [`Moves`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use engine::game::Game;
//! use engine::patchwork::{Action, Equipment, Patchwork};
//!
//! let equipment = Arc::new(Equipment::standard());
//! let mut game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1)?)?;
//! game.play(0, &Action::Advance).expect("a seat may always advance");
//! // The token is one space ahead, for one button; seat 1 is behind and moves.
//! let seen = game.observe(1);
//! assert_eq!((seen.players[0].space, seen.players[0].buttons), (1, 6));
//! assert_eq!(game.to_move(), Some(1));
//! # Ok::<(), engine::game::SetupError>(())
//! ```

mod action;
mod bonus;
mod deal;
mod equipment;
mod game;
mod moves;
mod numbers;
mod patches;
mod playout;
mod restore;
mod state;
mod table;
mod track;
mod turn;
mod view;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod sequences;
#[cfg(test)]
mod traps;

pub use action::Illegal;
pub use bonus::BONUS_POINTS;
pub use deal::Deal;
pub use equipment::{Equipment, PatchId, PricedPatch};
pub use game::{Key, Patchwork};
pub use moves::{Fits, Moves};
pub use patches::{Leather, LeatherFile, PatchFile, PatchText, PatchworkSetup, Rules, TrackFile, TrackText};
pub use playout::Playout;
pub use restore::BadObservation;
pub use state::{FIRST_BUTTONS, OFFER, Player, SEATS, State};
pub use table::Table;
pub use track::Track;
pub use turn::{Action, Phase};
pub use view::{Observation, PlayerView, WireMove};
