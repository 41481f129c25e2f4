//! Runs each line of the vectors through the program.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Output, Stdio};
use std::sync::Arc;

use arena::oracle::{Oracle, Task};
use engine::dealer::Dealer;
use engine::doodle::{Doodle, Equipment};
use engine::game::{Game, first_pending};
use engine::wire::WireFormat;
use referee::games::{GameName, RulesOptions};
use serde_json::{Map, Value, json};

use crate::vectors::{FILES, Listed, Vector, lines, object, path, text};

/// Starts the program with these arguments and this stdin.
fn started(args: &[&str], input: Stdio) -> Child {
    let mut command = crate::program::command();
    command.args(args).stdin(input).stdout(Stdio::piped()).spawn().expect("the arena starts")
}

/// Runs the program with these arguments and this text as its stdin.
fn fed(args: &[&str], text: &str) -> Output {
    let mut child = started(args, Stdio::piped());
    let mut input = child.stdin.take().expect("it is piped");
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || input.write_all(text.as_bytes()));
        let output = child.wait_with_output().expect("the arena ends");
        writer.join().expect("it writes").expect("the arena reads all");
        output
    })
}

/// Returns the answers to a file, one for each vector. The start lines in the file select the game.
fn answers(args: &[&str], game: &str) -> Vec<String> {
    let input = File::open(path(game)).expect("the vectors are there");
    let output = started(args, input.into()).wait_with_output().expect("the arena ends");
    assert!(output.status.success(), "{args:?}: {}", output.status);
    let text = String::from_utf8(output.stdout).expect("answers are UTF-8");
    text.lines().map(str::to_owned).collect()
}

fn vectors(text: &str) -> Vec<Vector> {
    lines(text).filter_map(|(_, vector)| vector).collect()
}

/// Returns the answer to a legal move, without `id` and `legal`.
fn details(mut answer: Map<String, Value>, id: u64) -> Map<String, Value> {
    assert_eq!((answer.remove("id"), answer.remove("legal")), (Some(id.into()), Some(true.into())));
    answer
}

#[test]
fn the_program_answers_every_vector() {
    for (game, _) in FILES {
        let text = text(game);
        let vectors = vectors(&text);
        let counts = answers(&["moves", "--count"], game);
        let explains = answers(&["moves", "--explain"], game);
        let applies = answers(&["moves", "--apply"], game);
        assert_eq!([counts.len(), explains.len(), applies.len()], [vectors.len(); 3]);
        for (place, vector) in vectors.iter().enumerate() {
            let count = format!(r#"{{"id":{},"count":{}}}"#, vector.id, vector.count);
            assert_eq!(counts[place], count, "{game}");
            assert_eq!(details(object(&explains[place]), vector.id), object(vector.explain.get()), "{game}");
            assert_eq!(details(object(&applies[place]), vector.id), object(vector.apply.get()), "{game}");
        }
    }
}

/// Asks the program one question at a time, and waits for each answer. The program must never hang.
struct Dialogue {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
}

impl Dialogue {
    fn new(args: &[&str]) -> Dialogue {
        let mut child = started(args, Stdio::piped());
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        Dialogue { child, stdout }
    }

    fn tell(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().expect("it is piped");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("the arena listens");
    }

    fn ask(&mut self, line: &str) -> String {
        self.tell(line);
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).expect("the arena answers");
        answer
    }

    fn finish(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("the arena ends").success());
    }
}

#[test]
fn the_program_lists_the_moves_of_every_digest_and_names_every_broken_rule() {
    for (game, _) in FILES {
        let text = text(game);
        let (mut moves, mut explain) = (Dialogue::new(&["moves"]), Dialogue::new(&["moves", "--explain"]));
        for (line, vector) in lines(&text) {
            let Some(vector) = vector else {
                moves.tell(line);
                explain.tell(line);
                continue;
            };
            if let Some(digest) = &vector.digest {
                let listed: Listed = serde_json::from_str(&moves.ask(line)).expect("an answer");
                assert_eq!((listed.count, &listed.digest()), (vector.count, digest), "{game} {}", vector.id);
            }
            for illegal in &vector.illegal {
                let mut query = object(line);
                query.insert("move".to_owned(), illegal.word.clone());
                let answer = object(&explain.ask(&Value::Object(query).to_string()));
                assert_eq!(answer["rule"], illegal.rule.as_str(), "{game} {}: {answer:?}", vector.id);
                assert_eq!(answer["cells"], illegal.cells, "{game} {}", vector.id);
                assert_eq!(answer["legal"], false, "{game} {}", vector.id);
            }
        }
        moves.finish();
        explain.finish();
    }
}

