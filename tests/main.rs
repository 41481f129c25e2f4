//! All tests of the arena's library and of its program, as one test binary.
//!
//! A chapter is `tests/NAME.rs` and the folder with that name.
//! `cargo test -p quilt-arena --test integration NAME::` runs it. The chapters share `program`, `browser`,
//! and `fixtures`.

#[expect(dead_code, reason = "some of it is for the fixtures themselves")]
mod fixtures {
    pub(crate) mod attacks;
    pub(crate) mod modes;
}
mod browser;
mod program;

mod analysis;
mod authors;
mod bot_process;
mod changes;
mod check;
mod cli;
mod cluster;
mod commitment;
mod compare;
mod contain;
mod course;
mod crashes;
mod documents;
mod faults;
mod formats;
mod freeze;
mod fuzz;
mod games;
mod held;
mod host;
mod hostile;
mod install;
mod journal;
mod kits;
mod limits;
mod log;
mod matches;
mod mistakes;
mod newcomer;
mod nim;
mod numbers;
mod options;
mod own;
mod play;
mod positions;
mod ratings;
mod replay;
mod retries;
mod reuse;
mod schema;
mod screens;
mod sequential;
mod serve;
mod shards;
mod signals;
mod solitary;
mod statistics;
mod strangers;
mod structure;
mod submissions;
mod suites;
mod tune;
mod vectors;
mod versions;
mod view;
