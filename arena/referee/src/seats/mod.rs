//! The players of seats: a process, a game played alone, a person, or a script.

pub mod bot;
pub mod chair;
pub mod fault;
pub mod pool;
pub mod solitary;
pub mod table;
