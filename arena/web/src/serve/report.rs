//! A tournament as one HTML file to publish. The file has the drawings of the live page, and needs no
//! server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::list::{Entry, List, Place};
use super::matches::{Audience, HIDDEN, line_for, standings_of, view_of};
use super::{STYLE, TABLES};
use crate::Pages;
use crate::view::{self, MatchView};
use crate::web::answer::Asset;
use referee::error::{Error, ErrorKind};
use referee::for_game;
use referee::games::{GameKind, GameName, freeze_option};
use referee::note::note;
use referee::record::Summary;
use sandbox::SandboxLevel;
use tournament::plan::TournamentFile;
use tournament::plan::commitment::Commitment;
use tournament::replay::selection::{Fault, MatchRow, Order, Selection};
use tournament::replay::{Source, Span};
use tournament::report::tables::notes;
use tournament::schedule::Seeding;
use tournament::standings::{Row, Standings};
use tournament::state::{Applied, State};

/// A match of a list with its margin.
type Found = (Entry, i64);

/// The number of matches in each list of best matches.
const BEST: usize = 5;

/// The page around the data of a report or of a league.
pub(super) const PAGE: &str = include_str!("assets/report.html");
/// The modules that build the report.
const REPORT: [Asset; 2] =
    [("theatre.js", include_str!("assets/theatre.js")), ("report.js", include_str!("assets/report.js"))];
/// The main module of a match page, which a report does not use.
const PAGE_OF_A_MATCH: &str = "app.js";
/// The largest total size of views in a report, in bytes. Further matches appear with their scores only.
const VIEWS_BYTES_MAX: usize = 2 << 20;

/// The data of the report.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The name of the directory.
    name: String,
    /// What the organizer says about the tournament.
    title: Option<String>,
    text: Option<String>,
    dates: Option<String>,
    /// The name of the schedule.
    schedule: &'static str,
    /// The seed, as a string of decimal digits, because some JSON readers cannot hold such large numbers. `None` while
    /// matches are missing, because it tells their deals.
    seed: Option<String>,
    rounds: u64,
    seats: usize,
    move_ms: u64,
    plan_digest: String,
    arena: String,
    system: String,
    /// The number of known matches of the plan that the journal does not have.
    missing: u64,
    standings: Standings,
    /// The notes on the tables, a line each.
    notes: Vec<String>,
    /// What the organiser said about the seed before.
    commitment: Option<String>,
    best: Vec<Best>,
    /// The views of the best matches, by index.
    views: BTreeMap<u64, Box<RawValue>>,
    bots: Vec<Bot>,
    /// The command that plays the tournament again.
    command: String,
    /// Whose report it is. `None` for everyone's.
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<Author>,
    /// The lines of the best matches, by index, and how to show them.
    #[serde(skip)]
    lines: Vec<(u64, Vec<u8>)>,
    #[serde(skip)]
    view: Option<ViewOf>,
}

/// The author of a bot, and what lies in the folder of the report.
#[derive(Clone, Debug, Serialize)]
struct Author {
    bot: String,
    /// The lost matches with a page of their own, worst first.
    lost: Vec<Seated>,
    /// What the bot wrote to stderr, and its faults, as paths.
    files: Vec<PathBuf>,
}

/// The first matches in some order.
#[derive(Clone, Debug, Serialize)]
struct Best {
    title: &'static str,
    matches: Vec<Seated>,
}

/// A match with its scores.
#[derive(Clone, Debug, Serialize)]
struct Seated {
    #[serde(rename = "match")]
    index: u64,
    round: u64,
    margin: i64,
    seats: Vec<(String, i32)>,
}

impl Seated {
    fn of_row(row: &MatchRow) -> Seated {
        let seats = row.seats.iter().map(|seat| (seat.bot.clone(), seat.score)).collect();
        Seated { index: row.index, round: row.round, margin: row.margin, seats }
    }
}

