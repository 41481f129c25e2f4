//! The rules of Patchwork Doodle and Patchwork, as values.
//!
//! A match is a function of its deal and the moves played: no IO, no clock, no global randomness. [`doodle`] and
//! [`patchwork`] are the games. [`game::Game`] is what both of them offer: who has to move, what each seat sees, the legal
//! moves, the result. [`bitboard`] and [`patch`] are the geometry that they share. [`wire`] has the messages of the JSON
//! protocol as types.
//!
//! `cargo run -p quilt-engine --example random_match` plays a match and prints its scores.

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
