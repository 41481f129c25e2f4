//! Judges the decisions of recorded matches with the search of the bundled bots.
//!
//! No bot plays here. The values of a match depend on its record and on the budget alone, so any number of threads gives
//! the same.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use bots::{Coach, Compared};
use engine::doodle::{self, Doodle};
use engine::game::Seat;
use engine::patchwork::{self, Patchwork};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::shown::Shown;
use crate::setup::runtime::on_threads;
use referee::error::Error;
use referee::play::Start;
use referee::record::MatchRecord;
use tournament::journal::{Journal, results};

/// The smallest loss that is named, in points.
const NAMED: f64 = 1.0;
/// The size of a loss in standard errors from which it is named.
const SIGNIFICANT: f64 = 2.0;

/// The decisions of a match: a line of `analysis.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MatchAnalysis {
    /// The index of the match in its tournament.
    #[serde(rename = "match")]
    pub(crate) index: u64,
    /// The digest of the match.
    pub(crate) digest: String,
    /// The budget for a decision, in nodes.
    pub(crate) nodes: u64,
    /// The decisions with a move of a bot, in the order of the record.
    pub(crate) decisions: Vec<Judged>,
}

/// A judged decision. All numbers are points: of the match at doodle, of the margin at Patchwork.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Judged {
    /// The number of the decision.
    pub(crate) id: u32,
    /// The seat.
    pub(crate) seat: Seat,
    /// The value of the move that was played.
    pub(crate) value: f64,
    /// How much more the best move is worth; 0 for the same move.
    pub(crate) loss: f64,
    /// The uncertainty of the loss, as a standard error.
    pub(crate) error: f64,
    /// The best move that was found.
    pub(crate) best: Value,
    /// What the best move does differently. Empty for the same move.
    pub(crate) slip: String,
    /// The part of the match.
    pub(crate) phase: String,
}

impl Judged {
    /// Returns true if the loss is worth a mention: large enough, and hardly by chance.
    pub(crate) fn is_named(&self) -> bool {
        self.loss >= NAMED && self.loss > SIGNIFICANT * self.error
    }

    /// Returns half of the 95 % interval of the loss.
    pub(crate) fn margin(&self) -> f64 {
        1.96 * self.error
    }
}

/// Returns the analysis of a verified record from the store, or makes it and adds it there.
///
/// # Errors
/// As [`analyzed`], or the store cannot be written.
pub(crate) fn kept_or_analyzed<G: Coached>(
    store: Option<&mut Store>,
    record: &MatchRecord<G>,
    equipment: &Arc<G::Equipment>,
    nodes: u64,
    threads: usize,
) -> Result<MatchAnalysis, Error> {
    let Some(store) = store else { return analyzed(record, equipment, nodes, None, threads) };
    if let Some(known) = store.of(record, nodes) {
        return Ok(known);
    }
    let analysis = analyzed(record, equipment, nodes, None, threads)?;
    store.add(&analysis)?;
    Ok(analysis)
}

/// A game with words for what a move does wrong.
pub(crate) trait Coached: Shown + Coach<Action: Sync> {
    /// Returns what the best move does differently.
    fn slip(&self, seat: Seat, played: &Self::Action, best: &Self::Action) -> &'static str;
    /// Returns the name of the present part of the match.
    fn phase(&self, seat: Seat) -> String;
}

impl Coached for Doodle {
    fn slip(&self, seat: Seat, played: &doodle::Action, best: &doodle::Action) -> &'static str {
        let uses = |action| self.moves(seat).and_then(|moves| moves.check(action).ok());
        let count =
            |action| uses(action).map_or(0, |uses| u8::from(uses.neighbor) + uses.singles + uses.cuts);
        match (played.draw, best.draw) {
            (None, Some(_)) => "pass",
            (Some(_), None) => "draw",
            _ if count(played) > count(best) => "action used",
            _ if count(played) < count(best) => "action kept",
            (Some(played), Some(best)) if played.card != best.card => "card",
            _ => "place",
        }
    }

    fn phase(&self, _seat: Seat) -> String {
        let round = self.current_turn().map_or(3, |turn| turn.round);
        format!("round {round}")
    }
}

impl Coached for Patchwork {
    fn slip(&self, _seat: Seat, played: &patchwork::Action, best: &patchwork::Action) -> &'static str {
        use patchwork::Action::{Advance, Buy};
        match (played, best) {
            (Advance, Buy { .. }) => "advance",
            (Buy { .. }, Advance) => "purchase",
            (Buy { patch: played, .. }, Buy { patch: best, .. }) if played != best => "patch",
            _ => "place",
        }
    }

    fn phase(&self, seat: Seat) -> String {
        let (space, last) = (self.state().players()[seat].space, self.table().track().last());
        ["opening", "middle", "end"][usize::from((space * 3 / last.max(1)).min(2))].to_owned()
    }
}

