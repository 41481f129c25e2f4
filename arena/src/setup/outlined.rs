//! The plan of a tournament before its bots start.

use super::args::{Seats, TournamentOptions};
use super::asked::InShards;
use super::claimed::Claimed;
use super::equipped::Equipped;
use super::out;
use super::roster::Roster;
use crate::report::output::say;
use referee::error::Error;
use referee::games::{GameKind, check_seats};
use tournament::schedule::{Field, ROUNDS_DEFAULT, ScheduleName, Settings, positive};

/// What is asked for, with a seed, a schedule, and all bots with what they get.
pub(crate) struct Outlined<G: GameKind> {
    pub(super) equipped: Equipped<G>,
    pub(super) roster: Roster,
    pub(super) seed: u64,
    pub(super) seats: usize,
    pub(super) rounds: u64,
    pub(super) schedule: Settings,
}

impl<G: GameKind> Equipped<G> {
    /// Fills in the defaults. Starts no bot.
    pub(super) fn outline(self) -> Result<Outlined<G>, Error> {
        let roster = self.roster()?;
        let (args, settings) = (&self.claimed.asked.args, &self.settings);
        let has_strangers = args.league.is_some() && !args.quiet;
        let has_strangers = has_strangers && roster.entrants.iter().any(|bot| !bot.is_bundled());
        let seed = self.lineup.containment.seed(settings.seed, has_strangers)?;
        let bots = roster.entrants.len();
        let seats = self.seats(bots, seed)?;
        let rounds = positive("--rounds", settings.rounds.unwrap_or(ROUNDS_DEFAULT))?;
        let TournamentOptions { challenger, swiss_rounds, seeding, max_rounds, .. } = settings.clone();
        let schedule = settings.schedule.unwrap_or_default();
        let mut schedule =
            Settings { schedule, challenger, swiss_rounds, seeding, max_rounds, ..Settings::default() };
        if schedule.schedule == ScheduleName::Draw {
            let is_allowed = |seats: &usize| check_seats::<G>(&self.equipment, *seats, seed).is_ok();
            schedule.fewest_seats = match &self.claimed.earlier {
                Some(earlier) => earlier.plan.schedule.fewest_seats,
                None => (2..seats).rev().take_while(is_allowed).last(),
            };
        }
        if let Some(last) = schedule.all_met_after(bots, seats) {
            say(&format!("note: all pairs have met after round {last}; later rounds repeat pairs"));
        }
        let schedule = schedule.completed(settings.until_decided, rounds, bots)?;
        let every_seat_each_deal = G::EVERY_SEAT_EACH_DEAL || settings.positions.is_some();
        schedule.check_size(Field { bots, seats, rounds, every_seat_each_deal })?;
        Ok(Outlined { equipped: self, roster, seed, seats, rounds, schedule })
    }

    /// Returns the bots: those of the resumed tournament and of the user, or else the default bots.
    fn roster(&self) -> Result<Roster, Error> {
        let claimed = &self.claimed;
        let mut roster = Roster::new(claimed.asked.entrants.clone(), claimed.asked.args.quiet);
        if let Some(file) = &claimed.earlier {
            roster.resume(file, &claimed.allowed, claimed.is_own)?;
        }
        if roster.entrants.is_empty() {
            roster.entrants = G::default_bots()?;
        }
        self.lineup.grants.apply_to(&mut roster.entrants)?;
        self.lineup.limit(&mut roster.entrants, false)?;
        Ok(roster)
    }

    /// Returns the number of seats at a table. Checks that there are enough bots and cards.
    fn seats(&self, bots: usize, seed: u64) -> Result<usize, Error> {
        let seats = match self.settings.seats {
            Some(Seats::Count(seats)) => seats,
            Some(Seats::All) => bots,
            None => G::seats_default(G::setup(&self.equipment)),
        };
        if seats > bots {
            let (are, hint) = match bots {
                1 => ("is 1".to_owned(), "name more bots with --bot, or let it play alone with --seats 1"),
                _ => (format!("are {bots}"), "name more bots with --bot, or fewer --seats"),
            };
            return Err(Error::usage(format!("{seats} seats need {seats} bots, there {are}")).hint(hint));
        }
        check_seats::<G>(&self.equipment, seats, seed).map(|()| seats)
    }
}

impl<G: GameKind> Outlined<G> {
    /// Returns true if the names of the bots decide where their order would. A resumed tournament keeps its choice.
    pub(super) fn is_by_names(&self) -> bool {
        let Claimed { earlier, asked, .. } = &self.equipped.claimed;
        // A comparison is of the first bot against the second.
        let is_new = || asked.name.is_none() && !self.schedule.is_ordered();
        earlier.as_ref().map_or_else(is_new, |file| file.plan.seats_by_names)
    }

    /// Checks that a shard of this tournament can be played, if one is asked for.
    pub(super) fn check_shard(&self) -> Result<(), Error> {
        let args = &self.equipped.claimed.asked.args;
        args.shard.map_or(Ok(()), |_| check_shards(&self.equipped.settings, &self.schedule))
    }

    /// Returns the settings for a script that plays the shards.
    pub(super) fn in_shards(self) -> Result<InShards, Error> {
        let Outlined { equipped, seed, seats, schedule, .. } = self;
        let Equipped { mut settings, equipment, .. } = equipped;
        let has_seed = settings.seed.replace(seed).is_some();
        let out_given = settings.out.is_some();
        let out = settings.out.get_or_insert_with(|| out::free(G::NAME)).clone();
        check_shards(&settings, &schedule)?;
        let jobs = settings.jobs.map(|jobs| positive("--jobs", jobs as u64)).transpose()?;
        let is_simultaneous = G::is_simultaneous(G::setup(&equipment));
        let cores = jobs.map(|jobs| jobs * if is_simultaneous { seats as u64 } else { 1 });
        Ok(InShards { seed: (!has_seed).then_some(seed), out_given, out, cores })
    }
}

/// Checks that the tournament can be played in shards: no match depends on earlier results, and a seed
/// and a directory are set.
fn check_shards(options: &TournamentOptions, schedule: &Settings) -> Result<(), Error> {
    if schedule.is_adaptive() {
        return Err(Error::usage(
            "this schedule cannot be split into shards: later matches depend on earlier results",
        )
        .hint("to go on elsewhere, stop it, copy its directory, and run arena tournament --resume --out DIR there"));
    }
    let lacks =
        |what: &str, hint: &str| Err(Error::usage(format!("shards of a tournament need {what}")).hint(hint));
    match (options.seed, &options.out) {
        (None, _) => lacks("the same seed", "name one with --seed"),
        (_, None) => lacks("a directory to go to", "name one with --out; they may share it"),
        _ => Ok(()),
    }
}
