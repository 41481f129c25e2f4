//! The deal: everything that chance decides, and the positions of the circle and the token.
//!
//! No choice of a player changes which cards come up. The deal therefore decides the whole timeline, and
//! a [`Timeline`] computes it once. Seats see only its revealed part.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::dealer::Dealer;
#[cfg(feature = "schema")]
use crate::doodle::cards::PATCHES_MIN;
use crate::doodle::cards::{CardId, Equipment, StartCards};
use crate::game::{Seat, SetupError};
use crate::wire::json;
use crate::wire::name::CardName;

/// Die rolls in a match: one for each turn except the start patch and the last turn.
pub const DICE: usize = 17;
/// Decisions of each seat in a match: the start patch and three rounds of six turns.
pub const TURNS: usize = 19;
/// Turns in a round.
pub(super) const ROUND_TURNS: usize = 6;
/// Cards in the circle at the beginning of a round.
pub(super) const CIRCLE: usize = 8;
/// The most cards that a seat can draw in a turn without a special action: the cards of the last turn.
pub(super) const OFFER_MAX: usize = CIRCLE_LEFT;
/// Cards in the circle at the last turn of a round; in the last turn of the match, all are on offer.
pub(super) const CIRCLE_LEFT: usize = CIRCLE + 1 - ROUND_TURNS;
/// The faces of the die.
const FACES: [u8; 6] = [1, 1, 2, 2, 3, 3];

/// The streams of [`Dealer`], one for each thing drawn.
mod stream {
    pub(super) const DECK: u64 = 1;
    pub(super) const STARTS: u64 = 2;
    pub(super) const DICE: u64 = 3;
}

/// Everything that chance decides in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Deal {
    /// The start card of each seat.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub starts: Vec<CardName>,
    /// All patch cards in the order in which they come. The first 8 are the circle, clockwise from the
    /// token; 6 more join it before round 2, and again before round 3.
    #[cfg_attr(feature = "schema", schemars(length(min = PATCHES_MIN)))]
    pub deck: Vec<CardName>,
    /// The die rolls of turns 1 to 17.
    #[cfg_attr(feature = "schema", schemars(length(equal = DICE), inner(range(min = 1, max = 3))))]
    pub dice: Vec<u8>,
}

impl Deal {
    /// Deals for this number of seats. The deck and the dice of a seed do not depend on that number. A
    /// seat's start card does not depend on the number of seats after it.
    pub(super) fn new(equipment: &Equipment, seats: usize, seed: u64) -> Result<Deal, SetupError> {
        check_seats(equipment, seats)?;
        let mut deck: Vec<CardId> = equipment.patches().collect();
        Dealer::new(seed, stream::DECK).shuffle(&mut deck);
        let mut starts: Vec<CardId> = equipment.starts().collect();
        Dealer::new(seed, stream::STARTS).shuffle(&mut starts);
        let mut die = Dealer::new(seed, stream::DICE);
        let start_of = |seat: usize| match equipment.rules().start_cards {
            StartCards::Dealt => equipment.name(starts[seat]),
            StartCards::Shared => equipment.name(starts[0]),
        };
        Ok(Deal {
            starts: (0..seats).map(start_of).collect(),
            deck: deck.into_iter().map(|card| equipment.name(card)).collect(),
            dice: (0..DICE).map(|_| FACES[die.below(6) as usize]).collect(),
        })
    }

    /// Returns the part that is public before this decision: the cards that were turned up, and the rolls so far.
    pub(super) fn revealed(&self, decision: u32) -> Deal {
        let decision = decision as usize;
        let turned_up = CIRCLE + decision.saturating_sub(1) / ROUND_TURNS * ROUND_TURNS;
        let Deal { starts, deck, dice } = self;
        Deal {
            starts: starts.clone(),
            deck: deck.iter().take(turned_up).copied().collect(),
            dice: dice.iter().take(decision).copied().collect(),
        }
    }

