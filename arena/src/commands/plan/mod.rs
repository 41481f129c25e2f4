//! `arena plan`: says how many deals a tournament needs to find a difference.

pub(crate) mod league;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use stats::planning::{Design, Question};
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Style};

use crate::report::output::{print_json, show};
use crate::report::tables::read_state;
use crate::setup::times::duration;
use crate::setup::words::{probability, word_of};
use referee::error::Error;
use referee::for_game;
use referee::games::{GameKind, GameName};
use sandbox::SandboxLevel;
use tournament::comparison::Comparison;
use tournament::replay::Source;
use tournament::report::tables::Format;
use tournament::schedule::ScheduleName;
use tournament::standings::{Basis, DEALS_MIN};

/// The largest number of bots.
const BOTS_MAX: u16 = 1_000;

/// The formats of the result.
const FORMATS: [(&str, Format, &str); 2] =
    [("text", Format::Table, "A table"), ("json", Format::Json, "One JSON object")];

/// Arguments of `arena plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// A finished round robin with similar bots [default: the reference leagues]
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: Option<PathBuf>,
    /// Plan for this number of bots
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(2..=i64::from(BOTS_MAX)))]
    bots: u16,
    /// Find a bot that is better than the others by this, such as 30elo or 2points [default: 20elo; in solo games the points that count]
    #[arg(long, value_name = "SIZE", value_parser = difference, allow_negative_numbers = true)]
    difference: Option<(f64, Unit)>,
    /// Find it with this probability
    #[arg(long, value_name = "P", default_value = "80%", value_parser = power, allow_negative_numbers = true)]
    pub(super) power: f64,
    /// Plan for this game [default: doodle, or the game of DIR]
    #[arg(long, value_enum)]
    game: Option<GameName>,
    /// Play a few matches of this league, and tell how many deals fit into --hours
    #[arg(long, value_name = "LEAGUE.toml", requires = "time", conflicts_with_all = ["dir", "bots", "difference", "game"])]
    pub(crate) league: Option<PathBuf>,
    /// With --league: the time for the tournament, such as 3 or 2h30m
    #[arg(long = "hours", value_name = "H", value_parser = hours, requires = "league")]
    pub(super) time: Option<Duration>,
    /// With --league: confine the bots like this [default: auto]
    #[arg(long, value_enum, value_name = "HOW", requires = "league")]
    pub(super) contain: Option<SandboxLevel>,
    /// Print the plan in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "text")]
    pub(super) format: Format,
}

/// The unit of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Elo,
    Points,
}

/// The size of one kind of tournament.
#[derive(Debug, Serialize)]
struct Size {
    /// Round robin, gauntlet, or solo games.
    schedule: &'static str,
    /// The rule for start cards, if the game has one and no tournament decides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_cards: Option<&'static str>,
    bots: usize,
    deals: u64,
    matches: u64,
    /// The variance from deal to deal of the difference between two bots: what they have at all tables, and what each
    /// meeting has.
    variation: [f64; 2],
}

