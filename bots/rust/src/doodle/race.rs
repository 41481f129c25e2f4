//! Which action does best: the best looking ones are played out on the same possible futures, and
//! the one that ends best on average is taken.
//!
//! How it looks counts as some futures do, so that the first ones do not decide alone. As the budget is
//! spent the field narrows: half of the actions drop out at a time, those that did worst, and those that
//! stay share what is left. The more futures there were, the further the next ones are looked into.

use engine::dealer::Dealer;
use engine::doodle::{Action, Equipment, Position, State, Timeline};

use super::ahead::{Choice, Turn, turn_number};
use super::future;
use super::learned::Learned;
use super::learned::MATCH_TURNS;
use super::policy::Policy;
use super::settings::Settings;
use super::steps::Breadth;
use super::tree::Tree;
use crate::budget::Budget;

/// The longest race in futures, however much time there is: beyond it nothing changes any more.
const FUTURES_MAX: usize = 1_000_000;

/// The best action for `position`.
pub(super) fn winner(
    equipment: &Equipment,
    position: &Position,
    chance: &mut Dealer,
    budget: &mut Budget,
    settings: Settings,
) -> Action {
    let mut choices = Turn::new(equipment, position, Learned::bundled()).choices(settings.field);
    choices.truncate(settings.field);
    if choices.len() == 1 || turn_number(position) == MATCH_TURNS {
        return choices[0].action;
    }
    let mut race = Race {
        policy: Policy::new(equipment, settings.ways, Breadth::Quick),
        field: settings.field,
        runners: runners(equipment, position, choices, settings),
    };
    for number in 0..FUTURES_MAX {
        let timeline = future::deal(position, number, chance);
        if !race.run(&timeline, settings.horizon_in(number), budget) {
            break;
        }
        race.narrow(budget.share_spent());
    }
    race.leader().choice.action
}

/// An action in the race, with what became of it.
struct Runner {
    choice: Choice,
    tree: Tree,
    /// What its futures came to, and for some its look.
    total: f64,
}

/// The actions as runners, best looking first.
fn runners(
    equipment: &Equipment,
    position: &Position,
    choices: Vec<Choice>,
    settings: Settings,
) -> Vec<Runner> {
    let decision = position.decision(equipment);
    let turn = turn_number(position);
    let runner = |choice: Choice| {
        let state = State { sheet: decision.applied(&choice.action, choice.uses), turn };
        let total = f64::from(settings.looks * choice.value);
        Runner { choice, tree: Tree::new(state, future::last_known(turn), settings), total }
    };
    choices.into_iter().map(runner).collect()
}

/// Those that are still in the race.
struct Race<'a> {
    policy: Policy<'a>,
    /// How many started.
    field: usize,
    runners: Vec<Runner>,
}

impl Race<'_> {
    /// Sends everybody through one future, to the same horizon; false where the budget ended before the last one, and
    /// then that future counts for nobody.
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

    /// Lets the worst drop out, so that two are left when all is about to be spent. Everybody who is
    /// in the race has met the same futures, so sums are compared.
    fn narrow(&mut self, spent: f64) {
        let field = self.field as f64;
        let stages = field.log2();
        let keep = (field / 2f64.powf((spent * stages).floor())).ceil().max(2.0) as usize;
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
