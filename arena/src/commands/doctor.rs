//! `arena doctor`: what of containment holds on this machine.

use clap::{Args, ValueEnum};

use crate::report::output::{print_json, show, width};
use referee::error::Error;
use sandbox::Host;
use sandbox::selftest::{Diagnosis, Outcome, Report, examine};
use tournament::report::layout::on_one_line;
use tournament::report::style::Mark;

/// The formats of the result.
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
    /// Print the result in this format
    #[arg(long, value_enum, default_value_t)]
    format: DoctorFormat,
}

pub(crate) fn run(args: &DoctorArgs) -> Result<(), Error> {
    let report = super::runtime::block_on(async { examine(&Host::new()).await })?
        .map_err(|failed| Error::host(failed.to_string()))?;
    match args.format {
        DoctorFormat::Text => show(&text(&report)),
        DoctorFormat::Json => print_json(&report),
    }
}

fn text(report: &Report) -> String {
    let Report { kernel, root, cores, strict, layers, .. } = report;
    let user = if *root { "as root" } else { "as an ordinary user" };
    let lines: String = layers.iter().map(line).collect();
    let verdict = match strict {
        true => "--contain strict starts here",
        false => "--contain strict does not start here; --contain auto takes what there is",
    };
    let landlock = landlock(report);
    let (cores, missing) = (cores.about(), missing(layers, cores.remedy()));
    format!("Linux {kernel}, {user}\n{landlock}\n{cores}\n\n{lines}\n{verdict}\n{missing}\n")
}

/// Its version, and what that leaves out.
fn landlock(report: &Report) -> String {
    match (report.landlock_abi, report.landlock_leaves.join(", ")) {
        (None, _) => "no Landlock".to_owned(),
        (Some(abi), none) if none.is_empty() => format!("Landlock ABI {abi}"),
        (Some(abi), left) => format!("Landlock ABI {abi}, which leaves to seccomp: {left}"),
    }
}

/// The layers that are missing, and what to do: those with the same remedy together; and what else is.
fn missing(layers: &[Diagnosis], more: Option<&str>) -> String {
    let is_missing = |found: &&Diagnosis| found.outcome == Outcome::Missing;
    let mut remedies: Vec<(&str, Vec<&str>)> = Vec::new();
    for layer in layers.iter().filter(is_missing).map(|found| found.layer) {
        match remedies.iter_mut().find(|(remedy, _)| *remedy == layer.remedy()) {
            Some((_, names)) => names.push(layer.as_str()),
            None => remedies.push((layer.remedy(), vec![layer.as_str()])),
        }
    }
    let groups = remedies.iter().map(|(remedy, names)| format!("{} ({remedy})", names.join(", ")));
    match groups.chain(more.map(str::to_owned)).collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => "nothing is missing here".to_owned(),
        groups => format!("missing here: {groups}"),
    }
}

fn line(found: &Diagnosis) -> String {
    let (word, mark, tried) = match found.outcome {
        Outcome::Holds => ("ok", Some(Mark::Good), format!("cannot {}", found.tried)),
        Outcome::Missing => ("MISSING", Some(Mark::Bad), format!("could {}", found.tried)),
        Outcome::NotNeeded => ("-", None, "only root needs it".to_owned()),
    };
    let advice: String = found.advice.iter().map(|advice| format!("          {advice}\n")).collect();
    let word = Mark::on_some(mark, &format!("{word:<8}"));
    let first = format!("{word} {:<15}", found.layer.as_str());
    format!("{}\n{advice}", on_one_line(&first, &tried, 9, width()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandbox::Layer;

    fn found(layer: Layer, outcome: Outcome) -> Diagnosis {
        Diagnosis { layer, outcome, tried: "try", advice: Vec::new() }
    }

    #[test]
    fn the_last_line_names_what_is_missing_and_what_to_do_once() {
        let holds = [found(Layer::OwnUser, Outcome::NotNeeded), found(Layer::Seccomp, Outcome::Holds)];
        assert_eq!(missing(&holds, None), "nothing is missing here");
        assert_eq!(missing(&holds, Some("shares (do this)")), "missing here: shares (do this)");
        let both = [Layer::PidNamespace, Layer::NetNamespace].map(|layer| found(layer, Outcome::Missing));
        let remedy = Layer::PidNamespace.remedy();
        assert_eq!(missing(&both, None), format!("missing here: pid-namespace, net-namespace ({remedy})"));
    }
}
