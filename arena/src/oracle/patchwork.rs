//! Answers about moves of patchwork. They cover the whole state, because moves have no random effects.

use std::sync::Arc;

use engine::game::{Game, Outcome, Seat};
use engine::patchwork::{Action, Equipment, Illegal, Observation, Patchwork, Player};
use engine::wire::name::CardName;
use serde::Serialize;

use super::judge::Judged;

/// The match from the view of a seat.
pub(super) struct Question {
    game: Patchwork,
    seat: Seat,
}

/// The costs and effects of a move.
#[derive(Serialize)]
pub(super) struct Effect {
    /// The bought patch, if there is one.
    patch: Option<CardName>,
    /// The price of the patch, in buttons.
    price: u16,
    /// The time cost of the patch; for an advance, the number of spaces moved.
    time: u8,
    /// The number of spaces that the token moved.
    spaces: u8,
    /// The number of income marks that the token passed or reached.
    income_marks: u32,
    /// The buttons gained at those marks.
    income: u32,
    /// The net gain of buttons.
    buttons: i32,
    /// The spaces from which the move took leather patches.
    leather: Vec<u8>,
    /// True if the move won the 7x7 tile.
    bonus: bool,
}

/// The match after a move.
#[derive(Serialize)]
pub(super) struct After {
    state: Observation,
    /// The next seat to move; `null` after the end of the match.
    seat: Option<Seat>,
    over: bool,
    /// The current scores and ranks.
    #[serde(flatten)]
    outcome: Outcome,
}

impl Question {
    fn played(&self, action: &Action) -> Result<Patchwork, Illegal> {
        let mut game = self.game.clone();
        game.play(self.seat, action)?;
        Ok(game)
    }

    fn mover<'a>(&self, game: &'a Patchwork) -> &'a Player {
        &game.state().players()[self.seat]
    }
}

impl Judged for Patchwork {
    type Question = Question;
    type Effect = Effect;
    type After = After;
    type Numbers = usize;

    fn question(equipment: &Arc<Equipment>, seen: &Observation, seat: Seat) -> Result<Question, String> {
        let game = Patchwork::from_observation(equipment, seen, seat).map_err(|error| error.to_string())?;
        Ok(Question { game, seat })
    }

    fn moves(question: &Question) -> impl Iterator<Item = Action> {
        question.game.legal_actions(question.seat)
    }

    fn count(question: &Question) -> u64 {
        question.game.legal_count(question.seat)
    }

    fn numbers(question: &Question, action: &Action) -> Option<usize> {
        question.game.state().number(question.game.table(), action)
    }

    fn explain(question: &Question, action: &Action) -> Result<Effect, Illegal> {
        let game = question.played(action)?;
        let [before, after] = [&question.game, &game].map(|game| question.mover(game));
        let spaces = after.space - before.space;
        let patch = match *action {
            Action::Buy { patch, .. } => Some(game.table().patch(patch)),
            Action::Advance | Action::Leather(_) => None,
        };
        let income_marks = game.table().track().income_marks(before.space, after.space);
        let left: Vec<u8> = game.state().leather().collect();
        Ok(Effect {
            patch: patch.map(|patch| patch.name),
            price: patch.map_or(0, |patch| patch.buttons),
            time: patch.map_or(spaces, |patch| patch.time),
            spaces,
            income_marks,
            income: income_marks * u32::from(after.income),
            buttons: i32::from(after.buttons) - i32::from(before.buttons),
            leather: question.game.state().leather().filter(|space| !left.contains(space)).collect(),
            bonus: after.has_bonus && !before.has_bonus,
        })
    }

    fn apply(question: &Question, action: &Action) -> Result<After, Illegal> {
        let game = question.played(action)?;
        let seat = game.to_move();
        Ok(After { state: game.observe(question.seat), seat, over: seat.is_none(), outcome: game.outcome() })
    }
}
