//! Texts and directories from strangers: how people and terminals see them, and how much it costs to read
//! them.

mod directories;
mod results;
mod words;
