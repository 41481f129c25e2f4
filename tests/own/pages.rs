//! A game of one's own on pages: a match in steps, and a person at the table.

use std::fs;

use serde_json::{Value, json};

use super::{copy, replace};
use crate::browser::walk::fits;
use crate::browser::{axe, browser};
use crate::play::guests::Served;
use crate::program::{scratch, succeed};
use crate::serve::client::Server;

const HEX: &str = "python3 hex.py";

/// The widths of a phone and of a large screen.
const WIDTHS: [u32; 2] = [360, 1920];

/// The size of the board: that of the game in full runs.
fn size() -> String {
    format!("size={}", needs::sized(5, 11, 11))
}

#[test]
fn a_match_is_stepped_through_by_keys() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    copy(folder.path(), &["hex.py"]);
    let bots = ["--bot", "a=random", "--bot", "b=random", "--rounds", "1", "--seed", "2", "--out", "t"];
    let game = ["tournament", "--quiet", "--game-command", HEX, "--game-option", "size=11"];
    succeed(folder.path(), &[&game[..], &bots].concat());
    succeed(folder.path(), &["view", "t", "--match", "0", "--out", "match.html"]);
    let records = fs::read_to_string(folder.path().join("t/matches.jsonl")).expect("a journal");
    let record = records.lines().find(|line| line.starts_with("{\"match\":0,")).expect("a match");
    let first = serde_json::from_str::<Value>(record).expect("JSON")["turns"][0]["move"].clone();
    let [row, column] = ["row", "column"].map(|field| first[field].as_u64().expect("a number") + 1);
    let rules = axe::rules();
    for (width, scheme) in WIDTHS.into_iter().zip(["light", "dark"]) {
        let mut page = browser.page(width, 900, scheme);
        page.open(&folder.path().join("match.html"), "");
        page.wait_for("document.documentElement.dataset.frame");
        let frame = |page: &mut crate::browser::Page<'_>| -> usize {
            let frame = page.evaluate("document.documentElement.dataset.frame");
            frame.as_str().expect("a number").parse().expect("a number")
        };
        let stones = "document.querySelectorAll('svg.cells circle').length";
        let last = frame(&mut page);
        assert!(last > 20, "it opens at its end");
        let all = page.evaluate(stones).as_u64().expect("a number");
        page.press("ArrowLeft");
        page.press("ArrowLeft");
        assert_eq!(frame(&mut page), last - 2);
        assert_eq!(page.evaluate(stones), json!(all - 2), "two stones are not there yet");
        page.press("Home");
        assert_eq!((frame(&mut page), page.evaluate(stones)), (0, json!(1)));
        let said = page.evaluate(
            "['.moves .what', '.told span', '.where b'].map((at) => document.querySelector(at).innerText)",
        );
        let words = format!("column {column}, row {row}");
        assert!(said[0] == words && said[1] == words, "people count from 1: {said}");
        assert!(said[2].as_str().is_some_and(|said| said.ends_with(&format!(": {words}"))), "{said}");
        page.press("End");
        assert_eq!(frame(&mut page), last);
        assert!(
            page.evaluate("document.body.innerText")
                .as_str()
                .is_some_and(|text| text.contains(" wins 1 : 0"))
        );
        fits(&mut page, width, "a match of hex");
        if let Some(rules) = &rules {
            assert_eq!(axe::complaints(&mut page, rules), [""; 0], "{width}");
        }
        page.evaluate("location.hash = '#turn-7'");
        page.wait_for("document.documentElement.dataset.frame === '6'");
    }
}

/// Plays the first legal move and waits for the next turn or the end.
const MOVE: &str = "(async () => {
    const root = document.documentElement;
    const { turn } = root.dataset;
    const cell = document.querySelector('main svg [role=button]:not([aria-disabled=true])');
    (cell ?? document.querySelector('main ul button')).dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const isNext = () => root.dataset.turn && root.dataset.turn !== turn || document.body.innerText.includes('Play again');
    while (!isNext()) await new Promise((done) => { setTimeout(done, 10); });
})()";

