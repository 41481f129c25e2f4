//! The end of a contest: its final, and the publication of everything.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::contest::{SUBMISSIONS, handed_in};
use super::events::{Event, Events, State};
use super::orders::Order;
use super::play::{FINAL, SETTINGS, dir, league_file, league_text};
use crate::report::output::say;
use crate::setup::args::{TournamentArgs, TournamentOptions};
use crate::setup::league::League;
use referee::error::Error;
use sandbox::SandboxLevel;
use sandbox::text::few;
use tournament::journal::claim::Claim;
use tournament::journal::results;
use tournament::plan::TOURNAMENT;
use tournament::plan::commitment::{COMMITMENT, NUMBERS};

/// The league file that the final plays.
const FINAL_LEAGUE: &str = "final.toml";
/// How often the journal is read until the contest is closed, and the pause after each time.
const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(250);

/// The options of the final.
#[derive(Debug, Args)]
pub(super) struct FinalArgs {
    /// Close the contest, and play its final by the settings in [contest.final]
    #[arg(long = "final", conflicts_with_all = ["order", "once"])]
    is_final: bool,
    /// With --final: play nothing, and commit to a seed that follows from a secret and this public value
    #[arg(long, value_name = "SOURCE", requires = "is_final", conflicts_with = "reveal")]
    commit: Option<String>,
    /// With --commit: the form of the public value, numbers or text=REGEX [default: numbers]
    #[arg(long, value_name = "FORM", requires = "commit", hide_short_help = true)]
    form: Option<String>,
    /// With --final: play the final that was committed to, with the public value
    #[arg(long, value_name = "VALUE", requires = "is_final")]
    reveal: Option<String>,
}

impl FinalArgs {
    /// Returns the arguments of the tournament that is the final, if it is to be played.
    ///
    /// # Errors
    /// The contest cannot be closed, something in it is not done, or it is not what was committed to.
    pub(super) fn tournament(&self, contest: &Path) -> Result<Option<TournamentArgs>, Error> {
        let FinalArgs { is_final: true, commit, form, reveal } = self else { return Ok(None) };
        let state = settled(contest)?;
        let settings = contest.join(SETTINGS);
        let (league, _) = League::read(&settings)?;
        let text = fs::read_to_string(&settings).map_err(|error| Error::unreadable(&settings, &error))?;
        let mut lineup = league.lineup();
        lineup.containment.contain.get_or_insert(SandboxLevel::Strict);
        // Without matches before the final, all that passed their checks play.
        let field = state.field().into_iter().chain(state.waiting()).collect();
        let (out, file) = (contest.join(FINAL), contest.join(FINAL_LEAGUE));
        let resume = out.join(TOURNAMENT).exists();
        let is_committed = out.join(COMMITMENT).exists();
        if resume && commit.is_some() {
            return Err(Error::usage("the final has begun").hint("leave out --commit to go on with it"));
        }
        let is_other = || results::read(&file).is_ok_and(|known| known != league_text(&text, &field));
        if (resume || is_committed && commit.is_none()) && is_other() {
            let since = if resume { "the final began" } else { "the commitment" };
            return Err(Error::usage(format!("the bots or the settings have changed since {since}"))
                .hint("take back what has changed, or commit to a new final with --final --commit"));
        }
        if is_committed && commit.is_some() {
            say("note: the commitment before this one no longer holds; publish the new lines");
            fs::remove_dir_all(&out).map_err(|error| Error::unwritable(&out, &error))?;
        }
        if resume && reveal.is_some() {
            say("note: the final has its seed already, and goes on");
        }
        Ok(Some(TournamentArgs {
            league: Some(league_file(contest, FINAL_LEAGUE, &text, &field)?),
            settings: TournamentOptions {
                out: Some(out),
                ..league.contest.unwrap_or_default().last.unwrap_or_default()
            },
            lineup,
            resume,
            commit: commit.clone(),
            form: form.clone().unwrap_or_else(|| NUMBERS.to_owned()),
            reveal: reveal.clone().filter(|_| !resume),
            skip_broken: true,
            ..TournamentArgs::default()
        }))
    }
}

/// Closes a contest, and returns what has happened in it.
///
/// # Errors
/// It cannot be closed, or something in it is not done: orders, hand-ins, checks, or, if it is played, trials.
pub(super) fn settled(contest: &Path) -> Result<State, Error> {
    let options = League::read(&contest.join(SETTINGS))?.0.contest.unwrap_or_default();
    let mut state = State::read(contest)?.0;
    let begun = Claim::begun(contest);
    if state.closed.is_none() {
        match &begun {
            Ok(_claim) => Events::open(contest)?.add(Event::Ordered(Order::Close))?,
            Err(_) => Order::Close.send(contest, &[])?,
        }
    }
    let mut open = Vec::new();
    for _ in 0..if begun.is_ok() { 1 } else { TRIES } {
        state = State::read(contest)?.0;
        let is_there =
            |(name, (number, _)): &(String, (u32, String))| contest.join(dir(name, *number)).is_dir();
        let waiting = state.waiting().into_iter().filter(|_| options.play != Some(false)).filter(is_there);
        let is_late = |time: i64| u64::try_from(time).is_ok_and(|time| state.is_closed_at(time));
        let hand_ins = handed_in(&contest.join(SUBMISSIONS))?.into_iter();
        let untaken = hand_ins.filter(|one| !state.is_seen(&one.from, &one.print) && !is_late(one.time));
        open = [
            Order::all(contest).into_iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>(),
            untaken.map(|one| format!("{SUBMISSIONS}/{}", one.from)).collect(),
            state.unchecked().into_iter().map(|(name, number)| dir(&name, number)).collect(),
            waiting.map(|(name, (number, _))| dir(&name, number)).collect(),
        ]
        .concat();
        if state.closed.is_some() && open.is_empty() {
            return Ok(state);
        }
        sleep(PAUSE);
    }
    let is_paused = state.is_paused && Order::all(contest).is_empty();
    let how = match (is_paused, begun.is_ok()) {
        (true, _) => format!("let the contest go on: arena host {} --go-on", contest.display()),
        (_, true) => format!("let it do that: arena host {} --once", contest.display()),
        (_, false) => "wait for the arena that runs the contest, and give this command again".to_owned(),
    };
    Err(Error::usage(format!("the contest is not done with {}", few(&open))).hint(how))
}
