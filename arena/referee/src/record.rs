//! The record of a match: one line of `matches.jsonl`. A record suffices to replay the match.

mod line;
mod write;

use std::collections::BTreeMap;
use std::time::Duration;

use engine::game::{Outcome, Seat};
use engine::wire::{FaultKind, WireFormat};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use sha2::{Digest, Sha256};

use crate::play::time_control::{TimeControl, whole_us};
use crate::seats::fault::{Fault, doubt};
use sandbox::Timing;

pub use line::{has_right_check, renumbered};

/// A decision is slow beyond this share of its limit, in percent.
const SLOW_PERCENT: u64 = 80;

/// The record of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound = "")]
#[cfg_attr(
    feature = "schema",
    schemars(bound = "G::Deal: JsonSchema, G::WireMove: JsonSchema, G::Setup: JsonSchema")
)]
#[cfg_attr(feature = "schema", schemars(transform = line::describe_check))]
pub struct MatchRecord<G: WireFormat> {
    /// The index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round. All matches of a round play the same deal.
    pub round: u64,
    /// The name of the game.
    pub game: String,
    /// The seed of the deal.
    pub seed: u64,
    /// The names of the bots by seat.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub bots: Vec<String>,
    /// All chance events of the match.
    pub deal: G::Deal,
    /// The decisions, sorted by id, then by seat.
    pub turns: Vec<TurnRecord<G::WireMove>>,
    /// The position in which the bots took over. Omitted if they played from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<StartRecord>,
    /// The result.
    pub result: ResultRecord,
    /// The reason why the match was replayed, if it was. The first attempt does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<String>,
    /// The seats with bots that played this deal alone. Their decisions and times come from that game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Seat>,
    /// The number of each seat's bot among the copies of the same bot, from 0. The seed of a copy depends on
    /// it. Omitted if all are 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<u32>,
    /// The limits by seat. Omitted if all seats had the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<TimeControl>,
    /// The processor time of each seat's bot while it owed no answer, in microseconds. Omitted if none was
    /// measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off_turn_us: Vec<u64>,
    /// The digest of everything that a repetition of the match must reproduce, as 32 hexadecimal digits.
    ///
    /// See [`digest`](Self::digest).
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub digest: String,
    /// The rules, and all components that are not standard.
    #[serde(flatten)]
    pub setup: G::Setup,
}

/// The position in which the bots of a match took over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StartRecord {
    /// The number of entries of `turns` that were given. They have no times.
    pub turns: usize,
    /// Where the hidden part of the deal comes from.
    pub future: Future,
}

/// Where the hidden part of a deal comes from: the seed that dealt it anew, or the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Future {
    /// The position has the whole deal.
    Recorded,
    /// This seed dealt it.
    #[serde(untagged)]
    Seed(u64),
}

/// One decision of one seat: a move or a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnRecord<W> {
    /// The number of the decision, from 0.
    pub id: u32,
    /// The seat.
    pub seat: Seat,
    /// The move, in the canonical form of the engine.
    #[serde(rename = "move", default = "Option::default", skip_serializing_if = "Option::<W>::is_none")]
    pub wire_move: Option<W>,
    /// The fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultText>,
    /// The board after this decision as text, if the game writes one. In the last entry of a decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the bot said about its move.
    #[serde(flatten)]
    pub remarks: Remarks,
    /// The time of the decision, in microseconds, without `credit_us`. Omitted if zero, as for given moves.
    #[serde(default, skip_serializing_if = "is_default")]
    pub us: u64,
    /// The time in microseconds that did not count, because others had the processors while a thread of the bot was
    /// ready to run. Measured for slow decisions only. Omitted if zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit_us: Option<u64>,
    /// The delay of the arena itself, in microseconds, if it noticed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_us: Option<u64>,
    /// The processor time of the bot in this decision, in microseconds. Measured for slow decisions only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The time for which the host of a virtual machine kept a processor from the bot, in microseconds. Measured
    /// for slow decisions only. Omitted if zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen_us: Option<u64>,
    /// The longest time in which a thread of the bot was ready to run while others had the processors, in microseconds.
    /// Measured for slow decisions only. Omitted if zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starved_us: Option<u64>,
    /// True if the decision was slow and the kernel did not tell who had the processors.
    #[serde(default, skip_serializing_if = "is_default")]
    pub untold: bool,
}

