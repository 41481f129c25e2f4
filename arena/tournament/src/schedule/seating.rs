//! Who sits where: tables of bots that have met little, and seats that each bot has had equally often.

use engine::dealer::Dealer;

/// The number of shuffles from which the search begins.
const TRIES: usize = 4;

/// Returns tables of `seats` bots, the last one of those that are left over. The search exchanges two bots of different
/// tables as long as that lowers the sum of the costs of all pairs at tables. It begins with the bots in their order, and with
/// several shuffles; the best end counts. A bot costs nothing with itself.
pub(super) fn tables(
    bots: &[usize],
    seats: usize,
    cost: &dyn Fn(usize, usize) -> u64,
    chance: &mut Dealer,
) -> Vec<Vec<usize>> {
    let mut order = bots.to_vec();
    let tries = (0..=TRIES).map(|_| {
        let found = improved(order.clone(), seats, cost);
        chance.shuffle(&mut order);
        found
    });
    let (_, order) = tries.min_by_key(|(sum, _)| *sum).expect("there is more than one try");
    order.chunks(seats).map(<[usize]>::to_vec).collect()
}

/// Exchanges bots of this order, of which each `seats` are a table. Returns twice the sum of the costs, and the order.
fn improved(mut order: Vec<usize>, seats: usize, cost: &dyn Fn(usize, usize) -> u64) -> (u64, Vec<usize>) {
    let table_of = |place: usize| place / seats;
    let with = |bot: usize, table: &[usize]| table.iter().map(|&other| cost(bot, other)).sum();
    // The cost of each bot with each table.
    let of_bot = |&bot: &usize| order.chunks(seats).map(|table| with(bot, table)).collect();
    let mut costs: Vec<Vec<u64>> = order.iter().map(of_bot).collect();
    let mut is_better = true;
    while std::mem::take(&mut is_better) {
        for one in 0..order.len() {
            for other in (table_of(one) + 1) * seats..order.len() {
                let [here, there] = [one, other].map(table_of);
                let together = 2 * cost(order[one], order[other]);
                let now = costs[one][here] + costs[other][there];
                if costs[one][there] + costs[other][here] >= now + together {
                    continue;
                }
                is_better = true;
                for (bot, costs) in order.iter().zip(&mut costs) {
                    let [of_one, of_other] = [one, other].map(|place| cost(*bot, order[place]));
                    costs[here] = costs[here] + of_other - of_one;
                    costs[there] = costs[there] + of_one - of_other;
                }
                order.swap(one, other);
                costs.swap(one, other);
            }
        }
    }
    ((0..order.len()).map(|place| costs[place][table_of(place)]).sum(), order)
}

/// Puts the bots of each table in the order of their seats, so that no bot has a seat twice. No bot is at more than `seats`
/// of these tables. `had` tells how often a bot had a seat before: where there is a choice, it gets the rarest.
///
/// This colours the edges of a bipartite graph, as in the proof of Kőnig's theorem. If its seat is taken at a table, two
/// seats are exchanged along the path of bots and tables that begins there.
pub(super) fn seat<'a>(tables: impl Iterator<Item = &'a mut Vec<usize>>, seats: usize, had: &[Vec<u64>]) {
    let mut tables: Vec<_> = tables.collect();
    let mut table_of_bot = vec![vec![None; seats]; had.len()];
    let mut bot_at_table: Vec<Vec<Option<usize>>> = vec![vec![None; seats]; tables.len()];
    for (number, bots) in tables.iter().enumerate() {
        for &bot in bots.iter() {
            let own = (0..seats).filter(|&seat| table_of_bot[bot][seat].is_none());
            let own =
                own.min_by_key(|&seat| had[bot][seat]).expect("it is at fewer tables than there are seats");
            let free =
                bot_at_table[number].iter().position(Option::is_none).expect("a table has room for its bots");
            let (mut table, mut moved) = (number, bot_at_table[number][own]);
            // `moved` gives up the seat `own` at `table` for `free`, and takes `own` where it had `free`.
            while let Some(other) = moved {
                bot_at_table[table][free] = Some(other);
                let next = table_of_bot[other][free].replace(table);
                table_of_bot[other][own] = next;
                moved = next.and_then(|next| {
                    table = next;
                    bot_at_table[next][free] = None;
                    bot_at_table[next][own].replace(other)
                });
            }
            (bot_at_table[number][own], table_of_bot[bot][own]) = (Some(bot), Some(number));
        }
    }
    for (bots, seated) in tables.iter_mut().zip(bot_at_table) {
        bots.clear();
        bots.extend(seated.into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws blocks of rounds, in which some bots pause or sit at a smaller table, and checks that no bot has a seat twice.
    #[test]
    fn no_bot_has_a_seat_twice_in_a_block() {
        for (bots, seats) in [(4, 4), (8, 4), (28, 4), (7, 3), (11, 4), (30, 7), (5, 2), (12, 12)] {
            let mut chance = Dealer::new(bots as u64, 0);
            let mut had = vec![vec![0; seats]; bots];
            for _ in 0..20 {
                let mut block = Vec::new();
                for _ in 0..seats {
                    let mut order: Vec<usize> = (0..bots).collect();
                    chance.shuffle(&mut order);
                    order.truncate(bots - chance.below(2) as usize);
                    block.extend(order.chunks(seats).map(<[usize]>::to_vec));
                }
                let before = block.clone();
                seat(block.iter_mut(), seats, &had);
                let mut taken = vec![vec![false; seats]; bots];
                for (table, before) in block.iter().zip(before) {
                    let sorted = |mut table: Vec<usize>| {
                        table.sort_unstable();
                        table
                    };
                    assert_eq!(sorted(table.clone()), sorted(before), "the bots of a table stay");
                    for (seat, &bot) in table.iter().enumerate().filter(|_| table.len() == seats) {
                        assert!(!std::mem::replace(&mut taken[bot][seat], true), "{bots} {seats}");
                        had[bot][seat] += 1;
                    }
                }
            }
        }
    }

    #[test]
    fn the_search_finds_tables_without_a_costly_pair() {
        // Bots of the same residue class must not meet.
        let bots: Vec<usize> = (0..12).collect();
        let cost = |one: usize, other: usize| u64::from(one != other && one % 3 == other % 3);
        for seed in 0..20 {
            let tables = tables(&bots, 3, &cost, &mut Dealer::new(seed, 0));
            assert!(tables.iter().all(|table| table.len() == 3), "{tables:?}");
            let paired = |table: &Vec<usize>| table.iter().map(|one| one % 3).sum::<usize>() == 3;
            assert!(tables.iter().all(paired), "{tables:?}");
        }
    }
}
