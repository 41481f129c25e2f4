//! Sends mutated query lines to the oracle. It must answer or skip each line.
//!
//! `QUILT_ORACLE_LINES` sets the number of lines (default 10,000).

use arena::oracle::{Oracle, Task};
use engine::dealer::Dealer;
use referee::games::{GameName, RulesOptions};
use serde_json::{Value, json};

use crate::program::words;
use crate::vectors::make::answer_bytes;
use crate::vectors::{FILES, lines, text};

const LINES: u64 = 10_000;
/// The most moves of a state that get listed; longer lists are only counted, to save time.
const LISTED_MAX: u64 = 2_000;
/// The longest answer to a line that the oracle does not understand, in bytes.
const ERROR_BYTES_MAX: usize = 1_024;
/// Replacements for numbers and words.
const STRANGE: &str = "null true [] {} \"\" -1 0 1 2 3 6 9 53 54 63 81 255 256 65535 65536 9007199254740993 \
    18446744073709551616 1e999 0.5 \"final\" \"leather\" \"W01\" \"P01\" \"S01\" [[0,0]] [0,0] \
    [\"neighbor\",\"neighbor\"] \"#########\"";

struct Chance(Dealer);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u32) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Inserts, removes, flips, or truncates bytes.
fn change_bytes(line: &mut Vec<u8>, chance: &mut Chance) {
    let place = chance.below(line.len().max(1));
    match chance.below(5) {
        _ if line.is_empty() => line.push(b'{'),
        0 => line[place] ^= 1 << chance.below(8),
        1 => line.insert(place, chance.below(256) as u8),
        2 => drop(line.remove(place)),
        3 => line.truncate(place),
        _ => {
            let more = *chance.pick(&words(STRANGE));
            line.splice(place..place, more.bytes());
        }
    }
}

/// Replaces, removes, or duplicates one value somewhere in the object.
fn change_field(value: &mut Value, chance: &mut Chance) {
    let goes_on = chance.below(8) != 0;
    match value {
        Value::Object(fields) if goes_on && !fields.is_empty() => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            let key = chance.pick(&keys);
            match chance.below(12) {
                0 => drop(fields.remove(key)),
                1 => drop(fields.insert(key.to_uppercase(), json!(1))),
                _ => change_field(fields.get_mut(key).expect("one of the keys"), chance),
            }
        }
        Value::Array(items) if goes_on && !items.is_empty() => {
            let place = chance.below(items.len());
            match chance.below(8) {
                0 => drop(items.remove(place)),
                1 => items.push(items[place].clone()),
                2 => items.swap(0, place),
                _ => change_field(&mut items[place], chance),
            }
        }
        Value::Number(number) if goes_on => *number = (chance.below(10) as u64).into(),
        value => *value = serde_json::from_str(chance.pick::<&str>(&words(STRANGE))).unwrap_or(Value::Null),
    }
}

fn changed(line: &str, chance: &mut Chance) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    if chance.below(4) != 0 {
        let mut value: Value = serde_json::from_str(line).expect("a line of ours");
        let in_move = chance.below(2) == 0;
        let part = if in_move { value.get_mut("move") } else { Some(&mut value) };
        part.into_iter().for_each(|part| (0..=chance.below(3)).for_each(|_| change_field(part, chance)));
        bytes = value.to_string().into_bytes();
    }
    if chance.below(3) == 0 {
        (0..=chance.below(3)).for_each(|_| change_bytes(&mut bytes, chance));
    }
    bytes.retain(|&byte| byte != b'\n');
    if bytes.is_empty() { b"{".to_vec() } else { bytes }
}

/// Checks the general form of an answer: one line, an object, and an error of bounded length if it is one.
fn check(bytes: &[u8], line: &[u8]) -> Option<Value> {
    let shown = String::from_utf8_lossy(line);
    if bytes.is_empty() {
        return None;
    }
    assert_eq!(bytes.iter().position(|&byte| byte == b'\n'), Some(bytes.len() - 1), "{shown}");
    let answer: Value = serde_json::from_slice(bytes).unwrap_or_else(|why| panic!("{why}: {shown}"));
    let error = answer["error"].as_str().unwrap_or("line ");
    assert!(error.starts_with("line ") && error.len() <= ERROR_BYTES_MAX, "{error}: {shown}");
    Some(answer)
}

#[test]
fn an_id_that_no_reader_takes_is_not_echoed() {
    let mut oracle =
        Oracle::new(Task::Count, GameName::Patchwork, &RulesOptions::default()).expect("standard components");
    let answer = check(&answer_bytes(&mut oracle, br#"{"id":2e999,"seat":0}"#), b"2e999").expect("an answer");
    assert_eq!(answer["error"], "line 1: the \"id\" has a number that is out of range");
}

#[test]
fn no_line_breaks_the_oracle() {
    let set = std::env::var("QUILT_ORACLE_LINES").ok();
    let count: u64 = set.map_or(LINES, |text| text.parse().expect("QUILT_ORACLE_LINES is a number"));
    let texts = FILES.map(|(game, _)| text(game));
    let files = [0, 1].map(|file| lines(&texts[file]).map(|(line, _)| line).collect::<Vec<&str>>());
    let mut oracles = [GameName::Doodle, GameName::Patchwork].map(|game| {
        let oracle = |task| Oracle::new(task, game, &RulesOptions::default()).expect("standard components");
        [Task::Explain, Task::Apply, Task::Count, Task::Moves].map(oracle)
    });
    let (mut legal, mut illegal, mut errors) = (0, 0, 0);
    for number in 0..count {
        let mut chance = Chance(Dealer::new(number, 96));
        let game = chance.below(2);
        let line = changed(chance.pick::<&str>(&files[game]), &mut chance);
        let [explain, apply, counts, moves] = &mut oracles[game];
        let answer = |oracle: &mut Oracle| {
            // Resets to the standard rules, in case an earlier line was a `start`.
            assert_eq!(answer_bytes(oracle, files[game][0].as_bytes()), b"");
            check(&answer_bytes(oracle, &line), &line)
        };
        let Some(explained) = answer(explain) else { continue };
        match explained["legal"].as_bool() {
            Some(true) => legal += 1,
            Some(false) => illegal += 1,
            None => errors += 1,
        }
        let applied = answer(apply).expect("it is a query");
        assert_eq!(applied["legal"], explained["legal"]);
        let counted = answer(counts).expect("it is a query");
        if let Some(count) = counted["count"].as_u64().filter(|&count| count <= LISTED_MAX) {
            let listed = answer(moves).expect("it is a query");
            assert_eq!(listed["moves"].as_array().map(|moves| moves.len() as u64), Some(count));
        }
    }
    let least = if count >= LINES { 100 } else { 0 };
    assert!([legal, illegal, errors].iter().all(|&of| of >= least), "{legal}, {illegal}, {errors}");
}
