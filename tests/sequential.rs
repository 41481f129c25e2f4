//! Checks that the sequential test of `arena compare` keeps its error rates, and that its estimates are
//! unbiased.
//!
//! `cargo lab --release --example compare_table` runs a longer simulation with all models.

mod simulation;
mod tuning;

use simulation::MODELS;
use stats::sequential::{DEALS_MIN, Decision, Samples, Sprt};

const RUNS: u32 = 4000;
const ESTIMATED: u32 = 400;
const DEALS_MAX: u64 = 100_000;
/// The error rate that the comparisons ask for.
const RATE: f64 = 0.025;
/// Three standard errors of this rate, at this number of runs.
const RATE_SLACK: f64 = 0.008;
/// Two standard errors of a mean, in standard deviations of one estimate.
const BIAS_SLACK: f64 = 0.1;

#[test]
fn error_rates_are_kept_and_the_estimate_is_unbiased() {
    for model in &MODELS[..needs::sized(1, 1, 3)] {
        for effect in [0.0, 1.0] {
            let seen = model.simulate(effect, RUNS, ESTIMATED, DEALS_MAX, 1);
            let error = if effect == 0.0 { seen.accepted_h1 } else { seen.accepted_h0 };
            let shown = format!("{} at {effect}: {seen:?}", model.name);
            assert!((0.01..RATE + RATE_SLACK).contains(&error), "{shown}");
            assert!((seen.accepted_h0 + seen.accepted_h1 - 1.0).abs() < 1e-9, "{shown}");
            assert!(seen.bias.abs() < 0.1 + BIAS_SLACK, "{shown}");
            assert!(seen.naive_bias.abs() > 0.25, "there is something to correct: {shown}");
            assert!((0.92..0.98).contains(&seen.coverage), "{shown}");
        }
    }
}

#[test]
fn wins_keep_their_error_rates() {
    for model in &MODELS[3..] {
        let seen = model.simulate(0.0, RUNS / 2, 1, DEALS_MAX, 1);
        assert!((0.01..RATE + 2.0 * RATE_SLACK).contains(&seen.accepted_h1), "{}: {seen:?}", model.name);
    }
}

#[test]
fn comparisons_that_are_given_up_are_estimated_without_bias_too() {
    let seen = MODELS[0].simulate(1.0, ESTIMATED, ESTIMATED, 120, 1);
    assert!(seen.accepted_h0 + seen.accepted_h1 < 0.5, "{seen:?}");
    assert!(seen.bias.abs() < 0.1 + BIAS_SLACK, "{seen:?}");
}

fn sprt() -> Sprt {
    Sprt { h0: 0.0, h1: 2.0, alpha: 0.05, beta: 0.05, grain: 1.0 }
}

fn of(count: u64, sample: impl Fn(u64) -> f64) -> Samples {
    let mut samples = Samples::default();
    (0..count).for_each(|number| samples.add(sample(number)));
    samples
}

#[test]
fn deals_that_are_all_equal_end_the_test() {
    for (sample, expected) in
        [(0.0, Decision::H0), (-5.0, Decision::H0), (2.0, Decision::H1), (90.0, Decision::H1)]
    {
        let samples = of(DEALS_MIN, |_| sample);
        assert_eq!(sprt().decision(&samples), Some(expected), "{sample}");
        let estimate = sprt().estimate(&samples).expect("there are samples");
        assert!((estimate.mean - sample).abs() < 1e-9, "{estimate:?}");
        assert_eq!(sprt().decision(&of(DEALS_MIN - 1, |_| sample)), None, "too soon");
    }
}

#[test]
fn the_deals_to_go_are_those_that_it_takes() {
    let samples = of(100, |number| if number % 2 == 0 { 15.0 } else { -13.0 });
    assert_eq!(sprt().decision(&samples), None);
    let to_go = |mean: f64| sprt().samples_to_go(&samples, mean);
    // For Brownian motion from the middle of the bounds, the test takes longest halfway between H0 and H1.
    assert!(to_go(1.0) > to_go(0.0) && to_go(1.0) > to_go(2.0));
    // Far beyond H1, the number of steps is the distance to the bound divided by the drift.
    let [_, upper] = sprt().bounds(&samples);
    let steps = (upper - sprt().llr(&samples)) / (2.0 * 99.0 / (samples.variance() * 99.0 / 94.0));
    assert!((to_go(100.0) / steps - 1.0).abs() < 0.01, "{} {steps}", to_go(100.0));
    for mean in [1.0, 1.0 + 1e-12, -1e9, 1e9] {
        assert!(to_go(mean).is_finite() && to_go(mean) >= 1.0, "{mean}");
    }
}

/// The verdict follows the interval: "better" has H0 below it, and "not better" has H1 above it. This holds at the
/// bounds, where the evidence is weakest.
#[test]
fn the_interval_excludes_what_the_test_rejects() {
    let mut checked = 0;
    for (error, deviation) in [0.001, 0.025, 0.05, 0.45]
        .into_iter()
        .flat_map(|error| [0.3, 1.0, 5.0, 14.0, 60.0].map(|deviation| (error, deviation)))
    {
        let test = Sprt { alpha: error, beta: error, ..sprt() };
        for (count, decision) in [16, 17, 20, 40, 200, 2000]
            .into_iter()
            .flat_map(|count| [Decision::H0, Decision::H1].map(|end| (count, end)))
        {
            // Samples that lie by `deviation` above and below a mean.
            let at =
                |mean: f64| of(count, |number| mean + if number % 2 == 0 { deviation } else { -deviation });
            // The mean closest to the other end that still gives this decision.
            let (mut far, mut near) = if decision == Decision::H1 { (1e4, -1e4) } else { (-1e4, 1e4) };
            for _ in 0..60 {
                let middle = (far + near) / 2.0;
                if test.decision(&at(middle)) == Some(decision) { far = middle } else { near = middle }
            }
            let samples = at(far);
            assert_eq!(
                test.decision(&samples),
                Some(decision),
                "{test:?}, {count} deals around {far} by {deviation}"
            );
            assert!(
                test.excludes_other(decision, &samples),
                "{test:?}, {count} deals around {far} by {deviation}"
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 4 * 5 * 6 * 2);
}

/// With very different error rates, a late decision may come a little before the interval excludes the other
/// hypothesis. The interval tells.
#[test]
fn very_different_error_rates_need_the_interval_too() {
    let test = Sprt { alpha: 0.001, beta: 0.2, ..sprt() };
    let samples = of(2000, |number| 1.040_445 + if number % 2 == 0 { 5.0 } else { -5.0 });
    assert_eq!(test.decision(&samples), Some(Decision::H1));
    assert!(!test.excludes_other(Decision::H1, &samples), "{:?}", test.estimate(&samples));
}
