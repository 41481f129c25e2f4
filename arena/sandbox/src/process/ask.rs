//! One question and its answer under one deadline.

use std::future::poll_fn;
use std::ops::Range;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use crate::process::BotProcess;
use crate::process::fault::{Failure, Fault};
use crate::process::pipes::Got;
use crate::process::reply::{Reply, SLOW_AFTER, Timing};
use crate::start::handle::State;
use crate::system::stolen::Stolen;
use crate::system::tree::CpuUse;

/// The time to wait for this bot alone, if its last answer arrived while the question was written.
///
/// Such a bot shares a core with the arena and has not run yet. A short wait costs less than a switch to another match,
/// whose data is no longer in the caches.
const ANOTHER_MOMENT: Duration = Duration::from_micros(100);

impl BotProcess {
    /// Writes `line`, newline included, and waits for the next line from the bot until `deadline`. The first poll
    /// writes the question, and reads the answer of a bot that is quick.
    ///
    /// One absolute deadline covers everything from the write to the newline. A line is in time if it is complete at
    /// the arena's first look at or after the deadline. Such a line may be late by up to [`Timing::lateness`], usually
    /// some tenths of a millisecond. The bot has the benefit of the doubt, and `elapsed` is then the limit. Later bytes
    /// are never read.
    ///
    /// An answer counts even if the bot exits after it; the exit is a fault of the next question. The arena notices an
    /// exit at once, even while another process holds the bot's stdout open.
    ///
    /// After its answer the bot is off turn until it is asked or told something. The host may freeze it meanwhile.
    ///
    /// # Errors
    /// `timeout`, `oversize`, `exit` or `off-turn`. The bot is then dead or being killed. Every further question
    /// returns an `exit` fault with the reason. A bot that computed too much off turn gets its fault before the
    /// question is written.
    pub async fn ask(&mut self, line: &[u8], deadline: Instant) -> Result<Reply<'_>, Fault> {
        let asked = Instant::now();
        if self.over.is_none() {
            self.off_turn.end(asked, &self.handle);
            self.check_off_turn();
        }
        if let Some(fault) = &self.over {
            return Err(fault.clone());
        }
        // A line that is there before the question is early, not an answer. Only a read at this point can tell.
        self.pipes.look_ahead();
        let was_early = self.pipes.inbox.len() > 0;
        self.off_turn.wake(&self.handle);
        let sent = self.say(line);
        let got = self.look_at_once();
        let question = Question { ends_turn: true, ..Question::new(line, sent, asked, deadline) };
        self.answer(question, got, was_early).await
    }

    /// Ends the bot if it used too much processor time off turn.
    fn check_off_turn(&mut self) {
        if let Some(fault) = self.off_turn.excess() {
            self.handle.kill();
            self.over = Some(fault);
        }
    }

    /// Returns the answer if it arrived during the write. A quick bot on the same core often answers then.
    /// If the last answer was as quick, this waits one moment more.
    fn look_at_once(&mut self) -> Option<Got> {
        let soon = if self.was_at_once { ANOTHER_MOMENT } else { Duration::ZERO };
        let got = self.pipes.take_line().or_else(|| self.pipes.read_at_once(soon));
        self.was_at_once = got.is_some();
        got
    }

    /// Writes as much of a line as the pipe takes at once. Returns the number of bytes.
    pub fn say(&mut self, line: &[u8]) -> usize {
        if line.is_empty() {
            return 0;
        }
        self.transcript.push(false, line);
        self.pipes.write_now(line)
    }

    /// Writes a question to a program that is no bot, and blocks the thread until its answer comes, up to `soon`, which is
    /// below a second. Returns the number of bytes that were written, and the answer. Without one,
    /// [`greeted`](Self::greeted) waits on and says what happened.
    pub fn ask_blocking(&mut self, line: &[u8], soon: Duration) -> (usize, Option<&[u8]>) {
        let sent = self.say(line);
        let got = self.pipes.take_line().or_else(|| self.pipes.read_at_once(soon));
        match got {
            Some(Got::Line(place)) => (sent, Some(self.pipes.inbox.line(place))),
            _ => (sent, None),
        }
    }

    /// Returns true if the program has written something that nobody asked for.
    pub fn is_early(&mut self) -> bool {
        self.pipes.look_ahead();
        self.pipes.inbox.len() > 0
    }

    /// Waits for the reply to `hello`. The arena wrote its first `sent` bytes at `asked`. Unlike [`BotProcess::ask`], it
    /// does not put the bot off turn: the bot may go on with its preparations until [`keep_frozen`](Self::keep_frozen).
    pub async fn greeted(
        &mut self,
        line: &[u8],
        sent: usize,
        asked: Instant,
        deadline: Instant,
    ) -> Result<Reply<'_>, Fault> {
        let got = self.look_at_once();
        self.answer(Question::new(line, sent, asked, deadline), got, false).await
    }

    async fn answer(
        &mut self,
        mut question: Question<'_>,
        got: Option<Got>,
        was_early: bool,
    ) -> Result<Reply<'_>, Fault> {
        let outcome = match got {
            Some(got) => got.into(),
            None => poll_fn(|cx| self.poll_answer(cx, &mut question)).await,
        };
        match outcome {
            Ok(place) => Ok(self.reply(place, question, was_early)),
            Err(reason) => Err(self.fail(reason, &question).await),
        }
    }

    /// Reads before it looks at the exit or the clock, because the answer has priority.
    fn poll_answer(&mut self, cx: &mut Context<'_>, question: &mut Question<'_>) -> Poll<Outcome> {
        if !question.is_sent() {
            let _ = self.pipes.poll_write(cx, question.line, &mut question.sent);
        }
        while let Poll::Ready(got) = self.pipes.poll_read(cx) {
            match got {
                Some(got) => return Poll::Ready(got.into()),
                None if Instant::now() >= question.deadline => return Poll::Ready(Err(NoLine::Deadline)),
                None => {}
            }
        }
        let ended = self.handle.poll_for(cx, |state: &State| state.has_ended().then_some(()));
        if ended.is_ready() {
            // The pipe may hold an answer that the bot wrote before its end.
            return Poll::Ready(self.last_look(NoLine::Ended));
        }
        self.poll_time(cx, question)
    }

    /// Waits for the moment from which a decision is slow, then for the deadline.
    fn poll_time(&mut self, cx: &mut Context<'_>, question: &mut Question<'_>) -> Poll<Outcome> {
        if !question.is_slow {
            ready!(self.timer.poll_until(cx, question.slow_due()));
            question.note_lateness(Instant::now(), question.slow_due());
            question.used_before = self.handle.cpu_use();
            question.stolen_before = Stolen::now();
            question.is_slow = true;
        }
        ready!(self.timer.poll_until(cx, question.deadline));
        question.note_lateness(Instant::now(), question.deadline);
        Poll::Ready(self.last_look(NoLine::Deadline))
    }

    /// Returns a line that is already complete in the pipe, or else `reason`.
    fn last_look(&mut self, reason: NoLine) -> Outcome {
        match self.pipes.read_now() {
            Some(Got::Closed) | None => Err(reason),
            Some(got) => got.into(),
        }
    }

    fn reply(&mut self, place: Range<usize>, mut question: Question<'_>, was_early: bool) -> Reply<'_> {
        let now = Instant::now();
        question.note_lateness(now, question.deadline);
        if !question.is_slow {
            question.note_lateness(now, question.slow_due()); // its timer should have been first
        }
        let used = self.used_in(&question);
        // A bot cannot answer before it has the whole question.
        let early = was_early || !question.is_sent();
        if !question.is_sent() {
            self.pipes.send_later(&question.line[question.sent..]);
        }
        if question.ends_turn {
            self.off_turn.begin(now, &self.handle);
        }
        let line = self.pipes.inbox.line(place);
        self.transcript.push(true, line);
        Reply { line, early, timing: question.timing(now.min(question.deadline), used) }
    }

    /// Returns the processor time that the bot used since the decision became slow.
    pub(crate) fn used_in(&self, question: &Question<'_>) -> Option<CpuUse> {
        let before = question.used_before?;
        self.handle.cpu_use().map(|now| now.since(before))
    }
}

