//! A search tree of the replies to known cards after an action. Branches are rolls and steps.
//!
//! Each future follows its rolls down the tree. In each turn it takes the step with the best mean, or one
//! with few visits (UCB1 with progressive widening). A future that leaves the tree adds a turn, and
//! [`Policy`] plays on. Turns with many visits consider all kinds of steps, not only whole patches. With more
//! futures, the tree thus values an action by better replies than the fast policy finds.

use engine::doodle::{CardId, State, Timeline};

use super::learned::MATCH_TURNS;
use super::policy::Policy;
use super::settings::Settings;
use super::steps::{Breadth, Step};

/// The largest number of turns, to limit memory. A full tree stops growing; visits and values still
/// accumulate.
const TURNS_MAX: usize = 20_000;

/// The tree of replies after one action.
#[derive(Debug)]
pub(super) struct Tree {
    /// The state after the action.
    start: State,
    /// The last turn whose card order depends on rolls alone.
    last_known: u8,
    settings: Settings,
    turns: Vec<Turn>,
    /// The turns reached right after the action.
    first: Vec<Met>,
    path: Vec<(usize, usize)>,
}

/// A turn of the tree, reached by the card at the token.
#[derive(Clone, Copy, Debug)]
struct Met {
    card: Option<CardId>,
    turn: usize,
}

/// A turn in the tree. Its steps are sorted by their static value.
#[derive(Debug)]
struct Turn {
    visits: u32,
    steps: Vec<Tried>,
}

/// A step with the results of its futures.
#[derive(Debug)]
struct Tried {
    step: Step,
    visits: u32,
    total: f64,
    next: Vec<Met>,
}

impl Tried {
    fn new(step: Step) -> Tried {
        Tried { step, visits: 0, total: 0.0, next: Vec::new() }
    }
}

impl Tree {
    /// Makes an empty tree for the state after an action. `last_known` is the last turn whose card order
    /// depends on rolls alone.
    pub(super) fn new(start: State, last_known: u8, settings: Settings) -> Tree {
        Tree {
            start,
            last_known: if settings.answers == 0 { 0 } else { last_known },
            settings,
            turns: Vec::new(),
            first: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Plays one future and evaluates the sheet `horizon` turns after the action. Returns the value in points
    /// of the whole match.
    pub(super) fn play(&mut self, policy: &mut Policy<'_>, timeline: &Timeline, horizon: u8) -> f32 {
        let last = (self.start.turn + horizon).min(MATCH_TURNS);
        self.path.clear();
        let mut state = self.start;
        state.end_turn(timeline);
        while state.turn <= self.last_known && state.turn < last {
            let card = timeline.turns[usize::from(state.turn)].circle.first().copied();
            let Some(turn) = self.met(card) else {
                if self.turns.len() < TURNS_MAX {
                    self.add(card, policy.best(timeline, &state, self.settings.answers, Breadth::Quick));
                }
                break;
            };
            if self.turns[turn].visits == self.settings.thorough {
                let all = policy.best(timeline, &state, self.settings.answers, Breadth::All);
                self.turns[turn].consider(all);
            }
            let place = self.turns[turn].promising(self.settings.curiosity, self.settings.widening);
            self.path.push((turn, place));
            state = self.turns[turn].steps[place].step.taken(state, timeline);
        }
        let value = policy.play_on(timeline, state, last);
        for &(turn, place) in &self.path {
            self.turns[turn].visits += 1;
            let tried = &mut self.turns[turn].steps[place];
            tried.visits += 1;
            tried.total += f64::from(value);
        }
        value
    }

    /// Returns the turns reached after the last step of the path.
    fn after_path(&mut self) -> &mut Vec<Met> {
        match self.path.last() {
            None => &mut self.first,
            Some(&(turn, place)) => &mut self.turns[turn].steps[place].next,
        }
    }

    fn met(&mut self, card: Option<CardId>) -> Option<usize> {
        self.after_path().iter().find(|met| met.card == card).map(|met| met.turn)
    }

    fn add(&mut self, card: Option<CardId>, steps: Vec<Step>) {
        let turn = self.turns.len();
        self.turns.push(Turn { visits: 0, steps: steps.into_iter().map(Tried::new).collect() });
        self.after_path().push(Met { card, turn });
    }
}

impl Turn {
    /// Replaces the unvisited steps by these, behind the visited ones.
    fn consider(&mut self, steps: Vec<Step>) {
        self.steps.retain(|tried| tried.visits > 0);
        let known = self.steps.len();
        for step in steps {
            if self.steps[..known].iter().all(|tried| tried.step != step) {
                self.steps.push(Tried::new(step));
            }
        }
    }

    /// Returns the step to take next, among the steps admitted by progressive widening: an unvisited one, or
    /// else the one with the highest upper confidence bound.
    fn promising(&self, curiosity: f32, widening: f32) -> usize {
        let visits = self.visits as f32;
        let count = (1.0 + widening * visits.sqrt()) as usize;
        let tried = &self.steps[..count.min(self.steps.len())];
        if let Some(untried) = tried.iter().position(|tried| tried.visits == 0) {
            return untried;
        }
        let promise = |tried: &Tried| {
            let count = f64::from(tried.visits);
            (tried.total / count) as f32 + curiosity * (visits.ln() / tried.visits as f32).sqrt()
        };
        let better = |best: (usize, f32), next: (usize, f32)| if next.1 > best.1 { next } else { best };
        let promises = tried.iter().map(promise).enumerate();
        promises.reduce(better).map_or(0, |(place, _)| place)
    }
}
