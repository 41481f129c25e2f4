//! The door of a contest: what its pages show, and the hand-ins that come through it.

use std::collections::BTreeMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use sha2::{Digest, Sha256};

use super::contest::{Contest, Job, SCRATCH, Unrated, check_distinct, moment, names_of};
use super::events::{Received, State, Version, now, rfc3339};
use super::orders::Order;
use super::play::{FINAL, RESULTS, SETTINGS, UNRATED};
use super::version::{CHECKS, PLAYS};
use crate::report::output::{say, show};
use crate::setup::league::League;
use crate::setup::runtime::block_on_unasked;
use crate::setup::words::base_url;
use referee::bots::bundled::BUNDLED;
use referee::bots::names::{check_new_name, fitted};
use referee::error::Error;
use referee::record::hex;
use referee::user_text;
use tournament::journal::{JOURNAL, results};
use tournament::plan::TOURNAMENT;
use tournament::standings::{Row, Standings};
use web::contest::{Door, Organiser, Own, OwnVersion, Shown, ShownRow, ShownVersion, UPLOADS, door_routes};
use web::serve::{Audience, follow_stages, league_routes};
use web::web::{Listener, Token, changing, host};

/// The port of the pages, unless another one is set.
const PORT: u16 = 8688;
/// The most files of an author that come at a time, and the most hand-ins within an hour.
const AT_ONCE_MAX: usize = 8;
const HAND_INS_MAX: usize = 30;
/// The shortest time between two matches of an author that do not count.
const MINUTE: Duration = Duration::from_secs(60);
/// The pause between two looks at whether the contest is over or published.
const PAUSE: Duration = Duration::from_millis(100);
/// The only bundled bot that plays any game.
const ANY_GAME: &str = "random";

/// The options of the pages.
#[derive(Debug, Args)]
pub(super) struct DoorArgs {
    /// Serve the pages of the contest on this port; 0 picks a free one [default with --listen or --base-url: 8688]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Serve them on this address, such as 0.0.0.0, so that other machines reach them [default: this machine alone]
    #[arg(long, value_name = "ADDR")]
    listen: Option<IpAddr>,
    /// Name the address that others see, such as https://arena.example.org, if a proxy passes requests on
    #[arg(long, value_name = "URL", value_parser = base_url)]
    base_url: Option<String>,
}

impl DoorArgs {
    fn is_open(&self) -> bool {
        self.port.is_some() || self.listen.is_some() || self.base_url.is_some()
    }

    /// Returns a personal link for each line of the file `names`, and the order that makes them valid in a contest.
    ///
    /// # Errors
    /// A file cannot be read, or a name is no name of a new bot.
    pub(super) fn invite(&self, names: &Path, contest: &Path) -> Result<(String, Order), Error> {
        let text = user_text::read(names)?;
        let of_settings = names_of(&League::read(&contest.join(SETTINGS))?.1)?;
        let state = State::read(contest)?.0;
        let (mut lines, mut links) = (String::new(), BTreeMap::new());
        let (address, port) = (self.listen.unwrap_or(Ipv4Addr::LOCALHOST.into()), self.port.unwrap_or(PORT));
        let base = self.base_url.clone().unwrap_or_else(|| format!("http://{}", host(address, port)));
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, token) = (fitted(line).trim_end_matches('-').to_owned(), Token::random()?);
            let others = state.bots.keys().chain(state.invited.keys()).filter(|other| **other != name);
            let others = others.chain(links.keys()).chain(&of_settings);
            check_new_name(&name)
                .and_then(|_| check_distinct(&name, others))
                .map_err(|error| error.at(names.display()))?;
            lines += &format!("{name}\t{base}/in/{}\n", token.as_str());
            links.insert(name, digest(token.as_str()));
        }
        Ok((lines, Order::Invite { links }))
    }

    /// Serves the pages until the contest is over.
    pub(super) fn serve(&self, contest: &Arc<Contest>, is_over: &AtomicBool) -> Result<(), Error> {
        if !self.is_open() {
            return Ok(());
        }
        block_on_unasked(async {
            let address = self.listen.unwrap_or(Ipv4Addr::LOCALHOST.into());
            let mut listener = Listener::open(address, self.port.unwrap_or(PORT)).await?;
            listener.open_to_all(UPLOADS);
            self.base_url.iter().for_each(|base| listener.accept(base));
            show(&format!("{} (the pages of the contest)\n", listener.link()))?;
            let door = Door {
                contest: Arc::clone(contest) as Arc<dyn Organiser>,
                base_url: self.base_url.clone(),
                cookie: format!("contest-{}", listener.port()),
            };
            let is_published = || contest.events().state.is_published;
            let until = async |is_so: &dyn Fn() -> bool| {
                while !is_over.load(Ordering::Relaxed) && !is_so() {
                    tokio::time::sleep(PAUSE).await;
                }
            };
            let (pages, now) = changing();
            drop(pages.send_replace(door_routes(door)));
            let begun = || {
                let stages = [RESULTS, FINAL].map(|name| (name.to_owned(), contest.folder.join(name)));
                stages.into_iter().filter(|(_, dir)| dir.join(TOURNAMENT).exists()).collect()
            };
            let change = async {
                until(&is_published).await;
                // All of it, with a final as soon as it begins.
                follow_stages(begun, |stages| {
                    let base_url = self.base_url.as_deref();
                    let all = league_routes(&contest.folder, stages, base_url, Audience::default());
                    drop(pages.send_replace(all));
                    Ok(())
                })
                .await
            };
            tokio::select! {
                served = listener.serve(now) => served,
                changed = change => match changed? {},
                () = until(&|| false) => Ok(()),
            }
        })?
    }
}

