//! Bots that may answer again, and variables that they get by name.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::cli::{self, typed};
use crate::commitment::tells;
use crate::fixtures::modes::Mode;
use crate::program::tables::{records, standings};
use crate::program::{command, scratch, send, succeed, words};

fn fixture(mode: Mode) -> String {
    format!("{} {}", crate::program::fixture("misbehave").display(), mode.name())
}

/// Writes a league of the fixture, which is named `mine`, and greedy.
fn league(folder: &Path, bot: &str, keys: &str, more: &str) {
    let text = format!(
        "[limits]\nmove-time = \"1m\"\n[[bot]]\nname = \"mine\"\ncommand = {bot:?}\n{keys}\n[[bot]]\ncommand = \"greedy\"\n{more}"
    );
    fs::write(folder.join("league.toml"), text).expect("a league file");
}

fn play(folder: &Path, game: &str, out: &str) {
    typed(folder, &format!("tournament league.toml --game {game} --rounds 2 --seed 4 --quiet --out {out}"));
}

/// Returns the decisions of `mine` in all matches.
fn turns(dir: &Path) -> Vec<Value> {
    let own = |mut record: Value| {
        let seat = record["bots"].as_array().expect("bots").iter().position(|bot| bot == "mine");
        let seat = seat.expect("it plays");
        let turns = record["turns"].as_array_mut().expect("turns");
        std::mem::take(turns).into_iter().filter(move |turn| turn["seat"] == seat)
    };
    records(dir).into_iter().flat_map(own).collect()
}

#[test]
fn who_corrects_a_refused_answer_plays_on_as_if_nothing_had_happened() {
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        let path = folder.path();
        league(path, &fixture(Mode::Plain), "", "");
        play(path, game, "plain");
        league(path, &fixture(Mode::Corrects), "retries = 1", "");
        play(path, game, "corrects");
        let [plain, corrects] = ["plain", "corrects"].map(|dir| standings(&path.join(dir)));
        assert_eq!(corrects["digest"], plain["digest"], "{game}");
        let turns = turns(&path.join("corrects"));
        let kind = |turn: &Value| {
            if turn["id"].as_u64().expect("an id").is_multiple_of(2) { "malformed" } else { "illegal" }
        };
        for turn in &turns {
            let refused = turn["refused"].as_array().expect("each was wrong at first");
            assert_eq!((refused.len(), &refused[0]["kind"]), (1, &kind(turn).into()), "{turn}");
            assert!(refused[0]["line"].as_str().is_some_and(|line| line.starts_with('"')), "{turn}");
        }
        let row = |standings: &Value| {
            let rows = standings["rows"].as_array().expect("rows").clone();
            rows.into_iter().find(|row| row["bot"] == "mine").expect("a row")
        };
        assert_eq!(row(&corrects)["retries"], turns.len(), "{game}");
        assert!(row(&plain)["retries"].is_null(), "{game}");
        let table = succeed(path, &["standings", "corrects"]);
        assert!(table.contains("│ retries │"), "{table}");
        // A repetition and a fed program get the same lines.
        succeed(path, &["rerun", "corrects", "--match", "1"]);
        let log = path.join("fed.log");
        let listens = format!("tee {} | {}", log.display(), fixture(Mode::Corrects));
        let feed = words("feed corrects --match 0 --with mine --contain off -- sh -c");
        let fed = succeed(path, &[&feed[..], &[&listens]].concat());
        assert!(fed.contains("answers agree"), "{fed}");
        let heard = fs::read_to_string(log).expect("it heard something");
        let retry = r#"{"type":"retry","id":0,"kind":"malformed","detail":"expected a move message"#;
        assert!(heard.contains(retry), "{heard}");
    }
}

#[test]
fn who_is_wrong_again_is_out_and_who_may_not_answer_again_is_out_at_once() {
    let folder = scratch();
    for (mode, keys, refused, kind) in [
        (Mode::Corrects, "", 0, "malformed"),
        (Mode::OffBoard, "retries = 1", 1, "illegal"),
        (Mode::NotAnObject, "retries = 2", 2, "malformed"),
        (Mode::WrongId, "retries = 5", 0, "id"),
        (Mode::Exits3, "retries = 1", 0, "exit"),
    ] {
        league(folder.path(), &fixture(mode), keys, "");
        play(folder.path(), "doodle", mode.name());
        for turn in turns(&folder.path().join(mode.name())) {
            assert_eq!(turn["fault"]["kind"], kind, "{turn}");
            assert_eq!(turn["refused"].as_array().map_or(0, Vec::len), refused, "{turn}");
        }
    }
}

