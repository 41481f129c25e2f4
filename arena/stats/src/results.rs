//! Results of a tournament, deal by deal.

/// The result of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the bot.
    pub bot: u32,
    /// The rank at the table, from 1 for the best. Equal ranks are a draw.
    pub rank: u32,
    /// The score, in points.
    pub score: i32,
    /// True if the bot had a fault.
    pub fault: bool,
}

/// Results of a tournament, deal by deal. The results may exceed the memory. A computation therefore visits
/// one deal at a time, and may visit all deals several times.
pub trait Deals {
    /// Returns the number of bots. Bots are numbered from 0.
    fn bots(&self) -> usize;

    /// Calls `show` with every deal, always in the same order.
    fn each(&self, show: impl FnMut(&Deal));
}

/// The tables at which a deal was played. The places of a table are in seat order.
#[derive(Clone, Debug, Default)]
pub struct Deal {
    places: Vec<Place>,
    /// The index in `places` after the last place of each table.
    ends: Vec<usize>,
}

impl Deal {
    /// Adds a table.
    pub fn add_table(&mut self, places: impl IntoIterator<Item = Place>) {
        self.places.extend(places);
        self.ends.push(self.places.len());
    }

    /// Joins all tables into one, for a deal that each bot played alone. Ranks follow the points, with
    /// failed bots last.
    pub fn join_tables(&mut self) {
        let merit = |place: &Place| (!place.fault, place.score);
        let merits: Vec<_> = self.places.iter().map(merit).collect();
        for place in &mut self.places {
            place.rank = 1 + merits.iter().filter(|&&other| other > merit(place)).count() as u32;
        }
        self.ends = vec![self.places.len()];
    }

    /// Returns the places of each table.
    pub fn tables(&self) -> impl Iterator<Item = &[Place]> + Clone {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.places[begin..end])
    }

    /// Returns the places of all tables.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Removes all tables.
    pub fn clear(&mut self) {
        self.places.clear();
        self.ends.clear();
    }
}

/// Results in memory.
#[derive(Clone, Debug)]
pub struct Results {
    bots: usize,
    deals: Vec<Deal>,
}

impl Results {
    /// Creates empty results for `bots` bots.
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

/// Returns the pairs of different bots at a table, each once.
pub(super) fn pairs_of(table: &[Place]) -> impl Iterator<Item = (&Place, &Place)> {
    let pairs = table
        .iter()
        .enumerate()
        .flat_map(|(seat, one)| table[seat + 1..].iter().map(move |other| (one, other)));
    pairs.filter(|(one, other)| one.bot != other.bot)
}

/// Returns 1 if the first place won, 0.5 for a draw, and 0 if it lost.
pub(super) fn score(one: &Place, other: &Place) -> f64 {
    match one.rank.cmp(&other.rank) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    }
}

/// Sums for the current deal, by the number of a bot or a pair. The list grows as needed. Only entries in
/// use are cleared.
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

    /// Returns the sums in the order of their first use, and clears them.
    pub(super) fn take(&mut self) -> Vec<(usize, T)> {
        let take = |number: usize| {
            self.is_touched[number] = false;
            (number, std::mem::take(&mut self.sums[number]))
        };
        self.touched.drain(..).map(take).collect()
    }
}
