//! Patchwork Doodle as text.

use engine::doodle::{CardId, Doodle, Phase, Special, Specials, WireMove};
use engine::game::{Game, Seat};

use super::drawing::{board_rows, name_line, shape, side_by_side};
use super::{TextBoard, place};

impl TextBoard for Doodle {
    const HELP: &'static str = "\
CARD [r|rr|rrr] [f] [cN] ROW,COL [+ROW,COL]...
    draws a card: mirrored with f, then turned clockwise by so many quarters, with the upper left corner of
    its box at this cell. cN draws a piece that a cut leaves, as \"legal\" has them. +ROW,COL shades a single
    cell besides.
pass [+ROW,COL]...
    draws no card
";
    const LEGEND: &'static str = "# covered, @ covered in this turn, . empty, * the card at the token; \
                                  the score is what the match would end with now";

    fn show(&self, names: &[String], before: Option<&Doodle>, width: Option<usize>) -> String {
        let columns =
            (0..self.seats()).map(|seat| sheet(self, seat, &names[seat], before)).collect::<Vec<_>>();
        let sheets = side_by_side(&columns, width);
        let Some(turn) = self.current_turn() else { return format!("after the last turn\n{sheets}") };
        let title = match turn.phase {
            Phase::Start => "start patches".to_owned(),
            Phase::Draw => format!("round {}, turn {}", turn.round, turn.turn),
            Phase::Final => format!("round {}, turn {}: the last three cards", turn.round, turn.turn),
        };
        format!("{title}\n{sheets}{}", circle(self, turn.phase, &turn.circle, width))
    }

    fn told(&self, after: &Doodle, seat: Seat, wire_move: &WireMove) -> String {
        let used: Vec<_> = self
            .sheet(seat)
            .specials
            .without(after.sheet(seat).specials)
            .iter()
            .map(Special::as_str)
            .collect();
        let used = if used.is_empty() { String::new() } else { format!(", using {}", used.join(" and ")) };
        match &wire_move.draw {
            Some((card, cells)) => format!("draws {card}{}{used}", place(cells)),
            None => format!("passes{used}"),
        }
    }
}

/// Draws the cards of the circle with their shapes. The card at the token comes first.
fn circle(game: &Doodle, phase: Phase, cards: &[CardId], width: Option<usize>) -> String {
    let equipment = game.equipment();
    let column = |(place, &card): (usize, &_)| {
        let mark = if place == 0 && phase == Phase::Draw { "*" } else { "" };
        let mut lines = vec![format!("{}{mark}", equipment.name(card))];
        lines.extend(shape(equipment.patch(card)));
        lines
    };
    side_by_side(&cards.iter().enumerate().map(column).collect::<Vec<_>>(), width)
}

fn sheet(game: &Doodle, seat: usize, name: &str, before: Option<&Doodle>) -> Vec<String> {
    let sheet = game.sheet(seat);
    let old = before.map_or(sheet.board, |before| before.sheet(seat).board);
    let outcome = game.outcome();
    let rounds = &outcome.rounds.expect("doodle scores by rounds")[seat];
    let rounds: Vec<String> = rounds.iter().map(ToString::to_string).collect();
    let mut lines = vec![name_line(name)];
    lines.extend(board_rows(sheet.board, sheet.board - old));
    lines.push(specials(sheet.specials));
    let rounds = if rounds.is_empty() { "-".to_owned() } else { rounds.join(" ") };
    let empty = (!sheet.board).len();
    lines.push(format!("rounds {rounds}, empty {empty}, score {}", outcome.scores[seat]));
    lines
}

fn specials(left: Specials) -> String {
    let short = |word: &str| word.chars().take(4).collect::<String>();
    match left.is_empty() {
        true => "no actions left".to_owned(),
        false => left.iter().map(|special| short(special.as_str())).collect::<Vec<_>>().join(" "),
    }
}
