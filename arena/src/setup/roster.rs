//! The bots of a tournament before its plan is made.

use std::collections::BTreeMap;
use std::path::Path;

use crate::report::output::say;
use crate::setup::runtime::block_on;
use referee::bots::entrants::Entrant;
use referee::bots::held::Guard;
use referee::bots::identity::Identity;
use referee::bots::preflight::{Greetings, preflight};
use referee::error::{Error, ErrorKind};
use referee::play::time_control::TimeControl;
use sandbox::confine::paths::{self, Claims};
use sandbox::confine::processes_of_all_bots;
use sandbox::text::few;
use sandbox::{Host, SandboxLevel};
use tournament::plan::commitment::Bound;
use tournament::plan::earlier::Allowed;
use tournament::plan::{Skipped, TournamentFile};
use tournament::report::words::count;

/// The bots of a tournament.
#[derive(Clone)]
pub(crate) struct Roster {
    /// The bots. Empty if neither the options nor the league file name one.
    pub(crate) entrants: Vec<Entrant>,
    is_quiet: bool,
}

impl Roster {
    pub(crate) fn new(entrants: Vec<Entrant>, is_quiet: bool) -> Roster {
        Roster { entrants, is_quiet }
    }

    /// Puts the bots of a resumed tournament first, in their order, and new bots behind them. A bot that the user names
    /// again replaces the recorded one.
    pub(crate) fn resume<S>(
        &mut self,
        file: &TournamentFile<S>,
        allowed: &Allowed,
        is_trusted: bool,
    ) -> Result<(), Error> {
        let mut given = std::mem::take(&mut self.entrants);
        let is_gone = |bot: &&Identity| allowed.withdrawn.contains(&bot.name);
        let is_back = |bot: &&Identity| allowed.replaced.contains(&bot.name);
        let gone = file.plan.bots.iter().filter(is_gone);
        for bot in file.withdrawn.iter().filter(|bot| !is_back(bot)).chain(gone) {
            given.retain(|entrant| !is_it(&entrant.identity, bot));
        }
        let returning = file.withdrawn.iter().filter(is_back);
        for there in file.plan.bots.iter().filter(|bot| !is_gone(bot)).chain(returning) {
            let again = given.iter().position(|entrant| is_it(&entrant.identity, there));
            self.entrants.push(match again {
                Some(place) => given.remove(place).named(&there.name),
                None => Entrant::of_results(there, is_trusted, &[])?,
            });
        }
        self.entrants.append(&mut given);
        Ok(())
    }

    /// Marks the solitary bots, which play each deal once for all tables. A resumed tournament keeps its
    /// marks. The `hello` of a new bot decides, unless `is_off`.
    pub(crate) fn keep_solitary(&mut self, earlier: &[Identity], is_off: bool) {
        for entrant in &mut self.entrants {
            entrant.identity.solitary = match earlier.iter().find(|there| there.name == entrant.identity.name)
            {
                Some(there) => there.solitary,
                None => entrant.identity.solitary && !is_off,
            };
        }
    }

    /// Returns true if every bot is solitary.
    pub(crate) fn is_solitary(&self) -> bool {
        self.entrants.iter().all(|entrant| entrant.identity.solitary)
    }

    /// Rejects a directory of results that every bot can read. Prints a note for each bot whose files other
    /// bots can read.
    pub(crate) fn check_places(&self, out: &Path, mode: SandboxLevel) -> Result<(), Error> {
        if mode == SandboxLevel::Off {
            return Ok(());
        }
        if paths::is_of_the_system(&paths::settled(out)) {
            let place = out.display();
            return Err(Error::usage(format!(
                "every bot can read results in {place}: it belongs to the system"
            ))
            .hint("choose another directory with --out"));
        }
        for entrant in &self.entrants {
            if let Some(path) = Claims::exposed(&entrant.command).first().filter(|_| !self.is_quiet) {
                let (path, name) = (path.display(), &entrant.identity.command);
                say(&format!("note: every bot can read {path} of {name:?}; keep bots outside of /usr"));
            }
        }
        Ok(())
    }

