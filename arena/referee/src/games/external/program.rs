//! The program of a game: processes that answer questions, each on a thread of its own.
//!
//! The rules are called from matches, which must not wait for the processes of other matches, and from threads without
//! a runtime. So a process is asked through channels, and the caller waits.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engine::game::Seat;
use sandbox::text::quote;
use sandbox::{BotProcess, Command, Host};
use serde_json::Value;

use super::answers::Answer;
use crate::games::kind::GameRun;

/// The time for an answer, if the user sets none.
const TIME_DEFAULT: Duration = Duration::from_secs(10);
/// Of so many questions, one is asked twice.
const SAMPLE: u64 = 64;
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
    asked: AtomicU64,
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
            asked: AtomicU64::new(0),
        }
    }

    /// Asks a question, and some of them a second process as well.
    ///
    /// # Errors
    /// The text quotes the question, and says what is wrong with the answer.
    pub(super) fn ask<T: Answer>(&self, question: &Question<'_>) -> Result<T, String> {
        let line = question.line();
        let quoted = |why: String| format!("asked {}, {why}", quote(line.trim_ascii_end()));
        let answer = self.answer(&line).map_err(quoted)?;
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.sample) {
            self.compare(&line, &answer).map_err(quoted)?;
        }
        T::parse(&answer).map_err(|why| quoted(format!("it answered {}: {why}", quote(&answer))))
    }

    /// Fails if the program gives another answer to the same question.
    fn compare(&self, line: &[u8], answer: &[u8]) -> Result<(), String> {
        let mut twin = self.twin.lock().unwrap_or_else(PoisonError::into_inner);
        let process = twin.take().map_or_else(|| Process::start(self), Ok)?;
        let again = process.ask(line)?;
        *twin = Some(process);
        let [one, other] = [answer, &again].map(|text| serde_json::from_slice::<Value>(text).ok());
        match one == other {
            true => Ok(()),
            false => Err(format!("it answered {} and then {}", quote(answer), quote(&again))),
        }
    }

    /// Asks a process that waits, and a new one if none does, or if that one fails.
    fn answer(&self, line: &[u8]) -> Result<Vec<u8>, String> {
        let waiting = self.idle().pop();
        if let Some(process) = waiting
            && let Ok(answer) = process.ask(line)
        {
            self.keep(process);
            return Ok(answer);
        }
        let process = Process::start(self)?;
        let answer = process.ask(line)?;
        self.keep(process);
        Ok(answer)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a process for the next question.
    fn keep(&self, process: Process) {
        self.idle().push(process);
    }
}

/// A process on a thread of its own. It ends when it is dropped.
#[derive(Debug)]
struct Process {
    questions: Option<Sender<Vec<u8>>>,
    answers: Receiver<Result<Vec<u8>, String>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Process {
    fn start(program: &Program) -> Result<Process, String> {
        let (questions, asked) = channel();
        let (answered, answers) = channel();
        let (command, host, time) = (program.command.clone(), program.host.clone(), program.time);
        let run = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => runtime.block_on(serve(&command, &host, time, &asked, &answered)),
                Err(error) => _ = answered.send(Err(error.to_string())),
            }
        };
        let thread = thread::Builder::new().name("game".to_owned()).spawn(run);
        let thread = Some(thread.map_err(|error| format!("no thread can be started: {error}"))?);
        Ok(Process { questions: Some(questions), answers, thread })
    }

    fn ask(&self, line: &[u8]) -> Result<Vec<u8>, String> {
        let gone = || "its process has ended".to_owned();
        let questions = self.questions.as_ref().expect("it is there until the end");
        // A process that cannot be started leaves the reason before it is asked.
        let _ = questions.send(line.to_owned());
        self.answers.recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.questions = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a thread that panicked has said so
        }
    }
}

/// Runs one process until it fails or is asked no more.
async fn serve(
    command: &Command,
    host: &Host,
    time: Duration,
    asked: &Receiver<Vec<u8>>,
    answered: &Sender<Result<Vec<u8>, String>>,
) {
    let mut process = match BotProcess::spawn(command, host).await {
        Ok(process) => process,
        Err(error) => return drop(answered.send(Err(error.to_string()))),
    };
    while let Ok(line) = asked.recv() {
        let answer = match process.ask(&line, Instant::now() + time).await {
            Ok(reply) => Ok(reply.line.to_owned()),
            Err(fault) => Err(fault.detail),
        };
        let is_over = answer.is_err();
        if answered.send(answer).is_err() || is_over {
            break;
        }
    }
    process.quit(b"", GRACE).await;
}
