//! Prints the table of `docs/compare.md`: error rates of `arena compare`, the number of deals, and the bias
//! of its estimates. The first argument is the number of comparisons per row. The second argument selects
//! models by the beginning of their name.

mod simulation;

use simulation::MODELS;

/// True effects, as multiples of the distance from H0 to H1.
const EFFECTS: [f64; 6] = [-1.0, 0.0, 0.5, 1.0, 2.0, 4.0];
/// Every fifth comparison gets an estimate.
const ESTIMATED_EVERY: u32 = 5;
/// More deals than any simulated comparison takes.
const DEALS_MAX: u64 = 1_000_000;

fn main() {
    let runs = std::env::args().nth(1).map_or(10_000, |text| text.parse().expect("a number of comparisons"));
    println!(
        "| scores | true effect | H1 accepted | H0 accepted | deals | bias, naive | bias, corrected | interval holds |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let picked = std::env::args().nth(2).unwrap_or_default();
    for (number, model) in (0..).zip(MODELS).filter(|(_, model)| model.name.starts_with(&picked)) {
        for effect in EFFECTS {
            let seen = model.simulate(effect, runs, runs / ESTIMATED_EVERY, DEALS_MAX, number);
            println!(
                "| {} | {} | {:.3} | {:.3} | {:.0} | {:+.2} | {:+.2} | {:.3} |",
                model.name,
                words(effect),
                seen.accepted_h1,
                seen.accepted_h0,
                seen.deals,
                seen.naive_bias,
                seen.bias,
                seen.coverage
            );
        }
    }
}

/// A true effect in the terms of the test.
fn words(effect: f64) -> String {
    match effect {
        0.0 => "H0".to_owned(),
        0.5 => "halfway".to_owned(),
        1.0 => "H1".to_owned(),
        times => format!("{times} times H1"),
    }
}
