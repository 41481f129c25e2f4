//! The traits that pages need from a game.

use crate::human::Hand;
use crate::view::Frames;
use referee::games::GameKind;

/// A game that pages can show and a person can play.
pub trait Pages: GameKind + Frames + Hand {}

impl<G: GameKind + Frames + Hand> Pages for G {}
