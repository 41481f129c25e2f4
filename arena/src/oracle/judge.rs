//! Answers queries for any game: parses the state, asks the engine, and writes the answer.

use engine::wire::WireFormat;
use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::Arc;

use engine::cells::Pair;
use engine::game::{Game, Seat, Setup};
use engine::rule::{Refusal, Rule};
use serde::{Deserialize, Serialize, Serializer};

use super::query::{self, Chance, Id, Object, Query};
use super::task::{Answers, Task};
use referee::error::Error;
use referee::for_game;
use referee::games::{GameKind, GameName, RulesOptions, equip};
use sandbox::text::quote;

/// A game that the oracle can judge from the view of one seat.
pub(super) trait Judged: GameKind<Illegal: Refusal> {
    /// A parsed query.
    type Question;
    /// The answer to `explain` for a legal move.
    type Effect: Serialize;
    /// The answer to `apply` for a legal move.
    type After: Serialize;
    /// The number of a move for networks, or the list of its numbers; see [`engine::numbers`].
    type Numbers: Serialize;

    /// Parses the view of `seat`.
    ///
    /// # Errors
    /// The state is inconsistent; the string says why.
    fn question(
        equipment: &Arc<Self::Equipment>,
        seen: &Self::Observation,
        seat: Seat,
    ) -> Result<Self::Question, String>;

    /// Returns all distinct legal moves.
    fn moves(question: &Self::Question) -> impl Iterator<Item = Self::Action>;

    /// Returns the number of legal moves.
    fn count(question: &Self::Question) -> u64;

    /// Returns the numbers of a legal move for networks; see [`engine::numbers`].
    fn numbers(question: &Self::Question, action: &Self::Action) -> Option<Self::Numbers>;

    /// Returns the costs and effects of the move.
    fn explain(question: &Self::Question, action: &Self::Action) -> Result<Self::Effect, Self::Illegal>;

    /// Returns the state after the move, without random events.
    fn apply(question: &Self::Question, action: &Self::Action) -> Result<Self::After, Self::Illegal>;

    /// Returns the whole table after the moves of all seats, or the illegal move with its seat.
    ///
    /// # Errors
    /// The query does not fit the game or the state; the string says why.
    fn step(
        _equipment: &Arc<Self::Equipment>,
        _seen: &Self::Observation,
        _moves: &[Self::Action],
        _chance: &Chance,
    ) -> Result<SteppedOrIllegal<Self>, String> {
        Err(format!("a table of {} has one \"move\" at a time", Self::NAME))
    }
}

/// A table after a turn of all seats.
#[derive(Serialize)]
pub(super) struct Stepped<O> {
    /// What every seat sees now; `null` when the match is over.
    pub(super) state: Option<O>,
    /// True if that was the last turn.
    pub(super) over: bool,
    /// The result if the match ended now.
    pub(super) scores: Vec<i32>,
    pub(super) ranks: Vec<u32>,
}

/// A game with its components and a default seat, independent of the game's type.
pub(super) trait Table: Debug {
    /// The name of the game.
    fn game(&self) -> &'static str;

    /// Creates the table of another `start` line of this game. Keeps equal components.
    fn again(&self, line: &[u8]) -> Result<Box<dyn Table>, String>;

    /// Answers a query with one line. Writes nothing if the query is invalid.
    fn answer(&self, task: Task, id: Id<'_>, line: &[u8], answers: &mut Answers<'_>) -> Result<(), Failed>;
}

/// The reason for a missing answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    /// The query is invalid.
    #[error("{0}")]
    Query(String),
    /// Writing the answer failed.
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl From<String> for Failed {
    fn from(why: String) -> Failed {
        Failed::Query(why)
    }
}

/// Creates the table of a game with rules from options.
pub(super) fn table(game: GameName, rules: &RulesOptions) -> Result<Box<dyn Table>, Error> {
    fn laid<G: Judged>(rules: &RulesOptions) -> Result<Box<dyn Table>, Error> {
        Ok(Box::new(OracleTable::<G> { equipment: Arc::new(equip::<G>(rules)?), seat: 0 }))
    }
    for_game!(game, G => laid::<G>(rules), plain G => Err(GameName::only_built_in("arena moves")))
}

