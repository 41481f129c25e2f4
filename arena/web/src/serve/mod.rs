//! A tournament in a browser, while it runs or afterwards: reads its directory and answers HTTP requests.
//!
//! The module writes no files. [`Follower`] reads the journal and the shards as they grow, on its own
//! thread, and keeps the results in [`Live`]. Requests are answered from there. Only a request for a single
//! match reads that match's record from the disk.

mod contents;
mod costs;
mod desk;
mod event_stream;
mod follow;
mod hosts;
mod league;
mod list;
mod live;
mod matches;
mod read;
mod record;
mod report;
mod routes;
mod running;
mod silence;
mod sources;
mod speed;
mod tail;

pub use costs::costliest;
pub use desk::{Coach, Desk, Judged, Work};
pub use event_stream::{Running, RunningRow};
pub use follow::{Follower, follow_stages};
pub use league::{LeaguePage, league_routes};
pub use list::{Entry, List, Place, SeatResult};
pub use live::{Live, Status};
pub use matches::{Audience, page_for};
pub use record::{RECORD, RECORD_BYTES_MAX, record_routes};
pub use report::Report;
pub(crate) use routes::nothing;
pub use routes::routes;
pub use sources::Parts;

use crate::web::answer::Asset;

/// The style of tournament pages, in addition to the style of all pages.
pub(crate) const STYLE: Asset = ("live.css", include_str!("assets/live.css"));
/// The modules that draw the tables of a tournament, on the live page or in a report. They come after the
/// modules of [`view`](crate::view) that they import.
const TABLES: [Asset; 6] = [
    ("standings.js", include_str!("assets/standings.js")),
    ("outcome.js", include_str!("assets/outcome.js")),
    ("crosstable.js", include_str!("assets/crosstable.js")),
    ("spread.js", include_str!("assets/spread.js")),
    ("strength.js", include_str!("assets/strength.js")),
    ("tables.js", include_str!("assets/tables.js")),
];
