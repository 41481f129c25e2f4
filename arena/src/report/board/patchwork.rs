//! Patchwork as text: both quilts, the time track, and the patches on offer.

use engine::bitboard::Bitboard;
use engine::game::{Game, Seat, turn_name};
use engine::patchwork::{PatchId, Patchwork, Phase, WireMove};

use super::drawing::{board_rows, name_line, shape, side_by_side};
use super::{TextBoard, place};

impl TextBoard for Patchwork {
    const HELP: &'static str = "\
PATCH [r|rr|rrr] [f] ROW,COL
    buys a patch: mirrored with f, then turned clockwise by so many quarters, with the upper left corner of
    its box at this cell
leather ROW,COL
    lays a leather patch
advance
    buys nothing and goes to the space in front of the other player
";
    const LEGEND: &'static str = "# covered, @ covered in this turn, . empty; on the track L leather, $ income, \
                                  1 and 2 the seats, * both; the score is what the match would end with now";

    fn show(&self, names: &[String], before: Option<&Patchwork>, width: Option<usize>) -> String {
        let offer: Vec<PatchId> = self.state().offer(self.table()).collect();
        let columns = offer.iter().map(|&id| patch(self, id)).collect::<Vec<_>>();
        let quilts =
            (0..self.seats()).map(|seat| quilt(self, seat, &names[seat], before)).collect::<Vec<_>>();
        let rest = self.state().circle(self.table()).count().saturating_sub(offer.len());
        format!(
            "{}, {rest} more in the circle\n{}{}{}",
            heading(self, names),
            side_by_side(&quilts, width),
            track(self),
            side_by_side(&columns, width)
        )
    }

    fn told(&self, after: &Patchwork, seat: Seat, wire_move: &WireMove) -> String {
        let [from, to] = [self, after].map(|game| game.state().players()[seat].space);
        match wire_move {
            WireMove::Advance => format!("advances, space {from} to {to}"),
            WireMove::Leather(cell) => format!("lays leather{}", place(&[*cell])),
            WireMove::Buy(patch, cells) => {
                format!("buys {patch}, lays it{}, space {from} to {to}", place(cells))
            }
        }
    }
}

/// Returns the heading with the seat to move.
fn heading(game: &Patchwork, names: &[String]) -> String {
    match game.to_move() {
        None => "the end".to_owned(),
        Some(seat) => match game.state().phase() {
            Phase::Turn => format!("{}: {} to move", turn_name(game.decision()), names[seat]),
            Phase::Leather => {
                format!("{}: {} places a leather patch", turn_name(game.decision()), names[seat])
            }
        },
    }
}

/// Draws the track with one column per space. The line below shows the tokens by seat, with `*` for both on
/// one space.
fn track(game: &Patchwork) -> String {
    let track = game.table().track();
    let leather: Vec<u8> = game.state().leather().collect();
    let spaces: Vec<u8> = game.state().players().iter().map(|player| player.space).collect();
    let mark = |space: u8| match space {
        _ if leather.contains(&space) => 'L',
        _ if space > 0 && track.income_marks(space - 1, space) > 0 => '$',
        _ => '.',
    };
    let token = |space: u8| match (spaces[0] == space, spaces[1] == space) {
        (true, true) => '*',
        (true, false) => '1',
        (false, true) => '2',
        (false, false) => ' ',
    };
    let line = |cell: &dyn Fn(u8) -> char| (0..=track.last()).map(cell).collect::<String>();
    let tens = |space: u8| if space.is_multiple_of(10) { char::from(b'0' + space / 10) } else { ' ' };
    let tokens = line(&token);
    format!("  x10 {}\ntrack {}\nseats {}\n", line(&tens).trim_end(), line(&mark), tokens.trim_end())
}

/// Draws a patch on offer: id, costs, income, and shape.
fn patch(game: &Patchwork, id: PatchId) -> Vec<String> {
    let patch = game.table().patch(id);
    let mut lines = vec![
        format!("{}, income {}", patch.name, patch.income),
        format!("cost {}, time {}", patch.buttons, patch.time),
    ];
    lines.extend(shape(&patch.shape));
    lines
}

fn quilt(game: &Patchwork, seat: Seat, name: &str, before: Option<&Patchwork>) -> Vec<String> {
    let player = &game.state().players()[seat];
    let old = before.map_or(player.board, |before| before.state().players()[seat].board);
    let fresh: Bitboard = player.board - old;
    let tile = if player.has_bonus { ", 7x7" } else { "" };
    let mut lines = vec![format!("{}: {}", seat + 1, name_line(name))];
    lines.extend(board_rows(player.board, fresh));
    lines.push(format!("buttons {}, income {}, space {}{tile}", player.buttons, player.income, player.space));
    lines.push(format!("empty {}, score {}", (!player.board).len(), player.score()));
    lines
}
