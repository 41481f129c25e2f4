//! The basis of plans: how much the difference between two bots varies from deal to deal.

use stats::planning::Variation;

use crate::standings::{Standings, Tally};
use referee::error::Error;
use referee::games::League;

/// The variation of the difference between two similar bots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Basis {
    /// The variance over deals, in Elo squared for tables of two, in points squared for solo games.
    pub variation: Variation,
    /// The Elo that a mean margin of one point is worth. `None` for solo games.
    pub elo_of_point: Option<f64>,
}

impl Basis {
    /// Returns the variation in a reference league.
    pub fn reference(league: &League) -> Basis {
        let League { bots, meeting, elo_of_point, .. } = *league;
        Basis { variation: Variation { bots, meeting }, elo_of_point: Some(elo_of_point) }
    }

    /// Returns the variation in a finished round robin.
    ///
    /// # Errors
    /// A table has more than two seats, no two bots are similar, or all play alike.
    pub fn of(tally: &Tally, standings: &Standings) -> Result<Basis, Error> {
        let (variation, elo_of_point) = match standings.seats {
            1 => (Variation::of_scores(tally), None),
            2 => (Variation::of_ratings(tally), elo_of_point(standings)),
            seats => {
                return Err(Error::usage(format!("a table has {seats} seats, and a plan is for 1 or 2")));
            }
        };
        match variation {
            Some(variation) if variation.bots + variation.meeting == 0.0 => {
                Err(Error::usage("its bots play alike: their differences are the same on every deal"))
            }
            Some(variation) if elo_of_point.is_some() || standings.seats == 1 => {
                Ok(Basis { variation, elo_of_point })
            }
            _ => Err(Error::usage(
                "no two of its bots are similar: each wins at least a quarter of the matches",
            )),
        }
    }
}

/// Returns the slope of the ratings over the mean margins.
fn elo_of_point(standings: &Standings) -> Option<f64> {
    let rated = standings.rows.iter().filter_map(|row| Some((row.rating?.elo, row.mean_margin)));
    let sums = rated.map(|(elo, margin)| (elo * margin, margin * margin));
    let (product, square) = sums.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (square > 0.0).then_some(product / square).filter(|slope| *slope > 0.0)
}
