//! Keeps the documents true. The tests parse every example with the real types, replay every dialogue with
//! the real referee, and answer every query. They run every command, and look up every link and every name of
//! a test.
//!
//! `cargo test -p quilt-arena --test integration documents:: -- --ignored` rewrites the arena's lines of the
//! dialogues and the output of the commands. Review the difference by hand.

pub(crate) mod commands;
mod dialogues;
mod examples;
mod links;
pub(crate) mod markdown;
pub(crate) mod names;
mod oracle;
mod readme;
mod sizes;

use markdown::{DOCUMENTS, path, read};

/// Rewrites the output of the program in the documents, but no prose.
#[test]
#[ignore = "rewrites documents"]
fn write_documents() {
    for document in DOCUMENTS {
        let mut text = read(document);
        for block in markdown::blocks(document) {
            let fresh = match () {
                () if dialogues::is_dialogue(&block) => dialogues::refreshed(&block),
                () if oracle::task(&block).is_some() => oracle::refreshed(&block),
                () if commands::is_screen(&block) => commands::refreshed(&block),
                () if block.info == "json standings" => commands::standings_example(),
                () => continue,
            };
            text = text.replace(&block.text, &fresh);
        }
        std::fs::write(path(document), text).expect("the documents can be written");
    }
}
