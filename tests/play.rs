//! A person at the table: on the terminal, through a pipe, and on the page, in a real browser where there is one.

mod guests;
mod hands;
mod leaving;
mod opener;
mod pictures;
mod terminal;
mod whole;
