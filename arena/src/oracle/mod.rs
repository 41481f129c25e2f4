//! The rules as an oracle: a line with a state in, a line with what the rules say of it out.
//!
//! For people who write an engine of their own. The lines are those a bot hears, so that what one
//! heard can be asked about as it is; `protocol.md` has the fields. `lines` bounds and counts what
//! comes in, `query` reads it, `judge` answers for any game, `doodle` and `patchwork` say what
//! there is to tell of a move. The rules themselves are all in the engine.

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

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines that were answered, those with an error included.
    pub answers: u64,
    /// Answers that are an error.
    pub errors: u64,
}

/// Answers queries, one line at a time.
#[derive(Debug)]
pub struct Oracle {
    task: Task,
    /// The game, its components and the seat; or the number of the `start` line that is no such.
    table: Result<Box<dyn Table>, u64>,
    line: u64,
    tally: Tally,
}

/// The answer to a line that cannot be judged.
#[derive(Serialize)]
struct Failure<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a serde_json::value::RawValue>,
    error: String,
}

impl Oracle {
    /// An oracle for this game and these rules, until a `start` line says otherwise.
    ///
    /// # Errors
    /// Rules or components that cannot be played with.
    pub fn new(task: Task, game: GameName, rules: &RulesOptions) -> Result<Oracle, Error> {
        let table = judge::table(game, rules)?;
        Ok(Oracle { task, table: Ok(table), line: 0, tally: Tally::default() })
    }

    /// Answers every line of the input. What is answered is handed on before the input is waited
    /// for, so that a caller may write a query and wait for its answer; while more lines are there
    /// already, answers are gathered.
    ///
    /// # Errors
    /// An input or output that broke.
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

    /// Takes one line, without its newline, and answers it if it asks something.
    ///
    /// # Errors
    /// An output that broke. What is wrong with the line is an answer.
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
