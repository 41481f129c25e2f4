//! Patchwork for two: one seat at a time, and the one further behind on the time track moves.
//!
//! `patches` is what is written in files and messages, `equipment` the same ready to play with,
//! `track` the time track, `deal` the only place with chance, `table` what stays the same in a
//! match and `position` what changes, `moves` the legal moves as sets, `action` one move and why
//! it is refused, `game` the match, `restore` the match from what a seat sees, `view` the wire's
//! words. A search needs only [`Table`], [`Position`] and [`Moves`].

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
