//! Measures the cost of a turn, a start, and a match on this machine: `cargo lab --profile dist`.

use std::process::ExitCode;

use arena::report::output::{print_json, say, show, width};
use bench::{Figure, Request, Section};
use clap::{Parser, ValueEnum};
use referee::error::Error;
use tournament::report::layout;

/// The formats of the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BenchFormat {
    /// A line for each figure, printed section by section
    #[default]
    Text,
    /// One JSON array of sections at the end
    Json,
}

/// Measure the cost of a turn, a start, and a match on this machine
#[derive(Debug, Parser)]
struct BenchArgs {
    /// Measure faster, but less precisely
    #[arg(long)]
    quick: bool,
    /// Measure 512 bots at once and 64 matches of slow bots instead
    #[arg(long)]
    scale: bool,
    /// Measure only the rules
    #[arg(long, conflicts_with = "scale")]
    engine: bool,
    /// Freeze bots outside their turns
    #[arg(long, conflicts_with = "engine")]
    freeze: bool,
    /// Play J matches at the same time [default: as in "arena tournament"]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Print the figures in this format
    #[arg(long, value_enum, default_value_t)]
    format: BenchFormat,
}

fn main() -> ExitCode {
    bench::main_if_asked();
    match run(&BenchArgs::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error.to_string());
            error.exit_code()
        }
    }
}

fn run(args: &BenchArgs) -> Result<(), Error> {
    let request = Request {
        quick: args.quick,
        scale: args.scale,
        engine: args.engine,
        freeze: args.freeze,
        jobs: args.jobs.map(usize::from),
    };
    let mut sections = Vec::new();
    bench::run(request, &mut |section| match args.format {
        BenchFormat::Text => show(&text(&section)),
        BenchFormat::Json => {
            sections.push(section);
            Ok(())
        }
    })?;
    if args.format == BenchFormat::Json {
        print_json(&sections)?;
    }
    Ok(())
}

fn text(section: &Section) -> String {
    let lines: String = section.figures.iter().map(line).collect();
    format!("{}\n{lines}\n", section.title)
}

fn line(figure: &Figure) -> String {
    let Figure { name, unit, figure, spread: [low, high], windows, disturbed } = figure;
    let spread = match windows {
        1 => String::new(),
        _ => format!("  [{} to {}] in {windows} windows", number(*low), number(*high)),
    };
    let left_out = match disturbed {
        0 => String::new(),
        count => format!(", {count} disturbed ones left out"),
    };
    let figure = format!("{:>9} {unit:<4}{spread}{left_out}", number(*figure));
    let roomy = format!("  {name:<62} {figure}");
    match width() {
        Some(columns) if layout::width(&roomy) > columns => {
            format!("  {name}\n      {}\n", figure.trim_start())
        }
        _ => roomy + "\n",
    }
}

/// Formats a number with about three significant digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        huge if huge >= 1e9 => format!("{:.2} G", value / 1e9),
        large if large >= 1e7 => format!("{:.1} M", value / 1e6),
        large if large >= 100.0 => format!("{value:.0}"),
        medium if medium >= 10.0 => format!("{value:.1}"),
        small if small >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
