//! Hostile lines on the path of every answer: parse, understand, and judge by the rules.
//!
//! Each line meets a scene of a real match. Code that panics fails the test, but that is the least of the
//! checks. A refused move must leave the match unchanged. An accepted move must be legal and cover the cells
//! that it names. Every message about a line must be one short line of plain text.
//!
//! Each input depends only on a seed and its number, so a failure names the command that repeats this one
//! input. `QUILT_FUZZ_INPUTS` sets the number of inputs, `QUILT_FUZZ_FIRST` the number of the first, and
//! `QUILT_FUZZ_SEED` the seed. A long run:
//! `QUILT_FUZZ_INPUTS=10000000 cargo test --release -p quilt-arena --test integration fuzz::`.

use std::collections::BTreeMap;
use std::env;
use std::num::NonZero;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};
use std::thread;

use engine::bitboard::{Bitboard, CELLS, Cell};
use engine::dealer::Dealer;
use engine::doodle::{self, Doodle};
use engine::game::{Game, Seat, Setup, first_pending, pending};
use engine::patchwork::{self, Patchwork};
use engine::wire::{
    FaultKind, FromBot, Hello, LINE_BYTES_MAX, MoveLine, NOTE_BYTES_MAX, PROTOCOL, Ready, WireFormat,
};
use referee::play::answer::{Answer, read_hello, read_move, read_ready, read_usual};
use referee::record::Remarks;
use referee::seats::fault::Fault;
use serde_json::Value;

use crate::program::words;

/// Default number of inputs.
const INPUTS: u64 = 200_000;
/// Maximum size in bytes of a message about a refused line.
const DETAIL_BYTES_MAX: usize = 1_024;
/// A scene lists its legal actions only if there are at most this many.
const LISTED_MAX: u64 = 2_000;
/// Number of legal moves that a scene keeps. Lines use them unchanged or damaged.
const WORDS: usize = 6;
/// A run with this many inputs must meet every kind of verdict.
const TELLING: u64 = 50_000;
/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Random numbers that depend only on the seed and the input.
struct Chance(Dealer);

impl Chance {
    fn new(seed: u64, input: u64) -> Chance {
        Chance(Dealer::new(seed, input))
    }

