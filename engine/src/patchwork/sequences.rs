//! Counts of move sequences from positions in a data file, which any engine can check.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::dealer::Dealer;
use crate::game::{Game, Seat};
use crate::patchwork::*;
use crate::perft::perft;

const FILE: &str = include_str!("../../../tests/perft/patchwork.json");
/// The numbers of random decisions before a position on file.
const BREAKS: [u32; 4] = [0, 10, 18, 26];
/// The most sequences that are counted from one position, from depth 3 on.
const SEQUENCES_MAX: u64 = 4_000_000;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Counts {
    note: String,
    positions: Vec<Counted>,
}

/// A position and its numbers of sequences of 1, 2, 3, ... decisions.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Counted {
    seed: u64,
    rules: Rules,
    to_move: Seat,
    counts: Vec<u64>,
    state: Observation,
}

#[test]
fn the_counts_on_file_are_right() {
    let file: Counts = serde_json::from_str(FILE).unwrap();
    assert_eq!(file.positions.len(), 2 * 5 * BREAKS.len());
    for counted in &file.positions {
        let equipment = equipment(counted.rules);
        let game = Patchwork::from_observation(&equipment, &counted.state, counted.to_move).unwrap();
        for (depth, &count) in (1..).zip(&counted.counts) {
            assert_eq!(perft(&game, depth), count, "{counted:?} depth {depth}");
        }
    }
    assert!(file.positions.iter().any(|counted| counted.state.phase == Phase::Leather));
}

/// `cargo test -p quilt-engine --lib patchwork::sequences -- --ignored` rewrites the file. A difference
/// in the file means that the rules have changed.
#[test]
#[ignore = "rewrites the data file"]
fn write_counts() {
    let note = "counts[d-1] is the number of sequences of d decisions from the state, where to_move is \
                asked; placing a leather patch is a decision, a match that ends earlier is one sequence";
    let all = [Leather::Original, Leather::Revised].into_iter().flat_map(|leather| {
        (1..=5).flat_map(move |seed| BREAKS.map(|decisions| count(Rules { leather }, seed, decisions)))
    });
    let lines: Vec<String> = all.map(|counted| serde_json::to_string(&counted).unwrap()).collect();
    let text = format!("{{\"note\":\"{note}\",\"positions\":[\n{}\n]}}\n", lines.join(",\n"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/perft/patchwork.json");
    std::fs::write(path, text).unwrap();
}

fn equipment(rules: Rules) -> Arc<Equipment> {
    let setup = PatchworkSetup { rules, ..PatchworkSetup::default() };
    Arc::new(Equipment::new(&setup).unwrap())
}

/// Counts after `decisions` random decisions in the deal of the seed. If the seed is odd, random play
/// continues to the next leather decision, or to the last decision of the match if none follows.
fn count(rules: Rules, seed: u64, decisions: u32) -> Counted {
    let equipment = equipment(rules);
    let deal = Patchwork::deal(&equipment, 2, seed).unwrap();
    let mut game = Patchwork::new(&equipment, &deal).unwrap();
    let mut chance = Dealer::new(seed, 91);
    let mut before = game.clone();
    while let Some(seat) = game.to_move() {
        before = game.clone();
        let wanted = seed.is_multiple_of(2) || decisions == 0 || game.observe(seat).phase == Phase::Leather;
        if game.decision() >= decisions && wanted {
            break;
        }
        let action = game.moves().unwrap().nth(chance.below(game.legal_count(seat) as u32)).unwrap();
        game.play(seat, &action).unwrap();
    }
    let mut counts = Vec::new();
    for depth in 1..=8 {
        let larger = counts.last().copied().unwrap_or(1) * before.legal_count(before.to_move().unwrap());
        if depth > 2 && larger > SEQUENCES_MAX {
            break;
        }
        counts.push(perft(&before, depth));
    }
    let to_move = before.to_move().unwrap();
    Counted { seed, rules, to_move, counts, state: before.observe(to_move) }
}
