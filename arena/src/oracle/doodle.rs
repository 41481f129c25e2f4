//! Answers about moves of doodle. They cover the seat's own sheet, because the next card is random.

use std::sync::Arc;

use engine::cells::{Pair, write_cell};
use engine::doodle::{
    Action, Doodle, Equipment, Illegal, Observation, Phase, PlayerView, Position, Rectangle, Sheet, Specials,
    Uses,
};
use engine::game::Seat;
use engine::name::CardName;
use engine::patch::ShapeText;
use serde::Serialize;

use super::judge::Judged;

/// The position of a seat that owes a move.
pub(super) struct Question {
    equipment: Arc<Equipment>,
    position: Position,
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

    fn question(equipment: &Arc<Equipment>, seen: &Observation, seat: Seat) -> Result<Question, String> {
        let position = Position::new(equipment, seen, seat).map_err(|error| error.to_string())?;
        Ok(Question { equipment: Arc::clone(equipment), position })
    }

    fn moves(question: &Question) -> impl Iterator<Item = Action> {
        question.position.decision(&question.equipment).actions()
    }

    fn count(question: &Question) -> u64 {
        question.position.decision(&question.equipment).action_count()
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
