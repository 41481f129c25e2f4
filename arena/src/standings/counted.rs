//! The matches that were counted: the latest in memory and the others in a file, so that memory stays the same however
//! many they are.

use std::collections::BTreeMap;

use super::store::Store;
use crate::error::Error;
use crate::stats::Place;

/// How many matches are in memory before they go to the file together; a tournament of fewer has no file.
const RECENT_MAX: usize = 32_768;
/// How many digests are sorted in memory at a time.
const DIGESTS_MAX: u64 = 1 << 17;

/// The matches that were counted, by what makes a match that match: its round and the bots by seat.
#[derive(Debug)]
pub(super) struct Counted {
    recent: BTreeMap<Vec<u8>, Vec<u8>>,
    recent_max: usize,
    /// All others.
    store: Option<Store>,
    len: u64,
}

/// What was known of a match that is added.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing.
    No,
    /// The same result.
    Same,
    /// Another result.
    Different,
}

impl Default for Counted {
    fn default() -> Counted {
        Counted { recent: BTreeMap::new(), recent_max: RECENT_MAX, store: None, len: 0 }
    }
}

impl Counted {
    /// Adds a match, if nothing was known of it.
    ///
    /// # Errors
    /// Where the file cannot be read or written.
    pub(super) fn add(&mut self, round: u64, digest: u128, places: &[Place]) -> Result<Known, Error> {
        let key = key(round, places);
        let known = match (self.recent.get(&key), &self.store) {
            (Some(value), _) => Some(digest_in(value)),
            (None, Some(store)) => store.get(&key)?.map(|value| digest_in(&value)),
            (None, None) => None,
        };
        match known {
            Some(known) if known == digest => return Ok(Known::Same),
            Some(_) => return Ok(Known::Different),
            None => {}
        }
        if self.recent.len() >= self.recent_max {
            self.put_away()?;
        }
        self.recent.insert(key, value(digest, places));
        self.len += 1;
        Ok(Known::No)
    }

    /// How many they are.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Brings all into one place, to be shown from there.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        if self.store.is_some() { self.put_away() } else { Ok(()) }
    }

    fn put_away(&mut self) -> Result<(), Error> {
        let store = match &mut self.store {
            Some(store) => store,
            none => none.insert(Store::new()?),
        };
        store.add(&self.recent)?;
        self.recent.clear();
        Ok(())
    }

    /// Shows rounds and places of all that are [settled](Self::settle), in the order of rounds, then of bots by seat.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub(super) fn each(&self, mut show: impl FnMut(u64, &[Place])) -> Result<(), Error> {
        let mut places = Vec::new();
        self.each_entry(|key, value| {
            read_places(key, value, &mut places);
            show(round_in(key), &places);
        })
    }

    /// Shows the digests of all that are [settled](Self::settle), ascending. Goes through all as often as it takes to
    /// have only so many in memory.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub(super) fn each_digest(&self, mut show: impl FnMut(u128)) -> Result<(), Error> {
        let parts = (self.len / DIGESTS_MAX + 1).next_power_of_two();
        let part_of = |digest: u128| digest.checked_shr(128 - parts.trailing_zeros()).unwrap_or(0) as u64;
        for part in 0..parts {
            let mut digests = Vec::new();
            self.each_entry(|_, value| {
                let digest = digest_in(value);
                if part_of(digest) == part {
                    digests.push(digest);
                }
            })?;
            digests.sort_unstable();
            digests.into_iter().for_each(&mut show);
        }
        Ok(())
    }

    fn each_entry(&self, mut show: impl FnMut(&[u8], &[u8])) -> Result<(), Error> {
        match &self.store {
            Some(store) => store.each(show),
            None => {
                self.recent.iter().for_each(|(key, value)| show(key, value));
                Ok(())
            }
        }
    }
}

// An entry is the round and the bots by seat, from which comes the order, and the digest and what each seat came to.

const ROUND_BYTES: usize = 8;
const DIGEST_BYTES: usize = 16;
/// Rank, score, and whether it failed.
const SEAT_BYTES: usize = 9;

fn key(round: u64, places: &[Place]) -> Vec<u8> {
    let mut key = round.to_be_bytes().to_vec();
    places.iter().for_each(|place| key.extend(place.bot.to_be_bytes()));
    key
}

fn value(digest: u128, places: &[Place]) -> Vec<u8> {
    let mut value = digest.to_be_bytes().to_vec();
    for place in places {
        value.extend(place.rank.to_be_bytes());
        value.extend(place.score.to_be_bytes());
        value.push(u8::from(place.fault));
    }
    value
}

fn round_in(key: &[u8]) -> u64 {
    u64::from_be_bytes(array(&key[..ROUND_BYTES]))
}

fn digest_in(value: &[u8]) -> u128 {
    u128::from_be_bytes(array(&value[..DIGEST_BYTES]))
}

fn read_places(key: &[u8], value: &[u8], places: &mut Vec<Place>) {
    let bots = key[ROUND_BYTES..].chunks_exact(size_of::<u32>());
    let seats = value[DIGEST_BYTES..].chunks_exact(SEAT_BYTES);
    places.clear();
    places.extend(bots.zip(seats).map(|(bot, seat)| Place {
        bot: u32::from_be_bytes(array(bot)),
        rank: u32::from_be_bytes(array(&seat[..4])),
        score: i32::from_be_bytes(array(&seat[4..8])),
        fault: seat[8] != 0,
    }));
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("entries are as they were written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_file_they_are_the_same_as_in_memory() {
        let place = |bot: u32, score: i32| Place { bot, rank: 1 + bot, score, fault: score < 0 };
        let one = |number: u64| {
            let (bot, score) = (number as u32 % 3, number as i32 % 50 - 5);
            (
                number / 3,
                u128::from(number).wrapping_mul(u128::MAX / 77),
                [place(bot, score), place(bot + 1, 7)],
            )
        };
        let shown = |recent_max: usize| {
            let mut counted = Counted { recent_max, ..Counted::default() };
            for number in (0..300).map(|number| number * 7 % 300) {
                let (round, digest, places) = one(number);
                assert_eq!(counted.add(round, digest, &places), Ok(Known::No));
            }
            for number in [0, 150, 299] {
                let (round, digest, places) = one(number);
                assert_eq!(counted.add(round, digest, &places), Ok(Known::Same));
                assert_eq!(counted.add(round, digest ^ 1, &places), Ok(Known::Different));
            }
            assert_eq!(counted.settle(), Ok(()));
            assert_eq!((counted.len(), counted.store.is_some()), (300, recent_max < 300));
            let (mut matches, mut digests) = (Vec::new(), Vec::new());
            counted.each(|round, places| matches.push((round, places.to_vec()))).expect("a file to read");
            counted.each_digest(|digest| digests.push(digest)).expect("a file to read");
            (matches, digests)
        };
        let (matches, digests) = shown(usize::MAX);
        assert_eq!(matches.len(), 300);
        assert!(matches.iter().enumerate().all(|(number, (round, _))| *round == number as u64 / 3));
        assert!(digests.is_sorted());
        assert_eq!(shown(50), (matches, digests));
    }
}
