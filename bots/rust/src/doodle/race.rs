//! Which action does best: the best looking ones are played out on the same possible futures, and
//! the one that ends best on average is taken.
//!
//! As the budget is spent the field narrows: half of the actions drop out at a time, those that did
//! worst, and those that stay share what is left.

use std::time::{Duration, Instant};

use engine::dealer::Dealer;
use engine::doodle::{Action, Equipment, Position, State, Timeline};

use super::ahead::{Choice, Turn, turn_number};
use super::future;
use super::outlook::MATCH_TURNS;
use super::policy::Policy;
use crate::budget::Budget;

/// Actions that start in the race.
const FIELD: usize = 16;
/// Turns that are played on after the action.
const HORIZON: u8 = 6;
/// The longest race in futures, however much time there is: beyond it nothing changes any more.
const FUTURES_MAX: usize = 1_000_000;

/// The best action for `position`; so many ways of playing on are followed side by side.
pub(super) fn winner(
    equipment: &Equipment,
    position: &Position,
    chance: &mut Dealer,
    budget: Budget,
    ways: usize,
) -> Action {
    let mut pace = Pace::new(budget);
    let mut choices = Turn::new(equipment, position).choices(FIELD);
    choices.truncate(FIELD);
    if choices.len() == 1 || turn_number(position) == MATCH_TURNS {
        return choices[0].action;
    }
    let mut race =
        Race { policy: Policy::new(equipment, ways), runners: runners(equipment, position, choices) };
    for number in 0..FUTURES_MAX {
        let timeline = future::deal(position, number, chance);
        if !race.run(&timeline, &mut pace) {
            break;
        }
        race.narrow(pace.share_spent());
    }
    race.leader().choice.action
}

/// How much of a budget is spent.
struct Pace {
    budget: Budget,
    start: Instant,
    nodes: u64,
    /// When the clock was last looked at.
    last: Instant,
    /// The longest time between two looks: on a loaded machine the process has to wait in between.
    gap: Duration,
}

impl Pace {
    fn new(budget: Budget) -> Pace {
        let now = Instant::now();
        Pace { budget, start: now, nodes: 0, last: now, gap: Duration::ZERO }
    }

    /// Whether there is time for more: by the clock, for two more gaps as long as the longest.
    fn goes_on(&mut self) -> bool {
        let now = Instant::now();
        self.gap = self.gap.max(now - self.last);
        self.last = now;
        let in_time = match self.budget {
            Budget::Nodes(_) => true,
            Budget::Until(end) => now + 2 * self.gap < end,
        };
        in_time && self.budget.allows(self.nodes)
    }

    /// From 0 to 1.
    fn share_spent(&self) -> f64 {
        let share = match self.budget {
            Budget::Nodes(max) => self.nodes as f64 / max.max(1) as f64,
            Budget::Until(end) => {
                let all = end.saturating_duration_since(self.start).as_secs_f64();
                self.start.elapsed().as_secs_f64() / all.max(f64::MIN_POSITIVE)
            }
        };
        share.min(1.0)
    }
}

/// An action in the race, with what became of it.
struct Runner {
    choice: Choice,
    state: State,
    total: f64,
}

/// The actions as runners, best looking first.
fn runners(equipment: &Equipment, position: &Position, choices: Vec<Choice>) -> Vec<Runner> {
    let decision = position.decision(equipment);
    let turn = turn_number(position);
    let runner = |choice: Choice| {
        let state = State { sheet: decision.applied(&choice.action, choice.uses), turn };
        Runner { choice, state, total: 0.0 }
    };
    choices.into_iter().map(runner).collect()
}

/// Those that are still in the race.
struct Race<'a> {
    policy: Policy<'a>,
    runners: Vec<Runner>,
}

impl Race<'_> {
    /// Sends everybody through one future; false where the budget ended before the last one, and then
    /// that future counts for nobody.
    fn run(&mut self, timeline: &Timeline, pace: &mut Pace) -> bool {
        let mut values = Vec::with_capacity(self.runners.len());
        for runner in &self.runners {
            if !pace.goes_on() {
                return false;
            }
            let (value, nodes) = self.policy.play_out(timeline, runner.state, HORIZON);
            pace.nodes += nodes;
            values.push(value);
        }
        for (runner, value) in self.runners.iter_mut().zip(values) {
            runner.total += f64::from(value);
        }
        true
    }

    /// Lets the worst drop out, so that two are left when all is about to be spent. Everybody who is
    /// in the race has met the same futures, so sums are compared.
    fn narrow(&mut self, spent: f64) {
        let stages = (FIELD as f64).log2();
        let keep = (FIELD as f64 / 2f64.powf((spent * stages).floor())).ceil().max(2.0) as usize;
        if keep < self.runners.len() {
            self.runners.sort_by(|one, other| other.total.total_cmp(&one.total));
            self.runners.truncate(keep);
        }
    }

    /// Who is ahead; of equal ones who was before the others.
    fn leader(&self) -> &Runner {
        let ahead =
            self.runners.iter().reduce(|one, other| if other.total > one.total { other } else { one });
        ahead.expect("a turn has an action")
    }
}
