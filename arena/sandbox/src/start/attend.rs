//! The task beside every bot: drains its stderr, hears its keeper, watches its memory, and reaps.
//! It runs from the start until nothing is left of the bot, also when the owner has let go.

use std::io;
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::keeper::report::{REPORT_BYTES, Report};
use crate::start::keep::Keep;
use crate::system::available;
use crate::system::hidden;
use crate::system::tree;

/// How much of stderr is read at once, in bytes; on the stack, so that an idle bot costs none of it.
const STDERR_CHUNK_BYTES: usize = 8_192;
/// The most of stderr still taken after the tree is gone, in chunks: a pipe's worth and more.
const STDERR_LAST_CHUNKS_MAX: usize = 64;
/// How often the memory of a bot's processes is added up where its limit was asked for, and how often that is
/// considered where not.
const MEMORY_LOOK_EVERY: Duration = Duration::from_millis(100);
const MEMORY_GLANCE_EVERY: Duration = Duration::from_millis(500);
/// Where no limit was asked for, memory is added up when the machine has less to give than at the last time, by this part
/// of the limit, and every so many times in any case. To add it up for 512 bots twice in every second takes a tenth
/// of a core.
const GROWTH_SHARE: u64 = 8;
const GLANCES_MAX: u32 = 10;
/// With less than this to give, in bytes, the machine is short of memory, and what is given without being asked for is
/// this part of what it is otherwise: the bot that takes it goes, and not the tournament.
const SHORT_BYTES: u64 = 512 * 1024 * 1024;
const SHORTAGE: u64 = 4;

/// What a bot may hold with everything it starts, and how closely that is watched.
pub(crate) struct MemoryWatch {
    bytes_max: Option<u64>,
    is_asked: bool,
}

impl MemoryWatch {
    /// No limit if `None`.
    pub(crate) fn new(bytes_max: Option<u64>, is_asked: bool) -> MemoryWatch {
        MemoryWatch { bytes_max, is_asked }
    }
}

/// When memory was added up last.
#[derive(Default)]
struct LastLook {
    available: Option<u64>,
    glances: u32,
}

impl LastLook {
    /// Whether it is time again; it is taken to be done then.
    fn is_over(&mut self, bytes_max: u64) -> bool {
        let available = available::bytes();
        let has_less = |before: u64, now: u64| before.saturating_sub(now) > bytes_max / GROWTH_SHARE;
        let is_due = self.available.zip(available).is_none_or(|(before, now)| has_less(before, now));
        self.glances += 1;
        if is_due || self.glances == GLANCES_MAX {
            *self = LastLook { available, glances: 0 };
            return true;
        }
        // What others gave back meanwhile must not hide what is taken now.
        self.available = self.available.max(available);
        false
    }
}

/// By how much less bots may hold that have no limit of their own, because the machine is short of memory.
fn shortage() -> u64 {
    if available::bytes().is_some_and(|bytes| bytes < SHORT_BYTES) { SHORTAGE } else { 1 }
}

/// Attends to a bot until its end.
pub(crate) async fn attend(keep: Keep, stderr: pipe::Receiver, memory: MemoryWatch) {
    let beside = async {
        tokio::join!(drain(&keep, &stderr), watch_memory(&keep, memory));
        std::future::pending::<()>().await // the end of the keeper is what counts
    };
    tokio::select! {
        () = listen(&keep) => {}
        () = beside => {}
    }
    // Whatever still holds the pipe open sits outside the tree and does not concern us.
    for _ in 0..STDERR_LAST_CHUNKS_MAX {
        if !matches!(take_chunk(&keep, &stderr), Ok(true)) {
            break;
        }
    }
    close_stderr(&keep);
    reap(&keep).await;
}

/// Waits for the keeper's end: it has closed its socket, so this is short.
async fn reap(keep: &Keep) {
    #[expect(deprecated, reason = "its successor is unsafe to promise what an owned descriptor keeps")]
    let watched = keep.pidfd().and_then(|fd| AsyncFd::with_interest(fd, Interest::READABLE).ok());
    if let Some(pidfd) = watched {
        let _ = pidfd.readable().await;
    }
    keep.state().end();
}

/// Hears the keeper's reports up to its end.
async fn listen(keep: &Keep) {
    let mut bytes = [0; REPORT_BYTES];
    let mut filled = 0;
    while keep.control.readable().await.is_ok() {
        match keep.try_read(&mut bytes[filled..]) {
            Ok(0) => return,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
        if filled == REPORT_BYTES {
            filled = 0;
            if let Some(report) = Report::decode(bytes) {
                keep.state().heard(report);
            }
        }
    }
}

/// Takes stderr up to its end.
async fn drain(keep: &Keep, stderr: &pipe::Receiver) {
    while stderr.readable().await.is_ok() {
        match take_chunk(keep, stderr) {
            Ok(true) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(false) | Err(_) => break,
        }
    }
    close_stderr(keep);
}

/// Keeps what is there now; false at the end of the stream.
fn take_chunk(keep: &Keep, stderr: &pipe::Receiver) -> io::Result<bool> {
    let mut chunk = [0; STDERR_CHUNK_BYTES];
    let count = stderr.try_read(&mut chunk)?;
    keep.state().stderr.push(&chunk[..count]);
    Ok(count > 0)
}

fn close_stderr(keep: &Keep) {
    let mut state = keep.state();
    state.stderr_closed = true;
    state.wake();
}

/// Kills the tree when all its processes together hold more memory than they may. The cheap sum
/// counts shared pages more than once and misses what no process shows, so the dear one decides.
async fn watch_memory(keep: &Keep, MemoryWatch { bytes_max, is_asked }: MemoryWatch) {
    let Some(bytes_max) = bytes_max else { return };
    let every = if is_asked { MEMORY_LOOK_EVERY } else { MEMORY_GLANCE_EVERY };
    let mut last = LastLook::default();
    let before = hidden::OfMachine::now();
    // Not at once: what is starting has nothing yet.
    let mut ticks = interval_at(Instant::now() + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let has_less = last.is_over(bytes_max);
        if !is_asked && !has_less {
            continue;
        }
        let pids = keep.processes();
        let bytes_max = if is_asked { bytes_max } else { bytes_max / shortage() };
        if tree::resident_bytes(&pids) <= bytes_max && !has_less {
            continue;
        }
        let bytes = tree::proportional_bytes(&pids) + hidden::bytes(&pids, before);
        if bytes > bytes_max {
            keep.state().memory_bytes = Some(bytes);
            keep.kill();
            keep.state().wake();
            return;
        }
    }
}
