//! A match restored from an observation, for bots: the game has no hidden information.

use std::sync::Arc;

use crate::game::Seat;
use crate::patchwork::equipment::{Equipment, PatchId};
use crate::patchwork::game::Patchwork;
use crate::patchwork::patches::{INCOME, PATCHES_MAX, SPACE_MAX};
use crate::patchwork::state::{Player, SEATS, State};
use crate::patchwork::table::Table;
use crate::patchwork::track::spaces;
use crate::patchwork::turn::Phase;
use crate::patchwork::view::{Observation, PlayerView};
use crate::shapes::bitboard::Bitboard;
use crate::wire::name::CardName;

/// The most income of one quilt: that of all patches of the largest game.
const INCOME_MAX: u16 = PATCHES_MAX as u16 * *INCOME.end() as u16;
/// The most buttons of a player for steps on the track.
const STEP_BUTTONS_MAX: u16 = SPACE_MAX as u16;

/// The reason why an observation is not valid.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// use engine::patchwork::BadObservation;
///
/// let mut seen = game.observe(0);
/// seen.players[1].space = 54;
/// let error = Patchwork::from_observation(&equipment, &seen, 0).unwrap_err();
/// assert_eq!(error, BadObservation::Space(54, 53));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadObservation {
    /// The game does not have the seat.
    #[error("seat {0} does not exist: seats are 0 and 1")]
    Seat(Seat),
    /// No patch has this id.
    #[error("{0} is not a patch of this match")]
    UnknownPatch(CardName),
    /// A patch lies in the circle twice.
    #[error("{0} is in the circle twice")]
    PatchTwice(CardName),
    /// A token is beyond the last space.
    #[error("a token is on space {0} and the last one is {1}")]
    Space(u8, u8),
    /// A number is above its limit.
    #[error("seat {seat} has {count} {what}: more than {max} cannot be")]
    TooMany {
        /// The seat.
        seat: Seat,
        /// The name of the number.
        what: &'static str,
        /// The number in the observation.
        count: u16,
        /// The limit.
        max: u16,
    },
    /// A leather patch lies on a space that cannot have one.
    #[error("there cannot be a leather patch on space {0}")]
    LeatherAt(u8),
    /// The number of leather patches to place does not fit the state.
    #[error("{0} leather patches to place do not fit the phase, the quilt or the track")]
    LeatherDue(u8),
    /// The other seat must move.
    #[error("seat {0} is further ahead on the track and cannot be the one to move")]
    Turn(Seat),
}

impl Patchwork {
    /// Restores the match that `to_move` observes when it must decide. The decisions count from 0
    /// again.
    ///
    /// It checks everything that play depends on; the state need not be reachable. If a state in phase
    /// `leather` omits the number of leather patches to place, the number is one.
    ///
    /// # Errors
    /// [`BadObservation`] with the first contradiction.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// let mut seen = game.observe(0);
    /// seen.players[0].buttons = 12;
    /// let restored = Patchwork::from_observation(&equipment, &seen, 0)?;
    /// assert_eq!(restored.observe(0), seen);
    /// assert!(restored.legal_count(0) > game.legal_count(0)); // all three patches are affordable
    /// # Ok::<(), engine::patchwork::BadObservation>(())
    /// ```
    pub fn from_observation(
        equipment: &Arc<Equipment>,
        seen: &Observation,
        to_move: Seat,
    ) -> Result<Patchwork, BadObservation> {
        if let Some(seat) = seen.bonus.into_iter().chain([to_move]).find(|&seat| seat >= SEATS) {
            return Err(BadObservation::Seat(seat));
        }
        let table = Table::new(equipment, known_circle(equipment, seen)?);
        let mut state = State::new(&table);
        state.players = known_players(equipment, seen)?;
        state.mover = to_move as u8;
        state.leather = known_leather(equipment, seen)?;
        state.leather_due = known_due(equipment, seen, to_move)?;
        find_first(equipment, &mut state);
        check_turn(seen, to_move)?;
        Ok(Patchwork { table: Arc::new(table), state, decision: 0, withdrawn: [false; SEATS] })
    }
}

fn known_circle(equipment: &Equipment, seen: &Observation) -> Result<Vec<PatchId>, BadObservation> {
    let mut circle = Vec::with_capacity(seen.circle.len());
    for name in &seen.circle {
        let id = equipment.find(name.as_str());
        let id = id.ok_or(BadObservation::UnknownPatch(*name))?;
        if circle.contains(&id) {
            return Err(BadObservation::PatchTwice(*name));
        }
        circle.push(id);
    }
    Ok(circle)
}

fn known_players(equipment: &Equipment, seen: &Observation) -> Result<[Player; SEATS], BadObservation> {
    let mut players = [Player::NEW; SEATS];
    let patches = seen.circle.iter().filter_map(|name| equipment.find(name.as_str()));
    let income_in_circle = patches.map(|id| equipment.patch(id).income).sum();
    for (seat, view) in seen.players.iter().enumerate() {
        check_player(equipment, seat, view, income_in_circle)?;
        players[seat] = Player {
            board: view.board,
            buttons: view.buttons,
            income: view.income,
            space: view.space,
            has_bonus: seen.bonus == Some(seat),
            was_first: false,
        };
    }
    Ok(players)
}

