//! Faults of the protocol: failures of a process, and invalid lines.

use std::path::Path;
use std::time::Duration;

use engine::wire::{FaultKind, LINE_BYTES_MAX};
use sandbox::{Blocked, Failure, text};

// The sandbox enforces the protocol's bound.
const _: () = assert!(LINE_BYTES_MAX == sandbox::LINE_BYTES_MAX);

/// A fault of a bot.
pub type Fault = sandbox::Fault<FaultKind>;

/// Converts a failure of a bot's process into a fault. If the sandbox caused it, the detail begins with the
/// cause and the remedy.
pub fn of_process(mut failure: sandbox::Fault) -> Fault {
    if let Some(blocked) = &failure.blocked {
        failure.detail = format!("{blocked}; {}; {}", remedy(blocked), failure.detail);
    }
    failure.map_kind(|kind| match kind {
        Failure::Launch => FaultKind::Launch,
        Failure::Timeout => FaultKind::Timeout,
        Failure::Exit => FaultKind::Exit,
        Failure::Oversize => FaultKind::Oversize,
        Failure::OffTurn => FaultKind::OffTurn,
    })
}

/// Returns the fault of a bot that owed `hello` or `ready`. A late line is then a start-up fault: only moves have
/// timeouts.
pub(crate) fn during_startup(fault: Fault) -> Fault {
    let kind = match fault.kind {
        FaultKind::Timeout => FaultKind::Startup,
        other => other,
    };
    Fault { kind, ..fault }
}

/// Returns the option that permits the blocked operation.
fn remedy(blocked: &Blocked) -> String {
    let quoted = |path: &Path| shell_words::quote(&text::path(path)).into_owned();
    let option = match blocked {
        Blocked::Reading(path) => format!("allow it with --read {}", quoted(path)),
        Blocked::Writing(path) => format!("allow it with --write {}", quoted(path.parent().unwrap_or(path))),
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
            (Failure::Timeout, FaultKind::Timeout, FaultKind::Startup),
            (Failure::Exit, FaultKind::Exit, FaultKind::Exit),
            (Failure::Oversize, FaultKind::Oversize, FaultKind::Oversize),
            (Failure::OffTurn, FaultKind::OffTurn, FaultKind::OffTurn),
        ] {
            let fault = of_process(sandbox::Fault::new(failure, "why"));
            assert_eq!((fault.kind, during_startup(fault).kind), (of_a_move, of_a_greeting), "{failure}");
        }
    }
}