/// The bot computes from its wrong answer to the retry, and ends if it gets processor time for that.
#[test]
fn a_bot_is_stopped_and_its_clock_stands_from_its_wrong_answer_to_the_retry() {
    let folder = scratch();
    // Bots do not see each other's files, so each has its own program.
    let program = fixture(Mode::Plain).replace(" plain", "");
    fs::create_dir(folder.path().join("slow")).expect("a folder");
    fs::copy(program, folder.path().join("slow/misbehave")).expect("a copy");
    let late = "{ read h; echo \"$h\"; read s; echo \"$s\"; read t; sleep 6; echo \"$t\"; cat; }";
    let slow = format!("sh -c '{late} | ./misbehave plain'");
    let more = format!("[[bot]]\nname = \"slow\"\ncommand = {slow:?}\ndir = \"slow\"\n");
    league(folder.path(), &fixture(Mode::Corrects), "retries = 1\nmove-time = \"5s\"", &more);
    typed(folder.path(), "tournament league.toml --rounds 1 --seats 3 --seed 4 --quiet --out t");
    let own = turns(&folder.path().join("t"));
    assert!(own.iter().all(|turn| turn["fault"].is_null()), "{own:?}");
}

/// The fixture's first answer to each question is refused.
#[test]
fn retries_are_an_option_of_every_command_that_starts_bots() {
    let folder = scratch();
    let here = folder.path();
    let wrong_at_first = format!("mine={}", fixture(Mode::Corrects));
    let with_retries = |line: &str, retries: &str| {
        let mut all = words(line);
        all.extend(words("--move-time 1m"));
        all.extend(words(retries));
        all.iter_mut().filter(|word| **word == "MINE").for_each(|word| *word = &wrong_at_first);
        let output = command().current_dir(here).args(&all).output().expect("the arena starts");
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    };
    typed(
        here,
        "tournament --game patchwork --bot a=greedy --bot b=random --rounds 2 --seed 5 --quiet --out t",
    );
    typed(here, "suite asked --make t --count 2 --nodes 100 --quiet");
    let is_refused = |said: &str| {
        ["illegal", "malformed", "faults: mine", "\"faults\": 2"].iter().any(|kind| said.contains(kind))
    };
    for line in [
        "match --game patchwork --bot greedy --bot MINE --seed 5 --record record",
        "rerun record --bot greedy=greedy --bot MINE",
        "tournament --game patchwork --bot greedy --bot MINE --rounds 1 --quiet",
        "compare MINE greedy --game patchwork --max-rounds 10 --quiet",
        "suite asked --bot MINE --quiet --format json",
        "check --bot MINE --game patchwork --matches 2",
    ] {
        let (_, said) = with_retries(line, "");
        assert!(is_refused(&said), "{line}: {said}");
        let (status, said) = with_retries(line, "--retries mine:1");
        assert!(status != Some(2) && !is_refused(&said), "{line}: {said}");
        let (status, said) = with_retries(line, "--retries nobody:1");
        assert!(
            status == Some(2) && said.contains("--retries nobody: no bot has this name"),
            "{line}: {said}"
        );
    }
    for wrong in ["mine", "mine:6", ":1", "mine:x"] {
        let (status, said) = with_retries("match --bot greedy --bot MINE", &format!("--retries {wrong}"));
        assert!(status == Some(2) && said.contains("NAME:N, with N from 0 to 5"), "{said}");
    }
    let (status, said) = with_retries("match --bot greedy --bot MINE --no-freeze", "--retries mine:1");
    assert!(status == Some(2) && said.contains("bots are not stopped (--no-freeze)"), "{said}");
}

