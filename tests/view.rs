//! `arena view`: the page of a match, in a real browser if there is one, and the messages of the command.

mod command;
mod drawn;
mod hostile;
mod matches;
mod measure;
mod pictures;
mod use_of_it;
