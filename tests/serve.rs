//! `arena serve`: its HTTP responses, its access control, and its pages. The page tests use a real browser if
//! there is one.

mod answers;
pub(crate) mod client;
mod follows;
mod judge;
mod league;
mod lets_in;
mod light;
mod links;
mod measure;
mod pages;
mod pictures;
mod record;
mod report;
mod running;
mod shards;
mod walk;

/// Limits that a correct bot meets even on a busy machine.
const AMPLE: [&str; 4] = ["--startup-time", "60s", "--move-time", "60s"];
