//! More deals for pairs whose order is open.

use super::{Field, Lots, OpenPair, Outcome, Results, Schedule, Stage};
use stats::{DealMeans, rounded};

/// Adds deals after the planned deals of another schedule. Pairs whose order is open play on, deal by deal,
/// until it is decided or they have played `max_rounds` deals. The pairs are neighbours in the table of the
/// planned deals; in a gauntlet, the challenger and each of the others. The order of a pair is open while the
/// 95 % interval of the mean difference of their scores, over deals, contains zero. The interval holds after
/// every deal at once, so that repeated checks do not turn chance into a decision.
#[derive(Debug)]
pub(super) struct UntilDecided {
    pub(super) base: Box<dyn Schedule>,
    pub(super) field: Field,
    pub(super) challenger: Option<usize>,
    pub(super) lots: Lots,
    pub(super) max_rounds: u64,
}

impl UntilDecided {
    /// The bots in the order of the table of the planned deals.
    fn order(&self, results: &Results) -> Vec<usize> {
        results.order(self.field.bots, 0..self.field.rounds)
    }

    /// The pairs, the better bot of the planned deals first.
    fn pairs(&self, order: &[usize]) -> Vec<(usize, usize)> {
        match self.challenger {
            None => order.windows(2).map(|pair| (pair[0], pair[1])).collect(),
            Some(challenger) => {
                let others = order.iter().filter(|&&bot| bot != challenger);
                let above =
                    |bot: usize| order.iter().find(|&&one| one == bot || one == challenger) == Some(&bot);
                others.map(|&bot| if above(bot) { (bot, challenger) } else { (challenger, bot) }).collect()
            }
        }
    }

    /// The 95 % confidence interval of the mean margin, valid however often it is checked.
    fn interval(&self, margins: &DealMeans) -> Option<[f64; 2]> {
        margins.estimate().interval_at_any_time(self.field.rounds)
    }

    /// Returns true if zero lies outside of the interval.
    fn is_decided(&self, margins: &DealMeans) -> bool {
        self.interval(margins).is_some_and(|[low, high]| low > 0.0 || high < 0.0)
    }

    /// The bots at the table that plays on for a pair: the two bots, and their neighbours in the order if
    /// there are more seats.
    fn table(&self, order: &[usize], pair: (usize, usize)) -> Vec<usize> {
        let around = |bot: &usize| {
            let place =
                |bot: usize| order.iter().position(|&one| one == bot).expect("the order has every bot");
            place(*bot).abs_diff(place(pair.0)).min(place(*bot).abs_diff(place(pair.1)))
        };
        let mut nearest = order.to_vec();
        nearest.sort_by_key(around);
        nearest.truncate(self.field.seats);
        nearest.sort_unstable();
        nearest
    }
}

impl Schedule for UntilDecided {
    fn stage(&self, number: u64, results: &Results) -> Option<Stage> {
        let Some(more) = number.checked_sub(1) else { return self.base.stage(0, results) };
        let round = self.field.rounds + more;
        if round >= self.max_rounds {
            return None;
        }
        let order = self.order(results);
        let pairs = self.pairs(&order);
        let open = pairs.iter().zip(results.margins(&pairs)).filter(|(_, margins)| !self.is_decided(margins));
        let mut tables: Vec<Vec<usize>> = open.map(|(&pair, _)| self.table(&order, pair)).collect();
        tables.sort_unstable();
        tables.dedup();
        // A stage begins with the seats as given; here the rotation of seats continues from deal to deal.
        for table in &mut tables {
            self.lots.seat(table);
            table.rotate_left((round % self.field.seats as u64) as usize);
        }
        (!tables.is_empty()).then(|| self.field.stage(tables, round..round + 1))
    }

    fn outcome(&self, results: &Results, names: &[String]) -> Option<Outcome> {
        let pairs = self.pairs(&self.order(results));
        let margins = results.margins(&pairs);
        let entry = |(&(bot, against), margins): (&(usize, usize), &DealMeans)| OpenPair {
            bot: names[bot].clone(),
            against: names[against].clone(),
            deals: margins.deals(),
            mean_margin: rounded(margins.estimate().value),
            margin_ci95: self.interval(margins).map(|ends| ends.map(rounded)),
            decided: self.is_decided(margins),
        };
        Some(Outcome::UntilDecided(pairs.iter().zip(&margins).map(entry).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::played;
    use super::super::{ScheduleName, Settings};
    use super::*;

    fn names() -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).into()
    }

    /// Bots a and b draw all their matches, and c loses all.
    fn better(one: usize, other: usize) -> Option<usize> {
        (one.max(other) == 2).then_some(one.min(other))
    }

    #[test]
    fn only_pairs_whose_order_is_open_go_on_and_not_for_ever() {
        let mut starts = Vec::new();
        let by_names = [(1, false), (1, true), (2, true), (3, true)];
        for (schedule, (seed, by_names)) in [ScheduleName::RoundRobin, ScheduleName::Gauntlet]
            .into_iter()
            .flat_map(|schedule| by_names.map(|lots| (schedule, lots)))
        {
            let settings = Settings { schedule, max_rounds: Some(6), ..Settings::default() };
            let field = Field { bots: 3, seats: 2, rounds: 4, every_seat_each_deal: false };
            let until = settings.schedule(field, &names(), seed, by_names).expect("it can be played");
            let mut results = Results::default();
            let planned = until.stage(0, &results).expect("the planned deals");
            played(&mut results, &planned, better);
            // The seats rotate on as if the deals had been planned.
            let mut places = (0..planned.total()).map(|place| planned.pairing(place).bots);
            let first = places.find(|bots| !bots.contains(&2)).expect("a and b meet");
            assert!(by_names || first == [0, 1], "{first:?}");
            let turned = vec![first[1], first[0]];
            starts.push(first.clone());
            for number in 1..3 {
                let stage = until.stage(number, &results).expect("a deal more");
                let round = 3 + number;
                let seats: Vec<usize> = if round % 2 == 0 { first.clone() } else { turned.clone() };
                assert_eq!(stage.total(), 1, "{schedule:?}");
                assert_eq!((stage.pairing(0).round, stage.pairing(0).bots), (round, seats));
                played(&mut results, &stage, better);
            }
            assert_eq!(until.stage(3, &results), None, "six deals are the most");
            let Some(Outcome::UntilDecided(pairs)) = until.outcome(&results, &names()) else {
                panic!("pairs")
            };
            let reported: Vec<(u64, bool)> = pairs.iter().map(|pair| (pair.deals, pair.decided)).collect();
            assert_eq!(reported, [(6, false), (4, true)], "{schedule:?}");
        }
        assert!(starts.contains(&vec![1, 0]), "lots seat b before a with one of the seeds");
    }
}
