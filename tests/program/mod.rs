//! The program as a process, for tests that use it like its users do.

pub(crate) mod executable;
pub(crate) mod tables;
pub(crate) mod unfinished;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Number of things that [`complaints`] tries at once.
const AT_ONCE: usize = 4;

/// The longest wait for an event that is certain to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the arena as a program. Its key and its cache are in folders of the tests.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    let folder = |name| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    command.env("XDG_STATE_HOME", folder("state")).env("XDG_CACHE_HOME", folder("cache"));
    command.env("XDG_DATA_HOME", folder("data"));
    if let Some(path) = &*PATH {
        command.env("PATH", path);
    }
    command
}

/// The search path, with the folder of the Python interpreter first. `None` if `python3` is no script. The script of pyenv
/// makes each start four times as long, and the tests start Python thousands of times.
static PATH: LazyLock<Option<OsString>> = LazyLock::new(|| {
    let path = std::env::var_os("PATH")?;
    let first =
        std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|file| file.is_file())?;
    std::fs::read(&first).ok().filter(|bytes| bytes.starts_with(b"#!"))?;
    let print = "import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))";
    let said = Command::new(first).args(["-c", print]).output().ok()?.stdout;
    let folder = PathBuf::from(String::from_utf8(said).ok()?.trim());
    let scripts = folder.join("python3").is_file().then_some(folder)?;
    std::env::join_paths([scripts].into_iter().chain(std::env::split_paths(&path))).ok()
});

/// Returns the path of a bot of `tests/fixtures`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_arena")).parent().expect("a folder");
    folder.join("examples").join(name)
}

/// Makes a directory of results one that another user has sent: it lacks the tag of its own arena.
pub(crate) fn send(dir: &Path) {
    let path = dir.join("tournament.json");
    let plan = std::fs::read_to_string(&path).expect("a plan");
    // No tag is written where bots could read the key.
    if let Some((plan, _)) = plan.rsplit_once(",\n  \"tag\": ") {
        std::fs::write(path, format!("{plan}\n}}\n")).expect("it is ours");
    }
}

/// Runs the arena in this folder until it ends.
pub(crate) fn arena(folder: &Path, args: &[&str]) -> Output {
    let mut command = crate::program::command();
    command.current_dir(folder).args(args).stdin(Stdio::null()).output().expect("the arena starts")
}

/// Runs the arena, expects it to succeed, and returns its stdout.
pub(crate) fn succeed(folder: &Path, args: &[&str]) -> String {
    let output = arena(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("what it prints is UTF-8")
}

/// Splits a command line without quotes into its words.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Returns the full name of a test. `module` is the caller's `module_path!()`.
pub(crate) fn test_name(module: &str, test: &str) -> String {
    let (_, module) = module.split_once("::").expect("every test lies in a module");
    format!("{module}::{test}")
}

/// Environment variable that tells a test process that another one started it.
const AGAIN: &str = "QUILT_TEST_AGAIN";

/// Returns true if [`passes_again`] started this process.
pub(crate) fn is_again() -> bool {
    std::env::var_os(AGAIN).is_some()
}

/// Runs this test program again with the command and expects its tests to pass. Without a matching test, the
/// test program would succeed too, so at least one test must have run.
pub(crate) fn passes_again(command: &mut Command) {
    let output = command.env(AGAIN, "1").stdin(Stdio::null()).output().expect("the tests start again");
    let text = String::from_utf8_lossy(&output.stdout);
    let ran = text.contains("test result: ok.") && !text.contains("test result: ok. 0 passed");
    assert!(ran && output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

/// Calls `complaint` for each thing, several at once. Returns the complaints in order.
pub(crate) fn complaints<T: Sync>(
    things: &[T],
    complaint: impl Fn(&T) -> Option<String> + Sync,
) -> Vec<String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((number, thing)) =
                    things.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed))
                {
                    let complaint = complaint(thing);
                    found.lock().expect("nobody panics while holding it").insert(number, complaint);
                }
            });
        }
    });
    found.into_inner().expect("no thread panicked").into_values().flatten().collect()
}

/// Waits until no other test on this machine holds the returned lock, including tests of other processes. For
/// tests of resources that all processes share.
pub(crate) fn alone() -> File {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("alone");
    // Another user may have created it.
    let lock = File::open(&path).or_else(|_| File::create(&path)).expect("the target folder is there");
    lock.lock().expect("files can be locked");
    lock
}

/// Returns a scratch folder that disappears after the test.
pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}

/// Waits until it is so.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
