//! One seat's view of a turn in the engine's types: from a `turn` message to legal moves.

use crate::doodle::action::Action;
use crate::doodle::cards::{CardId, Equipment};
use crate::doodle::deal::{Phase, scored_round};
use crate::doodle::illegal::Illegal;
use crate::doodle::moves::Moves;
use crate::doodle::sheet::{ROUNDS, Sheet, Uses};
use crate::doodle::view::{Observation, PlayerView};
use crate::game::Seat;
use crate::wire::name::CardName;

/// The most points of a round: the full board.
const POINTS_MAX: u8 = 81;

/// One seat's view of a turn.
///
/// # Examples
/// ```
/// # use engine::{doodle::{Doodle, Equipment}, game::Game};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
/// use engine::doodle::SeatTurn;
///
/// // A bot gets the observation in a `turn` message.
/// let position = SeatTurn::from_observation(&equipment, &game.observe(0), 0)?;
/// let moves = position.moves(&equipment);
/// assert_eq!(moves.drawing_count(), game.moves(0).unwrap().drawing_count());
/// # Ok::<(), engine::doodle::BadObservation>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatTurn {
    /// The kind of decision.
    pub phase: Phase,
    /// The round, 1 to 3.
    pub round: u8,
    /// The turn within the round, 1 to 6; 0 for the start patch.
    pub turn: u8,
    /// The circle, clockwise: from the token's card in a draw turn, otherwise from the token's gap.
    pub circle: Vec<CardId>,
    /// The cards that can be drawn without a special action.
    pub offer: Vec<CardId>,
    /// Patch cards that were never revealed.
    pub unseen: Vec<CardId>,
    /// The seat's own sheet.
    pub sheet: Sheet,
}

/// The reason why an observation is not valid.
///
/// # Examples
/// ```
/// # use engine::{doodle::{Doodle, Equipment}, game::Game};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
/// use engine::doodle::{BadObservation, SeatTurn};
///
/// let mut seen = game.observe(0);
/// seen.circle[1] = seen.circle[0];
/// let twice = BadObservation::CardTwice(seen.circle[0]);
/// assert_eq!(SeatTurn::from_observation(&equipment, &seen, 0), Err(twice));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadObservation {
    /// The equipment does not have the card.
    #[error("there is no card {0} in this match")]
    NoSuchCard(CardName),
    /// A start card lies in the circle.
    #[error("{0} is a start card and cannot lie in the circle")]
    StartCard(CardName),
    /// The start turn offers a patch card.
    #[error("{0} is not a start card")]
    NotAStartCard(CardName),
    /// A card lies in the circle twice.
    #[error("{0} is in the circle twice")]
    CardTwice(CardName),
    /// The seat has no sheet.
    #[error("there is no seat {0} at this table")]
    NoSuchSeat(Seat),
    /// No match has this turn.
    #[error("phase \"{}\" cannot be in turn {turn} of round {round}", .phase.as_str())]
    NoSuchTurn {
        /// The kind of decision in the observation.
        phase: Phase,
        /// The round.
        round: u8,
        /// The turn in the round.
        turn: u8,
    },
    /// The offer does not fit the phase and the circle.
    #[error("the offer must be {}", match .0 {
        Phase::Start => "one start card",
        Phase::Draw => "the first card of the circle",
        Phase::Final => "the whole circle, three cards at most",
    })]
    Offer(Phase),
    /// The cards do not suffice for the rest of the match, or a card is at two places.
    #[error("a match cannot go on with these {circle} cards in the circle and {unseen} unseen ones")]
    Future {
        /// Number of cards in the circle.
        circle: usize,
        /// Number of unseen cards.
        unseen: usize,
    },
    /// The sheet's scores do not fit the rounds that are over.
    #[error("in round {round} a sheet has {} round scores, 0 to 81 each", round - 1)]
    Rounds {
        /// The current round, 1 to 3.
        round: u8,
    },
}

impl SeatTurn {
    /// Converts the observation of `seat`.
    ///
    /// It checks everything that the seat's own decision depends on, and ignores the other sheets. The
    /// position need not be reachable.
    ///
    /// # Errors
    /// [`BadObservation`] with the first contradiction.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// use engine::doodle::{BadObservation, SeatTurn};
    ///
    /// let seen = game.observe(0);
    /// assert_eq!(SeatTurn::from_observation(&equipment, &seen, 0).map(|position| position.unseen.len()), Ok(22));
    /// assert_eq!(SeatTurn::from_observation(&equipment, &seen, 2), Err(BadObservation::NoSuchSeat(2)));
    /// ```
    pub fn from_observation(
        equipment: &Equipment,
        observation: &Observation,
        seat: Seat,
    ) -> Result<SeatTurn, BadObservation> {
        let find = |name: &CardName| equipment.find(name.as_str()).ok_or(BadObservation::NoSuchCard(*name));
        let find_all = |names: &[CardName]| names.iter().map(find).collect::<Result<Vec<_>, _>>();
        let player = observation.players.get(seat).ok_or(BadObservation::NoSuchSeat(seat))?;
        let position = SeatTurn {
            phase: observation.phase,
            round: observation.round,
            turn: observation.turn,
            circle: find_all(&observation.circle)?,
            offer: find_all(&observation.offer)?,
            unseen: find_all(&observation.unseen)?,
            sheet: Sheet::from(player),
        };
        position.check_turn()?;
        position.check_cards(equipment)?;
        check_rounds(player, position.round)?;
        Ok(position)
    }

