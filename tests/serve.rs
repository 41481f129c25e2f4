//! `arena serve`: what is answered over HTTP, to whom, and its pages in a real browser where there is one.

mod answers;
mod client;
mod follows;
mod lets_in;
mod measure;
mod pages;
mod parts;
mod pictures;
mod report;
mod running;

/// Limits that no sound bot comes near, on a crowded machine too.
const AMPLE: [&str; 4] = ["--startup-time", "60s", "--move-time", "60s"];
