//! Outcomes of schedules as tables.

use std::collections::HashSet;

use super::block::{Block, Cells};
use super::numbers::interval;
use crate::schedule::{LadderRow, OpenPair, Outcome, SwissRow, SwissTable, Tie, TieBreak};

/// Creates the table of an outcome.
pub(super) fn block(outcome: &Outcome) -> Block {
    let rounds = outcome.rounds_so_far();
    let (title, cells, left_columns) = match outcome {
        Outcome::Swiss { table, .. } => (
            "Swiss: points of meetings, the opponents' points (Buchholz), each round",
            swiss(table, &rounds, opponent),
            2,
        ),
        Outcome::SwissTables { table, rounds, now } => (
            "Swiss: points at tables, the opponents' points (Buchholz), each round",
            swiss(table, &[&rounds[..], std::slice::from_ref(now)].concat(), at_table),
            2,
        ),
        Outcome::Knockout { .. } => ("Knockout: the points of each tie", bracket(&rounds), usize::MAX),
        Outcome::Ladder(rows) => ("Ladder, the top first", ladder(rows), 2),
        Outcome::UntilDecided(pairs) => {
            ("Until decided: the one that was before, and the other", pairs_cells(pairs), 2)
        }
    };
    let key_columns = match outcome {
        Outcome::Knockout { .. } => 0,
        _ => 2,
    };
    let mut block = Block::new(&format!("{title}\n"), cells, left_columns, key_columns);
    if let Outcome::Swiss { .. } = outcome {
        block
            .answers
            .extend(first_repeat(&rounds).map(|round| format!("Round {round} and later repeat pairs.")));
    }
    let is_running = match outcome {
        Outcome::Swiss { now, .. } | Outcome::Knockout { now, .. } => !now.is_empty(),
        Outcome::SwissTables { now, .. } => !now.is_empty(),
        _ => false,
    };
    if is_running {
        block.answers.push("The last round is not over: its points are those so far.".to_owned());
    }
    block
}

/// Returns the first round, from 1, in which two bots meet again.
fn first_repeat(rounds: &[Vec<Tie>]) -> Option<usize> {
    let mut met = HashSet::new();
    let mut is_new = |tie: &Tie| {
        let Some(against) = &tie.against else { return true };
        met.insert(if tie.bot < *against {
            (tie.bot.clone(), against.clone())
        } else {
            (against.clone(), tie.bot.clone())
        })
    };
    rounds.iter().position(|round| !round.iter().all(&mut is_new)).map(|index| index + 1)
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).into()
}

fn swiss<T>(table: &[SwissRow], rounds: &[Vec<T>], in_round: fn(&str, &[T]) -> String) -> Cells {
    // The round that runs has nothing before it begins.
    let rounds: Vec<&Vec<T>> = rounds.iter().filter(|round| !round.is_empty()).collect();
    let hundredths = |points: f64| ((100.0 * points).round() / 100.0).to_string();
    let mut head = row(["", "bot", "points", "Buchholz", "W-D-L", "margin"]);
    head.extend((1..=rounds.len()).map(|round| format!("round {round}")));
    let cells = table.iter().map(|entry| {
        let mut cells = vec![
            entry.rank.to_string(),
            entry.bot.clone(),
            hundredths(entry.points),
            hundredths(entry.buchholz),
            format!("{}-{}-{}", entry.won, entry.drawn, entry.lost),
            format!("{:+.2}", entry.mean_margin),
        ];
        cells.extend(rounds.iter().map(|round| in_round(&entry.bot, round)));
        cells
    });
    std::iter::once(head).chain(cells).collect()
}

/// Returns the opponent of a bot in a round, and the points of both.
fn opponent(bot: &str, round: &[Tie]) -> String {
    let found = round.iter().find(|tie| tie.bot == bot || tie.against.as_deref() == Some(bot));
    let Some(Tie { bot: one, against, points: [points, other_points], .. }) = found else {
        return String::new();
    };
    match against {
        None => "bye".to_owned(),
        Some(other) if one == bot => format!("{other} {points}:{other_points}"),
        Some(_) => format!("{one} {other_points}:{points}"),
    }
}

