//! Runs a tournament: the workers, the owner of their shared data, and the files other than the journal.

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
