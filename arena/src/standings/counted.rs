//! The matches that were counted, in few bytes each: a tournament of millions keeps them all.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use hashbrown::hash_table::{Entry, HashTable};

use crate::stats::Place;

/// The matches that were counted, numbered as they came.
///
/// All their places stand in one list, because a key and boxes of its own for each match take four
/// times the memory.
#[derive(Debug, Default)]
pub(super) struct Counted {
    list: List,
    /// The numbers of matches by what makes a match that match: its round and the bots by seat.
    numbers: HashTable<u32>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct List {
    matches: Vec<Match>,
    places: Vec<Place>,
}

#[derive(Debug)]
struct Match {
    digest: u128,
    round: u64,
    /// Where its places begin.
    places: usize,
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

impl Counted {
    /// Adds a match, if nothing was known of it.
    ///
    /// # Panics
    /// With 2^32 matches, which would take 300 GB.
    pub(super) fn add(&mut self, round: u64, digest: u128, places: &[Place]) -> Known {
        let Counted { list, numbers, hasher } = self;
        let is_it = |&number: &u32| {
            let number = number as usize;
            list.matches[number].round == round && bots(list.places(number)).eq(bots(places))
        };
        let rehash = |&number: &u32| {
            let number = number as usize;
            hash(hasher, list.matches[number].round, list.places(number))
        };
        match numbers.entry(hash(hasher, round, places), is_it, rehash) {
            Entry::Occupied(found) if list.matches[*found.get() as usize].digest == digest => Known::Same,
            Entry::Occupied(_) => Known::Different,
            Entry::Vacant(free) => {
                free.insert(u32::try_from(list.matches.len()).expect("fewer than 2^32 matches"));
                list.matches.push(Match { digest, round, places: list.places.len() });
                list.places.extend_from_slice(places);
                Known::No
            }
        }
    }

    /// How many they are.
    pub(super) fn len(&self) -> usize {
        self.list.matches.len()
    }

    /// Rounds and places, in the order of rounds, then of bots by seat.
    pub(super) fn in_order(&self) -> Vec<(u64, &[Place])> {
        let one = |number: usize| (self.list.matches[number].round, self.list.places(number));
        let mut all: Vec<_> = (0..self.len()).map(one).collect();
        all.sort_unstable_by(|(round, places), (other_round, other_places)| {
            round.cmp(other_round).then_with(|| bots(places).cmp(bots(other_places)))
        });
        all
    }

    /// Their digests, ascending.
    pub(super) fn digests(&self) -> Vec<u128> {
        let mut digests: Vec<u128> = self.list.matches.iter().map(|one| one.digest).collect();
        digests.sort_unstable();
        digests
    }
}

impl List {
    fn places(&self, number: usize) -> &[Place] {
        let end = self.matches.get(number + 1).map_or(self.places.len(), |next| next.places);
        &self.places[self.matches[number].places..end]
    }
}

fn bots(places: &[Place]) -> impl Iterator<Item = u32> {
    places.iter().map(|place| place.bot)
}

fn hash(hasher: &RandomState, round: u64, places: &[Place]) -> u64 {
    let mut state = hasher.build_hasher();
    round.hash(&mut state);
    bots(places).for_each(|bot| bot.hash(&mut state));
    state.finish()
}
