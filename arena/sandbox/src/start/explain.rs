//! Explains to the author of a program why it could not be started. The arena calls this only after the supervisor has
//! failed. It looks at the files to distinguish causes that the system reports with one number.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::command::Command;
use crate::command::first_line::FirstLine;
use crate::command::search;
use crate::supervisor::Stage;
use crate::text::{self, quote};

/// Advice for a program that exists but cannot be executed.
const ELSEWHERE: &str = "if it needs files of other folders, allow them with `read` in a league file";

/// Returns true if the machine failed, and not the program.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    let shortages = [Errno::NOMEM, Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::INTR];
    Errno::from_io_error(error).is_some_and(|errno| shortages.contains(&errno))
}

/// Explains why a command cannot be passed to a process.
pub(crate) fn unspeakable(command: &Command) -> String {
    format!("{:?} has a NUL character in its command or environment", command.argv)
}

/// Explains why a bot cannot have files in the folder for shared memory.
pub(crate) fn covered(path: &Path) -> String {
    format!("{} lies in /dev/shm, which each bot has for itself; move it to another folder", text::path(path))
}

/// Returns one line that explains the problem with the command.
pub(crate) fn launch(command: &Command, stage: Stage, error: &io::Error) -> String {
    match stage {
        Stage::Dir => {
            let dir = command.dir.as_deref().unwrap_or(Path::new("."));
            format!("cannot enter its working directory {}: {}", dir.display(), reason(error))
        }
        Stage::Limit => format!("cannot set its memory limit: {}", reason(error)),
        Stage::Fork | Stage::Hold | Stage::Exec => exec(command, error),
    }
}

fn exec(command: &Command, error: &io::Error) -> String {
    let program = command.argv[0].as_str();
    let path = command.search_path();
    let mut candidates = search::candidates(OsStr::new(program), path.as_deref()).into_iter();
    let found = command.program().or_else(|| candidates.find(|file| file.exists()));
    match (Errno::from_io_error(error), found) {
        (Some(Errno::NOENT | Errno::NOTDIR), None) if command.needs_shell() => {
            format!("{program} needs a shell, and the arena starts programs without one")
        }
        (Some(Errno::NOENT | Errno::NOTDIR), None) => not_found(program, path.as_deref()),
        (Some(Errno::NOENT), Some(file)) => bad_interpreter(&file),
        (Some(Errno::ACCESS | Errno::ISDIR), Some(file)) => not_executable(&file, error),
        (Some(Errno::NOEXEC), Some(file)) => bad_format(&file),
        (_, Some(file)) => format!("cannot execute {}: {}", file.display(), reason(error)),
        (_, None) => format!("cannot execute {program}: {}", reason(error)),
    }
}

fn not_found(program: &str, path: Option<&OsStr>) -> String {
    if search::is_path(OsStr::new(program)) {
        return format!("there is no file {program}");
    }
    let local = Path::new(program);
    if local.exists() {
        return format!("{program} is not on the PATH; write ./{program} to run the file here");
    }
    match search::nearest(program, path) {
        Some(near) => format!("{program} is not on the PATH; did you mean {near}?"),
        None => format!("{program} is not on the PATH"),
    }
}

/// Explains why an existing file has no interpreter: the program that should read it is missing.
fn bad_interpreter(file: &Path) -> String {
    let shown = file.display();
    match FirstLine::of(file) {
        Some(line) if line.bytes().ends_with(b"\r") => format!(
            "{shown} names its interpreter with a carriage return: {}; save it with Unix line ends",
            quote(line.bytes())
        ),
        Some(line) => {
            let name = line.interpreter().as_os_str().as_encoded_bytes();
            format!("{shown} asks for the interpreter {}, which is not there", quote(name))
        }
        None => {
            format!("{shown} needs a file that is not there, maybe its loader; was it built for this system?")
        }
    }
}

fn not_executable(file: &Path, error: &io::Error) -> String {
    let shown = file.display();
    if file.is_dir() {
        format!("{shown} is a directory, not a program")
    } else if !search::is_executable(file) {
        format!("{shown} is not executable; try `chmod +x {shown}`")
    } else if !search::is_executable_for_all(file) {
        format!(
            "{shown} is executable for some users only, and bots may have others; try `chmod a+x {shown}`"
        )
    } else if let Some(line) = FirstLine::of(file) {
        let (line, why) = (quote(line.bytes()), reason(error));
        format!(
            "{shown} or its interpreter {line} may not be executed: {why}; \
             write the interpreter into the command, or allow it with `read` in a league file"
        )
    } else {
        format!("{shown} may not be executed: {}; {ELSEWHERE}", reason(error))
    }
}

fn bad_format(file: &Path) -> String {
    format!(
        "{} is not a program for this machine (exec format error); a script needs a first line like #!/usr/bin/env python3",
        file.display()
    )
}

/// Returns the system's message without the error number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}
