//! Statistics of tables against leagues whose truth is known, and in numbers that are large.
//!
//! `cargo run --release -p arena --example leagues` plays more of them, and prints a table.

#[path = "statistics/leagues.rs"]
mod leagues;

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use arena::clock::TimeControl;
use arena::record::{ResultRecord, Summary};
use arena::standings::Tally;
use arena::stats::Results;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use leagues::{League, Model};

const LEAGUES: u64 = 600;
const SEED: u64 = 7;
/// What 95 % may be, in percent, in so few leagues.
const COVERAGE: RangeInclusive<f64> = 92.5..=97.5;
/// The most that estimates may be off on average, in standard errors.
const BIAS_MAX: f64 = 0.15;

const DOODLE: League = League { model: Model::Doodle, seats: 3, means: &[0.0, 2.0, 6.0, 12.0], deals: 30 };
const SOLO: League = League { seats: 1, ..DOODLE };
const RACE: League = League { model: Model::Race, ..DOODLE };
const PATCHWORK: League = League { model: Model::Patchwork, seats: 2, means: &[0.0, 4.0, 12.0], deals: 20 };

#[test]
fn intervals_have_the_truth_in_them_as_often_as_they_say() {
    for league in [DOODLE, SOLO, RACE, PATCHWORK] {
        let outcome = league.play(LEAGUES, SEED);
        for coverage in [outcome.ratings, outcome.differences, outcome.margins] {
            assert!(COVERAGE.contains(&coverage.percent()), "{league:?}: {coverage:?}");
            assert!(coverage.bias().abs() < BIAS_MAX, "{league:?}: {coverage:?}");
        }
    }
}

/// Each match as if it had a deal of its own.
fn apart(results: Results) -> Results {
    let mut apart = Results::new(results.bots());
    for table in results.deals().flatten() {
        apart.add_deal([table.iter().copied()]);
    }
    apart
}

#[test]
fn matches_taken_for_independent_would_claim_too_much() {
    let outcome = RACE.play_with(LEAGUES, SEED, apart);
    assert!(outcome.differences.percent() < *COVERAGE.start() - 3.0, "{outcome:?}");
}

#[test]
fn swapped_seats_make_intervals_shorter() {
    let [whole, torn] = [PATCHWORK.play(LEAGUES, SEED), PATCHWORK.play_with(LEAGUES, SEED, apart)];
    assert!(whole.margins.half_width() < 0.95 * torn.margins.half_width(), "{whole:?} {torn:?}");
}

#[test]
#[ignore = "prints seconds and memory of a very large tournament"]
fn two_hundred_bots_and_a_million_matches() {
    const BOTS: usize = 200;
    const MATCHES: u64 = 1_000_000;
    const MATCHES_A_DEAL: u64 = 1_000;
    let names: Vec<String> = (0..BOTS).map(|bot| format!("bot{bot}")).collect();
    let second = Duration::from_secs(1);
    let time = TimeControl { startup: second, per_move: second, per_match: None };
    let mut tally = Tally::new("doodle", &names, &time);
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let started = Instant::now();
    for index in 0..MATCHES {
        let first = random.random_range(0..BOTS);
        let second = (first + random.random_range(1..BOTS)) % BOTS;
        let scores = [first, second].map(|bot| random.random_range(0..100) + bot as i32 / 4);
        let ranks = [0, 1].map(|seat| 1 + u32::from(scores[seat] < scores[1 - seat]));
        let result =
            ResultRecord { scores: scores.into(), ranks: ranks.into(), rounds: None, faults: vec![None; 2] };
        let bots = [first, second].map(|bot| names[bot].clone()).into();
        let (round, digest) = (index / MATCHES_A_DEAL, format!("{:x}", (first * BOTS + second)));
        let summary = Summary { index, round, bots, turns: Vec::new(), result, replayed: None, digest };
        // The same two bots may be drawn twice for a deal: their first match counts.
        let _ = tally.add(&summary);
    }
    let counted = started.elapsed();
    let standings = tally.standings();
    println!("{} matches counted in {counted:.1?}", standings.matches);
    println!("tables in {:.1?}", started.elapsed() - counted);
    assert!(standings.rows.iter().all(|row| row.rating.is_some_and(|rating| rating.ci95.is_some())));
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux system");
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).expect("the peak of memory"));
}
