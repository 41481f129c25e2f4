//! Games of users: programs in any language that know the rules. The arena asks them over JSON lines, one question a
//! decision. `docs/reference/game-protocol.md` specifies the dialogue.
//!
//! A program keeps nothing in mind: each question has the whole state. It can therefore be killed, started again, and
//! checked by a second process. Everything that it says is checked here, and a wrong answer is a failure of the game,
//! never a fault of a bot.

pub mod answers;
mod program;
mod setup;

use std::borrow::Cow;
use std::fmt;
use std::mem;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use engine::game::{Game, Outcome, Seat, Setup, SetupError, pending, ranks};
use engine::wire::{NUMBER_MAX, WireFormat};
use serde_json::Value;

use crate::bots::entrants::Entrant;
use crate::difference::by_value;
use crate::error::Error;
use crate::games::kind::{Board, EXTERNAL, GameKind, GameRun, RulesOptions};
use crate::play::VERSION_MARK;
use answers::{Judged, Standing, checked_result};
use program::{Program, Question};
pub(super) use setup::is_full_name;
pub use setup::{Ability, Description, ExternalSetup, GameProgram};

/// The most decisions of a match. A game that goes on longer never ends.
const DECISIONS_MAX: u32 = 10_000;
/// The longest text of a board that records keep, in bytes.
const TEXT_BYTES_MAX: usize = 4_096;

/// A result, with what each seat may see at the end, if the program says so.
type Ended = (Outcome, Vec<Value>);

/// A match of a user's game.
#[derive(Clone, Debug)]
pub struct External {
    equipment: Arc<Equipment>,
    /// The state, as the program wrote it.
    state: Arc<str>,
    /// The observation of each seat that owes a decision.
    observations: Vec<Option<Arc<str>>>,
    /// The seats that have not decided yet in this decision.
    open: Vec<bool>,
    withdrawn: Vec<bool>,
    decision: u32,
    /// True if the match ended at a fault, because the program cannot play on without a seat.
    is_cut: bool,
    failed: Option<Arc<str>>,
    /// The board as text, if it came with the last move.
    told: Option<String>,
    /// The current result, once it was asked for.
    result: OnceLock<Result<Ended, Arc<str>>>,
}

/// The description of a user's game and, once it may be started, its program.
#[derive(Debug)]
pub struct Equipment {
    setup: ExternalSetup,
    program: OnceLock<Program>,
}

impl Equipment {
    /// Asks all questions since the last call once more, of fresh processes and in other orders, which follow from `seed`.
    ///
    /// # Errors
    /// An answer is another one.
    pub fn ask_again(&self, seed: u64) -> Result<(), String> {
        self.program.get().map_or(Ok(()), |program| program.ask_again(seed))
    }

    /// Returns true once the program has given two answers to a question.
    pub fn has_two_answers(&self) -> bool {
        self.program.get().is_some_and(|program| program.has_two_answers.load(Ordering::Relaxed))
    }

    fn ask<T: answers::Answer>(&self, question: &Question<'_>) -> Result<T, String> {
        let program = self.program.get().ok_or_else(|| {
            "its program was not started; if you made this directory yourself, say --trust".to_owned()
        })?;
        program.ask(question)
    }
}

/// Shortens the text of a board to what records keep.
fn shortened(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
    text
}

