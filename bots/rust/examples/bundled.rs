//! Runs a bundled bot over stdin and stdout without the arena: `bundled NAME [NODES]`.
//!
//! `.ci/dist` compares the CPU time of the packed program with this one.

use std::io::{stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(bot) = words.next().and_then(|name| bots::find(&name)) else {
        eprintln!("usage: bundled NAME [NODES], where NAME is a bundled bot");
        return ExitCode::from(2);
    };
    let nodes = words.next().map(|nodes| nodes.parse().expect("NODES is a number"));
    match bots::run(bot, nodes, stdin().lock(), stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
