//! A running bot: the part that is held by whoever plays a match with it.

pub(crate) mod ask;
pub mod blocked;
pub mod ended;
pub mod fault;
pub mod inbox;
pub(crate) mod pipes;
pub(crate) mod question;
pub mod reply;
pub(crate) mod rest;
pub(crate) mod resting;
pub mod stderr;
pub(crate) mod stop;
pub(crate) mod timer;
pub mod transcript;
pub(crate) mod verdict;

use std::path::Path;
use std::time::Instant;

use crate::process::fault::Failure;

use crate::command::Command;
use crate::command::shim;
use crate::contain::{Containment, Layers};
use crate::process::ended::Ended;
use crate::process::fault::{Exit, Fault};
use crate::process::pipes::Pipes;
use crate::process::question::Put;
use crate::process::resting::Rest;
use crate::process::stderr::StderrLog;
use crate::process::timer::LazyTimer;
use crate::process::transcript::Transcript;
use crate::start::keep::Keep;
use crate::system::tree;

/// A bot's process with everything it has started. Dropping it kills all of them.
#[derive(Debug)]
pub struct BotProcess {
    pub(crate) keep: Keep,
    pub(crate) pipes: Pipes,
    pub(crate) timer: LazyTimer,
    pub(crate) rest: Rest,
    pub(crate) transcript: Transcript,
    pub(crate) command: Command,
    pub(crate) containment: Containment,
    pub(crate) layers: Layers,
    /// Whether it may read what usually belongs to a program.
    pub(crate) is_own: bool,
    /// What it may hold with everything it starts.
    pub(crate) memory_bytes_max: Option<u64>,
    /// The question that was put and not waited for yet.
    pub(crate) put: Option<Put>,
    /// Whether its last answer was there when its question was written.
    pub(crate) was_at_once: bool,
    /// Why there is no use in asking any more.
    pub(crate) over: Option<Fault>,
}

impl BotProcess {
    /// Writes `line` as [`tell`](BotProcess::tell) does and ends the bot at once: it is out of the match.
    pub fn dismiss(&mut self, line: &[u8]) {
        self.tell(line);
        self.condemn(&Fault::new(Failure::Exit, "a fault in the match"));
    }

    /// The bot's name, as in its [`Command`].
    pub fn name(&self) -> &str {
        &self.command.name
    }

    /// What holds its processes together.
    pub fn containment(&self) -> Containment {
        self.containment
    }

    /// The layers that stand around it.
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// How it ended, if it did so by itself and the arena has heard of it.
    pub fn exited(&self) -> Option<Exit> {
        self.keep.state().exit
    }

    /// Whether a question would be of any use: no fault so far, and no end that was heard of.
    pub fn is_usable(&self) -> bool {
        self.over.is_none() && !self.keep.state().has_ended()
    }

    /// Whether it can play another match: of use, and silent since its last answer. What it had said
    /// unasked would stand in front of its next answer.
    pub fn is_quiet(&mut self) -> bool {
        self.pipes.look_ahead();
        self.is_usable() && self.pipes.inbox.len() == 0
    }

    /// The command that starts at once what this shim has started in its place; see [`shim`].
    pub fn seen_through(&self, shim: &Path) -> Option<Command> {
        shim::seen_through(&self.command, shim, self.keep.bot_pid()?)
    }

    /// What there is to say of it after a match, while it lives on: its stderr is handed out.
    pub fn interim(&self) -> Ended {
        Ended {
            status: None,
            killed: false,
            left_running: false,
            gone: false,
            containment: self.containment,
            layers: self.layers,
            stderr: self.keep.state().stderr.take(),
            transcript: Vec::new(),
        }
    }

    /// A copy of what is kept of its stderr so far.
    pub fn stderr(&self) -> StderrLog {
        self.keep.state().stderr.to_log()
    }

    /// Memory that its processes hold now, shared pages divided among those who share them; in
    /// bytes. A walk through `/proc`, so not for every turn.
    pub fn memory_bytes(&self) -> u64 {
        tree::proportional_bytes(&self.keep.processes())
    }

    /// Writes `line`, newline included, without waiting for anything. If the bot does not read and
    /// its pipe is full, the line is dropped. A bot that rests is woken, because it is to read what it is
    /// told, and rests no more until it has answered again.
    pub fn tell(&mut self, line: &[u8]) {
        if self.over.is_none() {
            self.end_rest(Instant::now());
            self.transcript.push(false, line);
            self.pipes.tell(line);
            self.wake();
        }
    }

    /// Kills the tree without waiting, and remembers why nothing can be asked any more.
    pub(crate) fn condemn(&mut self, fault: &Fault) {
        self.keep.kill();
        self.over.get_or_insert_with(|| {
            Fault::new(Failure::Exit, format!("it was stopped before, because of {fault}"))
        });
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        self.keep.kill();
    }
}
