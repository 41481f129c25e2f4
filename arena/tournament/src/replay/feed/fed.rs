//! The input of a fed program, and the result.

use engine::wire::WireFormat;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use engine::game::Seat;

use super::program::Ending;
use referee::play::time_control::TimeControl;
use referee::record::MatchRecord;

/// A record, and the seat that the program takes in it.
#[derive(Debug)]
pub struct Feed<'a, G: WireFormat> {
    /// The record. It must be correct.
    pub record: &'a MatchRecord<G>,
    /// Its rules and components.
    pub equipment: Arc<G::Equipment>,
    /// The limits by seat, for the lines to the bots.
    pub limits: Vec<TimeControl>,
    /// The seat.
    pub seat: Seat,
    /// The last turn that the program is asked for, if there is a limit.
    pub until: Option<u32>,
}

/// The result of a dialogue with a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fed {
    /// The number of decisions that the program answered.
    pub answers: u32,
    /// The answers that differ from the record.
    pub differing: Vec<Differing>,
    /// The end of the dialogue.
    pub ending: Ending,
}

/// An answer that differs from the record. Both are JSON, shortened if long, or the text of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The turn, or `None` for the answer to `start`.
    pub turn: Option<u32>,
    /// The answer in the record.
    pub recorded: String,
    /// The answer of the program.
    pub answered: String,
}

/// The game in the referee's state. The program's answers are judged by it.
pub(super) type Table<G> = Rc<RefCell<Option<G>>>;
