//! Options for limits, freezing, and the sandbox, for every command that plays.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};
use engine::wire::{NUMBER_MAX, WireFormat};
use serde::Deserialize;

use super::layers::layered;
use super::words::word;
use crate::report::output::say;
use referee::bots::entrants::{Entrant, Identity, check_distinct, keep_apart, preflight};
use referee::bots::grants::check_grants;
use referee::bots::names::did_you_mean;
use referee::bots::size::{memory, memory_text};
use referee::error::Error;
use referee::play::seeds::{GUESSABLE_BELOW, check_seed, fresh_seed};
use referee::play::time_control::{OwnLimits, TimeControl, whole_ms};
use referee::record::MatchRecord;
use sandbox::Layer;
use sandbox::selftest::{Freeze, Shortage};
use sandbox::{Host, SandboxLevel};
use tournament::plan::{Contained, TournamentFile};

/// The smallest limit on a bot's processor time in a match while it owes no answer. A runtime that cleans up
/// after an answer needs less.
const OFF_TURN_MAX: Duration = Duration::from_secs(1);
/// The same limit for frozen bots.
const OFF_TURN_MAX_STOPPED: Duration = Duration::from_millis(200);
/// The budgets that every language reads exactly.
const BUDGETS: Range<u64> = 1..NUMBER_MAX;
/// The longest time limit.
const TIME_MAX: Duration = Duration::from_secs(30 * 24 * 3600);

/// Limits of bots, as options or in a league file.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LimitOptions {
    /// Limit the time from start to "ready" [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Time and limits", hide_short_help = true)]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) startup_time: Option<Duration>,
    /// Limit the time of a move [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Time and limits")]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) move_time: Option<Duration>,
    /// Limit the time of all moves of a match [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Time and limits")]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) match_time: Option<Duration>,
    /// Add this to the match time after each move [default: nothing]
    #[arg(long, value_name = "TIME", value_parser = increment, help_heading = "Time and limits", hide_short_help = true)]
    #[serde(deserialize_with = "increment_text")]
    pub(crate) increment: Option<Duration>,
    /// Tell bots how much work to do for a move, such as nodes; bundled bots do it [default: none]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(BUDGETS), help_heading = "Time and limits", hide_short_help = true)]
    #[serde(deserialize_with = "budget_number")]
    pub(crate) budget: Option<u64>,
    /// Set a limit for one bot, such as mine:move-time=2s; repeatable
    #[arg(long = "limit", value_name = "NAME:KEY=VALUE", value_parser = own_limit, help_heading = "Time and limits", hide_short_help = true)]
    #[serde(skip)]
    pub(crate) own: Vec<(String, OwnLimits)>,
    /// Limit the memory of a bot and its children, such as 512MiB [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Time and limits")]
    #[serde(deserialize_with = "memory_text")]
    pub(crate) memory: Option<u64>,
    /// Freeze bots outside their turns [default: in patchwork]
    #[arg(
        long,
        num_args = 0,
        default_missing_value = "true",
        overrides_with = "no_freeze",
        help_heading = "Sandbox"
    )]
    pub(crate) freeze: Option<bool>,
    /// Let bots run during the turns of others
    #[arg(long, help_heading = "Sandbox", hide_short_help = true)]
    #[serde(skip)]
    pub(crate) no_freeze: bool,
    /// Choose how strictly bots are confined [default: auto]
    #[arg(long, value_parser = word::<SandboxLevel>(), value_name = "HOW", help_heading = "Sandbox")]
    pub(crate) contain: Option<SandboxLevel>,
    /// Let your bots read this file or folder too; repeatable
    #[arg(long, value_name = "PATH", help_heading = "Sandbox")]
    #[serde(skip)]
    pub(crate) read: Vec<PathBuf>,
    /// Let your bots write this folder too; repeatable
    #[arg(long, value_name = "DIR", help_heading = "Sandbox", hide_short_help = true)]
    #[serde(skip)]
    pub(crate) write: Vec<PathBuf>,
    /// Let your bots use the network
    #[arg(long, help_heading = "Sandbox", hide_short_help = true)]
    #[serde(skip)]
    pub(crate) network: bool,
    /// Play as root even if the system cannot give bots a user of their own
    #[arg(long, help_heading = "Sandbox", hide_short_help = true)]
    #[serde(skip)]
    pub(crate) allow_root: bool,
}

