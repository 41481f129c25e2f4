//! A person at the table: on the terminal, through a pipe, and on the page, in a real browser where there is one.

#[path = "browser/mod.rs"]
#[expect(dead_code, reason = "what these tests do not need, others do")]
mod browser;
#[path = "program/executable.rs"]
mod executable;
#[path = "play/guests.rs"]
mod guests;
#[path = "play/hands.rs"]
mod hands;
#[path = "play/leaving.rs"]
mod leaving;
#[path = "play/opener.rs"]
mod opener;
#[path = "play/pictures.rs"]
mod pictures;
mod program;
#[path = "play/terminal.rs"]
mod terminal;
#[path = "play/whole.rs"]
mod whole;
