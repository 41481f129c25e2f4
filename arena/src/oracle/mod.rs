//! The rules as an oracle: reads states as JSON lines, and writes the rules' answers as JSON lines.
//!
//! It helps authors who write an engine of their own. The input has the format of the lines to a bot, so the
//! recorded input of a bot works as a list of queries. `docs/reference/oracle.md` describes the fields.
//!
//! The module `lines` reads and counts lines, and `query` parses them. `judge` answers for any game, with
//! answers about moves from `doodle` and `patchwork`. All rules are in the engine.

mod doodle;
mod judge;
mod lines;
mod patchwork;
mod query;
mod task;

use std::io::{self, BufReader, Read, Write};

use serde::Serialize;

use judge::{Failed, Table};
use lines::Lines;
use query::Heard;
use referee::error::Error;
use referee::games::{GameName, RulesOptions};
pub use task::{Answers, Task};

/// The statistics of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of answered lines, including errors.
    pub answers: u64,
    /// The number of answers that are errors.
    pub errors: u64,
}

/// Answers queries, one line at a time.
#[derive(Debug)]
pub struct Oracle {
    task: Task,
    /// The game, its components, and the seat. After an invalid `start` line, the number of that line.
    table: Result<Box<dyn Table>, u64>,
    line: u64,
    tally: Tally,
}

/// The answer to an invalid line.
#[derive(Serialize)]
struct Failure<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a serde_json::value::RawValue>,
    error: String,
}

impl Oracle {
    /// Creates an oracle for this game and these rules. A later `start` line replaces both.
    ///
    /// # Errors
    /// A file of components cannot be read, or the game cannot be played with these rules and components.
    pub fn new(task: Task, game: GameName, rules: &RulesOptions) -> Result<Oracle, Error> {
        let table = judge::table(game, rules)?;
        Ok(Oracle { task, table: Ok(table), line: 0, tally: Tally::default() })
    }

    /// Answers every line of the input. Answers are flushed before the oracle waits for input, so a caller
    /// may write a query and wait for its answer. While more lines are available, answers are buffered.
    ///
    /// # Errors
    /// Reading the input or writing the output fails.
    pub fn run(mut self, input: impl Read, output: &mut dyn Write) -> io::Result<Tally> {
        let mut lines = Lines::new(BufReader::with_capacity(lines::BUFFER_BYTES, input));
        let mut answers = Answers::with_capacity(lines::BUFFER_BYTES, output);
        while let Some(line) = lines.next()? {
            match line {
                Ok(line) => self.hear(line, &mut answers)?,
                Err(too_long) => {
                    self.line += 1;
                    self.fail(None, &too_long.to_string(), &mut answers)?;
                }
            }
            if !lines.has_next() {
                answers.flush()?;
            }
        }
        answers.flush()?;
        Ok(self.tally)
    }

    /// Handles one line, without its newline, and answers it if it is a query or an error.
    ///
    /// # Errors
    /// Writing the output fails. An invalid line is not an error, but gets an answer.
    pub fn hear(&mut self, line: &[u8], answers: &mut Answers<'_>) -> io::Result<()> {
        self.line += 1;
        let line = query::stripped(line);
        match query::heard(line) {
            Ok(Heard::Nothing) => Ok(()),
            Ok(Heard::Start { game }) => match judge::seated(&game, line, self.table.as_deref().ok()) {
                Ok(table) => {
                    self.table = Ok(table);
                    Ok(())
                }
                Err(why) => {
                    self.table = Err(self.line);
                    self.fail(None, &why, answers)
                }
            },
            Ok(Heard::Query { id }) => self.answer(id, line, answers),
            Err(why) => self.fail(None, &why, answers),
        }
    }

    fn answer(&mut self, id: query::Id<'_>, line: &[u8], answers: &mut Answers<'_>) -> io::Result<()> {
        let table = match &self.table {
            Ok(table) => table,
            Err(start) => {
                let why = format!("the start of this match, line {start}, was not understood");
                return self.fail(id, &why, answers);
            }
        };
        match table.answer(self.task, id, line, answers) {
            Ok(()) => {
                self.tally.answers += 1;
                Ok(())
            }
            Err(Failed::Query(why)) => self.fail(id, &why, answers),
            Err(Failed::Output(error)) => Err(error),
        }
    }

    fn fail(&mut self, id: query::Id<'_>, why: &str, answers: &mut Answers<'_>) -> io::Result<()> {
        self.tally.answers += 1;
        self.tally.errors += 1;
        let failure = Failure { id, error: format!("line {}: {why}", self.line) };
        serde_json::to_writer(&mut *answers, &failure)?;
        answers.write_all(b"\n")
    }
}
