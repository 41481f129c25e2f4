//! Selections of recorded matches: the matches that a user asks for, on the command line and on pages, and their order.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use engine::wire::FaultKind;
use serde::{Deserialize, Deserializer, Serialize};

use super::Source;
use super::lines::Span;
use crate::journal;
use referee::error::Error;
use referee::play::time_control::TimeControl;
use referee::record::Summary;

/// The options that select, for conflicts with `--match`.
#[cfg(feature = "clap")]
const SELECTING: [&str; 14] = [
    "against",
    "lost",
    "won",
    "drawn",
    "fault",
    "deal",
    "slow",
    "margin_min",
    "margin_max",
    "sort",
    "reverse",
    "worst",
    "best",
    "first",
];

/// The matches that a user asks for. The fields are the options of commands and the query of pages.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Selection"))]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Selection {
    /// Select match N
    #[cfg_attr(feature = "clap", arg(long = "match", value_name = "N", conflicts_with_all = SELECTING))]
    #[serde(rename = "match")]
    pub matched: Option<u64>,
    /// Select the matches of this bot; results, margins, and times refer to it
    #[cfg_attr(feature = "clap", arg(long, value_name = "BOT"))]
    #[serde(rename = "bot")]
    pub with: Option<String>,
    /// Select the matches with this bot at the table too; repeatable
    #[cfg_attr(feature = "clap", arg(long, value_name = "BOT", requires = "with"))]
    #[serde(deserialize_with = "one_of_several")]
    pub against: Vec<String>,
    /// Select the matches that the bot of --with lost
    #[cfg_attr(feature = "clap", arg(long, requires = "with"))]
    pub lost: bool,
    /// Select the matches that the bot of --with won
    #[cfg_attr(feature = "clap", arg(long, requires = "with"))]
    pub won: bool,
    /// Select the matches that the bot of --with drew
    #[cfg_attr(feature = "clap", arg(long, requires = "with", hide_short_help = true))]
    pub drawn: bool,
    /// Select matches with a fault, or with a fault of this kind
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "any")
    )]
    pub fault: Option<Fault>,
    /// Select the matches of deal N, counted from 1
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))
    )]
    pub deal: Option<u64>,
    /// Select matches with a move that took over 80 % of the limit
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub slow: bool,
    /// Select matches with a margin of at least N points
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub margin_min: Option<i64>,
    /// Select matches with a margin of at most N points
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub margin_max: Option<i64>,
    /// Sort by this figure, the smallest first
    #[cfg_attr(feature = "clap", arg(long, value_name = "FIGURE"))]
    #[serde(rename = "order")]
    pub sort: Option<Order>,
    /// Sort the largest first
    #[cfg_attr(feature = "clap", arg(long, requires = "sort"))]
    pub reverse: bool,
    /// Select the N matches with the smallest margins of the bot of --with
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", requires = "with", conflicts_with_all = ["sort", "reverse", "best"])
    )]
    pub worst: Option<usize>,
    /// Select the N matches with the largest margins of the bot of --with
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", requires = "with", conflicts_with_all = ["sort", "reverse"])
    )]
    pub best: Option<usize>,
    /// Select the first N of these matches
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", conflicts_with_all = ["worst", "best"]))]
    pub first: Option<usize>,
    /// The number of the page, from 0. Commands have none.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub page: usize,
}

/// Reads a field that a query can have once and a command several times.
fn one_of_several<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    String::deserialize(input).map(|one| vec![one])
}

/// The faults that a user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Fault {
    /// Any fault.
    Any,
    /// No fault.
    None,
    /// Faults of this kind.
    Kind(FaultKind),
}

impl Fault {
    /// All selections of faults.
    pub const ALL: [Fault; 2 + FaultKind::ALL.len()] = {
        let (mut all, mut at) = ([Fault::Any; 2 + FaultKind::ALL.len()], 0);
        all[1] = Fault::None;
        while at < FaultKind::ALL.len() {
            all[2 + at] = Fault::Kind(FaultKind::ALL[at]);
            at += 1;
        }
        all
    };

    /// The name in options and queries.
    pub fn as_str(self) -> &'static str {
        match self {
            Fault::Any => "any",
            Fault::None => "none",
            Fault::Kind(kind) => kind.as_str(),
        }
    }

    fn takes(self, kind: Option<FaultKind>) -> bool {
        match self {
            Fault::Any => kind.is_some(),
            Fault::None => kind.is_none(),
            Fault::Kind(wanted) => kind == Some(wanted),
        }
    }
}

