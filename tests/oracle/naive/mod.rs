//! A second, deliberately slow telling of both games' rules.
//!
//! Nothing here knows the engine: the code was written from the rule text with lists, loops and
//! flood fills, so that a mistake in one of the two is unlikely to be made in the other as well.
//! The oracle tests play random games in both and compare what they see after every turn.
//!
//! The module `shapes` has cells, orientations, pieces of a cut and the 9x9 board, shared by both
//! games; `doodle` is Patchwork Doodle and `patchwork` is Patchwork.

// Each test binary that includes this tree uses a part of it, and `pub` marks what a test may
// use, although a test binary exports nothing.
#![allow(dead_code, unreachable_pub)]

pub mod doodle;
pub mod patchwork;
pub mod shapes;
