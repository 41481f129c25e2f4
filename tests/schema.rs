//! The JSON Schema files in `docs/schema/`. They match the types, accept every real message, and reject
//! damaged ones.
//!
//! `cargo test -p quilt-arena --test integration schema:: -- --ignored` regenerates them from the types.

mod damage;
mod examples;
mod files;
mod matches;
mod pages;
mod shape;
mod validators;