/// What a bot says about its move. The rules and the digest ignore it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remarks {
    /// The bot's note on its move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The bot's numbers on its move, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, Number>,
    /// How many things in its `data` were dropped: no numbers, wrong or too many names, or all of it at once.
    #[serde(default, skip_serializing_if = "is_default")]
    pub data_dropped: u32,
    /// The answers that were refused before, each with another question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
}

/// Returns true if a field has its default value, so that files leave it out.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// An answer after which the bot was asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refused {
    /// The fault that it would have been.
    #[serde(flatten)]
    pub why: FaultText,
    /// The answer in quotes, shortened if long.
    pub line: String,
}

impl<W> TurnRecord<W> {
    /// Returns a decision with these measurements, and without its move or fault.
    pub fn new(id: u32, seat: Seat, timing: Timing) -> TurnRecord<W> {
        let Timing { elapsed, credit, is_untold, lateness, cpu, starved, stolen } = timing;
        let unless_zero = |time: Option<Duration>| time.map(whole_us).filter(|&us| us > 0);
        TurnRecord {
            id,
            seat,
            wire_move: None,
            text: None,
            fault: None,
            remarks: Remarks::default(),
            us: whole_us(elapsed),
            credit_us: unless_zero(Some(credit)),
            untold: is_untold,
            late_us: unless_zero(Some(lateness)),
            cpu_us: cpu.map(whole_us),
            stolen_us: unless_zero(stolen),
            starved_us: unless_zero(starved),
        }
    }

    /// Returns the measurements of this decision.
    pub fn timing(&self) -> Timing {
        let time = |us: Option<u64>| us.map(Duration::from_micros);
        Timing {
            elapsed: Duration::from_micros(self.us),
            credit: time(self.credit_us).unwrap_or_default(),
            is_untold: self.untold,
            lateness: time(self.late_us).unwrap_or_default(),
            cpu: time(self.cpu_us),
            starved: time(self.starved_us),
            stolen: time(self.stolen_us),
        }
    }

    /// Returns the fault of this decision with its measurements. Returns `None` for a move.
    pub fn to_fault(&self) -> Option<Fault> {
        let FaultText { kind, detail } = self.fault.as_ref()?;
        Some(Fault { timing: Box::new(self.timing()), ..Fault::new(*kind, detail.clone()) })
    }
}

/// A fault as recorded and as sent to the bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultText {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The question, the actual answer, and the remedy.
    pub detail: String,
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultRecord {
    /// The points of each seat.
    pub scores: Vec<i32>,
    /// The rank of each seat, from 1.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1))))]
    pub ranks: Vec<u32>,
    /// The points by seat and round, for games that score rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Vec<Vec<i32>>>,
    /// The fault of each seat, if there was one.
    pub faults: Vec<Option<FaultMark>>,
}

/// The fault that put a seat out, and its decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultMark {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The number of the decision.
    pub id: u32,
}

impl ResultRecord {
    /// Combines the outcome of a game with the faults of its seats.
    pub fn new(outcome: Outcome, faults: Vec<Option<FaultMark>>) -> ResultRecord {
        let Outcome { scores, ranks, rounds } = outcome;
        ResultRecord { scores, ranks, rounds, faults }
    }
}

impl<G: WireFormat> MatchRecord<G> {
    /// Returns the given moves, before the bots took over.
    pub fn given(&self) -> &[TurnRecord<G::WireMove>] {
        let given = self.start.map_or(0, |start| start.turns);
        &self.turns[..given.min(self.turns.len())]
    }

    /// Returns true if the moves of this decision were given.
    pub fn has_given(&self, id: u32) -> bool {
        self.given().last().is_some_and(|last| id <= last.id)
    }

    /// Returns the decisions of the bots.
    pub fn played(&self) -> &[TurnRecord<G::WireMove>] {
        &self.turns[self.given().len()..]
    }

