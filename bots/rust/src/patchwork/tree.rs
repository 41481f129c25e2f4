//! Monte Carlo tree search. The tree grows where values favour the player to move.

use std::ops::Range;
use std::sync::Arc;

use engine::game::Seat;
use engine::patchwork::{Action, State, Table};

use super::judge::{Judge, Judged, Memory, best_odds};
use super::net::{Net, chance};
use super::settings::Settings;
use crate::budget::Budget;

/// A move with its search statistics. Values are for the seat that makes it, from 0 to 1.
#[derive(Clone, Debug)]
struct Node {
    action: Action,
    /// The prior probability among its siblings; priors of siblings add up to 1.
    prior: f32,
    visits: u32,
    /// The sum of the values of the leaves below.
    total: f64,
    /// The value of its position, which counts until the first visit.
    looks: f32,
    /// The moves after this one. Empty until the node is expanded.
    children: Range<u32>,
}

impl Node {
    fn mean(&self) -> f32 {
        if self.visits == 0 { self.looks } else { (self.total / f64::from(self.visits)) as f32 }
    }
}

/// A search tree rooted at one position.
#[derive(Debug)]
pub(super) struct Tree<'j, 't> {
    judge: &'j mut Judge<'t>,
    root: State,
    settings: Settings,
    /// All nodes; the root is first.
    nodes: Vec<Node>,
    /// The nodes on the way to a leaf, each with the seat that moved.
    path: Vec<(usize, Seat)>,
    /// The moves of a position.
    found: Vec<Judged>,
    /// The moves of the longest line so far.
    depth: usize,
    /// The evaluations that were counted, of all that the judge made.
    counted: u64,
}

/// The tree of the last decision of a seat.
#[derive(Debug)]
pub(super) struct Kept {
    table: Arc<Table>,
    root: State,
    nodes: Vec<Node>,
}

impl Kept {
    /// Returns the node of a position, if the tree has it as the next decision of its seat. The table of the position may
    /// differ, as it numbers the places of the circle anew.
    pub(super) fn find(&self, memory: &mut Memory, table: &Table, state: &State) -> Option<usize> {
        let mut judge = Judge::new(&self.table, Net::bundled(), memory);
        let seat = state.to_move(table).filter(|_| state.leather_due() == 0)?;
        let mut open = vec![(0, self.root)];
        while let Some((node, before)) = open.pop() {
            for child in self.nodes[node].children.clone().map(|child| child as usize) {
                let after = judge.after(&before, self.nodes[child].action);
                let (mover, players) = (after.to_move(&self.table), after.players());
                let is_same = mover == Some(seat) && players == state.players();
                if is_same
                    && after.leather().eq(state.leather())
                    && after.circle(&self.table).eq(state.circle(table))
                {
                    return Some(child);
                }
                // Between two decisions of a seat only the other one moves.
                if mover == Some(1 - seat) && players[seat] == state.players()[seat] {
                    open.push((child, after));
                }
            }
        }
        None
    }
}

impl<'j, 't> Tree<'j, 't> {
    /// Makes the tree of a position that is not over.
    pub(super) fn new(judge: &'j mut Judge<'t>, root: State, settings: Settings) -> Tree<'j, 't> {
        let counted = judge.evaluations;
        let found = judge.moves(&root, settings.judged, settings.root);
        let node =
            Node { action: Action::Advance, prior: 1.0, visits: 0, total: 0.0, looks: 0.5, children: 0..0 };
        let mut tree =
            Tree { judge, root, settings, nodes: vec![node], path: Vec::new(), found, depth: 0, counted };
        tree.expand(0);
        tree
    }

    /// Takes over what is known of the moves of the root, from the tree of an earlier search. `from` is the root in that tree.
    pub(super) fn take_over(&mut self, kept: &Kept, from: usize) {
        let nodes = |node: &Node| &kept.nodes[node.children.start as usize..node.children.end as usize];
        for known in nodes(&kept.nodes[from]) {
            if let Some(child) = self.nodes[1..].iter_mut().find(|child| child.action == known.action) {
                *child = Node { prior: child.prior, looks: child.looks, ..known.clone() };
                self.nodes[0].visits += known.visits;
            }
        }
        // The children of each node are still numbers of the earlier tree.
        let mut next = 1;
        while next < self.nodes.len() {
            let start = self.nodes.len() as u32;
            self.nodes.extend_from_slice(nodes(&self.nodes[next]));
            self.nodes[next].children = start..self.nodes.len() as u32;
            next += 1;
        }
    }

    /// Returns the tree for the next decision of its seat. `table` is the one of the judge.
    pub(super) fn keep(self, table: &Arc<Table>) -> Kept {
        Kept { table: Arc::clone(table), root: self.root, nodes: self.nodes }
    }

