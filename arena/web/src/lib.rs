//! Web pages: a match as one file, a running tournament, and a person's seat. The crate has no command
//! line.
//!
#![doc = include_str!("../README.md")]

pub mod human;
pub mod serve;
pub mod view;
pub mod web;

use referee::games::GameKind;

/// A game that pages can show and a person can play.
pub trait Pages: GameKind + view::Frames + human::Hand {}

impl<G: GameKind + view::Frames + human::Hand> Pages for G {}
