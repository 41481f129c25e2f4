//! One match between bots, or between bots and a person. `arena match` and `arena play` share it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::report::out_file;
use crate::report::output::{say, show};
use crate::report::shown::Shown;
use crate::setup::league::League;
use crate::setup::lineup::LineupOptions;
use crate::setup::positions::{FromOptions, Positions};
use crate::setup::rules::{GameArgs, RulesArgs};
use crate::setup::times::duration;
use crate::setup::versions::{entrants, version};
use crate::setup::words::seed;
use engine::game::Seat;
use engine::wire::{FaultKind, WireFormat};
use referee::bots::entrants::Entrant;
use referee::bots::identity::Identity;
use referee::bots::names::check_new_name;
use referee::error::Error;
use referee::games::{GameKind, GameName, check_seats, equip};
use referee::play::{MatchPlan, Rules, SeatPlan, Watch};
use referee::record::{MatchRecord, TurnRecord};
use referee::seats::pool::Pool;
use referee::seats::table::{Played, SeatSource, play};
use sandbox::{Host, StderrLog};
use tournament::report::words::count;
use web::human::{self, HumanSeat, PersonView, Player};

/// The default bot of each seat in a match from a position.
const FROM_POSITION: &str = "planner";

/// Options for one match: the game, the players, and their limits.
#[derive(Clone, Debug, Args)]
pub(crate) struct MatchOptions {
    /// Play this game [default: doodle]
    #[arg(long, value_enum)]
    game: Option<GameName>,
    /// Seat this bot: NAME=COMMAND, COMMAND, a bundled bot, or "human" for yourself [default: random and greedy; from a
    /// position planner in each seat; in "arena play" you and greedy]
    #[arg(long = "bot", value_name = "BOT")]
    pub(crate) bots: Vec<String>,
    /// The bots of a league file.
    #[arg(skip)]
    entered: Vec<Identity>,
    /// Deal from this seed [default: a fresh one]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: Option<u64>,
    /// Write the record of the match to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Limit the time of your own moves [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    #[command(flatten)]
    pub(crate) lineup: LineupOptions,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    pub(crate) own_game: GameArgs,
    #[command(flatten)]
    pub(crate) from: FromOptions,
}

/// The player of a seat.
enum Occupant {
    Bot(Box<Entrant>),
    Human,
}

/// A person's seat before the match.
#[derive(Debug)]
pub(crate) struct Person<G: Shown> {
    /// The person's view of the match.
    pub(crate) view: Arc<PersonView<G>>,
    /// The person's end of the seat.
    pub(crate) player: Player,
    /// The referee's end of the seat.
    pub(crate) human: HumanSeat,
}

impl MatchOptions {
    /// Returns the game of the match.
    ///
    /// # Errors
    /// The file of the position cannot be read.
    pub(crate) fn game(&self) -> Result<GameName, Error> {
        self.from.game(self.own_game.game(self.game)?)
    }

    /// Returns these options, with missing ones filled in from a league file.
    ///
    /// # Errors
    /// The file cannot be read, or is wrong.
    pub(crate) fn over_league(self, path: &Path) -> Result<MatchOptions, Error> {
        let (league, entered) = League::read(path)?;
        let lineup = self.lineup.over(league.lineup());
        let game = self
            .game
            .or_else(|| [&league.tournament].into_iter().chain(&league.stages).find_map(|one| one.game));
        let (rules, own_game) = (self.rules.over(league.rules), self.own_game.over(league.game));
        Ok(MatchOptions { game, lineup, rules, own_game, entered, ..self })
    }

    /// Returns the bots of the options, or all of the league file.
    fn identities(&self) -> Result<Vec<Identity>, Error> {
        let named = |text: &String| {
            let entered = self.entered.iter().find(|bot| [&bot.name, &bot.command].contains(&text));
            entered.map_or_else(|| Entrant::described(text), |bot| Ok(bot.clone()))
        };
        let bots = self.bots.iter().filter(|text| human::named(text).is_none());
        if self.bots.is_empty() { Ok(self.entered.clone()) } else { bots.map(named).collect() }
    }

