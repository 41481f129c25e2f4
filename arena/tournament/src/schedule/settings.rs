//! The schedule by name, and its settings.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::draw::{DRAWN_MAX, Draw, EXCHANGES_MAX};
use super::gauntlet::Gauntlet;
use super::knockout::{Knockout, SUDDEN_DEATH_DEALS};
use super::ladder::Ladder;
use super::round_robin::{RoundRobin, too_large};
use super::swiss::Swiss;
use super::until_decided::UntilDecided;
use super::{Field, Lots, Participants, Schedule, Seeding};
use referee::error::Error;

/// The most bots of any tournament. Ratings need matrices of all bots by all bots: with 2,000 bots, 32 MB
/// each.
const BOTS_MAX: usize = 2_000;
/// The most bots of a Swiss tournament or a draw. Pairing more takes too long.
const PAIRED_BOTS_MAX: usize = 256;

/// The number of deals, if none is asked for.
pub const ROUNDS_DEFAULT: u64 = 100;
/// The most deals until the order is decided, if they are not set, as a multiple of the planned ones.
const MAX_ROUNDS_FACTOR: u64 = 10;

/// The kind of schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleName {
    /// Every combination of bots meets on every deal
    #[default]
    RoundRobin,
    /// One bot meets all others: the first, or --challenger
    Gauntlet,
    /// Each round seats all bots once, at tables drawn so that all pairs meet equally often
    Draw,
    /// Bots with equal points meet, no pair twice
    Swiss,
    /// The loser of a tie is out
    Knockout,
    /// Every bot climbs from below until it stops winning; --resume adds bots
    Ladder,
}

impl ScheduleName {
    /// The name in options and files.
    pub fn as_str(self) -> &'static str {
        match self {
            ScheduleName::RoundRobin => "round-robin",
            ScheduleName::Gauntlet => "gauntlet",
            ScheduleName::Draw => "draw",
            ScheduleName::Swiss => "swiss",
            ScheduleName::Knockout => "knockout",
            ScheduleName::Ladder => "ladder",
        }
    }

    /// Returns true if later meetings depend on the results of earlier ones.
    pub fn is_by_results(self) -> bool {
        matches!(self, ScheduleName::Swiss | ScheduleName::Knockout | ScheduleName::Ladder)
    }
}

/// The schedule and its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settings {
    /// The kind of schedule.
    pub schedule: ScheduleName,
    /// Gauntlet: the name of the bot that meets all others.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "hero")]
    pub challenger: Option<String>,
    /// Swiss: the number of rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swiss_rounds: Option<u64>,
    /// Knockout: the order of bots in the bracket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeding: Option<Seeding>,
    /// Draw: the fewest seats of a table. Bots that are left over and cannot fill such a table pause. Without it, no table
    /// is smaller than the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fewest_seats: Option<usize>,
    /// Draw: who takes part from which round on. Empty if the bots of the plan take part in all rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub participants: Vec<Participants>,
    /// The most deals, if the tournament goes on until the order is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<u64>,
}

impl Settings {
    /// Returns true if later matches depend on the results of earlier ones.
    pub fn is_adaptive(&self) -> bool {
        self.schedule.is_by_results() || self.max_rounds.is_some()
    }

    /// Returns true if the order of the bots has a meaning: their places in a bracket or a ladder, or the challenger.
    pub fn is_ordered(&self) -> bool {
        match self.schedule {
            ScheduleName::RoundRobin | ScheduleName::Draw | ScheduleName::Swiss => false,
            ScheduleName::Gauntlet => self.challenger.is_none(),
            ScheduleName::Knockout => self.seeding != Some(Seeding::Draw),
            ScheduleName::Ladder => true,
        }
    }

    /// Returns the participants of a draw that goes on with other bots from the round `next` on, or from the beginning if no
    /// match was played. `before` and `now` are the names of all bots of the plan. Other schedules record none.
    ///
    /// # Errors
    /// Those of `next`, which is called if there are others.
    pub fn participants(
        &self,
        [before, now]: [Vec<String>; 2],
        next: impl FnOnce() -> Result<Option<u64>, Error>,
    ) -> Result<Vec<Participants>, Error> {
        let [before, bots]: [BTreeSet<String>; 2] = [before, now].map(BTreeSet::from_iter);
        let mut all = self.participants.clone();
        if self.schedule == ScheduleName::Draw && before != bots {
            let Some(next) = next()? else { return Ok(Vec::new()) };
            if all.is_empty() {
                all.push(Participants { from_round: 0, bots: before });
            }
            // Extra tables of the last change may have been played.
            let last = all.last().map_or(0, |change| change.from_round);
            all.push(Participants { from_round: next.max(last), bots });
        }
        Ok(all)
    }

