//! Patchwork for two: the player whose token is further behind on the time track moves.
//!
//! - `patches`: rules and components as written in files and messages
//! - `equipment`: the same, compiled for play
//! - `track`: the time track
//! - `deal`: the deal, which has all chance of the game
//! - `table`: the constant data of a match
//! - `position`: the changing data of a match
//! - `moves`: the legal moves as sets
//! - `action`: the check of one move, and the reasons why it is refused
//! - `game`: the match
//! - `restore`: a match from an observation
//! - `view`: observations and moves on the wire
//!
//! A search needs only [`Table`], [`Position`], and [`Moves`].

mod action;
mod deal;
mod equipment;
mod game;
mod moves;
mod patches;
mod playout;
mod position;
mod restore;
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
pub use deal::Deal;
pub use equipment::{Equipment, PatchId, PricedPatch};
pub use game::Patchwork;
pub use moves::{Fits, Moves};
pub use patches::{Leather, LeatherFile, PatchFile, PatchText, PatchworkSetup, Rules, TrackFile, TrackText};
pub use playout::Playout;
pub use position::{BONUS_POINTS, FIRST_BUTTONS, OFFER, Player, Position, SEATS};
pub use restore::Inconsistent;
pub use table::Table;
pub use track::Track;
pub use turn::{Action, Phase};
pub use view::{Observation, PlayerView, Word};