layered!(
    LimitOptions:
    values startup_time, move_time, match_time, increment, budget, memory, freeze, contain;
    flags;
    typed own, no_freeze, read, write, network, allow_root
);

impl LimitOptions {
    /// Returns the limits of a tournament's file, without files or network.
    pub(crate) fn of<S>(file: &TournamentFile<S>) -> LimitOptions {
        let TournamentFile { plan, containment: contained, .. } = file;
        let TimeControl { startup, per_move, per_match, increment, budget } = plan.limits;
        LimitOptions {
            startup_time: Some(startup),
            move_time: Some(per_move),
            match_time: per_match,
            increment: Some(increment).filter(|time| !time.is_zero()),
            budget,
            memory: plan.memory_bytes,
            freeze: Some(plan.freeze),
            contain: contained.as_ref().map(|contained| contained.mode),
            ..LimitOptions::default()
        }
    }

    /// Returns these options, with missing ones filled in from the tournament's file, if there is one.
    pub(crate) fn over_tournament<S>(&self, file: Option<&TournamentFile<S>>) -> LimitOptions {
        self.clone().over(file.map_or(LimitOptions::default(), LimitOptions::of))
    }

    /// Gives bots the limits of `--limit`, and checks the limits of all. While names are not settled, `--limit` may have
    /// the name of a bot that is not there yet.
    ///
    /// # Errors
    /// No bot has the name, or the limits of a bot do not fit together.
    pub(crate) fn limit(&self, entrants: &mut [Entrant], is_settled: bool) -> Result<(), Error> {
        for (name, own) in &self.own {
            match entrants.iter_mut().find(|entrant| entrant.identity.name == *name) {
                Some(entrant) => entrant.identity.limits = own.over(entrant.identity.limits),
                None if !is_settled => {}
                None => {
                    let names = entrants.iter().map(|entrant| entrant.identity.name.as_str());
                    let near = did_you_mean(name, names.clone());
                    return Err(Error::usage(format!("--limit {name}: no bot has this name"))
                        .hint(format!("{near}the bots are {}", names.collect::<Vec<_>>().join(", "))));
                }
            }
        }
        let table = self.time_control();
        entrants
            .iter()
            .map(|entrant| &entrant.identity)
            .try_for_each(|Identity { name, limits, .. }| limits.at(table).checked(name).map(drop))
    }

    /// Returns the limits by seat of a match that is played again. Options come before the record, and the record before
    /// the tournament.
    pub(crate) fn of_seats<G: WireFormat, S>(
        &self,
        record: &MatchRecord<G>,
        file: Option<&TournamentFile<S>>,
    ) -> Vec<TimeControl> {
        let table = self.over_tournament(file).time_control();
        let limits = |(seat, name): (usize, &String)| {
            let bot = file.and_then(|file| file.plan.bots.iter().find(|bot| bot.name == *name));
            let there = record.limits.get(seat).copied();
            let there = there.unwrap_or_else(|| bot.map_or(table, |bot| bot.limits.at(table)));
            let own = self.own.iter().filter(|(bot, _)| bot == name);
            own.fold(self.own_limits().at(there), |limits, (_, own)| own.at(limits))
        };
        record.bots.iter().enumerate().map(limits).collect()
    }

    /// Grants files and network to a bot, unless it is bundled.
    ///
    /// # Errors
    /// A path does not exist, or `--write` does not name a folder.
    pub(crate) fn apply(&self, entrant: &mut Entrant) -> Result<(), Error> {
        if entrant.is_bundled() {
            return Ok(());
        }
        let there = |option: &str, path: &PathBuf| {
            path.canonicalize().map_err(|error| Error::usage(format!("{option} {}: {error}", path.display())))
        };
        let read = self.read.iter().map(|path| there("--read", path)).collect::<Result<Vec<_>, _>>()?;
        let write = self.write.iter().map(|path| there("--write", path)).collect::<Result<Vec<_>, _>>()?;
        if let Some(file) = write.iter().find(|path| !path.is_dir()) {
            return Err(Error::usage(format!("--write {}: not a folder", file.display())));
        }
        entrant.allow(&read, &write, self.network);
        Ok(())
    }