/// The variation of differences for each rule of start cards, if no tournament decides the rule.
type Bases = Vec<(Option<&'static str>, Basis)>;

/// The answer of the command.
#[derive(Debug, Serialize)]
struct Answer {
    game: &'static str,
    difference: f64,
    unit: &'static str,
    power: f64,
    sizes: Vec<Size>,
}

/// Parses a difference such as `30elo` or `2points`.
fn difference(text: &str) -> Result<(f64, Unit), String> {
    let units = [("elo", Unit::Elo), ("points", Unit::Points), ("point", Unit::Points)];
    let lower = text.to_lowercase();
    let number =
        |(name, unit): (&str, Unit)| Some((lower.strip_suffix(name)?.trim().parse::<f64>().ok()?, unit));
    match units.into_iter().find_map(number) {
        Some((size, unit)) if size > 0.0 && size.is_finite() => Ok((size, unit)),
        _ => Err("a number above 0 with its unit, such as 30elo or 2points".to_owned()),
    }
}

/// Parses a number of hours, or a time with units.
fn hours(text: &str) -> Result<Duration, String> {
    duration(&if text.parse::<u32>().is_ok() { format!("{text}h") } else { text.to_owned() })
        .map_err(|_| "hours such as 3, or a time such as 2h30m".to_owned())
}

/// Parses a probability such as `80%` or `0.8`.
fn power(text: &str) -> Result<f64, String> {
    let share = probability(text);
    share.ok().filter(|share| (0.1..0.9995).contains(share)).ok_or("from 10% to 99.9%".to_owned())
}

pub(crate) fn run(args: &PlanArgs) -> Result<(), Error> {
    let (game, bases, unit) = args.bases()?;
    let is_solo = bases.iter().any(|(_, basis)| basis.elo_of_point.is_none());
    let default = if is_solo { unit.map(|unit| (unit, Unit::Points)) } else { Some((20.0, Unit::Elo)) };
    let difference = args.difference.or(default).ok_or_else(|| {
        Error::usage("the game does not say how many points count").hint("set --difference, such as 2points")
    })?;
    let mut sizes = Vec::new();
    for &(start_cards, basis) in &bases {
        for (design, schedule) in designs(basis, args.bots) {
            sizes.push(args.size(game, start_cards, basis, design, (schedule, difference))?);
        }
    }
    let (difference, unit) = difference;
    let unit = if unit == Unit::Elo { "Elo" } else { "points" };
    let answer = Answer { game: game.as_str(), difference, unit, power: args.power, sizes };
    match args.format {
        Format::Json => print_json(&answer),
        _ => show(&text(&answer, args.bots, &bases)),
    }
}

/// Returns the kinds of tournaments to plan, with their names.
fn designs(basis: Basis, bots: u16) -> Vec<(Design, &'static str)> {
    match basis.elo_of_point {
        None => vec![(Design::Solo, "solo games")],
        Some(_) if bots == 2 => vec![(Design::RoundRobin, "round robin")],
        Some(_) => vec![(Design::RoundRobin, "round robin"), (Design::Gauntlet, "gauntlet")],
    }
}

impl PlanArgs {
    /// Returns the game, the variation of differences for each rule of start cards that comes into question, and the
    /// difference in points that counts.
    fn bases(&self) -> Result<(GameName, Bases, Option<f64>), Error> {
        let Some(dir) = &self.dir else {
            let game = self.game.unwrap_or_default();
            let leagues = for_game!(game, G => G::LEAGUES);
            if leagues.is_empty() {
                return Err(Error::usage(format!("{} has no reference league", game.as_str()))
                    .hint("plan from a round robin of similar bots: arena plan DIR"));
            }
            return Ok((
                game,
                leagues.iter().map(|league| (league.rule, Basis::reference(league))).collect(),
                None,
            ));
        };
        let source = Source::at(dir);
        let head = source.begun()?;
        let game = GameName::named(&head.plan.game)?;
        if self.game.is_some_and(|asked| asked != game) {
            return Err(Error::usage(format!("{} is a tournament of {}", dir.display(), game.as_str()))
                .hint("leave out --game"));
        }
        if head.plan.schedule.schedule != ScheduleName::RoundRobin || Comparison::read(dir).is_ok() {
            return Err(Error::usage(format!("{} is no round robin", dir.display()))
                .hint("plan from a round robin of similar bots, or without a directory"));
        }
        let (_, state) = read_state(&source)?;
        if !state.schedule().is_over() {
            return Err(Error::usage(format!("{} is unfinished", dir.display()))
                .hint(format!("finish it with arena tournament --resume --out {}", dir.display())));
        }
        let basis = Basis::of(state.tally(), &state.standings())
            .map_err(|error| Error::usage(format!("{}: {}", dir.display(), error.message())))?;
        let unit = for_game!(game, G => source.tournament::<G>()?.and_then(|file| G::unit(&file.plan.setup)));
        Ok((game, vec![(None, basis)], unit))
    }

    fn size(
        &self,
        game: GameName,
        start_cards: Option<&'static str>,
        basis: Basis,
        design: Design,
        (schedule, difference): (&'static str, (f64, Unit)),
    ) -> Result<Size, Error> {
        let bots = usize::from(self.bots);
        let difference = match (difference, basis.elo_of_point) {
            ((points, Unit::Points), Some(elo)) => points * elo,
            ((elo, Unit::Elo), None) => {
                return Err(Error::usage(format!("solo games have no Elo, so {elo}elo has no meaning"))
                    .hint("give the difference in points, or leave out --difference"));
            }
            ((size, _), _) => size,
        };
        let question = Question { design, bots, difference, variation: basis.variation };
        let deals = question.deals(self.power, DEALS_MIN).ok_or_else(|| {
            Error::usage("no number of deals is large enough").hint("take a larger --difference")
        })?;
        let tables = match design {
            Design::RoundRobin => bots * (bots - 1) / 2,
            Design::Gauntlet => bots - 1,
            Design::Solo => bots,
        };
        let seatings = if game.every_seat_each_deal() && design != Design::Solo { 2 } else { 1 };
        let matches = deals.saturating_mul(tables as u64 * seatings);
        let variation = [basis.variation.bots, basis.variation.meeting].map(f64::round);
        Ok(Size { schedule, start_cards, bots, deals, matches, variation })
    }
}

fn text(answer: &Answer, bots: u16, bases: &Bases) -> String {
    let with_rule = answer.sizes.iter().any(|size| size.start_cards.is_some());
    let mut table = Builder::default();
    let rule = |word: &'static str| with_rule.then_some(word);
    table.push_record(["schedule"].into_iter().chain(rule("start cards")).chain(["deals", "matches"]));
    for Size { schedule, start_cards, deals, matches, .. } in &answer.sizes {
        let [deals, matches] = [deals, matches].map(u64::to_string);
        let row = [(*schedule).to_owned()].into_iter().chain(start_cards.map(str::to_owned));
        table.push_record(row.chain([deals, matches]));
    }
    let mut table = table.build();
    let first = if with_rule { 2 } else { 1 };
    table.with(Style::sharp()).modify(Columns::new(first..), Alignment::right());
    table.modify(Rows::first(), Alignment::left());
    let Answer { difference, power, .. } = answer;
    let unit = if *difference == 1.0 { answer.unit.trim_end_matches('s') } else { answer.unit };
    // A point is worth more Elo where start cards are shared.
    let elo = bases.iter().filter_map(|(_, basis)| basis.elo_of_point);
    let mut elo: Vec<String> = elo.map(|elo| format!("{:.0}", difference * elo)).collect();
    elo.dedup();
    let converted = match answer.unit {
        "points" if !elo.is_empty() => format!(" ({} Elo)", elo.join(" or ")),
        _ => String::new(),
    };
    let difference = format!("{difference} {unit}{converted}");
    format!("{table}\n{}", finding(usize::from(bots), &difference, *power))
}

/// Says what the table of a tournament finds if one of its bots is better by this.
pub(super) fn finding(bots: usize, difference: &str, power: f64) -> String {
    let (than, found) = match bots {
        2 => ("the other", format!("finds this with a probability of {:.0} %", 100.0 * power)),
        _ => ("all others", format!("tells it from {:.0} % of them on average", 100.0 * power)),
    };
    format!("If one of {bots} bots is {difference} better than {than},\nthe table {found}.\n")
}
