//! Tiers: runs of bots in a table that do not differ significantly.

/// Returns the tier of each place of a table, from 1. A tier begins with the first bot that differs
/// significantly from the first bot of the tier above. `told(a, b)` returns true if the bots at places `a <
/// b` differ significantly.
pub fn tiers(places: usize, told: impl Fn(usize, usize) -> bool) -> Vec<u32> {
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
