//! `arena serve`: what is answered over HTTP, to whom, and its pages in a real browser where there is one.

#[path = "serve/answers.rs"]
mod answers;
#[path = "browser/mod.rs"]
#[expect(dead_code, reason = "what these tests do not need, others do")]
mod browser;
#[path = "serve/client.rs"]
mod client;
#[path = "serve/follows.rs"]
mod follows;
#[path = "serve/lets_in.rs"]
mod lets_in;
#[path = "serve/measure.rs"]
mod measure;
#[path = "serve/pages.rs"]
mod pages;
#[path = "serve/parts.rs"]
mod parts;
#[path = "serve/pictures.rs"]
mod pictures;
mod program;
#[path = "serve/report.rs"]
mod report;
#[path = "serve/running.rs"]
mod running;
#[path = "program/unfinished.rs"]
mod unfinished;

/// Limits that no sound bot comes near, on a crowded machine too.
const AMPLE: [&str; 4] = ["--startup-time", "60s", "--move-time", "60s"];