    /// Returns true if a person has a seat.
    pub(crate) fn has_person(&self) -> bool {
        self.bots.iter().any(|text| human::named(text).is_some())
    }

    /// Returns advice if the user may have meant another game than the default.
    fn other_game(&self) -> Option<String> {
        let other = GameName::ALL.into_iter().find(|game| *game != GameName::default())?.as_str();
        (self.game.is_none() && self.own_game.command.is_none())
            .then(|| {
                format!("this match is {}; --game {other} plays the other game", GameName::default().as_str())
            })
            .filter(|_| self.from.from.is_none())
    }
}

/// A match that is ready to start. Every bot has sent `hello`.
pub(crate) struct SingleMatch<G: GameKind> {
    pub(crate) plan: MatchPlan<G>,
    occupants: Vec<Occupant>,
    record: Option<PathBuf>,
    host: Host,
}

impl<G: GameKind> SingleMatch<G> {
    /// Starts every bot once, and deals.
    ///
    /// # Errors
    /// A name, a command, a file, or the number of seats is wrong.
    pub(crate) async fn new(options: &MatchOptions) -> Result<SingleMatch<G>, Error> {
        if let Some(path) = &options.record {
            out_file::check(path, "--record")?;
        }
        let positions = options.from.read::<G>(&options.rules, options.lineup.containment.contain)?;
        let (mut entrants, person) = seated::<G>(options, positions.as_ref().map(|found| found.seats))?;
        let equipment = match &positions {
            Some(positions) => Arc::clone(&positions.equipment),
            None => Arc::new(equip::<G>(
                &options.rules.options(&options.own_game, options.lineup.containment.contain),
            )?),
        };
        let seed = options.lineup.containment.seed(options.seed, false)?;
        let time = options.lineup.times.time_control();
        // Rejects an impossible number of seats before any bot starts.
        let seats = entrants.len() + usize::from(person.is_some());
        let position = positions.as_ref().map(Positions::only).transpose()?;
        match &positions {
            Some(there) if there.seats != seats => {
                let seats = count(there.seats as u64, "seat");
                return Err(
                    Error::usage(format!("the position has {seats}")).hint("name a bot for each seat")
                );
            }
            Some(_) => {}
            None => {
                check_seats::<G>(&equipment, seats, seed)?;
            }
        }
        let host = options
            .lineup
            .ready(&mut entrants, G::is_simultaneous(G::setup(&equipment)), false)
            .await?
            .label_stderr(true);
        let mut seats: Vec<SeatPlan> = entrants.iter().map(|entrant| entrant.seat(0, time)).collect();
        let mut occupants: Vec<Occupant> =
            entrants.into_iter().map(|bot| Occupant::Bot(Box::new(bot))).collect();
        if let Some((seat, name)) = person {
            if seats.iter().any(|seat| seat.name == name) {
                return Err(Error::usage(format!("a bot is named {name:?}, as you are"))
                    .hint("name yourself with --bot NAME=human"));
            }
            seats.insert(seat, SeatPlan::new(&name, HumanSeat::limits(options.time, time)));
            occupants.insert(seat, Occupant::Human);
        }
        let rules = Rules::new(equipment);
        let plan = match position {
            None => MatchPlan::dealt(&rules, seed, seats)?,
            Some(position) => {
                let start = position.start(&rules.equipment, seed);
                MatchPlan::new(&rules, seed, start, seats)
            }
        };
        Ok(SingleMatch { plan, occupants, record: options.record.clone(), host })
    }

