//! A running bot, as the owner of the process uses it.

pub(crate) mod ask;
mod crash;
mod credit;
pub(crate) mod ended;
pub(crate) mod fault;
pub(crate) mod freeze;
pub(crate) mod inbox;
pub(crate) mod pipes;
pub(crate) mod refused;
pub(crate) mod reply;
pub(crate) mod stderr;
pub(crate) mod stop;
pub(crate) mod timer;
pub(crate) mod transcript;
pub(crate) mod verdict;

use std::path::Path;
use std::sync::Arc;
use std::task::Context;
use std::time::{Duration, Instant};

use tokio::net::unix::pipe;

use crate::command::Command;
use crate::command::shim;
use crate::confine::{Containment, Layers};
use crate::process::ended::Ended;
use crate::process::fault::{Exit, Failure, Fault};
use crate::process::freeze::OffTurn;
use crate::process::pipes::Pipes;
use crate::process::stderr::StderrLog;
use crate::process::timer::LazyTimer;
use crate::process::transcript::Transcript;
use crate::start::attend::take_stderr;
use crate::start::handle::SupervisorHandle;
use crate::system::tree;

/// A bot's process and everything that it has started. Dropping it kills all of these processes.
#[derive(Debug)]
pub struct BotProcess {
    pub(crate) handle: SupervisorHandle,
    /// Its stderr, if text there gets labels.
    pub(crate) stderr: Option<Arc<pipe::Receiver>>,
    pub(crate) pipes: Pipes,
    pub(crate) timer: LazyTimer,
    pub(crate) off_turn: OffTurn,
    pub(crate) transcript: Transcript,
    pub(crate) command: Command,
    pub(crate) containment: Containment,
    pub(crate) layers: Layers,
    /// True if it may read the project around it and packages of the user.
    pub(crate) is_own: bool,
    /// The memory limit of all its processes together, in bytes.
    pub(crate) memory_bytes_max: Option<u64>,
    /// True if its last answer arrived while the question was written.
    pub(crate) was_at_once: bool,
    /// The fault after which it is not asked any more.
    pub(crate) over: Option<Fault>,
}

impl BotProcess {
    /// Writes `line` as [`send`](BotProcess::send) does, then kills the bot.
    pub fn disqualify(&mut self, line: &[u8]) {
        self.send(line);
        self.condemn(&Fault::new(Failure::Exit, "a fault in the match"));
    }

    /// The bot's name, as in its [`Command`].
    pub fn name(&self) -> &str {
        &self.command.name
    }

    /// The sandbox layers that hold.
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// Returns how the program ended, if it ended by itself and the arena knows.
    pub fn exited(&self) -> Option<Exit> {
        self.handle.state().exit
    }

    /// Returns true if the bot can be asked: it had no fault and has not ended.
    pub fn is_usable(&self) -> bool {
        self.over.is_none() && !self.handle.state().has_ended()
    }

    /// Returns true if the bot can play another match: it is usable, and wrote nothing since its last answer. Earlier
    /// output would be taken for its next answer.
    pub fn is_quiet(&mut self) -> bool {
        self.pipes.look_ahead();
        self.is_usable() && self.pipes.inbox.len() == 0
    }

    /// Returns a command for the program that this [shim](crate::is_shim) executed.
    pub fn seen_through(&self, shim: &Path) -> Option<Command> {
        shim::seen_through(&self.command, shim, self.handle.bot_pid()?)
    }

    /// Returns the report of a match while the bot lives on. Takes the stderr collected so far.
    pub fn interim(&self) -> Ended {
        if let Some(stderr) = &self.stderr {
            take_stderr(&self.handle, stderr); // or it would belong to the next match
        }
        Ended {
            status: None,
            killed: false,
            left_running: false,
            gone: false,
            refused: None,
            containment: self.containment,
            layers: self.layers,
            stderr: self.handle.state().stderr.take(),
            transcript: Vec::new(),
        }
    }

    /// Returns a copy of the stderr collected so far.
    pub fn stderr(&self) -> StderrLog {
        self.handle.state().stderr.to_log()
    }

    /// Labels the bot's later stderr, for example with the number of the next question. Has no effect without [`Host::label_stderr`](crate::Host::label_stderr).
    pub fn label_stderr(&mut self, label: u32) {
        if let Some(stderr) = &self.stderr {
            take_stderr(&self.handle, stderr);
            self.handle.state().stderr.label(label);
        }
    }

    /// Returns the memory in bytes that its processes hold themselves, without the files that they map. Walks through
    /// `/proc`, so call it rarely.
    pub fn memory_bytes(&self) -> u64 {
        tree::held_bytes(&self.handle.processes())
    }

    /// Writes `line`, newline included, without waiting. If the bot does not read and its pipe is full, the line is
    /// dropped. Wakes a frozen bot so that it can read the line; it is on turn until its next answer.
    pub fn send(&mut self, line: &[u8]) {
        if self.over.is_none() {
            self.off_turn.end(Instant::now(), &self.handle);
            self.transcript.push(false, line);
            self.pipes.send(line);
            self.off_turn.wake(&self.handle);
        }
    }

    /// Freezes the bot if it is off turn and the host freezes such bots.
    pub fn freeze(&mut self) {
        self.off_turn.freeze(&self.handle);
    }

    /// Puts the bot off turn if it owes no answer, and freezes it as [`freeze`](Self::freeze) does. A bot that was
    /// stopped by a signal may wake itself, so each later call stops it again. The task is woken for that every few
    /// milliseconds.
    pub fn keep_frozen(&mut self, cx: &mut Context<'_>) {
        if !self.off_turn.is_now() && self.over.is_none() {
            self.off_turn.begin(Instant::now(), &self.handle);
        }
        self.off_turn.freeze(&self.handle);
        self.off_turn.stop_again(cx, &mut self.timer);
    }

    /// Returns the processor time that the bot's processes used off turn since the last call. Only times of at least
    /// five milliseconds count, if the rest before was as long, and only processes that were known before.
    pub fn take_cpu_off_turn(&mut self) -> Duration {
        self.off_turn.take_used()
    }

    /// Kills all processes without waiting, and keeps the fault for later questions.
    pub(crate) fn condemn(&mut self, fault: &Fault) {
        self.handle.kill();
        self.over.get_or_insert_with(|| {
            Fault::new(Failure::Exit, format!("it was stopped before, because of {fault}"))
        });
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        self.handle.kill();
    }
}
