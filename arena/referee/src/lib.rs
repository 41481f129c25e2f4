//! One match: bots and a deal in, a record out. This crate knows no files of tournaments.
//!
#![doc = include_str!("../README.md")]

pub mod bots;
pub mod difference;
pub mod error;
pub mod games;
pub mod note;
pub mod play;
pub mod record;
pub mod seats;
pub mod user_text;
