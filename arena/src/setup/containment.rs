//! The sandbox of bots, as options or in a league file.

use std::time::Duration;

use clap::Args;
use serde::Deserialize;

use super::grants::Grants;
use super::layers::layered;
use crate::report::output::say;
use referee::bots::entrants::Entrant;
use referee::bots::size::{memory, memory_text};
use referee::error::Error;
use referee::play::seeds::{GUESSABLE_BELOW, check_seed, fresh_seed};
use sandbox::Layer;
use sandbox::selftest::{Freeze, Shortage};
use sandbox::{Host, SandboxLevel};
use tournament::plan::{Contained, TournamentFile};

/// The smallest limit on a bot's processor time in a match while it owes no answer. A runtime that cleans up
/// after an answer needs less.
const OFF_TURN_MAX: Duration = Duration::from_secs(1);
/// The same limit for frozen bots.
const OFF_TURN_MAX_STOPPED: Duration = Duration::from_millis(200);

/// How strictly bots are confined, and what they get of the machine.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Containment {
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
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Sandbox")]
    pub(crate) contain: Option<SandboxLevel>,
    /// Play as root even if the system cannot give bots a user of their own
    #[arg(long, help_heading = "Sandbox", hide_short_help = true)]
    #[serde(skip)]
    pub(crate) allow_root: bool,
}

layered!(
    Containment:
    values memory, freeze, contain;
    flags;
    typed no_freeze, allow_root
);

/// The sandbox of a command that plays no match.
#[derive(Debug, Args)]
pub(crate) struct Confined {
    /// Choose how strictly the program is confined [default: auto]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) contain: Option<SandboxLevel>,
    #[command(flatten)]
    pub(crate) grants: Grants,
    /// Limit the memory of the program and its children, such as 512MiB [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
}

impl Confined {
    /// Returns the sandbox that these options ask for.
    pub(crate) fn containment(&self) -> Containment {
        Containment { contain: self.contain, memory: self.memory, ..Containment::default() }
    }
}

impl Containment {
    /// The keys in a league file.
    pub(crate) const KEYS: [&str; 3] = ["memory", "freeze", "contain"];

    /// Returns the settings of a tournament's file.
    pub(crate) fn of<S>(file: &TournamentFile<S>) -> Containment {
        let TournamentFile { plan, containment: contained, .. } = file;
        Containment {
            memory: plan.memory_bytes,
            freeze: Some(plan.freeze),
            contain: contained.as_ref().map(|contained| contained.mode),
            ..Containment::default()
        }
    }

    /// Returns true if the bots of a game are frozen outside their turns. This is the default unless its turns
    /// are simultaneous.
    pub(crate) fn freezes(&self, simultaneous: bool) -> bool {
        !self.no_freeze && self.freeze.unwrap_or(!simultaneous)
    }

    /// Checks that a bot with retries is stopped while its answer is judged.
    ///
    /// # Errors
    /// These options stop no bot.
    pub(crate) fn check_stops(&self, name: &str, simultaneous: &[bool]) -> Result<(), Error> {
        // If all move at once, not freezing is the default, and those with retries are stopped all the same.
        let is_off = self.no_freeze || (self.freeze == Some(false) && simultaneous.contains(&false));
        if !is_off {
            return Ok(());
        }
        Err(Error::usage(format!("bot {name:?} has retries, and bots are not stopped (--no-freeze)")).hint(
            "a bot that is asked again must not think meanwhile: leave out --no-freeze and freeze = false",
        ))
    }

    /// Returns the shared settings of all bots, and the sandbox that holds on this machine. Prints a note that
    /// names the missing layers, unless `quiet` is set or all bots are bundled. Freezes bots if these options do so
    /// for one of the games, and lets them compute for the time of a move outside their turns if all move at once.
    /// `simultaneous` tells for each game whether its turns are.
    ///
    /// # Errors
    /// A required layer is missing: under `strict`, or a separate user for bots if the arena runs as root.
    pub(crate) async fn host(
        &self,
        bots: &[Entrant],
        simultaneous: &[bool],
        per_move: Duration,
        quiet: bool,
    ) -> Result<(Host, Contained), Error> {
        let Containment { memory, freeze: _, no_freeze: _, contain, allow_root } = self;
        if let Some(here) = std::env::current_dir().ok().filter(|here| here.to_str().is_none()) {
            return Err(Error::usage(format!(
                "no bot can start in {}: the name is not UTF-8",
                here.display()
            ))
            .hint("rename the folder, or start in another one"));
        }
        let freeze = simultaneous.iter().any(|&turns| self.freezes(turns));
        let host = Host::new().raise_open_files().contain(contain.unwrap_or_default()).freeze(freeze);
        let host = host.memory_bytes(*memory);
        let have_turns = !simultaneous.contains(&true);
        let host = if have_turns { host.freeze_on_call() } else { host };
        let host = host.apart(!have_turns).off_turn_max(off_turn_max(freeze, have_turns, per_move));
        let contained = Contained::survey(&host).await.map_err(|failed| Error::host(failed.to_string()))?;
        contained.check(*allow_root).map_err(|shortage| refused(&contained, shortage))?;
        if !quiet && bots.iter().any(|bot| !bot.is_bundled()) {
            notes(&contained).iter().for_each(|line| say(line));
        }
        Ok((host, contained))
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
}

/// Returns the maximum processor time of a bot while it owes no answer. A frozen bot gets almost nothing.
/// If all bots move at once, a bot gets too little to profit. If bots may think during the turns of
/// others, there is no limit.
fn off_turn_max(freeze: bool, have_turns: bool, per_move: Duration) -> Option<Duration> {
    match (freeze, have_turns) {
        (true, _) => Some(OFF_TURN_MAX_STOPPED),
        (false, false) => Some(OFF_TURN_MAX.max(per_move)),
        (false, true) => None,
    }
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

#[cfg(test)]
mod tests {
    use sandbox::Layers;

    use super::*;

    #[test]
    fn bots_are_frozen_as_the_options_say() {
        let of = |freeze, no_freeze| Containment { freeze, no_freeze, ..Containment::default() };
        let freezes = |options: Containment| [true, false].map(|simultaneous| options.freezes(simultaneous));
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
