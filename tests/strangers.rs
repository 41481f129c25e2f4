//! Words and directories of strangers: what people and terminals are shown of them, and what reading them costs.

mod directories;
mod results;
mod words;