/// A question in flight.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) line: &'a [u8],
    /// True if the bot is off turn after its answer.
    pub(crate) ends_turn: bool,
    /// The number of its bytes that the pipe has taken.
    pub(crate) sent: usize,
    /// Before the write.
    pub(crate) asked: Instant,
    pub(crate) deadline: Instant,
    /// True once the decision is slow.
    pub(crate) is_slow: bool,
    /// The processor time of the bot at that moment, if the system reports it.
    pub(crate) used_before: Option<CpuUse>,
    /// The time that the host had taken by then, if the system reports it.
    pub(crate) stolen_before: Option<Stolen>,
    pub(crate) lateness: Duration,
}

/// The result of a wait for an answer: the place of the line in the inbox, or the reason why none came.
pub(crate) type Outcome = Result<Range<usize>, NoLine>;

/// The reason why a wait for an answer ended without a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoLine {
    /// More bytes came than a line may have.
    Oversize,
    /// The bot closed its stdout.
    Closed,
    /// The bot has ended.
    Ended,
    /// The deadline passed.
    Deadline,
}

impl NoLine {
    /// Returns the kind of the bot's failure.
    pub(crate) fn failure(self) -> Failure {
        match self {
            NoLine::Oversize => Failure::Oversize,
            NoLine::Closed | NoLine::Ended => Failure::Exit,
            NoLine::Deadline => Failure::Timeout,
        }
    }
}

impl<'a> Question<'a> {
    pub(crate) fn new(line: &'a [u8], sent: usize, asked: Instant, deadline: Instant) -> Self {
        let lateness = Duration::ZERO;
        let (used_before, stolen_before) = (None, None);
        Question {
            line,
            ends_turn: false,
            sent,
            asked,
            deadline,
            is_slow: false,
            used_before,
            stolen_before,
            lateness,
        }
    }

    /// The time limit.
    pub(crate) fn limit(&self) -> Duration {
        self.deadline.saturating_duration_since(self.asked)
    }

    /// Returns true if the whole question is in the bot's pipe.
    pub(crate) fn is_sent(&self) -> bool {
        self.sent == self.line.len()
    }

    pub(crate) fn slow_due(&self) -> Instant {
        self.deadline.min(self.asked + SLOW_AFTER)
    }

    pub(crate) fn note_lateness(&mut self, now: Instant, due: Instant) {
        self.lateness = self.lateness.max(now.saturating_duration_since(due));
    }

    /// Returns the measurements of a decision that ended at `end` and used this processor time.
    pub(crate) fn timing(&self, end: Instant, used: Option<CpuUse>) -> Timing {
        Timing {
            elapsed: end.saturating_duration_since(self.asked),
            lateness: self.lateness,
            cpu: used.map(|used| used.running),
            starved: used.map(|used| used.waiting),
            stolen: self.stolen_before.as_ref().and_then(|before| Some(Stolen::now()?.since(before))),
        }
    }
}

impl From<Got> for Outcome {
    fn from(got: Got) -> Self {
        match got {
            Got::Line(place) => Ok(place),
            Got::Oversize => Err(NoLine::Oversize),
            Got::Closed => Err(NoLine::Closed),
        }
    }
}
