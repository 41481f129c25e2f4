//! The forms of values on the command line.

use std::ffi::OsString;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use referee::error::Error;

/// Returns a parser for these names, each with its value and its description, where a command has some of the values.
pub(crate) fn word_of<T: Copy + Send + Sync + 'static>(
    words: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let shown = |(name, _, about): &(&'static str, T, &'static str)| PossibleValue::new(*name).help(*about);
    PossibleValuesParser::new(words.iter().map(shown)).map(|given| {
        let (_, value, _) = words.iter().find(|(name, ..)| *name == given).expect("one of the words");
        *value
    })
}

/// Checks the address of a site: a scheme and a host, and nothing after it.
pub(crate) fn base_url(text: &str) -> Result<String, String> {
    let wrong =
        || Err("an address is http:// or https:// and a host, such as https://arena.example.org".into());
    let url = text.trim_end_matches('/');
    let Some(host) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return wrong();
    };
    let is_host = |letter: char| letter.is_ascii_alphanumeric() || ".-:[]".contains(letter);
    if host.is_empty() || !host.chars().all(is_host) { wrong() } else { Ok(url.to_ascii_lowercase()) }
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

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use referee::games::{GameName, LeatherRule, StartCardsRule};
    use sandbox::SandboxLevel;
    use serde::de::DeserializeOwned;
    use tournament::comparison::Metric;
    use tournament::schedule::{ScheduleName, Seeding};

    #[test]
    fn words_are_those_of_files() {
        fn check<T: ValueEnum + DeserializeOwned + PartialEq + std::fmt::Debug>() {
            for value in T::value_variants() {
                let Some(word) = value.to_possible_value() else { continue };
                let read: T = serde_json::from_value(word.get_name().into()).expect("a word of files");
                assert_eq!(read, *value);
            }
        }
        check::<SandboxLevel>();
        check::<GameName>();
        check::<LeatherRule>();
        check::<StartCardsRule>();
        check::<ScheduleName>();
        check::<Seeding>();
        check::<Metric>();
    }
}
