//! The record of a match: one line of `matches.jsonl`, enough to play the match again.

mod line;
mod write;

use std::time::Duration;

use engine::game::{Game, Outcome, Seat};
use engine::wire::FaultKind;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::play::clock::TimeControl;
use crate::seats::fault::{Fault, doubt};

pub use line::{LineCheck, renumbered};

/// A match as it is written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound = "")]
#[cfg_attr(
    feature = "schema",
    schemars(bound = "G::Deal: JsonSchema, G::Word: JsonSchema, G::Setup: JsonSchema")
)]
#[cfg_attr(feature = "schema", schemars(transform = line::describe_check))]
pub struct MatchRecord<G: Game> {
    /// Index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round: all matches of a round play the same deal.
    pub round: u64,
    /// Name of the game.
    pub game: String,
    /// The seed of the deal.
    pub seed: u64,
    /// Names of the bots by seat.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub bots: Vec<String>,
    /// Everything chance decided.
    pub deal: G::Deal,
    /// The decisions, by id, then seat.
    pub turns: Vec<TurnRecord<G::Word>>,
    /// What came of it.
    pub result: ResultRecord,
    /// Why the match was played a second time, if it was: the first time does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<String>,
    /// The seats whose bots were not at the table: they had played this deal alone, and their decisions
    /// and times are from there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Seat>,
    /// Processor time of each seat's bot while it owed no answer, in microseconds; left out where none was
    /// seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off_turn_us: Vec<u64>,
    /// What must be the same in every repetition of the match, in 32 hexadecimal digits.
    ///
    /// See [`digest`](Self::digest).
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub digest: String,
    /// Rules, and components where they are not the standard ones.
    #[serde(flatten)]
    pub setup: G::Setup,
}

/// One decision of one seat: a move or the fault that stood in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnRecord<W> {
    /// Number of the decision.
    pub id: u32,
    /// The seat.
    pub seat: Seat,
    /// The move, in the engine's one form for it.
    #[serde(rename = "move", default = "Option::default", skip_serializing_if = "Option::<W>::is_none")]
    pub word: Option<W>,
    /// The fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultText>,
    /// What the bot noted with its move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How long it took, in microseconds.
    pub us: u64,
    /// How late the arena itself was, in microseconds, where it noticed: the decision may have been
    /// shorter by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_us: Option<u64>,
    /// Processor time of the bot in this decision, in microseconds, measured for slow ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Of a fault: for how long the host of a virtual machine kept a processor from it meanwhile, in microseconds, if
    /// it did. The decision may have been shorter by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen_us: Option<u64>,
    /// Of a fault: for how long the bot was ready to run and got no processor, in microseconds, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starved_us: Option<u64>,
}

impl<W> TurnRecord<W> {
    /// The fault as it came to the referee, if it was one.
    pub fn to_fault(&self) -> Option<Fault> {
        let FaultText { kind, detail } = self.fault.as_ref()?;
        Some(Fault {
            elapsed: Duration::from_micros(self.us),
            lateness: time_of(self.late_us),
            cpu: self.cpu_us.map(Duration::from_micros),
            stolen: self.stolen_us.map(Duration::from_micros),
            starved: self.starved_us.map(Duration::from_micros),
            ..Fault::new(*kind, detail.clone())
        })
    }
}

/// A fault as written in a record and sent to the bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultText {
    /// What kind.
    pub kind: FaultKind,
    /// What was asked, what came, what to do.
    pub detail: String,
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultRecord {
    /// Points of each seat.
    pub scores: Vec<i32>,
    /// Rank of each seat, from 1.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1))))]
    pub ranks: Vec<u32>,
    /// Points by seat and round, for games that have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Vec<Vec<i32>>>,
    /// The fault of each seat, if it had one.
    pub faults: Vec<Option<FaultMark>>,
}

/// Which fault put a seat out, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultMark {
    /// What kind.
    pub kind: FaultKind,
    /// During which decision.
    pub id: u32,
}

impl ResultRecord {
    /// The result of a game and the faults that happened in it.
    pub fn new(outcome: Outcome, faults: Vec<Option<FaultMark>>) -> ResultRecord {
        let Outcome { scores, ranks, rounds } = outcome;
        ResultRecord { scores, ranks, rounds, faults }
    }
}