    /// Checks that all of `at_once` bots together may start as many processes as each of them may. Otherwise a bot
    /// could take those of another one.
    pub(crate) fn check_processes(&self, at_once: usize, mode: SandboxLevel) -> Result<(), Error> {
        let most = self.entrants.iter().map(|entrant| entrant.command.rights.processes_max()).max();
        let needed = most.unwrap_or_default().saturating_mul(at_once as u64);
        let Some(limit) = processes_of_all_bots().filter(|&limit| limit < needed) else { return Ok(()) };
        let bots = count(at_once as u64, "bot");
        let what = format!("{bots} at a time may start {needed} processes, and your limit is {limit}");
        let remedy = "raise `ulimit -u`, or lower --jobs or the `processes` of the bots";
        if mode.is_strict() {
            return Err(Error::usage(what).hint(remedy));
        }
        if !self.is_quiet {
            say(&format!("note: {what}: bots may lack processes that others have taken; {remedy}"));
        }
        Ok(())
    }

    /// Starts every bot once whose greeting is not `known`. If `skips_broken`, leaves out bots that cannot start, and
    /// returns them. A bot of the commitment that is played stays, and loses.
    pub(crate) fn preflight(
        &mut self,
        host: &Host,
        table: TimeControl,
        skips_broken: bool,
        (recorded, committed): (&[Identity], &[Identity]),
        guard: &Guard,
        known: &mut Greetings,
    ) -> Result<Vec<Skipped>, Error> {
        let outcomes = block_on(preflight(&mut self.entrants, host, table, recorded, guard, known))?;
        let (mut kept, mut skipped) = (Vec::new(), Vec::new());
        for (mut entrant, outcome) in self.entrants.drain(..).zip(outcomes) {
            let committed = committed.iter().find(|one| is_it(&entrant.identity, one));
            match outcome {
                Ok(()) => kept.push(entrant),
                Err(error)
                    if error.kind() == ErrorKind::Usage
                        && let Some(there) = committed =>
                {
                    say(&format!(
                        "note: it stays, because the commitment has it, and loses: {}",
                        error.message()
                    ));
                    entrant = entrant.named(&there.name);
                    entrant.identity = there.clone();
                    kept.push(entrant);
                }
                Err(error) if skips_broken && error.kind() == ErrorKind::Usage => {
                    say(&format!("left out: {}", error.message()));
                    let Identity { name, command, .. } = &entrant.identity;
                    let bot = if name.is_empty() { command } else { name };
                    skipped.push(Skipped { bot: bot.clone(), reason: error.message().to_owned() });
                }
                Err(error) => return Err(error),
            }
        }
        self.entrants = kept;
        let mut partly: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for entrant in self.entrants.iter().filter(|_| !self.is_quiet) {
            if let Some((file, why)) = entrant.watches_only() {
                partly.entry(why).or_default().push(format!("{file} of {:?}", entrant.identity.name));
            }
        }
        for (why, files) in partly {
            say(&format!("note: changes are watched only in {}: {why}", few(&files)));
        }
        Ok(skipped)
    }
}

/// Returns the bots with all files that they may read.
pub(crate) fn bound(entrants: &[Entrant], mode: SandboxLevel) -> Result<Bound, Error> {
    let bots = entrants.iter().map(|entrant| entrant.identity.clone()).collect();
    let mut files = BTreeMap::new();
    for entrant in entrants {
        let found = block_on(entrant.contents(mode.is_strict()))??;
        files.insert(entrant.identity.name.clone(), found);
    }
    Ok(Bound { bots, files })
}

/// Returns true if the description is of the recorded bot.
pub(super) fn is_it(given: &Identity, recorded: &Identity) -> bool {
    let same = |one: &Identity| (one.command.clone(), one.dir.clone(), one.env.clone());
    match given.name.as_str() {
        "" => same(given) == same(recorded),
        name => name == recorded.name,
    }
}
