//! What people write, made into bots, matches, and tournaments.

pub(crate) mod args;
pub(crate) mod asked;
mod claimed;
pub(crate) mod containment;
pub(crate) mod contest;
mod equipped;
pub(crate) mod grants;
pub(crate) mod judged;
pub(crate) mod layers;
pub(crate) mod league;
mod lined_up;
pub(crate) mod lineup;
pub(crate) mod out;
mod outlined;
mod planned;
pub(crate) mod positions;
pub(crate) mod program;
pub(crate) mod recipe;
pub(crate) mod roster;
pub(crate) mod rules;
pub(crate) mod runtime;
pub(crate) mod select;
pub(crate) mod single_match;
pub(crate) mod times;
pub(crate) mod trust;
pub(crate) mod versions;
pub(crate) mod words;