impl<G: Game> MatchRecord<G> {
    /// What must be the same in every repetition of the match, as 32 hexadecimal digits: the first
    /// half of the SHA-256 of the JSON array `[game, seed, bots, setup, deal, turns, result]` in
    /// which a turn is `[id, seat, move or kind of fault]`. Times, notes, the wording of faults and
    /// the index in a tournament are not in it.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(self.essence())[..16])
    }

    /// Whether the machine may be to blame for a time fault ([`Fault::doubt`]). Says why.
    pub fn doubtful_timeout(&self, time: &TimeControl) -> Option<String> {
        let mut played_here = self.turns.iter().filter(|turn| !self.alone.contains(&turn.seat));
        played_here.find_map(|turn| {
            let fault = turn.to_fault()?;
            let limit = match fault.kind {
                FaultKind::Startup => time.startup,
                // What the decision had, with a bank less than the limit of a move.
                _ => time.per_move.min(fault.elapsed),
            };
            let (why, bot) = (doubt(&fault, limit)?, &self.bots[turn.seat]);
            Some(format!("{why} in decision {} of {bot}, which was not in time", turn.id))
        })
    }

    /// The record with its digest filled in.
    #[must_use]
    pub fn sealed(mut self) -> MatchRecord<G> {
        self.digest = self.digest();
        self
    }
}

/// A time in a record; none where it was left out.
fn time_of(us: Option<u64>) -> Duration {
    Duration::from_micros(us.unwrap_or(0))
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("four bits are a digit");
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// What tables need of a record; reads the line of any game.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Summary {
    /// Index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round.
    pub round: u64,
    /// Names of the bots by seat.
    pub bots: Vec<String>,
    /// The decisions without their moves.
    pub turns: Vec<TurnTime>,
    /// What came of it.
    pub result: ResultRecord,
    /// Why it was played a second time, if it was.
    #[serde(default)]
    pub replayed: Option<String>,
    /// Processor time of each seat's bot while it owed no answer, in microseconds; empty where none was seen.
    #[serde(default)]
    pub off_turn_us: Vec<u64>,
    /// What must be the same in every repetition.
    pub digest: String,
}

/// How long a decision took.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TurnTime {
    /// The seat.
    pub seat: Seat,
    /// In microseconds.
    pub us: u64,
    /// How late the arena itself was, in microseconds, where it noticed.
    #[serde(default)]
    pub late_us: Option<u64>,
    /// The fault that stands in place of a move.
    #[serde(default)]
    pub fault: Option<FaultText>,
}

impl<G: Game> From<&MatchRecord<G>> for Summary {
    fn from(record: &MatchRecord<G>) -> Summary {
        Summary {
            index: record.index,
            round: record.round,
            bots: record.bots.clone(),
            turns: record.turns.iter().map(summary).collect(),
            result: record.result.clone(),
            replayed: record.replayed.clone(),
            off_turn_us: record.off_turn_us.clone(),
            digest: record.digest.clone(),
        }
    }
}

fn summary<W>(turn: &TurnRecord<W>) -> TurnTime {
    TurnTime { seat: turn.seat, us: turn.us, late_us: turn.late_us, fault: turn.fault.clone() }
}

#[cfg(test)]
mod tests {
    use super::write::tests::{record, turn};
    use super::*;

    /// Other threads of its own that keep its first one waiting are its own affair.
    #[test]
    fn a_timeout_is_doubtful_where_others_kept_the_processors() {
        let limits = TimeControl { per_move: Duration::from_millis(520), ..TimeControl::default() };
        let doubt = |cpu_us, starved_us| {
            let fault = Some(FaultText { kind: FaultKind::Timeout, detail: "no line".into() });
            let (cpu_us, starved_us) = (Some(cpu_us), Some(starved_us));
            let late = TurnRecord { fault, us: 520_000, late_us: None, cpu_us, starved_us, ..turn(3, None) };
            MatchRecord { turns: vec![late], ..record() }.doubtful_timeout(&limits)
        };
        let says = doubt(440_000, 60_000).expect("half of the rest of its time is more than a tenth");
        assert!(
            says.starts_with("other processes kept a processor from it for 60ms in decision 3"),
            "{says}"
        );
        assert_eq!(doubt(490_000, 400_000), None, "it ran nearly all the time");
        assert_eq!(doubt(900_000, 400_000), None, "on two processors");
        assert_eq!(doubt(100_000, 40_000), None, "it slept");
    }

    #[test]
    fn a_timeout_is_doubtful_where_the_arena_or_the_host_had_a_tenth_of_the_limit() {
        let limits = TimeControl { per_move: Duration::from_secs(1), ..TimeControl::default() };
        let doubt = |late_us, stolen_us| {
            let fault = Some(FaultText { kind: FaultKind::Timeout, detail: "no line".into() });
            let late = TurnRecord { fault, us: 1_000_100, late_us, stolen_us, ..turn(3, None) };
            MatchRecord { turns: vec![late], ..record() }.doubtful_timeout(&limits)
        };
        assert_eq!(doubt(None, None), None);
        assert_eq!(doubt(Some(99_999), Some(99_999)), None);
        let says =
            |doubt: Option<String>, what: &str| assert!(doubt.is_some_and(|text| text.starts_with(what)));
        says(doubt(Some(100_000), None), "the arena was 100ms late in decision 3 of ü");
        says(
            doubt(None, Some(250_000)),
            "the host of this machine kept a processor from it for 250ms in decision 3",
        );
    }
}
