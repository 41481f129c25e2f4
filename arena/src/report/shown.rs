//! The requirements of the program for a game.

use crate::report::board::TextBoard;
use referee::games::GameKind;
use web::Pages;

/// A game that the program can show on a terminal.
pub(crate) trait Drawn: GameKind + TextBoard {}

impl<G: GameKind + TextBoard> Drawn for G {}

/// A game that the program can show on a terminal and in a browser.
pub(crate) trait Shown: Pages + TextBoard {}

impl<G: Pages + TextBoard> Shown for G {}
