//! One question and its answer under one deadline.

use std::future::poll_fn;
use std::ops::Range;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use crate::Reply;
use crate::process::BotProcess;
use crate::process::fault::Fault;
use crate::process::pipes::Got;
use crate::process::question::{Outcome, Put, Question};
use crate::start::keep::State;
use crate::system::stolen::Stolen;
use crate::system::tree::CpuUse;

/// How long a bot is waited for before others are, if its last answer was there when its question was written.
///
/// Such a bot shares a core with the arena, so it has not been let run yet: to wait for it alone costs less than to
/// turn to another match, whose bots and memory the caches have forgotten.
const ANOTHER_MOMENT: Duration = Duration::from_micros(100);

impl BotProcess {
    /// Writes `line`, newline included, and waits for the next line from the bot until `deadline`. Where the
    /// question was [put](Self::put) before, with its own deadline, it is only waited for.
    ///
    /// One absolute deadline covers everything from before the write to the newline. A line counts
    /// as in time if it is complete at the arena's last look, which is its first look at or after
    /// the deadline: it may have come up to [`Reply::lateness`] after the deadline, usually some
    /// tenths of a millisecond and never more than the arena's own delay; the doubt is the bot's, and
    /// `elapsed` is then the limit. Bytes that come later are never looked at.
    ///
    /// A bot that answered and exited has answered; its exit is a fault of the next question. A bot
    /// that exits is noticed at once, also while another process holds its stdout open.
    ///
    /// Once it has answered it rests until it is asked or told something, stopped where the host says so.
    ///
    /// # Errors
    /// `timeout`, `oversize`, `exit` or `off-turn`. The bot is dead or being killed then, and every further
    /// question is answered with an `exit` fault that says why.
    pub async fn ask(&mut self, line: &[u8], deadline: Instant) -> Result<Reply<'_>, Fault> {
        if let Some(fault) = &self.over {
            return Err(fault.clone());
        }
        if self.put.is_none() {
            self.put(line, deadline);
        }
        let Some(Put { sent, asked, deadline, was_early, got }) = self.put.take() else {
            return Err(self.over.clone().expect("a bot that cannot be asked is over"));
        };
        let question = Question { rests: true, ..Question::new(line, sent, asked, deadline) };
        self.answer(question, got, was_early).await
    }

    /// Writes the question that is to be [asked](Self::ask), and looks for the answer: true if a line is there, so
    /// that `ask` need not wait. A bot that is over is told nothing, and one that computed too much in its rests is over.
    pub fn put(&mut self, line: &[u8], deadline: Instant) -> bool {
        if self.over.is_some() {
            return false;
        }
        let asked = Instant::now();
        self.end_rest(asked);
        self.check_rests();
        if self.over.is_some() {
            return false;
        }
        // One read of an empty pipe tells an early line from an answer; nothing later could.
        self.pipes.look_ahead();
        let was_early = self.pipes.inbox.len() > 0;
        self.wake();
        let sent = self.say(line);
        let got = self.look_at_once();
        let is_answered = matches!(got, Some(Got::Line(_)));
        self.put = Some(Put { sent, asked, deadline, was_early, got });
        is_answered
    }

    /// Returns the answer if it arrived while the question was written, as it does from a quick bot on the same core.
    /// If the last answer was as quick, this waits one moment more.
    fn look_at_once(&mut self) -> Option<Got> {
        let soon = if self.was_at_once { ANOTHER_MOMENT } else { Duration::ZERO };
        let got = self.pipes.take_line().or_else(|| self.pipes.read_at_once(soon));
        self.was_at_once = got.is_some();
        got
    }

    /// Writes a line as far as the pipe takes it at once: how many bytes.
    pub fn say(&mut self, line: &[u8]) -> usize {
        if line.is_empty() {
            return 0;
        }
        self.transcript.push(false, line);
        self.pipes.write_now(line)
    }

    /// Waits for the reply to `hello`, of which `sent` bytes were written at `asked`. Unlike [`BotProcess::ask`], it does
    /// not begin the bot's rest: the bot may go on with its preparations until [`keep_held`](Self::keep_held).
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
            Outcome::Line(place) => Ok(self.reply(place, question, was_early)),
            other => Err(self.fail(other, &question).await),
        }
    }

    /// Reading comes first: the answer is what is waited for.
    fn poll_answer(&mut self, cx: &mut Context<'_>, question: &mut Question<'_>) -> Poll<Outcome> {
        if !question.is_sent() {
            let _ = self.pipes.poll_write(cx, question.line, &mut question.sent);
        }
        while let Poll::Ready(got) = self.pipes.poll_read(cx) {
            match got {
                Some(got) => return Poll::Ready(got.into()),
                None if Instant::now() >= question.deadline => return Poll::Ready(Outcome::Deadline),
                None => {}
            }
        }
        let ended = self.keep.poll_for(cx, |state: &State| state.has_ended().then_some(()));
        if ended.is_ready() {
            // What it wrote before its end is in the pipe.
            return Poll::Ready(self.last_look(Outcome::Ended));
        }
        self.poll_time(cx, question)
    }

    /// The clock: first the moment from which a decision is slow, then the deadline.
    fn poll_time(&mut self, cx: &mut Context<'_>, question: &mut Question<'_>) -> Poll<Outcome> {
        if !question.is_slow {
            ready!(self.timer.poll_until(cx, question.slow_due()));
            question.note_lateness(Instant::now(), question.slow_due());
            question.used_before = self.keep.cpu_use();
            question.stolen_before = Stolen::now();
            question.is_slow = true;
        }
        ready!(self.timer.poll_until(cx, question.deadline));
        question.note_lateness(Instant::now(), question.deadline);
        Poll::Ready(self.last_look(Outcome::Deadline))
    }

    /// Takes a line that is already complete in the pipe; otherwise the wait ended with `end`.
    fn last_look(&mut self, end: Outcome) -> Outcome {
        match self.pipes.read_now() {
            Some(Got::Closed) | None => end,
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
        // Before it had the whole question it cannot have answered it.
        let early = was_early || !question.is_sent();
        if !question.is_sent() {
            self.pipes.send_later(&question.line[question.sent..]);
        }
        if question.rests {
            self.rest(now);
        }
        let line = self.pipes.inbox.line(place);
        self.transcript.push(true, line);
        Reply {
            line,
            elapsed: now.min(question.deadline).saturating_duration_since(question.asked),
            early,
            lateness: question.lateness,
            cpu: used.map(|used| used.running),
            starved: used.map(|used| used.waiting),
        }
    }

    /// What the bot used since the decision became slow.
    pub(crate) fn used_in(&self, question: &Question<'_>) -> Option<CpuUse> {
        let before = question.used_before?;
        self.keep.cpu_use().map(|now| now.since(before))
    }
}
