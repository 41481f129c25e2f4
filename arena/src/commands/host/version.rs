//! Builds and checks a version of a bot, and tells its author.

use std::path::{Path, PathBuf};
use std::sync::RwLock;
use std::time::Duration;

use serde::Serialize;

use super::events::{Received, Version, rfc3339};
use super::play::dir;
use crate::check::{Report, Settings, check};
use crate::report::checks::text_of;
use crate::setup::lineup::LineupOptions;
use crate::setup::program::{Built, build};
use crate::setup::recipe::recipe;
use crate::setup::runtime::block_on;
use referee::bots::entrants::{Entrant, keep_apart};
use referee::bots::identity::Identity;
use referee::error::{Error, ErrorKind};
use sandbox::{Host, text};
use tournament::journal::files::{json, write_whole};
use tournament::journal::results;

/// The folder in that of a contest with a text for each author.
pub(super) const CHECKS: &str = "checks";
/// The state of a version that passed its checks.
pub(super) const PLAYS: &str = "plays";
/// The longest time of a build.
const BUILD_TIME: Duration = Duration::from_secs(300);
/// The most lines of a build that its author gets, from its beginning and from its end.
const LINES_MAX: usize = 40;
/// What all bots of a contest have in common.
const ALONE: &str = "Bots and builds have no network, and see their own folder alone: everything that yours needs must be in it.";

/// What the check of a hand-in found, for its author.
#[derive(Debug, Default, Serialize)]
pub(super) struct Told {
    pub(super) bot: String,
    /// The number of the version. `None` if the hand-in was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<u32>,
    /// The name of the file or folder that was handed in.
    pub(super) from: String,
    /// The moment at which it was taken, in UTC.
    pub(super) received: String,
    /// `plays`, `fails`, `does not start`, `not built`, `not taken`, `broken`, `replaced`, `withdrawn`, or
    /// `disqualified`.
    pub(super) state: &'static str,
    /// The first thing that is wrong, and what to do.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) cure: String,
    /// What was changed on the way.
    pub(super) notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) build: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<String>,
    /// What a failed build wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) output: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) check: Option<Report>,
}

/// What versions of a contest are checked with.
pub(super) struct Examiner {
    pub(super) contest: PathBuf,
    pub(super) lineup: LineupOptions,
    pub(super) settings: Settings,
    pub(super) host: Host,
    /// Held by a check, and alone by one of a bot that was late.
    pub(super) cores: RwLock<()>,
}

impl Told {
    pub(super) fn of(Version { received, time, .. }: &Version) -> Told {
        let Received { name, number, from, notes, .. } = received.clone();
        Told { bot: name, version: Some(number), from, notes, received: rfc3339(*time), ..Told::default() }
    }

    /// Returns this for a hand-in that comes no further, for the reason of this error.
    pub(super) fn stopped(self, state: &'static str, error: &Error) -> Told {
        let (reason, cure) = (error.message().to_owned(), error.cure().unwrap_or_default().to_owned());
        Told { state, reason, cure, ..self }
    }

    /// Returns the text for the author.
    fn text(&self) -> String {
        let Told { bot, version, from, received, state, reason, cure, notes, build, run, output, check } =
            self;
        let number = version.map_or(String::new(), |number| format!(", version {number}"));
        let mut text = format!("{bot}{number}: {state}\nhanded in as {from:?}, taken at {received}\n");
        for (what, said) in [("reason", reason), ("what to do", cure)] {
            if !said.is_empty() {
                text += &format!("{what}: {said}\n");
            }
        }
        notes.iter().for_each(|note| text += &format!("note: {note}\n"));
        for (what, command) in [("build", build), ("run", run)] {
            text += &command.as_ref().map_or(String::new(), |command| format!("{what}: {command}\n"));
        }
        if *state != PLAYS {
            text += &format!("\n{ALONE}\n");
        }
        if !output.is_empty() {
            text += &format!("\nThe build wrote:\n{}\n", output.join("\n"));
        }
        text += &check.as_ref().map_or(String::new(), |report| format!("\n{}", text_of(report)));
        text::lines(&text).into_owned()
    }