#[test]
fn a_match_takes_game_limits_and_bots_from_a_league_file() {
    let folder = scratch();
    let (here, elsewhere) = (folder.path(), folder.path().join("elsewhere"));
    fs::create_dir(&elsewhere).expect("a folder");
    let mine = fixture(Mode::Corrects);
    let file = format!(
        "[tournament]\ngame = \"patchwork\"\n[limits]\nmove-time = \"1m\"\n[[bot]]\nname = \"mine\"\n\
         command = {mine:?}\nretries = 1\n[[bot]]\ncommand = \"random\"\n"
    );
    fs::write(here.join("two.toml"), &file).expect("a file");
    fs::write(here.join("three.toml"), file + "[[bot]]\nname = \"g\"\ncommand = \"greedy\"\n")
        .expect("a file");
    let run = |line: &str| {
        let output = command().current_dir(&elsewhere).args(words(line)).output().expect("the arena starts");
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    };
    for (line, names) in [
        ("match ../two.toml --quiet", "mine, random"),
        ("match ../three.toml --quiet --bot g --bot mine", "g, mine"),
        ("match ../three.toml --quiet --bot random --bot novice", "random, novice"),
    ] {
        let (status, said) = run(line);
        assert!(status == Some(0) && said.starts_with("patchwork with seed "), "{said}");
        assert!(said.contains(&format!(": {names}\n")) && !said.contains("fault"), "{said}");
    }
    let (_, said) = run("match ../two.toml --quiet --retries mine:0 --bot mine --bot random");
    assert!(said.contains("fault: mine"), "an option is over the file: {said}");
    for (line, why) in [
        ("match ../three.toml", "patchwork is for 2 seats, not 3"),
        ("match ../none.toml", "cannot read ../none.toml"),
        ("match ../two.toml --bot nobody --bot g", "nobody is not on the PATH"),
    ] {
        let (status, said) = run(line);
        assert!(status == Some(2) && said.contains(why) && said.lines().count() <= 2, "{said}");
    }
}

#[test]
fn retries_need_bots_that_are_stopped() {
    let folder = scratch();
    league(folder.path(), "random", "retries = 1", "");
    for (args, expected) in [
        (&["--no-freeze"][..], "bot \"mine\" has retries, and bots are not stopped (--no-freeze)"),
        (&["--game", "patchwork", "--no-freeze"], "leave out --no-freeze and freeze = false"),
    ] {
        refused(folder.path(), args, expected);
    }
    for (keys, expected) in [
        ("retries = 6", "line 6: retries: a whole number from 0 to 5"),
        ("retries = \"one\"", "line 6: retries: a whole number from 0 to 5"),
        (
            "env-from = ['QUILT_NOT_SET']",
            "bot \"mine\": env-from names \"QUILT_NOT_SET\", which is not set here",
        ),
        ("env-from = [\"A=B\"]", "env-from names \"A=B\", which is not set here"),
    ] {
        league(folder.path(), "random", keys, "");
        refused(folder.path(), &[], expected);
    }
}

fn refused(folder: &Path, args: &[&str], expected: &str) {
    cli::refused(folder, &[&["tournament", "league.toml", "--out", "t"], args].concat(), expected);
    assert!(!folder.join("t/matches.jsonl").exists());
}

#[test]
fn a_variable_is_passed_by_name_and_its_value_is_stored_nowhere() {
    const VALUE: &str = "sk-0123-secret";
    let folder = scratch();
    let fails = "sh -c 'test \"$QUILT_KEY\" = sk-0123-secret || exit 9; exec ARENA bot random'";
    let fails = fails
        .replace("ARENA", env!("CARGO_BIN_EXE_arena"))
        .replace("sk-0123-secret", "\"$(echo sk-0123)-secret\"");
    league(folder.path(), &fails, "env-from = [\"QUILT_KEY\"]", "");
    let run = |args: &[&str]| {
        let mut command = command();
        command
            .current_dir(folder.path())
            .args(args)
            .env("QUILT_KEY", VALUE)
            .output()
            .expect("the arena starts")
    };
    let played = run(&words("tournament league.toml --rounds 1 --quiet --keep-stderr --live --out t"));
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    assert!(turns(&folder.path().join("t")).iter().all(|turn| turn["fault"].is_null()));
    assert!(!tells(&folder.path().join("t"), VALUE));
    // Results of others get no variable unless the user says so.
    send(&folder.path().join("t"));
    for line in ["rerun t --match 0", "tournament --resume --out t --rounds 2"] {
        let args = &words(line)[..];
        let asked = run(args);
        let stderr = String::from_utf8_lossy(&asked.stderr).into_owned();
        assert!(stderr.contains("the variable \"QUILT_KEY\" for \"mine\""), "{stderr}");
        assert!(run(&[args, &["--trust"]].concat()).status.success());
    }
}

