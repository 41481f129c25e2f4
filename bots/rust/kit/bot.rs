//! A bot for both games on the arena's own rules: it lays patches where they touch most. Write your
//! strategy into `value_of_drawing` and `value_of_move`.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

use engine::bitboard::{Bitboard, Cell};
use engine::doodle::{self, Doodle};
use engine::game::{Game, Seat};
use engine::patchwork::{self, Patchwork};
use engine::wire::{FromBot, Hello, Limits, MoveLine, Ready, Start, ToBot, WireFormat};

type Any<T> = Result<T, Box<dyn Error>>;

/// A game as this bot plays it.
trait Plays: WireFormat {
    fn decide(parts: &Arc<Self::Equipment>, state: &Self::Observation, seat: Seat) -> Any<Self::Action>;
}

impl Plays for Doodle {
    fn decide(parts: &Arc<Self::Equipment>, state: &Self::Observation, seat: Seat) -> Any<Self::Action> {
        let position = doodle::SeatTurn::from_observation(parts, state, seat)?;
        let board = state.players[seat].board;
        let drawings = position.moves(parts).drawings();
        let best = drawings.max_by_key(|drawing| value_of_drawing(board, drawing));
        let draw = best.filter(|best| value_of_drawing(board, best) > 0).map(|best| best.draw);
        Ok(doodle::Action { draw, singles: Bitboard::EMPTY })
    }
}

impl Plays for Patchwork {
    fn decide(parts: &Arc<Self::Equipment>, state: &Self::Observation, seat: Seat) -> Any<Self::Action> {
        let game = Patchwork::from_observation(parts, state, seat)?;
        let best = game.legal_actions(seat).max_by_key(|action| value_of_move(&game, seat, action));
        best.ok_or_else(|| "there is always a move".into())
    }
}

/// How good it is to draw this; what is worth nothing is not drawn.
fn value_of_drawing(board: Bitboard, drawing: &doodle::Drawing) -> i32 {
    let special_actions = i32::from(drawing.neighbor) + i32::from(drawing.cuts);
    1 + contact(board, drawing.draw.cells) - 20 * special_actions
}

/// How good a move of patchwork is: an advance is worth 0.
fn value_of_move(game: &Patchwork, seat: Seat, action: &patchwork::Action) -> i32 {
    let player = &game.state().players()[seat];
    match *action {
        patchwork::Action::Advance => 0,
        patchwork::Action::Leather(cell) => contact(player.board, Bitboard::from_iter([cell])),
        patchwork::Action::Buy { patch, cells } => {
            let patch = game.equipment().patch(patch);
            let track = game.equipment().track();
            let payments = track.income_marks(player.space, track.last()) as i32;
            let gain = 2 * cells.len() as i32 + payments * i32::from(patch.income);
            100 * (gain - i32::from(patch.buttons) - i32::from(patch.time)) + contact(player.board, cells)
        }
    }
}

/// How many sides of the cells touch the edge or a covered cell.
fn contact(board: Bitboard, cells: Bitboard) -> i32 {
    let sides = |cell: Cell| {
        let (row, col) = (cell.row(), cell.col());
        [(row.wrapping_sub(1), col), (row, col.wrapping_sub(1)), (row, col + 1), (row + 1, col)]
    };
    let touches = |&(row, col): &(u8, u8)| Cell::new(row, col).is_none_or(|cell| board.contains(cell));
    cells.iter().flat_map(sides).filter(touches).count() as i32
}

/// One match: answers `turn` lines until another `start` comes.
fn play<G: Plays>(start: &str, lines: &mut io::Lines<io::StdinLock>) -> Any<Option<String>> {
    let Ok(ToBot::Start(Start { setup, seat, limits, seed: _seed, .. })) = read::<G>(start) else {
        return Err(format!("cannot play {start}").into());
    };
    let parts = Arc::new(G::equip(&setup)?);
    //let mut dealer = engine::dealer::Dealer::new(_seed, 0); // all chance: so matches can be repeated
    say(&FromBot::<()>::Ready(Ready {}))?;
    while let Some(line) = lines.next().transpose()? {
        match read::<G>(&line) {
            Ok(ToBot::Turn { id, state, time_ms }) => {
                let _budget_ms = budget_ms(&limits, time_ms); // a search may take so long
                let wire_move = G::write(&parts, &G::decide(&parts, &state, seat)?);
                let line = MoveLine::new(id.into(), wire_move);
                //let chance = dealer.below(1 << 20).into(); // and these are numbers for the record
                //let data = [("seed", _seed), ("budget_ms", _budget_ms), ("chance", chance)];
                //let line = MoveLine { data: data.map(|(name, n)| (name.into(), n.into())).into(), ..line };
                say(&FromBot::Move(line))?;
            }
            Ok(ToBot::Fault { .. } | ToBot::End { .. }) => {}
            _ => return Ok(Some(line)), // the next match, of whatever game, or "quit"
        }
    }
    Ok(None)
}

/// The time for a search: a part of the time of the match, if that is limited.
fn budget_ms(limits: &Limits, time_ms: u64) -> u64 {
    limits.match_ms.map_or(time_ms, |_| time_ms / 20 + limits.increment_ms).min(time_ms * 9 / 10)
}

fn read<G: Game>(line: &str) -> serde_json::Result<ToBot<G::Setup, G::Observation>> {
    serde_json::from_str(line)
}

fn say(message: &FromBot<'_, impl serde::Serialize>) -> Any<()> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, message)?;
    Ok(stdout.write_all(b"\n").and_then(|()| stdout.flush())?)
}

fn main() -> Any<()> {
    let mut lines = io::stdin().lock().lines();
    let mut next = lines.next().transpose()?;
    while let Some(line) = next.take() {
        let message: serde_json::Value = serde_json::from_str(&line)?;
        next = match (message["type"].as_str(), message["game"].as_str()) {
            (Some("hello"), _) => {
                say(&FromBot::<()>::Hello(Hello::new("rust")))?;
                lines.next().transpose()?
            }
            (Some("start"), Some("doodle")) => play::<Doodle>(&line, &mut lines)?,
            (Some("start"), Some("patchwork")) => play::<Patchwork>(&line, &mut lines)?,
            (Some("quit"), _) => None,
            _ => return Err(format!("what is this? {line}").into()),
        };
    }
    Ok(())
}