/// A bot of the tournament. The report omits folders and environment variables of the organiser's machine.
#[derive(Clone, Debug, Serialize)]
struct Bot {
    name: String,
    version: Option<String>,
    /// SHA-256 of the bot's files, the program first.
    files: Vec<String>,
}

impl Report {
    /// Reads a tournament. Passes each match to `see`, with the place of its line.
    ///
    /// # Errors
    /// Fails if it is no tournament of a game that the arena knows, or if its files cannot be read.
    pub fn read(source: &Source, see: &mut dyn FnMut(&Summary, Span)) -> Result<Report, Error> {
        let game = GameName::named(&source.begun()?.plan.game)?;
        for_game!(game, G => Report::of::<G>(source, Some(json_of::<G>), see), plain G => Report::of::<G>(source, None, see))
    }

    /// Returns the report with these views of matches, if the game has views.
    fn of<G: GameKind>(
        source: &Source,
        view: Option<ViewOf>,
        see: &mut dyn FnMut(&Summary, Span),
    ) -> Result<Report, Error> {
        let (dir, head) = (source.dir(), source.begun()?);
        let file = source.tournament::<G>()?.ok_or_else(|| source.empty())?;
        let mut state = State::of(&head)?;
        let (mut list, limits) = (List::default(), head.plan.bot_limits());
        source.read::<Summary>(|summary, line| {
            let Applied { bots, is_new } = state.apply(&summary)?;
            if is_new {
                let place = Place { source: 0, offset: line.offset, length: line.bytes.len() as u32 };
                list.add(&summary, &bots, &limits, place);
                see(&summary, Span::of(&line));
            }
            Ok(())
        })?;
        state.end()?;
        let standings = standings_of(&state);
        let best = best(&list, state.names(), head.plan.seats);
        let failed = standings.rows.iter().filter_map(|row| list.find(row.first_fault.as_ref()?.index));
        let failed: Vec<Found> = failed.map(|entry| (entry, 0)).collect();
        let lines = lines(source, &best, &failed)?;
        let missing = state.schedule().total().saturating_sub(state.tally().matches());
        let seed = (missing == 0).then(|| head.plan.seed.to_string());
        let report = Report {
            name: name_of(dir).unwrap_or_else(|| head.plan.game.clone()),
            title: head.title.clone(),
            text: head.text.clone(),
            dates: head.dates.clone(),
            schedule: head.plan.schedule.schedule.as_str(),
            command: command::<G>(&file, seed.as_deref()),
            author: None,
            seed,
            rounds: head.plan.rounds,
            seats: head.plan.seats,
            move_ms: head.plan.limits.per_move.as_millis() as u64,
            plan_digest: head.plan_digest.clone(),
            arena: file.host.arena.clone(),
            system: file.host.system.clone(),
            missing,
            notes: notes(&standings),
            commitment: head.commitment.as_ref().map(Commitment::words),
            standings,
            best: best.into_iter().map(|(title, of)| named(title, &of, &list, state.names())).collect(),
            views: BTreeMap::new(),
            bots: file.plan.bots.iter().map(bot).collect(),
            lines,
            view,
        };
        report.viewed(None)
    }

    /// Returns the report with the views of its best matches, for everyone or for the author of this bot. The first
    /// matches of all lists come first, until the size limit is reached. If a record does not hold, its match counts in
    /// the tables but has no view.
    fn viewed(mut self, author: Option<&str>) -> Result<Report, Error> {
        let (per_move, mut bytes) = (Duration::from_millis(self.move_ms), 0);
        for (index, line) in &self.lines {
            let Some(view) = self.view else { break };
            let view = match view(line, per_move, author) {
                Ok(view) => view,
                Err(error) if error.kind() == ErrorKind::No => {
                    note(&format!("left out of the viewer: {}", error.message()));
                    continue;
                }
                Err(error) => return Err(error),
            };
            bytes += view.get().len();
            if bytes > VIEWS_BYTES_MAX {
                break;
            }
            self.views.insert(*index, view);
        }
        Ok(self)
    }

