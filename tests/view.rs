//! `arena view`: the page of a match, in a real browser where there is one, and what the command says.

#[path = "browser/mod.rs"]
#[expect(dead_code, reason = "what these tests do not need, others do")]
mod browser;
#[path = "view/command.rs"]
mod command;
#[path = "view/drawn.rs"]
mod drawn;
#[path = "view/hostile.rs"]
mod hostile;
#[path = "view/matches.rs"]
mod matches;
#[path = "view/measure.rs"]
mod measure;
#[path = "view/pictures.rs"]
mod pictures;
mod program;
#[path = "view/use_of_it.rs"]
mod use_of_it;
