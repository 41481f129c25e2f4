//! Numbers that bots sent with their moves: one name, summed up for each bot.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use referee::bots::names::did_you_mean;
use referee::error::Error;
use referee::record::Summary;
use sandbox::text;

/// The matches of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Matches {
    /// All matches.
    All,
    /// Matches in which the bot alone was first.
    Won,
    /// Matches in which the bot was not first.
    Lost,
}

/// The values of a number in the matches of a bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NumberRow {
    /// The bot.
    pub bot: String,
    /// The matches of the row.
    pub matches: Matches,
    /// How many decisions had the number.
    pub decisions: usize,
    /// The mean of the values.
    pub mean: f64,
    /// The value below which a tenth of the values are.
    pub p10: f64,
    /// The value in the middle.
    pub median: f64,
    /// The value above which a tenth of the values are.
    pub p90: f64,
}

/// Collects the values of one number from match to match.
#[derive(Debug)]
pub struct NumberTally {
    name: String,
    values: BTreeMap<(String, Matches), Vec<f64>>,
    /// The other names that were seen, for the message if no decision has the number.
    others: BTreeSet<String>,
}

impl NumberTally {
    /// Returns an empty collection of the number with this name.
    pub fn new(name: &str) -> NumberTally {
        NumberTally { name: name.to_owned(), values: BTreeMap::new(), others: BTreeSet::new() }
    }

    /// Adds the decisions of a match.
    pub fn add(&mut self, summary: &Summary) {
        let ranks = &summary.result.ranks;
        let is_shared = ranks.iter().filter(|&&rank| rank == 1).count() > 1;
        for turn in &summary.turns {
            let new = turn.data.keys().filter(|name| **name != self.name && !self.others.contains(*name));
            let new: Vec<String> = new.cloned().collect();
            self.others.extend(new);
            let value = turn.data.get(&self.name).and_then(|value| value.as_f64());
            let (Some(value), Some(bot)) = (value, summary.bots.get(turn.seat)) else { continue };
            let how = match ranks.get(turn.seat) {
                Some(1) if !is_shared && ranks.len() > 1 => Some(Matches::Won),
                Some(2..) => Some(Matches::Lost),
                _ => None,
            };
            for matches in [Some(Matches::All), how].into_iter().flatten() {
                self.values.entry((bot.clone(), matches)).or_default().push(value);
            }
        }
    }

    /// Returns up to three rows for each bot: all matches, those that it won, and those that it lost.
    ///
    /// # Errors
    /// No decision has the number.
    pub fn rows(self) -> Result<Vec<NumberRow>, Error> {
        if self.values.is_empty() {
            let error = Error::usage(format!("no move has a number {:?}", self.name));
            let others: Vec<String> = self.others.into_iter().collect();
            let near = did_you_mean(&self.name, others.iter().map(String::as_str));
            return Err(match others.is_empty() {
                true => error.hint("bots send numbers as \"data\" beside their move; see protocol.md"),
                false => error.hint(format!("{near}the moves have {}", text::few(&others))),
            });
        }
        let row = |((bot, matches), mut values): ((String, Matches), Vec<f64>)| {
            values.sort_by(f64::total_cmp);
            let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let (p10, median, p90) = (at(0.1), at(0.5), at(0.9));
            NumberRow { bot, matches, decisions: values.len(), mean, p10, median, p90 }
        };
        Ok(self.values.into_iter().map(row).collect())
    }
}