    /// Returns a number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(u32::try_from(bound).expect("bounds are small")) as usize
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn word(&mut self, list: &[&'static str]) -> &'static str {
        self.pick::<&'static str>(list)
    }

    /// Returns a length, mostly short and rarely long.
    fn length(&mut self) -> usize {
        match self.below(200) {
            0 => self.below(20_000),
            1..20 => self.below(400),
            _ => self.below(24),
        }
    }
}

/// The parts of a game that a run needs in addition to its rules.
trait Fuzzed: WireFormat {
    /// Numbers of seats of the matches that scenes come from.
    const TABLES: &'static [usize];

    /// Returns a legal action that advances the match. Special actions are spread over the match.
    fn sensible(&self, seat: Seat, chance: &mut Chance) -> Self::Action;
    /// Returns the IDs of all cards or patches.
    fn ids(setup: &Self::Setup) -> Vec<String>;
    /// Returns a random move, based on a legal one.
    fn wild(base: &Self::WireMove, ids: &[String], chance: &mut Chance) -> Self::WireMove;
    /// Returns the number of cells that the move covers.
    fn named(word: &Self::WireMove) -> usize;
    /// Returns the covered cells of a seat.
    fn board(seen: &Self::Observation, seat: Seat) -> Bitboard;
    /// Checks the other visible effects of a legal move. `seen` is what the seat sees before and after it.
    fn check_effect(word: &Self::WireMove, seat: Seat, seen: [&Self::Observation; 2]);
}

impl Fuzzed for Doodle {
    const TABLES: &'static [usize] = &[1, 2, 3, 5];

    fn sensible(&self, seat: Seat, chance: &mut Chance) -> doodle::Action {
        let moves = self.moves(seat).expect("the seat is asked");
        let plain = !chance.one_in(4);
        let drawings: Vec<doodle::Drawing> =
            moves.drawings().filter(|it| !plain || (it.cuts == 0 && !it.neighbor)).collect();
        let passes = drawings.is_empty() || moves.may_pass() && chance.one_in(12);
        let mut singles = Bitboard::EMPTY;
        if chance.one_in(8) {
            singles.insert(cell(chance));
        }
        let draw = (!passes).then(|| chance.pick(&drawings).draw);
        let action = doodle::Action { draw, singles };
        match moves.check(&action) {
            Ok(_) => action,
            Err(_) => doodle::Action { singles: Bitboard::EMPTY, ..action },
        }
    }

    fn ids(setup: &doodle::DoodleSetup) -> Vec<String> {
        let file = setup.cards.as_ref().expect("the setup is in full");
        file.starts.iter().chain(&file.patches).map(|card| card.id.clone()).collect()
    }

    fn wild(base: &doodle::WireMove, ids: &[String], chance: &mut Chance) -> doodle::WireMove {
        let mut word = base.clone();
        match &mut word.draw {
            Some(_) if chance.one_in(12) => word.draw = None,
            Some((card, cells)) => {
                maybe_other_id(card, ids, chance);
                spoil_cells(cells, chance);
            }
            None if chance.one_in(2) => word.draw = Some((chance.pick(ids).clone(), any_cells(chance))),
            None => {}
        }
        match chance.below(6) {
            0 => word.singles = any_cells(chance),
            1 => word.singles = vec![any_pair(chance)],
            2 => spoil_cells(&mut word.singles, chance),
            3 => word.singles.extend(word.draw.iter().flat_map(|(_, cells)| cells.first())),
            _ => {}
        }
        word
    }

    fn named(word: &doodle::WireMove) -> usize {
        word.singles.len() + word.draw.as_ref().map_or(0, |(_, cells)| cells.len())
    }

    fn board(seen: &doodle::Observation, seat: Seat) -> Bitboard {
        seen.players[seat].board
    }

    fn check_effect(word: &doodle::WireMove, seat: Seat, seen: [&doodle::Observation; 2]) {
        let [had, has] = seen.map(|seen| seen.players[seat].actions);
        assert!(has.iter().all(|special| had.has(special)), "a special action came back");
        let used = (had.len() - has.len()) as usize;
        assert!(used >= word.singles.len(), "{used} special actions for {} cells", word.singles.len());
        assert!(word.draw.is_some() || used == word.singles.len(), "a pass took {used} special actions");
    }
}

impl Fuzzed for Patchwork {
    const TABLES: &'static [usize] = &[2, 2, 2, 2, 2, 2];

    fn sensible(&self, seat: Seat, chance: &mut Chance) -> patchwork::Action {
        let count = usize::try_from(self.legal_count(seat)).expect("few moves");
        self.legal_actions(seat).nth(chance.below(count)).expect("below the count")
    }

    fn ids(setup: &patchwork::PatchworkSetup) -> Vec<String> {
        let patches = setup.patches.as_ref().expect("the setup is in full");
        patches.iter().map(|patch| patch.id.clone()).collect()
    }

    fn wild(base: &patchwork::WireMove, ids: &[String], chance: &mut Chance) -> patchwork::WireMove {
        match (base, chance.below(8)) {
            (_, 0) => patchwork::WireMove::Advance,
            (_, 1) => patchwork::WireMove::Leather(any_pair(chance)),
            (_, 2) => patchwork::WireMove::Buy(chance.pick(ids).clone(), any_cells(chance)),
            (patchwork::WireMove::Buy(patch, cells), _) => {
                let (mut patch, mut cells) = (patch.clone(), cells.clone());
                maybe_other_id(&mut patch, ids, chance);
                spoil_cells(&mut cells, chance);
                patchwork::WireMove::Buy(patch, cells)
            }
            (patchwork::WireMove::Leather(_), _) => patchwork::WireMove::Leather(any_pair(chance)),
            (patchwork::WireMove::Advance, _) => patchwork::WireMove::Advance,
        }
    }

    fn named(word: &patchwork::WireMove) -> usize {
        match word {
            patchwork::WireMove::Advance => 0,
            patchwork::WireMove::Leather(_) => 1,
            patchwork::WireMove::Buy(_, cells) => cells.len(),
        }
    }

    fn board(seen: &patchwork::Observation, seat: Seat) -> Bitboard {
        seen.players[seat].board
    }

    fn check_effect(word: &patchwork::WireMove, seat: Seat, [before, after]: [&patchwork::Observation; 2]) {
        let [was, is] = [before, after].map(|seen| &seen.players[seat]);
        match word {
            patchwork::WireMove::Advance => assert!(is.buttons > was.buttons && is.space > was.space),
            patchwork::WireMove::Leather(_) => {
                assert!(before.leather_due > after.leather_due);
                assert_eq!((was.buttons, was.space, &before.circle), (is.buttons, is.space, &after.circle));
            }
            patchwork::WireMove::Buy(patch, _) => {
                assert_eq!(before.circle.len(), after.circle.len() + 1);
                assert!(before.circle[..3.min(before.circle.len())].iter().any(|id| id.as_str() == patch));
                assert!(after.circle.iter().all(|id| id.as_str() != patch));
                assert!(is.income >= was.income && is.space > was.space);
            }
        }
        assert_eq!(before.players[1 - seat], after.players[1 - seat], "the other seat was touched");
    }
}

/// Returns a cell of the board.
fn cell(chance: &mut Chance) -> Cell {
    Cell::from_index(chance.below(CELLS.into()) as u8).expect("below the number of cells")
}

/// Returns a coordinate, mostly one on the board.
fn any_number(chance: &mut Chance) -> i64 {
    const EDGES: [i64; 12] = [-1, 9, 80, 81, 127, 128, 255, 256, 264, 1 << 53, i64::MIN, i64::MAX];
    if chance.one_in(40) { *chance.pick(&EDGES) } else { chance.below(9) as i64 }
}

fn any_pair(chance: &mut Chance) -> [i64; 2] {
    [any_number(chance), any_number(chance)]
}

/// Returns a few unconnected cells, or the cells of a random walk.
fn any_cells(chance: &mut Chance) -> Vec<[i64; 2]> {
    let count = if chance.one_in(100) { chance.length() } else { chance.below(8) };
    if chance.one_in(3) {
        return (0..count).map(|_| any_pair(chance)).collect();
    }
    let mut at = [chance.below(9) as i64, chance.below(9) as i64];
    let mut walked = vec![at];
    for _ in 0..count {
        at[chance.below(2)] += if chance.one_in(2) { 1 } else { -1 };
        if !walked.contains(&at) || chance.one_in(30) {
            walked.push(at);
        }
    }
    walked
}

/// Keeps the cells, or moves, turns, adds, drops, doubles, or replaces some.
fn spoil_cells(cells: &mut Vec<[i64; 2]>, chance: &mut Chance) {
    match chance.below(12) {
        0 => *cells = any_cells(chance),
        1 => cells.push(any_pair(chance)),
        2 => drop(cells.pop()),
        3 => cells.extend(cells.first().copied()),
        4 => cells.clear(),
        5 => cells.iter_mut().for_each(|cell| cell.swap(0, 1)),
        6 => cells.iter_mut().for_each(|[row, _]| *row = 8 - *row),
        7 => cells.reverse(),
        8 => {
            let (down, right) = (chance.below(5) as i64 - 2, chance.below(5) as i64 - 2);
            cells.iter_mut().for_each(|cell| *cell = [cell[0] + down, cell[1] + right]);
        }
        9 if !cells.is_empty() => {
            let place = chance.below(cells.len());
            cells[place][chance.below(2)] = any_number(chance);
        }
        _ => {}
    }
}

/// Keeps the ID, or replaces it by one of another card, which may not exist.
fn maybe_other_id(id: &mut String, ids: &[String], chance: &mut Chance) {
    const STRANGE: [&str; 8] =
        ["", "P99", "p01", " P01", "P01\0", "\u{202e}P01\n", "a-name-of-sixteen", "\u{1f9f5}\u{1f9f5}"];
    match chance.below(16) {
        0 | 1 => chance.pick(ids).clone_into(id),
        2 => (*chance.pick(&STRANGE)).clone_into(id),
        3 => *id = chance.pick(&STRANGE).repeat(chance.length()),
        4 => id.make_ascii_lowercase(),
        _ => {}
    }
}

/// A moment of a match from the view of one seat, with the facts that are known about it.
struct Scene<G: WireFormat> {
    equipment: Arc<G::Equipment>,
    game: G,
    seat: Seat,
    seen: G::Observation,
    /// Every legal action in order, if there are few. Empty for a seat that owes no action.
    listed: Option<Vec<G::Action>>,
    /// A few legal moves of this seat.
    words: Vec<G::WireMove>,
}

impl<G: Fuzzed> Scene<G> {
    fn new(equipment: &Arc<G::Equipment>, game: &G, seat: Seat, chance: &mut Chance) -> Scene<G> {
        let listed = (game.legal_count(seat) <= LISTED_MAX).then(|| {
            let mut listed: Vec<G::Action> = game.legal_actions(seat).collect();
            listed.sort();
            listed
        });
        let count = if game.owes(seat) { WORDS } else { 0 };
        let words = (0..count).map(|_| G::write(equipment, &game.sensible(seat, chance))).collect();
        let (equipment, game) = (Arc::clone(equipment), game.clone());
        Scene { seen: game.observe(seat), equipment, game, seat, listed, words }
    }
}

/// Scenes of one game from real matches, and the IDs of its components.
struct Stage<G: WireFormat> {
    scenes: Vec<Scene<G>>,
    /// Indices of the scenes in which the seat owes an action.
    asked: Vec<usize>,
    ids: Vec<String>,
}

impl<G: Fuzzed> Stage<G> {
    fn new(seed: u64) -> Stage<G> {
        let setup = G::Setup::default().in_full();
        let equipment = Arc::new(G::equip(&setup).expect("standard components"));
        let mut scenes = Vec::new();
        for (number, &seats) in (0..).zip(G::TABLES) {
            let deal = G::deal(&equipment, seats, seed + number).expect("so many can play");
            let game = G::new(&equipment, &deal).expect("a fresh deal");
            play_through(&equipment, game, &mut Chance::new(seed, number), &mut scenes);
        }
        let asked = (0..scenes.len()).filter(|&it| !scenes[it].words.is_empty()).collect();
        Stage { scenes, asked, ids: G::ids(&setup) }
    }

    /// Returns a scene for a line. In most of them the seat owes an action.
    fn scene(&self, chance: &mut Chance) -> &Scene<G> {
        if chance.one_in(16) { chance.pick(&self.scenes) } else { self.asked_scene(chance) }
    }

    fn asked_scene(&self, chance: &mut Chance) -> &Scene<G> {
        &self.scenes[*chance.pick(&self.asked)]
    }

    /// Returns a legal move of this scene, or rarely of another one.
    fn word<'a>(&'a self, scene: &'a Scene<G>, chance: &mut Chance) -> &'a G::WireMove {
        let elsewhere = scene.words.is_empty() || chance.one_in(10);
        let from = if elsewhere { self.asked_scene(chance) } else { scene };
        chance.pick(&from.words)
    }
}

/// Plays a match to its end. Keeps each decision as a scene of the asked seat and of a random seat. Rarely, a
/// seat leaves instead of moving.
fn play_through<G: Fuzzed>(
    equipment: &Arc<G::Equipment>,
    mut game: G,
    chance: &mut Chance,
    scenes: &mut Vec<Scene<G>>,
) {
    while let Some(seat) = first_pending(&game) {
        for seat in [seat, chance.below(game.seats())] {
            scenes.push(Scene::new(equipment, &game, seat, chance));
        }
        if game.seats() > 1 && chance.one_in(80) {
            game.withdraw(seat);
        } else {
            let action = game.sensible(seat, chance);
            game.play(seat, &action).expect("a sensible action is legal");
        }
    }
    scenes.push(Scene::new(equipment, &game, 0, chance));
}

/// Returns a line as a correct bot writes it.
fn line_of<W: serde::Serialize>(message: &FromBot<'_, W>) -> String {
    serde_json::to_string(message).expect("plain data")
}

/// Returns what a bot says about a move: a note, and numbers.
fn talk(note: &str) -> Remarks {
    let data = serde_json::from_str(r#"{"eval":-1.25,"nodes":7,"1.e-9":1e300}"#).expect("JSON");
    Remarks { note: Some(note.to_owned()), data, ..Remarks::default() }
}

fn move_line<W: serde::Serialize>(id: u32, word: W, remarks: &Remarks) -> String {
    let note = remarks.note.as_deref().map(Into::into);
    let data = remarks.data.clone();
    line_of(&FromBot::Move(MoveLine { note, data, ..MoveLine::new(id.into(), word) }))
}

/// A list that is written as one text with items between blanks.
type List = LazyLock<Vec<&'static str>>;

/// Characters and pieces of valid lines, and some that never occur in one.
static PIECES: List = LazyLock::new(|| {
    words(
        r#"{ } [ ] , : " \ { } [ ] , : " "type":"move" "type":"hello" "type":"ready" "type": "id": "move":
    "note": "card": "cells": "pass":true "singles": "buy": "advance":true "leather": "protocol":1 "name":
    "version": "P01" "W01" "S01" [0,0] [[0,0]] [[0,0],[0,1]] null true false 0 1 -1 1.5 1e3 1e999 NaN
    Infinity \u0000 \ud800 \n \u001b // ' {} [] Traceback"#,
    )
});
/// Characters that are hard to print or unusual in a line.
static SIGNS: List = LazyLock::new(|| {
    " |\t|\r|\0|\u{b}|\x1b[2J|\u{feff}|\u{2028}|\u{85}|\u{e4}|\u{202e}|\u{1f9f5}".split('|').collect()
});
/// Numbers at the limits of integer types.
static NUMBERS: List = LazyLock::new(|| {
    words(
    "-1 -0 9 255 256 00 0.5 1e0 1e999 -1e999 4294967295 4294967296 9223372036854775807 9223372036854775808
    -9223372036854775808 18446744073709551615 18446744073709551616",
    )
});
/// Values of every type.
static VALUES: List = LazyLock::new(|| {
    words(
        r#"null true false 0 "x" "" [] {} [[]] [0,0] [[0,0]] [[0]] {"pass":true} {"advance":true} "\u001b[2J\n""#,
    )
});
/// Names of fields and types, and strings that are hard to print.
static STRINGS: List = LazyLock::new(|| {
    words(
        r"type id move note card cells pass singles buy advance leather hello ready protocol name version
    \u0000 \n\r\t \ud800 \ud83e\uddf5 \u001b[31m \u0085 \\",
    )
});

fn token(chance: &mut Chance) -> &'static str {
    if chance.one_in(6) { chance.word(&SIGNS) } else { chance.word(&PIECES) }
}

/// Returns a line of random bytes, text, or tokens.
fn noise(chance: &mut Chance) -> Vec<u8> {
    let length = if chance.one_in(3_000) { LINE_BYTES_MAX } else { chance.length() };
    match chance.below(4) {
        0 => (0..length).map(|_| chance.below(256) as u8).collect(),
        1 => (0..length).map(|_| 0x20 + chance.below(0x5f) as u8).collect(),
        kind => {
            let text: String = (0..length).map(|_| token(chance)).collect();
            if kind == 2 { text.into_bytes() } else { format!("{{{text}}}").into_bytes() }
        }
    }
}

/// Returns a valid line with a few changes.
fn mutant(valid: String, chance: &mut Chance) -> Vec<u8> {
    let mut line = valid.into_bytes();
    for _ in 0..1 + chance.below(3) {
        chance.pick(&MUTATIONS)(&mut line, chance);
    }
    line
}

/// A change of a line.
type Mutation = fn(&mut Vec<u8>, &mut Chance);

const MUTATIONS: [Mutation; 18] = [
    |line, chance| change_byte(line, chance, |byte, chance| byte ^ (1_u8 << chance.below(8))),
    |line, chance| change_byte(line, chance, |_, chance| chance.below(256) as u8),
    |line, chance| line.truncate(place(line, chance)),
    |line, chance| drop(line.drain(span(line, chance))),
    repeat_span,
    swap_spans,
    |line, chance| insert(place(line, chance), line, token(chance)),
    |line, chance| replace(number(line, chance), line, &NUMBERS, chance),
    huge_number,
    |line, chance| replace(string(line, chance), line, &STRINGS, chance),
    long_string,
    |line, chance| replace(value(line, chance), line, &VALUES, chance),
    add_field,
    nest,
    escape_letter,
    |line, chance| insert(if chance.one_in(4) { place(line, chance) } else { 0 }, line, BYTE_ORDER_MARK),
    |line, chance| insert(place(line, chance), line, "\0"),
    add_blanks,
];

fn place(line: &[u8], chance: &mut Chance) -> usize {
    chance.below(line.len() + 1)
}

fn span(line: &[u8], chance: &mut Chance) -> Range<usize> {
    let start = place(line, chance);
    start..line.len().min(start + 1 + chance.below(16))
}

/// Returns a random place that `is_wanted` accepts.
fn find(line: &[u8], chance: &mut Chance, is_wanted: impl Fn(usize) -> bool) -> Option<usize> {
    let found: Vec<usize> = (0..line.len()).filter(|&at| is_wanted(at)).collect();
    (!found.is_empty()).then(|| *chance.pick(&found))
}

/// Returns the end of the run of bytes from `start` that `belongs` accepts.
fn run_end(line: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    line[start..].iter().position(|&byte| !belongs(byte)).map_or(line.len(), |length| start + length)
}

fn insert(at: usize, line: &mut Vec<u8>, bytes: impl AsRef<[u8]>) {
    line.splice(at..at, bytes.as_ref().iter().copied());
}

/// Replaces a part of the line, if there is one, by a word of the list.
fn replace(place: Option<Range<usize>>, line: &mut Vec<u8>, list: &List, chance: &mut Chance) {
    if let Some(place) = place {
        line.splice(place, chance.word(list).bytes());
    }
}

fn change_byte(line: &mut [u8], chance: &mut Chance, changed: impl Fn(u8, &mut Chance) -> u8) {
    if let Some(at) = find(line, chance, |_| true) {
        line[at] = changed(line[at], chance);
    }
}

fn repeat_span(line: &mut Vec<u8>, chance: &mut Chance) {
    let span = span(line, chance);
    let times = if chance.one_in(20) { chance.length() } else { 1 };
    let again = line[span.clone()].repeat(times);
    insert(span.end, line, again);
}

fn swap_spans(line: &mut Vec<u8>, chance: &mut Chance) {
    let from = span(line, chance);
    let taken: Vec<u8> = line.drain(from).collect();
    insert(place(line, chance), line, taken);
}

fn number(line: &[u8], chance: &mut Chance) -> Option<Range<usize>> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    let starts = |at: usize| is_digit(line[at]) && (at == 0 || !line[at - 1].is_ascii_alphanumeric());
    let start = find(line, chance, starts)?;
    Some(start..run_end(line, start, is_digit))
}

fn huge_number(line: &mut Vec<u8>, chance: &mut Chance) {
    if let Some(place) = number(line, chance) {
        let digits = "9".repeat(1 + chance.length());
        let point = if chance.one_in(2) { ".5e" } else { "" };
        line.splice(place, [digits.as_str(), point, &digits].concat().into_bytes());
    }
}

/// Returns the place of a text between two quotation marks.
fn string(line: &[u8], chance: &mut Chance) -> Option<Range<usize>> {
    let start = find(line, chance, |at| line[at] == b'"')? + 1;
    Some(start..run_end(line, start, |byte| byte != b'"'))
}

fn long_string(line: &mut Vec<u8>, chance: &mut Chance) {
    if let Some(place) = string(line, chance) {
        let times = if chance.one_in(4) { chance.length() } else { chance.below(300) };
        line.splice(place, chance.word(&STRINGS).repeat(times).into_bytes());
    }
}

fn value(line: &[u8], chance: &mut Chance) -> Option<Range<usize>> {
    let start = find(line, chance, |at| line[at] == b':')? + 1;
    Some(start..run_end(line, start, |byte| byte != b',' && byte != b'}'))
}

fn add_field(line: &mut Vec<u8>, chance: &mut Chance) {
    if let Some(at) = find(line, chance, |at| line[at] == b'{') {
        let field = format!("\"{}\":{},", chance.word(&STRINGS), chance.word(&VALUES));
        insert(at + 1, line, field);
    }
}

fn nest(line: &mut Vec<u8>, chance: &mut Chance) {
    let Some(place) = value(line, chance) else { return };
    let depth = if chance.one_in(20) { chance.length() } else { chance.below(200) };
    let (open, close) = *chance.pick(&[("[", "]"), ("{\"a\":", "}"), ("[[0,0],", "]")]);
    let closed = if chance.one_in(4) { 0 } else { depth };
    line.splice(place, [open.repeat(depth), "0".to_owned(), close.repeat(closed)].concat().into_bytes());
}

/// Replaces a letter by its escape, which means the same inside a string.
fn escape_letter(line: &mut Vec<u8>, chance: &mut Chance) {
    if let Some(at) = find(line, chance, |at| line[at].is_ascii_alphanumeric()) {
        let escape = format!("\\u{:04x}", line[at]);
        line.splice(at..=at, escape.into_bytes());
    }
}

fn add_blanks(line: &mut Vec<u8>, chance: &mut Chance) {
    let at = *chance.pick(&[0, line.len(), line.len() / 2]);
    insert(at, line, chance.pick(&[" ", "\t", "\r", "\r\r", " \r", "\u{a0}", "\u{c}"]));
}

/// Returns the bytes as a pipe delivers them: one line of at most the maximum length.
fn as_received(mut line: Vec<u8>) -> Vec<u8> {
    line.truncate(LINE_BYTES_MAX);
    line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    line
}

/// Counts of the verdicts, by one of [`VERDICTS`].
type Tally = BTreeMap<&'static str, u64>;

const VERDICTS: [&str; 6] = ["accepted", "illegal", "id", "malformed", "greetings", "usual"];

fn count(tally: &mut Tally, verdict: Option<FaultKind>) {
    let verdict = match verdict {
        None => "accepted",
        Some(FaultKind::Illegal) => "illegal",
        Some(FaultKind::Id) => "id",
        Some(_) => "malformed",
    };
    *tally.entry(verdict).or_default() += 1;
}

/// Returns a line for a scene.
fn line_for<G: Fuzzed>(stage: &Stage<G>, scene: &Scene<G>, chance: &mut Chance) -> Vec<u8> {
    let id = scene.game.decision();
    match chance.below(8) {
        0 | 1 => noise(chance),
        2 => mutant(greeting(chance), chance),
        3 => mutant(move_line(id, stage.word(scene, chance), &talk("why")), chance),
        4 => mutant(move_line(id, stage.word(scene, chance), &Remarks::default()), chance),
        _ => {
            let word = G::wild(stage.word(scene, chance), &stage.ids, chance);
            let id = if chance.one_in(30) { chance.below(50) as u32 } else { id };
            let notes = [Remarks::default(), talk("because"), talk("\u{1b}[2J\u{0}\u{1f9f5}")];
            move_line(id, word, chance.pick(&notes)).into_bytes()
        }
    }
}

fn greeting(chance: &mut Chance) -> String {
    let text = |chance: &mut Chance| chance.one_in(2).then(|| chance.word(&STRINGS).to_owned());
    match chance.below(3) {
        0 => line_of::<()>(&FromBot::Ready(Ready {})),
        _ => {
            let (name, version) = (text(chance), text(chance));
            line_of::<()>(&FromBot::Hello(Hello { protocol: PROTOCOL, name, version, solitary: false }))
        }
    }
}

/// Sends one line to one scene and checks every message and every effect.
fn try_line<G: Fuzzed>(scene: &Scene<G>, line: &[u8], early: bool, tally: &mut Tally) {
    let hello = read_hello(line).map(|hello| assert_eq!(hello.protocol, PROTOCOL));
    let ready = read_ready(line);
    let answer = read_move::<G::WireMove>(line, scene.game.decision(), early);
    let understood = [hello.is_ok(), ready.is_ok(), answer.is_ok()];
    assert!(understood.iter().filter(|&&it| it).count() <= 1, "a line is one message at most");
    *tally.entry("greetings").or_default() += u64::from(hello.is_ok() || ready.is_ok());
    *tally.entry("usual").or_default() += u64::from(check_usual(scene, line));
    for fault in [hello.err(), ready.err()].into_iter().flatten() {
        check_fault(&fault, &[FaultKind::Malformed]);
    }
    let verdict = match answer {
        Err(fault) => {
            check_fault(&fault, &[FaultKind::Malformed, FaultKind::Id]);
            Some(fault.kind)
        }
        Ok(answer) => {
            assert!(!early, "an answer came before its question");
            check_answer::<G>(scene, line, &answer);
            judge(scene, &answer.wire_move).err()
        }
    };
    count(tally, verdict);
}

/// Returns true if the fast path reads the line. Then the slow path must read the same.
fn check_usual<G: Fuzzed>(scene: &Scene<G>, line: &[u8]) -> bool {
    let id = scene.game.decision();
    let Some(action) = read_usual::<G>(&scene.equipment, line, id) else { return false };
    let Answer { wire_move, remarks } = read_move::<G::WireMove>(line, id, false).expect("a sound answer");
    let read = (G::read(&scene.equipment, &wire_move), remarks);
    assert_eq!(read, (Ok(action), Remarks::default()), "read in one pass");
    true
}

fn check_fault(fault: &Fault, kinds: &[FaultKind]) {
    assert!(kinds.contains(&fault.kind), "a fault of kind {}", fault.kind);
    check_detail(&fault.detail);
}

fn check_detail(detail: &str) {
    assert!(!detail.is_empty(), "nothing is said");
    assert!(detail.len() <= DETAIL_BYTES_MAX, "{} bytes are said: {detail:.2000?}", detail.len());
    assert!(!detail.contains(char::is_control), "what is said is not one plain line: {detail:?}");
}

/// Checks the parsed answer against another JSON reader, and that it survives a round trip.
fn check_answer<G: Fuzzed>(scene: &Scene<G>, line: &[u8], answer: &Answer<G::WireMove>) {
    let id = scene.game.decision();
    let text = str::from_utf8(line).expect("read as text");
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        assert_eq!((&value["type"], &value["id"]), (&Value::from("move"), &Value::from(id)));
        assert!(value["move"].is_object(), "a move is an object");
        let note = answer.remarks.note.as_deref();
        assert_eq!(note.is_some(), value["note"].is_string(), "the note");
        assert!(note.is_none_or(|note| value["note"].as_str().is_some_and(|all| all.starts_with(note))));
        let numbers = &answer.remarks.data;
        assert!(numbers.iter().all(|(name, number)| value["data"][name] == Value::Number(number.clone())));
        assert_eq!(numbers.is_empty() && answer.remarks.data_dropped == 0, is_empty(&value["data"]));
    }
    assert!(answer.remarks.note.as_ref().is_none_or(|note| note.len() <= NOTE_BYTES_MAX), "a long note");
    let again = move_line(id, &answer.wire_move, &answer.remarks);
    let remarks = Remarks { data_dropped: 0, ..answer.remarks.clone() };
    let kept = Answer { remarks, wire_move: answer.wire_move.clone() };
    assert_eq!(read_move(again.as_bytes(), id, false), Ok(kept), "written and read again");
}

fn is_empty(data: &Value) -> bool {
    data.is_null() || data.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Judges a move by the rules and compares the verdict with the list of legal actions.
fn judge<G: Fuzzed>(scene: &Scene<G>, word: &G::WireMove) -> Result<(), FaultKind> {
    let action = match G::read(&scene.equipment, word) {
        Ok(action) => action,
        Err(why) => return refused(&why),
    };
    let again = G::write(&scene.equipment, &action);
    assert_eq!(G::read(&scene.equipment, &again), Ok(action.clone()), "written and read again");
    let mut game = scene.game.clone();
    let played = game.play(scene.seat, &action);
    if let Some(listed) = &scene.listed {
        assert_eq!(played.is_ok(), listed.binary_search(&action).is_ok(), "{action:?}: {played:?}");
    }
    match played {
        Ok(()) => check_accepted(scene, game, word, &action),
        Err(why) => {
            check_unchanged(&scene.game, &game, scene.seat, &scene.seen);
            return refused(&why);
        }
    }
    Ok(())
}

fn refused(why: &impl std::error::Error) -> Result<(), FaultKind> {
    check_detail(&why.to_string());
    Err(FaultKind::Illegal)
}

fn check_unchanged<G: Fuzzed>(before: &G, after: &G, seat: Seat, seen: &G::Observation) {
    assert_eq!(&after.observe(seat), seen, "a refused move changed what is seen");
    assert_eq!(before.decision(), after.decision(), "a refused move was a decision");
    assert!(pending(before).eq(pending(after)), "a refused move changed who is asked");
    assert_eq!(before.outcome(), after.outcome(), "a refused move changed the score");
}

/// Checks that the move counts once and covers the cells that it names. All other seats leave, so that a
/// simultaneous decision ends.
fn check_accepted<G: Fuzzed>(scene: &Scene<G>, mut game: G, word: &G::WireMove, action: &G::Action) {
    let seat = scene.seat;
    assert!(scene.game.owes(seat), "a seat that was not asked has moved");
    if game.decision() == scene.game.decision() {
        let (seen, waiting) = (game.observe(seat), game.clone());
        assert_eq!(seen, scene.seen, "a move shows before the others have chosen");
        assert!(game.play(seat, action).is_err(), "a seat has moved twice");
        check_unchanged(&waiting, &game, seat, &seen);
        (0..game.seats()).filter(|&other| other != seat).for_each(|other| game.withdraw(other));
    }
    assert_eq!(game.decision(), scene.game.decision() + 1);
    assert_eq!(game.owes(seat), game.legal_actions(seat).next().is_some(), "asked without a choice");
    let after = game.observe(seat);
    let [had, has] = [&scene.seen, &after].map(|seen| G::board(seen, seat));
    assert!(has.contains_all(had), "a cell was uncovered");
    assert_eq!((has - had).len() as usize, G::named(word), "not the cells that were named");
    G::check_effect(word, seat, [&scene.seen, &after]);
}

/// Inputs of a run.
#[derive(Clone, Copy)]
struct Plan {
    seed: u64,
    first: u64,
    inputs: u64,
}

impl Plan {
    fn from_env() -> Plan {
        let number = |name: &str, default| match env::var(name) {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text:?}")),
            Err(_) => default,
        };
        let (seed, first) = (number("QUILT_FUZZ_SEED", 1), number("QUILT_FUZZ_FIRST", 0));
        Plan { seed, first, inputs: number("QUILT_FUZZ_INPUTS", INPUTS) }
    }

    /// Returns the command that repeats one input.
    fn again(self, input: u64) -> String {
        let seed = self.seed;
        format!(
            "QUILT_FUZZ_SEED={seed} QUILT_FUZZ_FIRST={input} QUILT_FUZZ_INPUTS=1 cargo test -p quilt-arena --test integration fuzz::"
        )
    }
}

/// Tries one input. The error has the failure and the line.
fn try_input<G: Fuzzed>(stage: &Stage<G>, chance: &mut Chance, tally: &mut Tally) -> Result<(), String> {
    let scene = stage.scene(chance);
    let line = as_received(line_for(stage, scene, chance));
    let early = chance.one_in(50);
    let tried = catch_unwind(AssertUnwindSafe(|| try_line(scene, &line, early, tally)));
    tried.map_err(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        let (name, id, seat) = (G::NAME, scene.game.decision(), scene.seat);
        let shown: String = line.escape_ascii().to_string().chars().take(4_000).collect();
        format!("{what}\n  {name}, decision {id}, seat {seat}, {} bytes: {shown}", line.len())
    })
}

