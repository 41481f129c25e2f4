//! The protocol loop of a bot: reads the arena's lines and writes replies.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::Instant;

use engine::dealer::Dealer;
use engine::doodle::Doodle;
use engine::game::Game;
use engine::patchwork::Patchwork;
use engine::wire::{FromBot, Hello, MoveLine, Ready, Start, WireFormat};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::budget::{Bank, this_thread_answers};
use crate::{Bundled, Place, Strategy};

/// The reason why a bot stopped before its input ended.
#[derive(Debug)]
pub enum RunError {
    /// A pipe broke.
    Io(io::Error),
    /// A line is not a message of the protocol.
    NotAMessage(serde_json::Error),
    /// The bot cannot play this `start`, or a message is out of turn.
    Unplayable(String),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::Io(error) => write!(f, "the pipe to the arena broke: {error}"),
            RunError::NotAMessage(error) => write!(f, "not a message of the protocol: {error}"),
            RunError::Unplayable(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for RunError {}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> RunError {
        RunError::Io(error)
    }
}

impl From<serde_json::Error> for RunError {
    fn from(error: serde_json::Error) -> RunError {
        RunError::NotAMessage(error)
    }
}

/// The fields that select the handler of a message.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    game: Option<&'a str>,
}

/// Runs `bot` until `quit` or the end of the input. A bot that searches spends `nodes` nodes on a move, or those of the
/// `budget` in its limits. Without both it follows the clock.
///
/// # Errors
/// [`RunError`] if a pipe breaks or the arena sends something unexpected.
pub fn run(
    bot: &Bundled,
    nodes: Option<u64>,
    input: impl BufRead,
    output: impl Write,
) -> Result<(), RunError> {
    this_thread_answers();
    let mut lines = Lines { input, output, line: String::new(), answer: Vec::new() };
    let mut seated: Option<Box<dyn Seated>> = None;
    let mut cupboard = Cupboard::default();
    while lines.next()? {
        let head: Head<'_> = serde_json::from_str(&lines.line)?;
        match (head.kind, head.game) {
            ("hello", _) => lines.say(&hello(bot))?,
            ("start", game) => {
                seated = Some(cupboard.sit_down(bot, nodes, game, &lines.line)?);
                lines.say(&FromBot::<()>::Ready(Ready {}))?;
            }
            ("turn", _) => match &mut seated {
                Some(table) => table.answer(&lines.line, &mut lines.answer)?,
                None => return Err(unplayable("asked for a move before the start".to_owned())),
            },
            ("quit", _) => break,
            _ => {}
        }
        lines.flush()?;
    }
    Ok(())
}

/// The equipment of the last match of each game. Most tournaments use one setup for all matches, and building
/// the equipment can take longer than a match.
#[derive(Default)]
struct Cupboard {
    doodle: Option<Equipped<Doodle>>,
    patchwork: Option<Equipped<Patchwork>>,
}

/// A setup with the equipment built from it.
type Equipped<G> = (<G as Game>::Setup, Arc<<G as Game>::Equipment>);

impl Cupboard {
    /// Takes the seat that a `start` line offers.
    fn sit_down(
        &mut self,
        bot: &Bundled,
        nodes: Option<u64>,
        game: Option<&str>,
        line: &str,
    ) -> Result<Box<dyn Seated>, RunError> {
        match game {
            Some(Doodle::NAME) => {
                Ok(Box::new(Table::<Doodle>::new(line, nodes, bot.doodle, &mut self.doodle)?))
            }
            Some(Patchwork::NAME) => {
                Ok(Box::new(Table::<Patchwork>::new(line, nodes, bot.patchwork, &mut self.patchwork)?))
            }
            Some(_) if bot.plays_any_game => Ok(Box::new(Picker::new(line)?)),
            other => Err(unplayable(format!(
                "this bot does not know the game {}; random plays each whose states have a list \"legal\"",
                other.unwrap_or_default()
            ))),
        }
    }
}

/// Returns the equipment for a setup. Reuses the equipment of the last match if its setup was the same.
fn equipment<G: Game>(
    setup: G::Setup,
    last: &mut Option<Equipped<G>>,
) -> Result<Arc<G::Equipment>, RunError> {
    if let Some((_, equipment)) = last.as_ref().filter(|(earlier, _)| *earlier == setup) {
        return Ok(Arc::clone(equipment));
    }
    let equipment = Arc::new(G::equip(&setup).map_err(|error| unplayable(error.to_string()))?);
    *last = Some((setup, Arc::clone(&equipment)));
    Ok(equipment)
}

fn unplayable(reason: String) -> RunError {
    RunError::Unplayable(reason)
}

