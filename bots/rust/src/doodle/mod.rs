//! What the bots share that look ahead at Patchwork Doodle.
//!
//! `outlook` says what a sheet is worth, from `holes` and `targets`, with the numbers in `weights`;
//! `ahead` lists what is worth trying in a turn; `future` deals what is unseen; `search` plays
//! futures out for the best looking actions, as long as its `budget` lasts.

pub(crate) mod ahead;
pub(crate) mod budget;
pub(crate) mod future;
mod holes;
pub(crate) mod outlook;
pub(crate) mod search;
mod targets;
pub(crate) mod thinker;
mod weights;
