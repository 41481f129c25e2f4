//! `arena diff`: compares two tournaments match by match.

use std::path::PathBuf;

use clap::Args;

use crate::report::output::show;
use referee::error::Error;
use tournament::replay::Source;
use tournament::replay::pair::{Pairing, compare};

/// The maximum number of printed lines for each kind of difference.
const LINES_MAX: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A tournament directory or journal
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,
    /// A tournament directory or journal to compare with A
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,
}

pub(crate) fn run(args: &DiffArgs) -> Result<(), Error> {
    let (first, second) = (Source::at(&args.first), Source::at(&args.second));
    let games = [first.game()?.as_str(), second.game()?.as_str()];
    if games[0] != games[1] {
        return Err(Error::no(format!("the first is of {}, the second of {}", games[0], games[1])));
    }
    let found = compare(&first, &second, LINES_MAX)?;
    if found.is_same() {
        return show(&format!("{} matches, all digests are the same\n", found.same));
    }
    show(&listed(&found))?;
    let (only_first, only_second) = (found.only_first.len(), found.only_second.len());
    Err(Error::no(format!(
        "{} matches are the same, {} differ, {only_first} are only in the first, {only_second} only in the second",
        found.same, found.differing_count
    )))
}

fn listed(found: &Pairing) -> String {
    let mut text = String::new();
    let missing = found.differing_count as usize - found.differing.len();
    list(&mut text, "differs: ", &found.differing, missing);
    list(&mut text, "only in the first: ", &found.only_first, 0);
    list(&mut text, "only in the second: ", &found.only_second, 0);
    text
}

/// Adds up to `LINES_MAX` lines, and the number of the remaining ones. `more` is the number of differences
/// without a line.
fn list(text: &mut String, label: &str, lines: &[String], more: usize) {
    lines.iter().take(LINES_MAX).for_each(|line| *text += &format!("{label}{line}\n"));
    match lines.len().saturating_sub(LINES_MAX) + more {
        0 => {}
        more => *text += &format!("{label}{more} more\n"),
    }
}