    /// Returns the report for the author of a bot: it begins with the bot, with links to the pages of these lost matches
    /// and to these files beside it, and has no words that other bots said.
    ///
    /// # Errors
    /// A match cannot be shown.
    pub fn for_author(&self, bot: &str, lost: &[&MatchRow], files: Vec<PathBuf>) -> Result<Report, Error> {
        let lost = lost.iter().map(|row| Seated::of_row(row)).collect();
        let author = Some(Author { bot: bot.to_owned(), lost, files });
        let mut report = Report { views: BTreeMap::new(), author, ..self.clone() };
        let Standings { rows, skipped, .. } = &mut report.standings;
        let faults = rows.iter_mut().filter(|row| row.bot != bot).filter_map(|row| row.first_fault.as_mut());
        let reasons = skipped.iter_mut().filter(|one| one.bot != bot).map(|one| &mut one.reason);
        faults.map(|fault| &mut fault.detail).chain(reasons).for_each(|words| HIDDEN.clone_into(words));
        report.notes = notes(&report.standings);
        report.viewed(Some(bot))
    }

    /// Returns the number of counted matches.
    pub fn matches(&self) -> u64 {
        self.standings.matches
    }

    /// Returns the number of counted matches, and of all known ones.
    pub(super) fn progress(&self) -> [u64; 2] {
        [self.standings.matches, self.standings.matches + self.missing]
    }

    /// Returns the rows of the table.
    pub fn rows(&self) -> &[Row] {
        &self.standings.rows
    }

    /// Returns the page.
    pub fn page(&self) -> String {
        let title = format!("{}: {}", self.standings.game, self.name);
        let title = self.title.clone().unwrap_or(title);
        let title = self.author.iter().fold(title, |title, author| format!("{} in {title}", author.bot));
        view::one_file(PAGE, &title, &[view::STYLE.1, STYLE.1], &modules(), self)
    }
}

/// Returns the name of a directory.
pub(super) fn name_of(dir: &Path) -> Option<String> {
    Some(dir.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned())
}

/// Returns the modules of the page. Each module comes after its imports.
fn modules() -> Vec<Asset> {
    let viewer = view::MODULES.into_iter().filter(|(name, _)| *name != PAGE_OF_A_MATCH);
    viewer.chain(TABLES).chain(REPORT).collect()
}

fn bot(identity: &referee::bots::identity::Identity) -> Bot {
    let files = identity.files.iter().map(|file| file.sha256.clone()).collect();
    Bot { name: identity.name.clone(), version: identity.version.clone(), files }
}

/// Returns the lists of best matches. The closest and widest matches exclude faults, which would distort
/// the margins. Neither is there if all margins are equal, as in a game of wins and losses.
fn best(list: &List, names: &[String], seats: usize) -> Vec<(&'static str, Vec<Found>)> {
    let pick = |title, order, fault| {
        let asked = Selection { sort: Some(order), fault, ..Selection::default() };
        let mut chosen = list.choose(&asked, names).unwrap_or_default().entries;
        // A bot that plays alone has one game of a deal at several tables.
        let mut seen = BTreeSet::new();
        chosen.retain(|(entry, _)| {
            let best = list.seat_results(entry).iter().max_by_key(|seat| seat.score);
            order != Order::Highest || seen.insert(best.map(|seat| (entry.round, seat.bot, seat.score)))
        });
        chosen.truncate(BEST);
        (title, chosen)
    };
    let mut all = vec![pick("Highest scores", Order::Highest, None)];
    if seats > 1 {
        let by_margin = [("Closest", Order::Closest), ("Widest margins", Order::Widest)];
        let [closest, widest] = by_margin.map(|(title, order)| pick(title, order, Some(Fault::None)));
        let first = |(_, of): &(_, Vec<Found>)| of.first().map(|(_, margin)| margin.abs());
        if first(&closest) != first(&widest) {
            all.extend([closest, widest]);
        }
    }
    all
}

