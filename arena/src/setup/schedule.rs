//! The schedule that the options choose.

use crate::report::output::say;
use crate::setup::args::TournamentOptions;
use referee::error::Error;
use tournament::schedule::{ScheduleName, Settings};

/// The default of `--max-rounds`, as a multiple of `--rounds`.
const MAX_ROUNDS_FACTOR: u64 = 10;

/// Returns the requested schedule with its settings. Rejects settings of other schedules.
pub(crate) fn schedule(options: &TournamentOptions, rounds: u64, bots: usize) -> Result<Settings, Error> {
    let TournamentOptions { challenger, swiss_rounds, seeding, until_decided, max_rounds, .. } = options;
    let schedule = options.schedule.unwrap_or_default();
    check_given(options, schedule)?;
    if max_rounds.is_some() && !until_decided {
        return Err(Error::usage("--max-rounds is for --until-decided").hint("give both, or neither"));
    }
    let max_rounds = until_decided.then(|| max_rounds.unwrap_or(rounds.saturating_mul(MAX_ROUNDS_FACTOR)));
    if let Some(max_rounds) = max_rounds.filter(|&max_rounds| max_rounds < rounds) {
        return Err(Error::usage(format!("--max-rounds is {max_rounds}, and {rounds} deals are planned"))
            .hint("take more --max-rounds, or fewer --rounds"));
    }
    let swiss_rounds = swiss_rounds.map(|rounds| positive("--swiss-rounds", rounds)).transpose()?;
    let settings =
        Settings { schedule, challenger: challenger.clone(), swiss_rounds, seeding: *seeding, max_rounds };
    if let Some(last) = settings.all_met_after(bots) {
        say(&format!("note: all pairs have met after round {last}; later rounds repeat pairs"));
    }
    Ok(match schedule {
        ScheduleName::Swiss => Settings { swiss_rounds: Some(settings.swiss_rounds(bots)), ..settings },
        ScheduleName::Knockout => Settings { seeding: Some(seeding.unwrap_or_default()), ..settings },
        _ => settings,
    })
}

/// Rejects a setting of another schedule.
fn check_given(options: &TournamentOptions, schedule: ScheduleName) -> Result<(), Error> {
    let given = [
        ("--challenger", options.challenger.is_some(), ScheduleName::Gauntlet),
        ("--swiss-rounds", options.swiss_rounds.is_some(), ScheduleName::Swiss),
        ("--seeding", options.seeding.is_some(), ScheduleName::Knockout),
    ];
    let name = schedule.as_str();
    if let Some((option, _, of)) = given.into_iter().find(|&(_, given, of)| given && of != schedule) {
        return Err(Error::usage(format!("{option} is for a {}, and the schedule is {name}", of.as_str()))
            .hint(format!("leave it out, or take --schedule {}", of.as_str())));
    }
    Ok(())
}

/// Checks that the tournament can be played in shards: no match depends on earlier results, and a seed
/// and a directory are set.
pub(crate) fn check_shards(options: &TournamentOptions, schedule: &Settings) -> Result<(), Error> {
    if schedule.is_adaptive() {
        return Err(Error::usage(
            "this schedule cannot be split into shards: later matches depend on earlier results",
        )
        .hint("to go on elsewhere, stop it, copy its directory, and run arena tournament --resume --out DIR there"));
    }
    let lacks =
        |what: &str, hint: &str| Err(Error::usage(format!("shards of a tournament need {what}")).hint(hint));
    match (options.seed, &options.out) {
        (None, _) => lacks("the same seed", "name one with --seed"),
        (_, None) => lacks("a directory to go to", "name one with --out; they may share it"),
        _ => Ok(()),
    }
}

/// Returns a value that must not be zero.
pub(crate) fn positive(option: &str, value: u64) -> Result<u64, Error> {
    match value {
        0 => Err(Error::usage(format!("{option} is 0: it must be at least 1"))),
        _ => Ok(value),
    }
}
