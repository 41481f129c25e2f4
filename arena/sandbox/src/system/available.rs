//! The available memory of the machine.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::system::tree::field_bytes;

/// The time for which one reading serves all bots of a thread.
const FRESH_FOR: Duration = Duration::from_millis(50);

/// Returns the kernel's estimate of the memory that is available without swapping, in bytes. The value is up to
/// `FRESH_FOR` old. Returns `None` if the system does not provide it.
pub(crate) fn bytes() -> Option<u64> {
    thread_local!(static LAST: Cell<Option<(Instant, Option<u64>)>> = const { Cell::new(None) });
    let now = Instant::now();
    if let Some((read, bytes)) = LAST.get()
        && now.duration_since(read) < FRESH_FOR
    {
        return bytes;
    }
    let bytes = field_bytes("/proc/meminfo", "MemAvailable:");
    LAST.set(Some((now, bytes)));
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_has_memory() {
        assert!(super::bytes().is_some_and(|bytes| bytes > 0));
    }
}
