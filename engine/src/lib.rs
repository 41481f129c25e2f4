//! The rules of Patchwork Doodle and Patchwork, and the words bots speak.
//!
//! A match here is a function of its deal and the actions taken: no IO, no clock, no global
//! randomness. `wire` is the contract with bots in types; `game` is what every game offers a
//! referee; the rest are the games and the geometry they share.

pub mod dealer;
pub mod doodle;
pub mod game;
pub mod patchwork;
pub mod perft;
pub mod rule;
pub mod shapes;
pub mod wire;

pub use shapes::{bitboard, cells, cpu, fits, patch};
pub use wire::{json, name, scan};
