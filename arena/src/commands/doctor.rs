//! `arena doctor`: what of containment holds on this machine.

use clap::{Args, ValueEnum};

use crate::bot::Host;
use crate::doctor::{Diagnosis, Outcome, Report, examine};
use crate::error::Error;
use crate::report::output::{print, print_json};

/// How the findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DoctorFormat {
    /// A line for each layer
    #[default]
    Text,
    /// One JSON object
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// How the findings are printed
    #[arg(long, value_enum, default_value_t)]
    format: DoctorFormat,
}

pub(super) fn run(args: &DoctorArgs) -> Result<(), Error> {
    let report = super::block_on(async { examine(&Host::new()).await })??;
    match args.format {
        DoctorFormat::Text => print(&text(&report)),
        DoctorFormat::Json => print_json(&report),
    }
}

fn text(report: &Report) -> String {
    let Report { kernel, root, strict, layers } = report;
    let user = if *root { "as root" } else { "as an ordinary user" };
    let lines: String = layers.iter().map(line).collect();
    let verdict = match strict {
        true => "strangers' bots can be let in: --contain strict starts",
        false => "--contain strict does not start here; --contain auto takes what there is",
    };
    format!("Linux {kernel}, {user}\n\n{lines}\n{verdict}\n")
}

fn line(found: &Diagnosis) -> String {
    let (word, tried) = match found.outcome {
        Outcome::Holds => ("ok", format!("cannot {}", found.tried)),
        Outcome::Missing => ("MISSING", format!("could {}", found.tried)),
        Outcome::NotNeeded => ("-", "only root needs it".to_owned()),
    };
    let advice: String = found.advice.iter().map(|advice| format!("          {advice}\n")).collect();
    format!("{word:<8} {:<15} {tried}\n{advice}", found.layer.as_str())
}
