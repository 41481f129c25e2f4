//! Options that select recorded matches, for every command that works on records.

use std::path::{Path, PathBuf};

use clap::Args;
use engine::wire::FaultKind;

use super::tournament::out::named_or_newest;
use super::words::{Word, word};
use referee::error::Error;
use tournament::replay::Source;
use tournament::replay::selection::{Fault, MatchResult, MatchRow, Order, Selection};
use tournament::report::words::count;

/// The options that select, for conflicts with `--match`.
const SELECTING: [&str; 12] =
    ["against", "lost", "won", "drawn", "fault", "deal", "slow", "sort", "reverse", "worst", "best", "first"];

/// The options of every command that reads recorded matches.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordsArgs {
    /// A tournament directory, its matches.jsonl, or a record of "arena match --record" [default: the
    /// newest in results]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) select: SelectOptions,
}

impl RecordsArgs {
    /// Returns the options for this file and match.
    pub(crate) fn of(file: &Path, index: Option<u64>) -> RecordsArgs {
        let select = SelectOptions { matched: index, ..SelectOptions::default() };
        RecordsArgs { file: Some(file.to_owned()), select }
    }

    /// Returns the source of the records.
    ///
    /// # Errors
    /// Nothing is named, and there is no tournament in `results`.
    pub(crate) fn source(&self) -> Result<Source, Error> {
        named_or_newest(self.file.as_deref()).map(|path| Source::at(&path))
    }
}

/// Options that select recorded matches.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct SelectOptions {
    /// Select match N
    #[arg(long = "match", value_name = "N", conflicts_with_all = SELECTING)]
    pub(crate) matched: Option<u64>,
    /// Select the matches of this bot; results, margins, and times refer to it
    #[arg(long, value_name = "BOT")]
    with: Option<String>,
    /// Select the matches with this bot at the table too; repeatable
    #[arg(long, value_name = "BOT", requires = "with")]
    against: Vec<String>,
    /// Select the matches that the bot of --with lost
    #[arg(long, requires = "with")]
    lost: bool,
    /// Select the matches that the bot of --with won
    #[arg(long, requires = "with")]
    won: bool,
    /// Select the matches that the bot of --with drew
    #[arg(long, requires = "with", hide_short_help = true)]
    drawn: bool,
    /// Select matches with a fault, or with a fault of this kind
    #[arg(
        long,
        value_name = "KIND",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "any",
        value_parser = word::<Fault>()
    )]
    fault: Option<Fault>,
    /// Select the matches of deal N, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    deal: Option<u64>,
    /// Select matches with a move that took over 80 % of the limit
    #[arg(long, hide_short_help = true)]
    slow: bool,
    /// Sort by this figure, the smallest first
    #[arg(long, value_parser = word::<Order>(), value_name = "FIGURE")]
    sort: Option<Order>,
    /// Sort the largest first
    #[arg(long, requires = "sort")]
    reverse: bool,
    /// Select the N matches with the smallest margins of the bot of --with
    #[arg(long, value_name = "N", requires = "with", conflicts_with_all = ["sort", "reverse", "best"])]
    worst: Option<usize>,
    /// Select the N matches with the largest margins of the bot of --with
    #[arg(long, value_name = "N", requires = "with", conflicts_with_all = ["sort", "reverse"])]
    best: Option<usize>,
    /// Select the first N of these matches
    #[arg(long, value_name = "N", conflicts_with_all = ["worst", "best"])]
    first: Option<usize>,
}

impl SelectOptions {
    /// Returns the options that select this match.
    pub(crate) fn one(index: u64) -> SelectOptions {
        SelectOptions { matched: Some(index), ..SelectOptions::default() }
    }

    /// Returns true if an option selects matches, other than `--match`.
    pub(crate) fn selects(&self) -> bool {
        let SelectOptions { with, fault, deal, slow, sort, first, .. } = self;
        with.is_some() || fault.is_some() || deal.is_some() || *slow || sort.is_some() || first.is_some()
    }

    fn selection(&self) -> Selection {
        let results =
            [(self.won, MatchResult::Won), (self.drawn, MatchResult::Drawn), (self.lost, MatchResult::Lost)];
        let by_margin = self.worst.is_some() || self.best.is_some();
        Selection {
            index: self.matched,
            with: self.with.clone(),
            against: self.against.clone(),
            results: results
                .into_iter()
                .filter(|(is_asked, _)| *is_asked)
                .map(|(_, result)| result)
                .collect(),
            fault: self.fault,
            round: self.deal.map(|deal| deal - 1),
            slow: self.slow,
            order: if by_margin { Order::Margin } else { self.sort.unwrap_or_default() },
            descending: self.reverse || self.best.is_some(),
            count: self.worst.or(self.best).or(self.first),
        }
    }

