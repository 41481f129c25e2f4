//! A shard of a tournament while it is being played.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

/// Waits until this arena's unfinished shard in `dir`, such as `1-of-4`, has `lines` lines. Returns the path
/// of its file.
pub(crate) fn unfinished(child: &mut Child, dir: &Path, part: &str, lines: usize) -> PathBuf {
    let beginning = format!("shard-{part}.jsonl.tmp.");
    loop {
        assert!(child.try_wait().expect("it is ours").is_none(), "it ended before it was stopped");
        let mut paths = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_it = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&beginning))
        };
        if let Some(path) = paths.find(is_it)
            && fs::read_to_string(&path).is_ok_and(|text| text.lines().count() >= lines)
        {
            return path;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