    fn check_turn(&self) -> Result<(), BadObservation> {
        let (phase, round, turn) = (self.phase, self.round, self.turn);
        let expected = match (round, turn) {
            (1, 0) => Some(Phase::Start),
            (3, 6) => Some(Phase::Final),
            (1..=3, 1..=6) => Some(Phase::Draw),
            _ => None,
        };
        if expected == Some(phase) { Ok(()) } else { Err(BadObservation::NoSuchTurn { phase, round, turn }) }
    }

    fn check_cards(&self, equipment: &Equipment) -> Result<(), BadObservation> {
        for (place, &card) in self.circle.iter().enumerate() {
            if equipment.is_start(card) {
                return Err(BadObservation::StartCard(equipment.name(card)));
            }
            if self.circle[..place].contains(&card) {
                return Err(BadObservation::CardTwice(equipment.name(card)));
            }
        }
        let fits = match (self.phase, self.offer.as_slice()) {
            (Phase::Start, &[card]) if equipment.is_start(card) => true,
            (Phase::Start, &[card]) => return Err(BadObservation::NotAStartCard(equipment.name(card))),
            (Phase::Start, _) => false,
            (Phase::Draw, offer) => offer.len() == 1 && offer.first() == self.circle.first(),
            (Phase::Final, offer) => offer.len() <= 3 && offer == self.circle,
        };
        if fits { Ok(()) } else { Err(BadObservation::Offer(self.phase)) }
    }

    /// The seat's decision in this position, which lists and checks its moves.
    pub fn moves<'a>(&'a self, equipment: &'a Equipment) -> Moves<'a> {
        Moves::new(equipment, self.sheet, self.phase, &self.offer, &self.circle)
    }

    /// Returns the special actions that `action` takes, and the seat's sheet after it. If the turn ends
    /// a round, its points are on the sheet. The next card is not known.
    ///
    /// # Errors
    /// [`Illegal`] with the broken rule.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// use engine::doodle::{SeatTurn, Uses};
    ///
    /// let position = SeatTurn::from_observation(&equipment, &game.observe(0), 0)?;
    /// let action = game.legal_actions(0).next().unwrap();
    /// let (uses, sheet) = position.play(&equipment, &action).expect("a listed action is legal");
    /// assert_eq!(uses, Uses::default());
    /// assert_eq!(sheet.board, action.draw.unwrap().cells);
    /// # Ok::<(), engine::doodle::BadObservation>(())
    /// ```
    pub fn play(&self, equipment: &Equipment, action: &Action) -> Result<(Uses, Sheet), Illegal> {
        let moves = self.moves(equipment);
        let uses = moves.check(action)?;
        let mut sheet = moves.applied(action, uses);
        if let Some(round) = scored_round(self.round, self.turn) {
            sheet.score_round(round);
        }
        Ok((uses, sheet))
    }

    /// Number of rounds that are scored when this turn is over, from 0 to 3.
    pub fn rounds_after(&self) -> usize {
        scored_round(self.round, self.turn).map_or(usize::from(self.round) - 1, |round| round + 1)
    }
}

fn check_rounds(player: &PlayerView, round: u8) -> Result<(), BadObservation> {
    let fits = player.rounds.len() + 1 == usize::from(round);
    match fits && player.rounds.iter().all(|&points| points <= POINTS_MAX) {
        true => Ok(()),
        false => Err(BadObservation::Rounds { round }),
    }
}

