//! Memory that a program holds and that no process shows: shared pages in no page table, buffers of sockets, and the
//! kernel's records of each mapped area. This module makes an upper estimate.

use std::collections::{HashMap, HashSet};
use std::fs;

use crate::system::tree::{field_bytes, status_bytes};

/// The default size on most systems of the data that one end of a socket pair can hold for the other, in bytes. A bot
/// cannot raise it.
const SOCKET_BYTES_MAX: u64 = 212_992;

/// The kernel memory for one mapped area, in bytes, as measured on Linux 6.
const AREA_BYTES: u64 = 250;

/// Returns the shared memory of the whole machine in bytes; 0 if the system does not tell.
pub(crate) fn shared_by_all() -> u64 {
    field_bytes("/proc/meminfo", "Shmem:").unwrap_or(0)
}

/// Returns an upper estimate of the hidden memory of these processes, in bytes. `shared_before` is what
/// [`shared_by_all`] returned at their start: their shared memory is at most what the machine has gained since then.
pub(crate) fn bytes(pids: &[i32], shared_before: u64) -> u64 {
    let shown: u64 = pids.iter().map(|pid| status_bytes(*pid, &["RssShmem:"])).sum();
    let (shared, areas) = mapped(pids);
    let shared = shared.saturating_sub(shown).min(shared_by_all().saturating_sub(shared_before));
    shared + areas * AREA_BYTES + sockets(pids) * SOCKET_BYTES_MAX
}

/// Returns the total size of the shared mappings without a file, each counted once, in bytes; and the number of all
/// mapped areas.
fn mapped(pids: &[i32]) -> (u64, u64) {
    let (mut sizes, mut areas) = (HashMap::new(), 0);
    for pid in pids {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        areas += maps.lines().count() as u64;
        for (inode, bytes) in maps.lines().filter_map(shared_mapping) {
            let known: &mut u64 = sizes.entry(inode).or_default();
            *known = bytes.max(*known);
        }
    }
    (sizes.into_values().sum(), areas)
}

/// Parses a line of `/proc/PID/maps`. Returns the inode and the size in bytes if the line describes a shared mapping
/// without a file.
fn shared_mapping(line: &str) -> Option<(String, u64)> {
    let mut fields = line.split_ascii_whitespace();
    let (begin, end) = fields.next()?.split_once('-')?;
    let is_shared = fields.next()?.ends_with('s');
    let inode = fields.nth(2)?;
    let address = |text| u64::from_str_radix(text, 16).ok();
    let bytes = address(end)?.saturating_sub(address(begin)?);
    (is_shared && line.ends_with("(deleted)")).then(|| (inode.to_owned(), bytes))
}

/// Returns the number of different sockets that these processes have open.
fn sockets(pids: &[i32]) -> u64 {
    let mut seen = HashSet::new();
    for pid in pids {
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let links = descriptors.filter_map(|entry| fs::read_link(entry.path()).ok());
        seen.extend(links.filter(|link| link.as_os_str().as_encoded_bytes().starts_with(b"socket:")));
    }
    seen.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_mappings_without_a_file_are_told_from_others() {
        let shared = "7f10-9f10 rw-s 00000000 00:01 1051  /dev/zero (deleted)";
        assert_eq!(shared_mapping(shared), Some(("1051".to_owned(), 0x2000)));
        for other in [
            "7f10-9f10 rw-p 00000000 00:00 0 ",
            "7f10-9f10 r--s 00000000 fe:00 77  /usr/lib/locale/locale-archive",
            "7f10-9f10 rw-p 00000000 fe:00 77  /usr/lib/x.so (deleted)",
        ] {
            assert_eq!(shared_mapping(other), None, "{other}");
        }
    }

    #[test]
    fn the_sockets_of_a_process_are_counted() {
        let own = [i32::try_from(std::process::id()).expect("ids are small")];
        let pairs: Vec<_> =
            (0..4).map(|_| std::os::unix::net::UnixStream::pair().expect("descriptors")).collect();
        assert!(sockets(&own) >= 2 * pairs.len() as u64);
    }
}
