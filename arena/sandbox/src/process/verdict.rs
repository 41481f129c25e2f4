//! Messages for the author of a bot that owed an answer and did not give it.

use std::time::Duration;

use tokio::time::timeout;

use crate::process::BotProcess;
use crate::process::ask::{NoLine, Question};
use crate::process::credit::Watch;
use crate::process::fault::{Exit, Fault};
use crate::process::inbox::LINE_BYTES_MAX;
use crate::process::reply::Timing;
use crate::start::handle::State;
use crate::text::quote;

/// The time to wait for the exit status of a bot whose stdout has ended. If the system says that the bot is ending, the
/// second time applies. Both processes need only a moment on a machine that lets them run.
const EXIT_WAIT: Duration = Duration::from_millis(100);
const EXIT_WAIT_MAX: Duration = Duration::from_secs(5);
/// The time to wait for the rest of the stderr of a bot that was killed. It ends at once unless the machine is busy.
const STDERR_WAIT_MAX: Duration = Duration::from_secs(1);
/// Words of a stderr after memory ran out, in lower case.
const MEMORY_WORDS: [&str; 5] =
    ["memoryerror", "out of memory", "bad_alloc", "memory allocation of", "cannot allocate memory"];
/// A bot that runs, or is ready to run, for this part of its time limit is computing, not waiting for its input.
const COMPUTING_SHARE: u32 = 10;
/// Signals of a program that did what the machine cannot do, or that gave up: SIGILL, SIGABRT, SIGBUS, SIGFPE, and SIGSEGV.
const CRASHES: [i32; 5] = [4, 6, 7, 8, 11];
const MEBIBYTE: u64 = 1024 * 1024;

impl BotProcess {
    /// Ends the bot. Returns the fault with the measurements of the decision.
    pub(crate) async fn fail(&mut self, reason: NoLine, question: &mut Question<'_>) -> Fault {
        // Measured first, because a dead process has no times.
        let timing = self.last_timing(question);
        let detail = match reason {
            NoLine::Oversize => self.oversize(),
            NoLine::Deadline => self.timeout(question, timing),
            NoLine::Closed | NoLine::Ended => self.exit().await,
        };
        let fault = Fault { timing: Box::new(timing), ..Fault::new(reason.failure(), detail) };
        self.transcript.push(true, self.pipes.inbox.waiting());
        self.condemn(&fault);
        fault
    }

    fn oversize(&self) -> String {
        let came = quote(self.pipes.inbox.waiting());
        format!("more than {LINE_BYTES_MAX} bytes without a newline: {came}")
    }

    fn timeout(&self, question: &Question<'_>, timing: Timing) -> String {
        let limit_ms = (question.limit.as_micros() + 500) / 1_000;
        let ready = timing.cpu.unwrap_or_default() + timing.starved.unwrap_or_default();
        let came = self.pipes.inbox.waiting();
        let why = if !came.is_empty() {
            let (count, quoted) = (came.len(), quote(came));
            let unit = if count == 1 { "byte" } else { "bytes" };
            format!("{count} {unit} without a newline: did you flush, and end the line? {quoted}")
        } else if self.pipes.is_stdin_closed() {
            "it has closed its stdin, and cannot be asked".to_owned()
        } else if !question.is_sent() {
            "it does not read: the question does not fit into its stdin".to_owned()
        } else if self.handle.is_stopped() {
            "its process is stopped, as by SIGSTOP".to_owned()
        } else if ready * COMPUTING_SHARE >= question.limit {
            "it was still computing".to_owned()
        } else {
            "nothing came; did you flush stdout, and read stdin line by line?".to_owned()
        };
        format!("no line within {limit_ms} ms: {why}{}", had(question.watch.as_deref(), timing))
    }

    /// Waits for the exit status, kills the remaining processes, and waits for the rest of the stderr.
    async fn exit(&mut self) -> String {
        let has_ended = self.ends_within(EXIT_WAIT).await
            || self.handle.is_ending() && self.ends_within(EXIT_WAIT_MAX).await;
        self.handle.kill();
        let closed = self.handle.wait_for(|state: &State| state.stderr_closed.then_some(()));
        let _ = timeout(STDERR_WAIT_MAX, closed).await;
        self.exit_text(&self.handle.state(), has_ended)
    }

    async fn ends_within(&self, patience: Duration) -> bool {
        let ended = self.handle.wait_for(|state: &State| state.has_ended().then_some(()));
        timeout(patience, ended).await.is_ok()
    }

    fn exit_text(&self, state: &State, has_ended: bool) -> String {
        let limit_mib = self.memory_bytes_max.map(|bytes| bytes / MEBIBYTE);
        let last = state.stderr.to_log().crash(&self.command);
        let mut text = match (state.memory_bytes, state.exit) {
            (Some(bytes), _) => {
                let (held, limit) = (bytes / MEBIBYTE, limit_mib.unwrap_or(0));
                match held < limit {
                    true => format!("memory: its processes held {held} MiB, and the machine ran out of it"),
                    false => format!("memory: its processes held {held} MiB, the limit is {limit} MiB"),
                }
            }
            (None, _) if state.overfull => {
                let limit = self.command.rights.scratch_bytes_max() / MEBIBYTE;
                format!("scratch folder: it held more than {limit} MiB")
            }
            (None, Some(exit)) => format!("it {exit} while it owed an answer"),
            (None, None) if !has_ended => {
                "it closed its stdout while it owed an answer, and lives on".to_owned()
            }
            (None, None) => "it was killed while it owed an answer".to_owned(),
        };
        if let Some(limit) = limit_mib.filter(|_| state.memory_bytes.is_none())
            && last.as_ref().is_some_and(|last| ran_out_of_memory(last))
        {
            text = format!("memory: {text}; the limit is {limit} MiB");
        }
        let unfinished = self.pipes.inbox.waiting();
        if !unfinished.is_empty() {
            text = format!("{text}, after {} of a line", quote(unfinished));
        }
        match last {
            Some(last) => format!("{text}; stderr says {last}"),
            None if matches!(state.exit, Some(Exit::Signal(signal)) if CRASHES.contains(&signal)) => {
                format!("{text}; stderr is empty; \"arena feed --debug\" shows where in a debugger")
            }
            None => format!("{text}; stderr is empty"),
        }
    }
}

/// Tells how much of the processors a slow bot had, and what of its time did not count.
fn had(watch: Option<&Watch>, timing: Timing) -> String {
    let Some(watch) = watch else { return String::new() };
    let (time, ran) = watch.had();
    let mut text =
        format!("; it had {:.2} s of the processor in {:.2} s", ran.as_secs_f64(), time.as_secs_f64());
    if timing.is_untold {
        text += ", and the kernel does not tell who had it otherwise";
    } else if !timing.credit.is_zero() {
        text +=
            &format!(", of which {:.2} s do not count because others had it", timing.credit.as_secs_f64());
    }
    text
}

fn ran_out_of_memory(stderr: &str) -> bool {
    let stderr = stderr.to_lowercase();
    MEMORY_WORDS.iter().any(|words| stderr.contains(words))
}
