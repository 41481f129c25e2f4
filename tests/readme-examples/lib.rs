//! The examples in the READMEs of the libraries.

#[doc = include_str!("../../arena/referee/README.md")]
pub mod referee {}
#[doc = include_str!("../../arena/stats/README.md")]
pub mod stats {}
#[doc = include_str!("../../arena/tournament/README.md")]
pub mod tournament {}
#[doc = include_str!("../../arena/web/README.md")]
pub mod web {}