#[test]
fn a_person_plays_a_game_of_ones_own_to_its_end() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let Some(mut browser) = browser() else { return };
    for width in WIDTHS {
        let folder = scratch();
        copy(folder.path(), &["hex.py"]);
        let size = size();
        let args =
            ["--game-command", HEX, "--game-option", &size, "--bot", "me=human", "--bot", "rival=random"];
        let mut served = Served::start_own(folder, &[&args[..], &["--seed", "1"]].concat());
        let mut page = browser.page(width, 900, "light");
        page.go(&served.link);
        page.wait_for("document.documentElement.dataset.turn");
        fits(&mut page, width, "hex at the table");
        let mut moves = 0;
        while page.evaluate("document.body.innerText.includes('Play again')") == false {
            page.evaluate(MOVE);
            moves += 1;
        }
        served.wait_for_the_end();
        let record: Value =
            serde_json::from_str(&fs::read_to_string(served.record()).expect("a record")).expect("JSON");
        let mine = record["turns"].as_array().expect("turns").iter().filter(|turn| turn["seat"] == 0).count();
        assert_eq!((mine, &record["result"]["faults"]), (moves, &json!([null, null])));
        fits(&mut page, width, "the end of hex");
        let replay = ["replay", "match.json", "--game-command", HEX, "--game-option", &size];
        assert!(succeed(served.folder(), &replay).contains("holds"));
    }
}

/// People count cells from 1, on the board, in the list of moves, and in the field that searches it. The record counts from 0.
#[test]
fn a_person_counts_cells_from_1() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    copy(folder.path(), &["hex.py"]);
    let args =
        ["--game-command", HEX, "--game-option", "size=3", "--bot", "me=human", "--bot", "rival=random"];
    let mut served = Served::start_own(folder, &[&args[..], &["--seed", "1"]].concat());
    let mut page = browser.page(WIDTHS[0], 900, "light");
    page.go(&served.link);
    page.wait_for("document.documentElement.dataset.turn");
    let label = "document.querySelector('[data-at=\"2,1\"]').getAttribute('aria-label')";
    assert_eq!(page.evaluate(label), "row 3, column 2: empty");
    let moves = "[...document.querySelectorAll('form ul button')].map((button) => button.innerText)";
    assert_eq!(page.evaluate(moves)[0], "column 1, row 1");
    page.evaluate(
        "(() => {
            const field = document.querySelector('#field');
            field.value = 'row 3, column 2';
            field.dispatchEvent(new Event('input'));
        })()",
    );
    assert_eq!(page.evaluate(moves), json!(["column 2, row 3"]));
    page.evaluate("document.querySelector('form').requestSubmit()");
    page.wait_for("Number(document.documentElement.dataset.turn) > 0");
    while page.evaluate("document.body.innerText.includes('Play again')") == false {
        page.evaluate(MOVE);
    }
    served.wait_for_the_end();
    let record: Value =
        serde_json::from_str(&fs::read_to_string(served.record()).expect("a record")).expect("JSON");
    assert_eq!(record["turns"][0]["move"], json!({"row": 2, "column": 1}));
}