    /// Returns the digest of everything that a repetition of the match must reproduce, as 32 hexadecimal
    /// digits.
    ///
    /// The digest is the first half of the SHA-256 of a JSON array: `[game, seed, bots, setup, deal, turns,
    /// result]`. In it, a turn is `[id, seat, move or kind of fault]`. A match from a position has its `start` at the
    /// end. The digest does not cover times, notes, the texts of faults, and the index of the match.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(self.canonical())[..16])
    }

    /// Returns the reason if the machine may be to blame for a time fault ([`Fault::doubt`]).
    /// `time` returns the limits of a seat.
    pub fn doubtful_timeout(&self, time: impl Fn(Seat) -> TimeControl) -> Option<String> {
        let mut played_here = self.turns.iter().filter(|turn| !self.alone.contains(&turn.seat));
        played_here.find_map(|turn| {
            let (fault, time) = (turn.to_fault()?, time(turn.seat));
            let limit = match fault.kind {
                FaultKind::Startup => time.startup,
                // The limit of this decision may be less than that of a move, if the bank was low.
                _ => time.per_move.min(fault.timing.elapsed),
            };
            let (why, bot) = (doubt(&fault, limit)?, &self.bots[turn.seat]);
            Some(format!("{why} in {} of {bot}, which was not in time", G::turn_name(turn.id)))
        })
    }

    /// Sets the digest of the record.
    #[must_use]
    pub fn sealed(mut self) -> MatchRecord<G> {
        self.digest = self.digest();
        self
    }
}

/// Returns bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("four bits are a digit");
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The fields of a record that tables need. It deserializes from the record of any game.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Summary {
    /// The index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round.
    pub round: u64,
    /// The seed of its deal.
    pub seed: u64,
    /// The names of the bots by seat.
    pub bots: Vec<String>,
    /// The decisions without their moves.
    pub turns: Vec<TurnTime>,
    /// The position in which the bots took over.
    #[serde(default)]
    pub start: Option<StartRecord>,
    /// The result.
    pub result: ResultRecord,
    /// The reason why the match was replayed, if it was.
    #[serde(default)]
    pub replayed: Option<String>,
    /// The limits by seat. Empty if all seats had the same.
    #[serde(default)]
    pub limits: Vec<TimeControl>,
    /// The processor time of each seat's bot while it owed no answer, in microseconds. Empty if none was
    /// measured.
    #[serde(default)]
    pub off_turn_us: Vec<u64>,
    /// The digest of everything that a repetition must reproduce.
    pub digest: String,
}

/// The seat and the time of a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TurnTime {
    /// The number of the decision.
    pub id: u32,
    /// The seat.
    pub seat: Seat,
    /// The time of the decision, in microseconds, without `credit_us`.
    #[serde(default)]
    pub us: u64,
    /// The time that did not count, in microseconds.
    #[serde(default)]
    pub credit_us: Option<u64>,
    /// True if the kernel did not tell who had the processors in a slow decision.
    #[serde(default)]
    pub untold: bool,
    /// The delay of the arena itself, in microseconds, if it noticed one.
    #[serde(default)]
    pub late_us: Option<u64>,
    /// The fault, if the seat made no move.
    #[serde(default)]
    pub fault: Option<FaultText>,
    /// The bot's numbers on its move, by their names.
    #[serde(default)]
    pub data: BTreeMap<String, Number>,
    /// The answers that were refused before.
    #[serde(default)]
    pub refused: Vec<Refused>,
}

impl Summary {
    /// Returns the decisions of the bots, without the given moves.
    pub fn played(&self) -> impl Iterator<Item = &TurnTime> {
        self.turns.iter().skip(self.start.map_or(0, |start| start.turns))
    }

    /// Returns the decisions of a seat. A failed start is none, nor is a given move.
    pub fn decisions(&self, seat: Seat) -> impl Iterator<Item = &TurnTime> {
        self.played().filter(move |turn| {
            let fault = turn.fault.as_ref();
            turn.seat == seat && fault.is_none_or(|fault| !fault.kind.is_before_the_first_decision())
        })
    }

