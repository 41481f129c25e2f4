//! Selections of recorded matches: the matches of a journal that a user asks for, and their order.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use engine::wire::FaultKind;
use serde::{Deserialize, Serialize};

use super::Source;
use referee::error::Error;
use referee::play::time_control::TimeControl;
use referee::record::Summary;

/// The matches that a user asks for.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The number of a match, if only this one is asked for.
    pub index: Option<u64>,
    /// A bot at the table. Results, margins, and times are those of this bot.
    pub with: Option<String>,
    /// Other bots at the table, all of them. Results and margins are against these alone.
    pub against: Vec<String>,
    /// The results of the bot `with`; all results if empty.
    pub results: Vec<MatchResult>,
    /// Faults of the bot `with`, or of any bot.
    pub fault: Option<Fault>,
    /// The round of the deal, from 0.
    pub round: Option<u64>,
    /// True for matches with a slow move of the bot `with`, or of any bot.
    pub slow: bool,
    /// The order.
    pub order: Order,
    /// Reverses the order.
    pub descending: bool,
    /// The number of matches at most, from the beginning of the order.
    pub count: Option<usize>,
}

/// The faults that a user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Any fault.
    Any,
    /// Faults of this kind.
    Kind(FaultKind),
}

/// The result of a bot against its opponents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchResult {
    /// It is ranked above every opponent.
    Won,
    /// No opponent is ranked above it, and one is its equal.
    Drawn,
    /// An opponent is ranked above it.
    Lost,
}

impl MatchResult {
    /// Returns the result of a bot with this rank against opponents with these ranks, or `None` without opponents.
    pub fn of<R: Ord>(rank: R, opponents: impl Iterator<Item = R>) -> Option<MatchResult> {
        Some(match rank.cmp(&opponents.min()?) {
            Ordering::Less => MatchResult::Won,
            Ordering::Equal => MatchResult::Drawn,
            Ordering::Greater => MatchResult::Lost,
        })
    }
}

/// Returns the points of a bot less those of its best opponent; its score itself if it plays alone.
pub fn margin(score: i32, opponents: impl Iterator<Item = i32>) -> i64 {
    i64::from(score) - i64::from(opponents.max().unwrap_or_default())
}

/// An order of matches, ascending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By number.
    #[default]
    Number,
    /// By margin in points.
    Margin,
    /// By score.
    Score,
    /// By the longest time of a move.
    Time,
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
    /// The number of its line in the file, from 1.
    #[serde(skip)]
    pub line: u64,
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

impl Selection {
    /// Returns the selected matches of a file, in their order.
    ///
    /// # Errors
    /// The file cannot be read, a line is no record, or no match has a bot of that name.
    pub fn rows(&self, source: &Source) -> Result<Vec<MatchRow>, Error> {
        let limits = source.limits()?;
        let (mut lines, mut line) = (source.lines()?, Vec::new());
        let (mut rows, mut names) = (Vec::new(), limits.keys().cloned().collect::<BTreeSet<_>>());
        while lines.read(&mut line)? {
            let summary = Summary::of_line(&line).map_err(|error| {
                let place = source.path().display();
                Error::usage(format!("{place} line {}: not a match record: {error}", lines.number()))
            })?;
            for bot in &summary.bots {
                if !names.contains(bot) {
                    names.insert(bot.clone());
                }
            }
            rows.extend(self.row(&summary, lines.number(), &limits));
        }
        for name in self.with.iter().chain(&self.against) {
            if !names.contains(name) {
                let all = sandbox::text::few(&names.into_iter().collect::<Vec<_>>());
                return Err(Error::usage(format!("no match has a bot {name:?}: there are {all}")));
            }
        }
        let key = |row: &MatchRow| match self.order {
            Order::Number => 0,
            Order::Margin => row.margin,
            Order::Score => row.of_subject().map(|seat| i64::from(seat.score)).max().unwrap_or_default(),
            Order::Time => {
                let longest = row.of_subject().map(|seat| seat.time_us_max).max().unwrap_or_default();
                i64::try_from(longest).unwrap_or(i64::MAX)
            }
        };
        rows.sort_by_key(|row| {
            (if self.descending { key(row).saturating_neg() } else { key(row) }, row.index)
        });
        if self.descending && self.order == Order::Number {
            rows.reverse();
        }
        rows.truncate(self.count.unwrap_or(usize::MAX));
        Ok(rows)
    }

