//! The failures of a bot's process as data, with messages for its author.
//!
//! This module judges processes only. A referee judges the content of lines, and makes faults of other kinds with
//! [`Fault::new`].

use std::fmt;
use std::time::Duration;

use crate::process::reply::Timing;

/// A time fault that could not be measured is in doubt if the machine took this part of the limit: one tenth.
const DOUBT_SHARE: u32 = 10;
/// The least time that casts doubt.
const DOUBT_MIN: Duration = Duration::from_millis(1);
/// The number of attempts while the machine is too slow to tell if a bot would have been in time.
pub const DOUBTFUL_TRIES_MAX: u32 = 3;

/// A kind of failure of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// It cannot be started.
    Launch,
    /// The arena does not try to start it.
    Refused,
    /// No whole line came in time.
    Timeout,
    /// It exited, or closed its stdout, while it owed a line.
    Exit,
    /// Its line is too long.
    Oversize,
    /// It computed too long while it owed nothing.
    OffTurn,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Launch => "launch",
            Failure::Refused => "refused",
            Failure::Timeout => "timeout",
            Failure::Exit => "exit",
            Failure::Oversize => "oversize",
            Failure::OffTurn => "off-turn",
        })
    }
}

/// One failure of a program. A judge of its lines may define more kinds `K`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<K = Failure> {
    /// The kind.
    pub kind: K,
    /// The question, the response, and the remedy, in one line.
    pub detail: String,
    /// The measurements of the decision.
    pub timing: Box<Timing>,
}

impl<K> Fault<K> {
    /// A fault without measurements.
    pub fn new(kind: K, detail: impl Into<String>) -> Self {
        Fault { kind, detail: detail.into(), timing: Box::default() }
    }

    /// The same failure under another kind.
    pub fn map_kind<T>(self, map: impl FnOnce(K) -> T) -> Fault<T> {
        let Fault { kind, detail, timing } = self;
        Fault { kind: map(kind), detail, timing }
    }

    /// Returns why the machine may be to blame for a late answer. If the kernel told who had the processors, there is no
    /// doubt: that time did not count ([`Timing::credit`]). Otherwise the arena adds its own delay and the time that the
    /// host of a virtual machine took. The sum casts doubt from a tenth of `limit` on, and from a millisecond on. A bot
    /// that had no time left before the question therefore gives none.
    pub fn doubt(&self, limit: Duration) -> Option<String> {
        let Timing { lateness: late, stolen, is_untold, .. } = *self.timing;
        let stolen = stolen.unwrap_or_default();
        let is_in_doubt = is_untold && late + stolen >= (limit / DOUBT_SHARE).max(DOUBT_MIN);
        is_in_doubt.then(|| {
            format!(
                "the kernel does not tell who had the processors; the arena was {late:?} late, and the host of \
                 this machine kept a processor for {stolen:?}"
            )
        })
    }
}

impl<K: fmt::Display> fmt::Display for Fault<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

/// The end of a process that ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It exited with this status.
    Code(i32),
    /// It was killed by the signal of this number.
    Signal(i32),
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exited with status {code}"),
            Exit::Signal(number) => write!(f, "was killed by {}", signal_name(*number)),
        }
    }
}

/// Names of the standard signals on Linux, from 1, separated by blanks.
const SIGNAL_NAMES: &str = "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 \
    SIGPIPE SIGALRM SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM \
    SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS";

/// The name of a signal, as `kill -l` lists it.
pub(crate) fn signal_name(number: i32) -> &'static str {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.and_then(|index| SIGNAL_NAMES.split(' ').nth(index)).unwrap_or("a real-time signal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_have_names() {
        assert_eq!(Exit::Code(3).to_string(), "exited with status 3");
        assert_eq!(Exit::Signal(11).to_string(), "was killed by SIGSEGV");
        assert_eq!(Exit::Signal(31).to_string(), "was killed by SIGSYS");
        assert_eq!(signal_name(0), "a real-time signal");
        assert_eq!(signal_name(64), "a real-time signal");
    }
}
