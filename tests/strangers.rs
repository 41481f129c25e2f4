//! Words and directories of strangers: what people and terminals are shown of them, and what reading them costs.

#[path = "strangers/directories.rs"]
mod directories;
mod program;
#[path = "strangers/results.rs"]
mod results;
#[path = "strangers/words.rs"]
mod words;