impl From<&PlayerView> for Sheet {
    fn from(view: &PlayerView) -> Sheet {
        let mut rounds = [0; ROUNDS];
        rounds.iter_mut().zip(&view.rounds).for_each(|(round, &points)| *round = points);
        Sheet { board: view.board, specials: view.actions, rounds }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Doodle;
    use super::*;
    use crate::dealer::Dealer;
    use crate::game::{Game, first_pending};

    /// Picks one of the first 3,000 legal moves, which have few single cells.
    fn some_action(game: &Doodle, seat: Seat, chance: &mut Dealer) -> Action {
        let few = game.legal_count(seat).min(3_000);
        game.legal_actions(seat).nth(chance.below(few as u32) as usize).expect("below the count")
    }

    #[test]
    fn a_turn_is_judged_alike_in_the_match_and_from_what_a_seat_sees() {
        let equipment = Arc::new(Equipment::standard());
        for seed in 0..20 {
            let mut chance = Dealer::new(seed, 91);
            let deal = Doodle::deal(&equipment, 2, seed).unwrap();
            let mut game = Doodle::new(&equipment, &deal).unwrap();
            while first_pending(&game).is_some() {
                let after = [0, 1].map(|seat| {
                    let position = SeatTurn::from_observation(&equipment, &game.observe(seat), seat).unwrap();
                    assert_eq!(position.moves(&equipment).count(), game.legal_count(seat));
                    let action = some_action(&game, seat, &mut chance);
                    let (_, sheet) = position.play(&equipment, &action).unwrap();
                    game.play(seat, &action).unwrap();
                    (sheet, position.rounds_after())
                });
                for (seat, (sheet, rounds)) in after.into_iter().enumerate() {
                    assert_eq!(&sheet, game.sheet(seat));
                    assert_eq!(game.observe(seat).players[seat], PlayerView::new(&sheet, rounds));
                }
            }
        }
    }

    /// The match goes on from any turn that a seat sees, alone and with any future.
    #[test]
    fn a_match_goes_on_alike_from_what_a_seat_sees() {
        let equipment = Arc::new(Equipment::standard());
        for seed in 0..20 {
            let mut chance = Dealer::new(seed, 92);
            let mut game = Doodle::new(&equipment, &Doodle::deal(&equipment, 1, seed).unwrap()).unwrap();
            while game.owes(0) {
                let mut again = Doodle::from_observation(&equipment, &game.observe(0), 0, seed).unwrap();
                let other = game.redealt(seed);
                let seen = |game: &Doodle| (game.observe(0), game.decision(), game.outcome());
                assert_eq!([seen(&again), seen(&other)], [seen(&game), seen(&game)]);
                while again.owes(0) {
                    let action = some_action(&again, 0, &mut chance);
                    again.play(0, &action).unwrap();
                    let seen = SeatTurn::from_observation(&equipment, &again.observe(0), 0);
                    assert!(seen.is_ok() || !again.owes(0), "{seen:?}");
                }
                let action = some_action(&game, 0, &mut chance);
                game.play(0, &action).unwrap();
            }
        }
        let deal = Doodle::deal(&equipment, 1, 1).unwrap();
        let seen = Doodle::new(&equipment, &deal).unwrap().observe(0);
        let changes = [
            (|seen| seen.unseen.truncate(11)) as fn(&mut Observation),
            |seen| seen.circle.truncate(7),
            |seen| seen.unseen[0] = seen.unseen[1],
            |seen| seen.unseen[0] = seen.circle[0],
            |seen| seen.unseen[0] = seen.offer[0],
        ];
        for change in changes {
            let mut seen = seen.clone();
            change(&mut seen);
            let error = Doodle::from_observation(&equipment, &seen, 0, 1).unwrap_err();
            assert!(error.to_string().starts_with("a match cannot go on with these"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let equipment = Arc::new(Equipment::standard());
        let deal = Doodle::deal(&equipment, 2, 1).unwrap();
        let mut game = Doodle::new(&equipment, &deal).unwrap();
        let start = game.observe(0);
        for seat in [0, 1] {
            let action = game.legal_actions(seat).next().unwrap();
            game.play(seat, &action).unwrap();
        }
        let first = game.observe(0);
        let refused = |seen: &Observation, seat: Seat, change: fn(&mut Observation)| {
            let mut seen = seen.clone();
            change(&mut seen);
            SeatTurn::from_observation(&equipment, &seen, seat).unwrap_err().to_string()
        };
        assert_eq!(refused(&start, 2, |_| {}), "there is no seat 2 at this table");
        assert_eq!(
            refused(&start, 0, |seen| seen.unseen[0] = "P99".parse().unwrap()),
            "there is no card P99 in this match"
        );
        assert!(refused(&start, 0, |seen| seen.offer.clear()).ends_with("must be one start card"));
        assert!(refused(&start, 0, |seen| seen.offer[0] = seen.circle[0]).ends_with("is not a start card"));
        assert!(
            refused(&start, 0, |seen| seen.circle[1] = seen.offer[0]).ends_with("cannot lie in the circle")
        );
        assert!(refused(&first, 0, |seen| seen.circle[2] = seen.circle[1]).ends_with("in the circle twice"));
        assert!(refused(&first, 0, |seen| seen.circle.clear()).ends_with("the first card of the circle"));
        assert!(refused(&first, 0, |seen| seen.offer[0] = seen.circle[1]).ends_with("card of the circle"));
        assert_eq!(
            refused(&first, 0, |seen| seen.phase = Phase::Final),
            "phase \"final\" cannot be in turn 1 of round 1"
        );
        for change in [
            (|seen| seen.turn = 7) as fn(&mut Observation),
            |seen| seen.turn = 0,
            |seen| seen.round = 0,
            |seen| seen.round = 4,
            |seen| (seen.round, seen.turn) = (3, 6),
        ] {
            assert!(refused(&first, 0, change).contains("cannot be in turn"));
        }
        assert_eq!(
            refused(&first, 0, |seen| seen.players[0].rounds.push(3)),
            "in round 1 a sheet has 0 round scores, 0 to 81 each"
        );
        assert!(
            refused(&first, 0, |seen| {
                seen.round = 2;
                seen.players[0].rounds = vec![82];
            })
            .starts_with("in round 2")
        );
    }
}
