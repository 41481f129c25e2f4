//! Statistics: numbers in, answers out. Knows nothing of games, files and processes.

pub mod sequential;
