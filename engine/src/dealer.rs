//! Chance for deals: a portable generator with one numbered stream for each thing that is drawn.
//!
//! The generator is ChaCha with 8 rounds. The key is the seed as 8 bytes, lowest first, followed by 24
//! zero bytes. The stream is the 64-bit nonce; 32-bit words are taken in order. Each thing drawn has
//! its own stream, so an additional die roll never changes the deck. This text and the code below
//! suffice to deal the same cards in another language.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A source of random numbers: one stream of one seed.
///
/// # Examples
/// ```
/// use engine::dealer::Dealer;
///
/// let [mut dealer, mut again] = [Dealer::new(7, 1), Dealer::new(7, 1)];
/// let rolls: Vec<u32> = (0..5).map(|_| 1 + dealer.below(6)).collect();
/// assert!(rolls.iter().all(|roll| (1..=6).contains(roll)));
/// assert_eq!(rolls, (0..5).map(|_| 1 + again.below(6)).collect::<Vec<_>>());
/// ```
#[derive(Clone, Debug)]
pub struct Dealer(ChaCha8Rng);

impl Dealer {
    /// Opens the stream numbered `stream` of `seed`.
    ///
    /// # Examples
    /// ```
    /// use engine::dealer::Dealer;
    ///
    /// let draw = |seed, stream| Dealer::new(seed, stream).below(1_000_000);
    /// assert_eq!(draw(7, 1), draw(7, 1));
    /// assert_ne!(draw(7, 1), draw(7, 2));
    /// assert_ne!(draw(7, 1), draw(8, 1));
    /// ```
    pub fn new(seed: u64, stream: u64) -> Dealer {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut words = ChaCha8Rng::from_seed(key);
        words.set_stream(stream);
        Dealer(words)
    }

    /// Returns a random number below `bound`; all of them are equally likely. Words at or above the
    /// largest multiple of `bound` up to 2^32 are thrown away. The result is the next word modulo
    /// `bound`; 0 counts as 1.
    ///
    /// # Examples
    /// ```
    /// use engine::dealer::Dealer;
    ///
    /// let mut dealer = Dealer::new(7, 3);
    /// assert!((0..100).all(|_| dealer.below(6) < 6));
    /// assert_eq!(dealer.below(1), 0);
    /// ```
    pub fn below(&mut self, bound: u32) -> u32 {
        let bound = bound.max(1);
        let fair = u64::from(u32::MAX) + 1 - (u64::from(u32::MAX) + 1) % u64::from(bound);
        loop {
            let word = self.0.next_u32();
            if u64::from(word) < fair {
                return word % bound;
            }
        }
    }

    /// Shuffles `items`: from the last item down to the second, exchanges each item with a random one
    /// at the same place or before it.
    ///
    /// # Examples
    /// ```
    /// use engine::dealer::Dealer;
    ///
    /// let mut cards = ["P01", "P02", "P03", "P04", "P05"];
    /// Dealer::new(7, 1).shuffle(&mut cards);
    /// assert_eq!(cards, ["P01", "P05", "P04", "P02", "P03"]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last + 1).expect("a deck has fewer than 2^32 cards");
            items.swap(last, self.below(bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_independent_and_repeatable() {
        let draw = |seed, stream| -> Vec<u32> {
            let mut dealer = Dealer::new(seed, stream);
            (0..8).map(|_| dealer.below(1000)).collect()
        };
        assert_eq!(draw(1, 1), draw(1, 1));
        assert_ne!(draw(1, 1), draw(1, 2));
        assert_ne!(draw(1, 1), draw(2, 1));
    }

    #[test]
    fn every_number_below_the_bound_comes_up() {
        let mut dealer = Dealer::new(7, 0);
        let mut seen = [0; 6];
        (0..6000).for_each(|_| seen[dealer.below(6) as usize] += 1);
        assert!(seen.iter().all(|&n| n > 800), "{seen:?}");
        assert_eq!(dealer.below(1), 0);
    }
}
