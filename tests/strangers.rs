//! Texts and directories from strangers. The tests check how people and terminals see them, and how much it
//! costs to read them.

mod directories;
mod files;
mod grants;
mod own;
mod results;
mod words;
