//! `arena doctor`: shows the sandbox layers that hold on this machine, or the files that a bot may read and why it does not
//! start.

use std::io::ErrorKind;
use std::time::Duration;

use clap::{Arg, Args};
use serde::Serialize;

use crate::report::output::{print_json, show, width};
use crate::setup::containment::Confined;
use crate::setup::runtime::block_on;
use crate::setup::times::{Times, duration};
use crate::setup::versions::entrants;
use crate::setup::words::word_of;
use referee::bots::entrants::{Entrant, keep_apart};
use referee::bots::grants::check_grants;
use referee::bots::held::Guard;
use referee::bots::preflight::{Greetings, preflight};
use referee::error::Error;
use sandbox::confine::paths::{Readable, Reason, readable};
use sandbox::selftest::{Diagnosis, Outcome, Report, examine};
use sandbox::text;
use sandbox::{Host, SandboxLevel};
use tournament::report::layout::{self, on_one_line};
use tournament::report::style::Mark;
use tournament::report::tables::Format;

/// The formats of the result.
const FORMATS: [(&str, Format, &str); 2] =
    [("text", Format::Table, "A line for each layer"), ("json", Format::Json, "One JSON object")];

#[derive(Debug, Args)]
#[command(mut_args(of_bots), after_help = "Example: arena doctor --bot 'python3 my-bot/bot.py'")]
pub(crate) struct DoctorArgs {
    /// Print the files that this bot may read, and start it, instead of the layers; repeatable
    #[arg(long = "bot", value_name = "[NAME=]COMMAND")]
    bots: Vec<String>,
    /// Print the result in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "text")]
    format: Format,
    #[command(flatten)]
    confined: Confined,
    /// Limit the time from start to greeting [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    startup_time: Option<Duration>,
}

/// Makes options that are about bots an error without a bot.
fn of_bots(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "bots" | "format" => arg,
        _ => arg.requires("bots"),
    }
}

pub(crate) fn run(args: &DoctorArgs) -> Result<(), Error> {
    if !args.bots.is_empty() {
        return of_each(args);
    }
    let report =
        block_on(async { examine(&Host::new()).await })?.map_err(|failed| Error::host(failed.to_string()))?;
    match args.format {
        Format::Json => print_json(&report),
        _ => show(&text(&report)),
    }
}

/// The files that one bot may read.
#[derive(Debug, Serialize)]
struct View {
    bot: String,
    reads: Vec<Group>,
    /// True if it starts and greets.
    starts: bool,
    /// Why it does not, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Files and folders with one reason.
#[derive(Debug, Serialize)]
struct Group {
    reason: String,
    paths: Vec<String>,
}

/// Prints the files that each bot may read if all of them play together, and starts each. No bot may read the files of
/// another bot.
fn of_each(args: &DoctorArgs) -> Result<(), Error> {
    let contain = args.confined.contain.unwrap_or_default();
    if contain == SandboxLevel::Off {
        return Err(Error::usage("--contain off: bots may read every file that you may read"));
    }
    if sandbox::confine::landlock().is_none() {
        return Err(Error::no(
            "this kernel has no Landlock: bots may read every file that their user may read",
        ));
    }
    let mut bots = entrants(&args.bots, &[])?;
    args.confined.grants.apply_to(&mut bots)?;
    check_grants(&bots, &[])?;
    keep_apart(&mut bots, &[]);
    let reads = |bot: &Entrant| {
        let read = readable(&bot.command, contain.is_strict()).map_err(|error| match error.kind() {
            ErrorKind::InvalidInput => Error::usage(error.to_string()),
            _ => Error::host(format!("cannot search the files of {}: {error}", bot.identity.command)),
        })?;
        Ok(groups(&read))
    };
    let reads = bots.iter().map(reads).collect::<Result<Vec<_>, Error>>()?;
    let commands: Vec<String> =
        bots.iter().map(|bot| text::line(&bot.identity.command).into_owned()).collect();
    let greeted = block_on(async {
        let (containment, is_quiet) = (args.confined.containment(), args.format == Format::Json);
        let (host, _) = containment.host(&bots, &[true], Duration::ZERO, is_quiet).await?;
        let table = Times { startup_time: args.startup_time, ..Times::default() }.time_control();
        Ok::<_, Error>(
            preflight(&mut bots, &host, table, &[], &Guard::Watch(None), &mut Greetings::new()).await,
        )
    })??;
    let view = |((bot, reads), greeted): ((String, Vec<Group>), Result<(), Error>)| {
        let problem = greeted.as_ref().err().map(Error::without_label);
        View { bot, reads, starts: greeted.is_ok(), problem }
    };
    let views: Vec<View> = commands.into_iter().zip(reads).zip(greeted).map(view).collect();
    match args.format {
        Format::Json => print_json(&views)?,
        _ => show(&views.iter().map(View::text).collect::<String>())?,
    }
    let failed: Vec<String> = views.iter().filter(|view| !view.starts).map(|view| view.bot.clone()).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Error::no(format!("does not start: {}", text::few(&failed)))),
    }
}

fn groups(read: &[Readable]) -> Vec<Group> {
    let mut reasons: Vec<Reason> = read.iter().map(|readable| readable.reason).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let paths = |reason| {
        let of_reason = read.iter().filter(|readable| readable.reason == reason);
        of_reason.map(|readable| text::path(&readable.path)).collect()
    };
    reasons.into_iter().map(|reason| Group { reason: reason.to_string(), paths: paths(reason) }).collect()
}

impl View {
    fn text(&self) -> String {
        let group = |group: &Group| {
            let paths: String = group.paths.iter().map(|path| format!("    {path}\n")).collect();
            format!("  {}\n{paths}", group.reason)
        };
        let groups: String = self.reads.iter().map(group).collect();
        let start = self.problem.as_deref().unwrap_or("it starts and greets");
        let start = layout::hanging("  ", start, width());
        format!("{} reads the system's files, and\n{groups}{start}\n", self.bot)
    }
}

fn text(report: &Report) -> String {
    let Report { kernel, root, cores, waits, shared_counts, strict, layers, .. } = report;
    let user = if *root { "as root" } else { "as an ordinary user" };
    let lines: String = layers.iter().map(line).collect();
    let verdict = match strict {
        true => "--contain strict starts here",
        false => "--contain strict does not start here; --contain auto uses the layers that hold",
    };
    let landlock = landlock(report);
    let waits = match waits {
        true => "the time for which others have the processors does not count against a bot",
        false => {
            "the kernel does not tell who has the processors; a timeout is played again if the arena was late"
        }
    };
    let shared = match shared_counts {
        [] => String::new(),
        counts => format!("the bots of this user share the kernel's counts of {}\n", counts.join(", ")),
    };
    let (cores, missing) = (cores.about(), missing(layers, cores.remedy()));
    format!("Linux {kernel}, {user}\n{landlock}\n{cores}\n{waits}\n{shared}\n{lines}\n{verdict}\n{missing}\n")
}

/// Formats the version of Landlock, and the actions that only seccomp restricts.
fn landlock(report: &Report) -> String {
    match (report.landlock_abi, report.landlock_leaves.join(", ")) {
        (None, _) => "no Landlock".to_owned(),
        (Some(abi), none) if none.is_empty() => format!("Landlock ABI {abi}"),
        (Some(abi), left) => format!("Landlock ABI {abi}, which leaves to seccomp: {left}"),
    }
}

/// Formats the missing layers, grouped by remedy. `more` is a further remedy.
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
