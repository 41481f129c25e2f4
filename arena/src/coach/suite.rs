//! Suites of positions: what strong search says of them, and how many points the answers of bots lose.

use std::sync::Arc;

use engine::game::Seat;
use engine::wire::WireFormat;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::coach::analysis::{Coached, in_points};
use crate::setup::judged::Store;
use crate::setup::runtime::on_threads;
use referee::error::Error;
use referee::play::position::digest_of;
use referee::play::{Position, Start};
use referee::record::MatchRecord;

/// The moves of a position that a suite keeps with their values.
const KEPT: usize = 32;
/// A position is in a suite if its best move is worth more than its fifth one by this, in points.
const SPREAD: f64 = 1.0;
const FIFTH: usize = 4;

/// A line of a suite: a position, the seat that decides, and its best moves.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Question<G: WireFormat> {
    /// The position. At doodle it has the deciding seat alone.
    #[serde(flatten)]
    pub(crate) position: Position<G>,
    /// The seat that decides.
    pub(crate) seat: Seat,
    /// The part of the match.
    pub(crate) phase: String,
    /// The program that evaluated the moves.
    pub(crate) evaluator: String,
    /// Its budget, in nodes.
    pub(crate) nodes: u64,
    /// The best moves, the best one first.
    pub(crate) best: Vec<Valued<G::WireMove>>,
}

impl<G: WireFormat> Question<G> {
    /// Returns the value of a move, if the question has it.
    pub(crate) fn known(&self, wire_move: &G::WireMove) -> Option<f64> {
        self.best.iter().find(|valued| valued.wire_move == *wire_move).map(|valued| valued.value)
    }
}

/// A move with its value in points: of the match at doodle, of the margin at Patchwork.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Valued<W> {
    /// The move.
    #[serde(rename = "move")]
    pub(crate) wire_move: W,
    /// Its value.
    pub(crate) value: f64,
}

/// Returns the questions that decisions of a record ask: a position for each decision, for its seat.
///
/// # Errors
/// The record cannot be played.
pub(crate) fn candidates<G: Coached>(
    record: &MatchRecord<G>,
    equipment: &Arc<G::Equipment>,
) -> Result<Vec<(Position<G>, Seat)>, Error> {
    let of = |(id, seat): (u32, Seat)| {
        let position = Position::of_record(record, id, false)?;
        let alone = position.start(equipment, record.seed).alone(equipment, seat);
        Ok(match alone {
            None => (position, seat),
            Some((_, Start { deal, moves, .. })) => {
                (Position { deal: G::revealed(&deal, id), moves, ..position }, 0)
            }
        })
    };
    let moved = record.played().iter().filter(|turn| turn.wire_move.is_some());
    moved.map(|turn| of((turn.id, turn.seat))).collect()
}

/// Evaluates positions in their order, on several threads, until `count` of them are questions in which the choice
/// matters. The result does not depend on the number of threads. `tell` gets the number of questions so far.
///
/// # Errors
/// A position cannot be played.
pub(crate) fn questions<G: Coached>(
    candidates: &[(Position<G>, Seat)],
    equipment: &Arc<G::Equipment>,
    count: usize,
    nodes: u64,
    threads: usize,
    mut tell: impl FnMut(usize),
) -> Result<Vec<Question<G>>, Error> {
    let mut found = Vec::new();
    for batch in candidates.chunks(threads.max(1) * 4) {
        let asked =
            on_threads(batch, threads, |(position, seat)| question(position, *seat, equipment, nodes))?;
        found.extend(asked.into_iter().flatten());
        found.truncate(count);
        tell(found.len());
        if found.len() == count {
            break;
        }
    }
    Ok(found)
}

fn question<G: Coached>(
    position: &Position<G>,
    seat: Seat,
    equipment: &Arc<G::Equipment>,
    nodes: u64,
) -> Result<Option<Question<G>>, Error> {
    let game = position.start(equipment, 0).begin(equipment)?;
    let ranked = G::ranked(equipment, &game.observe(seat), seat, KEPT, nodes, 0);
    let matters = ranked.get(FIFTH).is_some_and(|fifth| ranked[0].1 - fifth.1 >= SPREAD);
    let best = ranked.into_iter().map(|(action, value)| Valued {
        wire_move: G::write(equipment, &action),
        value: (value * 100.0).round() / 100.0,
    });
    let evaluator = format!("arena {}", env!("CARGO_PKG_VERSION"));
    let (position, phase) = (position.clone(), game.phase(seat));
    Ok(matters.then(|| Question { position, seat, phase, evaluator, nodes, best: best.collect() }))
}

/// Returns how many points each move loses against the best one of its question. A move that the question does not have
/// is compared with the best one by a search of the same budget, or as the store has it.
///
/// # Errors
/// A move is not legal in its position, or the store cannot be written.
pub(crate) fn regrets<G: Coached>(
    store: &Store,
    asked: &[(&Question<G>, &G::WireMove)],
    equipment: &Arc<G::Equipment>,
    threads: usize,
    tell: impl Fn() + Sync,
) -> Result<Vec<f64>, Error> {
    let regret = |&(question, wire_move): &(&Question<G>, &G::WireMove)| {
        tell();
        let best = &question.best[0];
        if let Some(known) = question.known(wire_move) {
            return Ok(best.value - known);
        }
        let Question { position, seat, nodes, .. } = question;
        let game = position.start(equipment, 0).begin(equipment)?;
        let read = |wire_move| G::read(equipment, wire_move).map_err(|error| Error::usage(error.to_string()));
        let actions = [read(wire_move)?, read(&best.wire_move)?];
        let [played, best] = actions.each_ref();
        let key =
            (digest_of(&json!([position, seat, question.best[0].wire_move, wire_move])), *nodes, 0, *seat);
        let judged = store.kept(0, key, || {
            let compared = G::compared(equipment, &game.observe(*seat), *seat, [best, played], *nodes, 0);
            Ok(in_points(equipment, &game, (0, *seat), [played, best], compared))
        })?;
        Ok(judged.loss)
    };
    on_threads(asked, threads, regret)
}
