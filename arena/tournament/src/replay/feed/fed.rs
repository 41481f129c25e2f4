//! What is fed to a program, and what came back.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use engine::game::{Game, Seat};

use super::program::Ending;
use crate::replay::Difference;
use referee::play::clock::TimeControl;
use referee::record::MatchRecord;

/// A record, and the seat to be taken in it.
#[derive(Debug)]
pub struct Feed<'a, G: Game> {
    /// The record, which must hold.
    pub record: &'a MatchRecord<G>,
    /// Its rules and components.
    pub equipment: Arc<G::Equipment>,
    /// The time limits of the match, which bots are told.
    pub time: TimeControl,
    /// The seat.
    pub seat: Seat,
    /// The turn after which nothing more is said, if any.
    pub until: Option<u32>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fed {
    /// Decisions that the program answered.
    pub answers: u32,
    /// How many of them differ from the record.
    pub differing: u32,
    /// The first of those.
    pub first: Option<Difference>,
    /// How the dialogue ended.
    pub ending: Ending,
}

/// The game as the referee has it, for the program's answers to be judged by.
pub(super) type Table<G> = Rc<RefCell<Option<G>>>;
