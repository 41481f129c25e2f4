//! Requirements of tests in addition to Rust and a shell, and whether this machine meets them.
//!
//! A test asks with [`Need::is_met`] and returns early if the answer is no. `cargo test` ends with the
//! program `not_run_here`, which checks every requirement again and lists the missing ones. If `CI` is set in
//! the environment, a missing requirement is a failure.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use rustix::process::getuid;

/// The user ID of an ordinary user without a name. Tests that run as root try the rights of this user.
pub const NOBODY: u32 = 65_534;

/// A requirement of some tests.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// The tests that need it.
    pub tests: &'static str,
    probe: fn() -> Result<(), String>,
}

/// Every requirement except the ones of bot templates, which are in their files `kit.toml`.
pub const ALL: [Need; 24] = [
    BROWSER,
    AXE,
    PYTHON,
    NODE,
    SYSTEM_PYTHON,
    ENVIRONMENTS,
    INTERPRETERS,
    BASH,
    GDB,
    OWN_TERMINAL,
    SHELLS,
    MAN,
    KERNEL_HEADERS,
    SLURM,
    PARALLEL,
    NOBODY_STARTS_TESTS,
    MOUNTS,
    ROOT_BY_NAME,
    SETS_WATCHES,
    ROOT_OF_A_CONTAINER,
    CHOOSES_PIDS,
    COUNTS_CALLS,
    COUNTS_WAITS,
    TRACES,
];

/// Chromium, for pages in a real browser.
pub const BROWSER: Need = Need {
    tests: "pages in a browser",
    probe: || chromium().map(|_| ()).ok_or_else(|| "there is no Chromium".to_owned()),
};

/// A kernel that counts for each thread how long it waited for a processor.
pub const COUNTS_WAITS: Need = Need {
    tests: "waits for a processor",
    probe: || {
        let counts = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
        let is_told = counts.split_ascii_whitespace().nth(2).is_some_and(|runs| runs != "0");
        is_told.then_some(()).ok_or_else(|| "the kernel does not count the waits of a thread".to_owned())
    },
};

/// A kernel that lets a process trace those that it starts.
pub const TRACES: Need = Need {
    tests: "what the kernel says that it refused",
    probe: || {
        let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
        let is_open = matches!(scope.trim(), "" | "0" | "1") || root().is_ok() && scope.trim() == "2";
        is_open.then_some(()).ok_or_else(|| "kernel.yama.ptrace_scope is not 0 or 1".to_owned())
    },
};

/// The accessibility checker axe-core; [`axe`] returns its path.
pub const AXE: Need = Need {
    tests: "accessibility of pages",
    probe: || match axe().is_file() {
        true => Ok(()),
        false => Err("there is no axe-core: npm ci --prefix tests/browser".to_owned()),
    },
};

/// `python3` on the search path, as new as the Python bot needs.
pub const PYTHON: Need = Need { tests: "bots in Python", probe: || succeeds(PYTHON_PROBE) };

/// Node.js on the search path.
pub const NODE: Need = Need { tests: "a game in JavaScript", probe: || programs(&["node"]) };

/// The probe in the Python bot's `kit.toml`.
pub const PYTHON_PROBE: &str = "python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'";

/// The variable `JAVA_TOOL_OPTIONS` with this value keeps Java from creating a folder in `/tmp`.
pub const JAVA_WITHOUT_FILES: &str = "-XX:-UsePerfData";

/// Python in the system's own folders, whose modules bots may read.
pub const SYSTEM_PYTHON: Need =
    Need { tests: "what bots in the system's Python may read", probe: || exists("/usr/bin/python3") };

/// The tools of the environments in which people develop bots.
pub const ENVIRONMENTS: Need = Need {
    tests: "some environments of bots",
    probe: || programs(&["python3", "node", "java", "javac", "jar", "rustc", "go", "ruby", "lua", "php"]),
};

/// Interpreters with settings in `/etc`.
pub const INTERPRETERS: Need = Need {
    tests: "settings of some interpreters",
    probe: || programs(&["java", "perl", "php", "python3", "racket", "Rscript"]),
};

/// A shell whose `exec` accepts a name for the process.
pub const BASH: Need = Need { tests: "programs under other names", probe: || exists("/bin/bash") };

/// The debugger for C, with a compiler.
pub const GDB: Need = Need { tests: "a bot in gdb", probe: || programs(&["gdb", "gcc"]) };

