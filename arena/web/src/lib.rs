//! Web pages: a match as one file, a running tournament, and a person's seat. The crate has no command
//! line.
//!
#![doc = include_str!("../README.md")]

pub mod human;
pub mod pages;
pub mod serve;
pub mod view;
pub mod web;
