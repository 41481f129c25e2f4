//! Seeds: one portable function derives the seeds of deals and bots from the tournament's seed.
//!
//! `derive(purpose, a, b)` is the first 53 bits of the SHA-256 of the ASCII text `quilt-arena PURPOSE A B`,
//! with numbers in decimal. The seed of a copy has a third number. It does not depend on order, time, or host. Check it with `printf 'quilt-arena
//! deal 1 0' | sha256sum`.

use engine::game::Seat;
use engine::wire::NUMBER_MAX;
use rand::TryRng;
use sha2::{Digest, Sha256};

use crate::error::Error;

/// Returns the seed of the deal for a round. All matches of the round play it.
pub fn deal_seed(tournament_seed: u64, round: u64) -> u64 {
    derive("deal", tournament_seed, round)
}

/// Returns the seed of a match in the position with this digest: it deals what is hidden. All matches of the round in
/// this position have it.
pub fn position_seed(tournament_seed: u64, position: &str, round: u64) -> u64 {
    first_53_bits(&format!("quilt-arena position {tournament_seed} {position} {round}"))
}

/// Returns the seed for the bot in a seat. Bots in the same seat on the same deal get the same seed, except for
/// copies of one bot: each has a number in the tournament, from 0.
pub fn bot_seed(match_seed: u64, seat: Seat, copy: u32) -> u64 {
    match copy {
        0 => derive("bot", match_seed, seat as u64),
        copy => first_53_bits(&format!("quilt-arena bot {match_seed} {seat} {copy}")),
    }
}

/// Returns the number of the deal that these bots play in this round, if each match of the tournament has a deal of its
/// own. The order of the bots does not matter, nor do the bots at other tables.
pub fn own_deal(table: u64, round: u64) -> u64 {
    table.wrapping_add(round.wrapping_mul(DEAL_STEP)) % NUMBER_MAX
}

/// Returns the round in which a table plays this deal. The inverse of [`own_deal`]; any other number gives a round that
/// no tournament has.
pub fn round_of_own_deal(table: u64, deal: u64) -> u64 {
    deal.wrapping_sub(table).wrapping_mul(DEAL_STEP_INVERSE) % NUMBER_MAX
}

/// Returns the number of a table for [`own_deal`]: the first 53 bits of the SHA-256 of `quilt-arena table SEED NAMES`, with
/// the names of the bots in order, separated by blanks.
pub fn table_number(tournament_seed: u64, names: impl IntoIterator<Item = impl AsRef<str>>) -> u64 {
    let mut names: Vec<String> = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
    names.sort_unstable();
    first_53_bits(&format!("quilt-arena table {tournament_seed} {}", names.join(" ")))
}

/// Returns the lot of a bot in a tournament: the first 53 bits of the SHA-256 of `quilt-arena lot SEED NAME`.
pub fn lot(tournament_seed: u64, name: &str) -> u64 {
    first_53_bits(&format!("quilt-arena lot {tournament_seed} {name}"))
}

/// The distance of a table's deals from round to round: 2^53 divided by the golden ratio, and odd. Multiples of it lie
/// far apart, so two tables meet on a deal by chance only.
const DEAL_STEP: u64 = 0x13_C6EF_372F_E94F;
/// Its inverse modulo 2^64, and so also modulo 2^53.
const DEAL_STEP_INVERSE: u64 = inverse(DEAL_STEP);