/// A program that makes its terminal the one of a new session.
pub const OWN_TERMINAL: Need =
    Need { tests: "bots at a session's terminal", probe: || succeeds("setsid --ctty --version") };

/// Versions of bots.
pub const GIT: Need = Need { tests: "versions from git", probe: || programs(&["git"]) };

/// The shells for which the program prints completions.
pub const SHELLS: Need =
    Need { tests: "completions in their shells", probe: || programs(&["bash", "zsh", "fish"]) };

/// The proxy of the page about contests.
pub const CADDY: Need = Need { tests: "a contest behind Caddy", probe: || programs(&["caddy"]) };

/// The reader of man pages, with its formatter.
pub const MAN: Need = Need { tests: "warnings of man pages", probe: || programs(&["man", "groff"]) };

/// The lists of system calls in the headers of the C library.
pub const KERNEL_HEADERS: Need = Need {
    tests: "that every system call is decided",
    probe: || exists("/usr/include/asm-generic/unistd.h"),
};

/// A Slurm cluster on this machine, in namespaces of its own.
pub const SLURM: Need = Need {
    tests: "a cluster by Slurm",
    probe: || root().and_then(|()| programs(&["slurmctld", "slurmd", "munged", "ip", "unshare", "setpriv"])),
};

/// GNU parallel over ssh on this machine, in namespaces of its own.
pub const PARALLEL: Need = Need {
    tests: "a cluster by GNU parallel",
    probe: || root().and_then(|()| programs(&["parallel", "sshd", "ssh", "ip", "unshare"])),
};

/// Another user who may execute the tests and has a folder for temporary files; see [`as_nobody`].
pub const NOBODY_STARTS_TESTS: Need = Need {
    tests: "root's tests again as an ordinary user",
    probe: || {
        root()?;
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let status = as_nobody(&own).arg("--list").stdout(Stdio::null()).stderr(Stdio::null()).status();
        let reason = || format!("user {NOBODY} cannot execute {}", own.display());
        if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err(reason()) }
    },
};

/// Mounts in a namespace of their own, and processes that give up root.
pub const MOUNTS: Need = Need {
    tests: "what is mounted twice or covered",
    probe: || succeeds("unshare --mount sh -c 'mount --bind /dev/null /proc/version' && setpriv --version"),
};

/// A user namespace in which this user is root.
pub const ROOT_BY_NAME: Need =
    Need { tests: "root by name alone", probe: || succeeds("unshare --user --map-root-user true") };

/// The command of a shell after which nothing in its user namespace can watch files.
pub const NO_WATCHES: &str = "echo 0 > /proc/sys/user/max_inotify_instances";

/// A user namespace that sets how many instances of inotify its users have.
pub const SETS_WATCHES: Need = Need {
    tests: "scratch folders that nothing watches",
    probe: || succeeds(&format!("unshare --user --map-root-user sh -c '{NO_WATCHES}'")),
};

/// Arguments of `setpriv` for the rights of root in a container. The last one is the end of the options.
pub const OF_A_CONTAINER: [&str; 2] = ["--bounding-set=-sys_admin", "--"];

/// A root that may only make user namespaces, and other namespaces in them.
pub const ROOT_OF_A_CONTAINER: Need = Need {
    tests: "root of a container",
    probe: || {
        root().and_then(|()| succeeds(&format!("setpriv {} unshare --user true", OF_A_CONTAINER.join(" "))))
    },
};

/// Permission to choose the ID of the next process.
pub const CHOOSES_PIDS: Need = Need {
    tests: "bots with equal process numbers",
    probe: || {
        let file = "/proc/sys/kernel/ns_last_pid";
        let opened = std::fs::OpenOptions::new().write(true).open(file);
        opened.map(|_| ()).map_err(|error| format!("{file}: {error}"))
    },
};

/// A kernel that counts the calls of `read` and `write` of each thread.
pub const COUNTS_CALLS: Need = Need {
    tests: "system calls of one question",
    probe: || {
        std::fs::read("/proc/thread-self/io")
            .map(drop)
            .map_err(|error| format!("/proc/thread-self/io: {error}"))
    },
};

impl Need {
    /// Returns why this machine does not meet the requirement, or `None` if it does.
    pub fn lacks(&self) -> Option<String> {
        (self.probe)().err()
    }

