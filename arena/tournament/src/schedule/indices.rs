//! Sets of indices.

use std::collections::BTreeMap;

/// A set of indices that are mostly close together. 64 neighbours take one word.
#[derive(Clone, Debug, Default)]
pub struct Indices {
    words: BTreeMap<u64, u64>,
    len: u64,
}

impl Indices {
    /// Adds an index.
    pub(super) fn insert(&mut self, index: u64) {
        let word = self.words.entry(index / 64).or_default();
        self.len += u64::from(*word >> (index % 64) & 1 == 0);
        *word |= 1 << (index % 64);
    }

    /// Returns true if the set has this index.
    pub fn contains(&self, index: u64) -> bool {
        self.words.get(&(index / 64)).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// The number of indices.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// All indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let in_word = |(&number, &word): (&u64, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * number + bit)
        };
        self.words.iter().flat_map(in_word)
    }
}

impl FromIterator<u64> for Indices {
    fn from_iter<I: IntoIterator<Item = u64>>(indices: I) -> Indices {
        let mut set = Indices::default();
        indices.into_iter().for_each(|index| set.insert(index));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_there_once() {
        let indices: Indices = [63, 64, 0, 1 << 53, 63].into_iter().collect();
        assert_eq!(indices.iter().collect::<Vec<_>>(), [0, 63, 64, 1 << 53]);
        assert_eq!(indices.len(), 4);
        assert!(indices.contains(64) && !indices.contains(65) && !indices.contains(128));
    }
}