    /// Returns the reason if results under these settings would be lost with the settings `later`. A later
    /// `max_rounds` that is new or larger only adds matches, so nothing is lost. Other participants of later rounds lose
    /// nothing either.
    pub fn loss(&self, later: &Settings) -> Option<String> {
        if self.max_rounds > later.max_rounds {
            return Some(
                "it goes on until the order is decided, with fewer --max-rounds or without".to_owned(),
            );
        }
        let participants = self.participants.clone();
        let same = Settings { max_rounds: self.max_rounds, participants, ..later.clone() } == *self;
        let (name, other) = (self.schedule.as_str(), later.schedule.as_str());
        match self.schedule == later.schedule {
            true => (!same).then(|| format!("the {name} has other settings")),
            false => Some(format!("the schedule is {other} instead of {name}")),
        }
    }

    /// Fills in the defaults for so many deals and bots. `until_decided` is true if the tournament goes on until the order is
    /// decided.
    ///
    /// # Errors
    /// A setting is for another schedule, or is 0, or is too small.
    pub fn completed(mut self, until_decided: bool, rounds: u64, bots: usize) -> Result<Settings, Error> {
        self.check_given()?;
        if self.max_rounds.is_some() && !until_decided {
            return Err(Error::usage("--max-rounds is for --until-decided").hint("give both, or neither"));
        }
        if until_decided {
            let max_rounds = *self.max_rounds.get_or_insert(rounds.saturating_mul(MAX_ROUNDS_FACTOR));
            if max_rounds < rounds {
                return Err(Error::usage(format!(
                    "--max-rounds is {max_rounds}, and {rounds} deals are planned"
                ))
                .hint("take more --max-rounds, or fewer --rounds"));
            }
        }
        self.swiss_rounds.map(|rounds| positive("--swiss-rounds", rounds)).transpose()?;
        match self.schedule {
            ScheduleName::Swiss => self.swiss_rounds = Some(self.swiss_rounds(bots)),
            ScheduleName::Knockout => self.seeding = Some(self.seeding.unwrap_or_default()),
            _ => {}
        }
        Ok(self)
    }

    /// Rejects a setting of another schedule.
    fn check_given(&self) -> Result<(), Error> {
        let given = [
            ("--challenger", self.challenger.is_some(), ScheduleName::Gauntlet),
            ("--swiss-rounds", self.swiss_rounds.is_some(), ScheduleName::Swiss),
            ("--seeding", self.seeding.is_some(), ScheduleName::Knockout),
        ];
        let Some((option, _, of)) = given.into_iter().find(|&(_, given, of)| given && of != self.schedule)
        else {
            return Ok(());
        };
        let (name, of) = (self.schedule.as_str(), of.as_str());
        Err(Error::usage(format!("{option} is for a {of}, and the schedule is {name}"))
            .hint(format!("leave it out, or take --schedule {of}")))
    }

    /// Creates the schedule among the bots of these names. Lots and tables are drawn from the `seed` of the tournament.
    ///
    /// # Errors
    /// Fails if the schedule is too large, does not allow this number of seats or bots, or has a challenger
    /// that does not take part.
    pub fn schedule(
        &self,
        field: Field,
        names: &[String],
        seed: u64,
        by_names: bool,
    ) -> Result<Box<dyn Schedule>, Error> {
        self.check_size(field)?;
        let lots = if by_names { Lots::drawn(seed, names) } else { Lots::default() };
        let challenger = match (self.schedule, &self.challenger) {
            (ScheduleName::Gauntlet, Some(challenger)) => {
                Some(names.iter().position(|name| name == challenger).ok_or_else(|| {
                    Error::usage(format!("the challenger {challenger:?} is not among the bots"))
                        .hint(format!("name one of {}", names.join(", ")))
                })?)
            }
            (ScheduleName::Gauntlet, None) => Some(0),
            _ => None,
        };
        let base: Box<dyn Schedule> = match self.schedule {
            ScheduleName::RoundRobin => Box::new(RoundRobin { field, lots: lots.clone() }),
            ScheduleName::Gauntlet => {
                Box::new(Gauntlet { field, challenger: challenger.unwrap_or_default(), lots: lots.clone() })
            }
            ScheduleName::Draw => {
                Box::new(Draw::new(field, self.fewest_seats, names, seed, &self.participants)?)
            }
            ScheduleName::Swiss => Box::new(Swiss {
                field,
                swiss_rounds: self.swiss_rounds(field.bots),
                lots: lots.clone(),
                seed,
            }),
            ScheduleName::Knockout => Box::new(Knockout::new(field, self.seeding.unwrap_or_default(), seed)),
            ScheduleName::Ladder => Box::new(Ladder { field }),
        };
        Ok(match self.max_rounds {
            Some(max_rounds) => Box::new(UntilDecided { base, field, challenger, lots, max_rounds }),
            None => base,
        })
    }

