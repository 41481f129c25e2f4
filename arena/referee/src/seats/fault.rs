//! Faults of the protocol: those of a process, and those of its lines.

use std::time::Duration;

use engine::wire::{FaultKind, LINE_BYTES_MAX};
use sandbox::Failure;

// The protocol's bound is the one that processes are held to.
const _: () = assert!(LINE_BYTES_MAX == sandbox::LINE_BYTES_MAX);

/// One fault of a bot.
pub type Fault = sandbox::Fault<FaultKind>;

/// A failure of a bot's process as a fault.
pub fn of_process(failure: sandbox::Fault) -> Fault {
    failure.map_kind(|kind| match kind {
        Failure::Launch => FaultKind::Launch,
        Failure::Timeout => FaultKind::Timeout,
        Failure::Exit => FaultKind::Exit,
        Failure::Oversize => FaultKind::Oversize,
        Failure::OffTurn => FaultKind::OffTurn,
    })
}

/// Why the machine may be to blame for a fault, if it is one of time: see [`sandbox::Fault::doubt`].
pub fn doubt(fault: &Fault, limit: Duration) -> Option<String> {
    matches!(fault.kind, FaultKind::Timeout | FaultKind::Startup).then(|| fault.doubt(limit))?
}