    /// Searches until the budget ends. Stops at once if the root has fewer than two moves.
    pub(super) fn grow(&mut self, budget: &mut Budget) {
        while self.nodes[0].children.len() > 1 && !self.is_full() {
            // A visit of a finished match takes time without an evaluation, so it counts as one.
            budget.spend((self.judge.evaluations - self.counted).max(1));
            self.counted = self.judge.evaluations;
            if !budget.goes_on() {
                break;
            }
            self.visit();
        }
    }

    /// Returns true if the tree has no room left.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= self.settings.tree
    }

    /// Returns the root move with the most visits, its value, and the length of the longest line. Ties go to the higher
    /// value.
    pub(super) fn best(&self) -> Option<(Action, f32, u64)> {
        let merit = |node: &&Node| (node.visits, node.looks);
        let children = self.children(0).iter();
        let best = children.max_by(|one, other| merit(one).partial_cmp(&merit(other)).expect("numbers"))?;
        Some((best.action, best.mean(), self.depth as u64))
    }

    /// Returns the root moves with their values, in the order of [`best`](Self::best).
    pub(super) fn ranked(&self) -> Vec<(Action, f32)> {
        let mut children: Vec<&Node> = self.children(0).iter().collect();
        children.sort_by(|one, other| {
            (other.visits, other.looks).partial_cmp(&(one.visits, one.looks)).expect("numbers")
        });
        children.into_iter().map(|node| (node.action, node.mean())).collect()
    }

    fn children(&self, node: usize) -> &[Node] {
        let Range { start, end } = self.nodes[node].children;
        &self.nodes[start as usize..end as usize]
    }

    /// Descends to a leaf, and adds its moves. The leaf is worth as much as the best of them.
    fn visit(&mut self) {
        let (mut state, mut node) = (self.root, 0);
        self.path.clear();
        let leaf = loop {
            let Some(seat) = state.to_move(self.judge.table) else {
                break chance(self.judge.odds(&state, 0));
            };
            if self.nodes[node].children.is_empty() {
                self.judge.few_moves(&state, seat, &mut self.found);
                let best = self.expand(node);
                break if seat == 0 { chance(best) } else { 1.0 - chance(best) };
            }
            node = self.promising(node);
            state = self.judge.after(&state, self.nodes[node].action);
            self.path.push((node, seat));
        };
        self.depth = self.depth.max(self.path.len());
        self.nodes[0].visits += 1;
        for &(node, seat) in &self.path {
            self.nodes[node].visits += 1;
            self.nodes[node].total += f64::from(if seat == 0 { leaf } else { 1.0 - leaf });
        }
    }

    /// Adds the moves that were found, and returns the best odds. The prior of a move grows with the square of its odds.
    fn expand(&mut self, node: usize) -> f32 {
        let best = best_odds(&self.found);
        let weight = |found: &Judged| (found.odds / best) * (found.odds / best);
        let sum: f32 = self.found.iter().map(weight).sum();
        let start = self.nodes.len();
        let new = |found: &Judged| Node {
            action: found.action,
            prior: weight(found) / sum,
            visits: 0,
            total: 0.0,
            looks: chance(found.odds),
            children: 0..0,
        };
        self.nodes.extend(self.found.iter().map(new));
        self.nodes[node].children = start as u32..self.nodes.len() as u32;
        best
    }

    /// Returns the child to visit next, by mean value plus an exploration term weighted by the prior (PUCT).
    fn promising(&self, node: usize) -> usize {
        let parent = &self.nodes[node];
        let curiosity = self.settings.explore * (parent.visits.max(1) as f32).sqrt();
        let mut best = (f32::NEG_INFINITY, 0);
        for (child, number) in self.children(node).iter().zip(parent.children.clone()) {
            let promise = child.mean() + curiosity * child.prior / (1 + child.visits) as f32;
            if promise > best.0 {
                best = (promise, number as usize);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Tree<'_, '_> {
        /// Returns true if each patch in the tree is on offer in its position and fits the quilt.
        pub(in super::super) fn is_sound(&mut self) -> bool {
            let mut open = vec![(0, self.root)];
            while let Some((node, state)) = open.pop() {
                for child in self.nodes[node].children.clone().map(|child| child as usize) {
                    let action = self.nodes[child].action;
                    let seat = state.to_move(self.judge.table).expect("a move needs a seat");
                    let fits = match action {
                        Action::Buy { patch, cells } => {
                            let quilt = state.players()[seat].board;
                            state.offer(self.judge.table).any(|offered| offered == patch)
                                && (quilt.bits() & cells.bits()) == 0
                        }
                        _ => true,
                    };
                    if !fits {
                        return false;
                    }
                    open.push((child, self.judge.after(&state, action)));
                }
            }
            true
        }
    }
}
