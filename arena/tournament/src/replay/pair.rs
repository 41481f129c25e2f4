//! Compares two journals by the digests of their matches.
//!
//! The round and the bots by seat identify a match. Journals of different plans, with other indices, can
//! therefore be compared. Only keys, indices, and digests are kept in memory.

use engine::game::turn_name;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

use super::Source;
use super::compare::{first_decision, first_reproduced};
use super::selection::deal_number;
use crate::journal::line::verify;
use referee::bots::names::check_name;
use referee::error::Error;

/// The identity of a match: its round, and its bots by seat.
type Key = (u64, Vec<String>);

/// The stored facts of a line.
#[derive(Clone, Debug)]
struct Entry {
    index: u64,
    digest: String,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "match")]
    index: u64,
    round: u64,
    bots: Vec<String>,
    digest: String,
}

/// The result of a comparison of two journals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// The number of matches with the same digest in both.
    pub same: u64,
    /// Descriptions of different matches, one line each, up to the requested number.
    pub differing: Vec<String>,
    /// The number of different matches.
    pub differing_count: u64,
    /// Matches that only the first journal has.
    pub only_first: Vec<String>,
    /// Matches that only the second journal has.
    pub only_second: Vec<String>,
}

impl Pairing {
    /// Returns true if both journals have the same matches.
    pub fn is_same(&self) -> bool {
        self.differing_count == 0 && self.only_first.is_empty() && self.only_second.is_empty()
    }
}

/// Compares two journals. Describes the differences of at most `described_max` matches.
///
/// # Errors
/// Fails if a journal cannot be read.
pub fn compare(first: &Source, second: &Source, described_max: usize) -> Result<Pairing, Error> {
    let (ours, mut theirs) = (entries(first)?, entries(second)?);
    let mut found = Pairing::default();
    let mut differing = BTreeMap::new();
    for (key, entry) in ours {
        match theirs.remove(&key) {
            None => found.only_first.push(named(&key, &entry)),
            Some(other) if other.digest == entry.digest => found.same += 1,
            Some(_) => {
                differing.insert(key, entry);
            }
        }
    }
    found.only_second = theirs.iter().map(|(key, entry)| named(key, entry)).collect();
    found.differing_count = differing.len() as u64;
    let wanted: BTreeMap<Key, Entry> = differing.into_iter().take(described_max).collect();
    let (ours, theirs) = (records(first, &wanted)?, records(second, &wanted)?);
    let both = wanted.iter().filter_map(|(key, entry)| Some((key, entry, ours.get(key)?, theirs.get(key)?)));
    found.differing = both
        .map(|(key, entry, ours, theirs)| {
            format!("{}: {}", named(key, entry), describe(ours, theirs, &key.1))
        })
        .collect();
    Ok(found)
}

fn named((round, bots): &Key, entry: &Entry) -> String {
    format!("match {} (deal {}: {})", entry.index, deal_number(*round), bots.join(", "))
}

/// Describes the first difference between two records of a match.
fn describe(ours: &Value, theirs: &Value, bots: &[String]) -> String {
    if let Some(found) = first_decision(ours, theirs) {
        let bot = bots.get(found.seat).map_or("", String::as_str);
        let place = format!("{}, seat {} ({bot})", turn_name(found.id), found.seat);
        return format!("{place}: the first has {}, the second {}", found.left, found.right);
    }
    match first_reproduced(ours, theirs) {
        Some(found) => {
            format!("{} is {} in the first, {} in the second", found.path, found.left, found.right)
        }
        None => "the digests differ and nothing else: prove both with arena replay".to_owned(),
    }
}

/// Returns every match of a journal.
fn entries(source: &Source) -> Result<BTreeMap<Key, Entry>, Error> {
    let mut entries = BTreeMap::new();
    each_line(source, |_, head| {
        entries.insert((head.round, head.bots), Entry { index: head.index, digest: head.digest });
        Ok(())
    })?;
    Ok(entries)
}

/// Returns the records of these matches.
fn records(source: &Source, wanted: &BTreeMap<Key, Entry>) -> Result<BTreeMap<Key, Value>, Error> {
    let mut records = BTreeMap::new();
    if !wanted.is_empty() {
        each_line(source, |line, head| {
            let key = (head.round, head.bots);
            if wanted.contains_key(&key) {
                records.insert(key, serde_json::from_slice(line)?);
            }
            Ok(())
        })?;
    }
    Ok(records)
}

fn each_line(
    source: &Source,
    mut take: impl FnMut(&[u8], Head) -> Result<(), serde_json::Error>,
) -> Result<(), Error> {
    let (mut lines, mut line) = (source.lines()?, Vec::new());
    while lines.read(&mut line)? {
        let taken = serde_json::from_slice(&line).and_then(|head: Head| {
            let names = head.bots.iter().try_for_each(|name| check_name(name).map(drop));
            names.map_err(|error| serde_json::Error::custom(error.message()))?;
            verify(&line)?;
            take(&line, head)
        });
        taken.map_err(|error| {
            Error::usage(format!(
                "{} line {} is not a match record: {error}",
                source.path().display(),
                lines.number()
            ))
        })?;
    }
    Ok(())
}
