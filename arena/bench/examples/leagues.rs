//! Simulates thousands of leagues without processes, and prints the coverage of the 95 % intervals in the
//! tables: the share that contains the true value.
//!
//! `cargo run --release -p bench --example leagues` prints the table in `docs/statistics.md`. A number after
//! `--` sets the number of leagues of each kind.

#[path = "../../../tests/statistics/leagues.rs"]
mod leagues;

use leagues::{Coverage, League, Model};

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
    ("patchwork", league(Model::Patchwork, 2, 50, &[0.0, 3.0])),
    ("patchwork", league(Model::Patchwork, 2, 20, &[0.0, 2.0, 4.0, 9.0, 12.0, 20.0])),
];

const fn league(model: Model, seats: usize, deals: u64, means: &'static [f64]) -> League {
    League { model, seats, means, deals }
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
}

/// Formats a table cell: coverage, half-width, and mean bias in standard errors.
fn cell(coverage: Coverage) -> String {
    format!("{:.1} % (±{:.1}, {:+.2})", coverage.percent(), coverage.half_width(), coverage.bias())
}
