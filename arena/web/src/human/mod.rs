//! A person at the table: a seat that takes its moves from a person.
//!
//! The referee asks a [`HumanSeat`] like a bot. It passes each message to the person's display and
//! answers with lines of the protocol. A match with a person is therefore judged and recorded like any
//! other match. A [`PersonView`] holds the match as the person sees it, and checks a move before it is played.
//! `choices` lists the pieces that the person can place; each game has a file. `page` shows the match in a
//! browser. The program can also show it in a terminal.

mod choices;
mod doodle;
mod door;
mod own;
mod page;
mod patchwork;
mod person_view;
mod words;

pub use choices::{Choice, Hand, Laid, QUARTERS, Turning};
pub use door::{Afterwards, Door, Room};
pub use own::OwnLive;
pub use page::{HintWanted, Live};
pub use person_view::{PersonView, Verdict};
pub use referee::seats::human::{HUMAN, HumanSeat, Player, Voice, named};