impl TryFrom<String> for Fault {
    type Error = String;

    fn try_from(name: String) -> Result<Fault, String> {
        let found = Fault::ALL.into_iter().find(|fault| fault.as_str() == name);
        found.ok_or_else(|| format!("there is no fault {name:?}"))
    }
}

#[cfg(feature = "clap")]
impl clap::ValueEnum for Fault {
    fn value_variants<'a>() -> &'a [Fault] {
        &Fault::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let about = match self {
            Fault::Any => "Any fault",
            Fault::None => "No fault",
            Fault::Kind(kind) => kind.about(),
        };
        Some(clap::builder::PossibleValue::new(self.as_str()).help(about))
    }
}

/// The result of a bot against its opponents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchResult {
    /// It is ranked above every opponent.
    Won,
    /// No opponent is ranked above it, and one is its equal.
    Drawn,
    /// An opponent is ranked above it.
    Lost,
}

impl MatchResult {
    /// Returns the result of a bot with this rank against opponents with these ranks, or `None` without opponents.
    fn of<R: Ord>(rank: R, opponents: impl Iterator<Item = R>) -> Option<MatchResult> {
        Some(match rank.cmp(&opponents.min()?) {
            Ordering::Less => MatchResult::Won,
            Ordering::Equal => MatchResult::Drawn,
            Ordering::Greater => MatchResult::Lost,
        })
    }
}

/// An order of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Number of the match
    Number,
    /// The match that was written last comes first
    Newest,
    /// Number of the deal, then of the match
    Deal,
    /// Points less those of the best opponent
    Margin,
    /// The smallest margin of a bot comes first
    Worst,
    /// The largest margin of a bot comes first
    Best,
    /// The margin nearest to zero comes first
    Closest,
    /// The margin farthest from zero comes first
    Widest,
    /// Points of the bot
    Score,
    /// The highest points come first
    Highest,
    /// Longest time of a move
    Time,
}

/// Returns the points of a bot less those of its best opponent; its score itself if it plays alone.
fn margin(score: i32, opponents: impl Iterator<Item = i32>) -> i64 {
    i64::from(score) - i64::from(opponents.max().unwrap_or_default())
}

/// What decides if a match is selected.
pub trait Facts {
    /// The number of the match.
    fn index(&self) -> u64;
    /// The round of its deal, from 0.
    fn round(&self) -> u64;
    /// A number that is larger for a match that was written later.
    fn age(&self) -> u64;
    /// The seats, in their order.
    fn seats(&self) -> impl Iterator<Item = SeatFacts<'_>> + Clone;
}

/// What decides about a seat.
#[derive(Clone, Copy, Debug)]
pub struct SeatFacts<'a> {
    /// The name of the bot.
    pub bot: &'a str,
    /// Its points.
    pub score: i32,
    /// Its rank, from 1.
    pub rank: u32,
    /// The fault that put it out of the match.
    pub fault: Option<FaultKind>,
    /// True if a decision took more than 80 % of the limit.
    pub is_slow: bool,
    /// The longest time of a decision, in microseconds.
    pub time_us_max: u64,
}

/// How a selected match is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The seat of the bot `with`.
    pub subject: Option<usize>,
    /// The points by which that bot, or else the winner, is ahead of its best opponent. Without an opponent, the score.
    pub margin: i64,
}

/// Returns the subject's seat, or all seats.
fn of_subject(one: &impl Facts, subject: Option<usize>) -> impl Iterator<Item = SeatFacts<'_>> {
    let is_it = move |(seat, _): &(usize, SeatFacts<'_>)| subject.is_none_or(|subject| subject == *seat);
    one.seats().enumerate().filter(is_it).map(|(_, seat)| seat)
}

/// Returns the number of a deal as people and `--deal` count, from 1.
pub fn deal_number(round: u64) -> u64 {
    round.saturating_add(1)
}

/// A match of a journal in a few figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchRow {
    /// The number of the match, from 0.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round of its deal, from 0.
    pub round: u64,
    /// The seats, in their order.
    pub seats: Vec<SeatRow>,
    /// The points of the selected bot, or else of the winner, less those of its best opponent. The score itself if it
    /// played alone.
    pub margin: i64,
    /// The reason why the match was replayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<String>,
    /// The place of its line in the file.
    #[serde(skip)]
    pub span: Span,
    /// The seat of the selected bot.
    #[serde(skip)]
    pub subject: Option<usize>,
}