#[test]
fn lines_that_cannot_be_judged_are_answered_in_their_place() {
    let (file, vector) = (text("patchwork"), vectors(&text("patchwork")).remove(0));
    let (start, query) = (file.lines().next().expect("a start"), file.lines().nth(1).expect("a vector"));
    let bad = query.replacen("\"space\":0", "\"space\":-1", 1);
    let input = [
        r#"{"type":"hello","protocol":1}"#,
        start,
        "hello?",
        &bad,
        "",
        query,
        r#"{"type":"start","game":"chess"}"#,
        query,
        r#"{"type":"move","id":3,"move":{"advance":true}}"#,
        start,
        &format!("\u{feff}{query}\r"),
        r#"{"type":"quit"}"#,
    ];
    let output = fed(&["moves", "--count", "--game", "doodle"], &input.join("\n"));
    assert_eq!(output.status.code(), Some(1));
    let stdout = String::from_utf8(output.stdout).expect("answers are UTF-8");
    let found: Vec<Map<String, Value>> = stdout.lines().map(object).collect();
    let error = |place: usize, text: &str| {
        let message = found[place]["error"].as_str().expect("a text");
        assert!(message.starts_with(text), "{message}");
    };
    error(0, "line 3: not JSON: ");
    error(1, "line 4: not understood: invalid value: integer `-1`, expected u8");
    assert_eq!((&found[1]["id"], &found[2]["count"]), (&vector.id.into(), &vector.count.into()));
    error(3, "line 7: there is no game \"chess\"");
    error(4, "line 8: the start of this match, line 7, was not understood");
    error(5, "line 9: a line of type \"move\" asks nothing");
    assert_eq!(found[6]["count"], vector.count);
    assert_eq!(found.len(), 7);
}

#[test]
fn a_state_of_the_other_game_is_recognised() {
    for (game, other) in [("doodle", "patchwork"), ("patchwork", "doodle")] {
        let text = text(game);
        let query = text.lines().nth(1).expect("a vector");
        for task in ["--count", "--explain", "--apply"] {
            let output = fed(&["moves", task, "--game", other], query);
            let answer = object(std::str::from_utf8(&output.stdout).expect("UTF-8").trim_end());
            let cure = format!("add --game {game}, or its \"start\" line before it");
            assert_eq!(answer["error"], format!("line 1: this is a state of {game}: {cure}"), "{task}");
        }
    }
}

/// Counts calls of `write`.
struct Counting(u64);

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn answers_are_gathered_while_lines_are_waiting() {
    let text = text("patchwork").repeat(4);
    let oracle = Oracle::new(Task::Count, GameName::Patchwork, &RulesOptions::default());
    let mut output = Counting(0);
    let tally =
        oracle.expect("standard components").run(text.as_bytes(), &mut output).expect("no pipe breaks");
    assert_eq!(tally.errors, 0);
    assert!(output.0 > 0 && output.0 * 10 < tally.answers, "{} writes, {tally:?}", output.0);
}

/// Steps whole matches of random moves with the rolls and cards of their deals.
#[test]
fn a_whole_table_is_stepped_as_the_engine_plays_it() {
    let equipment = Arc::new(Equipment::standard());
    let (mut queries, mut expected) = (String::new(), Vec::new());
    for seed in 0..20 {
        let seats = 1 + seed as usize % 3;
        let deal = Doodle::deal(&equipment, seats, seed).expect("a deal");
        let mut game = Doodle::new(&equipment, &deal).expect("a fresh deal");
        let mut chance = Dealer::new(seed, 9);
        while first_pending(&game).is_some() {
            let (id, seen) = (game.decision() as usize, game.observe(0));
            let mut moves = Vec::new();
            for seat in 0..seats {
                let count = game.legal_count(seat).min(500) as u32;
                let action = game.legal_actions(seat).nth(chance.below(count) as usize).expect("a move");
                moves.push(json!(Doodle::write(&equipment, &action)));
                game.play(seat, &action).expect("a listed action is legal");
            }
            let mut query = json!({"id": id, "state": seen, "moves": moves});
            if let Some(roll) = deal.dice.get(id) {
                query["roll"] = json!(roll);
            }
            if id > 0 && id.is_multiple_of(6) && id < 18 {
                query["cards"] = json!(deal.deck[8 + id - 6..8 + id]);
            }
            queries += &format!("{query}\n");
            let over = first_pending(&game).is_none();
            let outcome = game.outcome();
            let state = if over { Value::Null } else { json!(game.observe(0)) };
            expected.push(json!({
                "id": id, "legal": true, "state": state, "over": over, "scores": outcome.scores, "ranks": outcome.ranks,
            }));
        }
    }
    let first = queries.lines().next().expect("a query");
    let output = fed(&["moves", "--apply"], &queries);
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).expect("answers are UTF-8");
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers, expected);
    const START_PASS: &str = r#""legal":false,"seat":0,"rule":"start_pass""#;
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut query: Value = serde_json::from_str(first).expect("JSON");
        change(&mut query);
        String::from_utf8(fed(&["moves", "--apply"], &format!("{query}\n")).stdout).expect("text")
    };
    for (change, why) in [
        (&(|query: &mut Value| query["roll"] = Value::Null) as &dyn Fn(&mut Value), "the next turn needs a"),
        (&|query: &mut Value| query["roll"] = json!(4), "the next turn needs a"),
        (&|query: &mut Value| query["cards"] = json!([query["state"]["unseen"][0]]), "must have 0 cards"),
        (&|query: &mut Value| query["cards"] = json!(["X"]), "is not among the unseen cards"),
        (&|query: &mut Value| query["moves"] = json!([]), "0 moves, and 1 seats"),
        (&|query: &mut Value| query["moves"][0] = json!({"pass": true}), START_PASS),
        (&|query: &mut Value| query["state"]["players"] = json!([]), "0 seats"),
        (&|query: &mut Value| query["state"]["circle"] = json!([]), "no card for the next turn"),
    ] {
        let said = wrong(change);
        assert!(said.contains(why), "{why}: {said}");
    }
}
