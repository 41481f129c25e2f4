//! Tiers: runs of bots in a table that do not differ significantly.

/// Returns the first and the last tier of each place of a table, from 1. A tier is a run of places, as long as
/// possible, in which no two bots differ. Tiers may overlap: two bots differ if they share none (after the
/// letter display of Piepho, 2004). `differ(a, b)` returns true if the bots at places `a < b` differ
/// significantly.
pub fn tiers(places: usize, differ: impl Fn(usize, usize) -> bool) -> Vec<[u32; 2]> {
    // The place from which on a run may reach this place.
    let begins = |place: usize| (0..place).rev().find(|&before| differ(before, place)).map_or(0, |it| it + 1);
    let mut tiers: Vec<[u32; 2]> = Vec::with_capacity(places);
    let (mut begin, mut last) = (0, 1);
    for place in 0..places {
        let next = begins(place).max(begin);
        if next > begin {
            begin = next;
            last += 1;
            tiers[begin..].iter_mut().for_each(|tier| tier[1] = last);
        }
        tiers.push([last, last]);
    }
    tiers
}