/// A seat of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatRow {
    /// The name of the bot.
    pub bot: String,
    /// Its points.
    pub score: i32,
    /// Its rank, from 1.
    pub rank: u32,
    /// The fault that put it out of the match.
    pub fault: Option<FaultRow>,
    /// The number of its decisions.
    pub decisions: u64,
    /// The sum of their times, in microseconds.
    pub time_us: u64,
    /// The longest of their times, in microseconds.
    pub time_us_max: u64,
    /// The decisions that took more than 80 % of the limit.
    pub slow: u64,
}

/// A fault of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultRow {
    /// The kind.
    pub kind: FaultKind,
    /// The `id` of the decision.
    pub id: u32,
    /// What happened.
    pub detail: String,
}

impl Facts for MatchRow {
    fn index(&self) -> u64 {
        self.index
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn age(&self) -> u64 {
        self.span.offset
    }

    fn seats(&self) -> impl Iterator<Item = SeatFacts<'_>> + Clone {
        self.seats.iter().map(|seat| SeatFacts {
            bot: &seat.bot,
            score: seat.score,
            rank: seat.rank,
            fault: seat.fault.as_ref().map(|fault| fault.kind),
            is_slow: seat.slow > 0,
            time_us_max: seat.time_us_max,
        })
    }
}

impl Selection {
    /// Returns true if more than the number of a match is asked for.
    pub fn selects(&self) -> bool {
        let Selection { with, fault, deal, slow, margin_min, margin_max, sort, first, .. } = self;
        with.is_some()
            || fault.is_some()
            || deal.is_some()
            || *slow
            || margin_min.is_some()
            || margin_max.is_some()
            || sort.is_some()
            || first.is_some()
    }

    /// Checks that the named bots are among these, and that what refers to a bot has one.
    ///
    /// # Errors
    /// It is not so.
    pub fn check(&self, names: &BTreeSet<&str>) -> Result<(), Error> {
        for name in self.with.iter().chain(&self.against) {
            if !names.contains(name.as_str()) {
                let all: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
                let all = sandbox::text::few(&all);
                return Err(Error::usage(format!("no match has a bot {name:?}: there are {all}")));
            }
        }
        let refers =
            self.lost || self.won || self.drawn || matches!(self.order(), Some(Order::Best | Order::Worst));
        match refers && self.with.is_none() {
            true => Err(Error::usage("this filter or order needs a bot").hint("name it with --with")),
            false => Ok(()),
        }
    }

    fn order(&self) -> Option<Order> {
        let by_margin = self.worst.and(Some(Order::Worst)).or(self.best.and(Some(Order::Best)));
        by_margin.or(self.sort)
    }

    /// Returns how the match is seen if it is selected.
    pub fn pick(&self, one: &impl Facts) -> Option<Picked> {
        let seat_of = |name: &String| one.seats().position(|seat| seat.bot == name);
        let subject = match &self.with {
            Some(name) => Some(seat_of(name)?),
            None => None,
        };
        let against = self.against.iter().map(seat_of).collect::<Option<Vec<usize>>>()?;
        let (own, own_seat) = match subject {
            Some(seat) => (seat, one.seats().nth(seat)?),
            None => one.seats().enumerate().min_by_key(|(_, seat)| seat.rank)?,
        };
        let is_opponent = |(seat, _): &(usize, SeatFacts<'_>)| {
            *seat != own && (against.is_empty() || against.contains(seat))
        };
        let others = || one.seats().enumerate().filter(is_opponent).map(|(_, seat)| seat);
        let margin = margin(own_seat.score, others().map(|seat| seat.score));
        let result = || MatchResult::of(own_seat.rank, others().map(|seat| seat.rank));
        let is_result = || match result() {
            Some(MatchResult::Won) => self.won,
            Some(MatchResult::Drawn) => self.drawn,
            Some(MatchResult::Lost) => self.lost,
            None => false,
        };
        let is_fault = |fault: Fault| match fault {
            Fault::None => one.seats().all(|seat| seat.fault.is_none()),
            _ => of_subject(one, subject).any(|seat| fault.takes(seat.fault)),
        };
        let is_selected = self.matched.is_none_or(|index| index == one.index())
            && self.deal.is_none_or(|deal| deal == deal_number(one.round()))
            && (!(self.won || self.drawn || self.lost) || is_result())
            && self.fault.is_none_or(is_fault)
            && self.margin_min.is_none_or(|least| margin >= least)
            && self.margin_max.is_none_or(|most| margin <= most)
            && (!self.slow || of_subject(one, subject).any(|seat| seat.is_slow));
        is_selected.then_some(Picked { subject, margin })
    }

