//! The fed program: a plain child process with pipes, without limits and without a supervisor, so that it may
//! be a debugger and use the terminal.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use engine::wire::{FaultKind, LINE_BYTES_MAX};

use referee::error::Error;
use referee::play::answer::read_hello;
use referee::play::{hello_line, quit_line};
use referee::seats::fault::Fault;

/// A running program.
#[derive(Debug)]
pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
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
    /// Starts a program. `argv` has the program's file or name first, then the arguments.
    ///
    /// # Errors
    /// Fails if the program cannot be started.
    pub fn start(argv: &[String]) -> Result<Program, Error> {
        let (program, arguments) = argv.split_first().ok_or_else(|| Error::usage("no program is named"))?;
        let spawned =
            Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| {
            Error::usage(format!("cannot start {program:?}: {error}"))
                .hint("the program and its arguments stand after --, such as -- python3 bot.py")
        })?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = pipes else { return Err(Error::host("a program without pipes")) };
        let stdout = BufReader::new(stdout);
        Ok(Program { child, stdin: Some(stdin), stdout, line: Vec::new(), ending: Ending::Whole })
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
    pub fn finish(mut self, stays_open: bool) -> Result<ExitStatus, Error> {
        let is_held = self.ending == Ending::Held;
        if !is_held {
            self.send(&quit_line());
        }
        if !is_held || !stays_open {
            self.hang_up();
        }
        // Reads the remaining output, so that a full pipe does not block the program.
        let _ = std::io::copy(&mut self.stdout, &mut std::io::sink());
        let ended = self.child.wait();
        ended.map_err(|error| Error::host(format!("cannot wait for the program: {error}")))
    }
}
