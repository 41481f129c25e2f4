//! Computes the tables from the counted results.

use std::cmp::Ordering;

use sha2::{Digest, Sha256};

use super::tally::{Tally, mean};
use super::{About, Classes, DEALS_MIN, Encounter, FirstSeat, Leader, Next, Rating, Row, Shares, Standings};
use referee::play::time_control::OwnLimits;
use referee::record::hex;
use stats::{
    BotMeans, Claims, Deals, Estimate, Histogram, Luck, Pairs, Ratings, SeatAdvantage, bot_means, histogram,
    luck, mean_distance, rounded, score_claims, seat_advantage, tiers,
};

impl Tally {
    /// Returns the tables.
    pub fn standings(&self) -> Standings {
        Tables::of(self).standings()
    }
}

/// With more bots, the tables omit the matrix of probabilities. It would be larger than everything else.
const BOTS_MAX: usize = 64;
/// With more pairs that met, the tables omit the crosstable. [`BOTS_MAX`] bots have this many pairs.
const PAIRS_MAX: usize = BOTS_MAX * (BOTS_MAX - 1) / 2;

/// The data behind the tables.
pub(super) struct Tables<'a> {
    tally: &'a Tally,
    means: Vec<BotMeans>,
    pairs: Pairs,
    ratings: Ratings,
    /// Without pairs in which one bot had a fault; `None` in a tournament without faults.
    ratings_played: Option<Ratings>,
    histogram: Option<Histogram>,
    claims: Claims,
    /// The bots, best first.
    order: Vec<usize>,
}

