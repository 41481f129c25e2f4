//! A compact list of a tournament's matches: the columns of the list on the page, and the place of each
//! record.

use engine::wire::FaultKind;
use serde::{Deserialize, Serialize};

use referee::record::{FaultMark, Summary};
use tournament::replay::selection::{MatchResult, margin};

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
    /// The winner's score minus the score of the second; 0 for a bot that plays alone. May be negative
    /// after a fault.
    pub margin: i32,
    /// The index of its first seat in the list of all seats.
    first_seat: u32,
    seats: u16,
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
    /// Other matches of the same bots on the same deal.
    pub(super) same: Vec<u64>,
}

/// All matches in the order in which they were read.
#[derive(Debug, Default)]
pub struct List {
    entries: Vec<Entry>,
    seat_results: Vec<SeatResult>,
}

/// A query for matches: filters, order, and page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    /// Only matches with this bot.
    pub bot: Option<String>,
    /// Only matches that also have this bot.
    pub against: Option<String>,
    /// Only matches that the bot won, drew, or lost: against the other bot if there is one, else at its table.
    pub result: Option<MatchResult>,
    /// Only matches with a fault (`any`), with a fault of this kind, or without faults (`none`).
    pub fault: Option<String>,
    /// The smallest margin. With a bot, margins are those of the bot, and negative where it was behind.
    pub margin_min: Option<i32>,
    /// The largest margin.
    pub margin_max: Option<i32>,
    /// The order of the matches.
    pub order: Order,
    /// The number of the page, from 0.
    pub page: usize,
}

/// An order of matches. Among equal matches, the newest comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The match that was read last comes first.
    #[default]
    Newest,
    /// The match with the highest score of any seat comes first.
    Highest,
    /// The match with the smallest absolute margin comes first.
    Closest,
    /// The match with the largest absolute margin comes first.
    Widest,
    /// The match that the chosen bot won by the most points comes first.
    Best,
    /// The match that the chosen bot lost by the most points comes first.
    Worst,
    /// The matches of the first deal come first, in the order of their indices.
    Deal,
}

/// A page of the list.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The number of selected matches on all pages.
    pub total: usize,
    /// The matches on this page. With a bot, their margins are those of the bot.
    pub entries: Vec<Entry>,
}