    /// Returns the row of a match, or `None` if the match is not selected.
    fn row(&self, summary: &Summary, line: u64, limits: &HashMap<String, TimeControl>) -> Option<MatchRow> {
        let seat_of = |name: &String| summary.bots.iter().position(|bot| bot == name);
        let subject = match &self.with {
            Some(name) => Some(seat_of(name)?),
            None => None,
        };
        let against = self.against.iter().map(seat_of).collect::<Option<Vec<usize>>>()?;
        let seats: Vec<SeatRow> =
            (0..summary.bots.len()).map(|seat| seat_row(summary, seat, limits)).collect();
        let best = (0..seats.len()).min_by_key(|&seat| seats[seat].rank)?;
        let own = subject.unwrap_or(best);
        let is_opponent = |seat: &usize| *seat != own && (against.is_empty() || against.contains(seat));
        let others = || (0..summary.bots.len()).filter(is_opponent);
        let margin = margin(seats[own].score, others().map(|seat| seats[seat].score));
        let row = MatchRow {
            index: summary.index,
            round: summary.round,
            margin,
            replayed: summary.replayed.clone(),
            line,
            subject,
            seats,
        };
        let result = MatchResult::of(row.seats[own].rank, others().map(|seat| row.seats[seat].rank));
        let is_asked = |fault: &FaultRow| match self.fault {
            Some(Fault::Kind(kind)) => fault.kind == kind,
            _ => true,
        };
        let is_selected = self.index.is_none_or(|index| index == row.index)
            && self.round.is_none_or(|round| round == row.round)
            && (self.results.is_empty() || result.is_some_and(|result| self.results.contains(&result)))
            && (self.fault.is_none()
                || row.of_subject().filter_map(|seat| seat.fault.as_ref()).any(is_asked))
            && (!self.slow || row.of_subject().any(|seat| seat.slow > 0));
        is_selected.then_some(row)
    }
}

impl MatchRow {
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
        let wanted: HashMap<u64, usize> =
            rows.iter().enumerate().map(|(place, row)| (row.line, place)).collect();
        let mut found = vec![(0, Vec::new()); rows.len()];
        let (mut lines, mut line) = (self.lines()?, Vec::new());
        while lines.read(&mut line)? {
            if let Some(&place) = wanted.get(&lines.number()) {
                found[place] = (lines.number(), line.clone());
            }
        }
        Ok(found)
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
        let result = |selection, result| Selection { results: vec![result], ..selection };
        let fault = |selection, kind| Selection { fault: Some(kind), ..selection };
        let slow = |selection| Selection { slow: true, ..selection };
        let limits = summary().bots.into_iter().map(|bot| (bot, TimeControl::default())).collect();
        let margin = |selection: Selection| Some(selection.row(&summary(), 1, &limits)?.margin);
        use Fault::{Any, Kind};
        use MatchResult::{Lost, Won};
        for (selection, expected) in [
            (Selection::default(), Some(50)),
            (with("mine"), Some(-50)),
            (with("nobody"), None),
            (against("mine", "random"), Some(121)),
            (result(with("mine"), Lost), Some(-50)),
            (result(with("mine"), Won), None),
            (result(against("mine", "random"), Won), Some(121)),
            (fault(Selection::default(), Any), Some(50)),
            (fault(Selection::default(), Kind(FaultKind::Illegal)), None),
            (fault(with("mine"), Any), None),
            (fault(with("random"), Kind(FaultKind::Exit)), Some(-171)),
            (slow(with("mine")), Some(-50)),
            (slow(with("greedy")), None),
            (Selection { round: Some(1), ..Selection::default() }, None),
        ] {
            assert_eq!(margin(selection.clone()), expected, "{selection:?}");
        }
    }
}
