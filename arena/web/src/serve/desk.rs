//! Judges matches on the request of a page: `arena analyze` as a process of its own, one at a time.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::game::Seat;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::sync::oneshot;

use crate::view::EntryAnalysis;
use crate::web::Token;
use referee::error::Error;
use referee::games::GameName;

/// What is known of judged decisions, and the program that judges more.
pub trait Coach: Debug + Send + Sync {
    /// Returns what a directory has of the matches of a game for whose digests `is_wanted` returns true.
    fn known(&self, game: GameName, dir: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Judged>;

    /// Returns the number of values that a directory has.
    fn values(&self, dir: &Path) -> usize;

    /// Returns the command that does some work in a directory, keeps each value there, and ends when its stdin does. Of a
    /// bot, it judges this number of its worst matches.
    ///
    /// # Errors
    /// The directory cannot be written.
    fn command(&self, dir: &Path, work: &Work, first: usize) -> Result<Command, Error>;
}

/// A judged decision: the digest of its match, its number, its seat, and the words for it.
pub type Judged = (String, u32, Seat, EntryAnalysis);

/// What is judged at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// All moves of this match.
    Match(u64),
    /// The moves of this bot in its worst matches.
    Bot(String),
}

/// The place where pages have matches judged.
#[derive(Debug)]
pub struct Desk {
    pub(super) coach: Box<dyn Coach>,
    /// The secret that pages of this server send with a request.
    pub(super) token: Token,
    job: Mutex<Job>,
    /// The time of the work so far, and the number of its values.
    spent: Mutex<(Duration, usize)>,
}

/// The work that is done, or was done last.
#[derive(Debug, Default)]
struct Job {
    of: Option<(PathBuf, Work)>,
    /// Ends the process. `None` if none runs.
    stop: Option<oneshot::Sender<()>>,
    /// Why the process failed.
    trouble: Option<String>,
}

impl Job {
    fn is_of(&self, dir: &Path, work: &Work) -> bool {
        self.of.as_ref().is_some_and(|(of, other)| of == dir && other == work)
    }
}

impl Desk {
    /// Returns a desk where nothing is judged yet.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn new(coach: Box<dyn Coach>) -> Result<Desk, Error> {
        Ok(Desk { coach, token: Token::random()?, job: Mutex::default(), spent: Mutex::default() })
    }

    fn job(&self) -> MutexGuard<'_, Job> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins some work in a directory; see [`Coach::command`]. Returns the reason if that is impossible now.
    pub(super) fn begin(self: &Arc<Self>, dir: &Path, work: Work, first: usize) -> Result<(), String> {
        let mut job = self.job();
        if let (Some(_), Some((_, other))) = (&job.stop, &job.of) {
            let what = match other {
                Work::Match(index) => format!("match {index} is"),
                Work::Bot(bot) => format!("matches of {bot} are"),
            };
            return Err(format!("{what} being judged: wait for the end, or cancel it on that page"));
        }
        let mut command = self.coach.command(dir, &work, first).map_err(|error| error.to_string())?;
        let (begun, before) = (Instant::now(), self.coach.values(dir));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| format!("the coach does not start: {error}"))?;
        let (stop, stopped) = oneshot::channel();
        *job = Job { of: Some((dir.to_owned(), work)), stop: Some(stop), trouble: None };
        let (desk, dir) = (Arc::clone(self), dir.to_owned());
        tokio::spawn(async move {
            // Also a server that is killed closes this.
            let _stdin = child.stdin.take();
            let ended = tokio::select! {
                ended = child.wait_with_output() => Some(ended),
                _ = stopped => None,
            };
            {
                let mut spent = desk.spent.lock().unwrap_or_else(PoisonError::into_inner);
                spent.0 += begun.elapsed();
                spent.1 += desk.coach.values(&dir).saturating_sub(before);
            }
            let trouble = match ended {
                Some(Ok(ended)) if ended.status.success() => None,
                Some(Ok(ended)) => Some(String::from_utf8_lossy(&ended.stderr).into_owned()),
                Some(Err(error)) => Some(error.to_string()),
                // Who stops it has cleared the job, which may be another one by now.
                None => return,
            };
            let mut job = desk.job();
            (job.stop, job.trouble) = (None, trouble);
        });
        Ok(())
    }

    /// Returns the seconds that a value has taken so far, if there was one.
    pub(super) fn seconds_each(&self) -> Option<f64> {
        let (time, values) = *self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        (values > 0).then(|| time.as_secs_f64() / values as f64)
    }

    /// Ends the process that does this work.
    pub(super) fn cancel(&self, dir: &Path, work: &Work) {
        let mut job = self.job();
        if job.is_of(dir, work) {
            job.stop = None;
        }
    }

    /// Returns whether this work is being done, and why its last process failed.
    pub(super) fn state(&self, dir: &Path, work: &Work) -> Value {
        let job = self.job();
        let is_it = job.is_of(dir, work);
        json!({"is_judging": is_it && job.stop.is_some(), "trouble": job.trouble.as_ref().filter(|_| is_it)})
    }
}
