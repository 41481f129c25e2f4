//! The end of a contest: its final, and the publication of everything.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::events::{Event, Events, State};
use super::orders::Order;
use super::play::{SETTINGS, league_file};
use crate::setup::args::{TournamentArgs, TournamentOptions};
use crate::setup::league::League;
use referee::error::Error;
use sandbox::SandboxLevel;
use sandbox::text::few;
use tournament::journal::claim::Claim;
use tournament::plan::TOURNAMENT;
use tournament::plan::commitment::NUMBERS;

/// The folder of the final, and the league file that it plays.
pub(super) const FINAL: &str = "final";
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
    /// The contest cannot be closed, or versions have not had their checks and trials.
    pub(super) fn tournament(&self, contest: &Path) -> Result<Option<TournamentArgs>, Error> {
        let FinalArgs { is_final: true, commit, form, reveal } = self else { return Ok(None) };
        let state = settled(contest)?;
        let (league, _) = League::read(&contest.join(SETTINGS))?;
        let mut lineup = league.lineup();
        lineup.containment.contain.get_or_insert(SandboxLevel::Strict);
        let options = league.contest.unwrap_or_default();
        // Without matches before the final, all that passed their checks play.
        let field = state.field().into_iter().chain(state.waiting()).collect();
        let out = contest.join(FINAL);
        let resume = out.join(TOURNAMENT).exists();
        if resume && commit.is_some() {
            return Err(Error::usage("the final has begun").hint("leave out --commit to go on with it"));
        }
        Ok(Some(TournamentArgs {
            league: Some(league_file(contest, FINAL_LEAGUE, &field, None)?),
            settings: TournamentOptions { out: Some(out), ..options.last.unwrap_or_default() },
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
/// It cannot be closed, or versions have not had their checks and, if it is played, their trials.
pub(super) fn settled(contest: &Path) -> Result<State, Error> {
    let (league, _) = League::read(&contest.join(SETTINGS))?;
    let is_played = league.contest.and_then(|options| options.play) != Some(false);
    let mut state = State::read(contest)?.0;
    if !state.is_closed {
        match Claim::begun(contest) {
            Ok(_claim) => Events::open(contest)?.add(Event::Ordered(Order::Close))?,
            Err(_) => Order::Close.send(contest, &[])?,
        }
        for _ in 0..TRIES {
            state = State::read(contest)?.0;
            if state.is_closed {
                break;
            }
            sleep(PAUSE);
        }
    }
    let unchecked = state.unchecked().into_iter().map(|(name, _)| name);
    let waiting = state.waiting().into_keys().filter(|_| is_played);
    let open: Vec<String> = unchecked.chain(waiting).collect();
    if !open.is_empty() || !state.is_closed {
        let what = if open.is_empty() { "hand-ins".to_owned() } else { few(&open) };
        return Err(Error::usage(format!("the contest still has to check or try {what}"))
            .hint(format!("let \"arena host {} --once\" end first", contest.display())));
    }
    Ok(state)
}