    /// Returns the first option of the sandbox that was given.
    pub(crate) fn of_the_sandbox(&self) -> Option<&'static str> {
        let LimitOptions { memory, freeze, no_freeze, contain, read, write, network, allow_root, .. } = self;
        let given = [
            (memory.is_some(), "--memory"),
            (freeze.is_some(), "--freeze"),
            (*no_freeze, "--no-freeze"),
            (contain.is_some(), "--contain"),
            (!read.is_empty(), "--read"),
            (!write.is_empty(), "--write"),
            (*network, "--network"),
            (*allow_root, "--allow-root"),
        ];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }

    /// Returns true if the bots of a game are frozen outside their turns. This is the default unless its turns
    /// are simultaneous.
    pub(crate) fn freezes(&self, simultaneous: bool) -> bool {
        !self.no_freeze && self.freeze.unwrap_or(!simultaneous)
    }

    /// Gives the bots of a command without a tournament their limits and grants, and starts each once. Returns the host
    /// that they play on.
    ///
    /// # Errors
    /// A bot cannot start, or does not get what it asks for. Two bots have the same name. Or as [`host`](Self::host).
    pub(crate) async fn ready(
        &self,
        entrants: &mut [Entrant],
        simultaneous: bool,
        quiet: bool,
    ) -> Result<Host, Error> {
        for entrant in &mut *entrants {
            self.apply(entrant)?;
        }
        self.limit(entrants, false)?;
        check_grants(entrants, &[])?;
        let (host, _) = self.host(entrants, &[simultaneous], quiet).await?;
        keep_apart(entrants, &[]);
        let greeted = preflight(entrants, &host, self.time_control(), &[], false).await;
        greeted.into_iter().collect::<Result<Vec<_>, _>>()?;
        check_distinct(entrants)?;
        self.limit(entrants, true)?;
        Ok(host)
    }

    /// Returns the shared settings of all bots, and the sandbox that holds on this machine. Prints a note that
    /// names the missing layers, unless `quiet` is set or all bots are bundled. Freezes bots if these options do so
    /// for one of the games. `simultaneous` tells for each game whether its turns are.
    ///
    /// # Errors
    /// A required layer is missing: under `strict`, or a separate user for bots if the arena runs as root.
    pub(crate) async fn host(
        &self,
        bots: &[Entrant],
        simultaneous: &[bool],
        quiet: bool,
    ) -> Result<(Host, Contained), Error> {
        let freeze = simultaneous.iter().any(|&turns| self.freezes(turns));
        // If all move at once, not freezing is the default, and those with retries are stopped all the same.
        let is_off = self.no_freeze || (self.freeze == Some(false) && simultaneous.contains(&false));
        if let Some(bot) = bots.iter().find(|bot| is_off && bot.identity.retries > 0) {
            let name = &bot.identity.name;
            return Err(Error::usage(format!("bot {name:?} has retries, and bots are not stopped (--no-freeze)"))
                .hint("a bot that is asked again must not think meanwhile: leave out --no-freeze and freeze = false"));
        }
        let host = Host::new().raise_open_files().contain(self.contain.unwrap_or_default()).freeze(freeze);
        let host = host.memory_bytes(self.memory);
        let have_turns = !simultaneous.contains(&true);
        let host = if have_turns { host.freeze_on_call() } else { host };
        let host = host.apart(!have_turns).off_turn_max(self.off_turn_max(freeze, have_turns));
        let contained = Contained::survey(&host).await.map_err(|failed| Error::host(failed.to_string()))?;
        contained.check(self.allow_root).map_err(|shortage| refused(&contained, shortage))?;
        if !quiet && bots.iter().any(|bot| !bot.is_bundled()) {
            notes(&contained).iter().for_each(|line| say(line));
        }
        Ok((host, contained))
    }

    /// Returns the maximum processor time of a bot while it owes no answer. A frozen bot gets almost nothing.
    /// If all bots move at once, a bot gets too little to profit. If bots may think during the turns of
    /// others, there is no limit.
    fn off_turn_max(&self, freeze: bool, have_turns: bool) -> Option<Duration> {
        match (freeze, have_turns) {
            (true, _) => Some(OFF_TURN_MAX_STOPPED),
            (false, false) => Some(OFF_TURN_MAX.max(self.time_control().per_move)),
            (false, true) => None,
        }
    }

    /// Returns the seed of the user, or a random one. Prints a note if a bot could guess the user's seed, and
    /// `has_strangers` tells that others may have written the bots.
    ///
    /// # Errors
    /// The seed is too large, or a bot could guess it under `strict`.
    pub(crate) fn seed(&self, typed: Option<u64>, has_strangers: bool) -> Result<u64, Error> {
        let Some(seed) = typed else { return fresh_seed() };
        let contain = self.contain.unwrap_or_default();
        if check_seed(seed)? >= GUESSABLE_BELOW {
            return Ok(seed);
        }
        if contain.is_strict() {
            return Err(Error::usage(format!(
                "seed {seed} with --contain {}: a bot could guess it and know the deals",
                contain.as_str()
            ))
            .hint("omit --seed, or use a random seed of at least 13 digits"));
        }
        if has_strangers {
            say(&format!(
                "note: a bot could guess the seed {seed} and know the deals; omit --seed if you play bots of others"
            ));
        }
        Ok(seed)
    }

    /// Returns the limits of bots without limits of their own, with missing ones filled in from the defaults.
    pub(crate) fn time_control(&self) -> TimeControl {
        self.own_limits().at(TimeControl::default())
    }

    /// Returns the limits that these options set.
    pub(crate) fn own_limits(&self) -> OwnLimits {
        let ms = |time: Option<Duration>| time.map(whole_ms);
        OwnLimits {
            startup_ms: ms(self.startup_time),
            move_ms: ms(self.move_time),
            match_ms: ms(self.match_time),
            increment_ms: ms(self.increment),
            budget: self.budget,
        }
    }
}

