//! A scripted bot without a process, for tests of code that plays matches.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use engine::wire::FaultKind;

use crate::seats::bot::{Answered, Bot, Message, SeatAnswer};
use crate::seats::fault::{Fault, Owed};
use sandbox::Timing;

/// One answer of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A line without its newline, sent without delay.
    Line(Vec<u8>),
    /// A line that the bot wrote before the question.
    Early(Vec<u8>),
    /// A line with measurements.
    Measured {
        /// The line without its newline.
        line: Vec<u8>,
        /// See [`SeatAnswer::timing`].
        timing: Timing,
    },
    /// A fault instead of a line.
    Fault(Fault),
}

impl Answer {
    /// Creates a line sent without delay.
    pub fn line(text: impl Into<Vec<u8>>) -> Self {
        Answer::Line(text.into())
    }
}

/// The function that answers the questions to a [`ScriptedBot`].
type Script = Box<dyn FnMut(&[u8]) -> Answer>;

/// A scripted bot that computes its answers and stores all lines that it receives. It takes no time and
/// ignores deadlines.
pub struct ScriptedBot<W> {
    script: Script,
    last: Vec<u8>,
    /// The questions that the bot received, oldest first.
    pub asked: Vec<Vec<u8>>,
    /// The lines without a question that the bot received, oldest first.
    pub told: Vec<Vec<u8>>,
    moves: PhantomData<W>,
}

impl<W> ScriptedBot<W> {
    /// Creates a bot that answers each question with the result of a function.
    pub fn new(script: impl FnMut(&[u8]) -> Answer + 'static) -> Self {
        ScriptedBot {
            script: Box::new(script),
            last: Vec::new(),
            asked: Vec::new(),
            told: Vec::new(),
            moves: PhantomData,
        }
    }

    /// Creates a bot that gives these answers in order, and then behaves as if its process had exited.
    pub fn reading(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut answers: VecDeque<Answer> = answers.into_iter().collect();
        Self::new(move |_| {
            let over = || Answer::Fault(Fault::new(FaultKind::Exit, "the script is over"));
            answers.pop_front().unwrap_or_else(over)
        })
    }
}

impl<W> Bot for ScriptedBot<W> {
    type Move = W;

    async fn ask(&mut self, line: &[u8], _owed: Owed, _limit: Duration) -> Answered<'_, W> {
        self.asked.push(line.to_vec());
        let (line, early, timing) = match (self.script)(line) {
            Answer::Line(line) => (line, false, Timing::default()),
            Answer::Early(line) => (line, true, Timing::default()),
            Answer::Measured { line, timing } => (line, false, timing),
            Answer::Fault(fault) => return Err(fault),
        };
        self.last = line;
        let message = Message::Line { line: &self.last, early };
        Ok(SeatAnswer { message, timing })
    }

    fn send(&mut self, line: &[u8]) {
        self.told.push(line.to_vec());
    }

    fn disqualify(&mut self, line: &[u8]) {
        self.told.push(line.to_vec());
    }
}

impl<W> fmt::Debug for ScriptedBot<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedBot").field("asked", &self.asked.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_script_is_read_to_its_end() {
        let mut bot = ScriptedBot::<()>::reading([Answer::line("a"), Answer::Early(b"b".to_vec())]);
        let limit = Duration::ZERO;
        let first = bot.ask(b"1\n", Owed::Move, limit).await.expect("an answer");
        assert!(matches!(first.message, Message::Line { line: b"a", early: false }));
        let second = bot.ask(b"2\n", Owed::Move, limit).await.expect("an answer");
        assert!(matches!(second.message, Message::Line { line: b"b", early: true }));
        assert_eq!(
            bot.ask(b"3\n", Owed::Move, limit).await.map_err(|fault| fault.kind).err(),
            Some(FaultKind::Exit)
        );
        bot.send(b"end\n");
        assert_eq!((bot.asked.len(), bot.told.len()), (3, 1));
    }
}