impl List {
    /// Adds a match whose bots have these numbers.
    pub fn add(&mut self, summary: &Summary, bots: &[usize], place: Place) {
        let result = &summary.result;
        let mut order: Vec<usize> = (0..bots.len()).collect();
        order.sort_by_key(|&seat| (result.ranks[seat], std::cmp::Reverse(result.scores[seat])));
        let margin = match order[..] {
            [first, second, ..] => result.scores[first].saturating_sub(result.scores[second]),
            _ => 0,
        };
        let (first_seat, seats) = (self.seat_results.len() as u32, bots.len() as u16);
        let (index, round) = (summary.index, summary.round);
        self.entries.push(Entry { index, round, place, margin, first_seat, seats });
        self.seat_results.extend(bots.iter().enumerate().map(|(seat, &bot)| SeatResult {
            bot: bot as u32,
            score: result.scores[seat],
            rank: result.ranks[seat] as u16,
            fault: result.faults[seat],
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

    /// Returns the seats of the other bot, or of all others.
    fn opponents(&self, entry: &Entry, bot: u32, other: Option<u32>) -> impl Iterator<Item = &SeatResult> {
        let is_other = move |seat: &&SeatResult| other.map_or(seat.bot != bot, |other| seat.bot == other);
        self.seat_results(entry).iter().filter(is_other)
    }

    /// Returns the margin of a bot in a match, against the other bot or all others; 0 if the bot is not in it.
    fn lead(&self, entry: &Entry, bot: u32, other: Option<u32>) -> i32 {
        let own = self.seat_results(entry).iter().find(|seat| seat.bot == bot);
        let scores = self.opponents(entry, bot, other).map(|seat| seat.score);
        let lead = own.map_or(0, |own| margin(own.score, scores));
        lead.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }

    fn result(&self, entry: &Entry, bot: u32, other: Option<u32>) -> Option<MatchResult> {
        let own = self.seat_results(entry).iter().find(|seat| seat.bot == bot)?;
        MatchResult::of(own.rank, self.opponents(entry, bot, other).map(|seat| seat.rank))
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
            name: None,
            index: of.index,
            previous: indices().filter(|&index| index < of.index).max(),
            next: indices().filter(|&index| index > of.index).min(),
            same,
        }
    }

    /// Returns the page of matches that `choice` selects. `number` returns the number of a bot by name.
    ///
    /// # Errors
    /// Fails if the bot or the kind of fault is unknown, or if the order needs a bot, with a message for the user.
    pub fn choose(&self, choice: &Choice, number: impl Fn(&str) -> Option<usize>) -> Result<Chosen, String> {
        let bot = |name: &Option<String>| match name {
            Some(name) => number(name).map(|bot| Some(bot as u32)).ok_or(format!("there is no bot {name:?}")),
            None => Ok(None),
        };
        let (one, other, fault) = (bot(&choice.bot)?, bot(&choice.against)?, Faults::read(choice)?);
        let needs_bot = choice.result.is_some() || matches!(choice.order, Order::Best | Order::Worst);
        if needs_bot && one.is_none() {
            return Err("this filter or order needs a bot".to_owned());
        }
        let (least, most) = (choice.margin_min.unwrap_or(i32::MIN), choice.margin_max.unwrap_or(i32::MAX));
        let is_wanted = |entry: &&Entry| {
            let seats = self.seat_results(entry);
            let sits = |bot: Option<u32>| bot.is_none_or(|bot| seats.iter().any(|seat| seat.bot == bot));
            let is_result = |wanted| one.and_then(|one| self.result(entry, one, other)) == Some(wanted);
            sits(one) && sits(other) && fault.takes(seats) && choice.result.is_none_or(is_result)
        };
        let wanted = self.entries.iter().rev().filter(is_wanted);
        let of_bot = |entry: &Entry| match one {
            Some(bot) => Entry { margin: self.lead(entry, bot, other), ..*entry },
            None => *entry,
        };
        let is_within = |entry: &Entry| (least..=most).contains(&entry.margin);
        let mut wanted: Vec<Entry> = wanted.map(of_bot).filter(is_within).collect();
        let distance = |entry: &Entry| i64::from(entry.margin).abs();
        match choice.order {
            Order::Newest => {}
            Order::Highest => wanted.sort_by_cached_key(|entry| {
                std::cmp::Reverse(self.seat_results(entry).iter().map(|seat| seat.score).max())
            }),
            Order::Closest => wanted.sort_by_key(distance),
            Order::Widest => wanted.sort_by_key(|entry| -distance(entry)),
            Order::Deal => wanted.sort_by_key(|entry| (entry.round, entry.index)),
            Order::Best => wanted.sort_by_key(|entry| -i64::from(entry.margin)),
            Order::Worst => wanted.sort_by_key(|entry| entry.margin),
        }
        let page = wanted.iter().skip(choice.page.saturating_mul(PAGE_ROWS)).take(PAGE_ROWS);
        Ok(Chosen { total: wanted.len(), entries: page.copied().collect() })
    }
}

/// The filter for faults.
enum Faults {
    All,
    None,
    Any,
    Of(FaultKind),
}

impl Faults {
    fn read(choice: &Choice) -> Result<Faults, String> {
        match choice.fault.as_deref() {
            None => Ok(Faults::All),
            Some("none") => Ok(Faults::None),
            Some("any") => Ok(Faults::Any),
            Some(kind) => {
                let known = FaultKind::ALL.into_iter().find(|known| known.as_str() == kind);
                known.map(Faults::Of).ok_or(format!("there is no fault {kind:?}"))
            }
        }
    }

    fn takes(&self, seats: &[SeatResult]) -> bool {
        let mut faults = seats.iter().filter_map(|seat| Some(seat.fault?.kind));
        match self {
            Faults::All => true,
            Faults::None => faults.next().is_none(),
            Faults::Any => faults.next().is_some(),
            Faults::Of(kind) => faults.any(|fault| fault == *kind),
        }
    }
}
