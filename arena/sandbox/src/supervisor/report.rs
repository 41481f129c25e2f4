//! The reports that a supervisor sends to the arena over its socket: fixed messages of eight bytes.
//!
//! Both ends are the same executable, so the format has no version. The reader drops a message that it cannot read. It
//! then learns of the end from the closed socket.

use crate::confine::{Containment, Layers};
use crate::process::fault::Exit;
use crate::supervisor::stage::Stage;

/// The length of every message, in bytes.
pub(crate) const REPORT_BYTES: usize = 8;

const HERE: u8 = b'H';
const STARTED: u8 = b'S';
const OVERFULL: u8 = b'O';
const OUT_OF_MEMORY: u8 = b'M';
const FAILED: u8 = b'F';
const TRACED: u8 = b'T';
const CODE: u8 = b'C';
const SIGNAL: u8 = b'K';

/// One message from a supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The supervisor runs as this process.
    Here {
        /// Its process id.
        pid: i32,
    },
    /// The program was executed, with this containment and these layers.
    Started(Containment, Layers),
    /// The program was not executed.
    Failed {
        /// The step that failed.
        stage: Stage,
        /// The system's error number.
        errno: i32,
    },
    /// The bot's system calls are traced. The list of those that failed comes with the report.
    Traced,
    /// The scratch folder held more than its limit, so the supervisor kills the bot.
    Overfull,
    /// The kernel ended the bot because its control group held too much memory.
    OutOfMemory,
    /// The bot's first process has ended.
    Ended {
        /// The exit of the process.
        exit: Exit,
        /// True if other processes of the bot were running then.
        left_running: bool,
    },
}

impl Report {
    /// Returns the message as bytes.
    pub(crate) fn encode(self) -> [u8; REPORT_BYTES] {
        let (tag, detail, value) = match self {
            Report::Here { pid } => (HERE, 0, pid),
            Report::Started(containment, layers) => (STARTED, containment as u8, i32::from(layers.bits())),
            Report::Traced => (TRACED, 0, 0),
            Report::Overfull => (OVERFULL, 0, 0),
            Report::OutOfMemory => (OUT_OF_MEMORY, 0, 0),
            Report::Failed { stage, errno } => (FAILED, stage as u8, errno),
            Report::Ended { exit: Exit::Code(code), left_running } => (CODE, left_running.into(), code),
            Report::Ended { exit: Exit::Signal(number), left_running } => {
                (SIGNAL, left_running.into(), number)
            }
        };
        let value = value.to_le_bytes();
        [tag, detail, 0, 0, value[0], value[1], value[2], value[3]]
    }

    /// Decodes a message. Returns `None` if the bytes are not a valid report.
    pub(crate) fn decode(bytes: [u8; REPORT_BYTES]) -> Option<Self> {
        let value = i32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        let ended = |exit| Report::Ended { exit, left_running: bytes[1] != 0 };
        Some(match bytes[0] {
            HERE => Report::Here { pid: value },
            STARTED => Report::Started(
                Containment::ALL.get(usize::from(bytes[1])).copied()?,
                Layers::from_bits(u16::try_from(value).ok()?),
            ),
            TRACED => Report::Traced,
            OVERFULL => Report::Overfull,
            OUT_OF_MEMORY => Report::OutOfMemory,
            FAILED => Report::Failed { stage: Stage::ALL.get(usize::from(bytes[1])).copied()?, errno: value },
            CODE => ended(Exit::Code(value)),
            SIGNAL => ended(Exit::Signal(value)),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_survives_the_wire() {
        let mut all = vec![
            Report::Ended { exit: Exit::Code(255), left_running: false },
            Report::Ended { exit: Exit::Code(-1), left_running: true },
            Report::Ended { exit: Exit::Signal(11), left_running: true },
        ];
        all.extend([Report::Here { pid: 4_194_303 }, Report::Overfull, Report::OutOfMemory, Report::Traced]);
        all.extend(Containment::ALL.map(|held| Report::Started(held, Layers::ALL)));
        all.push(Report::Started(Containment::Subreaper, Layers::NONE));
        all.extend(Stage::ALL.map(|stage| Report::Failed { stage, errno: 2 }));
        for report in all {
            assert_eq!(Report::decode(report.encode()), Some(report));
        }
        assert_eq!(Report::decode(*b"nonsense"), None);
    }
}