    /// Writes `NAME.txt` and `NAME.json` into the folder of checks of a contest, with `prefix` before the names. Where the
    /// contest lies is nobody's business.
    pub(super) fn write(&self, contest: &Path, prefix: &str) -> Result<(), Error> {
        let own = dir(&self.bot, self.version.unwrap_or_default()) + "/";
        let all = format!("{}/", contest.display());
        for (end, text) in [("json", json(self)), ("txt", self.text())] {
            let file = contest.join(CHECKS).join(format!("{prefix}{}.{end}", self.bot));
            write_whole(&file, text.replace(&all, "").replace(&own, "").as_bytes())?;
        }
        Ok(())
    }
}

impl Examiner {
    /// Builds the version in this folder if it needs that, and checks it.
    ///
    /// # Errors
    /// A problem of the machine, or a signal. What is wrong with the bot is told.
    pub(super) fn examine(&self, folder: &Path, told: Told) -> Result<Told, Error> {
        let found = match recipe(folder, false) {
            Err(error) if error.kind() == ErrorKind::Usage => return Ok(told.stopped("not taken", &error)),
            found => found?,
        };
        let Some(line) = found.build else { return self.check(folder, &found.run, told) };
        let told = Told { build: Some(line.clone()), ..told };
        let (told, made) = match build(folder, &line, &self.lineup.containment, BUILD_TIME) {
            Ok(Built { failure: None, .. }) => (told, recipe(folder, true)),
            Ok(Built { failure: Some(failure), output }) => {
                let output = output.lines().iter().map(|(_, line)| text::lines_of(line)).collect();
                let failed = Error::usage(format!("the build failed: {failure}"))
                    .hint("read what it wrote below, and hand in again");
                (Told { output: shortened(output), ..told }, Err(failed))
            }
            Err(error) => (told, Err(error)),
        };
        match made {
            Err(error) if error.kind() == ErrorKind::Usage => Ok(told.stopped("not built", &error)),
            made => self.check(folder, &made?.run, told),
        }
    }

    fn check(&self, folder: &Path, run: &str, told: Told) -> Result<Told, Error> {
        let mut told = Told { run: Some(run.to_owned()), ..told };
        let shell = run.split(' ').find(|word| word.ends_with(".sh") && !word.contains('/'));
        let is_of_windows =
            |file: &&str| results::read(&folder.join(file)).is_ok_and(|text| text.ends_with("\r\n"));
        told.notes.extend(
            shell
                .filter(is_of_windows)
                .map(|file| format!("the lines of {file} end as on Windows, and shells need those of Unix")),
        );
        let dir = Some(folder.to_owned());
        let bot = Identity { name: told.bot.clone(), command: run.to_owned(), dir, ..Identity::default() };
        let entrant = Entrant::new(&bot).and_then(|mut entrant| {
            // A version of git would be one of the organiser's.
            if entrant.is_bundled() || run.trim().starts_with("git:") {
                return Err(Error::usage(format!("{run} is no bot of yours"))
                    .hint("hand in a bot of your own: run = \"COMMAND\" in bot.toml starts it"));
            }
            entrant.command.is_foreign = true;
            self.lineup.equip(std::slice::from_mut(&mut entrant), &[&self.contest], true)?;
            keep_apart(std::slice::from_mut(&mut entrant), &[&self.contest]);
            Ok(entrant)
        });
        let entrant = match entrant {
            Err(error) if error.kind() == ErrorKind::Usage => {
                return Ok(told.stopped("does not start", &error));
            }
            entrant => entrant?,
        };
        let checked = || block_on(check(&entrant, &self.settings, &self.host, &mut |_| ()))?;
        let mut report = {
            let _others = self.cores.read().expect("no check panics");
            checked()?
        };
        if report.is_about_time() {
            // The others may have taken its time.
            let _alone = self.cores.write().expect("no check panics");
            report = checked()?;
        }
        let (state, reason) = report.outcome();
        let cure = report.first_failure().and_then(|finding| finding.hint.clone()).unwrap_or_default();
        Ok(Told { state, reason, cure, check: Some(report), ..told })
    }
}

/// Returns the first and the last lines of a text.
fn shortened(mut lines: Vec<String>) -> Vec<String> {
    if let more @ 1.. = lines.len().saturating_sub(2 * LINES_MAX) {
        lines.splice(LINES_MAX..LINES_MAX + more, [format!("... {more} lines are left out ...")]);
    }
    lines
}
