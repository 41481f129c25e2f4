//! A tournament in a browser, as it runs or after: what is read of its directory, and what is answered.
//!
//! Nothing is written and nobody is asked: [`Follower`] reads the journal and the parts as they grow, on a thread
//! of its own, and leaves in [`Live`] what requests are answered from. A record is read from the disk
//! when somebody wants to see its match.

mod contents;
mod follow;
mod hosts;
mod list;
mod live;
mod matches;
mod read;
mod reel;
mod report;
mod routes;
mod running;
mod sources;
mod speed;
mod tail;

pub use follow::Follower;
pub use list::{Choice, Entry, List, Order, Place, Sitting};
pub use live::{Live, Status};
pub use reel::{Running, RunningRow};
pub use report::Report;
pub use routes::routes;
pub use sources::Parts;

use crate::web::answer::Asset;

/// The style of a tournament, beside that of all pages.
const STYLE: Asset = ("live.css", include_str!("assets/live.css"));
/// What draws the tables of a tournament, live or in a report; behind those of [`view`](crate::view) that they
/// import.
const TABLES: [Asset; 5] = [
    ("standings.js", include_str!("assets/standings.js")),
    ("outcome.js", include_str!("assets/outcome.js")),
    ("crosstable.js", include_str!("assets/crosstable.js")),
    ("spread.js", include_str!("assets/spread.js")),
    ("strength.js", include_str!("assets/strength.js")),
];
