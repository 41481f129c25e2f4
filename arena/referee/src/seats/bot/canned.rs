//! A bot without a process: a script that answers, for tests of whoever plays matches.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use engine::wire::FaultKind;

use crate::seats::bot::Bot;
use crate::seats::fault::Fault;
use sandbox::Reply;

/// One answer of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This line, without its newline, at once.
    Line(Vec<u8>),
    /// This line, which was there before the question.
    Early(Vec<u8>),
    /// This line, with what the arena measured.
    Measured {
        /// The line without its newline.
        line: Vec<u8>,
        /// See [`Reply::elapsed`].
        elapsed: Duration,
        /// See [`Reply::lateness`].
        lateness: Duration,
    },
    /// No line.
    Fault(Fault),
}

impl Answer {
    /// A line at once.
    pub fn line(text: impl Into<Vec<u8>>) -> Self {
        Answer::Line(text.into())
    }
}

/// What decides the answers of a [`Canned`] bot.
type Script = Box<dyn FnMut(&[u8]) -> Answer>;

/// A bot whose answers are computed, and which remembers everything it heard. It takes no time and
/// heeds no deadline.
pub struct Canned {
    script: Script,
    last: Vec<u8>,
    /// The questions, oldest first, as written.
    pub asked: Vec<Vec<u8>>,
    /// The lines that wanted no answer, oldest first, as written.
    pub told: Vec<Vec<u8>>,
}

impl Canned {
    /// A bot that answers each question with what the function says.
    pub fn new(script: impl FnMut(&[u8]) -> Answer + 'static) -> Self {
        Canned { script: Box::new(script), last: Vec::new(), asked: Vec::new(), told: Vec::new() }
    }

    /// A bot that gives these answers in turn, and then behaves as if it had exited.
    pub fn reading(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut answers: VecDeque<Answer> = answers.into_iter().collect();
        Self::new(move |_| {
            let over = || Answer::Fault(Fault::new(FaultKind::Exit, "the script is over"));
            answers.pop_front().unwrap_or_else(over)
        })
    }
}

impl Bot for Canned {
    async fn ask(&mut self, line: &[u8], _deadline: Instant) -> Result<Reply<'_>, Fault> {
        self.asked.push(line.to_vec());
        let (line, early, elapsed, lateness) = match (self.script)(line) {
            Answer::Line(line) => (line, false, Duration::ZERO, Duration::ZERO),
            Answer::Early(line) => (line, true, Duration::ZERO, Duration::ZERO),
            Answer::Measured { line, elapsed, lateness } => (line, false, elapsed, lateness),
            Answer::Fault(fault) => return Err(fault),
        };
        self.last = line;
        Ok(Reply { line: &self.last, elapsed, early, lateness, cpu: None, starved: None })
    }

    fn tell(&mut self, line: &[u8]) {
        self.told.push(line.to_vec());
    }

    fn dismiss(&mut self, line: &[u8]) {
        self.told.push(line.to_vec());
    }
}

impl fmt::Debug for Canned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canned").field("asked", &self.asked.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_script_is_read_to_its_end() {
        let mut bot = Canned::reading([Answer::line("a"), Answer::Early(b"b".to_vec())]);
        let now = Instant::now();
        assert_eq!(bot.ask(b"1\n", now).await.map(|reply| reply.line.to_vec()), Ok(b"a".to_vec()));
        assert_eq!(bot.ask(b"2\n", now).await.map(|reply| reply.early), Ok(true));
        assert_eq!(bot.ask(b"3\n", now).await.map_err(|fault| fault.kind).err(), Some(FaultKind::Exit));
        bot.tell(b"end\n");
        assert_eq!((bot.asked.len(), bot.told.len()), (3, 1));
    }
}
