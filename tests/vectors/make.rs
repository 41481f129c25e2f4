//! Makes vectors: plays seeded matches, selects states, and asks the oracle.

use std::collections::BTreeMap;
use std::sync::Arc;

use arena::oracle::{Answers, Oracle, Task};
use bots::Place;
use engine::dealer::Dealer;
use engine::game::{Seat, Setup, first_pending};
use engine::wire::{Limits, Start, ToBot, WireFormat};
use referee::games::{GameName, RulesOptions};
use referee::play::time_control::TimeControl;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::vectors::{DIGEST_MOVES_MAX, Illegal, Listed, Vector};

/// The most illegal moves of one vector.
const ILLEGAL_MAX: usize = 3;

/// The requirements for making vectors of a game, in addition to its rules.
pub(crate) trait Sampled: WireFormat {
    /// Returns a random legal action that makes progress, with special actions spread over the match.
    fn any_action(&self, seat: Seat, chance: &mut Dealer) -> Self::Action;

    /// Returns the action of the greedy bot.
    fn greedy_action(&self, seat: Seat, equipment: &Arc<Self::Equipment>) -> Self::Action;

    /// Returns the tags of a state and a move. They follow from the observation, the number of legal moves,
    /// and the explanation of the move.
    fn tags(seen: &Self::Observation, seat: Seat, count: u64, explained: &Value) -> Vec<&'static str>;

    /// Returns rare states, derived from an observed state.
    fn altered(seen: &Self::Observation, seat: Seat) -> Vec<Self::Observation>;

    /// Returns modifications of a legal move. Some of them may be legal.
    fn spoilt(
        word: &Self::WireMove,
        seen: &Self::Observation,
        seat: Seat,
        chance: &mut Dealer,
    ) -> Vec<Self::WireMove>;

    /// Returns a legal action of a state that did not occur in play.
    fn first_action(
        equipment: &Arc<Self::Equipment>,
        seen: &Self::Observation,
        seat: Seat,
        chance: &mut Dealer,
    ) -> Option<Self::Action>;
}

/// Selects states and writes their vectors.
pub(crate) struct Maker<G: Sampled> {
    equipment: Arc<G::Equipment>,
    oracles: [(Task, Oracle); 4],
    /// The number of selected states, by tag.
    kept: BTreeMap<&'static str, usize>,
    /// The wanted number of states per tag.
    wanted: usize,
    chance: Dealer,
    next_id: u64,
    text: String,
}

/// A query in the format of the oracle.
#[derive(Serialize)]
struct Query<'a, O, W> {
    seat: Seat,
    state: &'a O,
    #[serde(rename = "move")]
    word: &'a W,
}

impl<G: Sampled> Maker<G> {
    /// Makes a maker that numbers vectors from `first_id` and keeps `wanted` states per tag.
    pub(crate) fn new(setup: &G::Setup, first_id: u64, wanted: usize) -> Maker<G> {
        let game = GameName::named(G::NAME).expect("the arena knows it");
        let oracle = |task| Oracle::new(task, game, &RulesOptions::default()).expect("standard components");
        let mut maker = Maker {
            equipment: Arc::new(G::equip(setup).expect("standard components")),
            oracles: [Task::Count, Task::Moves, Task::Explain, Task::Apply].map(|task| (task, oracle(task))),
            kept: BTreeMap::new(),
            wanted,
            chance: Dealer::new(first_id, 95),
            next_id: first_id,
            text: String::new(),
        };
        let start = start_line::<G>(setup);
        maker.oracles.iter_mut().for_each(|(_, oracle)| assert_eq!(answer_text(oracle, &start), ""));
        maker.text = start + "\n";
        maker
    }

    /// Plays the match of this seed and selects states from it.
    pub(crate) fn play(&mut self, seats: usize, seed: u64, greedy: bool) {
        let deal = G::deal(&self.equipment, seats, seed).expect("so many can play");
        let mut game = G::new(&self.equipment, &deal).expect("a fresh deal");
        while let Some(seat) = first_pending(&game) {
            let action = match greedy {
                true => game.greedy_action(seat, &self.equipment),
                false => game.any_action(seat, &mut self.chance),
            };
            let seen = game.observe(seat);
            self.consider(&seen, seat, &action, &[]);
            for altered in G::altered(&seen, seat) {
                if let Some(action) = G::first_action(&self.equipment, &altered, seat, &mut self.chance) {
                    self.consider(&altered, seat, &action, &["bent"]);
                }
            }
            game.play(seat, &action).expect("a legal action");
        }
    }

    /// Returns the next free vector number and the text.
    pub(crate) fn finish(self) -> (u64, String) {
        (self.next_id, self.text)
    }

