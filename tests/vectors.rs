//! Test vectors in `tests/vectors/`, for engines in other languages. Each vector is a state with the results
//! of the rules. The engine makes the files, the naive rules check them, and the program must reproduce them.
//!
//! `cargo test -p quilt-arena --test integration vectors:: -- --ignored` rewrites the files; a difference
//! means that the rules or the protocol have changed.

pub(crate) mod against_naive;
mod doodle;
mod hostile;
mod make;
#[path = "oracle/naive/mod.rs"]
pub(crate) mod naive;
mod patchwork;
mod program;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine::rule::Rule;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::program::words;

/// The most legal moves of a state that gets a digest.
const DIGEST_MOVES_MAX: u64 = 5_000;

/// One line of a file: a state, a move, and the results of the rules for both.
#[derive(Serialize, Deserialize)]
struct Vector {
    /// The number of the vector in its file, from 0.
    id: u64,
    /// The features that the state and the move demonstrate.
    tags: Vec<String>,
    /// The seat to move.
    seat: usize,
    /// The observation of the seat.
    state: Box<RawValue>,
    /// The number of legal moves.
    count: u64,
    /// The [`digest`] of the legal moves, unless there are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// A legal move.
    #[serde(rename = "move")]
    word: Box<RawValue>,
    /// The answer of `arena moves --explain` to the move, without `id` and `legal`.
    explain: Box<RawValue>,
    /// The answer of `arena moves --apply` to the move, without `id` and `legal`.
    apply: Box<RawValue>,
    /// Examples of illegal moves.
    illegal: Vec<Illegal>,
}

/// An illegal move.
#[derive(Serialize, Deserialize)]
struct Illegal {
    #[serde(rename = "move")]
    word: Value,
    rule: Rule,
    cells: Value,
}

/// Returns the SHA-256 of the moves as compact JSON, sorted by bytes, each followed by a newline.
fn digest(mut moves: Vec<String>) -> String {
    moves.sort_unstable();
    let mut hasher = Sha256::new();
    for text in moves {
        hasher.update(text);
        hasher.update("\n");
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The answer of `arena moves`.
#[derive(Deserialize)]
struct Listed {
    count: u64,
    #[serde(default)]
    moves: Vec<Box<RawValue>>,
}

impl Listed {
    fn digest(&self) -> String {
        assert_eq!(self.moves.len() as u64, self.count);
        digest(self.moves.iter().map(|text| text.get().to_owned()).collect())
    }
}

fn path(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/vectors/{game}.jsonl"))
}

fn text(game: &str) -> String {
    let path = path(game);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Splits a file into lines: each is a start line or a vector.
fn lines(text: &str) -> impl Iterator<Item = (&str, Option<Vector>)> {
    text.lines().map(|line| {
        let is_start = line.starts_with(r#"{"type":"start""#);
        (line, (!is_start).then(|| serde_json::from_str(line).expect("a vector")))
    })
}

fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).expect("an object")
}

/// A function that makes the text of a file.
type Make = fn() -> String;

const FILES: [(&str, Make); 2] = [("doodle", doodle::file), ("patchwork", patchwork::file)];

#[test]
fn vectors_are_what_the_rules_say_now() {
    for (game, make) in FILES {
        let (kept, fresh) = (text(game), make());
        for (kept, fresh) in kept.lines().zip(fresh.lines()) {
            assert!(kept == fresh, "{game}: the file has\n{kept}\nand now it would be\n{fresh}");
        }
        assert_eq!(kept.len(), fresh.len(), "{game}");
    }
}

/// Checks the coverage that the README of the vectors promises.
#[test]
fn vectors_have_every_kind_of_state_and_every_rule() {
    let mut rules: BTreeMap<Rule, u32> = BTreeMap::new();
    for (game, tags) in [("doodle", doodle::TAGS), ("patchwork", patchwork::TAGS)] {
        let tags = words(tags);
        let text = text(game);
        let vectors: Vec<Vector> = lines(&text).filter_map(|(_, vector)| vector).collect();
        assert!((200..1_000).contains(&vectors.len()), "{game}: {} states", vectors.len());
        for tag in &tags {
            let count = vectors.iter().filter(|vector| vector.tags.iter().any(|of| of == tag)).count();
            assert!(count >= 3, "{game}: {count} states are {tag}");
        }
        let readme = std::fs::read_to_string(path("doodle").with_file_name("README.md")).expect("a README");
        for tag in vectors.iter().flat_map(|vector| &vector.tags) {
            assert!(tags.contains(&tag.as_str()), "{game}: {tag}");
            assert!(readme.contains(&format!("`{tag}`")), "the README does not tell what {tag} is");
        }
        for illegal in vectors.iter().flat_map(|vector| &vector.illegal) {
            *rules.entry(illegal.rule).or_default() += 1;
        }
    }
    // The seat of a vector always owes a move, so `NotAsked` cannot occur.
    let missing = Rule::ALL.into_iter().filter(|rule| *rule != Rule::NotAsked && !rules.contains_key(rule));
    assert_eq!(missing.collect::<Vec<Rule>>(), [], "{rules:?}");
}

#[test]
#[ignore = "rewrites the vectors"]
fn write_vectors() {
    for (game, make) in FILES {
        std::fs::write(path(game), make()).expect("the folder is there");
    }
}
