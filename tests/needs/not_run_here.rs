//! The last lines of `cargo test`. They list the tests that this machine could not run, and why.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Runners such as nextest list tests first. This program has none.
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let kits = arena::templates::all().iter();
    let kits = kits.filter_map(|kit| Some(format!("kit {}: {}", kit.name, kit.lacks()?)));
    let missing: Vec<String> = kits.chain(needs::missing()).collect();
    if missing.is_empty() {
        println!("\neverything was run here\n");
        return ExitCode::SUCCESS;
    }
    println!("\nnot run here:");
    missing.iter().for_each(|line| println!("  {line}"));
    println!();
    if needs::is_ci() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
