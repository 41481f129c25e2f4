//! Simulates thousands of leagues without processes. Prints the coverage of the 95 % intervals in the tables,
//! which is the share that contains the true value, and the share of tables with a wrong claim.
//!
//! `cargo lab --release --example leagues` prints the table in `docs/statistics.md`. A number after
//! `--` sets the number of leagues of each kind.

#[path = "../../../tests/statistics/leagues.rs"]
mod leagues;

use leagues::{Coverage, League, Model};
use tournament::schedule::ScheduleName;

/// The default number of leagues of each kind.
const LEAGUES: u64 = 4_000;
const SEED: u64 = 1;

/// The kinds of leagues: few and many bots and deals, similar and different strengths, and several numbers of
/// seats.
const KINDS: &[(&str, League)] = &[
    ("doodle, 2 seats", league(Model::Doodle, 2, 100, &[0.0, 3.0])),
    ("doodle, 2 seats", league(Model::Doodle, 2, 60, &[0.0, 18.0])),
    ("doodle, 2 seats", league(Model::Doodle, 2, 30, &[0.0, 2.0, 4.0, 9.0, 12.0, 20.0])),
    ("doodle, 2 seats", league(Model::Doodle, 2, 10, &[0.0, 4.0, 8.0, 12.0])),
    ("doodle, 4 seats", league(Model::Doodle, 4, 40, &[0.0, 2.0, 4.0, 6.0, 12.0])),
    (
        "doodle, 10 seats",
        league(Model::Doodle, 10, 50, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0]),
    ),
    ("doodle, 1 seat", league(Model::Doodle, 1, 50, &[0.0, 2.0, 5.0, 9.0, 15.0])),
    ("race, 2 seats", league(Model::Race, 2, 40, &[0.0, 5.0, 6.0, 15.0])),
    ("race, 3 seats", league(Model::Race, 3, 50, &[0.0, 2.0, 4.0, 8.0, 12.0])),
    ("doodle draw, 3 seats", draw(Model::Doodle, 3, 14)),
    ("doodle draw, 4 seats", draw(Model::Doodle, 4, 14)),
    ("doodle draw, 4 seats", draw(Model::Doodle, 4, 60)),
    ("doodle draw, 6 seats", draw(Model::Doodle, 6, 14)),
    ("race draw, 4 seats", draw(Model::Race, 4, 14)),
    ("patchwork", league(Model::Patchwork, 2, 50, &[0.0, 3.0])),
    ("patchwork", league(Model::Patchwork, 2, 20, &[0.0, 2.0, 4.0, 9.0, 12.0, 20.0])),
];

/// The strengths of twelve bots.
const TWELVE: &[f64] = &[0.0, 0.0, 1.0, 2.0, 2.0, 4.0, 4.0, 6.0, 8.0, 8.0, 10.0, 12.0];

const fn draw(model: Model, seats: usize, deals: u64) -> League {
    League { schedule: ScheduleName::Draw, ..league(model, seats, deals, TWELVE) }
}

const fn league(model: Model, seats: usize, deals: u64, means: &'static [f64]) -> League {
    League { model, seats, means, deals, schedule: ScheduleName::RoundRobin }
}

fn main() {
    let leagues = std::env::args().nth(1).map_or(LEAGUES, |text| text.parse().expect("a number of leagues"));
    println!("{leagues} leagues of each kind, seed {SEED}\n");
    println!("| model | bots | deals | ratings | differences | margins |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (name, league) in KINDS {
        let outcome = league.play(leagues, SEED);
        let cells = [outcome.ratings, outcome.differences, outcome.margins].map(cell);
        let (bots, deals) = (league.means.len(), league.deals);
        println!("| {name} | {bots} | {deals} | {} |", cells.join(" | "));
    }
    claims(leagues / 4);
    plans(leagues / 2);
}

/// Prints how often a table has a wrong claim, and the share of the true differences that it finds.
fn claims(leagues: u64) {
    println!(
        "\n| model | bots | deals | strengths | wrong claim | found | found by Holm | wrong pair by pair | best bot | shrunken |"
    );
    println!("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let models = [
        ("patchwork", Model::Patchwork, 2, 20),
        ("race, 2 seats", Model::Race, 2, 100),
        ("doodle, 1 seat", Model::Doodle, 1, 30),
    ];
    for (name, model, seats, deals) in models {
        for bots in [2, 4, 10, 30] {
            // A ladder has two equal bots on each rung. With four bots or fewer it is no other league.
            let ladder = (bots > 4).then_some(("ladder", Some(2)));
            let kinds = [("equal", None), ("two clusters", Some(bots / 2))];
            for (strengths, step) in kinds.into_iter().chain(ladder) {
                let mean = |bot: usize| step.map_or(0.0, |step| 6.0 * (bot / step) as f64);
                let means: Vec<f64> = (0..bots).map(mean).collect();
                let league = league(model, seats, deals, Vec::leak(means));
                let claimed = league.claim(leagues, SEED);
                let of = |part: u64, whole: u64| match whole {
                    0 => "-".to_owned(),
                    _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
                };
                let bias = |sum: f64| match seats {
                    1 => "-".to_owned(),
                    _ => format!("{:+.1}", sum / claimed.leagues as f64),
                };
                println!(
                    "| {name} | {bots} | {deals} | {strengths} | {} | {} | {} | {} | {} | {} |",
                    of(claimed.wrong, claimed.leagues),
                    of(claimed.found, claimed.pairs),
                    of(claimed.found_by_holm, claimed.pairs),
                    of(claimed.wrong_pairwise, claimed.leagues),
                    bias(claimed.best),
                    bias(claimed.best_shrunken),
                );
            }
        }
    }
}

/// Prints how often planned leagues tell the best bot from the others. The plan is for 80 %, and knows the variation
/// from a league of four equal bots.
fn plans(leagues: u64) {
    println!("\n{leagues} leagues of each kind\n");
    println!("| model | bots | difference | planned deals | found |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let models = [
        ("patchwork", Model::Patchwork, 2, 4.0),
        ("race, 2 seats", Model::Race, 2, 2.0),
        ("doodle, 1 seat", Model::Doodle, 1, 4.0),
    ];
    for (name, model, seats, gap) in models {
        for bots in [2, 4, 12] {
            let means: Vec<f64> = (0..bots).map(|bot| if bot == 0 { gap } else { 0.0 }).collect();
            let league = league(model, seats, 0, Vec::leak(means));
            let league = League { deals: league.planned(4, 0.8, SEED), ..league };
            let claimed = league.claim(leagues, SEED);
            let found = 100.0 * claimed.found as f64 / claimed.pairs as f64;
            println!("| {name} | {bots} | {gap} points | {} | {found:.1} % |", league.deals);
        }
    }
}

/// Formats a table cell: coverage, half-width, and mean bias in standard errors.
fn cell(coverage: Coverage) -> String {
    if coverage.intervals == 0 {
        return "-".to_owned();
    }
    format!("{:.1} % (±{:.1}, {:+.2})", coverage.percent(), coverage.half_width(), coverage.bias())
}
