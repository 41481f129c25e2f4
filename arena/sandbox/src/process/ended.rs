//! What is left of a bot.

use crate::contain::{Containment, Layers};
use crate::process::fault::Exit;
use crate::process::stderr::StderrLog;
use crate::process::transcript::Said;

/// What is left of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How its first process ended by itself; none if it had to be killed.
    pub status: Option<Exit>,
    /// Whether the arena had to kill it: it was alive at the end of its grace, or at a fault.
    pub killed: bool,
    /// Whether other processes of the bot were still running when its first one had ended by
    /// itself; they were killed. A process of the bot's own group may go unseen outside of a
    /// namespace.
    pub left_running: bool,
    /// Whether the end of every one of its processes was seen. False only if one hangs in the
    /// kernel: it will end as soon as that lets it go.
    pub gone: bool,
    /// What held its processes together.
    pub containment: Containment,
    /// The layers that stood around it.
    pub layers: Layers,
    /// The beginning and the end of its stderr.
    pub stderr: StderrLog,
    /// The last lines both ways, oldest first.
    pub transcript: Vec<Said>,
}
