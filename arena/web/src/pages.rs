//! The traits that pages need from a game.

use crate::human::ByHand;
use crate::view::Pictured;
use referee::games::Playable;

/// A game that pages can show and a person can play.
pub trait Pages: Playable + Pictured + ByHand {}

impl<G: Playable + Pictured + ByHand> Pages for G {}
