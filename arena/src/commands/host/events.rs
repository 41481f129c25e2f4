//! `contest.jsonl`: what happened in a contest, one event a line, and what follows from all of them.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::orders::Order;
use referee::error::Error;
use sandbox::confine::paths::CONTEST_MARK;
use tournament::journal::{Journal, results};

/// Something that happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Event {
    /// A hand-in was copied into the folder of a version.
    Received(Received),
    /// A hand-in was not taken.
    Refused {
        from: String,
        print: String,
        reason: String,
        /// True if it may be taken after the next start: the settings may have changed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
    },
    /// A version was built and checked.
    Checked {
        name: String,
        number: u32,
        state: String,
        /// The command that runs it, if it passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
    },
    /// Versions play for points from now on: the number of each by the name of its bot.
    Accepted { versions: BTreeMap<String, u32> },
    /// The organiser decided something.
    Ordered(Order),
}

/// A hand-in that became a version, or has the same files as an earlier one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Received {
    /// The bot, and the number of its version, from 1.
    pub(super) name: String,
    pub(super) number: u32,
    /// The name of the file or folder that was handed in, and who handed it in, by the same name.
    pub(super) from: String,
    pub(super) author: String,
    /// The digest of the names, sizes, and times of the files that were handed in.
    pub(super) print: String,
    /// The digest of the files of the version.
    pub(super) digest: String,
    /// What was changed on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
}

/// Returns the seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Returns a time in seconds since 1970 as a text in UTC.
pub(super) fn rfc3339(time: u64) -> String {
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(time)).to_string()
}

/// A line: an event with its time.
#[derive(Serialize, Deserialize)]
struct Line {
    /// Seconds since 1970.
    time: u64,
    #[serde(flatten)]
    event: Event,
}

/// A version of a bot.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) received: Received,
    /// Seconds since 1970.
    pub(super) time: u64,
    /// How the check ended, if it is over.
    pub(super) state: Option<String>,
    /// The command that runs it, if it passed.
    pub(super) run: Option<String>,
    /// True if it has played for points.
    pub(super) is_accepted: bool,
}

/// Versions that play: the number of each and the command that runs it, by the names of the bots.
pub(super) type Field = BTreeMap<String, (u32, String)>;

/// What follows from the events.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The versions of each bot by their numbers.
    pub(super) bots: BTreeMap<String, BTreeMap<u32, Version>>,
    /// The last print of each hand-in that was taken or refused, and whether it may be taken after the next start.
    seen: BTreeMap<String, (String, bool)>,
    /// The number of the version that each hand-in became, and the digest of its files.
    pub(super) became: BTreeMap<String, (u32, String)>,
    /// The bots that play no more, some with a reason.
    pub(super) withdrawn: BTreeMap<String, Option<String>>,
    pub(super) is_paused: bool,
    /// The moment of the close, in seconds since 1970.
    pub(super) closed: Option<u64>,
    pub(super) is_published: bool,
    /// The digests of the tokens of invited authors, by their names.
    pub(super) invited: BTreeMap<String, String>,
}

impl State {
    /// Reads the journal in the folder of a contest. Returns what follows from it, and the bytes of its whole lines.
    ///
    /// # Errors
    /// It cannot be read, or a line is no event.
    pub(super) fn read(contest: &Path) -> Result<(State, u64), Error> {
        let path = contest.join(CONTEST_MARK);
        let unreadable = |error: std::io::Error| {
            Error::unreadable(&path, &error).hint("name the folder of a contest that was begun")
        };
        let mut reader = BufReader::new(results::open(&path).map_err(unreadable)?);
        let (mut state, mut whole_bytes, mut line) = (State::default(), 0, Vec::new());
        while results::read_line(&mut reader, &mut line).map_err(unreadable)? > 0 && line.ends_with(b"\n") {
            whole_bytes += line.len() as u64;
            state.apply(serde_json::from_slice(&line).map_err(|error| {
                Error::usage(format!("{} is not the journal of a contest: {error}", path.display()))
            })?);
            line.clear();
        }
        Ok((state, whole_bytes))
    }

    fn apply(&mut self, Line { time, event }: Line) {
        match event {
            Event::Received(received) => {
                self.seen.insert(received.from.clone(), (received.print.clone(), false));
                self.became.insert(received.from.clone(), (received.number, received.digest.clone()));
                let versions = self.bots.entry(received.name.clone()).or_default();
                // A repeated hand-in of the same files changes nothing else.
                versions.entry(received.number).or_insert(Version {
                    received,
                    time,
                    state: None,
                    run: None,
                    is_accepted: false,
                });
            }
            Event::Refused { from, print, again, .. } => _ = self.seen.insert(from, (print, again)),
            Event::Checked { name, number, state, run } => {
                if let Some(version) = self.version_mut(&name, number) {
                    (version.state, version.run) = (Some(state), run);
                }
            }
            Event::Accepted { versions } => versions.iter().for_each(|(name, number)| {
                self.version_mut(name, *number).into_iter().for_each(|version| version.is_accepted = true);
            }),
            Event::Ordered(Order::Pause) => self.is_paused = true,
            Event::Ordered(Order::GoOn) => self.is_paused = false,
            Event::Ordered(Order::Close) => _ = self.closed.get_or_insert(time),
            Event::Ordered(Order::Publish) => {
                self.closed.get_or_insert(time);
                self.is_published = true;
            }
            Event::Ordered(Order::Withdraw { name, reason }) => _ = self.withdrawn.insert(name, reason),
            Event::Ordered(Order::TakeBack { name }) => _ = self.withdrawn.remove(&name),
            Event::Ordered(Order::Invite { links }) => self.invited.extend(links),
            Event::Ordered(Order::Revoke { name }) => _ = self.invited.remove(&name),
        }
    }

