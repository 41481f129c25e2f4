//! What pages need of a game.

use crate::games::Playable;
use crate::human::ByHand;
use crate::view::Pictured;

/// A game that pages can show and let a person play.
pub trait Pages: Playable + Pictured + ByHand {}

impl<G: Playable + Pictured + ByHand> Pages for G {}
