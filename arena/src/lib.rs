//! The `arena` program: plays matches and tournaments between bot programs over JSON lines.
//!
//! `cli` and `commands` turn arguments into calls and results into reports. `tournament` owns what
//! its workers share; `table` seats real processes; `referee` plays one match with anything that
//! answers lines; `bot` is the only place that knows of processes. Nobody but `commands` sees
//! `report`.

pub mod bench;
pub mod check;
mod cli;
mod commands;
pub mod doctor;
pub mod kits;
pub mod oracle;
pub mod report;
mod shown;
mod terminal;

use std::process::ExitCode;

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    sandbox::keeper::main_if_asked();
    bench::instant::main_if_asked();
    bench::floor::main_if_asked();
    doctor::attempt::main_if_asked();
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(answer) => return cli::answer(&answer),
    };
    match commands::run(cli) {
        Ok(status) => status,
        Err(error) => {
            report::output::say(&error.to_string());
            error.exit_code()
        }
    }
}
