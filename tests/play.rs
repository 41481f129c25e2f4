//! A person in a seat: on the terminal, through a pipe, and on the page. The page tests use a real browser if
//! there is one.

pub(crate) mod guests;
mod hands;
mod leaving;
mod opener;
mod pictures;
mod teaches;
mod terminal;
mod time;
mod touch;
mod turned;
mod whole;
