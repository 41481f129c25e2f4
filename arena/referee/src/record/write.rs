//! Writes the JSON of a record. The deal and the turns make up most of a record. Serde would take several
//! times as long for them. This module writes them directly, and tests compare the bytes with serde's output.

use engine::game::{Seat, Setup};
use engine::wire::WireFormat;
use engine::wire::json;
use serde::Serialize;

use crate::play::time_control::TimeControl;
use crate::record::{MatchRecord, ResultRecord, StartRecord, TurnRecord};

/// The usual length of a record, in bytes. A buffer of this size is allocated once.
const USUAL_BYTES: usize = 8_192;

/// The fields of a record before its deal.
#[derive(Serialize)]
struct Head<'a> {
    #[serde(rename = "match")]
    index: u64,
    round: u64,
    game: &'a str,
    seed: u64,
    bots: &'a [String],
}

/// The fields of a record after its turns.
#[derive(Serialize)]
struct Tail<'a, S> {
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<StartRecord>,
    result: &'a ResultRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    replayed: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    alone: &'a [Seat],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    copies: &'a [u32],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    limits: &'a [TimeControl],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    off_turn_us: &'a [u64],
    digest: &'a str,
    #[serde(flatten)]
    setup: &'a S,
}

impl<G: WireFormat> MatchRecord<G> {
    /// Returns the whole record in the bytes that serde would write.
    pub(super) fn to_json(&self) -> Vec<u8> {
        let MatchRecord { index, round, game, seed, bots, deal, .. } = self;
        let mut line = Vec::with_capacity(USUAL_BYTES);
        add(&mut line, &Head { index: *index, round: *round, game, seed: *seed, bots });
        line.pop(); // the closing brace
        json::raw(&mut line, ",\"deal\":");
        G::write_deal(deal, &mut line);
        json::raw(&mut line, ",\"turns\":");
        json::list(&mut line, &self.turns, write_turn::<G>);
        let &MatchRecord { start, ref result, ref replayed, ref alone, ref copies, .. } = self;
        let MatchRecord { limits, off_turn_us, digest, setup, .. } = self;
        let begin = line.len();
        let replayed = replayed.as_deref();
        add(&mut line, &Tail { start, result, replayed, alone, copies, limits, off_turn_us, digest, setup });
        line[begin] = b','; // in place of the opening brace
        line
    }

    /// Returns the JSON array that the [`digest`](MatchRecord::digest) covers.
    pub(super) fn canonical(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(USUAL_BYTES);
        add(&mut line, &(&self.game, self.seed, &self.bots, self.setup.abridged()));
        line.pop(); // the closing bracket
        line.push(b',');
        G::write_deal(&self.deal, &mut line);
        line.push(b',');
        json::list(&mut line, &self.turns, write_decided::<G>);
        line.push(b',');
        add(&mut line, &self.result);
        if let Some(start) = &self.start {
            line.push(b',');
            add(&mut line, start);
        }
        line.push(b']');
        line
    }
}

fn write_turn<G: WireFormat>(line: &mut Vec<u8>, turn: &TurnRecord<G::WireMove>) {
    json::raw(line, "{\"id\":");
    json::number(line, turn.id);
    json::raw(line, ",\"seat\":");
    json::number(line, turn.seat as u64);
    if let Some(wire_move) = &turn.wire_move {
        json::raw(line, ",\"move\":");
        G::write_move(wire_move, line);
    }
    if let Some(fault) = &turn.fault {
        json::raw(line, ",\"fault\":");
        add(line, fault);
    }
    if let Some(note) = &turn.remarks.note {
        json::raw(line, ",\"note\":");
        add(line, note);
    }
    if !turn.remarks.data.is_empty() {
        json::raw(line, ",\"data\":");
        add(line, &turn.remarks.data);
    }
    if turn.remarks.data_dropped > 0 {
        json::raw(line, ",\"data_dropped\":");
        json::number(line, turn.remarks.data_dropped);
    }
    if !turn.remarks.refused.is_empty() {
        json::raw(line, ",\"refused\":");
        add(line, &turn.remarks.refused);
    }
    if let Some(text) = &turn.text {
        json::raw(line, ",\"text\":");
        add(line, text);
    }
    for (name, us) in [
        (",\"us\":", Some(turn.us).filter(|&us| us > 0)),
        (",\"credit_us\":", turn.credit_us),
        (",\"late_us\":", turn.late_us),
        (",\"cpu_us\":", turn.cpu_us),
        (",\"stolen_us\":", turn.stolen_us),
        (",\"starved_us\":", turn.starved_us),
    ] {
        if let Some(us) = us {
            json::raw(line, name);
            json::number(line, us);
        }
    }
    if turn.untold {
        json::raw(line, ",\"untold\":true");
    }
    line.push(b'}');
}