    /// Returns the round of a Swiss tournament of so many bots after which all pairs have met, if more rounds follow.
    pub fn all_met_after(&self, bots: usize, seats: usize) -> Option<u64> {
        // With an odd number, each bot sits out once.
        let rounds = (bots - 1 + bots % 2) as u64;
        (seats == 2 && self.schedule == ScheduleName::Swiss && self.swiss_rounds(bots) > rounds)
            .then_some(rounds)
    }

    /// The rounds of a Swiss tournament: as set, or as many as a knockout of these bots has.
    pub fn swiss_rounds(&self, bots: usize) -> u64 {
        self.swiss_rounds.unwrap_or_else(|| u64::from(bots.max(2).next_power_of_two().ilog2()))
    }

    /// Checks the size of the schedule, and its number of seats and bots.
    ///
    /// # Errors
    /// Names the reason.
    pub fn check_size(&self, field: Field) -> Result<(), Error> {
        let Field { bots, seats, rounds, .. } = field;
        let (name, is_draw) = (self.schedule.as_str(), self.schedule == ScheduleName::Draw);
        let is_paired = is_draw || self.schedule == ScheduleName::Swiss;
        if seats == 0 {
            return Err(Error::usage("there is no table without seats").hint("take --seats 1 or more"));
        }
        if rounds == 0 || self.swiss_rounds == Some(0) || self.max_rounds == Some(0) {
            return Err(Error::usage("a tournament of 0 rounds has no matches").hint("take 1 round or more"));
        }
        if bots > BOTS_MAX {
            return Err(Error::usage(format!("{bots} bots are too many: at most {BOTS_MAX} can take part")));
        }
        if self.schedule.is_by_results() && !is_paired && (seats != 2 || bots < 2) {
            return Err(Error::usage(format!("a {name} is for tables of 2 seats and at least 2 bots"))
                .hint("take --seats 2, or --schedule swiss"));
        }
        if self.max_rounds.is_some() && (self.schedule.is_by_results() || is_draw) {
            return Err(Error::usage(format!("--until-decided is not for a {name}"))
                .hint("take --schedule round-robin or gauntlet"));
        }
        if is_paired && (seats < 2 || bots < seats) {
            return Err(Error::usage(format!(
                "a {name} is for tables of at least 2 seats, and bots that fill one"
            ))
            .hint("take --seats 2 or more, and as many bots"));
        }
        let ever: BTreeSet<&String> = self.participants.iter().flat_map(|change| &change.bots).collect();
        let bots_ever = bots.max(ever.len());
        if is_paired && bots_ever > PAIRED_BOTS_MAX {
            return Err(Error::usage(format!(
                "a {name} is for at most {PAIRED_BOTS_MAX} bots, and {bots_ever} take or took part"
            )));
        }
        let (others, opponents) = (bots.saturating_sub(1), seats.saturating_sub(1));
        let rounds = rounds.max(self.max_rounds.unwrap_or_default());
        let exchanges = |rounds: u64| {
            let tables = (bots as u64).saturating_mul(rounds) / seats as u64;
            // Each change of those who take part looks at all tables.
            let looked_at = tables.saturating_mul(self.participants.len() as u64);
            let exchanges = (bots_ever as u64).pow(2).saturating_mul(rounds).max(looked_at);
            let is_large = exchanges > EXCHANGES_MAX || tables > DRAWN_MAX;
            is_large.then(|| format!("{rounds} rounds are too many for a {name} of so many bots"))
        };
        let why = match self.schedule {
            ScheduleName::Gauntlet => too_large(others, opponents, rounds),
            ScheduleName::Draw => exchanges(rounds.saturating_add((self.participants.len() * seats) as u64)),
            ScheduleName::Swiss if seats > 2 => exchanges(rounds.saturating_mul(self.swiss_rounds(bots))),
            ScheduleName::Swiss => too_large(bots, 2, rounds.saturating_mul(self.swiss_rounds(bots))),
            ScheduleName::Knockout => too_large(bots, 2, rounds.saturating_add(SUDDEN_DEATH_DEALS)),
            _ => too_large(bots, seats, rounds),
        };
        why.map_or(Ok(()), |why| Err(Error::usage(why).hint("take fewer --rounds, or other --seats")))
    }
}

