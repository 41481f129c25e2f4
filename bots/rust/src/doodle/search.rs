//! Selects an action by comparing rollouts of the best candidates over the same sampled futures.
//!
//! The action with the highest mean wins. The static evaluation counts as a few futures, to damp the noise of
//! the first rollouts. As the budget runs out, half of the actions are eliminated at a time (successive
//! halving); the rest share the remaining budget. The horizon grows with the number of futures.

use engine::dealer::Dealer;
use engine::doodle::{Action, Equipment, SeatTurn, State, Timeline};

use super::ahead::{Choice, Turn, turn_number};
use super::evaluator::beyond;
use super::future;
use super::learned::Learned;
use super::learned::MATCH_TURNS;
use super::policy::Policy;
use super::settings::Settings;
use super::steps::Breadth;
use super::tree::Tree;
use crate::budget::Budget;

/// The most futures of a race, independent of the budget. Beyond it, results no longer change.
const FUTURES_MAX: usize = 1_000_000;

/// The best action.
pub(super) struct Found {
    pub(super) action: Action,
    /// Its value in points of the whole match.
    pub(super) eval: f64,
    /// The turns that the last future was played ahead.
    pub(super) depth: u8,
}

/// Returns the best action for `position`.
pub(super) fn winner(
    equipment: &Equipment,
    position: &SeatTurn,
    chance: &mut Dealer,
    budget: &mut Budget,
    settings: Settings,
) -> Found {
    let choices = choices(equipment, position, settings.field);
    if choices.len() == 1 || turn_number(position) == MATCH_TURNS {
        let eval = f64::from(choices[0].value) + beyond(turn_number(position));
        return Found { action: choices[0].action, eval, depth: 0 };
    }
    let mut race = Race::new(equipment, position, choices, settings);
    let depth = race.run_all(position, chance, budget, settings, true);
    let Runner { choice, total, .. } = race.leader();
    let eval = total / race.futures + beyond(turn_number(position));
    Found { action: choice.action, eval, depth }
}

/// Returns the best `count` actions with their values, the best one first.
pub(super) fn ranked(
    equipment: &Equipment,
    position: &SeatTurn,
    chance: &mut Dealer,
    budget: &mut Budget,
    count: usize,
) -> Vec<(Action, f64)> {
    let settings = Settings { field: Settings::default().field.max(count), ..Settings::default() };
    let choices = choices(equipment, position, settings.field);
    if turn_number(position) == MATCH_TURNS {
        let score = |action| f64::from(position.play(equipment, action).expect("a legal move").1.score());
        return choices.iter().map(|choice| (choice.action, score(&choice.action))).take(count).collect();
    }
    let mut race = Race::new(equipment, position, choices, settings);
    race.run_all(position, chance, budget, settings, count == 1);
    race.runners.sort_by(|one, other| other.total.total_cmp(&one.total));
    let value = |runner: &Runner| runner.total / race.futures + beyond(turn_number(position));
    race.runners.iter().map(|runner| (runner.choice.action, value(runner))).take(count).collect()
}

fn choices(equipment: &Equipment, position: &SeatTurn, field: usize) -> Vec<Choice> {
    let mut choices = Turn::new(equipment, position, Learned::bundled()).choices(field);
    choices.truncate(field);
    choices
}

/// An action in the race, with its results.
struct Runner {
    choice: Choice,
    tree: Tree,
    /// The sum of the values of its futures, plus the weighted static evaluation.
    total: f64,
}

/// Returns the actions as runners, in the order of their evaluation.
fn runners(
    equipment: &Equipment,
    position: &SeatTurn,
    choices: Vec<Choice>,
    settings: Settings,
) -> Vec<Runner> {
    let moves = position.moves(equipment);
    let turn = turn_number(position);
    let runner = |choice: Choice| {
        let state = State { sheet: moves.applied(&choice.action, choice.uses), turn };
        let total = f64::from(settings.looks * choice.value);
        Runner { choice, tree: Tree::new(state, future::last_known(turn), settings), total }
    };
    choices.into_iter().map(runner).collect()
}

/// The runners that are not yet eliminated.
struct Race<'a> {
    policy: Policy<'a>,
    /// The number of runners at the start.
    field: usize,
    runners: Vec<Runner>,
    /// The number of futures so far, plus the weight of the static evaluation.
    futures: f64,
}

impl<'a> Race<'a> {
    fn new(
        equipment: &'a Equipment,
        position: &SeatTurn,
        choices: Vec<Choice>,
        settings: Settings,
    ) -> Race<'a> {
        Race {
            policy: Policy::new(equipment, settings.ways, Breadth::Quick),
            field: settings.field,
            runners: runners(equipment, position, choices, settings),
            futures: f64::from(settings.looks),
        }
    }

    /// Plays futures until the budget ends. Returns the turns that the last one was played ahead.
    fn run_all(
        &mut self,
        position: &SeatTurn,
        chance: &mut Dealer,
        budget: &mut Budget,
        settings: Settings,
        narrows: bool,
    ) -> u8 {
        let mut depth = 0;
        for number in 0..FUTURES_MAX {
            let timeline = future::deal(position, number, chance);
            let horizon = settings.horizon_in(number);
            if !self.run(&timeline, horizon, budget) {
                break;
            }
            (self.futures, depth) = (self.futures + 1.0, horizon);
            if narrows {
                self.narrow(budget.share_spent());
            }
        }
        depth
    }

    /// Plays all runners through one future, to the same horizon. Returns false if the budget ends before the
    /// last runner; then the future does not count.
    fn run(&mut self, timeline: &Timeline, horizon: u8, budget: &mut Budget) -> bool {
        let mut values = Vec::with_capacity(self.runners.len());
        for runner in &mut self.runners {
            if !budget.goes_on() {
                return false;
            }
            values.push(runner.tree.play(&mut self.policy, timeline, horizon));
            budget.spend(self.policy.take_nodes());
        }
        for (runner, value) in self.runners.iter_mut().zip(values) {
            runner.total += f64::from(value);
        }
        true
    }

    /// Eliminates the worst runners, down to two at the end of the budget. All remaining runners have played
    /// the same futures, so sums are comparable.
    fn narrow(&mut self, spent: f64) {
        let field = self.field as f64;
        let stages = field.log2();
        let keep = (field / 2f64.powf((spent * stages).floor())).ceil().max(2.0) as usize;
        if keep < self.runners.len() {
            self.runners.sort_by(|one, other| other.total.total_cmp(&one.total));
            self.runners.truncate(keep);
        }
    }

    /// Returns the runner with the highest total. Ties go to the first.
    fn leader(&self) -> &Runner {
        let ahead =
            self.runners.iter().reduce(|one, other| if other.total > one.total { other } else { one });
        ahead.expect("a turn has an action")
    }
}