fn named(title: &'static str, of: &[Found], list: &List, names: &[String]) -> Best {
    Best { title, matches: of.iter().map(|entry| seated(list, entry, names)).collect() }
}

/// Returns the view of a match from its line, with the limit of a decision, for everyone or for an author.
type ViewOf = fn(&[u8], Duration, Option<&str>) -> Result<Box<RawValue>, Error>;

fn json_of<G: Pages>(line: &[u8], per_move: Duration, author: Option<&str>) -> Result<Box<RawValue>, Error> {
    let raw = |view: &MatchView<'_, G>| to_raw_value(view).expect("a view is plain data");
    let line = author.map_or_else(|| Ok(line.to_owned()), |author| line_for::<G>(line, author))?;
    view_of::<G, _>(&line, None, Some(per_move), &Audience::default(), raw)
}

/// Returns the lines of these matches, by index: the first ones of all lists first, and those with faults last.
fn lines(
    source: &Source,
    best: &[(&str, Vec<Found>)],
    failed: &[Found],
) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    let in_turn = (0..BEST).flat_map(|place| best.iter().filter_map(move |(_, of)| of.get(place)));
    let in_turn = in_turn.chain(failed);
    let mut seen = BTreeSet::new();
    let line = |(entry, _): &Found| {
        let Place { offset, length, .. } = entry.place;
        Ok((entry.index, source.line(Span { number: 0, offset, length })?))
    };
    in_turn.filter(|(entry, _)| seen.insert(entry.index)).map(line).collect()
}

fn seated(list: &List, (entry, margin): &Found, names: &[String]) -> Seated {
    let seats = list.seat_results(entry).iter();
    let seats = seats.map(|seat| (names[seat.bot as usize].clone(), seat.score)).collect();
    Seated { index: entry.index, round: entry.round, margin: *margin, seats }
}

/// Returns the command that plays the tournament again. The user needs the bots.
fn command<G: GameKind>(file: &TournamentFile<G::Setup>, seed: Option<&str>) -> String {
    let TournamentFile { plan, containment, no_solitary, .. } = file;
    let settings = &plan.schedule;
    let mut words = vec![
        format!("arena tournament --game {} --schedule {}", plan.game, settings.schedule.as_str()),
        format!("--rounds {} --seats {}", plan.rounds, plan.seats),
    ];
    words.extend(seed.map(|seed| format!("--seed {seed}")));
    words.extend(
        settings
            .challenger
            .as_ref()
            .map(|challenger| format!("--challenger {}", shell_words::quote(challenger))),
    );
    words.extend(settings.swiss_rounds.map(|rounds| format!("--swiss-rounds {rounds}")));
    words.extend(settings.seeding.filter(|&how| how == Seeding::Draw).map(|_| "--seeding draw".to_owned()));
    words.extend(settings.max_rounds.map(|rounds| format!("--until-decided --max-rounds {rounds}")));
    words.extend(plan.memory_bytes.map(|bytes| format!("--memory {bytes}B")));
    let reuse = if plan.trusting { "--reuse=trusting" } else { "--reuse" };
    words.extend(no_solitary.then(|| "--no-solitary".to_owned()));
    let level = containment.as_ref().map(|contained| contained.mode).unwrap_or_default();
    words.extend((level != SandboxLevel::default()).then(|| format!("--contain {}", level.as_str())));
    words.extend(plan.reuse.then(|| reuse.to_owned()));
    for bot in &plan.bots {
        words.push(format!("--bot {}", shell_words::quote(&format!("{}={}", bot.name, bot.command))));
    }
    words.join(" ")
        + &plan.limits.options()
        + freeze_option::<G>(&plan.setup, plan.freeze)
        + &G::options_of(&plan.setup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_of_a_report_share_no_names() {
        view::check_names(&modules());
    }
}
