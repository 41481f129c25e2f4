//! The names of values on the command line. The crates that define the values do not depend on `clap`.

use std::ffi::OsString;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use referee::error::Error;
use referee::games::{GameName, LeatherRule, StartCardsRule};
use sandbox::SandboxLevel;
use tournament::comparison::Metric;
use tournament::report::tables::{Column, Format};
use tournament::schedule::{ScheduleName, Seeding};

/// A value with a name on the command line.
pub(crate) trait Word: Copy + Send + Sync + 'static {
    /// The name, the value, and the description of each choice.
    const WORDS: &'static [(&'static str, Self, &'static str)];
}

/// Returns a parser for the names.
pub(crate) fn word<T: Word>() -> impl TypedValueParser<Value = T> {
    word_of(T::WORDS)
}

/// Returns a parser for these names, each with its value and its description.
pub(crate) fn word_of<T: Copy + Send + Sync + 'static>(
    words: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let shown = |(name, _, about): &(&'static str, T, &'static str)| PossibleValue::new(*name).help(*about);
    PossibleValuesParser::new(words.iter().map(shown)).map(|given| {
        let (_, value, _) = words.iter().find(|(name, ..)| *name == given).expect("one of the words");
        *value
    })
}

/// The rule of seeds.
const SEED: &str = "a seed is a whole number from 0 to 2^53 - 1";

/// Parses a seed.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    whole(text).map_err(|_| SEED.to_owned())
}

/// Returns the seed of the variable `ARENA_SEED`. An empty variable is none.
///
/// # Errors
/// The variable has another value.
pub(crate) fn seed_of_environment() -> Result<Option<u64>, Error> {
    let text = std::env::var_os("ARENA_SEED").filter(|text| !text.is_empty());
    let wrong = |text: &OsString| Error::usage(format!("the variable ARENA_SEED is {text:?}: {SEED}"));
    text.map(|text| text.to_str().and_then(|text| seed(text).ok()).ok_or_else(|| wrong(&text))).transpose()
}

/// Parses a whole number in the forms of a league file: `1000`, `1_000`, `0x3e8`.
pub(crate) fn whole(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.map_err(|_| "it is a whole number, such as 1000".to_owned())
}

/// Parses a probability: `0.025` or `2.5%`.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let number = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
        None => text.parse(),
    };
    number.map_err(|_| "it is a probability, such as 0.025 or 2.5%".to_owned())
}

/// A parser for any text, with suggestions for the completions of shells.
#[derive(Clone, Debug)]
pub(crate) struct Suggested(Vec<&'static str>);

impl Suggested {
    pub(crate) fn new(names: impl Iterator<Item = &'static str>) -> Suggested {
        Suggested(names.collect())
    }
}

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|name| PossibleValue::new(*name))))
    }
}

impl Word for SandboxLevel {
    const WORDS: &'static [(&'static str, SandboxLevel, &'static str)] = &[
        ("auto", SandboxLevel::Auto, "Every layer that the system allows"),
        (
            "strict",
            SandboxLevel::Strict,
            "As auto, but refuse to start if a layer needed for strangers' bots is missing",
        ),
        (
            "strict+cgroup",
            SandboxLevel::StrictCgroup,
            "As strict, but refuse to start if the kernel cannot limit memory and processes of each bot",
        ),
        ("off", SandboxLevel::Off, "No sandbox: bots run with your environment and your rights"),
    ];
}

/// Makes the words of a type from its list `ALL`.
macro_rules! words_of {
    ($kind:ident, $one:ident => $word:expr) => {
        impl Word for $kind {
            const WORDS: &'static [(&'static str, $kind, &'static str)] = &{
                let (mut words, mut at) = ([("", $kind::ALL[0], ""); $kind::ALL.len()], 0);
                while at < words.len() {
                    let $one = $kind::ALL[at];
                    words[at] = $word;
                    at += 1;
                }
                words
            };
        }
    };
}

words_of!(GameName, game => (game.as_str(), game, game.summary()));
words_of!(Column, column => (column.name, column, column.about));

impl Word for LeatherRule {
    const WORDS: &'static [(&'static str, LeatherRule, &'static str)] = &[
        ("original", LeatherRule::Original, "Spaces 20, 26, 32, 44, 50"),
        ("revised", LeatherRule::Revised, "Spaces 26, 32, 38, 44, 50"),
    ];
}

impl Word for StartCardsRule {
    const WORDS: &'static [(&'static str, StartCardsRule, &'static str)] = &[
        ("dealt", StartCardsRule::Dealt, "A start card for each seat, as in the rulebook"),
        ("shared", StartCardsRule::Shared, "One start card for all seats; any number of seats"),
    ];
}

impl Word for Format {
    const WORDS: &'static [(&'static str, Format, &'static str)] = &[
        ("table", Format::Table, "For people at a terminal"),
        ("markdown", Format::Markdown, "For README files and chats"),
        ("csv", Format::Csv, "For spreadsheets; the standings only"),
        ("json", Format::Json, "For programs"),
        ("html", Format::Html, "For web pages"),
    ];
}

impl Word for ScheduleName {
    const WORDS: &'static [(&'static str, ScheduleName, &'static str)] = &[
        ("round-robin", ScheduleName::RoundRobin, "Every combination of bots meets on every deal"),
        ("gauntlet", ScheduleName::Gauntlet, "One bot meets all others: the first, or --challenger"),
        ("swiss", ScheduleName::Swiss, "Bots with equal points meet, no pair twice"),
        ("knockout", ScheduleName::Knockout, "The loser of a tie is out"),
        (
            "ladder",
            ScheduleName::Ladder,
            "Every bot climbs from below until it stops winning; --resume adds bots",
        ),
    ];
}

impl Word for Seeding {
    const WORDS: &'static [(&'static str, Seeding, &'static str)] = &[
        ("order", Seeding::Order, "In the order of the bots; the first bot is the top seed"),
        ("draw", Seeding::Draw, "At random, from the seed of the tournament"),
    ];
}

impl Word for Metric {
    const WORDS: &'static [(&'static str, Metric, &'static str)] = &[
        ("points", Metric::Points, "The score minus the opponent's, averaged over the matches of a deal"),
        ("elo", Metric::Elo, "Difference in Elo, from wins and draws"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_files() {
        assert!(SandboxLevel::WORDS.iter().all(|(word, value, _)| *word == value.as_str()));
        assert!(GameName::WORDS.iter().all(|(word, value, _)| *word == value.as_str()));
        assert!(ScheduleName::WORDS.iter().all(|(word, value, _)| *word == value.as_str()));
    }
}
