//! Keeps the documents true: every example is read with the real types, every dialogue is played
//! again by the real referee, every query is answered, every command is run, every link and every name of a test is looked
//! up.
//!
//! `cargo test -p quilt-arena --test integration documents:: -- --ignored` writes the arena's lines of the dialogues and
//! the output of the commands anew; the difference is for a person to judge.

pub(crate) mod commands;
mod dialogues;
mod examples;
mod links;
pub(crate) mod markdown;
mod names;
mod oracle;
mod readme;

use markdown::{DOCUMENTS, path, read};

/// Rewrites what the program says in the documents, not what people say about it.
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
