//! A game of the user's own, as its program writes it.

use referee::games::external::External;

use super::TextBoard;

impl TextBoard for External {}
