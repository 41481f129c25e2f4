//! Counts of legal moves along fixed paths, compared with golden data files.
//!
//! Each line of a file is a deal and a path of one seat through it. At each decision, the line has the number
//! of legal actions. The path then takes the middle action of the list. `cargo test -p quilt-engine --test
//! rules perft:: -- --ignored` rewrites the files; a difference means that the rules have changed.

use engine::wire::WireFormat;
use std::fmt::Write as _;
use std::sync::Arc;

use engine::doodle::{Doodle, DoodleSetup};
use engine::game::first_pending;
use engine::patchwork::{Patchwork, PatchworkSetup};
use engine::perft::perft;

/// Returns one line of a data file.
fn line<G: WireFormat>(setup: &G::Setup, seats: usize, seed: u64, depth: u32) -> String {
    let equipment = Arc::new(G::equip(setup).expect("standard components"));
    let deal = G::deal(&equipment, seats, seed).expect("so many seats can play");
    let mut game = G::new(&equipment, &deal).expect("a fresh deal");
    let mut text = format!("seed {seed} seats {seats} perft({depth}) {} path", perft(&game, depth));
    while let Some(seat) = first_pending(&game) {
        let count = game.legal_count(seat);
        write!(text, " {count}").expect("a string grows");
        let action = game.legal_actions(seat).nth(middle(count)).expect("below the count");
        game.play(seat, &action).expect("listed");
    }
    let scores: Vec<String> = game.outcome().scores.iter().map(ToString::to_string).collect();
    text + " scores " + &scores.join(" ")
}

/// Returns the index of the action to take: the middle one of the first thousand. These use few single cells.
fn middle(count: u64) -> usize {
    (count.min(1_000) / 2) as usize
}

fn doodle() -> String {
    let lines = (1..=8).map(|seed| line::<Doodle>(&DoodleSetup::default(), 1 + seed as usize % 3, seed, 1));
    let deep = (1..=2).map(|seed| line::<Doodle>(&DoodleSetup::default(), 1, seed, 2));
    lines.chain(deep).map(|line| line + "\n").collect()
}

fn patchwork() -> String {
    let lines = (1..=5).map(|seed| line::<Patchwork>(&PatchworkSetup::default(), 2, seed, 2));
    let deep = (1..=1).map(|seed| line::<Patchwork>(&PatchworkSetup::default(), 2, seed, 3));
    lines.chain(deep).map(|line| line + "\n").collect()
}

#[test]
fn patchwork_counts_are_those_on_file() {
    assert_eq!(patchwork(), include_str!("perft/patchwork.txt"));
}

#[test]
fn doodle_counts_are_those_on_file() {
    assert_eq!(doodle(), include_str!("perft/doodle.txt"));
}

#[test]
#[ignore = "rewrites the data files"]
fn write_counts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/perft/");
    std::fs::write(format!("{folder}doodle.txt"), doodle()).expect("the folder is there");
    std::fs::write(format!("{folder}patchwork.txt"), patchwork()).expect("the folder is there");
}
