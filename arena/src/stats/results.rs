//! Results of a tournament in flat memory, deal by deal.

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

/// Results of a tournament, deal by deal and table by table; the places of a table stand in the
/// order of its seats.
#[derive(Clone, Debug)]
pub struct Results {
    bots: usize,
    places: Vec<Place>,
    /// Where each table begins among the places, and where the last one ends.
    tables: Vec<usize>,
    /// Where each deal begins among the tables, and where the last one ends.
    deals: Vec<usize>,
}

impl Results {
    /// None yet, of so many bots.
    pub fn new(bots: usize) -> Results {
        Results { bots, places: Vec::new(), tables: vec![0], deals: vec![0] }
    }

    /// Adds a deal with its tables. The numbers of bots are below [`bots`](Self::bots).
    pub fn add_deal<T: IntoIterator<Item = Place>>(&mut self, tables: impl IntoIterator<Item = T>) {
        for table in tables {
            self.places.extend(table);
            self.tables.push(self.places.len());
        }
        self.deals.push(self.tables.len() - 1);
    }

    /// Adds a deal that bots played alone: all of them count as one table, in the order of their
    /// points, those that failed behind the others.
    pub fn add_solo_deal(&mut self, mut places: Vec<Place>) {
        let merit = |place: &Place| (!place.fault, place.score);
        let merits: Vec<_> = places.iter().map(merit).collect();
        for place in &mut places {
            place.rank = 1 + merits.iter().filter(|&&other| other > merit(place)).count() as u32;
        }
        self.add_deal([places]);
    }

    /// Number of bots.
    pub fn bots(&self) -> usize {
        self.bots
    }

    /// The deals, each as its tables.
    pub fn deals(&self) -> impl Iterator<Item = impl Iterator<Item = &[Place]> + Clone> {
        self.deals.windows(2).map(|deal| {
            self.tables[deal[0]..=deal[1]].windows(2).map(|table| &self.places[table[0]..table[1]])
        })
    }

    /// All seats.
    pub fn places(&self) -> &[Place] {
        &self.places
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

/// Sums of the deal at hand, by the number of a bot or a pair. Only what was touched is cleared.
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
