//! `arena check`: tests whether a bot or a game is ready to play.

mod league;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgGroup, Args};
use engine::game::Game;

use crate::check::{Finding, GameTrial, Report, Settings, check, check_game};
use crate::report::checks::{conclusion, line};
use crate::report::output::{print_json, show, width};
use crate::report::tables::say_next;
use crate::setup::lineup::LineupOptions;
use crate::setup::rules::GameArgs;
use crate::setup::times::duration;
use crate::setup::versions::entrants;
use crate::setup::words::word_of;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::games::external::{Equipment, External};
use referee::games::{GameKind, GameName};
use sandbox::Host;
use tournament::report::tables::Format;

/// The formats of the result.
const FORMATS: [(&str, Format, &str); 2] = [
    ("text", Format::Table, "A line for each check, printed during the run"),
    ("json", Format::Json, "One JSON object for each bot"),
];

/// The default number of matches in one process of a bot.
const MATCHES: u32 = 200;
/// The default time for them.
const PATIENCE: Duration = Duration::from_secs(15);
/// The default number of random matches of a game.
const GAME_MATCHES: u32 = 1_000;
/// The default time for them.
const GAME_PATIENCE: Duration = Duration::from_secs(60);

/// Arguments of `arena check`.
#[derive(Debug, Args)]
#[command(mut_args(of_one_game), group(ArgGroup::new("subjects").args(["bots", "league"])))]
pub(crate) struct CheckArgs {
    /// Check this bot: NAME=COMMAND, COMMAND, or a bundled bot
    #[arg(long = "bot", value_name = "BOT", required_unless_present_any = ["league", "game-command"])]
    pub(super) bots: Vec<String>,
    /// Check all bots of this league file, under its limits, and print a line for each
    #[arg(long, value_name = "LEAGUE.toml", conflicts_with = "bots")]
    pub(crate) league: Option<PathBuf>,
    /// With --league: also write the whole check of each bot to DIR/NAME.txt, for its author
    #[arg(long, value_name = "DIR", requires = "league")]
    pub(super) for_each: Option<PathBuf>,
    /// Check only this game [default: both]
    #[arg(long = "game", value_enum, value_name = "GAME")]
    pub(super) games: Vec<GameName>,
    /// Print the result in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "text")]
    pub(super) format: Format,
    /// Play N matches in one process to find memory leaks; of a game, N random ones [default: 200; of a game: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    matches: Option<u32>,
    /// Start no more of these matches after this time [default: 15s; of a game: 1m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    patience: Option<Duration>,
    /// Begin the matches of a game with this seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    own_game: GameArgs,
    #[command(flatten)]
    pub(super) lineup: LineupOptions,
}

/// Makes two games at once an error, and options about bots without a bot.
fn of_one_game(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "game-command" | "game-option" => arg.conflicts_with_all(["league", "games"]),
        "seed" | "game-time" => arg.requires("game-command"),
        "bots" | "league" | "for_each" | "matches" | "patience" | "contain" | "format" => arg,
        _ => arg.requires("subjects"),
    }
}

/// Checks a user's own game, and then the bots that are named with it.
fn run_game(args: &CheckArgs, command: &str) -> Result<(), Error> {
    let CheckArgs { seed, format, .. } = *args;
    let matches = args.matches.unwrap_or(GAME_MATCHES);
    let patience = args.patience.unwrap_or(GAME_PATIENCE);
    let is_text = format == Format::Table;
    let Some(game) = args.own_game.equipment(args.lineup.containment.contain, true)? else { return Ok(()) };
    if is_text {
        show(&format!("checking {command}\n\n"))?;
    }
    let mut tell = |finding: &Finding| {
        if is_text {
            let _ = show(&line(finding, width())); // as for bots
        }
    };
    let report = check_game(&game, GameTrial { matches, patience, seed }, &mut tell);
    match format {
        Format::Json => print_json(&report)?,
        _ => show(&conclusion(&report))?,
    }
    match report.ready {
        true if args.bots.is_empty() => Ok(()),
        true => {
            if is_text {
                show("\n")?;
            }
            run_bots(args)
        }
        false => Err(Error::no(format!("not ready: {}", report.bot))),
    }
}

pub(crate) fn run(args: &CheckArgs) -> Result<(), Error> {
    match (&args.own_game.command, &args.league) {
        (Some(command), _) => run_game(args, command),
        (None, Some(path)) => league::run(args, path),
        (None, None) => run_bots(args),
    }
}

fn run_bots(args: &CheckArgs) -> Result<(), Error> {
    let mut entrants = entrants(&args.bots, &args.lineup.build)?;
    args.lineup.equip(&mut entrants, &[], true)?;
    let own = args.own_game.equipment(args.lineup.containment.contain, false)?;
    // The next command plays the game that was named, against a bot that can play it.
    let option = match &own {
        Some(own) => External::options_of(External::setup(own)),
        None => args.games.first().map_or(String::new(), |game| game.option()),
    };
    let other = if own.is_some() { "random" } else { "novice" };
    let is_quiet = args.format == Format::Json;
    let (settings, host) = settings(args, &args.lineup, (&args.games, own), &entrants)?;
    let mut failed = Vec::new();
    for entrant in &entrants {
        let own = Settings { time: entrant.identity.limits.at(settings.time), ..settings.clone() };
        let report = crate::setup::runtime::block_on(examine(entrant, &own, &host, args.format))??;
        match args.format {
            Format::Json => print_json(&report)?,
            _ => show(&conclusion(&report))?,
        }
        if !report.ready {
            failed.push(report.bot);
        } else if !is_quiet {
            say_next(&format!(
                "arena match{option} --bot {} --bot {other}",
                shell_words::quote(&entrant.identity.command)
            ));
        }
    }
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(Error::no(format!("not ready: {}", failed.join(", ")))),
    }
}

/// Returns the scope of the checks under these limits, and the host of the bots.
pub(super) fn settings(
    args: &CheckArgs,
    lineup: &LineupOptions,
    (games, own): (&[GameName], Option<Arc<Equipment>>),
    entrants: &[Entrant],
) -> Result<(Settings, Host), Error> {
    let games = match &own {
        Some(_) => vec![GameName::External],
        None if games.is_empty() => GameName::ALL.to_vec(),
        None => games.to_vec(),
    };
    let trial = (args.matches.unwrap_or(MATCHES), args.patience.unwrap_or(PATIENCE));
    lineup.examined((games, own), trial, entrants, args.format == Format::Json)
}

async fn examine(
    entrant: &Entrant,
    settings: &Settings,
    host: &Host,
    format: Format,
) -> Result<Report, Error> {
    let is_text = format == Format::Table;
    if is_text {
        show(&format!("checking {}\n\n", entrant.identity.command))?;
    }
    let mut tell = |finding: &Finding| {
        if is_text {
            // A closed stdout ends the display. The checks continue, because the exit status needs their
            // verdict.
            let _ = show(&line(finding, width()));
        }
    };
    check(entrant, settings, host, &mut tell).await
}
