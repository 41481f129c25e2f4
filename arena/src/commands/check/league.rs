//! `arena check --league`: checks all bots of a league file, and prints a line for each.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use tabled::builder::Builder;
use tabled::settings::Style;

use super::{CheckArgs, settings};
use crate::check::{Finding, GameTrial, Report, Settings, check, check_game};
use crate::report::checks::text_of;
use crate::report::output::{print_json, show, width};
use crate::setup::league::League;
use crate::setup::runtime::{block_on, on_threads};
use referee::bots::entrants::{Entrant, check_distinct, keep_apart};
use referee::bots::names::{check_name, look_alikes};
use referee::error::{Error, ErrorKind};
use sandbox::{cores, text};
use tournament::journal::files::write_whole;
use tournament::journal::results;
use tournament::report::layout;
use tournament::report::tables::Format;
use tournament::report::words::count;

/// The number of random matches of the league's own game, and the time for them.
const GAME_MATCHES: u32 = 100;
const GAME_PATIENCE: Duration = Duration::from_secs(10);
/// The least width of the column with reasons.
const REASON_WIDTH: usize = 30;

/// The result for one bot.
#[derive(Debug, Serialize)]
struct Row {
    bot: String,
    /// `plays`, `does not start`, or `fails`.
    result: &'static str,
    /// The first thing that is wrong.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Report>,
}

impl Row {
    fn no_start(bot: &str, error: &Error) -> Row {
        let reason = error.message().to_owned();
        Row { bot: bot.to_owned(), result: "does not start", reason, report: None }
    }

    fn of(report: Report) -> Row {
        let (result, reason) = report.outcome();
        Row { bot: report.bot.clone(), result, reason, report: Some(report) }
    }
}

/// Checks all bots of a league file, as many at a time as there are cores, each with the limits and beside the files that
/// it has in the tournament. A bot that was too slow is checked again alone.
pub(crate) fn run(args: &CheckArgs, path: &Path) -> Result<(), Error> {
    let (league, bots) = League::read(path)?;
    if bots.is_empty() {
        return Err(Error::usage(format!("{}: it has no bots", path.display())));
    }
    let games: Vec<_> = match args.games.is_empty() {
        true => league.tournament.game.into_iter().collect(),
        false => args.games.clone(),
    };
    let lineup = args.lineup.clone().over(league.lineup());
    let (mut rows, mut places, mut entrants) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (place, bot) in bots.iter().enumerate() {
        let ready = Entrant::new(bot).and_then(|mut entrant| {
            lineup.equip(std::slice::from_mut(&mut entrant), &[path], false)?;
            Ok(entrant)
        });
        match ready {
            Ok(entrant) => {
                places.push(place);
                entrants.push(entrant);
            }
            Err(error) => _ = rows.insert(place, Row::no_start(&bot.name, &error)),
        }
    }
    let is_named = |entrant: &&Entrant| !entrant.identity.name.is_empty();
    check_distinct(&entrants.iter().filter(is_named).cloned().collect::<Vec<_>>())?;
    let named = places.iter().zip(&entrants).filter(|(_, entrant)| is_named(entrant));
    let named = named.map(|(&place, entrant)| (place, entrant.identity.name.clone())).collect();
    lineup.limit(&mut entrants, true)?;
    keep_apart(&mut entrants, &[path]);
    let contain = lineup.containment.contain;
    league.game.game(args.games.first().copied())?;
    let own = league.game.equipment(contain, false)?;
    if let Some(game) = &league.game.equipment(contain, true)? {
        // A game that fails would be told of each bot.
        let patience = args.patience.unwrap_or(GAME_PATIENCE);
        let trial = GameTrial { matches: args.matches.unwrap_or(GAME_MATCHES), patience, seed: args.seed };
        if let Some(failed) = check_game(game, trial, &mut |_| ()).first_failure() {
            let Finding { title, detail, .. } = failed;
            return Err(Error::no(format!("the game of the league is not ready: {title}: {detail}"))
                .hint("arena check --game-command checks it alone"));
        }
    }
    let (settings, host) = settings(args, &lineup, (&games, own), &entrants)?;
    let checked = |entrant: &Entrant| -> Result<Row, Error> {
        let time = entrant.identity.limits.at(settings.time);
        let own = Settings { time, ..settings.clone() };
        match block_on(check(entrant, &own, &host, &mut |_| ()))? {
            Ok(report) => Ok(Row::of(report)),
            Err(error) if error.kind() == ErrorKind::Usage => {
                Ok(Row::no_start(&entrant.identity.name, &error))
            }
            Err(error) => Err(error),
        }
    };
    for (number, row) in on_threads(&entrants, cores::given(), checked)?.into_iter().enumerate() {
        // The other checks may have taken its time, so it is checked again alone.
        let is_late = row.report.as_ref().is_some_and(Report::is_about_time);
        let row = if is_late { checked(&entrants[number])? } else { row };
        rows.insert(places[number], row);
    }
    let rows = told_apart(rows, &named);
    if let Some(folder) = &args.for_each {
        results::folder(folder).map_err(|error| Error::unwritable(folder, &error))?;
        for Row { bot, reason, report, .. } in rows.iter().filter(|row| check_name(&row.bot).is_ok()) {
            let text = report.as_ref().map_or_else(|| format!("{reason}\n"), text_of);
            write_whole(&folder.join(format!("{bot}.txt")), text.as_bytes())?;
        }
    }
    match args.format {
        Format::Json => print_json(&rows)?,
        _ => show(&table(&rows))?,
    }
    let broken: Vec<String> =
        rows.iter().filter(|row| row.result != "plays").map(|row| row.bot.clone()).collect();
    match broken.len() {
        0 => Ok(()),
        number => Err(Error::no(format!(
            "{} of {} not ready: {}",
            number,
            count(rows.len() as u64, "bot"),
            text::few(&broken)
        ))),
    }
}

