//! All tests of the arena, as one program: its library and the program as its users meet it.
//!
//! `tests/NAME.rs` and the folder of that name are one chapter: `cargo test -p quilt-arena --test integration NAME::` runs it.
//! `program`, `browser`, and `fixtures` are what chapters share.

#[expect(dead_code, reason = "some of it is for the fixtures themselves")]
mod fixtures {
    pub(crate) mod attacks;
    pub(crate) mod modes;
}
mod browser;
mod program;

mod bot_process;
mod check;
mod cli;
mod cluster;
mod compare;
mod contain;
mod documents;
mod faults;
mod formats;
mod freeze;
mod fuzz;
mod hostile;
mod journal;
mod kits;
mod matches;
mod mistakes;
mod parts;
mod play;
mod replay;
mod reuse;
mod schema;
mod screens;
mod sequential;
mod serve;
mod solitary;
mod statistics;
mod strangers;
mod structure;
mod vectors;
mod view;