/// Runs the share of one thread, up to its first failure.
fn run_part(
    plan: Plan,
    inputs: impl Iterator<Item = u64>,
    (doodle, patchwork): &(Stage<Doodle>, Stage<Patchwork>),
) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for input in inputs {
        let mut chance = Chance::new(plan.seed, input);
        let tried = match chance.one_in(2) {
            true => try_input(doodle, &mut chance, &mut tally),
            false => try_input(patchwork, &mut chance, &mut tally),
        };
        tried.map_err(|failure| format!("{failure}\n  again: {}", plan.again(input)))?;
    }
    Ok(tally)
}

#[test]
fn no_line_makes_the_judge_panic_or_judge_wrongly() {
    let plan = Plan::from_env();
    let stages = &(Stage::new(plan.seed), Stage::new(plan.seed));
    let parts = thread::available_parallelism().map_or(1, NonZero::get);
    let done: Vec<Result<Tally, String>> = thread::scope(|scope| {
        let inputs = move |part| (plan.first..plan.first + plan.inputs).skip(part).step_by(parts);
        let run = |part| scope.spawn(move || run_part(plan, inputs(part), stages));
        let threads: Vec<_> = (0..parts).map(run).collect();
        threads.into_iter().map(|thread| thread.join().expect("panics are caught")).collect()
    });
    let mut total = Tally::default();
    for part in done {
        let part = part.unwrap_or_else(|failure| panic!("{failure}"));
        part.into_iter().for_each(|(verdict, count)| *total.entry(verdict).or_default() += count);
    }
    println!("{} inputs in {parts} threads: {total:?}", plan.inputs);
    if plan.inputs >= TELLING {
        let few = Some(&(plan.inputs / 200));
        assert!(VERDICTS.iter().all(|verdict| total.get(verdict) > few), "hardly met: {total:?}");
    }
}

