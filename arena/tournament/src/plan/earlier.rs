//! The plan of a resumed tournament.

use std::any::Any;
use std::path::Path;

use engine::game::{Game, Setup};
use engine::wire::WireFormat;

use super::commitment::OTHER_PLAN;
use super::{Plan, TOURNAMENT, TournamentFile, TournamentHead, keep_copies};
use crate::journal::{JOURNAL, read, results};
use crate::schedule::EXTRA;
use referee::bots::identity::Identity;
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use referee::play::seeds::{round_of_own_deal, table_number};
use referee::record::Summary;
use sandbox::selftest::Contained;
use sandbox::text;

/// Reads the tournament's file in `dir`. Returns `None` if there is no such file.
///
/// # Errors
/// Fails if the file cannot be read, or has another game or version.
pub fn earlier_file<G: WireFormat>(dir: &Path) -> Result<Option<TournamentFile<G::Setup>>, Error> {
    let path = dir.join(TOURNAMENT);
    let text = match results::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| Error::unreadable(&path, &error))?,
    };
    let wrong = |what: String| Error::usage(format!("{}: {what}", path.display()));
    let head = TournamentHead::of_text(&text, &path)?;
    let file = GameName::named(&head.plan.game).ok().map(|game| parsed(&text, game)).transpose();
    match file.map_err(|error| wrong(error.to_string()))?.map(|file| file.downcast()) {
        Some(Ok(file)) => Ok(Some(*file)),
        _ => Err(wrong(format!("this is a tournament of {}, not of {}", head.plan.game, G::NAME))),
    }
}

/// Returns the file of a tournament of this game. It is parsed here, so that all crates share one copy of the code.
fn parsed(text: &str, game: GameName) -> serde_json::Result<Box<dyn Any>> {
    for_game!(game, G => Ok(Box::new(serde_json::from_str::<TournamentFile<<G as Game>::Setup>>(text)?)))
}

/// Returns the round after the last played one of a draw, or `None` before the first match. Extra tables belong to no
/// round.
///
/// # Errors
/// The journal cannot be read.
pub fn next_round<S>(dir: &Path, plan: &Plan<S>) -> Result<Option<u64>, Error> {
    let round_of = |Summary { round, bots, .. }: &Summary| match plan.own_deals {
        // Draws have them only where each deal is played in every seat.
        true => round_of_own_deal(table_number(plan.seed, bots), *round) / bots.len().max(1) as u64,
        false => *round,
    };
    let mut next = None;
    if dir.join(JOURNAL).exists() {
        read::<Summary>(dir, |summary, _| {
            let round = round_of(&summary);
            next = next.max(Some(if round < EXTRA { round + 1 } else { 0 }));
            Ok(())
        })?;
    }
    Ok(next)
}

/// What the user allows to change in a tournament that goes on.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Continue in spite of changes, and list them in the file (`--force`).
    pub force: bool,
    /// The bots whose matches are played again (`--replace`).
    pub replaced: Vec<String>,
    /// The bots that take no part any more (`--without`).
    pub withdrawn: Vec<String>,
}

impl Allowed {
    /// Checks that the bots may be replaced and withdrawn in this tournament.
    ///
    /// # Errors
    /// The tournament has no such bot, or its later matches depend on the results of earlier ones.
    pub fn check<S>(&self, file: &TournamentFile<S>) -> Result<(), Error> {
        let TournamentFile { plan, withdrawn, .. } = file;
        // A bot may be withdrawn twice, and a replaced one may return.
        let names: Vec<&str> = plan.bots.iter().chain(withdrawn).map(|bot| bot.name.as_str()).collect();
        let settings = &plan.schedule;
        for (option, bots) in [("--without", &self.withdrawn), ("--replace", &self.replaced)] {
            let Some(bot) = bots.first() else { continue };
            let by_index = option == "--without" && plan.own_deals && !plan.deals_by_bots;
            if settings.is_adaptive() || by_index {
                let what = match settings.is_adaptive() {
                    true => "later matches depend on its results",
                    false => "its matches decide the deals of others in this tournament",
                };
                return Err(Error::usage(format!("{option} {bot}: {what}"))
                    .hint("begin a new tournament with another --out"));
            }
            if let Some(bot) = bots.iter().find(|bot| !names.contains(&bot.as_str())) {
                return Err(Error::usage(format!("{option} {bot}: there is no such bot"))
                    .hint(format!("its bots are {}", names.join(", "))));
            }
        }
        Ok(())
    }
}