/// Parses a limit of one bot, such as `mine:move-time=2s`.
fn own_limit(text: &str) -> Result<(String, OwnLimits), String> {
    let parts = text.rsplit_once(':').and_then(|(name, rest)| Some((name, rest.split_once('=')?)));
    let Some((name, (key, value))) = parts.filter(|(name, _)| !name.is_empty()) else {
        return Err("NAME:KEY=VALUE, such as mine:move-time=2s".to_owned());
    };
    if !OwnLimits::KEYS.contains(&key) {
        let near = did_you_mean(key, OwnLimits::KEYS);
        return Err(format!("unknown key {key:?}: {near}the keys are {}", OwnLimits::KEYS.join(", ")));
    }
    let number = value.parse().ok().filter(|_| key == "budget");
    let value = number.map_or_else(|| toml::Value::String(value.to_owned()), toml::Value::Integer);
    let table = toml::Table::from_iter([(key.to_owned(), value)]);
    let limits = LimitOptions::deserialize(table).map_err(|error| error.message().to_owned())?;
    Ok((name.to_owned(), limits.own_limits()))
}

/// Returns the error for a missing layer, with the remedy as a hint.
fn refused(contained: &Contained, shortage: Shortage) -> Error {
    match shortage {
        Shortage::OwnUser => {
            Error::usage("bots would run as root: this system gives them no users of their own")
                .hint("run the arena as an ordinary user, or say --allow-root")
        }
        Shortage::Required(layer) => {
            let mode = contained.mode.as_str();
            Error::usage(format!("--contain {mode}: no {} here", layer.as_str()))
                .hint(format!("{}; \"arena doctor\" tells more", layer.remedy()))
        }
    }
}

/// Returns the line below the standings if the bots ran without the sandbox.
pub(crate) fn caption(contained: &Contained) -> Option<&'static str> {
    (contained.mode == SandboxLevel::Off).then_some("Bots were not contained (--contain off).\n")
}

