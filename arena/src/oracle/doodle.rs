//! Answers about moves of doodle. They cover the seat's own sheet, because the next card is random, or the whole table, if
//! the query says what chance decides.

use std::sync::Arc;

use engine::cells::{Pair, write_cell};
use engine::doodle::{
    Action, Doodle, Equipment, Illegal, Observation, Phase, PlayerView, ROUNDS, Rectangle, SeatTurn, Sheet,
    Specials, Steps, Uses,
};
use engine::game::{Seat, ranks};
use engine::patch::ShapeText;
use engine::wire::name::CardName;
use serde::Serialize;

use super::judge::{Judged, Stepped, SteppedOrIllegal};
use super::query::Chance;
use sandbox::text::quote;

/// The turns of a round after the start patch.
const ROUND_TURNS: u8 = 6;

/// The position of a seat that owes a move.
pub(super) struct Question {
    equipment: Arc<Equipment>,
    position: SeatTurn,
}

/// The cost of a move.
#[derive(Serialize)]
pub(super) struct Effect {
    /// The special actions that the move crosses out.
    uses: Specials,
    /// The drawn card; `null` for a pass.
    card: Option<CardName>,
    /// The drawn patch or piece, placed on the board. Empty for a pass.
    piece: ShapeText,
    /// True if the card is next to the token.
    neighbor: bool,
    /// The smallest number of cuts for this piece.
    cuts: u8,
    /// The number of single cells.
    singles: u8,
}

/// The seat's sheet after a move.
#[derive(Serialize)]
pub(super) struct After {
    sheet: PlayerView,
    /// The rectangle with the most points.
    rectangle: Option<RectangleText>,
    /// The points of that rectangle.
    points: u8,
    /// The points of completed rounds minus the empty cells.
    score: i32,
    /// True if the move was the last one of the match.
    over: bool,
}

/// A rectangle in its wire form.
#[derive(Serialize)]
struct RectangleText {
    corner: Pair,
    height: u8,
    width: u8,
}

impl From<Rectangle> for RectangleText {
    fn from(Rectangle { corner, height, width }: Rectangle) -> RectangleText {
        RectangleText { corner: write_cell(corner), height, width }
    }
}

impl Question {
    /// Returns the cost of the move, and the sheet after it.
    fn played(&self, action: &Action) -> Result<(Uses, Sheet), Illegal> {
        self.position.play(&self.equipment, action)
    }
}

impl Judged for Doodle {
    type Question = Question;
    type Effect = Effect;
    type After = After;
    type Numbers = Vec<usize>;

    fn question(equipment: &Arc<Equipment>, seen: &Observation, seat: Seat) -> Result<Question, String> {
        let position =
            SeatTurn::from_observation(equipment, seen, seat).map_err(|error| error.to_string())?;
        Ok(Question { equipment: Arc::clone(equipment), position })
    }

    fn moves(question: &Question) -> impl Iterator<Item = Action> {
        question.position.moves(&question.equipment).iter()
    }

    fn count(question: &Question) -> u64 {
        question.position.moves(&question.equipment).count()
    }

    fn numbers(question: &Question, action: &Action) -> Option<Vec<usize>> {
        Steps::of(&question.position.moves(&question.equipment), action)
    }

    fn explain(question: &Question, action: &Action) -> Result<Effect, Illegal> {
        let (uses, sheet) = question.played(action)?;
        Ok(Effect {
            uses: question.position.sheet.specials.without(sheet.specials),
            card: action.draw.map(|draw| question.equipment.name(draw.card)),
            piece: ShapeText::drawn(action.draw.map_or_else(Default::default, |draw| draw.cells)),
            neighbor: uses.neighbor,
            cuts: uses.cuts,
            singles: uses.singles,
        })
    }

    fn step(
        equipment: &Arc<Equipment>,
        seen: &Observation,
        moves: &[Action],
        chance: &Chance,
    ) -> Result<SteppedOrIllegal<Doodle>, String> {
        let seats = seen.players.len();
        if moves.len() != seats || seats == 0 {
            return Err(format!("{} moves, and {seats} seats", moves.len()));
        }
        let mut next = seen.clone();
        let (mut scores, mut over) = (Vec::new(), false);
        for (seat, action) in moves.iter().enumerate() {
            let mut own = seen.clone();
            // A seat sees its own start card alone, so the others have those that they draw.
            if let (Phase::Start, Some(draw)) = (seen.phase, action.draw) {
                own.offer = vec![equipment.name(draw.card)];
            }
            let position =
                SeatTurn::from_observation(equipment, &own, seat).map_err(|error| error.to_string())?;
            let sheet = match position.play(equipment, action) {
                Ok((_, sheet)) => sheet,
                Err(illegal) => return Ok(Err((seat, illegal))),
            };
            next.players[seat] = PlayerView::new(&sheet, position.rounds_after());
            scores.push(sheet.score());
            over = position.phase == Phase::Final;
        }
        let ranks = ranks(&scores, &vec![false; seats]);
        if over {
            return Ok(Ok(Stepped { state: None, over, scores, ranks }));
        }
        if seen.phase == Phase::Draw {
            next.circle.remove(0);
        }
        let begins_round = seen.turn == ROUND_TURNS;
        let (round, turn) = if begins_round { (seen.round + 1, 1) } else { (seen.round, seen.turn + 1) };
        let wanted = if begins_round { usize::from(ROUND_TURNS) } else { 0 };
        let mut cards = Vec::new();
        for card in &chance.cards {
            let place = next.unseen.iter().position(|unseen| unseen.as_str() == card);
            let place =
                place.ok_or_else(|| format!("{} is not among the unseen cards", quote(card.as_bytes())))?;
            cards.push(next.unseen.remove(place));
        }
        if cards.len() != wanted {
            return Err(format!("before turn {turn} of round {round}, \"cards\" must have {wanted} cards"));
        }
        next.circle.append(&mut cards);
        if next.circle.is_empty() {
            return Err("the circle has no card for the next turn".to_owned());
        }
        let is_final = round == ROUNDS as u8 && turn == ROUND_TURNS;
        match (is_final, chance.roll) {
            (true, None) => {}
            (false, Some(roll @ 1..=3)) => {
                let steps = (usize::from(roll) - 1) % next.circle.len();
                next.circle.rotate_left(steps);
            }
            (true, Some(_)) => return Err("the last turn has no \"roll\"".to_owned()),
            (false, _) => return Err("the next turn needs a \"roll\" of 1 to 3".to_owned()),
        }
        next.offer = next.circle.iter().take(if is_final { usize::MAX } else { 1 }).copied().collect();
        (next.round, next.turn) = (round, turn);
        next.phase = if is_final { Phase::Final } else { Phase::Draw };
        Ok(Ok(Stepped { state: Some(next), over, scores, ranks }))
    }

    fn apply(question: &Question, action: &Action) -> Result<After, Illegal> {
        let (_, sheet) = question.played(action)?;
        Ok(After {
            sheet: PlayerView::new(&sheet, question.position.rounds_after()),
            rectangle: sheet.best_rectangle().map(RectangleText::from),
            points: sheet.round_points(),
            score: sheet.score(),
            over: question.position.phase == Phase::Final,
        })
    }
}
