//! The report of a bot's end.

use crate::confine::{Containment, Layers};
use crate::process::fault::Exit;
use crate::process::refused::Refused;
use crate::process::stderr::StderrLog;
use crate::process::transcript::Said;

/// The report of a bot's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The end of its first process; `None` if the arena killed it.
    pub status: Option<Exit>,
    /// True if the arena killed it, after its grace time or because of a fault.
    pub killed: bool,
    /// True if other processes of the bot were running when its first one ended by itself. The arena killed them.
    /// Outside of a namespace a process of the bot's own group may go unnoticed.
    pub left_running: bool,
    /// True if every process has ended. False only if one hangs in the kernel; it ends as soon as the kernel lets it.
    pub gone: bool,
    /// The mechanism that held its processes together.
    pub containment: Containment,
    /// The sandbox layers that held.
    pub layers: Layers,
    /// What the sandbox refused to it, in the order of its calls, if it was [traced](crate::Host::trace).
    pub refused: Option<Vec<Refused>>,
    /// The beginning and the end of its stderr.
    pub stderr: StderrLog,
    /// The last lines both ways, oldest first.
    pub transcript: Vec<Said>,
}
