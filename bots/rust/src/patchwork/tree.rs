//! Monte Carlo tree search. The tree grows where leaf evaluations favour the player to move.

use std::ops::Range;

use engine::game::Seat;
use engine::patchwork::{Action, Position, Table};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::candidates::{Candidate, Finder};
use super::end::final_lead;
use super::rollout::play_out;
use super::settings::Settings;
use crate::budget::Budget;

/// The largest number of nodes, to limit memory. A full tree stops growing; visits and values still
/// accumulate.
const NODES_MAX: usize = 2_000_000;

/// Points of own score that change its logistic value by a factor of e in odds.
const OWN_SCALE: f32 = 20.0;

/// A move with its search statistics.
#[derive(Clone, Debug)]
struct Node {
    action: Action,
    /// The prior probability among its siblings; priors of siblings add up to 1.
    prior: f32,
    visits: u32,
    /// The sum of leaf values, by seat.
    total: [f64; 2],
    /// The moves after this one. Empty until the node is expanded.
    children: Range<u32>,
}

impl Node {
    fn new(action: Action, prior: f32) -> Node {
        Node { action, prior, visits: 0, total: [0.0; 2], children: 0..0 }
    }

    /// Returns the mean leaf value for a seat, from 0 to 1.
    fn mean(&self, seat: usize) -> f32 {
        (self.total[seat] / f64::from(self.visits)) as f32
    }
}

/// A search tree rooted at one position.
#[derive(Debug)]
pub(super) struct Tree<'t> {
    table: &'t Table,
    root: Position,
    settings: Settings,
    finder: Finder<'t>,
    /// All nodes; the root is first.
    nodes: Vec<Node>,
    path: Vec<usize>,
    /// The moves of the longest line so far.
    depth: usize,
    chance: ChaCha8Rng,
}

impl<'t> Tree<'t> {
    pub(super) fn new(table: &'t Table, root: Position, settings: Settings, seed: u64) -> Tree<'t> {
        let mut tree = Tree {
            table,
            root,
            settings,
            finder: Finder::new(table, settings),
            nodes: vec![Node::new(Action::Advance, 1.0)],
            path: Vec::new(),
            depth: 0,
            chance: ChaCha8Rng::seed_from_u64(seed),
        };
        tree.expand(0, &root, settings.placements[0]);
        tree
    }

    /// Plays games until the budget ends. Stops at once if the root has fewer than two moves.
    pub(super) fn grow(&mut self, budget: &mut Budget) {
        while self.nodes[0].children.len() > 1 && budget.goes_on() {
            self.play();
            budget.spend(1);
        }
    }

    /// Returns the number of games played.
    #[cfg(test)]
    pub(super) fn games(&self) -> u32 {
        self.nodes[0].visits
    }

    /// Returns the root move with the most visits; ties go to the higher prior. Returns also its mean leaf value for the
    /// seat, which is one half without visits, and the length of the longest line.
    pub(super) fn best(&self, seat: Seat) -> Option<(Action, f32, u64)> {
        let merit = |node: &&Node| (node.visits, node.prior);
        let children = self.children(0).iter();
        let best = children.max_by(|one, other| merit(one).partial_cmp(&merit(other)).expect("numbers"))?;
        let eval = if best.visits > 0 { best.mean(seat) } else { 0.5 };
        Some((best.action, eval, self.depth as u64))
    }

    fn children(&self, node: usize) -> &[Node] {
        let Range { start, end } = self.nodes[node].children;
        &self.nodes[start as usize..end as usize]
    }

    /// Plays one game: descends to a leaf, expands it, and evaluates the new node.
    fn play(&mut self) {
        let mut position = self.root;
        let mut node = 0;
        self.path.clear();
        self.path.push(node);
        while let Some(seat) = position.to_move(self.table) {
            let is_leaf = self.nodes[node].children.is_empty();
            if is_leaf
                && ((self.nodes[node].visits as f32) < self.settings.ripe || self.nodes.len() >= NODES_MAX)
            {
                break;
            }
            if is_leaf {
                self.expand(node, &position, self.settings.placements[1]);
            }
            node = self.promising(node, seat);
            position.apply(self.table, self.nodes[node].action);
            self.path.push(node);
        }
        self.depth = self.depth.max(self.path.len() - 1);
        let worth = self.judge(&mut position);
        for &node in &self.path {
            self.nodes[node].visits += 1;
            for (total, worth) in self.nodes[node].total.iter_mut().zip(worth) {
                *total += f64::from(worth);
            }
        }
    }

    /// Returns the value of a leaf for each seat, from 0 to 1. It combines the lead, by static evaluation and
    /// rollout, with the seat's own score.
    fn judge(&mut self, position: &mut Position) -> [f32; 2] {
        let looks = logistic(self.finder.lead(position) / self.settings.margin);
        play_out(position, self.table, [&self.settings; 2], &mut self.chance);
        let Settings { looks: share, own, .. } = self.settings;
        let lead = share * looks + (1.0 - share) * self.worth(position);
        [0, 1].map(|seat| {
            let score = logistic(position.players()[seat].score() as f32 / OWN_SCALE);
            own * score + (1.0 - own) * if seat == 0 { lead } else { 1.0 - lead }
        })
    }

    fn expand(&mut self, node: usize, position: &Position, placements: usize) {
        let start = self.nodes.len();
        for &Candidate { action, value } in self.finder.find(position, placements) {
            self.nodes.push(Node::new(action, value));
        }
        let children = &mut self.nodes[start..];
        let best = children.iter().map(|child| child.prior).fold(f32::NEG_INFINITY, f32::max);
        for child in children.iter_mut() {
            child.prior = ((child.prior - best) / self.settings.temperature).exp();
        }
        let sum: f32 = children.iter().map(|child| child.prior).sum();
        for child in children {
            child.prior /= sum;
        }
        self.nodes[node].children = start as u32..self.nodes.len() as u32;
    }

    /// Returns the child to visit next, by mean value plus an exploration term weighted by the prior (PUCT).
    fn promising(&self, node: usize, seat: usize) -> usize {
        let parent = &self.nodes[node];
        let untried = if parent.visits == 0 { 0.5 } else { parent.mean(seat) - self.settings.untried };
        let curiosity = self.settings.explore * (parent.visits.max(1) as f32).sqrt();
        let promise = |child: &Node| {
            let mean = if child.visits == 0 { untried } else { child.mean(seat) };
            mean + curiosity * child.prior / (1 + child.visits) as f32
        };
        let mut best = (f32::NEG_INFINITY, 0);
        for (child, number) in self.children(node).iter().zip(parent.children.clone()) {
            let promise = promise(child);
            if promise > best.0 {
                best = (promise, number as usize);
            }
        }
        best.1
    }

    /// Returns the value of a finished game for seat 0, from 0 to 1. Half of it is the win, half the margin.
    fn worth(&self, position: &Position) -> f32 {
        let lead = final_lead(position);
        let won = lead > 0;
        let margin = logistic(lead as f32 / 2.0 / self.settings.margin);
        0.5 * margin + 0.5 * f32::from(u8::from(won))
    }
}

/// The logistic function.
fn logistic(advantage: f32) -> f32 {
    1.0 / (1.0 + (-advantage).exp())
}