    fn ask(&mut self, task: Task, query: &str) -> String {
        let oracle = self.oracles.iter_mut().find(|(of, _)| *of == task);
        answer_text(&mut oracle.expect("one for each task").1, query)
    }

    /// Keeps the state if one of its tags needs more examples.
    fn consider(&mut self, seen: &G::Observation, seat: Seat, action: &G::Action, more: &[&'static str]) {
        let word = G::write(&self.equipment, action);
        let query = serde_json::to_string(&Query { seat, state: seen, word: &word }).expect("plain data");
        let explain = judged(&self.ask(Task::Explain, &query));
        let explained: Value = serde_json::from_str(explain.get()).expect("JSON");
        let (count, digest) = self.counted(&query);
        let mut tags = G::tags(seen, seat, count, &explained);
        if tags.iter().all(|tag| self.kept.get(tag).is_some_and(|&kept| kept >= self.wanted)) {
            return;
        }
        tags.extend(more);
        tags.iter().for_each(|&tag| *self.kept.entry(tag).or_default() += 1);
        let vector = Vector {
            id: self.next_id,
            tags: tags.into_iter().map(str::to_owned).collect(),
            seat,
            state: raw(seen),
            count,
            digest,
            word: raw(&word),
            explain,
            apply: judged(&self.ask(Task::Apply, &query)),
            illegal: self.illegal(&word, seen, seat),
        };
        self.next_id += 1;
        self.text += &(serde_json::to_string(&vector).expect("plain data") + "\n");
    }

    /// Returns the number of legal moves and their digest.
    fn counted(&mut self, query: &str) -> (u64, Option<String>) {
        let listed = |answer: String| -> Listed { serde_json::from_str(&answer).expect("an answer") };
        let Listed { count, .. } = listed(self.ask(Task::Count, query));
        let few = count <= DIGEST_MOVES_MAX;
        (count, few.then(|| listed(self.ask(Task::Moves, query)).digest()))
    }

    /// Returns illegal moves. Each breaks a different rule.
    fn illegal(&mut self, word: &G::WireMove, seen: &G::Observation, seat: Seat) -> Vec<Illegal> {
        let mut words = G::spoilt(word, seen, seat, &mut self.chance);
        self.chance.shuffle(&mut words);
        let mut found: Vec<Illegal> = Vec::new();
        for word in words {
            let query = serde_json::to_string(&Query { seat, state: seen, word: &word }).expect("plain data");
            let mut answer = crate::vectors::object(&self.ask(Task::Explain, &query));
            if answer["legal"] == true || found.len() == ILLEGAL_MAX {
                continue;
            }
            let rule = serde_json::from_value(answer["rule"].take()).expect("a rule");
            if found.iter().all(|other| other.rule != rule) {
                let word = serde_json::to_value(&word).expect("plain data");
                found.push(Illegal { word, rule, cells: answer["cells"].take() });
            }
        }
        found
    }
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("plain data")
}

/// Returns the answer to a legal move, without `legal`.
fn judged(answer: &str) -> Box<RawValue> {
    let rest = answer.strip_prefix(r#"{"legal":true,"#).unwrap_or_else(|| panic!("not legal: {answer}"));
    RawValue::from_string("{".to_owned() + rest.trim_end()).expect("an object")
}

/// Returns the oracle's answer to one line.
pub(crate) fn answer_bytes(oracle: &mut Oracle, line: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    oracle.hear(line, &mut Answers::new(&mut bytes)).expect("memory does not break");
    bytes
}

/// Returns the oracle's answer to a valid line, as text.
fn answer_text(oracle: &mut Oracle, line: &str) -> String {
    String::from_utf8(answer_bytes(oracle, line.as_bytes())).expect("answers are UTF-8")
}

/// Returns a start line with all components.
fn start_line<G: WireFormat>(setup: &G::Setup) -> String {
    let limits = Limits::from(TimeControl::default());
    let start = Start {
        match_index: 0,
        game: G::NAME.to_owned(),
        seats: 2,
        seat: 0,
        players: vec!["mine".to_owned(), "other".to_owned()],
        seed: 0,
        limits,
        setup: setup.in_full(),
    };
    serde_json::to_string(&ToBot::<G::Setup, G::Observation>::Start(start)).expect("plain data")
}

/// Returns the place of a bundled bot.
pub(crate) fn place<G: WireFormat>(equipment: &Arc<G::Equipment>, seat: Seat) -> Place<G> {
    Place { equipment: Arc::clone(equipment), seat, seats: 2, seed: 0, nodes: None }
}