    /// Adds the cards and the rolls that are missing, in a random order.
    pub(super) fn completed(&self, equipment: &Equipment, seed: u64) -> Deal {
        let mut deal = self.clone();
        // The cards are taken in the order of the file, so that nothing depends on how they lay before.
        let names = equipment.patches().map(|card| equipment.name(card));
        let mut rest: Vec<CardName> = names.filter(|name| !self.deck.contains(name)).collect();
        Dealer::new(seed, stream::DECK).shuffle(&mut rest);
        deal.deck.append(&mut rest);
        let mut die = Dealer::new(seed, stream::DICE);
        let missing = DICE.saturating_sub(self.dice.len());
        deal.dice.extend((0..missing).map(|_| FACES[die.below(6) as usize]));
        deal
    }

    /// Appends the deal to a line as JSON, with the same bytes as serde.
    pub(super) fn write_json(&self, line: &mut Vec<u8>) {
        let name = |line: &mut Vec<u8>, name: &CardName| name.write_json(line);
        json::raw(line, r#"{"starts":"#);
        json::list(line, &self.starts, name);
        json::raw(line, r#","deck":"#);
        json::list(line, &self.deck, name);
        json::raw(line, r#","dice":"#);
        json::list(line, self.dice.iter().copied(), json::number);
        line.push(b'}');
    }
}

fn check_seats(equipment: &Equipment, seats: usize) -> Result<(), SetupError> {
    let starts = equipment.starts().len();
    match equipment.rules().start_cards {
        _ if seats == 0 => Err(SetupError::Seats("a match needs at least one seat".to_owned())),
        StartCards::Dealt if seats > starts => Err(SetupError::Seats(format!(
            "{seats} seats need {seats} start cards and the deck has {starts}: take fewer seats, or shared start cards"
        ))),
        _ => Ok(()),
    }
}

/// The kind of decision in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The seat must draw its start patch.
    Start,
    /// The seat may draw the token's card.
    Draw,
    /// The seat may draw any of the last three cards.
    Final,
}

impl Phase {
    /// The name on the wire: `start`, `draw`, or `final`.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Start => "start",
            Phase::Draw => "draw",
            Phase::Final => "final",
        }
    }
}

/// The cards on the table in one turn.
///
/// # Examples
/// ```
/// # use engine::{doodle::{Doodle, Equipment}, game::Game};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
/// use engine::doodle::Phase;
///
/// let turn = game.current_turn().expect("the match has begun");
/// assert_eq!((turn.phase, turn.round, turn.turn), (Phase::Start, 1, 0));
/// assert_eq!((turn.circle.len(), turn.unseen.len()), (8, 22));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The kind of decision.
    pub phase: Phase,
    /// The round, 1 to 3.
    pub round: u8,
    /// The turn within the round, 1 to 6; 0 for the start patch.
    pub turn: u8,
    /// The circle, clockwise: from the token's card in a draw turn, otherwise from the token's gap.
    pub circle: Vec<CardId>,
    /// Patch cards that were never revealed, sorted by id. The turns of a round share the list.
    pub unseen: Arc<[CardId]>,
}

/// The round, from 0, that is scored after this turn; `None` for other turns.
pub(super) fn scored_round(round: u8, turn: u8) -> Option<usize> {
    (usize::from(turn) == ROUND_TURNS).then(|| usize::from(round) - 1)
}

/// The timeline of a match: the table in each of its [`TURNS`].
///
/// # Examples
/// ```
/// use engine::doodle::{Doodle, Equipment, Timeline};
/// use engine::game::Game;
///
/// let equipment = Equipment::standard();
/// let timeline = Timeline::new(&equipment, &Doodle::deal(&equipment, 1, 7)?)?;
/// // After the start patch, each round begins with 8 cards in the circle and ends with 3.
/// let sizes: Vec<usize> = timeline.turns.iter().map(|turn| turn.circle.len()).collect();
/// assert_eq!(sizes, [8, 8, 7, 6, 5, 4, 3, 8, 7, 6, 5, 4, 3, 8, 7, 6, 5, 4, 3]);
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The start card of each seat.
    pub starts: Vec<CardId>,
    /// One entry for each decision.
    pub turns: Vec<Turn>,
}

