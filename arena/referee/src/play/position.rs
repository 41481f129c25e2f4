//! Positions: what led to a turn of a match, as a line that people keep, share, and play on from.
//!
//! A position has no state of the game. It has the rules, the deal, and the moves, so that every version of the engine
//! reads it. Its deal is either the public part up to its turn, or the whole deal.

use std::sync::Arc;

use engine::game::{Seat, Setup, first_pending};
use engine::wire::WireFormat;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::play::Start;
use crate::record::{Future, MatchRecord, hex};

/// A position: one line of a file of positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound = "")]
#[cfg_attr(
    feature = "schema",
    schemars(
        bound = "G::Deal: schemars::JsonSchema, G::WireMove: schemars::JsonSchema, G::Setup: schemars::JsonSchema"
    )
)]
pub struct Position<G: WireFormat> {
    /// The name of the game.
    pub game: String,
    /// The public part of the deal, whose lists end early, or the whole deal.
    pub deal: G::Deal,
    /// The seats and their moves, in the order of a record: by decision, then by seat.
    pub moves: Vec<(Seat, G::WireMove)>,
    /// The rules, and all components that are not standard.
    #[serde(flatten)]
    pub setup: G::Setup,
}

/// Returns the digest of a position: the first half of the SHA-256 of its JSON without blanks and with sorted keys, as 32
/// hexadecimal digits.
pub fn digest_of(position: &Value) -> String {
    hex(&Sha256::digest(position.to_string())[..16])
}

impl<G: WireFormat> Position<G> {
    /// Returns the position before a decision of a record, with the public part of the deal or all of it.
    ///
    /// # Errors
    /// The match has no such decision, or a bot was put out before it.
    pub fn of_record(record: &MatchRecord<G>, decision: u32, is_whole: bool) -> Result<Position<G>, Error> {
        let match_ = format!("match {}", record.index);
        if !record.turns.iter().any(|turn| turn.id == decision) {
            let last = record.turns.last().map_or(0, |turn| turn.id);
            return Err(Error::usage(format!("{match_} has no turn {decision}"))
                .hint(format!("its turns are 0 to {last}, as in the file")));
        }
        let given = record.turns.iter().take_while(|turn| turn.id < decision);
        let moves = given.map(|turn| {
            let moved = turn.wire_move.clone().ok_or_else(|| {
                let (bot, id) = (&record.bots[turn.seat], turn.id);
                Error::usage(format!("{match_}: {bot} was put out in turn {id}, before turn {decision}"))
                    .hint(format!("take turn {id} or an earlier one"))
            })?;
            Ok((turn.seat, moved))
        });
        Ok(Position {
            game: G::NAME.to_owned(),
            deal: if is_whole { record.deal.clone() } else { G::revealed(&record.deal, decision) },
            moves: moves.collect::<Result<_, Error>>()?,
            setup: record.setup.abridged(),
        })
    }

    /// Returns the position in which the bots of a record took over. Returns `None` if they played from the beginning.
    pub fn start_of(record: &MatchRecord<G>) -> Option<Position<G>> {
        record.start?;
        let Start { deal, moves, future } = Start::of_record(record);
        let decision = record.played().first().map_or(u32::MAX, |turn| turn.id);
        let deal = match future? {
            Future::Recorded => deal,
            Future::Seed(_) => G::revealed(&deal, decision),
        };
        Some(Position { game: G::NAME.to_owned(), deal, moves, setup: record.setup.abridged() })
    }

    /// Parses a line. Fields that it does not know are for other programs.
    ///
    /// # Errors
    /// The line is not a position of this game.
    pub fn from_line(line: &[u8]) -> Result<Position<G>, Error> {
        let position: Position<G> = serde_json::from_slice(line)
            .map_err(|error| Error::usage(format!("this is no position of {}: {error}", G::NAME)))?;
        match position.game == G::NAME {
            true => Ok(Position { setup: position.setup.abridged(), ..position }),
            false => Err(Error::usage(format!("the game is {:?}, not {}", position.game, G::NAME))),
        }
    }

    /// Returns the position as a line, without a newline.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a position is plain data")
    }

    /// Returns the digest that identifies the position; see [`digest_of`].
    pub fn digest(&self) -> String {
        digest_of(&json!(self))
    }

    /// Returns the position with its moves in the form of the engine, and with the public part of its deal or all of it.
    ///
    /// # Errors
    /// The deal does not fit, the rules forbid one of the moves, or the match is over. Some seats have moved in the turn
    /// and others have not. The deal has less than that part.
    pub fn checked(self, equipment: &Arc<G::Equipment>, is_whole: bool) -> Result<Position<G>, Error> {
        let deal = G::redeal(equipment, &self.deal, 0);
        let start: Start<G> = Start { deal: deal.clone(), moves: self.moves, future: None };
        let (game, given) = start.begin_watched(equipment, &mut |_, _| ())?;
        let turn = game.decision();
        if first_pending(&game).is_none() {
            return Err(Error::usage("the match is over in this position"));
        }
        if given.iter().any(|moved| moved.id == turn) {
            return Err(Error::usage(format!("some seats have moved in turn {turn} and others have not"))
                .hint("add the missing moves, or remove those of this turn"));
        }
        let revealed = G::revealed(&deal, turn);
        if G::revealed(&self.deal, turn) != revealed {
            return Err(Error::usage(format!(
                "the deal lacks cards or rolls that are public in turn {turn}"
            ))
            .hint("take what arena matches --position prints"));
        }
        if is_whole && deal != self.deal {
            return Err(Error::usage("the position has no recorded deal, only its public part")
                .hint("leave out --deal-as-recorded, or print the position with it"));
        }
        let moves = given.into_iter().filter_map(|moved| Some((moved.seat, moved.wire_move?))).collect();
        Ok(Position { deal: if is_whole { deal } else { revealed }, moves, ..self })
    }

    /// Returns true if the position has the whole deal, so that nothing is dealt anew.
    pub fn is_whole(&self, equipment: &G::Equipment) -> bool {
        G::redeal(equipment, &self.deal, 0) == self.deal
    }

    /// Returns the start of a match in this position. The seed deals what the position does not say.
    pub fn start(&self, equipment: &G::Equipment, seed: u64) -> Start<G> {
        let deal = G::redeal(equipment, &self.deal, seed);
        let future = if deal == self.deal { Future::Recorded } else { Future::Seed(seed) };
        Start { deal, moves: self.moves.clone(), future: Some(future) }
    }
}
