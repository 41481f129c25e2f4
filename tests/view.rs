//! `arena view`: the page of a match, and the messages of the command. The page tests use a real browser if
//! there is one.

mod beside;
mod command;
mod drawn;
mod fits;
mod hostile;
mod matches;
mod measure;
mod pictures;
mod use_of_it;