/// Checks one player. Every reachable player passes, and counters of a player that passes cannot overflow later.
fn check_player(
    equipment: &Equipment,
    seat: Seat,
    view: &PlayerView,
    income_in_circle: u16,
) -> Result<(), BadObservation> {
    let track = equipment.track();
    let marks_ahead = track.income_marks(view.space.min(track.last()), track.last()) as u16;
    let buttons_max = u16::MAX - STEP_BUTTONS_MAX - INCOME_MAX * marks_ahead;
    let income_max = INCOME_MAX - income_in_circle;
    for (what, count, max) in [("buttons", view.buttons, buttons_max), ("income", view.income, income_max)] {
        if count > max {
            return Err(BadObservation::TooMany { seat, what, count, max });
        }
    }
    match equipment.track().last() {
        last if view.space > last => Err(BadObservation::Space(view.space, last)),
        _ => Ok(()),
    }
}

/// The remaining leather patches. The first token to reach one takes it, so all lie ahead of both
/// tokens.
fn known_leather(equipment: &Equipment, seen: &Observation) -> Result<u64, BadObservation> {
    let furthest = seen.players.iter().map(|view| view.space).max();
    let at_start = equipment.track().leather();
    let mut left = 0;
    for &space in &seen.leather {
        let possible = spaces(at_start).any(|marked| marked == space) && Some(space) > furthest;
        if !possible || left >> space & 1 == 1 {
            return Err(BadObservation::LeatherAt(space));
        }
        left |= 1 << space;
    }
    Ok(left)
}

fn known_due(equipment: &Equipment, seen: &Observation, to_move: Seat) -> Result<u8, BadObservation> {
    let is_full = seen.players[to_move].board == Bitboard::FULL;
    let taken = equipment.track().leather().count_ones() as usize - seen.leather.len();
    match (seen.phase, seen.leather_due) {
        (Phase::Turn, 0) => Ok(0),
        (Phase::Leather, due) if !is_full && usize::from(due.max(1)) <= taken => Ok(due.max(1)),
        (_, due) => Err(BadObservation::LeatherDue(due)),
    }
}

fn check_turn(seen: &Observation, to_move: Seat) -> Result<(), BadObservation> {
    let [own, other] = [to_move, 1 - to_move].map(|seat| seen.players[seat].space);
    match seen.phase {
        Phase::Turn if own > other => Err(BadObservation::Turn(to_move)),
        _ => Ok(()),
    }
}

/// Finds the first player on the last space. A player alone there was the first. If both tokens
/// stand there and a leather patch is due, the mover has just arrived; the other player was the first.
fn find_first(equipment: &Equipment, state: &mut State) {
    let last = equipment.track().last();
    let there = state.players.map(|player| player.space == last);
    let mover = usize::from(state.mover);
    match there {
        [true, true] => state.players[1 - mover].was_first = true,
        _ => (0..SEATS).for_each(|seat| state.players[seat].was_first = there[seat]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dealer::Dealer;
    use crate::game::Game;

    #[test]
    fn a_match_goes_on_alike_from_what_a_seat_sees() {
        let equipment = Arc::new(Equipment::standard());
        for seed in 0..20 {
            let mut chance = Dealer::new(seed, 90);
            let deal = Patchwork::deal(&equipment, 2, seed).unwrap();
            let mut game = Patchwork::new(&equipment, &deal).unwrap();
            while let Some(seat) = game.to_move() {
                let mut again = Patchwork::from_observation(&equipment, &game.observe(seat), seat).unwrap();
                assert!(again.legal_actions(seat).eq(game.legal_actions(seat)));
                assert_eq!(again.key(), game.key());
                let action = game.moves().unwrap().nth(chance.below(game.legal_count(seat) as u32)).unwrap();
                game.play(seat, &action).unwrap();
                again.play(seat, &action).unwrap();
                assert_eq!((again.to_move(), again.key()), (game.to_move(), game.key()));
                assert_eq!((again.observe(0), again.outcome()), (game.observe(0), game.outcome()));
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let equipment = Arc::new(Equipment::standard());
        let deal = Patchwork::deal(&equipment, 2, 1).unwrap();
        let start = Patchwork::new(&equipment, &deal).unwrap().observe(0);
        let refused = |seat: Seat, change: fn(&mut Observation)| {
            let mut seen = start.clone();
            change(&mut seen);
            Patchwork::from_observation(&equipment, &seen, seat).unwrap_err().to_string()
        };
        assert_eq!(refused(2, |_| {}), "seat 2 does not exist: seats are 0 and 1");
        assert!(refused(0, |seen| seen.bonus = Some(2)).starts_with("seat 2 does not exist"));
        assert!(refused(0, |seen| seen.circle[0] = "W99".parse().unwrap()).starts_with("W99 is not"));
        assert!(refused(0, |seen| seen.circle[0] = seen.circle[1]).ends_with("in the circle twice"));
        assert!(refused(0, |seen| seen.players[1].space = 54).ends_with("space 54 and the last one is 53"));
        assert_eq!(
            refused(0, |seen| seen.players[1].income = 539),
            "seat 1 has 539 income: more than 538 cannot be" // the standard patches have 38
        );
        assert_eq!(
            refused(0, |seen| seen.players[1].buttons = 61_000),
            "seat 1 has 61000 buttons: more than 60288 cannot be"
        );
        assert!(refused(0, |seen| seen.leather.push(21)).ends_with("leather patch on space 21"));
        assert!(refused(0, |seen| seen.leather.push(20)).ends_with("leather patch on space 20"));
        assert!(refused(0, |seen| seen.players[0].space = 20).ends_with("leather patch on space 20"));
        assert!(refused(0, |seen| seen.phase = Phase::Leather).starts_with("0 leather patches to place"));
        assert!(refused(1, |seen| seen.players[1].space = 1).starts_with("seat 1 is further ahead"));
    }
}
