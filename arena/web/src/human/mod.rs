//! A person at the table: a seat like any other, whose lines come from somebody's hand.
//!
//! The referee asks a [`Chair`] as it asks a bot. What it is told goes to whoever sits there, who
//! answers with lines of the protocol; so a match with a person is judged and recorded like any other.
//! A [`Desk`] holds the match as that person may see it and asks the engine of a move that is only
//! thought of; `choices` is what can be taken in hand, with a file for each game. Who shows it all is
//! `terminal`, or a page in a browser.

mod choices;
mod desk;
mod doodle;
mod page;
mod patchwork;
mod words;

pub use choices::{ByHand, Choice, Laid, QUARTERS, Turning};
pub use desk::{Desk, Verdict};
pub use page::Live;
pub use referee::seats::chair::{Chair, HUMAN, Player, Voice, named};