fn hello(bot: &Bundled) -> FromBot<'static, ()> {
    FromBot::Hello(Hello {
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        solitary: bot.solitary,
        ..Hello::new(bot.name)
    })
}

/// Reads one line at a time and writes at most one line in reply.
struct Lines<I, O> {
    input: I,
    output: O,
    line: String,
    answer: Vec<u8>,
}

impl<I: BufRead, O: Write> Lines<I, O> {
    /// Reads the next line. Returns false at the end of the input.
    fn next(&mut self) -> io::Result<bool> {
        self.line.clear();
        Ok(self.input.read_line(&mut self.line)? > 0)
    }

    fn say(&mut self, message: &FromBot<'_, ()>) -> serde_json::Result<()> {
        serde_json::to_writer(&mut self.answer, message)
    }

    /// Writes the reply, if any, in a single call, so that the arena wakes up only once.
    fn flush(&mut self) -> io::Result<()> {
        if !self.answer.is_empty() {
            self.answer.push(b'\n');
            self.output.write_all(&self.answer)?;
            self.output.flush()?;
            self.answer.clear();
        }
        Ok(())
    }
}

/// A strategy seated in a match, independent of the game.
trait Seated {
    /// Appends the reply to a `turn` line to `answer`.
    fn answer(&mut self, line: &str, answer: &mut Vec<u8>) -> Result<(), RunError>;
}

struct Table<G: WireFormat> {
    equipment: Arc<G::Equipment>,
    strategy: Box<dyn Strategy<G>>,
    bank: Option<Bank>,
}

impl<G: WireFormat> Table<G> {
    fn new(
        line: &str,
        nodes: Option<u64>,
        strategy: fn(Place<G>) -> Box<dyn Strategy<G>>,
        last: &mut Option<Equipped<G>>,
    ) -> Result<Table<G>, RunError> {
        let Start { setup, seat, seats, seed, limits, .. } = serde_json::from_str::<Start<G::Setup>>(line)?;
        let nodes = nodes.or(limits.budget);
        let equipment = equipment::<G>(setup, last)?;
        let place = Place { equipment: Arc::clone(&equipment), seat, seats, seed, nodes };
        let bank = limits.match_ms.map(|left| Bank::new(limits.move_ms, left, limits.increment_ms));
        Ok(Table { equipment, strategy: strategy(place), bank })
    }
}

/// A bot for games that it does not know: it plays one of the moves in the list `legal` of its state.
struct Picker {
    chance: Dealer,
}

/// The part of a state that it reads.
#[derive(Deserialize)]
struct Listed {
    legal: Vec<Box<RawValue>>,
}

impl Picker {
    fn new(line: &str) -> Result<Picker, RunError> {
        let Start { seed, .. } = serde_json::from_str::<Start<IgnoredAny>>(line)?;
        Ok(Picker { chance: Dealer::new(seed, 0) })
    }
}

impl Seated for Picker {
    fn answer(&mut self, line: &str, answer: &mut Vec<u8>) -> Result<(), RunError> {
        let turn: TurnLine<Listed> = serde_json::from_str(line)
            .map_err(|error| unplayable(format!("no list \"legal\" of moves in the state: {error}")))?;
        let Listed { legal } = turn.state;
        if legal.is_empty() {
            return Err(unplayable("the list \"legal\" in the state is empty".to_owned()));
        }
        let wire_move = &legal[self.chance.below(legal.len() as u32) as usize];
        Ok(serde_json::to_writer(answer, &FromBot::Move(MoveLine::new(turn.id, wire_move)))?)
    }
}

/// A `turn` message. Deserializing it directly avoids the buffering of a tagged enum.
#[derive(Deserialize)]
struct TurnLine<O> {
    id: u64,
    time_ms: u64,
    state: O,
}

impl<G: WireFormat> Seated for Table<G> {
    fn answer(&mut self, line: &str, answer: &mut Vec<u8>) -> Result<(), RunError> {
        let turn: TurnLine<G::Observation> = serde_json::from_str(line)?;
        let (begun, decisions) = (Instant::now(), || self.strategy.decisions_left(&turn.state));
        let time_ms = self.bank.as_mut().map_or(turn.time_ms, |bank| bank.share(turn.time_ms, decisions()));
        let action = self.strategy.choose(&turn.state, time_ms);
        self.bank.iter_mut().for_each(|bank| bank.spend(begun.elapsed()));
        let wire_move = G::write(&self.equipment, &action);
        let data = self.strategy.numbers();
        let message = FromBot::Move(MoveLine { data, ..MoveLine::new(turn.id, wire_move) });
        Ok(serde_json::to_writer(answer, &message)?)
    }
}
