//! Brackets: bots that cannot be told apart.

/// The bracket of each place of a table, from 1. A bracket begins where a bot is told from the first
/// of the bracket before; `told(a, b)` says whether the bots at places `a < b` are told apart.
pub fn brackets(places: usize, told: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let (mut first, mut bracket) = (0, 1);
    (0..places)
        .map(|place| {
            if told(first, place) && place > first {
                (first, bracket) = (place, bracket + 1);
            }
            bracket
        })
        .collect()
}