/// Text around a line that is not part of it.
const AROUND: [(&str, &str); 7] = [
    (BYTE_ORDER_MARK, ""),
    ("", "\r"),
    ("  \t", ""),
    ("", " \t "),
    (BYTE_ORDER_MARK, "\r"),
    ("\u{feff} ", " \r"),
    ("\r\r", "\r"),
];

fn check_around<G: Fuzzed>() {
    let stage = Stage::<G>::new(1);
    for scene in &stage.scenes {
        for word in &scene.words {
            let id = scene.game.decision();
            let line = move_line(id, word, &talk("why"));
            let bare = read_move::<G::WireMove>(line.as_bytes(), id, false);
            assert_eq!(bare.as_ref().map(|answer| &answer.wire_move), Ok(word), "{line}");
            assert_eq!(judge(scene, word), Ok(()), "{line}");
            for (before, after) in AROUND {
                let dressed = format!("{before}{line}{after}");
                assert_eq!(read_move(dressed.as_bytes(), id, false), bare, "{dressed:?}");
            }
        }
    }
}

#[test]
fn a_mark_blanks_and_a_carriage_return_around_a_line_change_nothing() {
    check_around::<Doodle>();
    check_around::<Patchwork>();
}

/// Judges a move of the first seat of a new match.
fn verdict<G: Fuzzed>(fields: &str) -> Result<(), String> {
    let stage = Stage::<G>::new(1);
    let scene = &stage.scenes[0];
    let answer =
        read_move::<G::WireMove>(format!(r#"{{"type":"move","id":0,{fields}}}"#).as_bytes(), 0, false);
    let wire_move = answer.map_err(|fault| fault.detail)?.wire_move;
    G::read(&scene.equipment, &wire_move).map(drop).map_err(|why| why.to_string())
}

#[test]
fn a_row_that_does_not_fit_the_number_of_a_cell_is_outside_the_board() {
    for row in [28, 29, 255] {
        let outside = Err(format!("cell [{row},8] is outside the board: rows and columns are 0 to 8"));
        assert_eq!(verdict::<Doodle>(&format!(r#""move":{{"pass":true,"singles":[[{row},8]]}}"#)), outside);
        assert_eq!(verdict::<Patchwork>(&format!(r#""move":{{"leather":[{row},8]}}"#)), outside);
    }
}

#[test]
fn an_unknown_field_is_named_escaped_and_cut() {
    for name in [r"\u001b[2J\n", &"x".repeat(60_000)] {
        let fields = format!(r#""move":{{"{name}":1}}"#);
        for result in [verdict::<Doodle>(&fields), verdict::<Patchwork>(&fields)] {
            let detail = result.expect_err("there is no such field");
            assert!(detail.contains("unknown field"), "{detail}");
            check_detail(&detail);
        }
    }
}