fn digest(token: &str) -> String {
    hex(&Sha256::digest(token))
}

impl Contest {
    /// Returns the rows of these tables.
    fn rows(&self, standings: &Standings) -> Vec<ShownRow> {
        let field = self.events().state.field();
        let rows = standings.rows.iter();
        let rows = rows.filter(|row| field.contains_key(&row.bot) || self.bots.contains(&row.bot));
        let row = |row: &Row| ShownRow {
            rank: row.rank,
            bot: row.bot.clone(),
            version: field.get(&row.bot).map(|(number, _)| *number),
            elo: row
                .rating
                .and_then(|rating| Some((rating.elo, rating.ci95.map(|[low, high]| (high - low) / 2.0)?))),
            points: row.points,
            matches: row.matches,
            faults: row
                .faults
                .iter()
                .filter(|(_, count)| **count > 0)
                .map(|(kind, count)| (*kind, *count))
                .collect(),
        };
        rows.map(row).collect()
    }

    /// Returns the rated versions of each bot that plays, up to the one that plays.
    fn versions(&self) -> Vec<ShownVersion> {
        let (rated, field) = (self.table.rated(), self.events().state.field());
        let plays = |bot: &String, number: u32| field.get(bot).is_some_and(|(plays, _)| number <= *plays);
        let shown = rated.into_iter().filter(|((bot, number), _)| plays(bot, *number));
        shown.map(|((bot, version), (elo, matches))| ShownVersion { bot, version, elo, matches }).collect()
    }

    /// Returns the bundled bots that play the game.
    fn opponents(&self) -> Vec<&'static str> {
        let names = BUNDLED.iter().map(|bot| bot.name);
        names.filter(|name| !self.table.is_own_game() || *name == ANY_GAME).collect()
    }

    /// Returns the state of a version for its author. `plays` is the number of the one that plays.
    fn state_of(&self, version: &Version, plays: Option<u32>, is_out: bool) -> String {
        let Received { name, number, .. } = &version.received;
        let place = || {
            let is_it =
                |job: &Job| matches!(job, Job::Check { name: of, number: it } if of == name && it == number);
            self.queue().waiting.iter().position(is_it)
        };
        match version.state.as_deref() {
            _ if is_out => "withdrawn".to_owned(),
            None => place().map_or("is being checked".to_owned(), |before| {
                format!("waits for its check, {before} before it")
            }),
            Some(PLAYS) if plays == Some(*number) => PLAYS.to_owned(),
            Some(PLAYS) if version.is_accepted || plays > Some(*number) => "replaced".to_owned(),
            Some(PLAYS) => "waits for its trial".to_owned(),
            Some(state) => state.to_owned(),
        }
    }
}

impl Organiser for Contest {
    fn shown(&self) -> Shown {
        let (title, text) = self.announced.clone();
        let events = self.events();
        let is_late = self.is_late(&events.state, now());
        let is_paused = events.state.is_paused;
        drop(events);
        let taken = match (self.options.opens, self.options.closes) {
            _ if is_late => "Hand-ins are not taken any more.".to_owned(),
            (Some(opens), _) if self.is_early() => format!("Hand-ins are taken from {} on.", moment(opens)),
            (_, Some(closes)) => format!("Hand-ins are taken until {}.", moment(closes)),
            _ => "Hand-ins are taken.".to_owned(),
        };
        let shown = self.table.shown();
        let played = shown.as_ref().map_or(String::new(), |shown| {
            format!("{} of {} matches are played.", shown.standings.matches, shown.total)
        });
        let rows = shown.map_or(Vec::new(), |shown| self.rows(&shown.standings));
        let versions = self.versions();
        let waiting = { self.queue().waiting.len() };
        let waiting =
            if waiting > 0 { format!("{waiting} hand-ins wait for their checks.") } else { String::new() };
        let paused = if is_paused { "The contest pauses." } else { "" };
        Shown { title, text, state: vec![taken, played, waiting, paused.to_owned()], rows, versions }
    }