/// The reason why a move is refused, in the words of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl External {
    /// Asks for the legal moves of a seat that owes a decision.
    ///
    /// # Errors
    /// The game failed.
    pub fn legal(&self, seat: Seat) -> Result<Vec<String>, String> {
        if !self.owes(seat) || !self.equipment.setup.can(Ability::Legal) {
            return Ok(Vec::new());
        }
        let answers::Legal { moves, .. } =
            self.equipment.ask(&Question::Legal { state: &self.state, seat })?;
        Ok(moves.into_iter().map(|wire_move| Value::Object(wire_move).to_string()).collect())
    }

    /// Asks for the board as a person in this seat may see it. Returns `None` if the game has no such text.
    ///
    /// # Errors
    /// The game failed.
    pub fn text_for(&self, seat: Seat) -> Result<Option<String>, String> {
        if self.equipment.setup.can(Ability::SeatText) { self.told_to(Some(seat)) } else { Ok(None) }
    }

    fn told_to(&self, seat: Option<Seat>) -> Result<Option<String>, String> {
        let answers::Text { text } = self.equipment.ask(&Question::Text { state: &self.state, seat })?;
        Ok(Some(shortened(text)))
    }

    /// Returns what this seat may see now, or at the end. It is null if the game does not say.
    pub fn sight(&self, seat: Seat) -> Value {
        let ended = self.result.get().filter(|_| self.open() == 0);
        let last = ended.and_then(|ended| ended.as_ref().ok()?.1.get(seat));
        last.cloned().unwrap_or_else(|| self.observe(seat))
    }

    /// Returns the game and its program.
    pub fn equipment(&self) -> &Equipment {
        &self.equipment
    }

    /// Returns a withdrawn seat that the program still asks, if there is one.
    pub fn asks_withdrawn(&self) -> Option<Seat> {
        let is_asked = |&seat: &Seat| self.withdrawn[seat] && self.observations[seat].is_some();
        (0..self.seats()).filter(|_| !self.is_cut).find(is_asked)
    }

    /// Asks what each seat may see, and compares it with what the last answer said of it.
    ///
    /// # Errors
    /// There is a difference, or the game failed.
    pub fn check_observations(&self) -> Result<(), String> {
        let question = Question::Observe { state: &self.state };
        let observed: answers::Observed = self.equipment.ask(&question)?;
        let change = |seat: Seat| Some((seat, self.change(&observed.observations, seat, true)?));
        match (0..self.seats()).find_map(change) {
            None => Ok(()),
            Some((seat, change)) => Err(question.failed(&format!(
                "its answer is not the one that came with this state before: of seat {seat}, {change}"
            ))),
        }
    }

    /// Checks the numbers of the moves, and compares them and what seats see with the `spaces` of the game, if it declares them.
    ///
    /// # Errors
    /// An observation does not have the array that they name, or a move has no number of its own.
    pub fn check_spaces(&self) -> Result<(), String> {
        let spaces = self.equipment.setup.game.spaces.as_ref();
        let wrong = |seat, why| format!("seat {seat} sees {}: {why}", self.observe(seat));
        pending(self).try_for_each(|seat| {
            spaces
                .map_or(Ok(()), |spaces| spaces.check(&self.observe(seat)))
                .map_err(|why| wrong(seat, why))?;
            if !self.equipment.setup.can(Ability::Legal) {
                return Ok(());
            }
            let question = Question::Legal { state: &self.state, seat };
            let legal: answers::Legal = self.equipment.ask(&question)?;
            legal.check_numbers(spaces.map(|spaces| spaces.moves)).map_err(|why| question.failed(&why))
        })
    }

    /// Returns the state, as the program wrote it.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Describes how the observation of a seat differs now from before, or from none if it does not count.
    fn change(&self, now: &[Option<Arc<str>>], seat: Seat, counts: bool) -> Option<String> {
        let text = |seen: &[Option<Arc<str>>]| seen.get(seat).cloned().flatten().unwrap_or("null".into());
        let before = if counts { text(&self.observations) } else { "null".into() };
        by_value(&before, &text(now))
    }

    /// Returns the number of seats that still decide in this decision.
    fn open(&self) -> usize {
        self.open.iter().filter(|&&open| open).count()
    }

    /// Takes over the position after a move of a seat.
    fn take(&mut self, standing: Standing, seat: Seat, question: &Question<'_>) -> Result<(), String> {
        self.open[seat] = false;
        if self.open() > 0 {
            // Seats that decide together see nothing of each other's decisions.
            let change = |at: Seat| Some((at, self.change(&standing.observations, at, self.open[at])?));
            let is_in = |at: &Seat| !self.withdrawn[*at];
            if let Some((other, change)) = (0..self.seats()).filter(is_in).find_map(change) {
                return Err(question.failed(&format!(
                    "seat {seat} has decided, others of the same decision have not, and the observation of seat {other} has changed: {change}"
                )));
            }
        }
        self.follow(standing, question)
    }

    /// Goes on with the next decision if no seat is left in this one.
    fn follow(&mut self, standing: Standing, question: &Question<'_>) -> Result<(), String> {
        let Standing { state, observations, text } = standing;
        if observations.len() != self.seats() {
            let (now, before) = (observations.len(), self.seats());
            return Err(question.failed(&format!("it answered {now} observations for {before} seats")));
        }
        (self.state, self.observations, self.told, self.result) =
            (state, observations, text.map(shortened), OnceLock::new());
        if self.open() > 0 {
            return Ok(());
        }
        self.decision += 1;
        self.begin_decision(question)
    }

    /// Opens the next decision for all seats that owe it. Asks for the result if there is none.
    fn begin_decision(&mut self, question: &Question<'_>) -> Result<(), String> {
        let owes = |seat: Seat| !self.withdrawn[seat] && self.observations[seat].is_some();
        self.open = (0..self.observations.len()).map(owes).collect();
        match self.open() {
            0 => return self.result().map(drop).map_err(|why| why.to_string()),
            1 => {}
            _ if self.equipment.setup.game.simultaneous => {}
            _ => {
                let why = "two seats owe a decision, and the game is not simultaneous";
                return Err(question.failed(why));
            }
        }
        match self.decision {
            ..DECISIONS_MAX => Ok(()),
            _ => Err(question.failed(&format!("the match has {DECISIONS_MAX} decisions, and does not end"))),
        }
    }

    /// Returns the result, which the program is asked for once in each position.
    fn result(&self) -> Result<&Outcome, &Arc<str>> {
        let asked = || {
            let question = Question::Result { state: &self.state };
            let answer = self.equipment.ask::<answers::ResultOf>(&question);
            let result = answer.and_then(|mut result| {
                let last = mem::take(&mut result.observations).into_iter();
                let last = last.map(|seen| seen.map_or(Value::Null, Value::Object)).collect();
                let outcome = checked_result(result, &self.withdrawn);
                Ok((outcome.map_err(|why| question.failed(&why))?, last))
            });
            result.map_err(Arc::from)
        };
        self.result.get_or_init(asked).as_ref().map(|(outcome, _)| outcome)
    }

    /// Fails for good.
    fn fail(&mut self, why: String) {
        self.failed.get_or_insert(why.into());
    }
}