/// Returns what a model says to this prompt. It answers the first time with a move that the rules refuse.
fn said(prompt: &str) -> String {
    if !prompt.contains("Your last answer was refused (illegal): ") {
        return "I would take {\"leather\": [0, 99]}, and {}: no, {\"leather\": [0, 99]}.".to_owned();
    }
    let line = |head| prompt.lines().find_map(|line| line.strip_prefix(head)).expect("a line of the prompt");
    let state: Value = serde_json::from_str(line("State: ")).expect("JSON");
    let seat: usize = line("You are player ").trim_end_matches('.').parse().expect("a seat");
    if state["phase"] == "turn" {
        return "Then {\"advance\": true}".to_owned();
    }
    let board = state["players"][seat]["board"].as_array().expect("a board").iter();
    let rows = board.map(|row| row.as_str().expect("a row").find('.'));
    let (row, col) = rows.enumerate().find_map(|(row, col)| Some((row, col?))).expect("an empty cell");
    format!("{{\"leather\": [{row}, {col}]}} fills it.")
}

/// Answers chat requests until the test ends. Counts those with the key.
fn endpoint() -> (String, Arc<AtomicUsize>) {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1/chat/completions", listener.local_addr().expect("bound"));
    let count: Arc<AtomicUsize> = Arc::default();
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let (mut length, mut has_key) = (0, false);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).is_err() || line.trim().is_empty() {
                    break;
                }
                let line = line.trim().to_ascii_lowercase();
                let told = line.strip_prefix("content-length: ");
                length = told.map_or(length, |text| text.parse().expect("a length"));
                has_key |= line == "authorization: bearer key-of-the-test";
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let body: Value = serde_json::from_slice(&body).expect("JSON");
            let prompt = body["messages"][0]["content"].as_str().expect("a prompt");
            let message = serde_json::json!({ "content": said(prompt) });
            let answer = serde_json::json!({ "choices": [{ "message": message }] }).to_string();
            let length = answer.len();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            counted.fetch_add(usize::from(has_key), Ordering::Relaxed);
            let _ = stream.write_all((head + &answer).as_bytes());
        }
    });
    (url, count)
}

#[test]
fn the_kit_of_a_model_asks_an_endpoint_and_corrects_itself() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    typed(folder.path(), "new model kit");
    let (url, count) = endpoint();
    let keys = format!(
        "dir = \"kit\"\nretries = 1\nnetwork = true\nenv = {{ MODEL_URL = {url:?}, MODEL = \"test\" }}\nenv-from = [\"API_KEY\"]"
    );
    league(folder.path(), "python3 bot.py", &keys, "");
    let args = words("tournament league.toml --game patchwork --rounds 1 --quiet --out t");
    let played = command().current_dir(folder.path()).args(args).env("API_KEY", "key-of-the-test").output();
    let played = played.expect("the arena starts");
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let turns = turns(&folder.path().join("t"));
    assert!(turns.len() > 20, "{turns:?}");
    for turn in &turns {
        assert!(turn["fault"].is_null() && turn["refused"].as_array().map(Vec::len) == Some(1), "{turn}");
    }
    assert_eq!(count.load(Ordering::Relaxed), 2 * turns.len());
}

/// A program reads the prompt from stdin. This one says nothing that is a move, so the bot loses with a reason.
#[test]
fn the_kit_of_a_model_asks_a_program() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    typed(folder.path(), "new model kit");
    let keys = "dir = \"kit\"\nretries = 1\nenv = { MODEL_COMMAND = \"cat\" }";
    league(folder.path(), "python3 bot.py", keys, "");
    play(folder.path(), "doodle", "t");
    for turn in turns(&folder.path().join("t")) {
        assert_eq!(turn["fault"]["kind"], "malformed");
        assert_eq!(turn["refused"].as_array().map(Vec::len), Some(1));
    }
}
