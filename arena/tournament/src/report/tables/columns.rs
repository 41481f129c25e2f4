//! The columns of the table of all bots, and the choice of columns for a terminal.

use engine::game::Game;
use engine::patchwork::Patchwork;

use super::numbers::{interval, ms};
use crate::standings::{Rating, Row, Standings};

/// A column of the table of all bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Place in the table.
    Rank,
    /// The best and the worst possible rank.
    Ranks,
    /// Bots differ significantly if they share no tier.
    Tier,
    /// Name.
    Bot,
    /// Rating with half of its 95 % interval.
    Elo,
    /// The rating by matches without faults.
    EloPlayed,
    /// Matches played.
    Matches,
    /// Matches won, drawn, and lost.
    Wdl,
    /// Share of the points; a draw counts half.
    Points,
    /// Mean score of a match.
    Score,
    /// 95 % interval of the mean score.
    ScoreInterval,
    /// Mean difference to the opponent's score.
    Margin,
    /// 95 % interval of the margin.
    MarginInterval,
    /// Mean rank at a table with more than two seats.
    MeanRank,
    /// Matches that ended in a fault.
    Faults,
    /// Moves that took over 80 % of the limit.
    SlowMoves,
    /// Median time of a move in milliseconds.
    Ms,
    /// 99th percentile of the time of a move, in milliseconds.
    MsP99,
    /// Longest time of a move in milliseconds.
    MsMax,
}

/// All columns, from the left.
const ALL: [Column; 19] = [
    Column::Rank,
    Column::Ranks,
    Column::Tier,
    Column::Bot,
    Column::Elo,
    Column::EloPlayed,
    Column::Matches,
    Column::Wdl,
    Column::Points,
    Column::Score,
    Column::ScoreInterval,
    Column::Margin,
    Column::MarginInterval,
    Column::MeanRank,
    Column::Faults,
    Column::SlowMoves,
    Column::Ms,
    Column::MsP99,
    Column::MsMax,
];

impl Column {
    /// The head of the column.
    pub(super) fn head(self) -> &'static str {
        match self {
            Column::Rank => "",
            Column::Ranks => "ranks",
            Column::Tier => "tier",
            Column::Bot => "bot",
            Column::Elo => "Elo",
            Column::EloPlayed => "Elo without faults",
            Column::Matches => "matches",
            Column::Wdl => "W-D-L",
            Column::Points => "points",
            Column::Score => "mean score",
            Column::ScoreInterval | Column::MarginInterval => "95 % interval",
            Column::Margin => "margin",
            Column::MeanRank => "mean rank",
            Column::Faults => "faults",
            Column::SlowMoves => "slow moves",
            Column::Ms => "ms/move",
            Column::MsP99 => "99 % ms",
            Column::MsMax => "max ms",
        }
    }

    /// The name of the column in a line of text.
    pub(super) fn name(self) -> &'static str {
        if self == Column::Rank { "rank" } else { self.head() }
    }

    /// Returns true if the column is useful for this tournament. Solo games have no opponents. In Patchwork
    /// the margin counts, not the score.
    pub(super) fn is_useful(self, standings: &Standings) -> bool {
        let (alone, paired) = (standings.seats <= 1, standings.game == Patchwork::NAME);
        match self {
            Column::EloPlayed => standings.rows.iter().any(|row| row.faults_total() > 0),
            Column::SlowMoves => standings.rows.iter().any(|row| row.slow_moves > 0),
            Column::Ranks | Column::Tier => standings.rows.len() > 2,
            Column::Wdl | Column::Points => !alone,
            Column::ScoreInterval => !paired,
            Column::Margin | Column::MarginInterval => paired,
            Column::MeanRank => standings.seats > 2,
            _ => true,
        }
    }

    /// Returns the importance of the column, if a terminal shows it by default. The least important columns
    /// are hidden first.
    pub(super) fn importance(self, standings: &Standings) -> Option<u8> {
        let paired = standings.game == Patchwork::NAME;
        match self {
            Column::Rank | Column::Bot => Some(u8::MAX),
            Column::Elo => Some(6),
            Column::Margin => Some(5),
            Column::Score if !paired => Some(5),
            Column::Ranks if self.is_useful(standings) => Some(4),
            Column::Wdl => Some(3),
            Column::Faults => Some(2),
            Column::Ms => Some(1),
            _ => None,
        }
    }

    pub(super) fn cell(self, row: &Row) -> String {
        match self {
            Column::Rank => row.rank.to_string(),
            Column::Ranks => range(row.ranks),
            Column::Tier => range(row.tiers),
            Column::Bot => row.bot.clone(),
            Column::Elo => elo(row.rating),
            Column::EloPlayed => elo(row.rating_played),
            Column::Matches => row.matches.to_string(),
            Column::Wdl => format!("{}-{}-{}", row.won, row.drawn, row.lost),
            Column::Points => format!("{:.1} %", row.points),
            Column::Score => format!("{:.2}", row.mean_score),
            Column::ScoreInterval => interval(row.ci95),
            Column::Margin => format!("{:+.2}", row.mean_margin),
            Column::MarginInterval => interval(row.margin_ci95),
            Column::MeanRank => format!("{:.2}", row.mean_rank),
            Column::Faults => row.faults_total().to_string(),
            Column::SlowMoves => row.slow_moves.to_string(),
            Column::Ms => ms(row.time_us.median),
            Column::MsP99 => ms(row.time_us.p99),
            Column::MsMax => ms(row.time_us.max),
        }
    }
}

/// Returns all columns that are useful for this tournament.
pub(super) fn useful(standings: &Standings) -> Vec<Column> {
    ALL.iter().copied().filter(|column| column.is_useful(standings)).collect()
}

/// Formats the first and the last of a range, such as `2-4`.
fn range([first, last]: [u32; 2]) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Formats a rating with half of the width of its interval. A rating without an interval is not shown.
fn elo(rating: Option<Rating>) -> String {
    let Some(Rating { elo, ci95: Some([low, high]) }) = rating else { return "-".to_owned() };
    format!("{:+.0} ± {:.0}", elo.round() + 0.0, (high - low) / 2.0)
}
