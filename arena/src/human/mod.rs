//! A person at the table: a seat like any other, whose lines come from somebody's hand.
//!
//! The referee asks a [`Chair`] as it asks a bot. What it is told goes to whoever sits there, who
//! answers with lines of the protocol; so a match with a person is judged and recorded like any other.
//! A [`Desk`] holds the match as that person may see it and asks the engine of a move that is only
//! thought of; `choices` is what can be taken in hand, with a file for each game. Who shows it all is
//! `terminal`, or a page in a browser.

mod chair;
mod choices;
mod desk;
mod doodle;
mod page;
mod patchwork;
mod terminal;
mod words;

pub use chair::{Chair, Player, Voice};
pub use choices::{ByHand, Choice, Laid, Turning};
pub use desk::{Desk, Verdict};
pub use page::Live;
pub use terminal::sit_down;

/// What is written for a bot where a person is to play, and the name of that person unless another is given.
pub const HUMAN: &str = "human";

/// The name of the person in `human` or `NAME=human`; `None` for a bot.
pub fn named(text: &str) -> Option<&str> {
    match text.split_once('=') {
        Some((name, HUMAN)) => Some(name),
        None if text == HUMAN => Some(HUMAN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_told_from_a_program() {
        for (text, name) in
            [("human", Some("human")), ("me=human", Some("me")), ("./human", None), ("human=greedy", None)]
        {
            assert_eq!(named(text), name, "{text}");
        }
    }
}
