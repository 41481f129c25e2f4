//! A ladder, or king of the hill: every new bot climbs until it stops winning.

use super::results::Meeting;
use super::{Field, LadderRow, Outcome, Results, Schedule, Stage, Tie};

/// The bots enter in their order, each on the lowest rung. There it meets the bot above it on the planned
/// deals. If it gets more points, they change places and it meets the next one; otherwise it stays. A bot
/// that is added later climbs the existing ladder. All meetings play the same deals.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pub(super) field: Field,
}

/// The state of the ladder after the meetings so far.
struct Rungs {
    /// The bots, the top first.
    order: Vec<usize>,
    /// For each bot that has entered: the bots that it met and the meetings, in their order.
    climbs: Vec<Vec<(usize, Meeting)>>,
    /// The next meeting: the climber and the bot above it.
    next: Option<(usize, usize)>,
}

impl Ladder {
    fn rungs(&self, results: &Results) -> Rungs {
        let meetings = results.meetings(0..self.field.rounds);
        let mut rungs = Rungs { order: Vec::new(), climbs: Vec::new(), next: None };
        for climber in 0..self.field.bots {
            rungs.order.push(climber);
            rungs.climbs.push(Vec::new());
            for rung in (1..rungs.order.len()).rev() {
                let above = rungs.order[rung - 1];
                // The climber entered last, so it has the higher number.
                let Some(&meeting) = meetings.get(&(above, climber)) else {
                    rungs.next = Some((climber, above));
                    return rungs;
                };
                rungs.climbs[climber].push((above, meeting.turned()));
                if meeting.winner() != Some(1) {
                    break;
                }
                rungs.order.swap(rung - 1, rung);
            }
        }
        rungs
    }
}

impl Schedule for Ladder {
    fn stage(&self, _number: u64, results: &Results) -> Option<Stage> {
        let (climber, above) = self.rungs(results).next?;
        let stage = self.field.stage(vec![vec![climber, above]], 0..self.field.rounds);
        let later = (self.field.bots - 1 - climber) as u64 * stage.total();
        Some(stage.followed_by(later))
    }

    fn outcome(&self, results: &Results, names: &[String]) -> Option<Outcome> {
        let rungs = self.rungs(results);
        let row = |(place, &bot): (usize, &usize)| {
            let climb = &rungs.climbs[bot];
            let passed = climb.iter().filter(|(_, meeting)| meeting.winner() == Some(0)).count();
            LadderRow {
                rank: place as u32 + 1,
                bot: names[bot].clone(),
                passed: passed as u64,
                stopped_by: climb.get(passed).map(|&(above, _)| names[above].clone()),
                climb: climb.iter().map(|&(above, met)| Tie::of((bot, above), met, names)).collect(),
            }
        };
        Some(Outcome::Ladder(rungs.order.iter().enumerate().map(row).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::played;
    use super::*;

    /// Plays the whole ladder among bots of these strengths. Returns the order, the top first, and the number
    /// of stages.
    fn climbed(strengths: &[u32]) -> (Vec<usize>, u64) {
        let field = Field { bots: strengths.len(), seats: 2, rounds: 2, every_seat_each_deal: false };
        let (ladder, mut results, mut number) = (Ladder { field }, Results::default(), 0);
        while let Some(stage) = ladder.stage(number, &results) {
            let better = |a: usize, b: usize| match strengths[a].cmp(&strengths[b]) {
                std::cmp::Ordering::Equal => None,
                order => Some(if order.is_gt() { a } else { b }),
            };
            played(&mut results, &stage, better);
            number += 1;
        }
        (ladder.rungs(&results).order, number)
    }

    #[test]
    fn every_bot_climbs_until_it_stops_winning() {
        assert_eq!(climbed(&[5, 3, 4, 9]), (vec![3, 0, 2, 1], 1 + 2 + 3));
        assert_eq!(climbed(&[5, 4, 3, 2]), (vec![0, 1, 2, 3], 3), "who wins nothing plays once");
        assert_eq!(climbed(&[5, 5]), (vec![0, 1], 1), "who does not win stays below");
    }

    #[test]
    fn a_bot_that_is_added_changes_nothing_of_what_was_played() {
        assert_eq!(climbed(&[1, 3, 2]).0, [1, 2, 0]);
        assert_eq!(climbed(&[1, 3, 2, 2]), (vec![1, 2, 3, 0], 1 + 2 + 2));
    }
}