impl Timeline {
    /// Computes the timeline of a deal.
    ///
    /// # Errors
    /// [`SetupError::Deal`] if its cards are not the cards of the equipment, or its dice are wrong.
    ///
    /// # Examples
    /// ```
    /// use engine::doodle::{Doodle, Equipment, Timeline};
    /// use engine::game::Game;
    ///
    /// let equipment = Equipment::standard();
    /// let mut deal = Doodle::deal(&equipment, 1, 7)?;
    /// assert_eq!(Timeline::new(&equipment, &deal)?.turns.len(), 19);
    /// deal.dice[4] = 4;
    /// let error = Timeline::new(&equipment, &deal).unwrap_err();
    /// assert!(error.to_string().ends_with("the die has no 4"));
    /// # Ok::<(), engine::game::SetupError>(())
    /// ```
    pub fn new(equipment: &Equipment, deal: &Deal) -> Result<Timeline, SetupError> {
        let starts = known_starts(equipment, deal)?;
        let deck = known_deck(equipment, deal)?;
        check_dice(deal)?;
        let (circle, rest) = deck.split_at(CIRCLE);
        let unseen = equipment.sorted(rest);
        let start = Turn { phase: Phase::Start, round: 1, turn: 0, circle: circle.to_vec(), unseen };
        Ok(Timeline { starts, turns: lay_on(equipment, vec![start], rest, &deal.dice) })
    }

    /// Returns the timeline with other turns after turn `turn`, which follow from cards and rolls that are not known in
    /// that turn. They depend on the known part and on `seed` alone; everything that is possible is equally likely.
    pub(super) fn redealt(&self, equipment: &Equipment, turn: usize, seed: u64) -> Timeline {
        let turns = self.turns[..self.turns.len().min(turn + 1)].to_vec();
        let mut rest = turns.last().map_or(Vec::new(), |turn| turn.unseen.to_vec());
        Dealer::new(seed, stream::DECK).shuffle(&mut rest);
        let mut die = Dealer::new(seed, stream::DICE);
        let dice: Vec<u8> = (0..DICE).map(|_| FACES[die.below(6) as usize]).collect();
        Timeline { starts: self.starts.clone(), turns: lay_on(equipment, turns, &rest, &dice) }
    }

    /// The cards that the seat can draw in turn `turn`, from 0 to [`TURNS`] - 1, without a special
    /// action; empty if the turn or the seat does not exist.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let timeline = game.table(0).timeline;
    /// assert_eq!(timeline.offer(0, 1), [timeline.starts[1]]);
    /// assert_eq!(timeline.offer(1, 1), [timeline.turns[1].circle[0]]);
    /// assert_eq!(timeline.offer(18, 1).len(), 3);
    /// ```
    pub fn offer(&self, turn: usize, seat: Seat) -> &[CardId] {
        let cards = match self.turns.get(turn) {
            Some(Turn { phase: Phase::Start, .. }) => self.starts.get(seat..=seat),
            Some(Turn { phase: Phase::Draw, circle, .. }) => circle.get(..1),
            Some(Turn { phase: Phase::Final, circle, .. }) => Some(&circle[..]),
            None => None,
        };
        cards.unwrap_or_default()
    }

    /// The round, from 0, that is scored after turn `turn`, counted as in [`offer`](Self::offer).
    pub(super) fn scored_after(&self, turn: usize) -> Option<usize> {
        self.turns.get(turn).and_then(|turn| scored_round(turn.round, turn.turn))
    }
}

