//! Web pages: a match as one file, a running tournament, a person's seat, and the door of a contest. The crate has no
//! command line.
//!
#![doc = include_str!("../README.md")]

pub mod contest;
pub mod human;
pub mod serve;
pub mod view;
pub mod web;

use referee::games::GameKind;

/// A game that pages can show and a person can play.
pub trait Pages: GameKind + view::Frames + human::Hand {}

impl<G: GameKind + view::Frames + human::Hand> Pages for G {}
