//! What there is to tell of a move of doodle: the seat's own sheet, since the next card is chance.

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

/// A seat's turn.
pub(super) struct Question {
    equipment: Arc<Equipment>,
    position: Position,
}

/// What a move takes.
#[derive(Serialize)]
pub(super) struct Effect {
    /// The special actions that are crossed out for it.
    uses: Specials,
    /// The card that is drawn; `null` for a pass.
    card: Option<CardName>,
    /// The drawn patch or piece as it lies on the board; empty for a pass.
    piece: ShapeText,
    /// Whether the card is beside the token.
    neighbor: bool,
    /// The fewest cuts that leave this piece.
    cuts: u8,
    /// Single cells.
    singles: u8,
}

/// The seat's sheet after a move.
#[derive(Serialize)]
pub(super) struct After {
    sheet: PlayerView,
    /// The rectangle that scores most.
    rectangle: Option<RectangleText>,
    /// What it scores.
    points: u8,
    /// Points of the rounds that are over, less the empty cells.
    score: i32,
    /// Whether that was the last move of the match.
    over: bool,
}

/// A rectangle on the wire.
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
    /// What the move takes, and the sheet after it.
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
