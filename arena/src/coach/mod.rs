//! What the search of the bundled bots says of positions and of recorded matches. Nothing plays here.

pub(crate) mod analysis;
pub(crate) mod suite;
