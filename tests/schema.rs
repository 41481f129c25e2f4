//! The JSON Schema files in `docs/schema/`: fresh, true of everything that crosses the pipes, and
//! not so wide that damage gets through.
//!
//! `cargo test -p quilt-arena --test integration schema:: -- --ignored` writes them anew from the types.

mod damage;
mod examples;
mod files;
mod matches;
mod shape;
mod validators;