/// Creates the table of a `start` line. Reuses components of the table `before`.
pub(super) fn seated(game: &str, line: &[u8], before: Option<&dyn Table>) -> Result<Box<dyn Table>, String> {
    if let Some(table) = before.filter(|table| table.game() == game) {
        return table.again(line);
    }
    let known = GameName::named(game).map_err(|_| format!("there is no game {}", quote(game.as_bytes())))?;
    for_game!(known, G => OracleTable::<G>::started(line, None), plain G => Err("the oracle knows doodle and patchwork".to_owned()))
}

/// The fields of a `start` line that describe the table.
#[derive(Deserialize)]
struct Start<S> {
    #[serde(default)]
    seat: Seat,
    #[serde(flatten)]
    setup: S,
}

/// The table after the moves of all seats, or the illegal one.
pub(super) type SteppedOrIllegal<G> = Result<Stepped<<G as Game>::Observation>, (Seat, <G as Game>::Illegal)>;

/// A table of one game.
struct OracleTable<G: WireFormat> {
    equipment: Arc<G::Equipment>,
    /// The default seat of queries.
    seat: Seat,
}

impl<G: WireFormat> Debug for OracleTable<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} for seat {}", G::NAME, self.seat)
    }
}

impl<G: Judged> OracleTable<G> {
    /// Creates the table of a `start` line. Keeps `known` components that are equal.
    fn started(line: &[u8], known: Option<&Arc<G::Equipment>>) -> Result<Box<dyn Table>, String> {
        let Object(Start { seat, setup }) = query::read::<Object<Start<G::Setup>>>(line)?;
        let known = known.filter(|equipment| *G::setup(equipment) == setup.in_full());
        let equipment = match known {
            Some(equipment) => Arc::clone(equipment),
            None => Arc::new(G::equip(&setup).map_err(|error| error.to_string())?),
        };
        Ok(Box::new(OracleTable::<G> { equipment, seat }))
    }

    /// Returns the table after the moves of all seats, if the query has them.
    fn stepped(&self, line: &[u8]) -> Result<Option<SteppedOrIllegal<G>>, String> {
        let read = query::read::<Object<Query<G::Observation, G::WireMove>>>(line);
        let Ok(Object(Query { state, moves: Some(moves), roll, cards, .. })) = read else { return Ok(None) };
        let chance = Chance { roll, cards };
        let Object(state) = state.ok_or("the query has no \"state\"")?;
        let mut actions = Vec::new();
        for (seat, Object(wire_move)) in moves.iter().enumerate() {
            match G::read(&self.equipment, wire_move) {
                Ok(action) => actions.push(action),
                Err(illegal) => return Ok(Some(Err((seat, illegal)))),
            }
        }
        G::step(&self.equipment, &state, &actions, &chance).map(Some)
    }

    /// Returns the position of a query, and its move in the wire form.
    fn heard(&self, line: &[u8]) -> Result<(G::Question, Option<G::WireMove>), String> {
        let read = query::read::<Object<Query<G::Observation, G::WireMove>>>(line);
        let Object(query) = read.map_err(|why| other_game::<G>(line).unwrap_or(why))?;
        let Object(state) = query.state.ok_or("the query has no \"state\"")?;
        let question = G::question(&self.equipment, &state, query.seat.unwrap_or(self.seat))?;
        Ok((question, query.wire_move.map(|Object(wire_move)| wire_move)))
    }
}

/// Returns the message about a query of another game.
fn other_game<G: Judged>(line: &[u8]) -> Option<String> {
    let is_of = |game: &GameName| for_game!(*game, H => query::read::<Object<Query<<H as Game>::Observation, <H as WireFormat>::WireMove>>>(line).is_ok(), plain H => false);
    let game = GameName::ALL.into_iter().filter(|game| game.as_str() != G::NAME).find(is_of)?.as_str();
    Some(format!("this is a state of {game}: add --game {game}, or its \"start\" line before it"))
}

