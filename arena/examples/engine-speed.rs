//! Prints how fast the rules are: `cargo run --release -p arena --example engine-speed`.
//!
//! A number as argument is the length of each window in milliseconds of CPU time, 300 unless given.

use std::time::Duration;

use arena::bench::engine::{Effort, Figure, all};

fn main() {
    let given = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let window = given.map_or(Effort::default().window, Duration::from_millis);
    let effort = Effort { window, ..Effort::default() };
    println!("{:40} {:>15}  {:11} {:>6}", "", "per CPU second", "", "spread");
    all(effort).iter().for_each(print);
}

fn print(figure: &Figure) {
    let (rate, spread) = (figure.per_cpu_second(), 100.0 * figure.spread());
    println!("{:40} {rate:15.0}  {:11} {spread:5.1}%", figure.name, figure.unit);
}
