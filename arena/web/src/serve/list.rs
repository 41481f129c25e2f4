//! A compact list of a tournament's matches: the columns of the list on the page, and the place of each
//! record.

use serde::Serialize;

use referee::error::Error;
use referee::play::time_control::TimeControl;
use referee::record::{FaultMark, Summary};
use tournament::replay::selection::{Facts, SeatFacts, Selection};

/// The number of rows on a page of the list.
pub(super) const PAGE_ROWS: usize = 50;

/// The most links to matches on the same deal.
const SAME_DEAL_MAX: usize = 12;

/// A match in the list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The index of the match in its tournament.
    pub index: u64,
    /// The round.
    pub round: u64,
    /// The place of its line.
    pub place: Place,
    /// The mark of its digest; see [`mark_of`].
    pub(super) digest: u64,
    /// The index of its first seat in the list of all seats.
    first_seat: u32,
    seats: u16,
}

/// Returns the beginning of a digest as a number, by which the matches of a tournament differ.
pub(super) fn mark_of(digest: &str) -> u64 {
    digest.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

/// The place of a match's line.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The number of the file.
    pub source: u32,
    /// The offset of the line, in bytes.
    pub offset: u64,
    /// The length of the line, in bytes.
    pub length: u32,
}

/// The bot in a seat, with its result.
#[derive(Clone, Copy, Debug)]
pub struct SeatResult {
    /// The number of the bot in the plan.
    pub bot: u32,
    /// The score, in points.
    pub score: i32,
    /// The rank at the table, from 1.
    pub rank: u16,
    /// The fault that ended its match, if there was one, and its decision.
    pub fault: Option<FaultMark>,
    /// True if a decision took more than 80 % of the limit.
    pub is_slow: bool,
    /// The number of its moves.
    pub moves: u16,
    /// The longest time of a decision, in microseconds, at most `u32::MAX`.
    pub time_us_max: u32,
}

/// A match of a list with the names of its bots.
struct Listed<'a> {
    list: &'a List,
    names: &'a [String],
    entry: Entry,
    /// The place in the list.
    age: u64,
}

impl Facts for Listed<'_> {
    fn index(&self) -> u64 {
        self.entry.index
    }

    fn round(&self) -> u64 {
        self.entry.round
    }

    fn age(&self) -> u64 {
        self.age
    }

    fn seats(&self) -> impl Iterator<Item = SeatFacts<'_>> + Clone {
        self.list.seat_results(&self.entry).iter().map(|seat| SeatFacts {
            bot: &self.names[seat.bot as usize],
            score: seat.score,
            rank: seat.rank.into(),
            fault: seat.fault.map(|mark| mark.kind),
            is_slow: seat.is_slow,
            time_us_max: seat.time_us_max.into(),
        })
    }
}

/// The place of a match among the others of its tournament, for the links on its page.
#[derive(Debug, Serialize)]
pub(super) struct Site {
    /// The name of the tournament.
    pub(super) name: Option<String>,
    #[serde(rename = "match")]
    pub(super) index: u64,
    /// The matches before and after it that have a record.
    pub(super) previous: Option<u64>,
    pub(super) next: Option<u64>,
    /// True if all matches are done.
    #[serde(skip)]
    pub(super) is_over: bool,
    /// True if two matches can be drawn beside each other.
    pub(super) has_boards: bool,
    /// What a page needs to have the match judged. `None` if it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) judge: Option<String>,
    /// True if everyone may have the record now.
    pub(super) has_records: bool,
    /// Other matches of the same bots on the same deal.
    pub(super) same: Vec<u64>,
}

/// All matches in the order in which they were read.
#[derive(Debug, Default)]
pub struct List {
    entries: Vec<Entry>,
    seat_results: Vec<SeatResult>,
}

/// A page of the list.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The number of selected matches on all pages.
    pub total: usize,
    /// The matches on this page, with their margins.
    pub entries: Vec<(Entry, i64)>,
}

