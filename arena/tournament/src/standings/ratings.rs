//! One table of bots from any number of tournaments: each row is a version of a bot, and each block a deal.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Standings, Tally};
use crate::journal::{JOURNAL, read, results};
use crate::plan::{TOURNAMENT, TournamentHead, copies};
use referee::bots::identity::Identity;
use referee::error::Error;
use referee::play::time_control::TimeControl;
use referee::record::Summary;
use sandbox::confine::paths::VERSIONS;

/// The fields of a plan that say which game is played, by which rules.
const OF_GAME: [&str; 7] = ["game", "rules", "cards", "patches", "track", "program", "options"];
/// Letters of a version's digest in a name.
const SHORT: usize = 6;

/// The deal of a record, and the position in which it starts.
#[derive(Deserialize)]
struct DealOf {
    deal: Value,
    #[serde(default)]
    start: Value,
}

/// The matches of one game, with its rules.
#[derive(Default)]
struct Matches {
    name: String,
    /// The names of rows by what makes them the same: command, variables, version, limits, number among copies, and the bot
    /// of a contest with the number of its version.
    rows: BTreeMap<String, String>,
    limits: HashMap<String, TimeControl>,
    /// The journals, each with the rows of its bots.
    journals: Vec<(PathBuf, HashMap<String, String>)>,
}

/// Reads the matches in these directories, including replaced ones, and returns a table for each game with its rules. A match
/// that appears several times counts once.
///
/// # Errors
/// A directory has no tournament, or its records cannot be counted.
pub fn ratings(dirs: &[PathBuf]) -> Result<Vec<(String, Standings)>, Error> {
    let mut games: BTreeMap<String, Matches> = BTreeMap::new();
    for dir in dirs {
        let head = TournamentHead::read(dir)?;
        let path = dir.join(TOURNAMENT);
        let text = results::read(&path).map_err(|error| Error::unreadable(&path, &error))?;
        let text: Value = serde_json::from_str(&text).map_err(|error| Error::usage(error.to_string()))?;
        let game = games.entry(json!(OF_GAME.map(|field| &text[field])).to_string()).or_default();
        game.name.clone_from(&head.plan.game);
        game.enter(dir.join(JOURNAL), &head.plan.bots, &HashMap::new(), head.plan.limits);
        for number in 1.. {
            let [journal, bots] = ["jsonl", "json"].map(|end| dir.join(format!("replaced-{number}.{end}")));
            if !journal.exists() {
                break;
            }
            let known: Option<Vec<Identity>> =
                results::read(&bots).ok().and_then(|text| serde_json::from_str(&text).ok());
            let all = head.plan.bots.iter().chain(&head.withdrawn).cloned().collect::<Vec<_>>();
            let before = if known.is_some() { HashMap::new() } else { in_each_match(&journal, number)? };
            game.enter(journal, &known.unwrap_or(all), &before, head.plan.limits);
        }
    }
    games.into_values().map(|game| Ok((game.name.clone(), game.standings()?))).collect()
}

/// Returns the number of a version in a contest, which is the name of its folder.
pub fn in_contest(bot: &Identity) -> Option<u32> {
    let version = bot.dir.as_ref()?.strip_prefix(VERSIONS).ok()?;
    version.file_name()?.to_str()?.parse().ok()
}

/// Returns the bots of all matches, which are the ones that were replaced, each with a name for its unknown version.
fn in_each_match(journal: &Path, number: u64) -> Result<HashMap<String, String>, Error> {
    let mut all: Option<BTreeSet<String>> = None;
    read::<Summary>(journal, |summary, _| {
        let bots: BTreeSet<String> = summary.bots.into_iter().collect();
        all = Some(all.take().map_or(bots.clone(), |all| &all & &bots));
        Ok(())
    })?;
    Ok(all.into_iter().flatten().map(|bot| (bot, format!("before-{number}"))).collect())
}

impl Matches {
    /// Adds a journal, and rows for its bots. `before` names the bots whose version is unknown.
    fn enter(
        &mut self,
        journal: PathBuf,
        bots: &[Identity],
        before: &HashMap<String, String>,
        table: TimeControl,
    ) {
        let mut names = HashMap::new();
        for (bot, (_, copy)) in bots.iter().zip(copies(bots)) {
            let files: Vec<&str> = bot.files.iter().map(|file| file.sha256.as_str()).collect();
            let version = bot.digest.clone().unwrap_or_else(|| files.concat());
            let (version, limits) = (before.get(&bot.name).unwrap_or(&version), bot.limits.at(table));
            // In a contest, the same files of two authors are two versions.
            let of_contest = in_contest(bot).map(|number| (&bot.name, number));
            let key = json!([bot.command, bot.env, version, limits, copy, of_contest]).to_string();
            // A stranger's file may have any text as a digest.
            let digits =
                || -> String { version.chars().filter(char::is_ascii_hexdigit).take(SHORT).collect() };
            let number = || in_contest(bot).map(|number| number.to_string());
            let short = before.get(&bot.name).cloned().or_else(number).unwrap_or_else(digits);
            let short = format!("{}@{short}", bot.name);
            let taken: BTreeSet<&String> = self.rows.values().collect();
            let own = Some(bot.name.clone()).filter(|_| !before.contains_key(&bot.name));
            let all =
                own.into_iter().chain([short.clone()]).chain((2..).map(|more| format!("{short}-{more}")));
            let free = { all }.find(|name| !taken.contains(name)).expect("numbers do not run out");
            let row = self.rows.entry(key).or_insert(free);
            self.limits.insert(row.clone(), limits);
            names.insert(bot.name.clone(), row.clone());
        }
        self.journals.push((journal, names));
    }

    /// Returns the table of all matches.
    fn standings(&self) -> Result<Standings, Error> {
        let mut names: Vec<String> = self.rows.values().cloned().collect();
        names.sort_unstable();
        let tally = self.count(&names)?;
        // A bot that has not played gets no row. Usually all have, and one reading is enough.
        let tally = if tally.has_each() { tally } else { self.count(&tally.played())? };
        Ok(tally.standings())
    }

    /// Counts all matches for these rows. Repetitions of a match with another result are blocks of their own.
    fn count(&self, names: &[String]) -> Result<Tally, Error> {
        let limits = names.iter().map(|name| self.limits[name]).collect();
        let mut tally = Tally::new(&self.name, names, limits);
        let (mut known, mut seen, mut blocks) = (HashSet::new(), HashMap::new(), HashMap::new());
        for (journal, names) in &self.journals {
            read::<Summary>(journal, |mut summary, line| {
                for bot in &mut summary.bots {
                    let unknown = || Error::usage(format!("line {}: there is no bot {bot:?}", line.number));
                    *bot = names.get(bot).ok_or_else(unknown)?.clone();
                }
                let of = serde_json::from_slice::<DealOf>(line.bytes)
                    .map_err(|error| Error::usage(error.to_string()))?;
                let deal = short(&json!([of.deal, of.start]));
                let played = short(&json!([deal, summary.bots]));
                if !known.insert((played, summary.digest.clone())) {
                    return Ok(());
                }
                let again = seen.entry(played).and_modify(|again| *again += 1).or_insert(0);
                let new = blocks.len() as u64;
                summary.round = *blocks.entry((deal, *again)).or_insert(new);
                tally.add(&summary).map(drop)
            })?;
        }
        Ok(tally)
    }
}

/// Returns the beginning of a digest of a value.
fn short(value: &Value) -> [u8; 16] {
    Sha256::digest(value.to_string())[..16].try_into().expect("a digest is longer")
}
