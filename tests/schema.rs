//! The JSON Schema files in `docs/schema/`: fresh, true of everything that crosses the pipes, and
//! not so wide that damage gets through.
//!
//! `cargo test -p arena --test schema -- --ignored` writes them anew from the types.

#[path = "schema/damage.rs"]
mod damage;
#[path = "schema/examples.rs"]
mod examples;
#[path = "schema/files.rs"]
mod files;
#[path = "documents/markdown.rs"]
#[allow(dead_code, reason = "shared with the tests of the documents")]
mod markdown;
#[path = "schema/matches.rs"]
mod matches;
#[path = "schema/shape.rs"]
mod shape;
#[path = "schema/validators.rs"]
mod validators;
