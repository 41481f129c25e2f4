//! The players of seats: a process, a game played alone, a person, or a script.

pub mod bot;
pub mod fault;
pub mod human;
pub mod pool;
pub mod solo;
pub mod table;
