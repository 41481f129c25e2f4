//! The first error in a record, and its place.

use engine::wire::WireFormat;
use std::fmt;

use engine::game::{Seat, turn_name};

use referee::record::MatchRecord;

/// The first error in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Index of the match, if the line tells it.
    pub index: Option<u64>,
    /// The place in the match.
    pub place: Place,
    /// The recorded and the correct value.
    pub what: String,
}

/// A place in a match. Without turn and seat, it is the match as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The turn.
    pub id: Option<u32>,
    /// The seat.
    pub seat: Option<Seat>,
    /// The bot in the seat.
    pub bot: Option<String>,
    /// True if the place is a guess from the text of a damaged line.
    pub is_guess: bool,
}

impl Place {
    /// A seat in a turn.
    pub fn turn<G: WireFormat>(record: &MatchRecord<G>, id: u32, seat: Seat) -> Place {
        Place { id: Some(id), ..Place::seat(record, seat) }
    }

    /// A seat in the match as a whole.
    pub fn seat<G: WireFormat>(record: &MatchRecord<G>, seat: Seat) -> Place {
        Place { seat: Some(seat), bot: record.bots.get(seat).cloned(), ..Place::default() }
    }
}

impl Difference {
    /// An error in this record.
    pub fn new<G: WireFormat>(record: &MatchRecord<G>, place: Place, what: impl Into<String>) -> Difference {
        Difference { index: Some(record.index), place, what: what.into() }
    }

    /// The error for an unreadable line. Guesses the place from the text before the damage.
    pub fn damaged(line: &[u8], error: &serde_json::Error) -> Difference {
        let before = &line[..line.len().min(error.column())];
        let place = match find_last(before, b"],\"result\"") {
            Some(_) => Place::default(),
            None => last_turn(before),
        };
        let what = format!("the line cannot be read: {error}");
        Difference { index: number_after(line, b"{\"match\":"), place, what }
    }
}

/// Returns the last turn that begins in the text.
fn last_turn(text: &[u8]) -> Place {
    let found = find_last(text, b"{\"id\":").map(|start| &text[start..]);
    let Some(turn) = found else { return Place::default() };
    let id = number_after(turn, b"{\"id\":").and_then(|id| u32::try_from(id).ok());
    let seat = find_last(turn, b"\"seat\":").and_then(|start| number_after(&turn[start..], b"\"seat\":"));
    let seat = seat.and_then(|seat| Seat::try_from(seat).ok());
    Place { id, seat, bot: None, is_guess: true }
}

fn find_last(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).rposition(|window| window == what)
}

/// Returns the number after `head`, if the text begins with `head`.
fn number_after(text: &[u8], head: &[u8]) -> Option<u64> {
    let rest = text.strip_prefix(head)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "match {index}{}: {}", self.place, self.what),
            None => write!(f, "a match{}: {}", self.place, self.what),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            write!(f, ", {}{}", if self.is_guess { "near " } else { "" }, turn_name(id))?;
        }
        if let Some(seat) = self.seat {
            write!(f, ", seat {seat}")?;
        }
        self.bot.as_ref().map_or(Ok(()), |bot| write!(f, " ({})", bot.escape_debug()))
    }
}
