//! The bots of a tournament that can start, on their host.

use std::path::Path;

use super::args::Seats;
use super::outlined::Outlined;
use super::roster::Roster;
use super::runtime::block_on;
use referee::bots::entrants::{Entrant, check_distinct, keep_apart};
use referee::bots::grants::check_grants;
use referee::bots::held::{Guard, Store};
use referee::bots::identity::Identity;
use referee::bots::names::same_but_for_case;
use referee::error::Error;
use referee::games::GameKind;
use sandbox::selftest::Contained;
use sandbox::{Host, Layer};
use tournament::plan::Skipped;
use tournament::plan::commitment::{Bound, Commitment};

/// What is asked for, with the bots that have started once, and their names.
pub(super) struct LinedUp<G: GameKind> {
    pub(super) outlined: Outlined<G>,
    pub(super) host: Host,
    pub(super) contained: Contained,
    /// The commitment that is played, with its bots.
    pub(super) committed: Option<(Commitment, Bound)>,
    /// The bots that could not start and are left out.
    pub(super) skipped: Vec<Skipped>,
}

impl<G: GameKind> Outlined<G> {
    /// Starts every bot once whose greeting is not known, and settles the names and copies of the bots.
    pub(super) fn line_up(mut self) -> Result<LinedUp<G>, Error> {
        let (equipped, entrants) = (&self.equipped, &self.roster.entrants);
        let (claimed, args) = (&equipped.claimed, &equipped.claimed.asked.args);
        let is_simultaneous = G::is_simultaneous(G::setup(&equipped.equipment));
        let (host, contained) = block_on(equipped.lineup.host(entrants, &[is_simultaneous], args.quiet))??;
        let host = host.label_stderr(args.keep_stderr);
        let committed = if args.reveal.is_some() { Commitment::read(claimed.path())? } else { None };
        let committed_bots = committed.iter().flat_map(|(_, then)| &then.bots).cloned().collect::<Vec<_>>();
        let (roster, skipped) = self.started(&host, &contained, &committed_bots)?;
        if self.equipped.settings.seats == Some(Seats::All) {
            self.seats = roster.entrants.len();
        }
        Ok(LinedUp { outlined: Outlined { roster, ..self }, host, contained, committed, skipped })
    }

    /// Returns the bots after their start, and those that are left out.
    fn started(
        &self,
        host: &Host,
        contained: &Contained,
        committed: &[Identity],
    ) -> Result<(Roster, Vec<Skipped>), Error> {
        let (equipped, mut roster) = (&self.equipped, self.roster.clone());
        let (claimed, lineup, args) = (&equipped.claimed, &equipped.lineup, &equipped.claimed.asked.args);
        let out = claimed.path();
        roster.check_places(out, contained.mode)?;
        let own: Vec<&Path> = args.league.as_deref().into_iter().chain([out]).collect();
        check_grants(&roster.entrants, &own)?;
        keep_apart(&mut roster.entrants, &[out]);
        let earlier = claimed.earlier.iter().flat_map(|file| &file.plan.bots);
        let earlier = earlier.filter(|bot| !claimed.allowed.replaced.contains(&bot.name));
        let earlier: Vec<Identity> = earlier.cloned().collect();
        let table = lineup.times.time_control();
        let guard = guard(contained);
        let mut known = claimed.asked.greeted.lock().expect("nobody panics while holding it");
        let recorded = (&earlier[..], committed);
        let skipped = roster.preflight(host, table, args.skip_broken, recorded, &guard, &mut known)?;
        drop(known);
        roster.keep_solitary(&earlier, equipped.settings.no_solitary);
        lineup.limit(&mut roster.entrants, true)?;
        let names = roster.entrants.iter().map(|entrant: &Entrant| entrant.identity.name.as_str());
        // Results from before the rule may have such names.
        if let Some([one, other]) = same_but_for_case(names).filter(|_| earlier.is_empty()) {
            return Err(Error::usage(format!("the names {one:?} and {other:?} differ in case alone"))
                .hint("give one of them another name, with --bot NAME=COMMAND"));
        }
        check_distinct(&roster.entrants)?;
        if self.is_by_names() {
            roster.entrants.sort_unstable_by(|one, other| one.identity.name.cmp(&other.identity.name));
        }
        Ok((roster, skipped))
    }
}

/// Returns what this sandbox can do about files that change.
fn guard(contained: &Contained) -> Guard {
    let holds = |layer| contained.held.contains(&layer);
    match (holds(Layer::Landlock), holds(Layer::ReadOnly)) {
        (false, _) => Guard::Named,
        (true, false) => Guard::Watch(Some("the sandbox has no read-only files".to_owned())),
        (true, true) => Store::open().map_or_else(|why| Guard::Watch(Some(why)), Guard::Hold),
    }
}