/// Returns the file for continuing with the plan `later` and bots that are contained as in `contained`.
///
/// # Errors
/// Names the differences, if they are not allowed or not forced.
pub fn continued<S: Setup>(
    earlier: &TournamentFile<S>,
    mut later: Plan<S>,
    contained: &Contained,
    allowed: &Allowed,
) -> Result<TournamentFile<S>, Error> {
    let Allowed { force, replaced, withdrawn } = allowed;
    let mut begun = earlier.plan.clone();
    begun.bots.retain(|bot| !withdrawn.contains(&bot.name));
    for bot in begun.bots.iter_mut().filter(|bot| replaced.contains(&bot.name)) {
        let other = later.bots.iter().find(|other| other.name == bot.name);
        other.into_iter().for_each(|other| bot.clone_from(other));
    }
    let mut differences = begun.differences(&later);
    let weakened = earlier.containment.as_ref().and_then(|before| before.weakened_by(contained));
    differences.changes.extend(weakened);
    let is_new = |bot: &&Identity| earlier.plan.bots.iter().all(|known| known.name != bot.name);
    let joined = later.bots.iter().filter(is_new).map(|bot| &bot.name).chain(replaced);
    let joined: Vec<&String> = joined.filter(|_| earlier.deals_known).collect();
    if let Some(bot) = joined.first().filter(|_| !*force) {
        return Err(Error::usage(format!(
            "{bot:?} comes too late: authors know the deals from their reports"
        ))
        .hint("begin a new tournament, or go on all the same with --force, which every table tells"));
    }
    differences.changes.extend(joined.iter().map(|bot| format!("deals were known when {bot:?} came")));
    if earlier.commitment.as_ref().is_some_and(|commitment| !commitment.is_to(&later.unseeded_digest())) {
        differences.changes.push(OTHER_PLAN.to_owned());
    }
    let refuse = |what: &[String]| {
        Error::usage(format!("this is not the tournament that was begun: {}", text::few(what)))
    };
    if !differences.losses.is_empty() {
        return Err(refuse(&differences.losses).hint("begin a new one with another --out"));
    }
    if !differences.changes.is_empty() && !*force {
        let is_other = |bot: &&Identity| {
            let later = later.bots.iter().find(|later| later.name == bot.name);
            later.is_some_and(|later| bot.difference(later).is_some())
        };
        let others =
            earlier.plan.bots.iter().filter(|_| !earlier.plan.schedule.is_adaptive()).filter(is_other);
        let names: Vec<&str> =
            others.map(|bot| bot.name.as_str()).chain(replaced.iter().map(String::as_str)).collect();
        let again = match names.len() > replaced.len() {
            true => format!("play their matches again with --replace {}, ", names.join(" --replace ")),
            false => String::new(),
        };
        return Err(refuse(&differences.changes)
            .hint(format!("{again}go on all the same with --force, which is noted, or begin a new one")));
    }
    keep_copies(&mut later.bots, &earlier.plan.bots);
    let mut file = TournamentFile { no_solitary: earlier.no_solitary, ..TournamentFile::new(later) };
    file.containment = earlier.containment.as_ref().map(|before| before.weakest(contained));
    let is_back = |bot: &Identity| file.plan.bots.iter().any(|other| other.name == bot.name);
    let gone = earlier.plan.bots.iter().filter(|bot| withdrawn.contains(&bot.name));
    file.skipped.clone_from(&earlier.skipped);
    (file.deals_known, file.commitment) = (earlier.deals_known, earlier.commitment.clone());
    file.withdrawn = earlier.withdrawn.iter().filter(|bot| !is_back(bot)).chain(gone).cloned().collect();
    file.changes = earlier.changes.iter().cloned().chain(differences.changes).collect();
    Ok(file)
}