impl Game for External {
    type Setup = ExternalSetup;
    type Equipment = Equipment;
    type Deal = Value;
    type Observation = Value;
    /// The move as JSON, with the names of each object in order.
    type Action = String;
    type Illegal = Refused;

    const NAME: &'static str = EXTERNAL;
    const SIMULTANEOUS: bool = false;

    fn equip(setup: &ExternalSetup) -> Result<Equipment, SetupError> {
        setup.game.check().map_err(SetupError::Components)?;
        Ok(Equipment { setup: setup.clone(), program: OnceLock::new() })
    }

    fn setup(equipment: &Equipment) -> &ExternalSetup {
        &equipment.setup
    }

    /// The deal is the first state.
    fn deal(equipment: &Equipment, seats: usize, seed: u64) -> Result<Value, SetupError> {
        let ExternalSetup { ref game, ref options } = equipment.setup;
        let [least, most] = game.seats;
        if !(least..=most).contains(&seats) {
            let number = if least == most { least.to_string() } else { format!("{least} to {most}") };
            return Err(SetupError::Seats(format!("{} is for {number} seats, not {seats}", game.name)));
        }
        let question = Question::Deal { seats, seed: seed % NUMBER_MAX, options };
        let answers::Dealt { state } = equipment.ask(&question).map_err(SetupError::Failed)?;
        let observed: answers::Observed =
            equipment.ask(&Question::Observe { state: &state.to_string() }).map_err(SetupError::Failed)?;
        match observed.observations.len() {
            count if count == seats => Ok(state),
            count => Err(SetupError::Failed(format!("it dealt for {seats} seats, and observes {count}"))),
        }
    }