/// Replaces the result of each bot that names itself as another bot is named, or nearly so: its author would otherwise
/// write into the text of the other one. `named` has the bots that the league names, by their places.
fn told_apart(rows: BTreeMap<usize, Row>, named: &BTreeMap<usize, String>) -> Vec<Row> {
    let mut taken: Vec<String> = named.values().cloned().collect();
    let apart = |(place, row): (usize, Row)| {
        if named.contains_key(&place) {
            return row;
        }
        let all = taken.iter().map(String::as_str).chain([row.bot.as_str()]);
        if taken.contains(&row.bot) || look_alikes(all).is_some() {
            let why = format!("it names itself {:?}, as another bot is named or nearly so", row.bot);
            return Row::no_start(&format!("unnamed bot {}", place + 1), &Error::usage(why));
        }
        taken.push(row.bot.clone());
        row
    };
    rows.into_iter().map(apart).collect()
}

/// Returns the table, with reasons as wide as the terminal allows.
fn table(rows: &[Row]) -> String {
    let taken = |cell: fn(&Row) -> usize| rows.iter().map(cell).max().unwrap_or_default();
    let others = taken(|row| layout::width(&row.bot)) + taken(|row| layout::width(row.result)) + 10;
    let room = width().map(|columns| columns.saturating_sub(others).max(REASON_WIDTH));
    let mut builder = Builder::default();
    builder.push_record(["bot", "result", "first reason"]);
    for Row { bot, result, reason, .. } in rows {
        let reason = text::line(reason);
        let reason = match room {
            Some(room) => layout::hanging("", &reason, Some(room)),
            None => reason.into_owned(),
        };
        builder.push_record([text::line(bot).into_owned(), (*result).to_owned(), reason]);
    }
    let mut table = builder.build();
    table.with(Style::sharp());
    format!("{table}\n")
}
