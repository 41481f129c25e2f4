//! Standings as text, and helpers for text: widths, colours, plural forms.

pub mod joint;
pub mod layout;
pub mod sheet;
pub mod style;
pub mod tables;
pub mod words;

use std::path::Path;

use crate::journal::files::write_whole;
use crate::standings::Standings;
use referee::error::Error;
use tables::{Format, render};

/// Writes the standings as JSON, CSV, and Markdown files.
///
/// # Errors
/// Fails if a file cannot be written.
pub fn write_standings(out: &Path, standings: &Standings) -> Result<(), Error> {
    for (name, format) in [("json", Format::Json), ("csv", Format::Csv), ("md", Format::Markdown)] {
        write_whole(&out.join(format!("standings.{name}")), render(standings, format).as_bytes())?;
    }
    Ok(())
}