    /// Returns true if a hand-in with this print was taken or refused.
    pub(super) fn is_seen(&self, from: &str, print: &str) -> bool {
        self.seen.get(from).is_some_and(|(known, _)| known == print)
    }

    /// Returns true if a hand-in with this print was taken, or refused for good.
    pub(super) fn is_taken(&self, from: &str, print: &str) -> bool {
        self.seen.get(from).is_some_and(|(known, again)| known == print && !again)
    }

    /// Returns true if the contest was closed at this moment, in seconds since 1970.
    pub(super) fn is_closed_at(&self, time: u64) -> bool {
        self.closed.is_some_and(|closed| time >= closed)
    }

    /// Returns the newest version of a bot.
    pub(super) fn last(&self, name: &str) -> Option<&Version> {
        self.bots.get(name)?.values().last()
    }

    /// Returns a version.
    pub(super) fn version(&self, name: &str, number: u32) -> Option<&Version> {
        self.bots.get(name)?.get(&number)
    }

    fn version_mut(&mut self, name: &str, number: u32) -> Option<&mut Version> {
        self.bots.get_mut(name)?.get_mut(&number)
    }

    /// Returns the bots and numbers of all versions that are not checked yet.
    pub(super) fn unchecked(&self) -> Vec<(String, u32)> {
        let all = self.bots.iter().flat_map(|(name, versions)| versions.iter().map(move |one| (name, one)));
        let open = all.filter(|(_, (_, version))| version.state.is_none());
        open.map(|(name, (number, _))| (name.clone(), *number)).collect()
    }

    /// Returns the newest version of each bot that plays for points.
    pub(super) fn field(&self) -> Field {
        self.newest(|version| version.is_accepted)
    }

    /// Returns the newest version of each bot that passed its check and is newer than the one that plays.
    pub(super) fn waiting(&self) -> Field {
        let mut newest = self.newest(|_| true);
        newest.retain(|name, (number, _)| self.version(name, *number).is_some_and(|one| !one.is_accepted));
        newest
    }

    /// Returns the newest of these versions of each bot that is not withdrawn, with the command that runs it.
    fn newest(&self, is_one: impl Fn(&Version) -> bool) -> Field {
        let plays = self.bots.keys().filter(|name| !self.withdrawn.contains_key(*name));
        plays.filter_map(|name| Some((name.clone(), self.newest_of(name, &is_one)?))).collect()
    }

    /// Returns the newest version of a bot that passed its check, with the command that runs it.
    pub(super) fn passed(&self, name: &str) -> Option<(u32, String)> {
        self.newest_of(name, |_| true)
    }

    fn newest_of(&self, name: &str, is_one: impl Fn(&Version) -> bool) -> Option<(u32, String)> {
        let mut of_last = self.bots.get(name)?.iter().rev().filter(|(_, version)| is_one(version));
        of_last.find_map(|(number, version)| Some((*number, version.run.clone()?)))
    }

    /// Returns the newest versions of other bots that have the same files.
    pub(super) fn copies(&self, name: &str, digest: &str) -> Vec<String> {
        let others = self.bots.iter().filter(|(other, _)| *other != name);
        let latest = others.filter_map(|(other, versions)| Some((other, versions.last_key_value()?)));
        let same = latest.filter(|(_, (_, version))| version.received.digest == digest);
        same.map(|(other, (number, _))| format!("{other} {number}")).collect()
    }
}

/// The journal of a contest, and what follows from it.
pub(super) struct Events {
    journal: Journal,
    pub(super) state: State,
}

impl Events {
    /// Opens the journal in the folder of a contest. A torn last line is cut.
    ///
    /// # Errors
    /// It cannot be read or written, or a line is no event.
    pub(super) fn open(contest: &Path) -> Result<Events, Error> {
        let (state, whole_bytes) = State::read(contest)?;
        Ok(Events { journal: Journal::open(contest.join(CONTEST_MARK), whole_bytes)?, state })
    }

    /// Adds an event. It counts once it is on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn add(&mut self, event: Event) -> Result<(), Error> {
        let line = Line { time: now(), event };
        let text = serde_json::to_string(&line).expect("plain data") + "\n";
        self.journal
            .append(text.as_bytes())
            .map_err(|error| Error::host(error.message()).hint("no event was added; the contest goes on"))?;
        self.state.apply(line);
        Ok(())
    }
}
