//! One match between bots, or between bots and a person. `arena match` and `arena play` share it.

use engine::game::turn_name;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::out_file;
use super::positions::{FromOptions, Positions};
use crate::commands::rules::{GameArgs, RulesArgs};
use crate::report::output::{say, show, width};
use crate::report::shown::Shown;
use crate::setup::lineup::LineupOptions;
use crate::setup::times::duration;
use crate::setup::words::{Word, seed, word};
use engine::wire::{FaultKind, WireFormat};
use referee::bots::entrants::Entrant;
use referee::bots::names::check_new_name;
use referee::error::Error;
use referee::games::{GameKind, GameName, check_seats, equip};
use referee::play::{MatchPlan, Rules, SeatPlan, Watch};
use referee::record::{MatchRecord, TurnRecord};
use referee::seats::pool::Pool;
use referee::seats::table::{Played, SeatSource, play};
use sandbox::{Host, StderrLog, text};
use tournament::report::layout;
use tournament::report::words::count;
use web::human::{self, HumanSeat, PersonView, Player};

/// Options for one match: the game, the players, and their limits.
#[derive(Clone, Debug, Args)]
pub(crate) struct MatchOptions {
    /// Play this game [default: doodle]
    #[arg(long, value_parser = word::<GameName>())]
    game: Option<GameName>,
    /// Seat this bot: NAME=COMMAND, COMMAND, a bundled bot, or "human" for yourself [default: random and greedy; in
    /// "arena play" you and greedy]
    #[arg(long = "bot", value_name = "BOT")]
    pub(crate) bots: Vec<String>,
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
pub(super) struct Person<G: Shown> {
    /// The person's view of the match.
    pub(super) view: Arc<PersonView<G>>,
    /// The person's end of the seat.
    pub(super) player: Player,
    /// The referee's end of the seat.
    pub(super) human: HumanSeat,
}

impl MatchOptions {
    /// Returns the game of the match.
    ///
    /// # Errors
    /// The file of the position cannot be read.
    pub(super) fn game(&self) -> Result<GameName, Error> {
        self.from.game(self.own_game.game(self.game)?)
    }

    /// Returns true if a person has a seat.
    pub(super) fn has_person(&self) -> bool {
        self.bots.iter().any(|text| human::named(text).is_some())
    }

    /// Returns advice if the user may have meant another game than the default.
    fn other_game(&self) -> Option<String> {
        let other = GameName::WORDS.iter().find(|(_, game, _)| *game != GameName::default())?.0;
        self.game
            .is_none()
            .then(|| {
                format!("this match is {}; --game {other} plays the other game", GameName::default().as_str())
            })
            .filter(|_| self.from.from.is_none())
    }
}

/// A match that is ready to start. Every bot has sent `hello`.
pub(super) struct SingleMatch<G: GameKind> {
    pub(super) plan: MatchPlan<G>,
    occupants: Vec<Occupant>,
    record: Option<PathBuf>,
    host: Host,
}

impl<G: GameKind> SingleMatch<G> {
    /// Starts every bot once, and deals.
    ///
    /// # Errors
    /// A name, a command, a file, or the number of seats is wrong.
    pub(super) async fn new(options: &MatchOptions) -> Result<SingleMatch<G>, Error> {
        if let Some(path) = &options.record {
            out_file::check(path, "--record")?;
        }
        let (mut entrants, person) = seated::<G>(options)?;
        let positions = options.from.read::<G>(&options.rules, options.lineup.containment.contain)?;
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
    pub(super) async fn play(
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

impl<G: Shown> SingleMatch<G> {
    /// Returns the seat of the person, if one plays.
    pub(super) fn person(&self) -> Option<Person<G>> {
        let seat = self.occupants.iter().position(|occupant| matches!(occupant, Occupant::Human))?;
        let (human, player) = HumanSeat::new();
        Some(Person { view: Arc::new(PersonView::new(&self.plan.rules.equipment, seat)), player, human })
    }
}

/// The seat and the name of a person.
type Placed = (usize, String);

/// Returns the bots, and the seat and the name of the person, if one plays.
fn seated<G: GameKind>(options: &MatchOptions) -> Result<(Vec<Entrant>, Option<Placed>), Error> {
    if options.bots.is_empty() {
        return Ok((G::default_bots()?, None));
    }
    let mut people =
        options.bots.iter().enumerate().filter_map(|(seat, text)| Some((seat, human::named(text)?)));
    let person =
        people.next().map(|(seat, name)| Ok::<_, Error>((seat, check_new_name(name)?))).transpose()?;
    if people.next().is_some() {
        return Err(Error::usage("only one human can play").hint("give the other seats to bots"));
    }
    let bots = options.bots.iter().filter(|text| human::named(text).is_none());
    let entrants = bots.map(|text| Entrant::parse(text)).collect::<Result<_, _>>()?;
    Ok((entrants, person))
}

/// Prints a line for each decision, if `has_moves` is set, and below it what the bot wrote to stderr.
pub(super) fn show_turns<G: WireFormat>(
    record: &MatchRecord<G>,
    logs: &[StderrLog],
    has_moves: bool,
) -> Result<(), Error> {
    let moved = |turn: &TurnRecord<G::WireMove>| {
        let what = match &turn.fault {
            Some(fault) => format!("fault {}", fault.kind),
            None => move_words(&serde_json::to_value(&turn.wire_move).expect("a move is plain data")),
        };
        let bot = &record.bots[turn.seat];
        let time = match record.has_given(turn.id) {
            true => "given".to_owned(),
            false => format!("{:.1} ms", turn.us as f64 / 1000.0),
        };
        (Some(turn.id), turn.seat, format!("{}, {bot}: {what}, {time}\n", G::turn_name(turn.id)))
    };
    let written = |(seat, log): (usize, &StderrLog)| {
        let line = |(label, line): (Option<u32>, Cow<'_, [u8]>)| {
            let place = label.map_or("start".to_owned(), turn_name);
            let prefix = match label.filter(|_| has_moves) {
                Some(_) => "    stderr: ".to_owned(),
                None => format!("{}, {place}: ", record.bots[seat]),
            };
            let line = String::from_utf8_lossy(&line);
            (label, seat, layout::hanging(&prefix, &text::line(&line), width()) + "\n")
        };
        log.lines().into_iter().map(line).collect::<Vec<_>>()
    };
    let moves = record.turns.iter().filter(|_| has_moves).map(moved);
    let mut lines: Vec<_> = moves.chain(logs.iter().enumerate().flat_map(written)).collect();
    // A stable sort keeps the stderr below the move of its decision.
    lines.sort_by_key(|(label, seat, _)| (*label, *seat));
    let lines: String = lines.into_iter().map(|(_, _, line)| line).collect();
    if lines.is_empty() { Ok(()) } else { show(&(lines + "\n")) }
}

/// Returns a move in a few words: its fields, with the number of cells and the first one.
pub(super) fn move_words(wire_move: &Value) -> String {
    let fields = wire_move.as_object().into_iter().flatten().map(|(name, value)| match value {
        Value::Bool(true) => name.clone(),
        Value::String(text) => format!("{name} {text}"),
        Value::Array(cells) if name == "cells" => {
            let first = cells.first().map_or(String::new(), |cell| format!(" from {cell}"));
            count(cells.len() as u64, "cell") + &first
        }
        value => format!("{name} {value}"),
    });
    fields.collect::<Vec<_>>().join(", ")
}

/// Prints the faults to stderr, and the result to stdout.
pub(super) fn report<G: WireFormat>(record: &MatchRecord<G>, options: &MatchOptions) -> Result<(), Error> {
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
