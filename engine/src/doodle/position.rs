//! What one seat knows, in the engine's terms: the way from a `turn` message to legal moves.

use super::cards::{CardId, Equipment};
use super::deal::Phase;
use super::decision::Decision;
use super::sheet::{ROUNDS, Sheet};
use super::view::{Observation, PlayerView};
use crate::game::Seat;
use crate::name::CardName;

/// One seat's view of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// What is asked.
    pub phase: Phase,
    /// The round, 1 to 3.
    pub round: u8,
    /// The turn within the round, 1 to 6; 0 for the start patch.
    pub turn: u8,
    /// The circle clockwise: from the token's card in a draw turn, from the token's gap else.
    pub circle: Vec<CardId>,
    /// The cards that can be drawn without a special action.
    pub offer: Vec<CardId>,
    /// Patch cards never turned up.
    pub unseen: Vec<CardId>,
    /// The seat's own sheet.
    pub sheet: Sheet,
}

/// Why an observation cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadObservation {
    /// A card that the equipment does not have.
    #[error("there is no card {0} in this match")]
    NoSuchCard(CardName),
    /// A seat without a sheet.
    #[error("there is no seat {0} at this table")]
    NoSuchSeat(Seat),
    /// Nothing to draw.
    #[error("the turn offers no card")]
    NoOffer,
}

impl Position {
    /// Understands what `seat` was told.
    ///
    /// # Errors
    /// [`BadObservation`] where it names cards or seats that are not there.
    pub fn new(
        equipment: &Equipment,
        observation: &Observation,
        seat: Seat,
    ) -> Result<Position, BadObservation> {
        let find = |name: &CardName| equipment.find(name.as_str()).ok_or(BadObservation::NoSuchCard(*name));
        let find_all = |names: &[CardName]| names.iter().map(find).collect::<Result<Vec<_>, _>>();
        let player = observation.players.get(seat).ok_or(BadObservation::NoSuchSeat(seat))?;
        let position = Position {
            phase: observation.phase,
            round: observation.round,
            turn: observation.turn,
            circle: find_all(&observation.circle)?,
            offer: find_all(&observation.offer)?,
            unseen: find_all(&observation.unseen)?,
            sheet: Sheet::from(player),
        };
        if position.offer.is_empty() { Err(BadObservation::NoOffer) } else { Ok(position) }
    }

    /// What the seat may do.
    pub fn decision<'a>(&'a self, equipment: &'a Equipment) -> Decision<'a> {
        match self.phase {
            Phase::Start => Decision::start(equipment, &self.sheet, self.offer[0]),
            Phase::Draw => Decision::draw(equipment, &self.sheet, &self.circle),
            Phase::Final => Decision::last(equipment, &self.sheet, &self.circle),
        }
    }
}

impl From<&PlayerView> for Sheet {
    fn from(view: &PlayerView) -> Sheet {
        let mut rounds = [0; ROUNDS];
        rounds.iter_mut().zip(&view.rounds).for_each(|(round, &points)| *round = points);
        Sheet { board: view.board, specials: view.actions, rounds }
    }
}
