//! Checks the statistics of tables: on simulated leagues with known strengths, and on large numbers.
//!
//! `cargo lab --release --example leagues` simulates more leagues and prints a table.

#[expect(dead_code, reason = "some of it is for the example that prints the table")]
mod leagues;

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee::play::time_control::TimeControl;
use referee::record::{ResultRecord, Summary};
use stats::{Deal, Deals, Results};
use tournament::schedule::ScheduleName;
use tournament::standings::Tally;

use leagues::{League, Model};

const LEAGUES: u64 = 600;
const SEED: u64 = 7;
/// The accepted coverage of 95 % intervals in so few leagues, in percent.
const COVERAGE: RangeInclusive<f64> = 92.5..=97.5;
/// The largest accepted mean bias of estimates, in standard errors.
const BIAS_MAX: f64 = 0.15;

const DOODLE: League = League {
    model: Model::Doodle,
    seats: 3,
    means: &[0.0, 2.0, 6.0, 12.0],
    deals: 30,
    schedule: ScheduleName::RoundRobin,
};
const SOLO: League = League { seats: 1, ..DOODLE };
const RACE: League = League { model: Model::Race, ..DOODLE };
const PATCHWORK: League =
    League { model: Model::Patchwork, seats: 2, means: &[0.0, 4.0, 12.0], deals: 20, ..DOODLE };

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

/// The best of several bots is told from the others as often as planned.
#[test]
fn a_planned_league_has_its_power() {
    for (model, seats, gap) in [(Model::Patchwork, 2, 4.0), (Model::Race, 2, 2.0), (Model::Doodle, 1, 4.0)] {
        for bots in [2, 6] {
            let means: Vec<f64> = (0..bots).map(|bot| if bot == 0 { gap } else { 0.0 }).collect();
            let league = League { model, seats, means: Vec::leak(means), ..DOODLE };
            let league = League { deals: league.planned(4, 0.8, SEED), ..league };
            let claimed = league.claim(200, SEED);
            let power = claimed.found as f64 / claimed.pairs as f64;
            // The standard deviation of the share is at most 2.8 points.
            assert!((0.72..0.88).contains(&power), "{league:?}: {power}");
        }
    }
}

#[test]
fn few_tables_of_equal_bots_have_a_claim() {
    const BOTS: &[f64] = &[0.0; 8];
    let league = League { means: BOTS, ..PATCHWORK };
    let claimed = league.claim(400, SEED);
    // 5 % are 20 leagues, with a standard deviation of 4.4.
    assert!(claimed.wrong <= 34, "{claimed:?}");
    assert!(claimed.wrong_pairwise >= 120, "intervals of single pairs are no use here: {claimed:?}");
    let apart = League { means: &[0.0, 0.0, 12.0, 12.0], deals: 40, ..PATCHWORK }.claim(100, SEED);
    assert!(apart.found > apart.pairs / 2 && apart.found >= apart.found_by_holm, "{apart:?}");
}

/// Changes results as if each match had its own deal.
fn apart(results: Results) -> Results {
    let mut apart = Results::new(results.bots());
    results.each(|deal| {
        for table in deal.tables() {
            let mut alone = Deal::default();
            alone.add_table(table.iter().copied());
            apart.add_deal(alone);
        }
    });
    apart
}

/// In a draw each bot is at one table a deal, and some pairs hardly meet, even if deals are hardly more than bots.
#[test]
fn intervals_and_claims_hold_for_draws() {
    const BOTS: usize = 12;
    const MEANS: &[f64] = &[0.0, 0.0, 1.0, 2.0, 2.0, 4.0, 4.0, 6.0, 8.0, 8.0, 10.0, 12.0];
    for deals in needs::sized(&[14][..], &[14], &[14, 20, 30, 60]) {
        for seats in [3, 4, 6] {
            let league =
                League { seats, deals: *deals, means: MEANS, schedule: ScheduleName::Draw, ..DOODLE };
            let outcome = league.play(LEAGUES, SEED);
            for coverage in [outcome.ratings, outcome.differences, outcome.margins] {
                // A pair has an interval of its own if it met often enough.
                if coverage.intervals > 0 {
                    assert!(COVERAGE.contains(&coverage.percent()), "{league:?}: {coverage:?}");
                    assert!(coverage.bias().abs() < BIAS_MAX, "{league:?}: {coverage:?}");
                }
            }
            let claimed = League { means: &[0.0; BOTS], ..league }.claim(400, SEED);
            assert!(claimed.wrong <= 34, "{league:?}: {claimed:?}");
        }
    }
}

#[test]
fn matches_taken_for_independent_would_claim_too_much() {
    let outcome = RACE.play_with(LEAGUES, SEED, apart);
    assert!(outcome.differences.percent() < *COVERAGE.start() - 3.0, "{outcome:?}");
}

#[test]
#[ignore = "prints seconds and memory of a very large tournament"]
fn two_hundred_bots_and_a_million_matches() {
    const BOTS: usize = 200;
    const MATCHES: u64 = 1_000_000;
    const MATCHES_A_DEAL: u64 = 1_000;
    let names: Vec<String> = (0..BOTS).map(|bot| format!("bot{bot}")).collect();
    let second = Duration::from_secs(1);
    let time = TimeControl::new(second, second);
    for seats in [2, 10] {
        let mut tally = Tally::new("doodle", &names, vec![time; names.len()]);
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let started = Instant::now();
        for index in 0..MATCHES {
            let summary = made_up(index, index / MATCHES_A_DEAL, &names, seats, &mut random);
            tally.add(&summary).expect("a sound result");
        }
        let counted = started.elapsed();
        let standings = tally.standings();
        let made = started.elapsed() - counted;
        assert!(standings.rows.iter().all(|row| row.rating.is_some_and(|rating| rating.ci95.is_some())));
        let status = std::fs::read_to_string("/proc/self/status").expect("a Linux system");
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).expect("the peak of memory");
        println!(
            "{seats} seats: {} matches counted in {counted:.1?}, tables in {made:.1?}, {peak}",
            standings.matches
        );
    }
}

/// Returns a match of randomly drawn bots. Bots with higher numbers are better.
fn made_up(index: u64, round: u64, names: &[String], seats: usize, random: &mut impl Rng) -> Summary {
    let mut bots: Vec<usize> = Vec::new();
    while bots.len() < seats {
        let bot = random.random_range(0..names.len());
        if !bots.contains(&bot) {
            bots.push(bot);
        }
    }
    let scores: Vec<i32> = bots.iter().map(|&bot| random.random_range(0..100) + bot as i32 / 4).collect();
    let rank = |score: &i32| 1 + scores.iter().filter(|&other| other > score).count() as u32;
    let ranks = scores.iter().map(rank).collect();
    let result = ResultRecord { scores, ranks, rounds: None, faults: vec![None; seats] };
    // Equal draws on a deal are the same match, so they have the same digest.
    let digest = bots.iter().fold(0, |digest, &bot| digest * names.len() as u128 + bot as u128);
    let bots = bots.iter().map(|&bot| names[bot].clone()).collect();
    Summary {
        index,
        round,
        seed: 0,
        bots,
        turns: Vec::new(),
        start: None,
        result,
        replayed: None,
        limits: Vec::new(),
        off_turn_us: Vec::new(),
        digest: format!("{digest:x}"),
    }
}
