//! Faults of the protocol: failures of a process, and invalid lines.

use std::path::Path;
use std::time::Duration;

use engine::wire::{FaultKind, LINE_BYTES_MAX};
use sandbox::{Blocked, ClosedFolder, Failure, text};

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

/// Converts the failure of a process that owed a line into a fault. If the sandbox caused it, the detail begins
/// with the cause and the remedy.
pub fn of_process(mut failure: sandbox::Fault, owed: Owed) -> Fault {
    if let Some(blocked) = &failure.blocked {
        failure.detail = format!("{blocked}; {}; {}", remedy(blocked), failure.detail);
    }
    failure.map_kind(|kind| match kind {
        Failure::Launch | Failure::Refused => FaultKind::Launch,
        Failure::Timeout => owed.late(),
        Failure::Exit => FaultKind::Exit,
        Failure::Oversize => FaultKind::Oversize,
        Failure::OffTurn => FaultKind::OffTurn,
    })
}

/// Returns how the bot gets the file or the permission.
fn remedy(blocked: &Blocked) -> String {
    let quoted = |path: &Path| shell_words::quote(&text::path(path)).into_owned();
    let option = match blocked {
        Blocked::Folder(ClosedFolder { reason: Some(_), .. }) => {
            return "move the bot into a folder of its own".to_owned();
        }
        Blocked::Folder(ClosedFolder { path, .. }) => format!("allow it with --read {}", quoted(path)),
        Blocked::Beside(_) => return "open it by the path of the program's own file".to_owned(),
        Blocked::Reading(path) => format!("allow it with --read {}", quoted(path)),
        Blocked::Writing(path) => format!("allow it with --write {}", quoted(path.parent().unwrap_or(path))),
        Blocked::SharedMemory => return "let bots share the machine's with --write /dev/shm".to_owned(),
        Blocked::Other(_) => return "\"arena run --help\" lists what you can allow".to_owned(),
    };
    format!("{option}, or run your own bots with --contain off")
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
