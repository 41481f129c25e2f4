//! Results of a tournament, deal by deal.

/// A seat's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The bot, by its number.
    pub bot: u32,
    /// Its rank at the table, 1 the best; equal ranks are a draw.
    pub rank: u32,
    /// Its points.
    pub score: i32,
    /// Whether it failed.
    pub fault: bool,
}

/// Results of a tournament, deal by deal. They may be more than memory holds, so whoever computes from them is shown
/// one deal after the other, as often as it needs them.
pub trait Deals {
    /// Number of bots; their numbers are below it.
    fn bots(&self) -> usize;

    /// Shows every deal, always in the same order.
    fn each(&self, show: impl FnMut(&Deal));
}

/// The tables at which a deal was played; the places of a table stand in the order of its seats.
#[derive(Clone, Debug, Default)]
pub struct Deal {
    places: Vec<Place>,
    /// Where each table ends among the places.
    ends: Vec<usize>,
}

impl Deal {
    /// Adds a table.
    pub fn add_table(&mut self, places: impl IntoIterator<Item = Place>) {
        self.places.extend(places);
        self.ends.push(self.places.len());
    }

    /// Where bots played the deal alone all of them count as one table, in the order of their points, those that
    /// failed behind the others.
    pub fn join_tables(&mut self) {
        let merit = |place: &Place| (!place.fault, place.score);
        let merits: Vec<_> = self.places.iter().map(merit).collect();
        for place in &mut self.places {
            place.rank = 1 + merits.iter().filter(|&&other| other > merit(place)).count() as u32;
        }
        self.ends = vec![self.places.len()];
    }

    /// The tables.
    pub fn tables(&self) -> impl Iterator<Item = &[Place]> + Clone {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.places[begin..end])
    }

    /// All seats.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Takes all tables away.
    pub fn clear(&mut self) {
        self.places.clear();
        self.ends.clear();
    }
}

/// Results that memory holds.
#[derive(Clone, Debug)]
pub struct Results {
    bots: usize,
    deals: Vec<Deal>,
}

impl Results {
    /// None yet, of so many bots.
    pub fn new(bots: usize) -> Results {
        Results { bots, deals: Vec::new() }
    }

    /// Adds a deal.
    pub fn add_deal(&mut self, deal: Deal) {
        self.deals.push(deal);
    }
}

impl Deals for Results {
    fn bots(&self) -> usize {
        self.bots
    }

    fn each(&self, show: impl FnMut(&Deal)) {
        self.deals.iter().for_each(show);
    }
}

/// The pairs of different bots at a table, each once.
pub(super) fn pairs_of(table: &[Place]) -> impl Iterator<Item = (&Place, &Place)> {
    let pairs = table
        .iter()
        .enumerate()
        .flat_map(|(seat, one)| table[seat + 1..].iter().map(move |other| (one, other)));
    pairs.filter(|(one, other)| one.bot != other.bot)
}

/// 1 for a win of the first, 1/2 for a draw, 0 for a loss.
pub(super) fn score(one: &Place, other: &Place) -> f64 {
    match one.rank.cmp(&other.rank) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    }
}

/// Sums of the deal at hand, by the number of a bot or a pair; it grows as needed. Only what was touched is cleared.
#[derive(Debug)]
pub(super) struct DealSums<T> {
    sums: Vec<T>,
    touched: Vec<usize>,
    is_touched: Vec<bool>,
}

impl<T: Clone + Default> DealSums<T> {
    pub(super) fn new(size: usize) -> DealSums<T> {
        DealSums { sums: vec![T::default(); size], touched: Vec::new(), is_touched: vec![false; size] }
    }

    pub(super) fn of(&mut self, number: usize) -> &mut T {
        if number >= self.sums.len() {
            self.sums.resize(number + 1, T::default());
            self.is_touched.resize(number + 1, false);
        }
        if !std::mem::replace(&mut self.is_touched[number], true) {
            self.touched.push(number);
        }
        &mut self.sums[number]
    }

    /// Takes what was summed, in the order in which it was first touched, and is empty again.
    pub(super) fn take(&mut self) -> Vec<(usize, T)> {
        let take = |number: usize| {
            self.is_touched[number] = false;
            (number, std::mem::take(&mut self.sums[number]))
        };
        self.touched.drain(..).map(take).collect()
    }
}
