//! Faults of the protocol: failures of a process, and invalid lines.

use std::time::Duration;

use engine::wire::{FaultKind, LINE_BYTES_MAX};
use sandbox::Failure;

// The sandbox enforces the protocol's bound.
const _: () = assert!(LINE_BYTES_MAX == sandbox::LINE_BYTES_MAX);

/// A fault of a bot.
pub type Fault = sandbox::Fault<FaultKind>;

/// The line that a bot owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owed {
    /// `hello` or `ready`.
    Greeting,
    /// A move.
    Move,
}

impl Owed {
    /// Returns the kind of the fault if the line comes too late.
    pub(crate) fn late(self) -> FaultKind {
        match self {
            Owed::Greeting => FaultKind::Startup,
            Owed::Move => FaultKind::Timeout,
        }
    }
}

/// Converts the failure of a process that owed a line into a fault.
pub fn of_process(failure: sandbox::Fault, owed: Owed) -> Fault {
    failure.map_kind(|kind| match kind {
        Failure::Launch | Failure::Refused => FaultKind::Launch,
        Failure::Timeout => owed.late(),
        Failure::Exit => FaultKind::Exit,
        Failure::Oversize => FaultKind::Oversize,
        Failure::OffTurn => FaultKind::OffTurn,
    })
}

/// Returns why the machine may be to blame for a time fault. Returns `None` for other faults and without such
/// a reason. See [`sandbox::Fault::doubt`].
pub fn doubt(fault: &Fault, limit: Duration) -> Option<String> {
    matches!(fault.kind, FaultKind::Timeout | FaultKind::Startup).then(|| fault.doubt(limit))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_depends_on_the_failure_and_on_the_owed_line() {
        for (failure, of_a_move, of_a_greeting) in [
            (Failure::Launch, FaultKind::Launch, FaultKind::Launch),
            (Failure::Refused, FaultKind::Launch, FaultKind::Launch),
            (Failure::Timeout, FaultKind::Timeout, FaultKind::Startup),
            (Failure::Exit, FaultKind::Exit, FaultKind::Exit),
            (Failure::Oversize, FaultKind::Oversize, FaultKind::Oversize),
            (Failure::OffTurn, FaultKind::OffTurn, FaultKind::OffTurn),
        ] {
            let kind = |owed| of_process(sandbox::Fault::new(failure, "why"), owed).kind;
            assert_eq!((kind(Owed::Move), kind(Owed::Greeting)), (of_a_move, of_a_greeting), "{failure}");
        }
    }
}