impl List {
    /// Adds a match whose bots have these numbers. The limits are those of all bots, by number.
    pub fn add(&mut self, summary: &Summary, bots: &[usize], limits: &[TimeControl], place: Place) {
        let (first_seat, seats) = (self.seat_results.len() as u32, bots.len() as u16);
        let (index, round, digest) = (summary.index, summary.round, mark_of(&summary.digest));
        self.entries.push(Entry { index, round, place, digest, first_seat, seats });
        let result = &summary.result;
        self.seat_results.extend(bots.iter().enumerate().map(|(seat, &bot)| {
            let slow_us = summary.slow_from_us(seat, &limits[bot]);
            let figures = summary.decisions(seat).map(|turn| (turn.us, turn.is_slow(slow_us)));
            let (longest, is_slow) = figures.fold((0, false), |all, one| (all.0.max(one.0), all.1 | one.1));
            SeatResult {
                bot: bot as u32,
                score: result.scores[seat],
                rank: result.ranks[seat] as u16,
                fault: result.faults[seat],
                is_slow,
                moves: summary.decisions(seat).filter(|turn| turn.fault.is_none()).count() as u16,
                time_us_max: u32::try_from(longest).unwrap_or(u32::MAX),
            }
        }));
    }

    /// Returns the number of matches read.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no matches.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the match that was read last.
    pub fn latest(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// Returns the match with this index.
    pub fn find(&self, index: u64) -> Option<Entry> {
        self.entries.iter().rev().find(|entry| entry.index == index).copied()
    }

    /// Returns the seats of a match.
    pub fn seat_results(&self, entry: &Entry) -> &[SeatResult] {
        &self.seat_results[entry.first_seat as usize..][..entry.seats.into()]
    }

    /// Returns the links of a match's page, except for the name of the tournament.
    pub(super) fn site(&self, of: &Entry) -> Site {
        let bots = |entry: &Entry| {
            let mut bots: Vec<u32> = self.seat_results(entry).iter().map(|seat| seat.bot).collect();
            bots.sort_unstable();
            bots
        };
        let own = bots(of);
        let others = || self.entries.iter().filter(|entry| entry.index != of.index);
        let same = others().filter(|entry| entry.round == of.round && bots(entry) == own);
        let mut same: Vec<u64> = same.map(|entry| entry.index).collect();
        same.sort_unstable();
        same.truncate(SAME_DEAL_MAX);
        let indices = || others().map(|entry| entry.index);
        Site {
            is_over: true,
            has_boards: true,
            judge: None,
            has_records: true,
            name: None,
            index: of.index,
            previous: indices().filter(|&index| index < of.index).max(),
            next: indices().filter(|&index| index > of.index).min(),
            same,
        }
    }

    /// Returns all matches that a selection asks for, of bots with these names. Among equal matches, the number decides.
    pub(super) fn sorted(&self, selection: &Selection, names: &[String]) -> Vec<Entry> {
        let listed = |&entry| Listed { list: self, names, entry, age: entry.index };
        let mut wanted: Vec<_> = self
            .entries
            .iter()
            .map(listed)
            .filter_map(|one| selection.pick(&one).map(|how| (one, how)))
            .collect();
        wanted.sort_unstable_by_key(|(one, _)| one.entry.index);
        selection.sort(&mut wanted);
        wanted.into_iter().map(|(one, _)| one.entry).collect()
    }

    /// Returns the page of matches that a selection asks for, of bots with these names. Without an order, and among
    /// equal matches, the newest comes first.
    ///
    /// # Errors
    /// As [`Selection::check`].
    pub fn choose(&self, selection: &Selection, names: &[String]) -> Result<Chosen, Error> {
        selection.check(&names.iter().map(String::as_str).collect())?;
        let listed = |(age, &entry)| Listed { list: self, names, entry, age: age as u64 };
        let all = self.entries.iter().enumerate().rev().map(listed);
        let mut wanted = all.filter_map(|one| selection.pick(&one).map(|how| (one, how))).collect();
        selection.sort(&mut wanted);
        let page = wanted.iter().skip(selection.page.saturating_mul(PAGE_ROWS)).take(PAGE_ROWS);
        let entries = page.map(|(one, picked)| (one.entry, picked.margin)).collect();
        Ok(Chosen { total: wanted.len(), entries })
    }
}
