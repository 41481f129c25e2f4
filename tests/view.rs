//! `arena view`: the page of a match, in a real browser where there is one, and what the command says.

mod command;
mod drawn;
mod hostile;
mod matches;
mod measure;
mod pictures;
mod use_of_it;