    /// Returns the selected matches of a file.
    ///
    /// # Errors
    /// The file cannot be read, or has no such bot or match.
    pub(crate) fn rows(&self, source: &Source) -> Result<Vec<MatchRow>, Error> {
        if let Some(name) = self.with.as_ref().filter(|name| self.against.contains(name)) {
            return Err(Error::usage(format!("{name:?} cannot play against itself"))
                .hint("name another bot with --against"));
        }
        let rows = self.selection().rows(source)?;
        if rows.is_empty() && self.matched.is_some() {
            source.find(self.matched)?; // for the error
            let row = Selection { index: self.matched, ..Selection::default() }.rows(source)?.pop();
            let bots: Vec<String> = row.into_iter().flat_map(|row| row.seats).map(|seat| seat.bot).collect();
            if let Some(name) = self.with.as_ref().filter(|name| !bots.contains(name)) {
                return Err(Error::usage(format!("{name:?} does not play in that match"))
                    .hint(format!("its bots are {}", bots.join(", "))));
            }
        }
        Ok(rows)
    }

    /// Returns the selected lines of a file with their numbers: the match of `--match`, or the only one, if
    /// no other option selects.
    ///
    /// # Errors
    /// The file cannot be read, no match is selected, or the file has several matches and no option selects.
    pub(crate) fn lines(&self, source: &Source) -> Result<Vec<(u64, Vec<u8>)>, Error> {
        if !self.selects() {
            return Ok(vec![source.find(self.matched)?]);
        }
        let rows = self.rows(source)?;
        if rows.is_empty() {
            return Err(Error::usage("the options select no match")
                .hint(format!("arena matches {} lists all", source.path().display())));
        }
        source.lines_of(&rows)
    }

    /// Returns the only selected line of a file, with its number.
    ///
    /// # Errors
    /// As [`lines`](Self::lines), or several matches are selected.
    pub(crate) fn line(&self, source: &Source) -> Result<(u64, Vec<u8>), Error> {
        if !self.selects() {
            return source.find(self.matched);
        }
        let rows = self.rows(source)?;
        let [_] = &rows[..] else {
            return Err(Error::usage(format!(
                "{} are selected, and this command takes one",
                count(rows.len() as u64, "match")
            ))
            .hint("add --worst 1, or --match N"));
        };
        source.lines_of(&rows)?.pop().ok_or_else(|| source.empty())
    }

    /// Returns the bot of `--with`.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.with.as_deref()
    }
}

impl Word for Order {
    const WORDS: &'static [(&'static str, Order, &'static str)] = &[
        ("number", Order::Number, "Number of the match"),
        ("margin", Order::Margin, "Points less those of the best opponent"),
        ("score", Order::Score, "Points of the bot"),
        ("time", Order::Time, "Longest time of a move"),
    ];
}

impl Word for Fault {
    const WORDS: &'static [(&'static str, Fault, &'static str)] = &[
        ("any", Fault::Any, "Any fault"),
        ("launch", Fault::Kind(FaultKind::Launch), "The program could not be started"),
        ("startup", Fault::Kind(FaultKind::Startup), "No \"hello\" or \"ready\" in time"),
        ("timeout", Fault::Kind(FaultKind::Timeout), "No answer in time"),
        ("exit", Fault::Kind(FaultKind::Exit), "The program ended"),
        ("oversize", Fault::Kind(FaultKind::Oversize), "A line was too long"),
        ("malformed", Fault::Kind(FaultKind::Malformed), "A line was no message"),
        ("id", Fault::Kind(FaultKind::Id), "The answer had another id"),
        ("illegal", Fault::Kind(FaultKind::Illegal), "The move broke a rule"),
        ("off-turn", Fault::Kind(FaultKind::OffTurn), "Too much processor time outside its turns"),
    ];
}

/// Checks that a bot of this name, if there is one, plays in a selected match.
///
/// # Errors
/// None of the matches has it.
pub(crate) fn check_bot(rows: &[MatchRow], bot: Option<&str>) -> Result<(), Error> {
    let plays = |bot: &str| rows.iter().any(|row| row.seats.iter().any(|seat| seat.bot == bot));
    match bot.filter(|bot| !plays(bot)) {
        None => Ok(()),
        Some(bot) => Err(Error::usage(format!("no selected match has a bot named {bot:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_fault_can_be_selected_by_its_name() {
        for kind in FaultKind::ALL {
            let is_it = |(word, fault, _): &(&str, Fault, &str)| {
                *fault == Fault::Kind(kind) && *word == kind.as_str()
            };
            assert!(Fault::WORDS.iter().any(is_it), "{kind}");
        }
    }
}
