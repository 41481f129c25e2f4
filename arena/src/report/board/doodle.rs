//! Patchwork Doodle as text.

use engine::doodle::{CardId, Doodle, Phase, Special, Specials};
use engine::game::Game;

use super::TextBoard;
use super::text::{board_rows, name_line, shape, side_by_side};

impl TextBoard for Doodle {
    const LEGEND: &'static str = "# covered, @ covered in this turn, . empty, * the card at the token; \
                                  the score is what the match would end with now";

    fn show(&self, names: &[String], before: Option<&Doodle>, width: Option<usize>) -> String {
        let mut text = self.current_turn().map_or("after the last turn\n".to_owned(), |turn| {
            let title = match turn.phase {
                Phase::Start => "start patches".to_owned(),
                Phase::Draw => format!("round {}, turn {}", turn.round, turn.turn),
                Phase::Final => format!("round {}, turn {}: the last three cards", turn.round, turn.turn),
            };
            format!("{title}\n{}", circle(self, turn.phase, &turn.circle, width))
        });
        let columns =
            (0..self.seats()).map(|seat| sheet(self, seat, &names[seat], before)).collect::<Vec<_>>();
        text.push_str(&side_by_side(&columns, width));
        text
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
    lines.push(format!("rounds {}", if rounds.is_empty() { "-".to_owned() } else { rounds.join(" ") }));
    let empty = (!sheet.board).len();
    lines.push(format!("empty {empty}, score {}", outcome.scores[seat]));
    lines
}

fn specials(left: Specials) -> String {
    let letter = |special| match special {
        Special::Neighbor => "neighbor",
        Special::Single => "single",
        Special::Cut => "cut",
        Special::Repeat => "repeat",
    };
    let short = |word: &str| word.chars().take(4).collect::<String>();
    match left.is_empty() {
        true => "no actions left".to_owned(),
        false => left.iter().map(|special| short(letter(special))).collect::<Vec<_>>().join(" "),
    }
}