    /// Orders selected matches, and drops those beyond the number that is asked for. Without an order, and among equal
    /// ones, the order stays.
    pub fn sort<C: Facts>(&self, picked: &mut Vec<(C, Picked)>) {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        if let Some(order) = self.order() {
            let sign = if self.reverse { -1 } else { 1 };
            picked.sort_by_cached_key(|(one, Picked { subject, margin })| {
                let seats = || of_subject(one, *subject);
                let score = || seats().map(|seat| i64::from(seat.score)).max().unwrap_or_default();
                let (first, second) = match order {
                    Order::Number => (number(one.index()), 0),
                    Order::Newest => (-number(one.age()), 0),
                    Order::Deal => (number(one.round()), number(one.index())),
                    Order::Margin | Order::Worst => (*margin, 0),
                    Order::Best => (margin.saturating_neg(), 0),
                    Order::Closest => (margin.saturating_abs(), 0),
                    Order::Widest => (-margin.saturating_abs(), 0),
                    Order::Score => (score(), 0),
                    Order::Highest => (-score(), 0),
                    Order::Time => {
                        (number(seats().map(|seat| seat.time_us_max).max().unwrap_or_default()), 0)
                    }
                };
                (first.saturating_mul(sign), second.saturating_mul(sign))
            });
        }
        picked.truncate(self.worst.or(self.best).or(self.first).unwrap_or(usize::MAX));
    }

    /// Returns the selected matches of a file, in their order.
    ///
    /// # Errors
    /// The file cannot be read, a line is no record, or no match has a bot of that name.
    pub fn rows(&self, source: &Source) -> Result<Vec<MatchRow>, Error> {
        let limits = source.limits()?;
        let mut names: BTreeSet<String> = limits.keys().cloned().collect();
        let (mut lines, mut line, mut picked) = (source.lines()?, Vec::new(), Vec::new());
        while lines.read(&mut line)? {
            let summary = journal::line::summary(&line).map_err(|error| {
                let place = source.path().display();
                Error::usage(format!("{place} line {}: not a match record: {error}", lines.number()))
            })?;
            for bot in &summary.bots {
                if !names.contains(bot) {
                    names.insert(bot.clone());
                }
            }
            let row = MatchRow::of(&summary, lines.span(), &limits);
            picked.extend(self.pick(&row).map(|how| (row, how)));
        }
        self.check(&names.iter().map(String::as_str).collect())?;
        Ok(self.sorted(picked))
    }

    /// Returns the selected ones of all matches of a file, in their order.
    pub fn rows_of(&self, all: &[MatchRow]) -> Vec<MatchRow> {
        self.sorted(all.iter().filter_map(|row| Some((row.clone(), self.pick(row)?))).collect())
    }

    fn sorted(&self, mut picked: Vec<(MatchRow, Picked)>) -> Vec<MatchRow> {
        picked.sort_by_key(|(row, _)| row.index);
        self.sort(&mut picked);
        let seen =
            |(row, Picked { subject, margin }): (MatchRow, Picked)| MatchRow { subject, margin, ..row };
        picked.into_iter().map(seen).collect()
    }
}

impl MatchRow {
    /// Returns the row of a match, with these limits of the bots.
    pub fn of(summary: &Summary, span: Span, limits: &HashMap<String, TimeControl>) -> MatchRow {
        MatchRow {
            index: summary.index,
            round: summary.round,
            seats: (0..summary.bots.len()).map(|seat| seat_row(summary, seat, limits)).collect(),
            margin: 0,
            replayed: summary.replayed.clone(),
            span,
            subject: None,
        }
    }

    /// Returns the seat of the selected bot, or all seats.
    pub fn of_subject(&self) -> impl Iterator<Item = &SeatRow> {
        let is_it = |seat: &usize| self.subject.is_none_or(|subject| subject == *seat);
        (0..self.seats.len()).filter(is_it).map(|seat| &self.seats[seat])
    }
}

