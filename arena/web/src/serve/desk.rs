//! Judges matches on the request of a page: `arena analyze` as a process of its own, one at a time.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::game::Seat;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::sync::oneshot;

use crate::view::EntryAnalysis;
use crate::web::Token;
use referee::error::Error;

/// What is known of judged decisions, and the program that judges more.
pub trait Coach: Debug + Send + Sync {
    /// Returns what is known of the match of a game with this digest in a directory: the decisions and seats with their
    /// words.
    fn known(&self, game: &str, dir: &Path, digest: &str) -> Vec<(u32, Seat, EntryAnalysis)>;

    /// Returns the command that judges a match, keeps each value in its directory, and ends when its stdin does.
    ///
    /// # Errors
    /// The directory cannot be written.
    fn command(&self, dir: &Path, index: u64) -> Result<Command, Error>;
}

/// The place where pages have matches judged.
#[derive(Debug)]
pub struct Desk {
    pub(super) coach: Box<dyn Coach>,
    /// The secret that pages of this server send with a request.
    pub(super) token: Token,
    job: Mutex<Job>,
}

/// The match that is judged, or was judged last.
#[derive(Debug, Default)]
struct Job {
    of: Option<(PathBuf, u64)>,
    /// Ends the process. `None` if none runs.
    stop: Option<oneshot::Sender<()>>,
    /// Why the process failed.
    trouble: Option<String>,
}

impl Job {
    fn is_of(&self, dir: &Path, index: u64) -> bool {
        self.of.as_ref().is_some_and(|(of, number)| of == dir && *number == index)
    }
}

impl Desk {
    /// Returns a desk where nothing is judged yet.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn new(coach: Box<dyn Coach>) -> Result<Desk, Error> {
        Ok(Desk { coach, token: Token::random()?, job: Mutex::default() })
    }

    fn job(&self) -> MutexGuard<'_, Job> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to judge a match of a directory. Returns the reason if that is impossible now.
    pub(super) fn begin(self: &Arc<Self>, dir: &Path, index: u64) -> Result<(), String> {
        let mut job = self.job();
        if let (Some(_), Some((_, other))) = (&job.stop, &job.of) {
            return Err(format!("match {other} is being judged: wait for it, or cancel it on its page"));
        }
        let mut command = self.coach.command(dir, index).map_err(|error| error.to_string())?;
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| format!("the coach does not start: {error}"))?;
        let (stop, stopped) = oneshot::channel();
        *job = Job { of: Some((dir.to_owned(), index)), stop: Some(stop), trouble: None };
        let desk = Arc::clone(self);
        tokio::spawn(async move {
            // Also a server that is killed closes this.
            let _stdin = child.stdin.take();
            let trouble = tokio::select! {
                ended = child.wait_with_output() => match ended {
                    Ok(ended) if ended.status.success() => None,
                    Ok(ended) => Some(String::from_utf8_lossy(&ended.stderr).into_owned()),
                    Err(error) => Some(error.to_string()),
                },
                // Who stops it has cleared the job, which may be another one by now.
                _ = stopped => return,
            };
            let mut job = desk.job();
            (job.stop, job.trouble) = (None, trouble);
        });
        Ok(())
    }

    /// Ends the process that judges this match.
    pub(super) fn cancel(&self, dir: &Path, index: u64) {
        let mut job = self.job();
        if job.is_of(dir, index) {
            job.stop = None;
        }
    }

    /// Returns whether this match is being judged, and why its last process failed.
    pub(super) fn state(&self, dir: &Path, index: u64) -> Value {
        let job = self.job();
        let is_it = job.is_of(dir, index);
        json!({"is_judging": is_it && job.stop.is_some(), "trouble": job.trouble.as_ref().filter(|_| is_it)})
    }
}
