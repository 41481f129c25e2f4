//! Runs a tournament: the workers, the owner of their shared data, and the files other than the journal.

pub mod concurrency;
pub mod fault_reports;
pub mod live;
pub mod observer;
pub mod owner;
pub mod resume;
pub mod shard;
pub mod solo_cache;
pub mod stop;
pub mod think_time;
pub mod tournament;
pub mod worker;
