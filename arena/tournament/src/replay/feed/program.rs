//! The fed program: a program in the sandbox, or a plain child process without limits and without a supervisor, so that
//! it may be a debugger.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::thread::{self, JoinHandle};

use engine::wire::{FaultKind, LINE_BYTES_MAX};
use sandbox::{DEBUG_VARIABLES, Exit};
use tempfile::TempDir;

use referee::error::Error;
use referee::play::answer::read_hello;
use referee::play::{hello_line, quit_line};
use referee::seats::fault::Fault;

/// A running program.
#[derive(Debug)]
pub struct Program {
    /// The number of the process.
    pub pid: u32,
    ended: JoinHandle<Result<Option<Exit>, Error>>,
    stdin: Option<File>,
    stdout: BufReader<File>,
    _fifos: Option<TempDir>,
    line: Vec<u8>,
    /// The state of the dialogue.
    pub(super) ending: Ending,
}

/// The end of a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program got all lines for its seat.
    Whole,
    /// The dialogue stopped after a turn, and the program may still run.
    Held,
    /// The program stopped answering.
    Silent,
}

impl Program {
    /// A program that runs as this process. `ended` waits for its end, and returns none if it was killed for its use of
    /// memory or disk.
    pub fn running(
        pid: u32,
        [stdin, stdout]: [File; 2],
        ended: JoinHandle<Result<Option<Exit>, Error>>,
    ) -> Program {
        let stdout = BufReader::new(stdout);
        Program {
            pid,
            ended,
            stdin: Some(stdin),
            stdout,
            _fifos: None,
            line: Vec::new(),
            ending: Ending::Whole,
        }
    }

    /// Starts a debugger. `argv` has the program's file or name first, then the arguments. The program keeps the stdin
    /// and stdout of the arena, and the lines pass through two FIFOs, which [`DEBUG_VARIABLES`] name.
    ///
    /// # Errors
    /// Fails if the program cannot be started, or if the FIFOs cannot be made.
    pub fn debugger(argv: &[String]) -> Result<Program, Error> {
        let (program, arguments) = argv.split_first().ok_or_else(|| Error::usage("no program is named"))?;
        let no_fifos = |error| Error::host(format!("cannot make FIFOs for the program: {error}"));
        let fifos = make_fifos().map_err(no_fifos)?;
        let mut command = Command::new(program);
        command.args(arguments).envs(DEBUG_VARIABLES.map(|name| (name, fifos.path().join(name))));
        let mut child = command.spawn().map_err(|error| {
            Error::usage(format!("cannot start {program:?}: {error}"))
                .hint("the program and its arguments stand after --, such as -- python3 bot.py")
        })?;
        // For reading and writing, because opening for one of them waits for the program.
        let open = |name| File::options().read(true).write(true).open(fifos.path().join(name));
        let [input, output] = DEBUG_VARIABLES;
        let held = open(output).map_err(no_fifos)?;
        let stdout = File::open(fifos.path().join(output)).map_err(no_fifos)?;
        let stdin = open(input).map_err(no_fifos)?;
        let pid = child.id();
        let ended = thread::spawn(move || {
            let status =
                child.wait().map_err(|error| Error::host(format!("cannot wait for the program: {error}")))?;
            drop(held); // a debugger's end ends the output, the end of a program in it does not
            Ok(status.code().map(Exit::Code).or(status.signal().map(Exit::Signal)))
        });
        Ok(Program { _fifos: Some(fifos), ..Program::running(pid, [stdin, stdout], ended) })
    }

    /// Sends `hello` and reads the answer.
    pub(super) fn greet(&mut self) -> Result<(), Fault> {
        self.send(&hello_line());
        self.answer().and_then(|line| read_hello(line).map(|_| ()))
    }

    /// Writes a line. Write errors are ignored, because the missing answer reveals them.
    pub(super) fn send(&mut self, line: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(line).and_then(|()| stdin.flush());
        }
    }

    /// Waits for a line without a time limit.
    pub(super) fn answer(&mut self) -> Result<&[u8], Fault> {
        self.line.clear();
        let longest = LINE_BYTES_MAX as u64 + 2;
        let read = self.stdout.by_ref().take(longest).read_until(b'\n', &mut self.line);
        match read {
            Ok(_) if self.line.ends_with(b"\n") => {
                let line = &self.line[..self.line.len() - 1];
                Ok(line.strip_suffix(b"\r").unwrap_or(line))
            }
            Ok(length) if length as u64 == longest => {
                self.ending = Ending::Silent;
                Err(Fault::new(FaultKind::Oversize, format!("a line of more than {LINE_BYTES_MAX} bytes")))
            }
            _ => {
                self.ending = Ending::Silent;
                Err(Fault::new(FaultKind::Exit, "it exited or closed its stdout"))
            }
        }
    }

    /// Closes the program's stdin after the last line.
    pub(super) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the program's end. Sends `quit` first, unless the dialogue stopped at a turn. After such a turn
    /// `stays_open` leaves the program's stdin open.
    ///
    /// # Errors
    /// Fails if the system cannot report the program's end.
    pub fn finish(mut self, stays_open: bool) -> Result<Option<Exit>, Error> {
        let is_held = self.ending == Ending::Held;
        if !is_held {
            self.send(&quit_line());
        }
        if !is_held || !stays_open {
            self.hang_up();
        }
        // Reads the remaining output, so that a full pipe does not block the program.
        let _ = io::copy(&mut self.stdout, &mut io::sink());
        self.ended.join().unwrap_or_else(|_| Err(Error::host("cannot wait for the program")))
    }
}

/// Makes a folder with the two FIFOs. Only this user may enter it.
fn make_fifos() -> io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("arena-feed-").tempdir()?;
    for name in DEBUG_VARIABLES {
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            folder.path().join(name),
            rustix::fs::Mode::from_raw_mode(0o600),
        )?;
    }
    Ok(folder)
}
