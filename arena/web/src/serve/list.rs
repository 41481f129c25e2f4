//! The matches of a tournament in few bytes each: what a list of them shows, and where their records are.

use engine::wire::FaultKind;
use serde::{Deserialize, Serialize};

use referee::record::Summary;

/// Rows of a page of the list.
pub(super) const PAGE_ROWS: usize = 50;

/// A match.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Index of the match in its tournament.
    pub index: u64,
    /// The round.
    pub round: u64,
    /// Where its line is.
    pub place: Place,
    /// The score of the first less that of the second; 0 where one sits alone.
    pub margin: i32,
    /// Its seats among all: from here on.
    first_seat: u32,
    seats: u16,
}

/// Where the line of a match is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The number of its file.
    pub source: u32,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length, in bytes.
    pub length: u32,
}

/// Who sat in a seat, and what came of it.
#[derive(Clone, Copy, Debug)]
pub struct Sitting {
    /// Number of the bot in the plan.
    pub bot: u32,
    /// Points.
    pub score: i32,
    /// Rank at the table, from 1.
    pub rank: u16,
    /// What put it out.
    pub fault: Option<FaultKind>,
}

/// All matches that were read, in the order in which they were.
#[derive(Debug, Default)]
pub struct List {
    entries: Vec<Entry>,
    sittings: Vec<Sitting>,
}

/// Which matches are wanted, and in which order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    /// With this bot.
    pub bot: Option<String>,
    /// And with this one, another one than the first.
    pub against: Option<String>,
    /// With a fault: of any kind (`any`), of this kind, or without (`none`).
    pub fault: Option<String>,
    /// With at least this margin.
    pub margin_min: Option<i32>,
    /// With at most this margin.
    pub margin_max: Option<i32>,
    /// What comes first.
    pub order: Order,
    /// Which page, from 0.
    pub page: usize,
}

/// An order of matches; equal ones as they were read, the newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The one that was read last first.
    #[default]
    Newest,
    /// The highest score of any seat first.
    Highest,
    /// The smallest distance between first and second first.
    Closest,
    /// The largest first.
    Widest,
}

/// A page of the list.
#[derive(Debug, Default)]
pub struct Chosen {
    /// How many matches there are of this kind, on all pages.
    pub total: usize,
    /// Those of the page.
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
        let (first_seat, seats) = (self.sittings.len() as u32, bots.len() as u16);
        let (index, round) = (summary.index, summary.round);
        self.entries.push(Entry { index, round, place, margin, first_seat, seats });
        self.sittings.extend(bots.iter().enumerate().map(|(seat, &bot)| Sitting {
            bot: bot as u32,
            score: result.scores[seat],
            rank: result.ranks[seat] as u16,
            fault: result.faults[seat].map(|mark| mark.kind),
        }));
    }

    /// Matches read.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The match that was read last.
    pub fn latest(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// The match with this index.
    pub fn find(&self, index: u64) -> Option<Entry> {
        self.entries.iter().rev().find(|entry| entry.index == index).copied()
    }

    /// The seats of a match.
    pub fn sittings(&self, entry: &Entry) -> &[Sitting] {
        &self.sittings[entry.first_seat as usize..][..entry.seats.into()]
    }

    /// The matches that `choice` names, those of its page. `number` knows the bots.
    ///
    /// # Errors
    /// A bot or a kind of fault that there is not, in words.
    pub fn choose(&self, choice: &Choice, number: impl Fn(&str) -> Option<usize>) -> Result<Chosen, String> {
        let bot = |name: &Option<String>| match name {
            Some(name) => number(name).map(|bot| Some(bot as u32)).ok_or(format!("there is no bot {name:?}")),
            None => Ok(None),
        };
        let (one, other, fault) = (bot(&choice.bot)?, bot(&choice.against)?, Faults::read(choice)?);
        let (least, most) = (choice.margin_min.unwrap_or(i32::MIN), choice.margin_max.unwrap_or(i32::MAX));
        let is_wanted = |entry: &&Entry| {
            let seats = self.sittings(entry);
            let sits = |bot: Option<u32>| bot.is_none_or(|bot| seats.iter().any(|seat| seat.bot == bot));
            (least..=most).contains(&entry.margin) && sits(one) && sits(other) && fault.takes(seats)
        };
        let mut wanted: Vec<&Entry> = self.entries.iter().rev().filter(is_wanted).collect();
        let margin = |entry: &&Entry| i64::from(entry.margin).abs();
        match choice.order {
            Order::Newest => {}
            Order::Highest => wanted.sort_by_cached_key(|entry| {
                std::cmp::Reverse(self.sittings(entry).iter().map(|seat| seat.score).max())
            }),
            Order::Closest => wanted.sort_by_key(margin),
            Order::Widest => wanted.sort_by_key(|entry| -margin(entry)),
        }
        let page = wanted.iter().skip(choice.page.saturating_mul(PAGE_ROWS)).take(PAGE_ROWS);
        Ok(Chosen { total: wanted.len(), entries: page.copied().copied().collect() })
    }
}

/// Which faults are wanted.
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

    fn takes(&self, seats: &[Sitting]) -> bool {
        let mut faults = seats.iter().filter_map(|seat| seat.fault);
        match self {
            Faults::All => true,
            Faults::None => faults.next().is_none(),
            Faults::Any => faults.next().is_some(),
            Faults::Of(kind) => faults.any(|fault| fault == *kind),
        }
    }
}
