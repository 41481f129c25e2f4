//! The pairs of one round of a Swiss tournament.

use petgraph::algo::maximum_matching;
use petgraph::graph::UnGraph;

/// A bot before the round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) bot: usize,
    pub(super) points: u64,
    pub(super) byes: u64,
}

/// A paired round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Paired {
    /// The pairs, the better bot first.
    pub(super) pairs: Vec<(usize, usize)>,
    /// The bot without an opponent, if the number of bots is odd.
    pub(super) bye: Option<usize>,
}

/// Pairs the bots, which are sorted best first. `met` returns how often two bots have met.
///
/// The rules follow the Dutch system of FIDE. The rules on colours are left out, because every meeting here
/// gives each bot each seat:
///
/// 1. No two bots meet again as long as all bots can be paired otherwise.
/// 2. The bye goes to a bot with the fewest byes so far: the last one whose bye lets the others be paired.
/// 3. Bots of equal points form a group. As many bots as possible are paired within it. The others move down
///    and are paired first in the next group, with the best bot that they have not met.
/// 4. The upper half of a group meets the lower half in order: first with first. If a pair is not allowed, the
///    bot meets the next one of the lower half that lets the rest be paired. Bots of one half meet only if the
///    halves cannot be paired with each other.
pub(super) fn pair(entries: &[Entry], met: &dyn Fn(usize, usize) -> usize) -> Paired {
    // Some number of meetings allows all pairs, so this ends.
    (0..).find_map(|most| pair_with(entries, &|one, other| met(one, other) <= most)).expect("the search ends")
}

/// Returns the pairs that `allowed` permits, if all bots can be paired.
fn pair_with(entries: &[Entry], allowed: &dyn Fn(usize, usize) -> bool) -> Option<Paired> {
    let all: Vec<usize> = entries.iter().map(|entry| entry.bot).collect();
    let without =
        |bot: Option<usize>| all.iter().copied().filter(|&one| Some(one) != bot).collect::<Vec<_>>();
    let can = |bye: Option<usize>| {
        let rest = without(bye);
        matching(&rest, allowed) == rest.len() / 2
    };
    let bye = match all.len() % 2 {
        0 => can(None).then_some(None)?,
        _ => {
            let mut candidates: Vec<&Entry> = entries.iter().rev().collect();
            candidates.sort_by_key(|entry| entry.byes);
            Some(candidates.iter().map(|entry| entry.bot).find(|&bot| can(Some(bot)))?)
        }
    };
    let playing: Vec<Entry> = entries.iter().copied().filter(|entry| Some(entry.bot) != bye).collect();
    let mut round = Round { allowed, moved: Vec::new(), upper: None, lower: without(bye), pairs: Vec::new() };
    for group in playing.chunk_by(|one, other| one.points == other.points) {
        round.pair_group(&group.iter().map(|entry| entry.bot).collect::<Vec<_>>());
    }
    Some(Paired { pairs: round.pairs, bye })
}

/// Returns the largest number of pairs among these bots.
fn matching(bots: &[usize], allowed: &dyn Fn(usize, usize) -> bool) -> usize {
    let mut graph = UnGraph::<(), ()>::with_capacity(bots.len(), bots.len() * bots.len() / 2);
    let nodes: Vec<_> = bots.iter().map(|_| graph.add_node(())).collect();
    for (place, &one) in bots.iter().enumerate() {
        for (other_place, &other) in bots.iter().enumerate().skip(place + 1) {
            if allowed(one, other) {
                graph.add_edge(nodes[place], nodes[other_place], ());
            }
        }
    }
    maximum_matching(&graph).edges().count()
}

/// A round in the making. The unpaired bots can always all be paired with allowed pairs. No such pair joins a
/// bot that moved down with a bot of the group that it left.
struct Round<'a> {
    allowed: &'a dyn Fn(usize, usize) -> bool,
    /// Bots left over from the groups above, in order.
    moved: Vec<usize>,
    /// The upper half of the group, if it meets the lower half only.
    upper: Option<Vec<usize>>,
    /// All bots of the groups below.
    lower: Vec<usize>,
    pairs: Vec<(usize, usize)>,
}

