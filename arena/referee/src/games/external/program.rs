//! The program of a game: processes that answer questions.

use std::collections::HashSet;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engine::dealer::Dealer;
use engine::game::Seat;
use rustix::thread::{CpuSet, sched_getaffinity};
use sandbox::text::quote;
use sandbox::{BotProcess, Command, Failure, Host};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::answers::Answer;
use crate::difference::by_value;
use crate::games::kind::GameRun;

/// The time for an answer, if the user sets none.
const TIME_DEFAULT: Duration = Duration::from_secs(10);
/// One question in this many is asked twice.
const SAMPLE: u64 = 16;
/// A process gets so many questions when they are asked again.
const FRESH: usize = 10;
/// The most questions of a match that are kept, and the most of them that are asked again.
const KEPT_MAX: usize = 10_000;
const AGAIN_MAX: usize = 60;
/// The stream of the random numbers for their order.
const STREAM: u64 = 12;
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
    Play { state: &'a str, seat: Seat, wire_move: &'a str, wants_text: bool },
    /// The state without a seat.
    Withdraw { state: &'a str, seat: Seat },
    /// Scores and ranks.
    Result { state: &'a str },
    /// The board as text, for those who may see everything or for a person in this seat.
    Text { state: &'a str, seat: Option<Seat> },
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
            Question::Play { state, seat, wire_move, wants_text } => {
                let text = if wants_text { r#","text":true"# } else { "" };
                format!(r#"{{"type":"play","seat":{seat},"move":{wire_move},"state":{state}{text}}}"#)
            }
            Question::Withdraw { state, seat } => {
                format!(r#"{{"type":"withdraw","seat":{seat},"state":{state}}}"#)
            }
            Question::Result { state } => format!(r#"{{"type":"result","state":{state}}}"#),
            Question::Text { state, seat } => {
                let seat = seat.map_or(String::new(), |seat| format!(r#""seat":{seat},"#));
                format!(r#"{{"type":"text",{seat}"state":{state}}}"#)
            }
            Question::Legal { state, seat } => format!(r#"{{"type":"legal","seat":{seat},"state":{state}}}"#),
        };
        (text + "\n").into_bytes()
    }
}

/// A question with its answer.
type Asked = (Vec<u8>, Vec<u8>);

/// The processes of a game that wait for questions, and how to start more.
#[derive(Debug)]
pub(super) struct Program {
    command: Command,
    host: Host,
    time: Duration,
    /// One question in this many is asked twice.
    sample: u64,
    idle: Mutex<Vec<Process>>,
    /// Processes that are asked again.
    twins: Mutex<Vec<Process>>,
    /// The questions and answers since the last [`ask_again`](Self::ask_again), if they are kept.
    asked: Option<Mutex<Vec<Asked>>>,
    /// True once it has answered a question in two ways.
    pub(super) has_two_answers: AtomicBool,
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
            twins: Mutex::default(),
            asked: run.is_asked_again.then(Mutex::default),
            has_two_answers: AtomicBool::new(false),
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
        let answer = self.answer(&self.idle, &line).map_err(quoted)?;
        if matches!(question, Question::Deal { .. }) || hash(&line).is_multiple_of(self.sample) {
            self.answer(&self.twins, &line).and_then(|again| self.same(&answer, &again)).map_err(quoted)?;
        }
        let parsed = T::parse(&answer).map_err(|why| quoted(wrong_answer(&answer, &why)))?;
        if let Some(asked) = &self.asked {
            let mut asked = locked(asked);
            if asked.len() < KEPT_MAX {
                asked.push((line, answer));
            }
        }
        Ok(parsed)
    }

    /// Asks some of the questions so far once more, backwards and in another order. Which ones follows from `seed`. A process
    /// gets only a few of them, so that it knows nothing of what was asked before.
    ///
    /// # Errors
    /// An answer is another one, or there is none.
    pub(super) fn ask_again(&self, seed: u64) -> Result<(), String> {
        let Some(asked) = &self.asked else { return Ok(()) };
        let mut pairs = mem::take(&mut *locked(asked));
        let mut known = HashSet::new();
        pairs.retain(|(line, _)| known.insert(hash(line)));
        let mut chance = Dealer::new(seed, STREAM);
        let mut mixed: Vec<usize> = (0..pairs.len()).collect();
        chance.shuffle(&mut mixed);
        mixed.truncate(AGAIN_MAX);
        let mut backwards = mixed.clone();
        backwards.sort_unstable_by(|one, other| other.cmp(one));
        let ask = |order: &[usize]| {
            order.chunks(FRESH).try_for_each(|few| self.ask_fresh(few.iter().map(|&place| &pairs[place])))
        };
        thread::scope(|scope| {
            let other = scope.spawn(|| ask(&mixed));
            // The same failure is told each time, whichever process is the first to answer.
            let [one, other] = [ask(&backwards), other.join().expect("it does not panic")];
            one.and(other)
        })
    }

    /// Asks these questions of a process that was asked nothing before.
    fn ask_fresh<'a>(&self, few: impl Iterator<Item = &'a Asked>) -> Result<(), String> {
        let mut process = None;
        for (line, answer) in few {
            let asked =
                |why: String| format!("asked {} of a fresh process, {why}", quote(line.trim_ascii_end()));
            let (same, again) = self.ask_process(process, line).map_err(asked)?;
            self.same(answer, &again).map_err(asked)?;
            process = Some(same);
        }
        Ok(())
    }

    /// Fails if these answers differ.
    fn same(&self, answer: &[u8], again: &[u8]) -> Result<(), String> {
        let [one, other] = [answer, again].map(String::from_utf8_lossy);
        let Some(what) = by_value(&one, &other) else { return Ok(()) };
        self.has_two_answers.store(true, Ordering::Relaxed);
        Err(format!("it answered {} and then {}: {what}", quote(answer), quote(again)))
    }

    /// Asks one of these processes that has the cores of this thread, or a new one. A pipe between two cores is many times as
    /// slow as one on a core.
    fn answer(&self, processes: &Mutex<Vec<Process>>, line: &[u8]) -> Result<Vec<u8>, String> {
        let mask = sched_getaffinity(None).ok();
        let mut all = locked(processes);
        let place = all.iter().rposition(|process| process.mask == mask);
        let waiting = place.map(|place| all.swap_remove(place));
        drop(all);
        let (process, answer) = self.ask_process(waiting, line)?;
        locked(processes).push(process);
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
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says what is wrong with an answer. Text that is no object is not meant as an answer.
fn wrong_answer(answer: &[u8], why: &str) -> String {
    let quoted = quote(answer);
    match answer.trim_ascii_start().starts_with(b"{") {
        true => format!("it answered {quoted}: {why}"),
        false => format!(
            "it answered {quoted}, which is no JSON object: stdout is for answers only, print the rest to stderr"
        ),
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
    /// The cores that it may use.
    mask: Option<CpuSet>,
    time: Duration,
    /// The number of its answers.
    answers: u64,
}

impl Process {
    fn start(program: &Program) -> Result<Process, String> {
        let start = || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            let bot = runtime.block_on(BotProcess::spawn(&program.command, &program.host));
            let bot = bot.map_err(|error| error.to_string())?;
            let mask = sched_getaffinity(None).ok();
            Ok(Process { running: Some((runtime, bot)), mask, time: program.time, answers: 0 })
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
        let before = self.answers;
        self.answers += 1;
        if let Some(answer) = answer {
            return Ok(answer.to_owned());
        }
        on_a_thread(|| match runtime.block_on(bot.greeted(line, sent, asked, self.time)) {
            Ok(reply) => Ok(reply.line.to_owned()),
            Err(fault) if fault.kind == Failure::Timeout && before > 0 => {
                let (time, before) =
                    (self.time.as_secs_f64(), if before == 1 { "the question" } else { "all questions" });
                let why = format!("it gave no line within {time} s, and answered {before} before");
                Err(Failed { has_ended: false, why })
            }
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
