//! One match: bots and a deal in, a record out. Knows no file of a tournament.

pub mod allowance;
pub mod answer;
pub mod bot;
pub mod bundled;
pub mod chair;
pub mod clock;
pub mod contained;
pub mod entrants;
pub mod error;
pub mod games;
pub mod names;
pub mod note;
pub mod play;
pub mod pool;
pub mod record;
pub mod seeds;
pub mod solitary;
pub mod table;