impl Round<'_> {
    fn pair_group(&mut self, group: &[usize]) {
        self.lower.retain(|bot| !group.contains(bot));
        let arrived = std::mem::take(&mut self.moved);
        let mut open: Vec<usize> = arrived.iter().chain(group).copied().collect();
        for (place, &bot) in arrived.iter().enumerate() {
            self.pair_one(bot, group.iter().chain(&arrived[place + 1..]), &mut open);
        }
        let rest: Vec<usize> = open.clone();
        let (upper, lower) = rest.split_at(rest.len() / 2);
        let most = matching(&rest, self.allowed);
        self.upper = Some(upper.to_vec());
        if matching(&rest, &|one, other| self.fits(one, other)) < most || !self.can_be_paired(&rest, None) {
            self.upper = None;
        }
        for (place, &bot) in upper.iter().enumerate() {
            self.pair_one(bot, lower.iter().chain(&upper[place + 1..]), &mut open);
        }
        for (place, &bot) in lower.iter().enumerate() {
            self.pair_one(bot, lower[place + 1..].iter(), &mut open);
        }
        self.upper = None;
    }

    /// Returns true if two bots of the group may form a pair.
    fn fits(&self, one: usize, other: usize) -> bool {
        let across = |upper: &Vec<usize>| upper.contains(&one) != upper.contains(&other);
        (self.allowed)(one, other) && self.upper.as_ref().is_none_or(across)
    }

    /// Pairs a bot with the first of `wanted` in `open` that leaves as many pairs as possible to the group,
    /// and lets all bots be paired. Without such a bot, moves the bot down, if the others can then all be
    /// paired. Otherwise takes the first bot that lets all be paired.
    fn pair_one<'b>(&mut self, bot: usize, wanted: impl Iterator<Item = &'b usize>, open: &mut Vec<usize>) {
        if !open.contains(&bot) {
            return;
        }
        let candidates: Vec<usize> =
            wanted.copied().filter(|other| open.contains(other) && self.fits(bot, *other)).collect();
        let without = |other: usize| -> Vec<usize> {
            open.iter().copied().filter(|&one| one != bot && one != other).collect()
        };
        let fits = |one, other| self.fits(one, other);
        let most = matching(open, &fits);
        let keeps_pairs = |other: &usize| matching(&without(*other), &fits) + 1 == most;
        let keeps_all = |other: &usize| self.can_be_paired(&without(*other), None);
        let best = candidates.iter().find(|other| keeps_pairs(other) && keeps_all(other));
        let partner = match best {
            Some(&other) => Some(other),
            None if self.can_be_paired(&without(bot), Some(bot)) => None,
            None => candidates.iter().copied().find(|other| keeps_all(other)),
        };
        open.retain(|&one| one != bot && Some(one) != partner);
        match partner {
            Some(other) => self.pairs.push((bot, other)),
            None => self.moved.push(bot),
        }
    }

    /// Returns true if all bots can be paired when `open` bots remain in the group and `leaving` moves down
    /// as well.
    fn can_be_paired(&self, open: &[usize], leaving: Option<usize>) -> bool {
        let moved: Vec<usize> = self.moved.iter().copied().chain(leaving).collect();
        let all: Vec<usize> = open.iter().chain(&moved).chain(&self.lower).copied().collect();
        let allowed = |one, other| match (open.contains(&one), open.contains(&other)) {
            (true, true) => self.fits(one, other),
            (true, false) => !moved.contains(&other) && (self.allowed)(one, other),
            (false, true) => !moved.contains(&one) && (self.allowed)(one, other),
            (false, false) => (self.allowed)(one, other),
        };
        matching(&all, &allowed) * 2 == all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Entries in order from (number, half points, byes).
    fn entries(list: &[(usize, u64, u64)]) -> Vec<Entry> {
        list.iter().map(|&(bot, points, byes)| Entry { bot, points, byes }).collect()
    }

    fn paired(list: &[(usize, u64, u64)], met: &[(usize, usize)]) -> (Vec<(usize, usize)>, Option<usize>) {
        let have = |a: usize, b: usize| met.iter().filter(|&&pair| pair == (a, b) || pair == (b, a)).count();
        let Paired { pairs, bye } = pair(&entries(list), &have);
        (pairs, bye)
    }

    fn equal(bots: usize) -> Vec<(usize, u64, u64)> {
        (1..=bots).map(|bot| (bot, 0, 0)).collect()
    }

    /// The example of the tutorial on the Dutch system for FIDE's arbiters (M. Held): fourteen players, the
    /// first round. With seven players, the last has the bye.
    #[test]
    fn first_rounds_are_those_of_the_books() {
        let first: Vec<(usize, usize)> = (1..=7).map(|bot| (bot, bot + 7)).collect();
        assert_eq!(paired(&equal(14), &[]), (first, None));
        assert_eq!(paired(&equal(7), &[]), (vec![(1, 4), (2, 5), (3, 6)], Some(7)));
    }

    /// The second round of the same example: 1, 2, 3, 5, 6 and 7 have won, 4 and 11 have drawn against each
    /// other, 12 is away. The tutorial exchanges two pairs of a group because of colours, which do not count
    /// here. Only the groups must agree: 1-5 and 10-13, 2 and 3 against 6 and 7. 4 and 11 move down and meet
    /// 8 and 9, and 14 has the bye.
    #[test]
    fn the_second_round_of_the_tutorial() {
        let met: Vec<(usize, usize)> = (1..=7).map(|bot| (bot, bot + 7)).collect();
        let won = [1, 2, 3, 5, 6, 7].map(|bot| (bot, 2, 0));
        let drawn = [4, 11].map(|bot| (bot, 1, 0));
        let lost = [8, 9, 10, 13, 14].map(|bot| (bot, 0, 0));
        let (pairs, bye) = paired(&[&won[..], &drawn, &lost].concat(), &met);
        assert_eq!(pairs, [(1, 5), (2, 6), (3, 7), (4, 8), (11, 9), (10, 13)]);
        assert_eq!(bye, Some(14));
    }

    /// The order of the transpositions of a lower half in FIDE's handbook: first the last two change places,
    /// then the last three. This keeps the upper pairs as long as possible.
    #[test]
    fn transpositions_keep_the_upper_pairs() {
        assert_eq!(paired(&equal(6), &[(3, 6)]).0, [(1, 4), (2, 6), (3, 5)]);
        assert_eq!(paired(&equal(6), &[(3, 6), (2, 6)]).0, [(1, 6), (2, 4), (3, 5)]);
        assert_eq!(paired(&equal(6), &[(1, 4)]).0, [(1, 5), (2, 4), (3, 6)]);
        // No bot of the lower half is left for 1, so it exchanges with the upper half.
        let met = [(1, 3), (1, 4)];
        assert_eq!(paired(&equal(4), &met).0, [(1, 2), (3, 4)]);
    }

    #[test]
    fn the_last_of_an_odd_group_moves_down() {
        let list = [(1, 2, 0), (2, 2, 0), (3, 2, 0), (4, 0, 0), (5, 0, 0), (6, 0, 0)];
        assert_eq!(paired(&list, &[]).0, [(1, 2), (3, 4), (5, 6)]);
        assert_eq!(paired(&list, &[(3, 4)]).0, [(1, 2), (3, 5), (4, 6)]);
        assert_eq!(paired(&list, &[(1, 2)]).0, [(1, 3), (2, 4), (5, 6)]);
    }

    #[test]
    fn a_second_bye_and_a_rematch_are_the_last_resort() {
        assert_eq!(paired(&[(1, 2, 0), (2, 0, 0), (3, 0, 1)], &[]), (vec![(1, 3)], Some(2)));
        assert_eq!(paired(&equal(2), &[(1, 2)]).0, [(1, 2)]);
        let all_met = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4), (1, 3)];
        assert_eq!(paired(&equal(4), &all_met).0, [(1, 4), (2, 3)], "1 and 3 would meet for a third time");
    }

    /// Random histories: every bot is paired once, and rematches happen only if they are unavoidable.
    #[test]
    fn whoever_can_be_paired_without_a_rematch_is() {
        let mut chance = engine::dealer::Dealer::new(5, 0);
        for case in 0..300 {
            let bots = 2 * (1 + chance.below(5) as usize);
            let mut list: Vec<(usize, u64, u64)> =
                (0..bots).map(|bot| (bot, u64::from(chance.below(4)), 0)).collect();
            list.sort_by_key(|&(bot, points, _)| (std::cmp::Reverse(points), bot));
            let mut met = Vec::new();
            for one in 0..bots {
                met.extend((one + 1..bots).filter(|_| chance.below(2) == 0).map(|other| (one, other)));
            }
            let (pairs, _) = paired(&list, &met);
            let mut seen: BTreeMap<usize, u64> = BTreeMap::new();
            pairs
                .iter()
                .for_each(|&(a, b)| [a, b].iter().for_each(|&bot| *seen.entry(bot).or_default() += 1));
            assert!(seen.len() == bots && seen.values().all(|&count| count == 1), "case {case}: {pairs:?}");
            let new = |one: usize, other: usize| !met.contains(&(one.min(other), one.max(other)));
            let possible = matching(&(0..bots).collect::<Vec<_>>(), &new) * 2 == bots;
            assert_eq!(
                pairs.iter().all(|&(a, b)| new(a, b)),
                possible,
                "case {case}: {list:?} {met:?} {pairs:?}"
            );
        }
    }
}