    /// Returns the time beyond which a decision of a seat is slow, in microseconds: 80 % of the limit of a move. If the
    /// record does not say, the bot has these limits.
    pub fn slow_from_us(&self, seat: Seat, limits: &TimeControl) -> u64 {
        whole_us(self.limits(seat, limits).per_move) / 100 * SLOW_PERCENT
    }

    /// Returns the limits of a seat: those of the record, or else these.
    pub fn limits<'a>(&'a self, seat: Seat, limits: &'a TimeControl) -> &'a TimeControl {
        self.limits.get(seat).unwrap_or(limits)
    }

    /// Returns the fault of a seat in words.
    pub fn fault_text(&self, seat: Seat) -> Option<&FaultText> {
        self.turns.iter().filter(|turn| turn.seat == seat).find_map(|turn| turn.fault.as_ref())
    }
}

impl TurnTime {
    /// Returns true for a move that came after the limit of a move and counts, because others had the processors.
    pub fn was_credited(&self, limits: &TimeControl) -> bool {
        let credit_us = self.credit_us.filter(|_| self.fault.is_none());
        credit_us.is_some_and(|credit_us| self.us + credit_us > whole_us(limits.per_move))
    }

    /// Returns true for a move that took longer than this, in microseconds.
    pub fn is_slow(&self, slow_from_us: u64) -> bool {
        self.fault.is_none() && self.us > slow_from_us
    }
}

impl<G: WireFormat> From<&MatchRecord<G>> for Summary {
    fn from(record: &MatchRecord<G>) -> Summary {
        Summary {
            index: record.index,
            round: record.round,
            seed: record.seed,
            bots: record.bots.clone(),
            turns: record.turns.iter().map(summary).collect(),
            start: record.start,
            result: record.result.clone(),
            replayed: record.replayed.clone(),
            limits: record.limits.clone(),
            off_turn_us: record.off_turn_us.clone(),
            digest: record.digest.clone(),
        }
    }
}

fn summary<W>(turn: &TurnRecord<W>) -> TurnTime {
    let TurnRecord { id, seat, us, credit_us, untold, late_us, ref fault, ref remarks, .. } = *turn;
    TurnTime {
        id,
        seat,
        us,
        credit_us,
        untold,
        late_us,
        fault: fault.clone(),
        data: remarks.data.clone(),
        refused: remarks.refused.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::write::tests::{record, turn};
    use super::*;

    #[test]
    fn a_timeout_is_doubtful_where_the_arena_or_the_host_had_a_tenth_of_the_limit() {
        let limits = TimeControl { per_move: Duration::from_secs(1), ..TimeControl::default() };
        let judged = |untold, late_us, stolen_us| {
            let fault = Some(FaultText { kind: FaultKind::Timeout, detail: "no line".into() });
            let late = TurnRecord { fault, us: 1_000_100, untold, late_us, stolen_us, ..turn(3, None) };
            MatchRecord { turns: vec![late], ..record() }.doubtful_timeout(|_| limits)
        };
        let doubt = |late_us, stolen_us| judged(true, late_us, stolen_us);
        assert_eq!(doubt(None, None), None);
        assert_eq!(doubt(Some(50_000), Some(49_999)), None);
        assert_eq!(
            judged(false, Some(500_000), Some(500_000)),
            None,
            "the kernel told, so this time did not count"
        );
        let fault = Some(FaultText { kind: FaultKind::Timeout, detail: "no time".into() });
        let without_time = TurnRecord { fault, us: 0, ..turn(3, None) };
        assert_eq!(MatchRecord { turns: vec![without_time], ..record() }.doubtful_timeout(|_| limits), None);
        let says =
            |doubt: Option<String>, what: &str| assert!(doubt.is_some_and(|text| text.starts_with(what)));
        let why = "the kernel does not tell who had the processors; the arena was 60ms late, and the host of this machine \
            kept a processor for 40ms in turn 4 (round 1, turn 3) of ü";
        says(doubt(Some(60_000), Some(40_000)), why);
    }
}