/// Returns a value that must not be zero.
///
/// # Errors
/// It is zero.
pub fn positive(option: &str, value: u64) -> Result<u64, Error> {
    match value {
        0 => Err(Error::usage(format!("{option} is 0: it must be at least 1"))),
        _ => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_that_cannot_be_are_refused() {
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
        let field = Field { bots: 3, seats: 2, rounds: 10, every_seat_each_deal: false };
        let of = |settings: Settings, field| {
            settings.schedule(field, &names, 1, false).map(|_| ()).map_err(|e| e.to_string())
        };
        let by_name = |schedule| Settings { schedule, ..Settings::default() };
        use ScheduleName::{Draw, Gauntlet, Knockout, Ladder, RoundRobin, Swiss};
        for name in [RoundRobin, Gauntlet, Draw, Swiss, Knockout, Ladder] {
            assert_eq!(of(by_name(name), field), Ok(()), "{name:?}");
            let endless = Field { rounds: u64::MAX, ..field };
            assert!(of(by_name(name), endless).is_err_and(|error| error.contains("too many")), "{name:?}");
            let wide = Field { seats: 3, ..field };
            assert_eq!(of(by_name(name), wide).is_err(), matches!(name, Knockout | Ladder), "{name:?}");
            let nothing = Field { rounds: 0, ..field };
            assert!(of(by_name(name), nothing).is_err_and(|error| error.contains("0 rounds")), "{name:?}");
            let undecided = |max_rounds| Settings { max_rounds: Some(max_rounds), ..by_name(name) };
            let is_for_it = matches!(name, RoundRobin | Gauntlet);
            assert_eq!(of(undecided(20), field).is_ok(), is_for_it, "{name:?}");
            assert!(of(undecided(1), endless).is_err(), "{name:?}");
        }
        let participants = |from_round: u64, bots: &[&str]| Settings {
            participants: vec![
                Participants { from_round: 0, bots: names.iter().cloned().collect() },
                Participants { from_round, bots: bots.iter().map(|&bot| bot.to_owned()).collect() },
            ],
            ..by_name(Draw)
        };
        assert_eq!(of(participants(10, &["a", "b", "c"]), field), Ok(()));
        // Later than the last round, of other bots, and fewer than a table has.
        for (from_round, bots) in [(11, &["a", "b", "c"][..]), (5, &["a", "b"]), (5, &["a"])] {
            let error = of(participants(from_round, bots), field);
            assert!(error.is_err_and(|error| error.contains("do not fit")), "{from_round} {bots:?}");
        }
        let mut endless = participants(5, &["a", "b", "c"]);
        endless.participants.resize(200, endless.participants[1].clone());
        let long = Field { rounds: 1_000_000, ..field };
        assert!(of(endless, long).is_err_and(|error| error.contains("too many")));
        let mut late = participants(5, &["a", "b", "c"]);
        late.participants.insert(1, Participants { from_round: 6, ..late.participants[0].clone() });
        assert!(of(late, field).is_err_and(|error| error.contains("do not fit")), "in no order");
        let challenger = Settings { challenger: Some("z".to_owned()), ..by_name(ScheduleName::Gauntlet) };
        assert!(of(challenger, field).is_err_and(|error| error.contains("\"z\" is not among the bots")));
        assert_eq!([2, 3, 4, 5, 8, 9].map(|bots| Settings::default().swiss_rounds(bots)), [1, 2, 2, 3, 3, 4]);
    }
}
