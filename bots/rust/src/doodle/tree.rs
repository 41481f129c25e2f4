//! What may follow an action as far as the cards are known: a tree of rolls and of steps that answer
//! them.
//!
//! Each future goes down the tree by its rolls, and in each turn takes the step that has done best so
//! far or is little known; where it leaves the tree a turn is added and [`Policy`] plays on. In turns
//! that many futures go through all that may be done is weighed, not whole patches alone. So an action is judged by good
//! answers to each roll, not by quick ones alone, the more so the more futures there are.

use engine::doodle::{CardId, State, Timeline};

use super::learned::MATCH_TURNS;
use super::policy::Policy;
use super::settings::Settings;
use super::steps::{Breadth, Step};

/// A tree has no more turns, for the sake of memory; then it stops growing and goes on counting.
const TURNS_MAX: usize = 20_000;

/// What may follow one action.
#[derive(Debug)]
pub(super) struct Tree {
    /// The sheet after the action.
    start: State,
    /// The last turn for which the order of cards follows from the rolls alone.
    last_known: u8,
    settings: Settings,
    turns: Vec<Turn>,
    /// The turns that were met right after the action.
    first: Vec<Met>,
    path: Vec<(usize, usize)>,
}

/// A turn that came up, by the card at the token.
#[derive(Clone, Copy, Debug)]
struct Met {
    card: Option<CardId>,
    turn: usize,
}

/// A turn in the tree, with the steps that are tried in it, best looking first.
#[derive(Debug)]
struct Turn {
    visits: u32,
    steps: Vec<Tried>,
}

/// A step that is tried, with what the futures after it came to.
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
    /// What may follow where an action left `start`.
    /// `last_known` is the last turn for which the order of cards follows from the rolls alone.
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

    /// Goes through one future; the sheet is judged `horizon` turns after the action. What it comes to in points of the
    /// whole match.
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

    /// The turns that were met after the last step of the path.
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
    /// Puts these steps behind those that were tried, in place of those that were not.
    fn consider(&mut self, steps: Vec<Step>) {
        self.steps.retain(|tried| tried.visits > 0);
        let known = self.steps.len();
        for step in steps {
            if self.steps[..known].iter().all(|tried| tried.step != step) {
                self.steps.push(Tried::new(step));
            }
        }
    }

    /// The step to go on with: of those that are tried by now, the more the longer, one that did well
    /// or is little known.
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
