//! The program of a game: processes that answer questions.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engine::game::Seat;
use sandbox::text::quote;
use sandbox::{BotProcess, Command, Failure, Host};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::answers::Answer;
use crate::difference::by_value;
use crate::games::kind::GameRun;

/// The time for an answer, if the user sets none.
const TIME_DEFAULT: Duration = Duration::from_secs(10);
/// Of so many questions, one is asked twice.
const SAMPLE: u64 = 16;
/// The time for which the caller itself waits for an answer. It is below a second.
const SOON: Duration = Duration::from_millis(50);
/// The time that a process has to end after its input has.
const GRACE: Duration = Duration::from_millis(200);

/// A question to the program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Question<'a> {
    /// What the game is.
    Describe,
    /// A first state for these seats.
    Deal { seats: usize, seed: u64, options: &'a Value },
    /// What each seat that owes a decision may see.
    Observe { state: &'a str },
    /// The state after a move.
    Play { state: &'a str, seat: Seat, wire_move: &'a str },
    /// The state without a seat.
    Withdraw { state: &'a str, seat: Seat },
    /// Scores and ranks.
    Result { state: &'a str },
    /// The board as text.
    Text { state: &'a str },
    /// The moves of a seat.
    Legal { state: &'a str, seat: Seat },
}

impl Question<'_> {
    /// Returns what is wrong after this question, with the question.
    pub(super) fn failed(&self, why: &str) -> String {
        format!("asked {}, {why}", quote(self.line().trim_ascii_end()))
    }

    /// Returns the line for the program, with its newline.
    fn line(&self) -> Vec<u8> {
        let text = match *self {
            Question::Describe => r#"{"type":"describe"}"#.to_owned(),
            Question::Deal { seats, seed, options } => {
                format!(r#"{{"type":"deal","seats":{seats},"seed":{seed},"options":{options}}}"#)
            }
            Question::Observe { state } => format!(r#"{{"type":"observe","state":{state}}}"#),
            Question::Play { state, seat, wire_move } => {
                format!(r#"{{"type":"play","seat":{seat},"move":{wire_move},"state":{state}}}"#)
            }
            Question::Withdraw { state, seat } => {
                format!(r#"{{"type":"withdraw","seat":{seat},"state":{state}}}"#)
            }
            Question::Result { state } => format!(r#"{{"type":"result","state":{state}}}"#),
            Question::Text { state } => format!(r#"{{"type":"text","state":{state}}}"#),
            Question::Legal { state, seat } => format!(r#"{{"type":"legal","seat":{seat},"state":{state}}}"#),
        };
        (text + "\n").into_bytes()
    }
}

/// The processes of a game that wait for questions, and how to start more.
#[derive(Debug)]
pub(super) struct Program {
    command: Command,
    host: Host,
    time: Duration,
    /// Of so many questions, one is asked twice.
    sample: u64,
    idle: Mutex<Vec<Process>>,
    /// The process that is asked again.
    twin: Mutex<Option<Process>>,
}

impl Program {
    /// Returns the program of a command. It starts with the first question.
    pub(super) fn new(command: Command, run: GameRun) -> Program {
        Program {
            command,
            host: Host::new().contain(run.contain),
            time: run.time.unwrap_or(TIME_DEFAULT),
            sample: if run.compares_all { 1 } else { SAMPLE },
            idle: Mutex::default(),
            twin: Mutex::default(),
        }
    }

    /// Asks a question. A second process is asked as well for each deal, and for some of the other questions: always the
    /// same ones, so that a repetition fails as before.
    ///
    /// # Errors
    /// The text quotes the question, and says what is wrong with the answer.
    pub(super) fn ask<T: Answer>(&self, question: &Question<'_>) -> Result<T, String> {
        let line = question.line();
        let quoted = |why: String| question.failed(&why);
        let answer = self.answer(&line).map_err(quoted)?;
        if matches!(question, Question::Deal { .. }) || hash(&line).is_multiple_of(self.sample) {
            self.compare(&line, &answer).map_err(quoted)?;
        }
        T::parse(&answer).map_err(|why| quoted(format!("it answered {}: {why}", quote(&answer))))
    }

    /// Fails if the program gives another answer to the same question.
    fn compare(&self, line: &[u8], answer: &[u8]) -> Result<(), String> {
        let mut twin = self.twin.lock().unwrap_or_else(PoisonError::into_inner);
        let (process, again) = self.ask_process(twin.take(), line)?;
        *twin = Some(process);
        let [one, other] = [answer, &again].map(String::from_utf8_lossy);
        match by_value(&one, &other) {
            None => Ok(()),
            Some(what) => Err(format!("it answered {} and then {}: {what}", quote(answer), quote(&again))),
        }
    }

    /// Asks a process that waits, or a new one.
    fn answer(&self, line: &[u8]) -> Result<Vec<u8>, String> {
        let waiting = self.idle().pop();
        let (process, answer) = self.ask_process(waiting, line)?;
        self.idle().push(process);
        Ok(answer)
    }

    /// Asks this process, or a new one if there is none or if it has ended while nobody asked it.
    fn ask_process(&self, waiting: Option<Process>, line: &[u8]) -> Result<(Process, Vec<u8>), String> {
        if let Some(mut process) = waiting {
            match process.ask(line) {
                Ok(answer) => return Ok((process, answer)),
                Err(Failed { has_ended: true, .. }) => {}
                Err(failed) => return Err(failed.why),
            }
        }
        let mut process = Process::start(self)?;
        let answer = process.ask(line)?;
        Ok((process, answer))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a number that follows from the bytes (FNV-1a).
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Why a process gave no answer.
#[derive(Debug)]
struct Failed {
    why: String,
    /// True if the process has ended by itself.
    has_ended: bool,
}

impl From<Failed> for String {
    fn from(failed: Failed) -> String {
        failed.why
    }
}

/// A process. It ends when it is dropped.
///
/// Rules are called in threads with a runtime and in threads without one, so the caller blocks until the answer is there.
/// The process has a runtime of its own, which only works for the start, the end, and slow answers.
#[derive(Debug)]
struct Process {
    /// `None` while it is dropped.
    running: Option<(Runtime, BotProcess)>,
    time: Duration,
}

impl Process {
    fn start(program: &Program) -> Result<Process, String> {
        let start = || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            let bot = runtime.block_on(BotProcess::spawn(&program.command, &program.host));
            let bot = bot.map_err(|error| error.to_string())?;
            Ok(Process { running: Some((runtime, bot)), time: program.time })
        };
        on_a_thread(start)
    }

    fn ask(&mut self, line: &[u8]) -> Result<Vec<u8>, Failed> {
        let asked = Instant::now();
        let (runtime, bot) = self.running.as_mut().expect("it is there until it is dropped");
        if bot.is_early() {
            let why = "it had written another line before, and one question has one answer".to_owned();
            return Err(Failed { why, has_ended: false });
        }
        let (sent, answer) = bot.ask_blocking(line, SOON.min(self.time));
        if let Some(answer) = answer {
            return Ok(answer.to_owned());
        }
        on_a_thread(|| match runtime.block_on(bot.greeted(line, sent, asked, self.time)) {
            Ok(reply) => Ok(reply.line.to_owned()),
            Err(fault) => Err(Failed { has_ended: fault.kind == Failure::Exit, why: fault.detail }),
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some((runtime, bot)) = self.running.take() {
            // The thread drops the runtime too, which no thread with a runtime may do.
            on_a_thread(move || drop(runtime.block_on(bot.quit(b"", GRACE))));
        }
    }
}

/// Runs this on a thread without a runtime, and waits for it.
fn on_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(work).join().expect("it does not panic"))
}
