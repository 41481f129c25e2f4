//! The examples in the READMEs of the libraries.

#[doc = include_str!("../../engine/README.md")]
pub mod engine {}
#[doc = include_str!("../../arena/referee/README.md")]
pub mod referee {}
#[doc = include_str!("../../arena/sandbox/README.md")]
pub mod sandbox {}
#[doc = include_str!("../../arena/stats/README.md")]
pub mod stats {}
#[doc = include_str!("../../arena/tournament/README.md")]
pub mod tournament {}
#[doc = include_str!("../../arena/web/README.md")]
pub mod web {}