impl<G: Judged> Table for OracleTable<G> {
    fn game(&self) -> &'static str {
        G::NAME
    }

    fn again(&self, line: &[u8]) -> Result<Box<dyn Table>, String> {
        OracleTable::<G>::started(line, Some(&self.equipment))
    }

    fn answer(&self, task: Task, id: Id<'_>, line: &[u8], answers: &mut Answers<'_>) -> Result<(), Failed> {
        if task == Task::Apply
            && let Some(stepped) = self.stepped(line)?
        {
            return match stepped {
                Ok(table) => write(answers, &Legal { id, legal: true, told: table }),
                Err((seat, illegal)) => {
                    let (rule, cells, why) = (illegal.rule(), illegal.cells(), illegal.to_string());
                    write(answers, &Illegal { id, legal: false, seat: Some(seat), rule, cells, why })
                }
            };
        }
        let (question, wire_move) = self.heard(line)?;
        let read = |wire_move: Option<G::WireMove>| {
            let wire_move = wire_move.ok_or_else(|| "the query has no \"move\"".to_owned())?;
            Ok::<_, Failed>(G::read(&self.equipment, &wire_move))
        };
        match task {
            Task::Count | Task::Moves | Task::Numbers => {
                let moves = Listed::<G> { equipment: &self.equipment, question: &question };
                let moves = (task != Task::Count).then_some(moves);
                let numbers = (task == Task::Numbers).then_some(NumbersOf::<G>(&question));
                write(answers, &Listing { id, count: G::count(&question), moves, numbers })
            }
            Task::Apply => {
                verdict(id, read(wire_move)?.and_then(|action| G::apply(&question, &action)), answers)
            }
            Task::Explain => {
                verdict(id, read(wire_move)?.and_then(|action| G::explain(&question, &action)), answers)
            }
        }
    }
}

/// The answer to `moves` and `count`.
#[derive(Serialize)]
struct Listing<'a, G: Judged> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Id<'a>,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none", bound = "")]
    moves: Option<Listed<'a, G>>,
    #[serde(skip_serializing_if = "Option::is_none", bound = "")]
    numbers: Option<NumbersOf<'a, G>>,
}

/// The numbers of the legal moves, in the order of the moves.
struct NumbersOf<'a, G: Judged>(&'a G::Question);

impl<G: Judged> Serialize for NumbersOf<'_, G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(G::moves(self.0).map(|action| G::numbers(self.0, &action)))
    }
}

/// The legal moves, serialized one by one. There can be millions.
struct Listed<'a, G: Judged> {
    equipment: &'a G::Equipment,
    question: &'a G::Question,
}

impl<G: Judged> Serialize for Listed<'_, G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(G::moves(self.question).map(|action| G::write(self.equipment, &action)))
    }
}

/// The answer for a legal move.
#[derive(Serialize)]
struct Legal<'a, T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Id<'a>,
    legal: bool,
    #[serde(flatten)]
    told: T,
}

/// The answer for an illegal move.
#[derive(Serialize)]
struct Illegal<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Id<'a>,
    legal: bool,
    /// The seat, if the moves of all seats were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<Seat>,
    rule: Rule,
    cells: Vec<Pair>,
    why: String,
}

fn verdict<T: Serialize>(
    id: Id<'_>,
    judged: Result<T, impl Refusal>,
    answers: &mut Answers<'_>,
) -> Result<(), Failed> {
    match judged {
        Ok(told) => write(answers, &Legal { id, legal: true, told }),
        Err(illegal) => {
            let (rule, cells, why) = (illegal.rule(), illegal.cells(), illegal.to_string());
            write(answers, &Illegal { id, legal: false, seat: None, rule, cells, why })
        }
    }
}

fn write(answers: &mut Answers<'_>, answer: &impl Serialize) -> Result<(), Failed> {
    serde_json::to_writer(&mut *answers, answer).map_err(io::Error::from)?;
    Ok(answers.write_all(b"\n")?)
}