/// Writes the part of a turn that the digest covers: `[id, seat, move or kind of fault]`.
fn write_decided<G: WireFormat>(line: &mut Vec<u8>, turn: &TurnRecord<G::WireMove>) {
    line.push(b'[');
    json::number(line, turn.id);
    line.push(b',');
    json::number(line, turn.seat as u64);
    line.push(b',');
    match (&turn.fault, &turn.wire_move) {
        (Some(fault), _) => add(line, &fault.kind),
        (None, Some(wire_move)) => G::write_move(wire_move, line),
        (None, None) => json::raw(line, "null"),
    }
    line.push(b']');
}

fn add(line: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(line, value).expect("a record is plain data");
}

#[cfg(test)]
pub(super) mod tests {
    use engine::doodle::Doodle;
    use engine::wire::FaultKind;

    use super::super::{FaultMark, FaultText, Future, Refused, Remarks};
    use super::*;
    use engine::game::Game;

    pub(in crate::record) fn turn(
        id: u32,
        wire_move: Option<&str>,
    ) -> TurnRecord<<Doodle as WireFormat>::WireMove> {
        let wire_move = wire_move.map(|text| serde_json::from_str(text).unwrap());
        TurnRecord {
            id,
            seat: 1,
            wire_move,
            fault: None,
            text: None,
            remarks: Remarks::default(),
            us: 1_234,
            credit_us: None,
            untold: false,
            late_us: None,
            cpu_us: None,
            stolen_us: None,
            starved_us: None,
        }
    }

    pub(in crate::record) fn record() -> MatchRecord<Doodle> {
        let equipment = engine::doodle::Equipment::standard();
        let fault = FaultText { kind: FaultKind::Illegal, detail: "a \"line\"\n\u{1}ü".into() };
        MatchRecord {
            index: 17,
            round: 3,
            game: "doodle".into(),
            seed: 99,
            copies: vec![0, 1],
            bots: vec!["a \"b\"".into(), "ü".into()],
            deal: Doodle::deal(&equipment, 2, 99).unwrap(),
            turns: vec![
                turn(0, Some(r#"{"card":"P07","cells":[[0,8],[1,8]]}"#)),
                turn(1, Some(r#"{"card":"no \"card\"","cells":[[0,10],[-1,8]],"singles":[[4,4]]}"#)),
                turn(10, Some(r#"{"pass":true}"#)),
                TurnRecord {
                    remarks: Remarks {
                        note: Some("so \\ there".into()),
                        data: serde_json::from_str(r#"{"eval":-1.5,"nodes":7}"#).unwrap(),
                        data_dropped: 2,
                        refused: vec![Refused { why: fault.clone(), line: "\"{\"".into() }],
                    },
                    late_us: Some(0),
                    ..turn(11, None)
                },
                TurnRecord {
                    fault: Some(fault),
                    credit_us: Some(4),
                    untold: true,
                    cpu_us: Some(u64::MAX),
                    stolen_us: Some(5),
                    starved_us: Some(6),
                    ..turn(12, None)
                },
            ],
            start: None,
            result: ResultRecord {
                scores: vec![101, -5],
                ranks: vec![1, 2],
                rounds: Some(vec![vec![1], vec![]]),
                faults: vec![None, Some(FaultMark { kind: FaultKind::Illegal, id: 12 })],
            },
            replayed: None,
            alone: Vec::new(),
            limits: Vec::new(),
            off_turn_us: Vec::new(),
            digest: "d".into(),
            setup: Default::default(),
        }
    }

    #[test]
    fn a_record_is_written_as_serde_writes_it() {
        let bare = record();
        let full = MatchRecord {
            replayed: Some("the arena was late".into()),
            alone: vec![1],
            limits: vec![TimeControl::default(), TimeControl { budget: Some(9), ..TimeControl::default() }],
            off_turn_us: vec![0, 7],
            turns: vec![TurnRecord { us: 0, ..turn(0, None) }],
            start: Some(StartRecord { turns: 1, future: Future::Seed(3) }),
            ..record()
        };
        let start = Some(StartRecord { turns: 0, future: Future::Recorded });
        let recorded = MatchRecord { turns: Vec::new(), start, ..record() };
        for record in [bare, full, recorded] {
            let written = String::from_utf8(record.to_json()).unwrap();
            assert_eq!(written, serde_json::to_string(&record).unwrap());
        }
    }

    #[test]
    fn what_goes_into_the_digest_is_an_array() {
        let record = record();
        let canonical: serde_json::Value = serde_json::from_slice(&record.canonical()).unwrap();
        let turns = serde_json::json!([
            [0, 1, {"card": "P07", "cells": [[0, 8], [1, 8]]}],
            [1, 1, {"card": "no \"card\"", "cells": [[0, 10], [-1, 8]], "singles": [[4, 4]]}],
            [10, 1, {"pass": true}],
            [11, 1, null],
            [12, 1, "illegal"],
        ]);
        let parts =
            (&record.game, record.seed, &record.bots, &record.setup, &record.deal, turns, &record.result);
        assert_eq!(canonical, serde_json::to_value(parts).unwrap());
    }
}
