//! A tournament as it is played: workers, one owner of what they share, and what is written beside the journal.

pub mod evidence;
pub mod games_alone;
pub mod live;
pub mod observer;
pub mod owner;
pub mod pace;
pub mod resume;
pub mod shard;
pub mod stop;
pub mod tournament;
pub mod worker;