/// Returns the inverse of an odd number modulo 2^64, by Newton's method. Each step doubles the number of right bits.
const fn inverse(odd: u64) -> u64 {
    let (mut inverse, mut step) = (odd, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// Returns the seed of the random draw before a tournament.
pub fn draw_seed(tournament_seed: u64) -> u64 {
    derive("draw", tournament_seed, 0)
}

/// The bound for seeds that a bot can guess. During its start, a bot can try all smaller seeds, and so find
/// every deal of the tournament.
pub const GUESSABLE_BELOW: u64 = 1 << 40;

/// Draws a random seed for a tournament without one. The seed has 53 bits and is at least
/// [`GUESSABLE_BELOW`].
///
/// # Errors
/// The system provides no random bytes.
pub fn fresh_seed() -> Result<u64, Error> {
    loop {
        let word = rand::rngs::SysRng.try_next_u64();
        let word = word.map_err(|error| Error::host(format!("the system gives no random bytes: {error}")))?;
        let seed = word >> (u64::BITS - NUMBER_MAX.trailing_zeros());
        if seed >= GUESSABLE_BELOW {
            return Ok(seed);
        }
    }
}

/// Checks that every language can represent a seed exactly.
///
/// # Errors
/// The seed is 2^53 or larger.
pub fn check_seed(seed: u64) -> Result<u64, Error> {
    match seed < NUMBER_MAX {
        true => Ok(seed),
        false => Err(Error::usage(format!("seed {seed} is too large"))
            .hint(format!("seeds are whole numbers below 2^53 = {NUMBER_MAX}"))),
    }
}

fn derive(purpose: &str, a: u64, b: u64) -> u64 {
    first_53_bits(&format!("quilt-arena {purpose} {a} {b}"))
}

/// Returns the first 53 bits of the SHA-256 of a text.
pub fn first_53_bits(text: &str) -> u64 {
    let hash = Sha256::digest(text);
    let first = hash[..8].try_into().expect("a SHA-256 digest has 32 bytes");
    u64::from_be_bytes(first) >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published test vectors. Check each with `sha256sum`.
    #[test]
    fn published_vectors() {
        assert_eq!(deal_seed(1, 0), 3_375_995_367_096_404);
        assert_eq!(deal_seed(1, 1), 3_277_181_989_868_990);
        assert_eq!(bot_seed(99, 0, 0), 7_280_141_515_620_907);
        assert_eq!(bot_seed(99, 1, 0), 6_682_418_420_458_750);
        assert_eq!(bot_seed(99, 1, 1), 1_873_690_332_596_094);
        assert_eq!(lot(1, "a"), 4_911_984_878_430_507);
    }

    #[test]
    fn the_own_deal_of_a_table_tells_its_round() {
        let table = table_number(1, ["b", "a"]);
        assert_eq!((table, table_number(1, ["a", "b"])), (2_709_774_242_327_929, 2_709_774_242_327_929));
        assert_ne!(table_number(2, ["a", "b"]), table);
        let deals: std::collections::BTreeSet<u64> =
            (0..10_000).map(|round| own_deal(table, round)).collect();
        assert!(deals.len() == 10_000 && deals.iter().all(|&deal| deal < NUMBER_MAX));
        for round in [0, 1, 2, 9_999, 1 << 40, NUMBER_MAX - 1] {
            assert_eq!(round_of_own_deal(table, own_deal(table, round)), round);
        }
        assert!(round_of_own_deal(table, own_deal(table_number(1, ["a", "c"]), 0)) > 1 << 40);
    }

    /// A bot can try a million seeds in a second.
    #[test]
    fn fresh_seeds_cannot_be_tried_out() {
        let seeds: Vec<u64> = (0..1_000).map(|_| fresh_seed().expect("there is randomness")).collect();
        assert!(seeds.iter().all(|seed| (GUESSABLE_BELOW..NUMBER_MAX).contains(seed)));
        let distinct: std::collections::BTreeSet<_> = seeds.iter().collect();
        assert_eq!(distinct.len(), seeds.len());
        assert!(seeds.iter().any(|&seed| seed > NUMBER_MAX / 2), "all 53 bits are drawn");
    }

    #[test]
    fn seeds_stay_below_two_to_the_53() {
        assert!((0..1000).all(|round| deal_seed(round, round) < NUMBER_MAX));
        assert!(check_seed(NUMBER_MAX - 1).is_ok());
        assert!(check_seed(NUMBER_MAX).is_err());
    }
}
