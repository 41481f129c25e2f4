//! The counted matches, about 80 bytes each for two seats.

use std::collections::BTreeSet;
use std::ops::Bound;

use stats::Place;

/// The set of counted matches. The round and the bots by seat identify a match.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Sorted by their bytes, which begin with the round and the bots.
    entries: BTreeSet<Box<[u8]>>,
}

/// The earlier knowledge about an added match.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The match is new.
    No,
    /// The match is known with the same result.
    Same,
    /// The match is known with another result.
    Different,
}

impl Counted {
    /// Adds a match of at most [`BOTS_MAX`] bots and [`SEATS_MAX`] seats, unless it is known.
    pub(super) fn add(&mut self, round: u64, digest: u128, places: &[Place]) -> Known {
        let (entry, key_bytes) = entry(round, digest, places);
        let key = &entry[..key_bytes];
        let from_there = self.entries.range::<[u8], _>((Bound::Included(key), Bound::Unbounded));
        // Entries with more seats may begin with the same bytes.
        let mut with_it = from_there.take_while(|known| known.starts_with(key));
        match with_it.find(|known| known.len() == entry.len()) {
            Some(known) if **known == *entry => Known::Same,
            Some(_) => Known::Different,
            None => {
                self.entries.insert(entry.into());
                Known::No
            }
        }
    }

    /// Appends the matches as bytes, each after its length.
    pub(super) fn store(&self, bytes: &mut Vec<u8>) {
        for entry in &self.entries {
            bytes.extend((entry.len() as u32).to_be_bytes());
            bytes.extend(entry);
        }
    }

    /// Returns the matches of these bytes. Returns `None` if they are not what [`store`](Self::store) writes.
    pub(super) fn restored(mut bytes: &[u8]) -> Option<Counted> {
        let mut entries: Vec<Box<[u8]>> = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk() {
            let (entry, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
            let places = entry.len().checked_sub(ROUND_BYTES + DIGEST_BYTES)?;
            if places % (BOT_BYTES + RESULT_BYTES) != 0 {
                return None;
            }
            entries.push(entry.into());
            bytes = rest;
        }
        bytes.is_empty().then(|| Counted { entries: entries.into_iter().collect() })
    }

    /// The number of matches.
    pub(super) fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Calls `show` with the round and the places of each match, sorted by round and then by bots in seat
    /// order.
    pub(super) fn each(&self, mut show: impl FnMut(u64, &[Place])) {
        let mut places = Vec::new();
        for entry in &self.entries {
            read_places(entry, &mut places);
            show(u64::from_be_bytes(array(&entry[..ROUND_BYTES])), &places);
        }
    }

    /// Returns all digests, ascending.
    pub(super) fn digests(&self) -> Vec<u128> {
        let mut digests: Vec<u128> = self.entries.iter().map(|entry| digest_in(entry)).collect();
        digests.sort_unstable();
        digests
    }
}

// An entry contains the round, the bots by seat, the digest, and the result of each seat.

/// Bot indices have two bytes. Ranks have 15 bits, so there are fewer seats.
pub(super) const BOTS_MAX: usize = 1 << 16;
pub(super) const SEATS_MAX: usize = (1 << 15) - 1;

const ROUND_BYTES: usize = 8;
const BOT_BYTES: usize = 2;
const DIGEST_BYTES: usize = 16;
/// Rank and score.
const RESULT_BYTES: usize = 6;
/// The bit of a rank that marks a fault.
const FAULT: u16 = 1 << 15;

/// Returns an entry and the number of its bytes that identify the match.
fn entry(round: u64, digest: u128, places: &[Place]) -> (Vec<u8>, usize) {
    let bytes = ROUND_BYTES + DIGEST_BYTES + places.len() * (BOT_BYTES + RESULT_BYTES);
    let mut entry = Vec::with_capacity(bytes);
    entry.extend(round.to_be_bytes());
    places.iter().for_each(|place| entry.extend((place.bot as u16).to_be_bytes()));
    let key_bytes = entry.len();
    entry.extend(digest.to_be_bytes());
    for place in places {
        let rank = place.rank as u16 | if place.fault { FAULT } else { 0 };
        entry.extend(rank.to_be_bytes());
        entry.extend(place.score.to_be_bytes());
    }
    (entry, key_bytes)
}

fn seats_in(entry: &[u8]) -> usize {
    (entry.len() - ROUND_BYTES - DIGEST_BYTES) / (BOT_BYTES + RESULT_BYTES)
}

fn digest_in(entry: &[u8]) -> u128 {
    let begin = ROUND_BYTES + seats_in(entry) * BOT_BYTES;
    u128::from_be_bytes(array(&entry[begin..begin + DIGEST_BYTES]))
}

fn read_places(entry: &[u8], places: &mut Vec<Place>) {
    let (bots, rest) = entry[ROUND_BYTES..].split_at(seats_in(entry) * BOT_BYTES);
    let results = rest[DIGEST_BYTES..].chunks_exact(RESULT_BYTES);
    places.clear();
    places.extend(bots.chunks_exact(BOT_BYTES).zip(results).map(|(bot, result)| {
        let rank = u16::from_be_bytes(array(&result[..2]));
        Place {
            bot: u16::from_be_bytes(array(bot)).into(),
            rank: (rank & !FAULT).into(),
            score: i32::from_be_bytes(array(&result[2..])),
            fault: rank & FAULT != 0,
        }
    }));
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("entries are as they were written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_counted_once_and_shown_in_the_order_of_rounds() {
        let place = |bot: u32, score: i32| Place { bot, rank: 1 + bot, score, fault: score < 0 };
        let one = |number: u64| {
            let (bot, score) = (number as u32 % 3, number as i32 % 50 - 5);
            let digest = u128::from(number).wrapping_mul(u128::MAX / 77);
            (number / 3, digest, [place(bot, score), place(bot + 1, 7)])
        };
        let mut counted = Counted::default();
        for number in (0..300).map(|number| number * 7 % 300) {
            let (round, digest, places) = one(number);
            assert_eq!(counted.add(round, digest, &places), Known::No);
        }
        for number in [0, 150, 299] {
            let (round, digest, places) = one(number);
            assert_eq!(counted.add(round, digest, &places), Known::Same);
            assert_eq!(counted.add(round, digest ^ 1, &places), Known::Different);
            let other = [Place { score: places[0].score + 1, ..places[0] }, places[1]];
            assert_eq!(counted.add(round, digest, &other), Known::Different);
            // The same bots with one more make another match.
            let more = [&places[..], &[place(9, 1)]].concat();
            assert_eq!(counted.add(round + 1_000, digest, &more), Known::No);
            assert_eq!(counted.add(round + 1_000, digest, &places), Known::No);
        }
        assert_eq!(counted.len(), 306);
        let mut number = 0;
        counted.each(|round, places| {
            if round < 1_000 {
                assert_eq!((round, places), (one(number).0, &one(number).2[..]));
                number += 1;
            }
        });
        assert_eq!(number, 300);
        assert!(counted.digests().is_sorted() && counted.digests().len() == 306);
    }
}
