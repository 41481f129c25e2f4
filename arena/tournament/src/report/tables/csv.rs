//! Standings for spreadsheets.

use engine::wire::FaultKind;

use crate::standings::Standings;
use sandbox::text;

/// Writes the table of all bots as CSV, with a head line.
pub(super) fn csv(standings: &Standings) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut head = "rank,bot,matches,won,drawn,lost,points,mean_score,ci95_low,ci95_high,mean_margin,margin_ci95_low,margin_ci95_high,mean_rank"
        .split(',')
        .map(str::to_owned)
        .collect::<Vec<_>>();
    head.extend(FaultKind::ALL.map(|kind| format!("fault_{kind}")));
    head.extend(["slow_moves", "median_us", "p99_us", "max_us"].map(str::to_owned));
    head.extend(
        "first_tier,last_tier,best_rank,worst_rank,elo,elo_ci95_low,elo_ci95_high,elo_played,elo_played_ci95_low,elo_played_ci95_high,ahead,ahead_ci95_low,ahead_ci95_high,better,more_deals"
            .split(',')
            .map(str::to_owned),
    );
    writer.write_record(&head).expect("memory takes it");
    for row in &standings.rows {
        let bound = |interval: Option<[f64; 2]>, side: usize| optional(interval.map(|ci95| ci95[side]));
        let counts = [row.matches, row.won, row.drawn, row.lost].map(|count| count.to_string());
        let mut cells = vec![row.rank.to_string(), text::spreadsheet(&row.bot)];
        cells.extend(counts);
        cells.extend([
            row.points.to_string(),
            row.mean_score.to_string(),
            bound(row.ci95, 0),
            bound(row.ci95, 1),
            row.mean_margin.to_string(),
            bound(row.margin_ci95, 0),
            bound(row.margin_ci95, 1),
            row.mean_rank.to_string(),
        ]);
        cells.extend(FaultKind::ALL.map(|kind| row.faults[&kind].to_string()));
        cells.push(row.slow_moves.to_string());
        cells.extend([row.time_us.median, row.time_us.p99, row.time_us.max].map(|us| us.to_string()));
        cells.extend([row.tiers, row.ranks].as_flattened().iter().map(u32::to_string));
        for rating in [row.rating, row.rating_played] {
            let ci95 = rating.and_then(|rating| rating.ci95);
            cells.extend([optional(rating.map(|rating| rating.elo)), bound(ci95, 0), bound(ci95, 1)]);
        }
        let ci95 = row.next.and_then(|next| next.ahead_ci95);
        cells.extend([optional(row.next.map(|next| next.ahead)), bound(ci95, 0), bound(ci95, 1)]);
        cells.extend([
            optional(row.next.and_then(|next| next.better)),
            optional(row.next.and_then(|next| next.more_deals)),
        ]);
        writer.write_record(&cells).expect("every row has the same columns");
    }
    let bytes = writer.into_inner().expect("memory takes it");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}

/// Formats a number, or an empty cell.
fn optional(number: Option<impl ToString>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}
