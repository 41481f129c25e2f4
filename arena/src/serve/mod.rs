//! A tournament in a browser, as it runs or after: what is read of its directory, and what is answered.
//!
//! Nothing is written and nobody is asked: [`Follower`] reads the journal as it grows, on a thread of
//! its own, and leaves in [`Live`] what requests are answered from. A record is read from the disk
//! when somebody wants to see its match.

mod follow;
mod list;
mod live;
mod matches;
mod report;
mod routes;
mod tail;

pub use follow::Follower;
pub use list::{Choice, Entry, List, Order, Sitting};
pub use live::{Live, Status};
pub use report::Report;
pub use routes::routes;
