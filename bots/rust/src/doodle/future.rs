//! Random futures of a match: the unseen cards in random order, with random rolls.

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::doodle::{CardId, Phase, SeatTurn, TURNS, Timeline, Turn};

use super::ahead::turn_number;
use super::learned::ROUND_TURNS;

/// Faces of the die. All are equally likely.
const FACES: usize = 3;
/// The number of first rolls that are stratified instead of random.
const EVEN_ROLLS: u32 = 2;

/// Returns the last turn whose card order depends on rolls alone, given that turn `turn` is over. Later turns
/// also depend on unseen cards.
pub(super) fn last_known(turn: u8) -> u8 {
    turn.max(1).div_ceil(ROUND_TURNS) * ROUND_TURNS
}

/// Samples a timeline from the present turn on; earlier turns are empty. The first rolls enumerate all faces,
/// in the order of `number`, the index of the future. Thus a few futures cover each face.
pub(crate) fn deal(position: &SeatTurn, number: usize, chance: &mut Dealer) -> Timeline {
    let now = usize::from(turn_number(position));
    let mut unseen = position.unseen.clone();
    chance.shuffle(&mut unseen);
    let mut circle = position.circle.clone();
    let mut turns: Vec<Turn> = (0..now).map(|turn| lay(turn, &[])).collect();
    turns.push(lay(now, &circle));
    for (rolls, turn) in (0..).zip(now + 1..TURNS) {
        if turn > 1 {
            circle.remove(0);
        }
        if turn > 1 && (turn - 1).is_multiple_of(ROUND_TURNS.into()) {
            circle.extend(unseen.drain(unseen.len().saturating_sub(ROUND_TURNS.into())..));
        }
        let roll = if rolls < EVEN_ROLLS {
            number / FACES.pow(rolls) % FACES
        } else {
            chance.below(FACES as u32) as usize
        };
        if turn < TURNS - 1 {
            circle.rotate_left(roll);
        }
        turns.push(lay(turn, &circle));
    }
    Timeline { starts: position.offer.clone(), turns }
}

/// Returns the table in the turn with this number; 0 is the start patch.
fn lay(number: usize, circle: &[CardId]) -> Turn {
    let before = number.saturating_sub(1);
    let rounds = before / usize::from(ROUND_TURNS);
    let phase = match number {
        0 => Phase::Start,
        _ if number == TURNS - 1 => Phase::Final,
        _ => Phase::Draw,
    };
    Turn {
        phase,
        round: rounds as u8 + 1,
        turn: (number - rounds * usize::from(ROUND_TURNS)) as u8,
        circle: circle.to_vec(),
        unseen: Arc::default(),
    }
}