    fn author(&self, token: &str) -> Option<String> {
        let wanted = digest(token);
        let events = self.events();
        events.state.invited.iter().find(|(_, digest)| **digest == wanted).map(|(name, _)| name.clone())
    }

    fn own(&self, author: &str) -> Own {
        let events = self.events();
        let known: Vec<Version> =
            events.state.bots.get(author).into_iter().flat_map(BTreeMap::values).rev().cloned().collect();
        let plays = events.state.field().get(author).map(|(number, _)| *number);
        let is_out = events.state.withdrawn.contains_key(author);
        drop(events);
        let rated = self.table.rated();
        let versions = known.into_iter().map(|version| {
            let number = version.received.number;
            let state = self.state_of(&version, plays, is_out);
            OwnVersion {
                number,
                received: rfc3339(version.time),
                state,
                result: rated.get(&(author.to_owned(), number)).copied(),
            }
        });
        let versions = versions.collect();
        let check =
            results::read(&self.folder.join(CHECKS).join(format!("{author}.txt"))).unwrap_or_default();
        let unrated =
            self.visits.unrated().get(author).map(|unrated| unrated.said.clone()).unwrap_or_default();
        let has_unrated = fs::metadata(self.folder.join(UNRATED).join(author).join(JOURNAL))
            .is_ok_and(|file| file.len() > 0);
        let (title, bot, opponents) = (self.announced.0.clone(), author.to_owned(), self.opponents());
        Own { title, bot, versions, check, opponents, unrated, has_unrated }
    }

    fn begin(&self, author: &str) -> Result<PathBuf, Error> {
        self.may_hand_in(&self.events().state, author, now())?;
        if let Some(opens) = self.options.opens.filter(|_| self.is_early()) {
            return Err(
                Error::usage(format!("hand-ins are taken from {} on", moment(opens))).hint("come back then")
            );
        }
        if self.visits.of(author, |taken| taken.len()) >= HAND_INS_MAX {
            return Err(Error::usage(format!("{HAND_INS_MAX} hand-ins came from you within an hour"))
                .hint("wait a while"));
        }
        let all = self.folder.join(SCRATCH);
        results::folder(&all).map_err(|error| Error::unwritable(&all, &error))?;
        // No name of a bot has this letter.
        let own = format!("{author}@");
        let others = fs::read_dir(&all).into_iter().flatten().flatten();
        if others.filter(|other| other.file_name().as_bytes().starts_with(own.as_bytes())).count()
            >= AT_ONCE_MAX
        {
            return Err(
                Error::usage(format!("{AT_ONCE_MAX} files of yours are on their way")).hint("wait for them")
            );
        }
        let folder = tempfile::Builder::new().prefix(&own).tempdir_in(&all);
        Ok(folder.map_err(|error| Error::unwritable(&all, &error))?.keep())
    }

    fn take(&self, author: &str, folder: &Path) -> Result<u32, Error> {
        self.visits.of(author, |taken| taken.push(Instant::now()));
        let entries = fs::read_dir(folder).map_err(|error| Error::unreadable(folder, &error))?;
        let from =
            entries.flatten().find_map(|entry| entry.file_name().into_string().ok()).unwrap_or_default();
        self.take_from_door(author, folder, &from)
    }

    fn play(&self, author: &str, against: &str) -> Result<(), Error> {
        if !self.opponents().contains(&against) {
            return Err(Error::usage(format!("there is no bundled bot {against:?} for this game"))
                .hint("choose one of the page"));
        }
        let newest = self.events().state.passed(author);
        let Some((number, run)) = newest else {
            return Err(Error::usage("no version of yours has passed its checks").hint("hand in one first"));
        };
        let mut all = self.visits.unrated();
        if all.get(author).is_some_and(|unrated| !unrated.is_over) {
            return Err(Error::usage("a match of yours waits already").hint("wait for its end"));
        }
        if all.get(author).is_some_and(|unrated| unrated.asked.elapsed() < MINUTE) {
            return Err(Error::usage("a match of yours was played a moment ago").hint("wait a minute"));
        }
        let said = format!("Version {number} against {against}: it waits or plays.");
        all.insert(author.to_owned(), Unrated { asked: Instant::now(), said, is_over: false });
        let (name, against) = (author.to_owned(), against.to_owned());
        self.queue().waiting.push_back(Job::Try { name, number, run, against });
        Ok(())
    }

    fn unrated(&self, author: &str) -> Option<String> {
        self.table.unrated(author).inspect_err(|error| say(&error.to_string())).ok()?
    }
}
