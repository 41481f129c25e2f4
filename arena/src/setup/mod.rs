//! What people write, made into bots and tournaments.

pub(crate) mod containment;
pub(crate) mod grants;
pub(crate) mod layers;
pub(crate) mod lineup;
pub(crate) mod runtime;
pub(crate) mod times;
pub(crate) mod words;
