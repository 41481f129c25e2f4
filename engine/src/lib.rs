//! The rules of Patchwork Doodle and Patchwork, as values.
//!
//! A match depends only on its deal and its moves: there is no IO, no clock, and no global randomness.
//! The games are [`doodle`] and [`patchwork`]. Both implement the trait [`game::Game`]: the seats that
//! must act, the observation of each seat, the legal moves, and the result. They share the geometry in
//! [`bitboard`] and [`patch`]. [`wire`] has the messages of the JSON protocol as types.
//!
//! `cargo run -p quilt-engine --example random_match` plays a match and prints its scores.
//!
#![doc = include_str!("../README.md")]

pub mod dealer;
pub mod doodle;
pub mod game;
pub mod numbers;
pub mod patchwork;
pub mod perft;
pub mod rule;
mod shapes;
pub mod wire;

pub use shapes::{bitboard, cells, cpu, patch};