/// Returns a note that names the missing layers that machines usually have, and a note if bots can easily
/// evade freezing.
fn notes(contained: &Contained) -> Vec<String> {
    let missing = contained.missing.iter().filter(|layer| !layer.is_rare());
    let missing: Vec<&str> = missing.map(|layer| layer.as_str()).collect();
    let mut notes = match contained.mode {
        SandboxLevel::Off => vec!["note: bots are not contained (--contain off)".to_owned()],
        _ if missing.is_empty() => vec![],
        _ => vec![format!("note: the sandbox lacks {}; see \"arena doctor\"", missing.join(", "))],
    };
    if contained.freeze == Freeze::BestEffort && !contained.held.contains(&Layer::Seccomp) {
        let why = "without seccomp a bot can leave the group that is stopped";
        notes.push(format!("note: --freeze is best effort: {why}"));
    }
    notes
}

/// Parses a time such as `250ms` or `2s`. The protocol has whole milliseconds, so a fraction is an error.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|_| "a time such as 250ms or 2s".to_owned())?;
    match time.subsec_nanos() % 1_000_000 {
        _ if time.is_zero() => Err("a time above zero, such as 250ms or 2s".to_owned()),
        _ if time > TIME_MAX => Err("a time of at most 30 days".to_owned()),
        0 => Ok(time),
        _ => Err("a time in whole milliseconds, such as 250ms".to_owned()),
    }
}

/// Parses the time that is added after each move. It may be zero, which gives a bot none.
fn increment(text: &str) -> Result<Duration, String> {
    let is_zero = humantime::parse_duration(text).is_ok_and(|time| time.is_zero());
    if is_zero { Ok(Duration::ZERO) } else { duration(text) }
}

fn increment_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    increment(&String::deserialize(deserializer)?).map(Some).map_err(serde::de::Error::custom)
}

fn budget_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let is_in_range = |number: &i64| u64::try_from(*number).is_ok_and(|number| BUDGETS.contains(&number));
    let number = toml::Value::deserialize(deserializer)?.as_integer().filter(is_in_range);
    let number = number.ok_or_else(|| format!("a whole number from 1 to {}", NUMBER_MAX - 1));
    number.map(|number| u64::try_from(number).ok()).map_err(serde::de::Error::custom)
}

pub(super) fn duration_text<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration(&text).map(Some).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use sandbox::Layers;

    use super::*;

    #[test]
    fn times_are_whole_milliseconds_above_zero() {
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("1m 2s"), Ok(Duration::from_secs(62)));
        for wrong in ["0s", "10", "-1s", "1us", "soon", "400000y"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bots_are_frozen_as_the_options_say() {
        let of = |freeze, no_freeze| LimitOptions { freeze, no_freeze, ..LimitOptions::default() };
        let freezes = |options: LimitOptions| [true, false].map(|simultaneous| options.freezes(simultaneous));
        assert_eq!(freezes(of(None, false)), [false, true], "only where others have turns of their own");
        assert_eq!([freezes(of(Some(true), false)), freezes(of(None, true))], [[true; 2], [false; 2]]);
        assert_eq!(freezes(of(Some(false), false)), [false; 2], "as a league file says");
    }

    #[test]
    fn what_is_missing_is_noted_unless_it_is_rare() {
        let of = |mode, held: Layers, freeze| {
            let missing = Layers::ALL.iter().filter(|layer| !held.has(*layer)).collect();
            Contained { mode, held: held.iter().collect(), missing, landlock_abi: None, freeze }
        };
        let count = |mode, held, freeze| notes(&of(mode, held, freeze)).len();
        assert_eq!(count(SandboxLevel::Auto, Layers::ALL, Freeze::Complete), 0);
        assert_eq!(count(SandboxLevel::Auto, Layers::ALL.without(Layer::NetNamespace), Freeze::Off), 1);
        let usual = Layers::ALL.without(Layer::Cgroup).without(Layer::CgroupLimits);
        assert_eq!(count(SandboxLevel::Auto, usual, Freeze::BestEffort), 0);
        let hardly = Layers::ALL.without(Layer::Cgroup).without(Layer::Seccomp);
        assert_eq!(count(SandboxLevel::Auto, hardly, Freeze::BestEffort), 2);
        assert_eq!(count(SandboxLevel::Off, Layers::NONE, Freeze::BestEffort), 2);
    }
}