    fn new(equipment: &Arc<Equipment>, deal: &Value) -> Result<External, SetupError> {
        let state = deal.to_string();
        let question = Question::Observe { state: &state };
        let observed = equipment.ask::<answers::Observed>(&question);
        let answers::Observed { observations } = observed.map_err(SetupError::Failed)?;
        let seats = observations.len();
        let mut game = External {
            equipment: Arc::clone(equipment),
            state: state.as_str().into(),
            observations,
            open: Vec::new(),
            withdrawn: vec![false; seats],
            decision: 0,
            is_cut: false,
            failed: None,
            told: None,
            result: OnceLock::new(),
        };
        game.begin_decision(&question).map_err(SetupError::Failed)?;
        Ok(game)
    }

    fn seats(&self) -> usize {
        self.observations.len()
    }

    fn decision(&self) -> u32 {
        self.decision
    }

    fn owes(&self, seat: Seat) -> bool {
        self.failed.is_none() && !self.is_cut && self.open.get(seat).copied().unwrap_or(false)
    }

    fn observe(&self, seat: Seat) -> Value {
        let text = self.observations.get(seat).and_then(Option::as_deref);
        text.map_or(Value::Null, |text| serde_json::from_str(text).expect("it was parsed before"))
    }

    fn legal_actions(&self, seat: Seat) -> impl Iterator<Item = String> {
        // A failure shows as a seat that owes a decision and has no moves.
        self.legal(seat).unwrap_or_default().into_iter()
    }

    fn play(&mut self, seat: Seat, action: &String) -> Result<(), Refused> {
        if !self.owes(seat) {
            return Err(Refused("the seat owes no decision".to_owned()));
        }
        let before = Arc::clone(&self.state);
        let wants_text = self.open() == 1 && self.equipment.setup.can(Ability::PlayText);
        let question = Question::Play { state: &before, seat, wire_move: action, wants_text };
        let done = match self.equipment.ask(&question) {
            Ok(Judged::Refused(why))
                if self.legal_actions(seat).all(|legal| by_value(&legal, action).is_some()) =>
            {
                return Err(Refused(why));
            }
            Ok(Judged::Refused(why)) => {
                Err(question.failed(&format!("it refused a move that it lists as legal: {why}")))
            }
            Ok(Judged::Played(standing)) => self.take(standing, seat, &question),
            Err(why) => Err(why),
        };
        done.map_err(|why| {
            self.fail(why);
            Refused("the game failed".to_owned())
        })
    }

    fn withdraw(&mut self, seat: Seat) {
        if self.withdrawn.get(seat) != Some(&false) {
            return;
        }
        self.withdrawn[seat] = true;
        self.result = OnceLock::new();
        if !self.equipment.setup.can(Ability::Withdraw) {
            self.is_cut = true;
        }
        if self.is_cut || self.failed.is_some() {
            return;
        }
        let state = Arc::clone(&self.state);
        let question = Question::Withdraw { state: &state, seat };
        let standing: Result<Standing, _> = self.equipment.ask(&question);
        let done = standing.and_then(|standing| {
            let is_asked = |at: Seat| standing.observations.get(at).is_some_and(Option::is_some);
            self.open = (0..self.seats()).map(|at| at != seat && self.open[at] && is_asked(at)).collect();
            self.follow(standing, &question)
        });
        done.unwrap_or_else(|why| self.fail(why));
    }

    fn outcome(&self) -> Outcome {
        let nothing = || {
            let scores = vec![0; self.seats()];
            Outcome { ranks: ranks(&scores, &self.withdrawn), scores, rounds: None }
        };
        self.result().map_or_else(|_| nothing(), Clone::clone)
    }
}

