//! The numbers of one name that bots sent with their moves.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use referee::bots::names::did_you_mean;
use referee::error::Error;
use referee::record::Summary;
use sandbox::text;

/// The values of a number in the matches of a bot, rounded to four decimals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NumberRow {
    /// The bot.
    pub bot: String,
    /// Its matches: `all`, `won` if it alone was first, or `lost` if it was not first.
    pub matches: &'static str,
    /// How many decisions had the number.
    pub decisions: usize,
    /// The mean.
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
    values: BTreeMap<(String, &'static str), Vec<f64>>,
    names: BTreeSet<String>,
}

impl NumberTally {
    /// Returns an empty collection of the number with this name.
    pub fn new(name: &str) -> NumberTally {
        NumberTally { name: name.to_owned(), values: BTreeMap::new(), names: BTreeSet::new() }
    }

    /// Adds the decisions of a match.
    pub fn add(&mut self, summary: &Summary) {
        let ranks = &summary.result.ranks;
        let is_won = ranks.len() > 1 && ranks.iter().filter(|&&rank| rank == 1).count() == 1;
        for turn in summary.played() {
            let value = turn.data.get(&self.name).and_then(|value| value.as_f64());
            let Some((value, bot)) = value.zip(summary.bots.get(turn.seat)) else {
                self.names.extend(turn.data.keys().cloned());
                continue;
            };
            let how = match ranks.get(turn.seat) {
                Some(1) => is_won.then_some("won"),
                _ => Some("lost"),
            };
            for matches in ["all"].into_iter().chain(how) {
                self.values.entry((bot.clone(), matches)).or_default().push(value);
            }
        }
    }

    /// Returns up to three rows for each bot.
    ///
    /// # Errors
    /// No decision has the number.
    pub fn rows(self) -> Result<Vec<NumberRow>, Error> {
        if self.values.is_empty() {
            let names: Vec<String> = self.names.into_iter().collect();
            let near = did_you_mean(&self.name, names.iter().map(String::as_str));
            let hint = match &names[..] {
                [] => "bots send numbers as \"data\" beside their move; see protocol.md".to_owned(),
                names => format!("{near}the moves have {}", text::few(names)),
            };
            return Err(Error::usage(format!("no move has a number {:?}", self.name)).hint(hint));
        }
        let row = |((bot, matches), mut values): ((String, &'static str), Vec<f64>)| {
            values.sort_unstable_by(f64::total_cmp);
            let decisions = values.len();
            let rounded = |value: f64| (value * 1e4).round() / 1e4;
            let at = |share: f64| rounded(values[((decisions - 1) as f64 * share).round() as usize]);
            let mean = rounded(values.iter().sum::<f64>() / decisions as f64);
            NumberRow { bot, matches, decisions, mean, p10: at(0.1), median: at(0.5), p90: at(0.9) }
        };
        Ok(self.values.into_iter().map(row).collect())
    }
}
