//! A second, deliberately slow implementation of both games' rules.
//!
//! It is independent of the engine. It was written from the rule text with lists, loops, and flood fills, so
//! that both implementations are unlikely to share a mistake. The oracle tests play random games in both and
//! compare states after every turn.
//!
//! The module `shapes` has cells, orientations, pieces of a cut, and the 9x9 board, which both games share.
//! `doodle` is Patchwork Doodle, and `patchwork` is Patchwork.

// Each test program that includes this tree uses a part of it. `pub` marks the interface for tests, although
// a test program exports nothing.
#![allow(dead_code, unreachable_pub)]

pub mod doodle;
pub mod patchwork;
pub mod shapes;
