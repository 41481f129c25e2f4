//! `arena bisect`: finds the first commit that made a bot worse, by comparisons with a good one.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{CompareArgs, UNDECIDED, answered, outcome, write_log};
use crate::report::output::{print_json, show};
use crate::setup::versions::{commits, named};
use referee::error::{Error, ErrorKind};
use tournament::comparison::Verdict;
use tournament::report::tables::Format;
use tournament::report::words::count;

/// The name of folders `results/NAME-NUMBER`, and of the logs in them.
const NAME: &str = "bisect";
/// The names of the bots. Deals may follow from names, so they are the same in all comparisons.
const GOOD: &str = "good";
const TRIED: &str = "tried";

/// Arguments of `arena bisect`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 found, 3 undecided; 2 wrong usage, 75 the machine, 130 interrupted.\n\
                  Example: arena bisect v1 HEAD"
)]
pub(crate) struct BisectArgs {
    /// A commit of the bot in this folder that is good, and a later one that is worse
    #[arg(value_names = ["GOOD", "BAD"], num_args = 2, required_unless_present = "resume")]
    commits: Vec<String>,
    #[command(flatten)]
    compare: CompareArgs,
}

/// What is known of the commits.
#[derive(Debug, Serialize, Deserialize)]
struct Log {
    /// The seed of all comparisons.
    seed: u64,
    /// The good commit.
    good: String,
    /// The commits after it, up to the one that is worse, in their order.
    commits: Vec<String>,
    /// The comparisons of the good commit with others, in their order.
    steps: Vec<Step>,
}

/// A commit that was tried.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    commit: String,
    /// The verdict on whether the good commit is better. `None` if the commit cannot be tried.
    verdict: Option<Verdict>,
    /// The least loss of the commit, as far as known, in the unit of the question.
    loss: Option<f64>,
    /// The comparison, as text.
    said: String,
}

pub(crate) fn run(args: &BisectArgs) -> Result<ExitCode, Error> {
    let compare = &args.compare;
    let (folder, begun) = compare.log(NAME)?;
    let mut log: Log = match begun {
        Some(log) => log,
        None => {
            let (good, commits) = commits(&args.commits[0], &args.commits[1])?;
            let seed = compare.lineup.containment.seed(compare.seed, false)?;
            Log { seed, good, commits, steps: Vec::new() }
        }
    };
    let commits = count(log.commits.len() as u64, "commit");
    compare.say(&format!("{commits}, seed {}, into {}", log.seed, folder.display()));
    while let Some(commit) = log.next() {
        write_log(&folder, NAME, &log)?;
        let step = log.step(compare, &folder, &commit).map_err(|error| {
            let quoted = shell_words::quote(&folder.to_string_lossy()).into_owned();
            error.hint(format!("continue with: arena bisect --resume --out {quoted}"))
        })?;
        compare.say(&format!("{}: {}", named(&commit), step.word()));
        log.steps.push(step);
    }
    write_log(&folder, NAME, &log)?;
    log.report(compare.format)
}

impl Log {
    /// Returns the commits that can be the first bad one.
    fn suspects(&self) -> &[String] {
        let place = |step: &Step| self.commits.iter().position(|commit| *commit == step.commit);
        let of =
            |verdict| self.steps.iter().filter(move |step| step.verdict == Some(verdict)).filter_map(place);
        let begin = of(Verdict::NotBetter).max().map_or(0, |place| place + 1);
        let end = of(Verdict::Better).min().map_or(self.commits.len(), |place| place + 1);
        self.commits.get(begin..end.max(begin)).unwrap_or_default()
    }

    /// Returns the next commit to try. It is the last commit at first, then the middle of the suspects, or the nearest commit
    /// to the middle that was not tried yet.
    fn next(&self) -> Option<String> {
        let is_open = |commit: &&String| self.steps.iter().all(|step| step.commit != **commit);
        let last = self.commits.last()?;
        if self.steps.is_empty() {
            return Some(last.clone());
        }
        let is_bad = self.steps[0].verdict == Some(Verdict::Better);
        let suspects = self.suspects();
        let middle = suspects.len().saturating_sub(1) / 2;
        let open = suspects.iter().enumerate().filter(|(_, commit)| is_bad && is_open(commit));
        // All commits before the last suspect decide something; the last one is known to be bad.
        let open = open.filter(|(place, _)| *place + 1 < suspects.len());
        open.min_by_key(|(place, _)| place.abs_diff(middle)).map(|(_, commit)| commit.clone())
    }

    /// Compares the good commit with this one. A commit that cannot be tried is accused of nothing.
    fn step(&self, compare: &CompareArgs, folder: &Path, commit: &str) -> Result<Step, Error> {
        let out = folder.join(&commit[..commit.len().min(12)]);
        let bots = [format!("{GOOD}=git:{}", self.good), format!("{TRIED}=git:{commit}")];
        let mut args = compare.inside(out, bots.to_vec(), self.seed);
        // All comparisons have the same deals, so chance against the good commit would be there in all of them. What is looked
        // for is the loss of the last commit, which is larger.
        let loss = self.steps.first().and_then(|last| last.loss).filter(|_| !args.resume);
        let h1 = args.question.h1;
        args.question.h1 =
            if args.resume { None } else { loss.filter(|loss| h1.is_none_or(|h1| *loss > h1)).or(h1) };
        let step = |verdict, loss, said| Step { commit: commit.to_owned(), verdict, loss, said };
        match answered(args) {
            Ok((comparison, answer)) => {
                let loss = answer.interval.map(|[least, _]| least);
                Ok(step(Some(answer.verdict), loss, outcome(&comparison, &answer)))
            }
            Err(error) if error.kind() == ErrorKind::Usage => Ok(step(None, None, error.without_label())),
            Err(error) => Err(error),
        }
    }

    fn report(&self, format: Format) -> Result<ExitCode, Error> {
        let last = &self.steps[0];
        if last.verdict != Some(Verdict::Better) {
            let what = format!("{} is not worse than {}", named(&last.commit), named(&self.good));
            let why = if last.verdict == Some(Verdict::NotBetter) {
                &what
            } else {
                "the last commit was not decided"
            };
            return Err(Error::no(format!("{why}: {}", last.said.replace('\n', "; "))));
        }
        let suspects = self.suspects();
        match (format, suspects) {
            (Format::Json, _) => print_json(self)?,
            (_, [bad]) => {
                let said = self.steps.iter().find(|step| step.commit == *bad).map_or("", |step| &step.said);
                show(&format!("first bad commit: {}\n{said}\n", named(bad)))?;
            }
            (_, several) => {
                let several: Vec<String> = several.iter().map(|commit| named(commit)).collect();
                show(&format!("one of these is the first bad commit:\n{}\n", several.join("\n")))?;
            }
        }
        Ok(if suspects.len() == 1 { ExitCode::SUCCESS } else { ExitCode::from(UNDECIDED) })
    }
}

impl Step {
    fn word(&self) -> &str {
        match self.verdict {
            Some(Verdict::Better) => "worse",
            Some(Verdict::NotBetter) => "as good",
            Some(Verdict::Undecided) => "undecided, which accuses nobody",
            None => self.said.lines().next().unwrap_or("cannot be tried"),
        }
    }
}