/// Lays the turns after the last one. `rest` has the cards that join the circle, in their order; roll `n` of `dice` is that
/// of turn `n + 1`.
fn lay_on(equipment: &Equipment, mut turns: Vec<Turn>, mut rest: &[CardId], dice: &[u8]) -> Vec<Turn> {
    while let Some(last) = turns.last().filter(|_| turns.len() < TURNS) {
        let number = turns.len() - 1;
        let (round, turn) = (number / ROUND_TURNS, number % ROUND_TURNS);
        let (mut circle, mut unseen) = (last.circle.clone(), Arc::clone(&last.unseen));
        if number > 0 {
            circle.remove(0);
        }
        if turn == 0 && round > 0 {
            let joining;
            (joining, rest) = rest.split_at(ROUND_TURNS);
            circle.extend(joining);
            unseen = equipment.sorted(rest);
        }
        let phase = if number < DICE { Phase::Draw } else { Phase::Final };
        if phase == Phase::Draw {
            circle.rotate_left(usize::from(dice[number]) - 1);
        }
        turns.push(Turn { phase, round: round as u8 + 1, turn: turn as u8 + 1, circle, unseen });
    }
    turns
}

fn wrong(what: String) -> SetupError {
    SetupError::Deal(what)
}

fn known_starts(equipment: &Equipment, deal: &Deal) -> Result<Vec<CardId>, SetupError> {
    check_seats(equipment, deal.starts.len())?;
    let find = |name: &CardName| {
        let card = equipment.find_name(name).filter(|&card| equipment.is_start(card));
        card.ok_or_else(|| wrong(format!("{name} is not a start card")))
    };
    let starts = deal.starts.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let mut distinct = starts.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let expected = match equipment.rules().start_cards {
        StartCards::Dealt => starts.len(),
        StartCards::Shared => 1,
    };
    match distinct.len() == expected {
        true => Ok(starts),
        false => Err(wrong("the start cards do not fit the rule for start cards".to_owned())),
    }
}

fn known_deck(equipment: &Equipment, deal: &Deal) -> Result<Vec<CardId>, SetupError> {
    let find = |name: &CardName| {
        let card = equipment.find_name(name).filter(|&card| !equipment.is_start(card));
        card.ok_or_else(|| wrong(format!("{name} is not a patch card")))
    };
    let deck = deal.deck.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let mut sorted = deck.clone();
    sorted.sort_unstable();
    match sorted.into_iter().eq(equipment.patches()) {
        true => Ok(deck),
        false => Err(wrong("the deck does not have every patch card once".to_owned())),
    }
}

