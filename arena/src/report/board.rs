//! Games as text: what a match looks like as it goes.

use engine::bitboard::{Bitboard, SIDE};
use engine::doodle::{Doodle, Phase, Special, Specials};
use engine::game::Game;
use engine::patch::Patch;

/// Columns between two boards.
const GAP: &str = "    ";

/// A game that can be drawn as text.
pub trait Show: Game {
    /// The table as everybody sees it now. `names` are the bots by seat; `before` is the game
    /// before the last decision, so that what was just placed can be told apart.
    fn show(&self, names: &[String], before: Option<&Self>) -> String;
}

impl Show for Doodle {
    fn show(&self, names: &[String], before: Option<&Doodle>) -> String {
        let mut text = self.table().map_or("after the last turn\n".to_owned(), |turn| {
            let title = match turn.phase {
                Phase::Start => "start patches".to_owned(),
                Phase::Draw => format!("round {}, turn {}", turn.round, turn.turn),
                Phase::Final => format!("round {}, turn {}: the last three cards", turn.round, turn.turn),
            };
            format!("{title}\n{}", circle(self, turn.phase, &turn.circle))
        });
        let columns =
            (0..self.seats()).map(|seat| sheet(self, seat, &names[seat], before)).collect::<Vec<_>>();
        text.push_str(&side_by_side(&columns));
        text
    }
}

/// The cards of the circle with their shapes, the token's first.
fn circle(game: &Doodle, phase: Phase, cards: &[engine::doodle::CardId]) -> String {
    let equipment = game.equipment();
    let column = |(place, &card): (usize, &_)| {
        let mark = if place == 0 && phase == Phase::Draw { "*" } else { "" };
        let mut lines = vec![format!("{}{mark}", equipment.name(card))];
        lines.extend(shape(equipment.patch(card)));
        lines
    };
    side_by_side(&cards.iter().enumerate().map(column).collect::<Vec<_>>())
}

/// The rows of a patch, as on its card up to its orientation.
fn shape(patch: &Patch) -> Vec<String> {
    let flattest =
        patch.whole().iter().map(|o| o.cells()).min_by_key(|&cells| cells.iter().last().map(|c| c.row()));
    let cells = flattest.expect("a patch has an orientation");
    let rows = cells.iter().map(|cell| cell.row()).max().map_or(0, |row| row + 1);
    (0..rows)
        .map(|row| row_text(cells, Bitboard::EMPTY, row).trim_end_matches([' ', '.']).replace('.', " "))
        .collect()
}

fn sheet(game: &Doodle, seat: usize, name: &str, before: Option<&Doodle>) -> Vec<String> {
    let sheet = game.sheet(seat);
    let old = before.map_or(sheet.board, |before| before.sheet(seat).board);
    let outcome = game.outcome();
    let rounds = &outcome.rounds.expect("doodle scores by rounds")[seat];
    let rounds: Vec<String> = rounds.iter().map(ToString::to_string).collect();
    let mut lines = vec![name.chars().take(18).collect()];
    lines.extend((0..SIDE).map(|row| row_text(sheet.board, sheet.board - old, row)));
    lines.push(specials(sheet.specials));
    lines.push(format!("rounds {}", if rounds.is_empty() { "-".to_owned() } else { rounds.join(" ") }));
    let empty = (!sheet.board).len();
    lines.push(format!("empty {empty}, score {}", outcome.scores[seat]));
    lines
}

/// Nine cells of a board: `#` covered, `@` covered just now, `.` empty.
fn row_text(board: Bitboard, fresh: Bitboard, row: u8) -> String {
    let cell = |col: u8| match (fresh.row(row) >> col & 1, board.row(row) >> col & 1) {
        (1, _) => "@",
        (_, 1) => "#",
        _ => ".",
    };
    (0..SIDE).map(cell).collect::<Vec<_>>().join(" ")
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

/// Columns of lines beside each other, each as wide as its widest line.
fn side_by_side(columns: &[Vec<String>]) -> String {
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: &Vec<String>| column.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..height {
        let cells = columns.iter().map(|column| {
            let line = column.get(row).map_or("", String::as_str);
            format!("{line:<width$}", width = width(column))
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
