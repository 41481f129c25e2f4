//! Patchwork Doodle as frames: the ring of cards with token and die, and the sheets.

use std::collections::BTreeMap;

use engine::bitboard::Bitboard;
use engine::doodle::{CardId, Deal, Doodle, Phase, Specials, Turn, WireMove};
use engine::game::{Game, Seat};
use engine::patch::ShapeText;
use engine::wire::WireFormat;
use engine::wire::name::CardName;
use serde::Serialize;

use super::frames::{Act, Frames, Piece};

/// The constants of a match of doodle.
#[derive(Debug, Serialize)]
pub struct Parts {
    /// The shapes of all cards, as rows of `X` and `.`.
    cards: BTreeMap<String, ShapeText>,
}

/// The table in one turn.
#[derive(Debug, Serialize)]
pub struct Table {
    /// The kind of decision.
    phase: Phase,
    /// The round, 1 to 3.
    round: u8,
    /// The turn within the round, 1 to 6; 0 for the start patch.
    turn: u8,
    /// The places of the round's circle, clockwise; `None` for a card that is gone.
    ring: Vec<Option<CardName>>,
    /// The place of the token: at its card, or at the former place of the last card.
    token: Option<usize>,
    /// The places of the cards that all seats may draw.
    offer: Vec<usize>,
    /// The roll that moved the token to its place.
    die: Option<u8>,
}

/// The state of a seat apart from its board.
#[derive(Debug, Serialize)]
pub struct Holding {
    /// Points of the rounds scored so far.
    rounds: Vec<i32>,
    /// The remaining special actions.
    actions: Specials,
    /// The special actions used in this turn.
    used: Specials,
    /// The rectangle that was scored with this turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    scored: Option<Scored>,
    /// The best rectangle of the running round.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Scored>,
}

/// A rectangle with its points.
#[derive(Debug, Serialize)]
struct Scored {
    row: u8,
    col: u8,
    height: u8,
    width: u8,
    points: u8,
}

impl Frames for Doodle {
    type Parts = Parts;
    type Table = Table;
    type Holding = Holding;

    fn parts(&self) -> Parts {
        let setup = Doodle::setup(self.equipment());
        let cards = setup.cards.iter().flat_map(|file| file.starts.iter().chain(&file.patches));
        Parts { cards: cards.map(|card| (card.id.clone(), card.cells.clone())).collect() }
    }

    fn card_number(parts: &Parts, card: &str) -> Option<usize> {
        parts.cards.keys().position(|known| known == card)
    }

    fn table(&self, deal: &Deal, _after: &Doodle) -> Table {
        let turns = &self.table(0).timeline.turns;
        let number = (self.decision() as usize).min(turns.len() - 1);
        let Turn { phase, round, turn, circle, .. } = &turns[number];
        let ring = ring(turns, deal, *round);
        let place = |card: &CardId| ring.iter().position(|there| there == card);
        let token = match phase {
            Phase::Start => None,
            Phase::Draw => circle.first().and_then(place),
            Phase::Final => turns[number - 1].circle.first().and_then(place),
        };
        Table {
            phase: *phase,
            round: *round,
            turn: *turn,
            offer: match phase {
                Phase::Start => Vec::new(),
                Phase::Draw => token.into_iter().collect(),
                Phase::Final => circle.iter().filter_map(place).collect(),
            },
            ring: ring
                .iter()
                .map(|card| circle.contains(card).then(|| self.equipment().name(*card)))
                .collect(),
            token,
            die: number.checked_sub(1).and_then(|roll| deal.dice.get(roll).copied()),
        }
    }

    fn board(&self, seat: Seat) -> Bitboard {
        self.sheet(seat).board
    }

    /// The best rectangle of a sheet counts as soon as a turn of the running round is played.
    fn scores(&self) -> Vec<i32> {
        let mut scores = self.outcome().scores;
        if is_in_round(self) {
            let points = (0..scores.len()).map(|seat| self.sheet(seat).round_points());
            scores.iter_mut().zip(points).for_each(|(score, points)| *score += i32::from(points));
        }
        scores
    }

    fn holding(&self, seat: Seat, before: &Doodle) -> Holding {
        let rounds =
            |game: &Doodle| game.outcome().rounds.map_or(Vec::new(), |mut all| all.swap_remove(seat));
        let (sheet, now) = (self.sheet(seat), rounds(self));
        let is_scored = now.len() > rounds(before).len();
        let best = || {
            sheet.best_rectangle().map(|best| Scored {
                row: best.corner.row(),
                col: best.corner.col(),
                height: best.height,
                width: best.width,
                points: best.points(),
            })
        };
        Holding {
            rounds: now,
            actions: sheet.specials,
            used: before.sheet(seat).specials.without(sheet.specials),
            scored: is_scored.then(best).flatten(),
            best: is_in_round(self).then(best).flatten(),
        }
    }

    fn act(&self, wire_move: &WireMove, added: Bitboard) -> Option<Act> {
        let action = Doodle::read(self.equipment(), wire_move).ok()?;
        let drawn = action.draw.map(|draw| (self.equipment().name(draw.card), draw.cells));
        let piece = drawn.map(|(card, cells)| Piece::of(card, cells));
        let rest = added - drawn.map_or(Bitboard::EMPTY, |(_, cells)| cells);
        Some(Act {
            act: if drawn.is_some() { "draw" } else { "pass" },
            card: drawn.map(|(card, _)| card),
            pieces: piece.into_iter().chain(Piece::each(rest)).collect(),
        })
    }
}

/// Returns the cards of a round in their places at its beginning. These are the places in the round's first
/// turn, with the roll before it undone.
fn ring(turns: &[Turn], deal: &Deal, round: u8) -> Vec<CardId> {
    let first = turns.iter().position(|turn| turn.round == round).unwrap_or(0);
    let roll = first.checked_sub(1).and_then(|roll| deal.dice.get(roll).copied());
    let mut ring = turns[first].circle.clone();
    ring.rotate_right(roll.map_or(0, |roll| usize::from(roll) - 1));
    ring
}

/// Returns true between the first and the last turn of a round.
fn is_in_round(game: &Doodle) -> bool {
    let turns = &game.table(0).timeline.turns;
    turns.get(game.decision() as usize).is_some_and(|turn| turn.turn > 1)
}