/// Returns the points of a bot in a round.
fn at_table(bot: &str, round: &[SwissTable]) -> String {
    match round.iter().find_map(|table| Some((table, table.0.iter().find(|place| place.bot == bot)?))) {
        Some((table, _)) if table.0.len() == 1 => "bye".to_owned(),
        Some((_, place)) => format!("{:.2}", place.points),
        None => String::new(),
    }
}

/// Draws a bracket with one column a round. Each winner stands between the two bots of its tie.
fn bracket(rounds: &[Vec<Tie>]) -> Cells {
    let places = rounds.first().map_or(0, |round| 2 * round.len());
    let columns = places.max(1).ilog2() as usize + 1;
    let mut cells = vec![vec![String::new(); columns]; (2 * places).max(1)];
    for (column, head) in cells[0].iter_mut().enumerate() {
        *head = match columns - column {
            1 => "winner".to_owned(),
            2 => "final".to_owned(),
            _ => format!("round {}", column + 1),
        };
    }
    for (column, round) in rounds.iter().enumerate() {
        for (number, tie) in round.iter().enumerate() {
            let is_bye = tie.against.is_none();
            for (side, name) in [Some(&tie.bot), tie.against.as_ref()].into_iter().enumerate() {
                let Some(name) = name else { continue };
                let points = if is_bye { String::new() } else { format!(" {}", tie.points[side]) };
                let tie_break =
                    if tie.winner.as_ref() == Some(name) { decided_by(tie) } else { String::new() };
                // The first name is a line below the head. The distance of lines doubles with each round.
                let line = (2 * (2 * number + side) + 1) << column;
                cells[line][column] = format!("{name}{points}{tie_break}");
            }
            // Its points follow with the tie of the next round.
            if let Some(winner) = &tie.winner {
                cells[(2 * number + 1) << (column + 1)][column + 1].clone_from(winner);
            }
        }
    }
    cells
}

fn decided_by(tie: &Tie) -> String {
    tie.decided_by.map_or(String::new(), |by: TieBreak| format!(" ({})", by.as_str()))
}

fn ladder(rows: &[LadderRow]) -> Cells {
    let cells = rows.iter().map(|entry| {
        let stopped_by = entry.stopped_by.clone().unwrap_or_else(|| "-".to_owned());
        vec![entry.rank.to_string(), entry.bot.clone(), entry.passed.to_string(), stopped_by]
    });
    std::iter::once(row(["", "bot", "passed", "stopped by"])).chain(cells).collect()
}

fn pairs_cells(pairs: &[OpenPair]) -> Cells {
    let cells = pairs.iter().map(|pair| {
        vec![
            pair.bot.clone(),
            pair.against.clone(),
            pair.deals.to_string(),
            format!("{:+.2}", pair.mean_margin),
            interval(pair.margin_ci95),
            if pair.decided { "decided" } else { "open" }.to_owned(),
        ]
    });
    std::iter::once(row(["bot", "against", "deals", "margin", "95 % interval", "order"]))
        .chain(cells)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tie(bot: &str, against: Option<&str>, points: [f64; 2], decided_by: Option<TieBreak>) -> Tie {
        let winner = Some(if points[0] >= points[1] { bot } else { against.expect("it has points") });
        Tie {
            bot: bot.to_owned(),
            against: against.map(str::to_owned),
            points,
            mean_margin: 0.0,
            winner: winner.map(str::to_owned),
            decided_by,
        }
    }

    #[test]
    fn a_bracket_has_its_winners_between_the_ties() {
        let first = vec![
            tie("a", None, [0.0; 2], None),
            tie("b", Some("c"), [1.5, 2.5], Some(TieBreak::SuddenDeath)),
        ];
        let last = vec![tie("a", Some("c"), [2.0, 0.0], None)];
        let lines: Vec<String> = bracket(&[first, last]).into_iter().map(|row| row.join("|")).collect();
        let drawn = [
            "round 1|final|winner",
            "a||",
            "|a 2|",
            "||",
            "||a",
            "b 1.5||",
            "|c 0|",
            "c 2.5 (sudden death)||",
        ];
        assert_eq!(lines, drawn);
    }
}