impl WireFormat for External {
    type WireMove = Value;

    fn name(setup: &ExternalSetup) -> Cow<'_, str> {
        Cow::Owned(format!("{}{VERSION_MARK}{}", setup.game.name, setup.game.version))
    }

    fn is_simultaneous(setup: &ExternalSetup) -> bool {
        setup.game.simultaneous
    }

    /// Bots get the options as fields of `start`, and learn nothing of the program.
    fn write_setup(setup: &ExternalSetup, line: &mut Vec<u8>) {
        serde_json::to_writer(line, &setup.options).expect("plain data is JSON");
    }

    fn read(_: &Equipment, wire_move: &Value) -> Result<String, Refused> {
        Ok(wire_move.to_string())
    }

    fn write(_: &Equipment, action: &String) -> Value {
        serde_json::from_str(action).expect("it was a value before")
    }

    fn failure(&self) -> Option<String> {
        let of_result = || self.result.get()?.as_ref().err().cloned();
        self.failed.clone().or_else(of_result).map(|why| why.to_string())
    }

    fn text(&self) -> Result<Option<String>, String> {
        match &self.told {
            Some(text) => Ok(Some(text.clone())),
            None if self.equipment.setup.can(Ability::Text) => self.told_to(None),
            None => Ok(None),
        }
    }

    fn write_state(&self, seat: Seat, line: &mut Vec<u8>) {
        let text = self.observations[seat].as_deref().expect("the seat owes a decision");
        line.extend_from_slice(text.as_bytes());
    }
}

impl GameKind for External {
    const SUMMARY: &'static str = "A game of your own, with --game-command";
    const SEATS_HINT: &'static str = "the game itself says for how many seats it is";
    const SEATS_DEFAULT: usize = 2;
    const EVERY_SEAT_EACH_DEAL: bool = true;
    const IS_PROGRAM: bool = true;

    fn board(setup: &ExternalSetup) -> Option<&Board> {
        setup.game.board.as_ref()
    }

    fn is_open(setup: &ExternalSetup) -> bool {
        setup.can(Ability::SeatText) || !setup.can(Ability::Text)
    }

    fn unit(setup: &ExternalSetup) -> Option<f64> {
        setup.game.unit
    }

    fn seats_default(setup: &ExternalSetup) -> usize {
        let [least, most] = setup.game.seats;
        External::SEATS_DEFAULT.clamp(least, most)
    }

    fn default_bots() -> Result<Vec<Entrant>, Error> {
        Err(Error::usage("no bots are named")
            .hint("name them with --bot; random plays a game whose states have a list \"legal\" of moves"))
    }

    fn start(equipment: &Equipment, run: GameRun) -> Result<(), Error> {
        equipment.setup.game.check_files(run.is_recorded)?;
        let program = Program::new(equipment.setup.game.entrant()?.command, run);
        let _ = equipment.program.set(program); // one that is there already is the same
        Ok(())
    }

    fn setup_from(options: &RulesOptions) -> Result<ExternalSetup, Error> {
        options.only_for(External::NAME)?;
        match &options.program {
            Some(program) => program.setup(),
            None => {
                Err(Error::usage("a game of your own needs its program").hint("name it with --game-command"))
            }
        }
    }

    fn options_of(setup: &ExternalSetup) -> String {
        setup.options()
    }
}

impl Setup for ExternalSetup {
    /// For comparisons: a program may have moved.
    fn in_full(&self) -> ExternalSetup {
        self.portable()
    }

    fn abridged(&self) -> ExternalSetup {
        self.clone()
    }

    fn portable(&self) -> ExternalSetup {
        let game = GameProgram {
            command: String::new(),
            base: None,
            dir: None,
            unit: None,
            board: None,
            spaces: None,
            ..self.game.clone()
        };
        ExternalSetup { game, options: self.options.clone() }
    }
}