fn seat_row(summary: &Summary, seat: usize, limits: &HashMap<String, TimeControl>) -> SeatRow {
    // Without its tournament's file, a record may have no limits.
    let unlimited = TimeControl { per_move: Duration::MAX, ..TimeControl::default() };
    let slow_us = summary.slow_from_us(seat, limits.get(&summary.bots[seat]).unwrap_or(&unlimited));
    let turns = || summary.decisions(seat);
    let detail = || summary.fault_text(seat).map_or("", |fault| &fault.detail).to_owned();
    let fault = summary.result.faults.get(seat).copied().flatten();
    SeatRow {
        bot: summary.bots[seat].clone(),
        score: summary.result.scores.get(seat).copied().unwrap_or_default(),
        rank: summary.result.ranks.get(seat).copied().unwrap_or_default(),
        fault: fault.map(|mark| FaultRow { kind: mark.kind, id: mark.id, detail: detail() }),
        decisions: turns().count() as u64,
        time_us: turns().fold(0, |sum, turn| sum.saturating_add(turn.us)),
        time_us_max: turns().map(|turn| turn.us).max().unwrap_or_default(),
        slow: turns().filter(|turn| turn.is_slow(slow_us)).count() as u64,
    }
}

impl Source {
    /// Returns the lines of these matches, with the numbers of the lines, in the order of the matches.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn lines_of(&self, rows: &[MatchRow]) -> Result<Vec<(u64, Vec<u8>)>, Error> {
        rows.iter().map(|row| Ok((row.span.number, self.line(row.span)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee::record::{FaultMark, FaultText, ResultRecord, TurnTime};

    fn summary() -> Summary {
        let turn = |seat, us, fault| TurnTime { seat, us, fault, ..TurnTime::default() };
        let broken = FaultText { kind: FaultKind::Exit, detail: "it exited".into() };
        Summary {
            start: None,
            index: 4,
            round: 2,
            seed: 0,
            bots: ["mine", "greedy", "random"].map(str::to_owned).into(),
            turns: vec![turn(0, 900_000, None), turn(1, 5, None), turn(2, 3, None), turn(2, 7, Some(broken))],
            result: ResultRecord {
                scores: vec![40, 90, -81],
                ranks: vec![2, 1, 3],
                rounds: None,
                faults: vec![None, None, Some(FaultMark { kind: FaultKind::Exit, id: 1 })],
            },
            replayed: None,
            limits: Vec::new(),
            off_turn_us: Vec::new(),
            digest: String::new(),
        }
    }

    #[test]
    fn matches_are_selected_by_bots_results_faults_and_times() {
        let with = |name: &str| Selection { with: Some(name.to_owned()), ..Selection::default() };
        let against = |name: &str, other: &str| Selection { against: vec![other.to_owned()], ..with(name) };
        let won = |selection| Selection { won: true, ..selection };
        let lost = |selection| Selection { lost: true, ..selection };
        let fault = |selection, kind| Selection { fault: Some(kind), ..selection };
        let slow = |selection| Selection { slow: true, ..selection };
        let limits: HashMap<String, TimeControl> =
            summary().bots.into_iter().map(|bot| (bot, TimeControl::default())).collect();
        let row = MatchRow::of(&summary(), Span::default(), &limits);
        let margin = |selection: Selection| Some(selection.pick(&row)?.margin);
        use Fault::{Any, Kind};
        for (selection, expected) in [
            (Selection::default(), Some(50)),
            (with("mine"), Some(-50)),
            (with("nobody"), None),
            (against("mine", "random"), Some(121)),
            (lost(with("mine")), Some(-50)),
            (won(with("mine")), None),
            (won(against("mine", "random")), Some(121)),
            (fault(Selection::default(), Any), Some(50)),
            (fault(Selection::default(), Kind(FaultKind::Illegal)), None),
            (fault(with("mine"), Any), None),
            (fault(with("random"), Kind(FaultKind::Exit)), Some(-171)),
            (slow(with("mine")), Some(-50)),
            (slow(with("greedy")), None),
            (Selection { deal: Some(2), ..Selection::default() }, None),
            (Selection { deal: Some(3), ..Selection::default() }, Some(50)),
            (fault(Selection::default(), Fault::None), None),
            (Selection { margin_min: Some(51), ..Selection::default() }, None),
            (Selection { margin_max: Some(-50), ..with("mine") }, Some(-50)),
        ] {
            assert_eq!(margin(selection.clone()), expected, "{selection:?}");
        }
    }
}
