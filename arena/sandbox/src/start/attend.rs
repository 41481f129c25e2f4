//! The background task of a bot: drains its stderr, reads its supervisor's reports, watches its memory, and reaps it.
//! It runs from the start until no process of the bot is left, even if the owner drops its handle.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tracing::{debug, info};

use crate::start::handle::SupervisorHandle;
use crate::supervisor::report::{REPORT_BYTES, Report};
use crate::system::available;
use crate::system::hidden;
use crate::system::tree;

/// The size of one read from stderr, in bytes. The buffer is on the stack, so an idle bot needs no memory for it.
const STDERR_CHUNK_BYTES: usize = 8_192;
/// The maximum number of chunks read from stderr after the process tree has ended: at least the capacity of a pipe.
const STDERR_LAST_CHUNKS_MAX: usize = 64;
/// The interval at which the memory of a bot's processes is added up if the user set a limit. Without such a limit,
/// `MEMORY_GLANCE_EVERY` is the interval at which the task decides if it adds the memory up.
const MEMORY_LOOK_EVERY: Duration = Duration::from_millis(100);
const MEMORY_GLANCE_EVERY: Duration = Duration::from_millis(500);
/// Under the default limit, memory is added up if the machine's available memory has fallen since the last sum by this
/// fraction of the limit. It is also added up after every `GLANCES_MAX` intervals. Adding it up for 512 bots twice a
/// second takes a tenth of a core.
const GROWTH_SHARE: u64 = 8;
const GLANCES_MAX: u32 = 10;
/// The machine is short of memory if fewer bytes than this are available. Then the default limit is divided by
/// `SHORTAGE`, so that the bot that takes the memory is killed, and not the tournament.
const SHORT_BYTES: u64 = 512 * 1024 * 1024;
const SHORTAGE: u64 = 4;

/// The memory limit of a bot with everything it starts, and how closely the limit is watched.
pub(crate) struct MemoryWatch {
    /// The limit in bytes, if there is one.
    pub(crate) bytes_max: Option<u64>,
    /// True if the user set the limit.
    pub(crate) is_asked: bool,
}

/// The machine's state when memory was last added up.
#[derive(Default)]
struct LastLook {
    available: Option<u64>,
    glances: u32,
}

impl LastLook {
    /// Returns true if the memory must be added up now. The caller then adds it up.
    fn is_over(&mut self, bytes_max: u64) -> bool {
        let available = available::bytes();
        let has_less = |before: u64, now: u64| before.saturating_sub(now) > bytes_max / GROWTH_SHARE;
        let is_due = self.available.zip(available).is_none_or(|(before, now)| has_less(before, now));
        self.glances += 1;
        if is_due || self.glances == GLANCES_MAX {
            *self = LastLook { available, glances: 0 };
            return true;
        }
        // Memory that other processes freed in the meantime must not hide the memory that bots take now.
        self.available = self.available.max(available);
        false
    }
}

/// Returns the divisor of the default limit: more than 1 if the machine is short of memory.
fn shortage() -> u64 {
    if available::bytes().is_some_and(|bytes| bytes < SHORT_BYTES) { SHORTAGE } else { 1 }
}

/// Runs the background task of a bot until the bot has ended.
pub(crate) async fn attend(handle: SupervisorHandle, stderr: Arc<pipe::Receiver>, memory: MemoryWatch) {
    let beside = async {
        tokio::join!(drain(&handle, &stderr), watch_memory(&handle, memory));
        std::future::pending::<()>().await // only the supervisor's end counts
    };
    tokio::select! {
        () = listen(&handle) => {}
        () = beside => {}
    }
    // A process that has the pipe open now is outside the tree, and its output does not matter.
    take_stderr(&handle, &stderr);
    close_stderr(&handle);
    reap(&handle).await;
}

/// Waits for the end of the supervisor. It has closed its socket, so the wait is short.
async fn reap(handle: &SupervisorHandle) {
    #[expect(deprecated, reason = "its successor is unsafe to promise what an owned descriptor keeps")]
    let watched = handle.pidfd().and_then(|fd| AsyncFd::with_interest(fd, Interest::READABLE).ok());
    if let Some(pidfd) = watched {
        let _ = pidfd.readable().await;
    }
    handle.state().end();
}

/// Reads the supervisor's reports until the socket ends.
async fn listen(handle: &SupervisorHandle) {
    let mut bytes = [0; REPORT_BYTES];
    let mut filled = 0;
    while handle.control.readable().await.is_ok() {
        match handle.try_read(&mut bytes[filled..]) {
            Ok(0) => return,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
        if filled == REPORT_BYTES {
            filled = 0;
            if let Some(report) = Report::decode(bytes) {
                debug!(?report, "report");
                handle.state().heard(report);
            }
        }
    }
}

/// Reads stderr until it ends.
async fn drain(handle: &SupervisorHandle, stderr: &pipe::Receiver) {
    while stderr.readable().await.is_ok() {
        match take_chunk(handle, stderr) {
            Ok(true) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(false) | Err(_) => break,
        }
    }
    close_stderr(handle);
}

/// Reads the available bytes of stderr. Returns false at the end of the stream.
fn take_chunk(handle: &SupervisorHandle, stderr: &pipe::Receiver) -> io::Result<bool> {
    let mut chunk = [0; STDERR_CHUNK_BYTES];
    let count = stderr.try_read(&mut chunk)?;
    handle.state().stderr.push(&chunk[..count]);
    Ok(count > 0)
}

/// Reads the bytes of stderr that are in the pipe now.
pub(crate) fn take_stderr(handle: &SupervisorHandle, stderr: &pipe::Receiver) {
    let mut chunk = [0; STDERR_CHUNK_BYTES];
    for _ in 0..STDERR_LAST_CHUNKS_MAX {
        // Without the runtime, which may not have looked at the pipe yet: what is in it would be lost.
        match rustix::io::read(stderr, &mut chunk) {
            Ok(count) if count > 0 => handle.state().stderr.push(&chunk[..count]),
            _ => return,
        }
    }
}

fn close_stderr(handle: &SupervisorHandle) {
    let mut state = handle.state();
    state.stderr_closed = true;
    state.wake();
}

/// Kills the tree if all its processes together hold more memory than the limit. The cheap sum counts shared pages
/// more than once and misses memory that no process shows, so the expensive sum decides.
async fn watch_memory(handle: &SupervisorHandle, MemoryWatch { bytes_max, is_asked }: MemoryWatch) {
    let Some(bytes_max) = bytes_max else { return };
    let every = if is_asked { MEMORY_LOOK_EVERY } else { MEMORY_GLANCE_EVERY };
    let mut last = LastLook::default();
    let shared_before = hidden::shared_by_all();
    // The first tick is later, because a process that is starting holds no memory yet.
    let mut ticks = interval_at(Instant::now() + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let has_less = last.is_over(bytes_max);
        if !is_asked && !has_less {
            continue;
        }
        let pids = handle.processes();
        let bytes_max = if is_asked { bytes_max } else { bytes_max / shortage() };
        if tree::resident_bytes(&pids) <= bytes_max && !has_less {
            continue;
        }
        let bytes = tree::proportional_bytes(&pids) + hidden::bytes(&pids, shared_before);
        if bytes > bytes_max {
            info!(bytes, bytes_max, "memory limit exceeded");
            handle.state().memory_bytes = Some(bytes);
            handle.kill();
            handle.state().wake();
            return;
        }
    }
}
