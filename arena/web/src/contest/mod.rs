//! The door of a contest: a page for everybody, and one for each author, who hands in files there.
//!
//! All pages work without JavaScript. [`Shown`] has everything that a visitor may see while bots can still change, and
//! [`Own`] everything that the author of a bot may see. [`Organiser`] is who runs it.

mod page;
mod routes;
mod upload;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine::wire::FaultKind;
use referee::error::Error;

pub use page::UPLOADS;
pub use routes::{Door, door_routes};
pub use upload::BYTES_MAX;

/// What everybody may see of a running contest. The first page is made of nothing else.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// What the organiser says about the contest.
    pub title: String,
    /// A text below the title, and when the contest is.
    pub text: Vec<String>,
    /// Sentences that say whether hand-ins are taken, and what is played.
    pub state: Vec<String>,
    /// A row for each bot that plays, best first.
    pub rows: Vec<ShownRow>,
    /// The versions of these bots that have played, sorted by bots and numbers.
    pub versions: Vec<ShownVersion>,
}

/// A version that has played for points.
#[derive(Clone, Debug)]
pub struct ShownVersion {
    /// The bot.
    pub bot: String,
    /// Its number, from 1.
    pub version: u32,
    /// Its rating in Elo, on a scale of all versions: the mean of all is 0.
    pub elo: f64,
    /// The number of its matches.
    pub matches: u64,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct ShownRow {
    /// Place in the table; equal results share it.
    pub rank: u32,
    /// The bot.
    pub bot: String,
    /// The number of its version, from 1. `None` for a bot of the organiser.
    pub version: Option<u32>,
    /// Its rating in Elo, with half of its 95 % interval; `None` with few matches.
    pub elo: Option<(f64, f64)>,
    /// The share of opponents that it beat, in percent.
    pub points: f64,
    /// Matches played.
    pub matches: u64,
    /// Faults by kind.
    pub faults: BTreeMap<FaultKind, u64>,
}

/// What the author of a bot may see of it while bots can still change.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// The title of the contest.
    pub title: String,
    /// The bot, which is also the name of its author.
    pub bot: String,
    /// Its versions, the newest first.
    pub versions: Vec<OwnVersion>,
    /// The text of its last check.
    pub check: String,
    /// The bots against which it can play a match that does not count, and how the last one ended.
    pub opponents: Vec<&'static str>,
    /// The state of that match; empty before the first one.
    pub unrated: String,
    /// True if that match has a page.
    pub has_unrated: bool,
}

/// A version of a bot.
#[derive(Clone, Debug)]
pub struct OwnVersion {
    /// Its number, from 1.
    pub number: u32,
    /// The moment at which it was handed in, in UTC.
    pub received: String,
    /// Its state, such as "plays", or what it waits for.
    pub state: String,
    /// Its rating in Elo, and the number of its matches, if it has played for points.
    pub result: Option<(f64, u64)>,
}

/// Who runs a contest, for its pages.
pub trait Organiser: Send + Sync {
    /// Returns what everybody may see.
    fn shown(&self) -> Shown;

    /// Returns the name of the author with this token.
    fn author(&self, token: &str) -> Option<String>;

    /// Returns what this author may see.
    fn own(&self, author: &str) -> Own;

    /// Begins a hand-in. Returns a new folder for its file.
    ///
    /// # Errors
    /// The contest is closed to it, or the author has handed in too much.
    fn begin(&self, author: &str) -> Result<PathBuf, Error>;

    /// Takes the file in the folder of a hand-in, which has its name. Returns the number of its version once that is safe on
    /// the disk. The folder goes in any case.
    ///
    /// # Errors
    /// The file is not taken, with what is wrong with it.
    fn take(&self, author: &str, folder: &Path) -> Result<u32, Error>;

    /// Lets the newest version of an author play a match that does not count against a bundled bot.
    ///
    /// # Errors
    /// There is no such version or bot, or such a match waits already.
    fn play(&self, author: &str, against: &str) -> Result<(), Error>;

    /// Returns the page of the last match that did not count.
    fn unrated(&self, author: &str) -> Option<String>;
}
