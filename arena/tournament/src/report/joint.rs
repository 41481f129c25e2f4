//! The joint table of a league with several stages, each of which is a tournament in a folder of its own.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::sheet::Sheet;
use super::tables::Format;
use crate::journal::files::write_whole;
use crate::standings::{Rating, Row};
use referee::error::Error;
use sandbox::text;

/// The beginning of the names of its files.
const FILES: &str = "league";

/// The table of all bots of a league, the one with the best mean rank first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Joint {
    /// The names of the stages.
    pub stages: Vec<String>,
    /// One row a bot.
    pub rows: Vec<JointRow>,
}

/// A bot in all stages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointRow {
    /// The bot.
    pub bot: String,
    /// Its mean rank. A bot that is missing in a stage counts as the last one there.
    pub mean_rank: f64,
    /// Its result in each stage; `null` where it is missing.
    pub stages: Vec<Option<InStage>>,
}

/// The result of a bot in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InStage {
    /// Its rank.
    pub rank: u32,
    /// Its rating in Elo, if the stage has enough deals for one.
    pub elo: Option<f64>,
    /// Its mean score.
    pub mean_score: f64,
}

impl InStage {
    fn of(row: &Row) -> InStage {
        let elo = row.rating.and_then(|Rating { elo, ci95 }| ci95.map(|_| elo));
        InStage { rank: row.rank, elo, mean_score: row.mean_score }
    }
}

/// Formats the rank with the rating, or with the mean score if there is no rating.
impl std::fmt::Display for InStage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.elo {
            Some(elo) => write!(f, "{}. ({elo:+.0})", self.rank),
            None => write!(f, "{}. ({:.1})", self.rank, self.mean_score),
        }
    }
}

impl Joint {
    /// Returns the joint table of these stages.
    pub fn of(stages: &[(String, Vec<Row>)]) -> Joint {
        let mut bots: BTreeMap<&str, Vec<Option<InStage>>> = BTreeMap::new();
        for (place, (_, rows)) in stages.iter().enumerate() {
            for row in rows {
                let results = bots.entry(&row.bot).or_insert_with(|| vec![None; stages.len()]);
                results[place] = Some(InStage::of(row));
            }
        }
        let rank = |(place, result): (usize, &Option<InStage>)| {
            result.map_or(stages[place].1.len() as u64, |result| u64::from(result.rank))
        };
        let row = |(bot, results): (&str, Vec<Option<InStage>>)| {
            let sum: u64 = results.iter().enumerate().map(rank).sum();
            let mean_rank = sum as f64 / stages.len() as f64;
            JointRow { bot: bot.to_owned(), mean_rank, stages: results }
        };
        let mut rows: Vec<JointRow> = bots.into_iter().map(row).collect();
        rows.sort_by(|one, other| one.mean_rank.total_cmp(&other.mean_rank));
        Joint { stages: stages.iter().map(|(name, _)| name.clone()).collect(), rows }
    }

    /// Returns the cells of the table; the first row is the head.
    pub fn cells(&self) -> Vec<Vec<String>> {
        let head = ["bot", "mean rank"].map(str::to_owned).into_iter().chain(self.stages.iter().cloned());
        let cell = |result: &Option<InStage>| result.map_or("-".to_owned(), |result| result.to_string());
        let cells = |row: &JointRow| {
            let first = [row.bot.clone(), format!("{:.2}", row.mean_rank)];
            first.into_iter().chain(row.stages.iter().map(cell)).collect::<Vec<String>>()
        };
        [head.collect()].into_iter().chain(self.rows.iter().map(cells)).collect()
    }

    /// Returns the table in a format.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Json | Format::Jsonl => {
                text::json(&serde_json::to_string_pretty(self).expect("plain data")).into_owned() + "\n"
            }
            Format::Html => Sheet::new(self.cells()).render("All stages", format),
            _ => Sheet::new(self.cells()).render("all stages", format),
        }
    }

    /// Returns true if the folder of a league has the table.
    pub fn is_stored(league: &Path) -> bool {
        league.join(format!("{FILES}.json")).is_file()
    }

    /// Writes the table into the folder of the league, as JSON, CSV, and Markdown files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, league: &Path) -> Result<(), Error> {
        for (ending, format) in [("json", Format::Json), ("csv", Format::Csv), ("md", Format::Markdown)] {
            write_whole(&league.join(format!("{FILES}.{ending}")), self.render(format).as_bytes())?;
        }
        Ok(())
    }
}