fn check_dice(deal: &Deal) -> Result<(), SetupError> {
    match deal.dice.iter().find(|die| !FACES.contains(die)) {
        Some(die) => Err(wrong(format!("the die has no {die}"))),
        None if deal.dice.len() != DICE => {
            Err(wrong(format!("{} die rolls instead of {DICE}", deal.dice.len())))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use super::*;

    fn deal(seats: usize, seed: u64) -> Deal {
        Deal::new(&Equipment::standard(), seats, seed).unwrap()
    }

    #[test]
    fn the_circle_shrinks_from_eight_to_three_in_each_round() {
        for seed in 0..50 {
            let timeline = Timeline::new(&Equipment::standard(), &deal(1, seed)).unwrap();
            let sizes: Vec<usize> = timeline.turns.iter().map(|turn| turn.circle.len()).collect();
            assert_eq!(sizes, [8, 8, 7, 6, 5, 4, 3, 8, 7, 6, 5, 4, 3, 8, 7, 6, 5, 4, 3]);
            assert_eq!(timeline.turns[18].unseen.len(), 10);
        }
    }

    #[test]
    fn the_token_moves_by_the_roll_and_leftovers_come_first_in_the_next_round() {
        let equipment = Equipment::standard();
        let timeline = Timeline::new(&equipment, &deal(1, 5)).unwrap();
        let dice = deal(1, 5).dice;
        for number in (1..18).filter(|number| number % 6 != 0) {
            let (now, next) = (&timeline.turns[number], &timeline.turns[number + 1]);
            let roll = dice.get(number).map_or(1, |&roll| usize::from(roll));
            assert_eq!(next.circle[0], now.circle[roll % now.circle.len()], "after turn {number}");
        }
        let last = &timeline.turns[6].circle;
        let first = &timeline.turns[7];
        let unrolled = usize::from(dice[6]) - 1;
        let listed: Vec<CardId> = (0..8).map(|place| first.circle[(8 - unrolled + place) % 8]).collect();
        assert_eq!(listed[..2], last[1..]);
    }

    #[test]
    fn seats_change_nothing_but_the_number_of_start_cards() {
        let (two, ten) = (deal(2, 9), deal(10, 9));
        assert_eq!((&two.deck, &two.dice), (&ten.deck, &ten.dice));
        assert_eq!(two.starts, ten.starts[..2]);
        assert!(Deal::new(&Equipment::standard(), 11, 9).is_err());
        assert!(Deal::new(&Equipment::standard(), 0, 9).is_err());
    }

    /// A new future changes nothing that a seat sees, and depends on nothing hidden.
    #[test]
    fn what_is_public_stays_and_the_rest_is_dealt_anew() {
        let equipment = Equipment::standard();
        let (dealt, other) = (deal(2, 5), deal(2, 6));
        for decision in 0..TURNS {
            let revealed = dealt.revealed(decision as u32);
            let anew = revealed.completed(&equipment, 9);
            let [before, after] = [&dealt, &anew].map(|deal| Timeline::new(&equipment, deal).unwrap());
            assert_eq!(before.turns[..=decision], after.turns[..=decision], "{decision}");
            assert_eq!(anew.revealed(decision as u32), revealed);
            assert_eq!(anew.completed(&equipment, 7), anew, "nothing is missing");
            let mut elsewhere = Deal { starts: dealt.starts.clone(), ..other.clone() };
            elsewhere.deck.retain(|card| !revealed.deck.contains(card));
            elsewhere.deck.splice(..0, revealed.deck.clone());
            elsewhere.dice.splice(..revealed.dice.len(), revealed.dice.clone());
            assert_eq!(elsewhere.revealed(decision as u32).completed(&equipment, 9), anew);
        }
    }

    /// Compares with the exact shares: every pair of the last rolls of a round, and every card after it.
    #[test]
    fn every_future_is_equally_likely() {
        let equipment = Equipment::standard();
        let revealed = deal(2, 5).revealed(11);
        let mut rolls: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        let mut cards: HashMap<(usize, CardName), u32> = HashMap::new();
        const FUTURES: u32 = 32_000;
        for seed in 0..u64::from(FUTURES) {
            let anew = revealed.completed(&equipment, seed);
            *rolls.entry(anew.dice[11..13].to_vec()).or_default() += 1;
            for (place, card) in anew.deck[14..20].iter().enumerate() {
                *cards.entry((place, *card)).or_default() += 1;
            }
        }
        let even = |counts: Vec<u32>, expected: usize| {
            assert_eq!(counts.len(), expected);
            let mean = counts.iter().sum::<u32>() as f64 / expected as f64;
            let off = counts.iter().map(|&count| (f64::from(count) - mean).powi(2) / mean).sum::<f64>();
            // Chi-squared has its number of degrees of freedom as the mean, and twice that as the variance.
            let degrees = expected as f64 - 1.0;
            assert!((off - degrees).abs() < 5.0 * (2.0 * degrees).sqrt(), "{off} instead of {degrees}");
        };
        even(rolls.into_values().collect(), 3 * 3);
        for place in 0..6 {
            let of_place = cards.iter().filter(|((of, _), _)| *of == place);
            even(of_place.map(|(_, count)| *count).collect(), 30 - 14);
        }
    }

    #[test]
    fn a_wrong_deal_is_refused() {
        let refused = |change: fn(&mut Deal)| {
            let mut deal = deal(2, 1);
            change(&mut deal);
            Timeline::new(&Equipment::standard(), &deal).unwrap_err().to_string()
        };
        assert!(refused(|deal| deal.dice[4] = 4).ends_with("the die has no 4"));
        assert!(refused(|deal| deal.dice.truncate(3)).ends_with("3 die rolls instead of 17"));
        assert!(refused(|deal| deal.deck[0] = deal.deck[1]).contains("every patch card once"));
        assert!(refused(|deal| deal.starts[0] = deal.deck[0]).contains("is not a start card"));
        assert!(refused(|deal| deal.starts[0] = deal.starts[1]).contains("rule for start cards"));
    }
}
