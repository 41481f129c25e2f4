//! What there is to tell of a move of patchwork: all of it, since nothing in it is chance.

use std::sync::Arc;

use engine::game::{Game, Outcome, Seat};
use engine::name::CardName;
use engine::patchwork::{Action, Equipment, Illegal, Observation, Patchwork, Player};
use serde::Serialize;

use super::judge::Judged;

/// The match as the asked seat sees it.
pub(super) struct Question {
    game: Patchwork,
    seat: Seat,
}

/// What a move takes and brings.
#[derive(Serialize)]
pub(super) struct Effect {
    /// The patch that is bought, if one is.
    patch: Option<CardName>,
    /// Buttons paid for it.
    price: u16,
    /// Spaces that it takes; for an advance those moved.
    time: u8,
    /// Spaces that the token moved.
    spaces: u8,
    /// Income marks that it passed or reached.
    income_marks: u32,
    /// Buttons got at them.
    income: u32,
    /// All buttons got less those paid.
    buttons: i32,
    /// Spaces of which it took the leather patch.
    leather: Vec<u8>,
    /// Whether it took the 7x7 tile.
    bonus: bool,
}

/// The match after a move.
#[derive(Serialize)]
pub(super) struct After {
    state: Observation,
    /// Who is asked next; `null` when the match is over.
    seat: Option<Seat>,
    over: bool,
    /// Scores and ranks as they stand.
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
        &game.position().players()[self.seat]
    }
}

impl Judged for Patchwork {
    type Question = Question;
    type Effect = Effect;
    type After = After;

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

    fn explain(question: &Question, action: &Action) -> Result<Effect, Illegal> {
        let game = question.played(action)?;
        let [before, after] = [&question.game, &game].map(|game| question.mover(game));
        let spaces = after.space - before.space;
        let patch = match *action {
            Action::Buy { patch, .. } => Some(game.table().patch(patch)),
            Action::Advance | Action::Leather(_) => None,
        };
        let income_marks = game.table().track().income_marks(before.space, after.space);
        let left: Vec<u8> = game.position().leather().collect();
        Ok(Effect {
            patch: patch.map(|patch| patch.name),
            price: patch.map_or(0, |patch| patch.buttons),
            time: patch.map_or(spaces, |patch| patch.time),
            spaces,
            income_marks,
            income: income_marks * u32::from(after.income),
            buttons: i32::from(after.buttons) - i32::from(before.buttons),
            leather: question.game.position().leather().filter(|space| !left.contains(space)).collect(),
            bonus: after.has_bonus && !before.has_bonus,
        })
    }

    fn apply(question: &Question, action: &Action) -> Result<After, Illegal> {
        let game = question.played(action)?;
        let seat = game.to_move();
        Ok(After { state: game.observe(question.seat), seat, over: seat.is_none(), outcome: game.outcome() })
    }
}
