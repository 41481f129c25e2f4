//! The requirements of the program for a game.

use crate::report::board::Show;
use web::pages::Pages;

/// A game that the program can show on a terminal and in a browser.
pub(crate) trait Shown: Pages + Show {}

impl<G: Pages + Show> Shown for G {}