/// A decision to judge.
struct Task<G: Coached> {
    game: G,
    id: u32,
    seat: Seat,
    played: G::Action,
}

/// Judges the decisions of the bots in a verified record. With `only`, those of this bot.
///
/// # Errors
/// The record is not that of a match of this game.
pub(crate) fn analyzed<G: Coached>(
    record: &MatchRecord<G>,
    equipment: &Arc<G::Equipment>,
    nodes: u64,
    only: Option<&str>,
    threads: usize,
) -> Result<MatchAnalysis, Error> {
    let mut game = Start::of_record(record).begin(equipment)?;
    let mut tasks = Vec::new();
    for turn in record.played() {
        let Some(wire_move) = &turn.wire_move else {
            game.withdraw(turn.seat);
            continue;
        };
        let wrong = |error: G::Illegal| Error::usage(error.to_string());
        let played = G::read(equipment, wire_move).map_err(wrong)?;
        if only.is_none_or(|bot| record.bots[turn.seat] == bot) {
            tasks.push(Task { game: game.clone(), id: turn.id, seat: turn.seat, played: played.clone() });
        }
        game.play(turn.seat, &played).map_err(wrong)?;
    }
    let decisions = on_threads(&tasks, threads, |task| Ok(judged(task, equipment, nodes, record.seed)))?;
    Ok(MatchAnalysis { index: record.index, digest: record.digest.clone(), nodes, decisions })
}

fn judged<G: Coached>(task: &Task<G>, equipment: &Arc<G::Equipment>, nodes: u64, seed: u64) -> Judged {
    let Task { game, id, seat, played } = task;
    let seed = seed ^ u64::from(*id) << 32 ^ *seat as u64;
    let (best, Compared { value, loss, error }) =
        G::advise(equipment, &game.observe(*seat), *seat, played, nodes, seed);
    let rounded = |number: f64| (number * 100.0).round() / 100.0;
    Judged {
        id: *id,
        seat: *seat,
        value: rounded(value),
        loss: rounded(loss),
        error: rounded(error),
        slip: if best == *played { "" } else { game.slip(*seat, played, &best) }.to_owned(),
        best: serde_json::to_value(G::write(equipment, &best)).expect("a move is plain data"),
        phase: game.phase(*seat),
    }
}

/// The name of the file in a tournament's directory.
const FILE: &str = "analysis.jsonl";

/// The analyses that a tournament's directory has. A line may come from other people, so it counts only if it is of the
/// match and the budget that are asked for.
pub(crate) struct Store {
    journal: Journal,
    known: HashMap<(String, u64), MatchAnalysis>,
}

impl Store {
    /// Opens the file in a directory, or begins it. Leaves out a torn line at its end.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(crate) fn open(dir: &Path) -> Result<Store, Error> {
        let path = dir.join(FILE);
        let (mut known, mut whole_bytes, mut line) = (HashMap::new(), 0, Vec::new());
        if path.exists() {
            let unreadable = |error: std::io::Error| Error::unreadable(&path, &error);
            let mut reader = BufReader::new(results::open(&path).map_err(unreadable)?);
            loop {
                line.clear();
                let read = results::read_line(&mut reader, &mut line).map_err(unreadable)?;
                let Ok(analysis) = serde_json::from_slice::<MatchAnalysis>(&line) else { break };
                whole_bytes += read as u64;
                known.insert((analysis.digest.clone(), analysis.nodes), analysis);
            }
        }
        Ok(Store { journal: Journal::open(path, whole_bytes)?, known })
    }

    /// Returns the analysis of this record, if all of its decisions are known.
    pub(crate) fn of<G: Coached>(&self, record: &MatchRecord<G>, nodes: u64) -> Option<MatchAnalysis> {
        let known = self.known.get(&(record.digest.clone(), nodes))?;
        let decisions = record.played().iter().filter(|turn| turn.wire_move.is_some());
        let is_whole = decisions
            .map(|turn| (turn.id, turn.seat))
            .eq(known.decisions.iter().map(|judged| (judged.id, judged.seat)));
        is_whole.then(|| MatchAnalysis { index: record.index, ..known.clone() })
    }

    /// Adds an analysis.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn add(&mut self, analysis: &MatchAnalysis) -> Result<(), Error> {
        let line = serde_json::to_string(analysis).expect("plain data") + "\n";
        self.journal.append(line.as_bytes()).map(drop)
    }
}