    /// Returns true if this machine meets the requirement. A test that gets false returns early.
    ///
    /// # Panics
    /// If `CI` is set and the requirement is not met.
    pub fn is_met(&self) -> bool {
        let lacks = self.lacks();
        if let Some(why) = lacks.as_ref().filter(|_| is_ci()) {
            panic!("{}: {why}", self.tests);
        }
        lacks.is_none()
    }
}

/// Returns one line for each missing requirement of [`ALL`]: the tests that did not run, and why.
pub fn missing() -> impl Iterator<Item = String> {
    ALL.iter().filter_map(|need| Some(format!("{}: {}", need.tests, need.lacks()?)))
}

/// Returns true if every requirement must be met.
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// Returns true if tests of two lists try all combinations, and leagues of many bots are whole round robins.
/// `.ci/run --full` asks for this.
pub fn tries_all() -> bool {
    std::env::var_os("QUILT_EVERY_COMBINATION").is_some()
}

/// Returns true if tests run that show again, in full, what `cargo test` shows in small. `.ci/run` asks for this with
/// `QUILT_CI=1`, and what tries all combinations includes it.
pub fn tries_more() -> bool {
    tries_all() || std::env::var_os("QUILT_CI").is_some()
}

/// Returns the size of a test: in `cargo test`, in `.ci/run`, and in `.ci/run --full`.
pub fn sized<T>(small: T, more: T, all: T) -> T {
    match (tries_all(), tries_more()) {
        (true, _) => all,
        (false, true) => more,
        (false, false) => small,
    }
}

/// Returns true if a test should try this combination of entries of two lists. Usually a test tries every
/// entry of both lists, but only one combination in `one_of`.
pub fn is_tried(entry: usize, other: usize, one_of: usize) -> bool {
    tries_all() || (entry + other).is_multiple_of(one_of)
}

/// Returns the path of the browser. The headless shell uses less processor time.
pub fn chromium() -> Option<PathBuf> {
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"]
        .into_iter()
        .find_map(program)
}

/// Returns the path at which `npm ci` installs axe-core.
pub fn axe() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../browser/node_modules/axe-core/axe.min.js")
}

/// Returns a command that starts a program as [`NOBODY`], with a folder for temporary files that this user
/// may use. Tests have their size of `cargo test` there, or that of `.ci/run --full`.
pub fn as_nobody(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.uid(NOBODY).gid(NOBODY).env("TMPDIR", open_temp_dir());
    command.env_remove("CI").env_remove("QUILT_CI"); // this user lacks some rights of root
    command
}

/// Returns a folder for temporary files that every user may use and whose path needs no quotes in a command.
/// The default folder may be closed to other users or have a space in its name.
pub fn open_temp_dir() -> &'static Path {
    static FOUND: LazyLock<PathBuf> = LazyLock::new(find_open_temp_dir);
    &FOUND
}

fn find_open_temp_dir() -> PathBuf {
    let own = std::env::temp_dir();
    let is_plain = |folder: &PathBuf| !folder.to_string_lossy().contains(char::is_whitespace);
    let is_open = |folder: &PathBuf| {
        if !getuid().is_root() {
            return true;
        }
        let mut probe = Command::new("/bin/sh");
        probe.uid(NOBODY).gid(NOBODY).args(["-c", r#"test -w "$0" && test -x "$0""#]).arg(folder);
        probe.status().is_ok_and(|status| status.success())
    };
    let folders = [own.clone(), "/tmp".into(), "/var/tmp".into()];
    folders.into_iter().find(|folder| is_plain(folder) && is_open(folder)).unwrap_or(own)
}

fn root() -> Result<(), String> {
    if getuid().is_root() { Ok(()) } else { Err("only root runs these".to_owned()) }
}

fn exists(file: &str) -> Result<(), String> {
    if Path::new(file).exists() { Ok(()) } else { Err(format!("there is no {file}")) }
}

fn program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    // Daemons are not on every user's search path.
    let folders =
        std::env::split_paths(&folders).chain(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Returns an error that names the first of these programs that is not on the search path.
pub fn programs(names: &[&str]) -> Result<(), String> {
    match names.iter().find(|name| program(name).is_none()) {
        Some(name) => Err(format!("there is no {name}")),
        None => Ok(()),
    }
}

fn succeeds(text: &str) -> Result<(), String> {
    let output = Command::new("sh").args(["-c", text]).output().map_err(|error| error.to_string())?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().last().unwrap_or(text).to_owned();
    if output.status.success() { Ok(()) } else { Err(last) }
}