    /// Plays the match and writes its record. Returns the record, and the stderr of each bot.
    ///
    /// # Errors
    /// The machine cannot start bots, or the record cannot be written.
    pub(crate) async fn play(
        &self,
        human: Option<&HumanSeat>,
        watch: &mut Watch<'_, G>,
    ) -> Result<(MatchRecord<G>, Vec<StderrLog>), Error> {
        let sources: Vec<SeatSource<'_, G>> = self
            .occupants
            .iter()
            .map(|occupant| match occupant {
                Occupant::Bot(entrant) => SeatSource::Process(entrant),
                Occupant::Human => SeatSource::Human(human.expect("a match with a person has one").clone()),
            })
            .collect();
        let Played { record, ended, .. } =
            play(&self.plan, &sources, &Pool::fresh(&self.host), None, watch).await?;
        if let Some(path) = &self.record {
            out_file::write(path, &record.to_line())?;
        }
        let logs = ended.into_iter().map(|ended| ended.map(|ended| ended.stderr).unwrap_or_default());
        Ok((record, logs.collect()))
    }
}

impl<G: GameKind> SingleMatch<G> {
    /// Returns the number of the person's seat, if one plays.
    pub(crate) fn seat_of_person(&self) -> Option<Seat> {
        self.occupants.iter().position(|occupant| matches!(occupant, Occupant::Human))
    }
}

impl<G: Shown> SingleMatch<G> {
    /// Returns the seat of the person, if one plays.
    pub(crate) fn person(&self) -> Option<Person<G>> {
        let seat = self.seat_of_person()?;
        let (human, player) = HumanSeat::new();
        Some(Person { view: Arc::new(PersonView::new(&self.plan.rules.equipment, seat)), player, human })
    }
}

/// The seat and the name of a person.
type Placed = (usize, String);

/// Returns the bots, and the seat and the name of the person, if one plays. `seats` is the number of those of a position.
fn seated<G: GameKind>(
    options: &MatchOptions,
    seats: Option<usize>,
) -> Result<(Vec<Entrant>, Option<Placed>), Error> {
    let identities = options.identities()?;
    if identities.is_empty() && options.bots.is_empty() {
        let named = |number| format!("{FROM_POSITION}-{number}={FROM_POSITION}");
        let Some(seats) = seats else { return Ok((G::default_bots()?, None)) };
        return Ok((entrants(&(1..=seats).map(named).collect::<Vec<_>>(), &options.lineup.build)?, None));
    }
    let mut people =
        options.bots.iter().enumerate().filter_map(|(seat, text)| Some((seat, human::named(text)?)));
    let person =
        people.next().map(|(seat, name)| Ok::<_, Error>((seat, check_new_name(name)?))).transpose()?;
    if people.next().is_some() {
        return Err(Error::usage("only one human can play").hint("give the other seats to bots"));
    }
    let bots = identities.into_iter().map(|bot| Entrant::new(&version(bot, &options.lineup.build)?));
    Ok((bots.collect::<Result<_, Error>>()?, person))
}

/// Prints the faults to stderr, and the result to stdout.
pub(crate) fn report<G: WireFormat>(record: &MatchRecord<G>, options: &MatchOptions) -> Result<(), Error> {
    for turn in &record.turns {
        if let Some(fault) = &turn.fault {
            let bot = &record.bots[turn.seat];
            say(&format!("fault: {bot} in {}: {}: {}", G::turn_name(turn.id), fault.kind, fault.detail));
        }
    }
    let fails_at_once = |turn: &TurnRecord<G::WireMove>| {
        let is_of_start = |kind| matches!(kind, FaultKind::Startup | FaultKind::Exit | FaultKind::Malformed);
        turn.id == 0 && turn.fault.as_ref().is_some_and(|fault| is_of_start(fault.kind))
    };
    if let Some(advice) = options.other_game().filter(|_| record.turns.iter().any(fails_at_once)) {
        say(&format!("note: {advice}"));
    }
    let result = &record.result;
    let line = |seat: usize| {
        let fault = result.faults[seat].map_or(String::new(), |mark| format!("  out by {}", mark.kind));
        format!(
            "{:>2}. {:<20} {:>5} points{fault}\n",
            result.ranks[seat], record.bots[seat], result.scores[seat]
        )
    };
    let mut seats: Vec<usize> = (0..record.bots.len()).collect();
    seats.sort_by_key(|&seat| result.ranks[seat]);
    let lines: String = seats.into_iter().map(line).collect();
    show(&format!("{lines}digest {}\n", record.digest))
}
