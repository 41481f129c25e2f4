//! The summary of a league with several stages.

use std::collections::BTreeMap;

use tabled::builder::Builder;
use tabled::settings::Style;

use tournament::standings::{Rating, Row, Standings};

/// Returns a table of all bots with their rank and rating in each stage. The bot with the best mean rank comes first. A
/// bot that is missing in a stage counts as the last one there.
pub(super) fn summary(stages: &[(String, Standings)]) -> String {
    let mut bots: BTreeMap<&str, Vec<Option<&Row>>> = BTreeMap::new();
    for (place, (_, standings)) in stages.iter().enumerate() {
        for row in &standings.rows {
            bots.entry(&row.bot).or_insert_with(|| vec![None; stages.len()])[place] = Some(row);
        }
    }
    let rank = |(place, row): (usize, &Option<&Row>)| {
        row.map_or(stages[place].1.rows.len() as u64, |row| u64::from(row.rank))
    };
    let mut bots: Vec<(u64, &str, Vec<Option<&Row>>)> =
        bots.into_iter().map(|(bot, rows)| (rows.iter().enumerate().map(rank).sum(), bot, rows)).collect();
    bots.sort_by_key(|&(sum, bot, _)| (sum, bot));
    let mut table = Builder::default();
    let names = stages.iter().map(|(name, _)| name.clone());
    table.push_record(["bot".to_owned(), "mean rank".to_owned()].into_iter().chain(names));
    for (sum, bot, rows) in bots {
        let mean = format!("{:.2}", sum as f64 / stages.len() as f64);
        table.push_record([bot.to_owned(), mean].into_iter().chain(rows.iter().map(|row| cell(*row))));
    }
    format!("all stages\n{}\n", table.build().with(Style::sharp()))
}

/// Returns the rank of a bot with its rating, or with its mean score if it has no rating.
fn cell(row: Option<&Row>) -> String {
    match row {
        None => "-".to_owned(),
        Some(Row { rank, rating: Some(Rating { elo, ci95: Some(_) }), .. }) => format!("{rank}. ({elo:+.0})"),
        Some(Row { rank, mean_score, .. }) => format!("{rank}. ({mean_score:.1})"),
    }
}
