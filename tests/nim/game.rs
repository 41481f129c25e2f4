//! The rules of Nim, with everything that the platform asks of a game.

use std::fmt;
use std::sync::Arc;

use engine::dealer::Dealer;
use engine::game::{Game, Outcome, Seat, Setup, SetupError, ranks};
use engine::rule::{Refusal, Rule};
use engine::wire::WireFormat;
use referee::error::Error;
use referee::games::{GameKind, RulesOptions};
use serde::{Deserialize, Serialize};

const SEATS: usize = 2;

/// A game in progress: players take stones in turn, and who takes the last one wins.
#[derive(Clone, Debug)]
pub(super) struct Nim {
    equipment: Arc<NimSetup>,
    stones: u32,
    decision: u32,
    withdrawn: [bool; SEATS],
}

/// The most stones that a player may take at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct NimSetup {
    pub(super) most: u32,
    /// The decision at which the game itself fails, as one does that plays in a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fails_at: Option<u32>,
}

impl Default for NimSetup {
    fn default() -> NimSetup {
        NimSetup { most: 3, fails_at: None }
    }
}

impl Setup for NimSetup {
    fn in_full(&self) -> NimSetup {
        self.clone()
    }

    fn abridged(&self) -> NimSetup {
        self.clone()
    }
}

/// The stones on the table: as dealt, or as a seat sees them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stones {
    stones: u32,
}

/// A move.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Take {
    take: u32,
}

/// The reason why a move is refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Illegal {
    NotAsked,
    Take(u32),
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Illegal::NotAsked => write!(f, "it is not your turn"),
            Illegal::Take(take) => write!(f, "nobody can take {take} stones here"),
        }
    }
}

impl std::error::Error for Illegal {}

impl Refusal for Illegal {
    fn rule(&self) -> Rule {
        match self {
            Illegal::NotAsked => Rule::NotAsked,
            Illegal::Take(_) => Rule::Offer,
        }
    }

    fn cells(&self) -> Vec<[i64; 2]> {
        Vec::new()
    }
}

impl Game for Nim {
    type Setup = NimSetup;
    type Equipment = NimSetup;
    type Deal = Stones;
    type Observation = Stones;
    type Action = Take;
    type Illegal = Illegal;

    const NAME: &'static str = "nim";
    const SIMULTANEOUS: bool = false;

    fn equip(setup: &NimSetup) -> Result<NimSetup, SetupError> {
        Ok(setup.clone())
    }

    fn setup(equipment: &NimSetup) -> &NimSetup {
        equipment
    }

    fn deal(_: &NimSetup, seats: usize, seed: u64) -> Result<Stones, SetupError> {
        match seats {
            SEATS => Ok(Stones { stones: 15 + Dealer::new(seed, 1).below(10) }),
            _ => Err(SetupError::Seats(format!("nim has 2 seats, not {seats}"))),
        }
    }

    fn new(equipment: &Arc<NimSetup>, deal: &Stones) -> Result<Nim, SetupError> {
        let equipment = Arc::clone(equipment);
        Ok(Nim { equipment, stones: deal.stones, decision: 0, withdrawn: [false; SEATS] })
    }

    fn seats(&self) -> usize {
        SEATS
    }

    fn decision(&self) -> u32 {
        self.decision
    }

    fn owes(&self, seat: Seat) -> bool {
        // A game that has failed knows nothing any more.
        self.failure().is_none()
            && self.stones > 0
            && self.withdrawn == [false; SEATS]
            && self.decision as usize % SEATS == seat
    }

    fn observe(&self, _: Seat) -> Stones {
        Stones { stones: self.stones }
    }

    fn legal_actions(&self, seat: Seat) -> impl Iterator<Item = Take> {
        let most = if self.owes(seat) { self.equipment.most.min(self.stones) } else { 0 };
        (1..=most).map(|take| Take { take })
    }

    fn play(&mut self, seat: Seat, action: &Take) -> Result<(), Illegal> {
        if !self.owes(seat) {
            return Err(Illegal::NotAsked);
        }
        if !(1..=self.equipment.most.min(self.stones)).contains(&action.take) {
            return Err(Illegal::Take(action.take));
        }
        self.stones -= action.take;
        self.decision += 1;
        Ok(())
    }

    fn withdraw(&mut self, seat: Seat) {
        self.withdrawn[seat] = true;
    }

    fn outcome(&self) -> Outcome {
        // The winner is the seat of the last move.
        let won = |seat| self.stones == 0 && self.decision as usize % SEATS != seat;
        let scores = [won(0).into(), won(1).into()];
        Outcome { ranks: ranks(&scores, &self.withdrawn), scores: scores.to_vec(), rounds: None }
    }
}

impl WireFormat for Nim {
    type WireMove = Take;

    fn failure(&self) -> Option<String> {
        (self.equipment.fails_at == Some(self.decision)).then(|| "its program hangs".to_owned())
    }

    fn read(_: &NimSetup, word: &Take) -> Result<Take, Illegal> {
        Ok(word.clone())
    }

    fn write(_: &NimSetup, action: &Take) -> Take {
        action.clone()
    }
}

impl GameKind for Nim {
    const SUMMARY: &'static str = "Nim: 2 seats, who takes the last stone wins";
    const SEATS_HINT: &'static str = "nim is for two seats";
    const SEATS_DEFAULT: usize = SEATS;
    const EVERY_SEAT_EACH_DEAL: bool = true;

    fn setup_from(options: &RulesOptions) -> Result<NimSetup, Error> {
        options.only_for(Nim::NAME).map(|()| NimSetup::default())
    }

    fn options_of(_: &NimSetup) -> String {
        String::new()
    }
}