impl Tables<'_> {
    pub(super) fn of(tally: &Tally) -> Tables<'_> {
        let failed = tally.bots.iter().any(|bot| bot.faults.values().any(|&faults| faults > 0));
        let ratings = Ratings::fit(tally, |_, _| true);
        let claims = match tally.seats <= 1 {
            true => score_claims(tally, DEALS_MIN),
            false => ratings.claims(DEALS_MIN),
        };
        let mut tables = Tables {
            tally,
            claims,
            means: bot_means(tally),
            pairs: Pairs::of(tally),
            histogram: histogram(tally),
            ratings,
            ratings_played: failed.then(|| Ratings::fit(tally, |one, other| !one.fault && !other.fault)),
            order: (0..tally.bots()).collect(),
        };
        let names = &tally.names;
        let mut order = std::mem::take(&mut tables.order);
        order.sort_unstable_by(|&a, &b| tables.compare(a, b).then_with(|| names[a].cmp(&names[b])));
        tables.order = order;
        tables
    }

    /// Returns true for solo games. The only comparison is then by points on the same deal.
    fn alone(&self) -> bool {
        self.tally.seats <= 1
    }

    /// Orders bots, best first: by rating, then by mean score. Solo games are ordered by mean score alone.
    fn compare(&self, one: usize, other: usize) -> Ordering {
        let merit = |bot: usize| {
            let rating = self.ratings.of(bot).filter(|_| !self.alone());
            let elo = rating.map_or(f64::NEG_INFINITY, |rating| rounded(rating.value));
            (self.tally.bots[bot].matches > 0, elo, self.tally.bots[bot].mean_score())
        };
        let (one, other) = (merit(one), merit(other));
        other.0.cmp(&one.0).then(other.1.total_cmp(&one.1)).then(other.2.total_cmp(&one.2))
    }

    /// The lead of `bot` over `other`: in Elo, or for solo games in points on the same deal.
    fn difference(&self, bot: usize, other: usize) -> Option<Estimate> {
        if self.alone() {
            return self.pairs.get(bot, other).map(|pair| pair.margin.estimate());
        }
        self.ratings.difference(bot, other)
    }

    pub(super) fn standings(&self) -> Standings {
        let (tally, deals) = (self.tally, self.deals());
        Standings {
            game: tally.game.clone(),
            seats: tally.seats,
            matches: tally.matches.len(),
            deals,
            replayed: tally.replayed,
            credited: tally.credited,
            untold_timeouts: tally.untold_timeouts,
            digest: self.digest(),
            rows: self.rows(),
            first_seat: self.first_seat(),
            pairing: self.pairs.worth().map(rounded).filter(|_| deals >= DEALS_MIN),
            about: self.about(deals),
            crosstable: self.crosstable(),
            better: self.better(),
            outcome: None,
            copies: Vec::new(),
            changes: Vec::new(),
            withdrawn: Vec::new(),
            skipped: Vec::new(),
            older: Vec::new(),
            unheld: Vec::new(),
            leader: self.leader(),
        }
    }

    fn rows(&self) -> Vec<Row> {
        let order = &self.order;
        let tiers = tiers(order.len(), |above, below| self.claims.differ(order[above], order[below]));
        let mut rows: Vec<Row> = Vec::new();
        for (place, &bot) in order.iter().enumerate() {
            let shared = place > 0 && self.compare(order[place - 1], bot).is_eq();
            let rank = if shared { rows[place - 1].rank } else { place as u32 + 1 };
            let next = order.get(place + 1).and_then(|&other| self.next(bot, other));
            let histogram = self.histogram.as_ref();
            let scores = histogram.map_or(Vec::new(), |histogram| histogram.counts[bot].clone());
            rows.push(self.row(bot, rank, tiers[place], next, scores));
        }
        rows
    }

    fn row(&self, number: usize, rank: u32, tiers: [u32; 2], next: Option<Next>, scores: Vec<u64>) -> Row {
        let (bot, means) = (&self.tally.bots[number], &self.means[number]);
        let (score, margin) = (means.scores.estimate(), means.margins.estimate());
        let played = self.ratings_played.as_ref();
        Row {
            rank,
            tiers,
            ranks: self.claims.ranks(number, &self.order),
            bot: self.tally.names[number].clone(),
            rating: self.ratings.of(number).map(rating),
            rating_played: played.and_then(|ratings| ratings.of(number)).map(rating),
            next,
            matches: bot.matches,
            won: bot.won,
            drawn: bot.drawn,
            lost: bot.matches - bot.won - bot.drawn,
            points: rounded(self.points(number)),
            mean_score: rounded(score.value),
            ci95: interval(score),
            mean_margin: rounded(margin.value),
            margin_ci95: interval(margin),
            mean_rank: rounded(mean(bot.rank_sum as i64, bot.matches)),
            scores,
            faults: bot.faults.clone(),
            limits: OwnLimits::default(),
            first_fault: bot.first_fault.clone(),
            slow_moves: bot.slow_moves,
            retries: bot.retries,
            time_us: bot.times(),
        }
    }

    /// The share of opponents beaten, in percent; 0 for a bot without opponents.
    fn points(&self, bot: usize) -> f64 {
        let met = (0..self.means.len()).filter_map(|other| self.pairs.get(bot, other));
        let (halves, matches) = met.fold((0, 0), |(halves, matches), pair| {
            (halves + 2 * pair.won + pair.drawn, matches + pair.matches)
        });
        50.0 * mean(halves as i64, matches)
    }

    fn next(&self, bot: usize, other: usize) -> Option<Next> {
        let ahead = self.difference(bot, other)?;
        let sample = sampled(Some(ahead));
        Some(Next {
            ahead: rounded(ahead.value),
            ahead_ci95: interval(ahead),
            better: sample.and_then(|ahead| ahead.above_zero()).map(percent),
            more_deals: match self.claims.differ(bot, other) {
                true => Some(0),
                false => sample.and_then(|ahead| ahead.more_deals(self.claims.half_width(&ahead)?)),
            },
        })
    }

    /// The leader without its luck, unless two bots have nothing to be the best of.
    fn leader(&self) -> Option<Leader> {
        if self.alone() || self.order.len() < 3 {
            return None;
        }
        let (bot, elo) = self.ratings.leader(&self.claims, DEALS_MIN)?;
        Some(Leader { bot: self.tally.names[bot].clone(), elo: rounded(elo) })
    }

    fn first_seat(&self) -> Option<FirstSeat> {
        if self.alone() {
            return None;
        }
        let SeatAdvantage { share, margin } = seat_advantage(self.tally)?;
        Some(FirstSeat {
            points: percent(share),
            mean_margin: rounded(margin.value),
            margin_ci95: interval(margin),
        })
    }

    fn about(&self, deals: u64) -> About {
        let scores: Vec<_> = self.means.iter().map(|means| means.scores).collect();
        let shares = |Luck { bots, deals, rest }: Luck| {
            let share = |variance: f64| percent(variance / (bots + deals + rest));
            (bots + deals + rest > 0.0).then(|| Shares {
                bots: share(bots),
                deals: share(deals),
                rest: share(rest),
            })
        };
        About {
            luck: luck(&scores, &self.pairs).and_then(shares).filter(|_| deals >= DEALS_MIN),
            mean_distance: mean_distance(self.tally).map(rounded),
            classes: self.histogram.as_ref().map(|&Histogram { low, width, .. }| Classes { low, width }),
        }
    }

    fn crosstable(&self) -> Vec<Encounter> {
        if self.pairs.count() > PAIRS_MAX {
            return Vec::new();
        }
        let (order, names) = (&self.order, &self.tally.names);
        let both = order.iter().flat_map(|&bot| order.iter().map(move |&against| (bot, against)));
        let met = both.filter_map(|(bot, against)| Some((bot, against, self.pairs.get(bot, against)?)));
        met.map(|(bot, against, pair)| Encounter {
            bot: names[bot].clone(),
            against: names[against].clone(),
            matches: pair.matches,
            won: pair.won,
            drawn: pair.drawn,
            lost: pair.lost(),
            mean_margin: rounded(pair.margin.estimate().value),
            margin_ci95: interval(pair.margin.estimate()),
            ahead: sampled(Some(pair.margin.estimate())).and_then(|margin| margin.above_zero()).map(percent),
            pairing: pair.worth().map(rounded),
        })
        .collect()
    }

    fn better(&self) -> Vec<Vec<Option<f64>>> {
        if self.order.len() > BOTS_MAX {
            return Vec::new();
        }
        let cell = |bot: usize, other: usize| {
            let difference = self.difference(bot, other).filter(|_| bot != other);
            sampled(difference)?.above_zero().map(percent)
        };
        let order = &self.order;
        order.iter().map(|&bot| order.iter().map(|&other| cell(bot, other)).collect()).collect()
    }

    fn deals(&self) -> u64 {
        let mut deals = 0;
        self.tally.each(|_| deals += 1);
        deals
    }

    fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        self.tally.matches.digests().iter().for_each(|digest| hasher.update(digest.to_be_bytes()));
        hex(&hasher.finalize()[..16])
    }
}

fn rating(estimate: Estimate) -> Rating {
    Rating { elo: rounded(estimate.value), ci95: interval(estimate) }
}

fn interval(estimate: Estimate) -> Option<[f64; 2]> {
    sampled(Some(estimate))?.interval().map(|bounds| bounds.map(rounded))
}

/// Drops an estimate from fewer than [`DEALS_MIN`] deals. Its uncertainty is itself too uncertain to print.
fn sampled(estimate: Option<Estimate>) -> Option<Estimate> {
    estimate.filter(|estimate| estimate.deals >= DEALS_MIN)
}

/// Converts a share from 0 to 1 to percent.
fn percent(share: f64) -> f64 {
    rounded(100.0 * share)
}