/// Ten hands of cards that are known again. The page of one seat gets no card of another one in any byte.
#[test]
fn a_seat_is_sent_no_card_of_others() {
    if !needs::NODE.is_met() {
        return;
    }
    let folder = scratch();
    copy(folder.path(), &["goof.js"]);
    let game = folder.path().join("goof.js");
    replace(&game, "seats: [2, 3]", "seats: [2, 10]");
    replace(
        &game,
        "{ length: 3 * CARDS }, (_, card) => card + 1",
        "{ length: 10 * CARDS }, (_, card) => card + 70001",
    );
    replace(&game, "supports: ['legal', 'withdraw']", "supports: ['legal', 'withdraw', 'text', 'seat-text']");
    replace(
        &game,
        "const answers = {",
        "const answers = {\n  text: ({ state, seat }) => ({ text: JSON.stringify(seat === undefined ? state.hands : state.hands[seat]) }),",
    );
    let names: Vec<String> = (1..10).map(|number| format!("bot{number}=random")).collect();
    let bots: Vec<&str> = names.iter().flat_map(|name| ["--bot", name]).collect();
    let args = [&["--game-command", "node goof.js", "--seed", "4", "--bot", "me=human"][..], &bots].concat();
    let mut served = Served::start_own(folder, &args);
    let (_, path) = served.parts();
    let path = path.to_owned();
    let (mut sent, mut version) = (served.ask("GET", &path, "", ""), 1);
    loop {
        let answer = served.ask("GET", &format!("{path}state?after={version}"), "", "");
        sent += &answer;
        let Some(json) = answer.split("\r\n\r\n").nth(1).filter(|json| json.starts_with('{')) else {
            continue;
        };
        let state: Value = serde_json::from_str(json).expect("JSON");
        version = state["version"].as_u64().expect("a version");
        if !state["result"].is_null() {
            break;
        }
        if let Some(turn) = state["turn"].as_object() {
            let wrong = json!({ "id": turn["id"], "move": { "card": 1 } }).to_string();
            let refused = served.ask("POST", &format!("{path}move"), "", &wrong);
            assert!(refused.contains("your hand is"), "{refused}");
            let decided = json!({ "id": turn["id"], "move": turn["moves"][0] }).to_string();
            let played = served.ask("POST", &format!("{path}move"), "", &decided);
            assert!(played.contains("\"legal\":true"), "{played}");
            sent += &(refused + &played);
        }
    }
    served.wait_for_the_end();
    let record: Value =
        serde_json::from_str(&fs::read_to_string(served.record()).expect("a record")).expect("JSON");
    let hands = record["deal"]["hands"].as_array().expect("hands");
    assert_eq!(hands.len(), 10);
    let cards = |seat: usize| hands[seat].as_array().expect("a hand").iter().map(Value::to_string);
    assert!(cards(0).all(|card| sent.contains(&card)), "the own hand is there");
    let leaked: Vec<String> = (1..10).flat_map(cards).filter(|card| sent.contains(card)).collect();
    assert!(leaked.is_empty(), "{leaked:?}");
}

/// While matches remain, pages tell nothing that a seat must not know; and they link to no board that cannot be drawn.
#[test]
fn pages_of_a_running_contest_show_no_hidden_text() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    let folder = folder.path();
    copy(folder, &["wrong.py", "hex.py"]);
    let play = |game: &str, out: &str, more: &[&str]| {
        let bots = ["--bot", "a=random", "--bot", "b=random", "--seed", "1", "--out", out];
        let args = ["tournament", "--quiet", "--game-command", game];
        succeed(folder, &[&args[..], &bots, more].concat());
    };
    play("python3 wrong.py", "race", &["--rounds", "2", "--shard", "1/2"]);
    play(HEX, "hex", &["--rounds", "2", "--shard", "1/2", "--game-option", "size=3"]);
    play("python3 wrong.py", "over", &["--rounds", "2"]);
    for (out, shows, has_record) in [("race", false, false), ("hex", true, true), ("over", true, true)] {
        let server = Server::start(&folder.join(out), &[]);
        server.wait(|status| status["matches"] == json!(if out == "over" { 4 } else { 2 }));
        let file = if out == "over" { "matches.jsonl" } else { "shard-1-of-2.jsonl" };
        let lines = fs::read_to_string(folder.join(out).join(file)).expect("a journal");
        let first = lines.lines().find(|line| line.starts_with("{\"match\":")).expect("a match");
        let index = &serde_json::from_str::<Value>(first).expect("JSON")["match"];
        let page = server.get(&format!("/match/{index}")).body;
        let text = if out == "hex" { "x" } else { " spaces" };
        assert_eq!(page.contains(text), shows, "{out}: {page}");
        assert!(!page.contains("\"has_boards\":true"), "{out}");
        assert_eq!(server.get(&format!("/data/record/{index}")).status == 200, has_record, "{out}");
        assert_eq!(server.get("/beside/0/1").status, 404, "{out}");
        let newest = server.get("/latest");
        assert!(newest.status == 307 && newest.head.contains("location: match/"), "{out}: {}", newest.head);
    }
}
