//! Pages: a match as one file, a tournament as it runs, and a person's seat. Knows no command line.

pub mod human;
pub mod pages;
pub mod serve;
pub mod view;
pub mod web;
