//! One question and its answer under one deadline.

use std::future::poll_fn;
use std::ops::Range;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use crate::process::BotProcess;
use crate::process::credit::{TOLD_AFTER, Watch};
use crate::process::fault::{Failure, Fault};
use crate::process::pipes::Got;
use crate::process::reply::{Reply, SLOW_AFTER, Timing};
use crate::start::handle::State;

/// The maximum time that does not count in one decision, in limits.
const CREDIT_LIMITS_MAX: u32 = 5;
/// The number of looks at a slow bot in the time of its limit.
const LOOKS: u32 = 10;
/// The time to wait for this bot alone, if its last answer arrived while the question was written.
///
/// Such a bot shares a core with the arena and has not run yet. A short wait costs less than a switch to another match,
/// whose data is no longer in the caches.
const ANOTHER_MOMENT: Duration = Duration::from_micros(100);

impl BotProcess {
    /// Writes `line`, newline included, and waits for the next line from the bot, at most for `limit`. The first poll
    /// writes the question, and reads the answer of a bot that is quick.
    ///
    /// The time runs from before the write until the newline. While a thread of the bot is ready to run and others have
    /// the processors, it stands still, for up to five limits ([`Timing::credit`]). A line is in time if it is complete
    /// at the arena's first look at or after the deadline. Such a line may be late by up to [`Timing::lateness`],
    /// usually some tenths of a millisecond. The bot has the benefit of the doubt, and `elapsed` is then the limit.
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
    pub async fn ask(&mut self, line: &[u8], limit: Duration) -> Result<Reply<'_>, Fault> {
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
        let question = Question { ends_turn: true, ..Question::new(line, sent, asked, limit) };
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
        limit: Duration,
    ) -> Result<Reply<'_>, Fault> {
        let got = self.look_at_once();
        self.answer(Question::new(line, sent, asked, limit), got, false).await
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
            Err(reason) => Err(self.fail(reason, &mut question).await),
        }
    }

    /// Reads before it looks at the exit or the clock, because the answer has priority.
    fn poll_answer(&mut self, cx: &mut Context<'_>, question: &mut Question<'_>) -> Poll<Outcome> {
        if !question.is_sent() {
            let _ = self.pipes.poll_write(cx, question.line, &mut question.sent);
        }
        while let Poll::Ready(got) = self.pipes.poll_read(cx) {
            match got {
                Some(got) => return Poll::Ready(self.in_time(got, question)),
                None if Instant::now() >= question.deadline => break,
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

    /// Waits for the next look at a slow bot, again and again until the deadline.
    fn poll_time(&mut self, cx: &mut Context<'_>, question: &mut Question<'_>) -> Poll<Outcome> {
        loop {
            ready!(self.timer.poll_until(cx, question.next_look));
            let now = Instant::now();
            question.note_lateness(now, question.next_look);
            self.look(question, now);
            if now < question.deadline {
                question.is_late = false;
                question.next_look = question.deadline.min(now + (question.limit / LOOKS).max(TOLD_AFTER));
                continue;
            }
            let was_late = std::mem::replace(&mut question.is_late, true);
            match self.last_look(NoLine::Deadline) {
                Err(NoLine::Deadline) if !was_late && question.may_wait() => {
                    question.next_look = now + TOLD_AFTER;
                }
                Ok(_) if was_late => return Poll::Ready(Err(NoLine::Deadline)),
                outcome => return Poll::Ready(outcome),
            }
        }
    }

    /// Looks at the bot's threads, and moves the deadline by the time for which others had the processors.
    fn look(&self, question: &mut Question<'_>, now: Instant) {
        let (threads, ran) = (self.handle.threads(), self.handle.cpu_total().unwrap_or_default());
        match &mut question.watch {
            Some(watch) => watch.look(now, threads, ran),
            watch => *watch = Some(Box::new(Watch::begin(now, question.lateness, threads, ran))),
        }
        question.deadline = question.asked + question.limit + question.credit();
    }

    /// Returns the outcome of what the bot wrote. After the deadline it counts only if others had the processors.
    fn in_time(&self, got: Got, question: &mut Question<'_>) -> Outcome {
        if question.is_late {
            let now = Instant::now();
            self.look(question, now);
            if now >= question.deadline {
                return Err(NoLine::Deadline);
            }
        }
        got.into()
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
        question.note_lateness(now, question.next_look); // its timer should have been first
        if question.watch.is_some() {
            self.look(&mut question, now);
        }
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
        Reply { line, early, timing: question.timing(now.min(question.deadline)) }
    }

    /// Looks at the bot once more if its decision is slow, and returns the measurements of a decision that ends now.
    pub(crate) fn last_timing(&self, question: &mut Question<'_>) -> Timing {
        let now = Instant::now();
        if question.watch.is_some() {
            self.look(question, now);
        }
        question.timing(now)
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
    pub(crate) limit: Duration,
    /// `asked`, the limit, and the time that does not count.
    pub(crate) deadline: Instant,
    /// True if no line was there at the first look after the deadline.
    is_late: bool,
    next_look: Instant,
    /// What the looks show. None before the first one.
    pub(crate) watch: Option<Box<Watch>>,
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
    pub(crate) fn new(line: &'a [u8], sent: usize, asked: Instant, limit: Duration) -> Self {
        Question {
            line,
            ends_turn: false,
            sent,
            asked,
            limit,
            deadline: asked + limit,
            is_late: false,
            next_look: asked + SLOW_AFTER.min(limit / 4),
            watch: None,
            lateness: Duration::ZERO,
        }
    }

    /// Returns true if the whole question is in the bot's pipe.
    pub(crate) fn is_sent(&self) -> bool {
        self.sent == self.line.len()
    }

    /// The time that does not count.
    fn credit(&self) -> Duration {
        let credit = self.watch.as_deref().map(Watch::credit).unwrap_or_default();
        credit.min(self.limit * CREDIT_LIMITS_MAX)
    }

    /// Returns true if a thread of the bot may be waiting for a processor, and its deadline may move.
    fn may_wait(&self) -> bool {
        self.watch.as_deref().is_some_and(Watch::may_wait) && self.credit() < self.limit * CREDIT_LIMITS_MAX
    }

    pub(crate) fn note_lateness(&mut self, now: Instant, due: Instant) {
        self.lateness = self.lateness.max(now.saturating_duration_since(due));
    }

    /// Returns the measurements of a decision that ended at `end`.
    fn timing(&self, end: Instant) -> Timing {
        let (watch, credit) = (self.watch.as_deref(), self.credit());
        let told = watch.filter(|watch| watch.is_told());
        Timing {
            elapsed: end.saturating_duration_since(self.asked).saturating_sub(credit),
            credit,
            is_untold: watch.is_some() && told.is_none(),
            lateness: self.lateness,
            cpu: watch.map(|watch| watch.had().1),
            starved: told.map(Watch::starved),
            stolen: watch.and_then(Watch::stolen),
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
