//! Standings as text, and what text for people needs: widths, colours, plural forms.

pub mod layout;
mod outcome;
pub mod style;
pub mod tables;
pub mod words;
