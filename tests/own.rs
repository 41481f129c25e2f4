//! Games of one's own in all commands: verdicts, files, checks, pages, and a person at the table.

mod pages;

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::tables::records;
use crate::program::{arena, complaints, scratch, send, succeed};

/// The game of the template, whose scores are 0 and 1.
const FIVE: &str = "python3 game.py";

/// Returns a folder with the template of a game in Python.
fn template() -> TempDir {
    let folder = scratch();
    succeed(folder.path(), &["new", "python-game", "five"]);
    folder
}

/// Copies games of the tests into a folder.
pub(crate) fn copy(folder: &Path, names: &[&str]) {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/games");
    for name in names {
        fs::copy(games.join(name), folder.join(name)).expect("a game");
    }
}

/// Replaces a text in a file, which must have it.
fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("it is there");
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replace(from, to)).expect("it is ours");
}

/// Returns the exit status and the output of a command, both streams.
fn said(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = arena(folder, args);
    let text = [&output.stdout[..], &output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// Players of five in a row win or lose, and no match shows a difference of 2 points.
#[test]
fn a_verdict_is_in_the_unit_of_the_game() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = template();
    let folder = folder.path().join("five");
    let compare = |game: &str, more: &[&str]| {
        let bots = ["strong=python3 strong.py", "random", "--move-time", "60s"];
        let args = ["compare", "--game-command", game, "--seed", "3", "--max-rounds", "30"];
        said(&folder, &[&args[..], &bots, more].concat())
    };
    let (status, text) = compare(FIVE, &["--out", "elo"]);
    assert!(
        status == Some(0) && text.contains("better: strong is better") && text.contains(" Elo"),
        "{text}"
    );
    let (status, text) = compare(FIVE, &["--metric", "points"]);
    assert!(status == Some(2) && text.contains("does not say how many points are an improvement"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
    let (status, text) = compare(FIVE, &["--metric", "points", "--h1", "2", "--out", "points"]);
    let undecided = "undecided after 16 deals: scores are at most 1 point apart, and H1 is 2";
    assert!(status == Some(3) && text.contains(undecided), "{text}");
    // What a strong bot would not show says nothing for a weak one.
    let bots = ["random", "strong=python3 strong.py", "--move-time", "60s"];
    let weak =
        ["compare", "--game-command", FIVE, "--seed", "3", "--metric", "points", "--h0", "-3", "--h1", "0"];
    let (status, text) = said(&folder, &[&weak[..], &bots].concat());
    assert!(status == Some(3) && text.contains("at most 1 point apart, and H0 is -3"), "{text}");
    // A comparison that was begun keeps its question, whatever the game says later.
    let resume = ["compare", "--resume", "--out", "points", "--max-rounds", "40"];
    let (status, text) = said(&folder, &resume);
    assert!(status == Some(3) && text.contains("H1: 2 points"), "{text}");
    replace(&folder.join("game.py"), "\"version\": \"1\"", "\"version\": \"2\", \"unit\": 0.5");
    let (status, text) = compare(FIVE, &["--metric", "points"]);
    assert!(status == Some(0) && text.contains("H1: 0.5 points"), "{text}");
}

/// Alone at the table, the difference to find is the one that counts in the game.
#[test]
fn a_plan_for_solo_games_is_in_the_unit_of_the_game() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    let folder = folder.path();
    copy(folder, &["wrong.py"]);
    replace(&folder.join("wrong.py"), "\"seats\": [2, 4]", "\"unit\": 7, \"seats\": [1, 4]");
    // Alone, a card counts more the later it is played, so that random bots differ.
    let path = folder.join("wrong.py");
    replace(&path, "places[seat] += card + spaces_more(seat)", "places[seat] = 2 * places[seat] + card");
    let bots = ["--bot", "a=random", "--bot", "b=random", "--seats", "1", "--rounds", "10", "--seed", "1"];
    let args = ["tournament", "--quiet", "--game-command", "python3 wrong.py", "--out", "t"];
    succeed(folder, &[&args[..], &bots].concat());
    let plan = succeed(folder, &["plan", "t", "--format", "json"]);
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    assert_eq!((&plan["difference"], &plan["unit"]), (&7.0.into(), &"points".into()));
}

/// A game that writes its keys in another order each time, and numbers as 1.0, says the same.
#[test]
fn answers_are_equal_by_value() {
    if !needs::NODE.is_met() {
        return;
    }
    let folder = scratch();
    let folder = folder.path();
    copy(folder, &["goof.js"]);
    let shuffle = "const other = (value) => (Array.isArray(value) ? value.map(other) : value === null || typeof value !== 'object' ? value : Object.fromEntries(Object.entries(value).sort(() => Math.random() - 0.5).map(([key, inner]) => [key, other(inner)])));\n";
    replace(
        &folder.join("goof.js"),
        "readline.createInterface",
        &format!("{shuffle}readline.createInterface"),
    );
    replace(
        &folder.join("goof.js"),
        "JSON.stringify(answers[question.type](question))",
        "JSON.stringify(other(answers[question.type](question))).replace(/\"left\":(\\d+)/g, (all) => (Math.random() < 0.5 ? all : `${all}.0`))",
    );
    let game = ["--game-command", "node goof.js"];
    let bots =
        ["--bot", "a=random", "--bot", "b=random", "--bot", "c=random", "--seats", "3", "--rounds", "4"];
    succeed(folder, &[&["tournament", "--quiet", "--seed", "1", "--out", "t"][..], &game, &bots].concat());
    assert!(succeed(folder, &["replay", "t", "--trust"]).starts_with("12 matches"));
    // A seat that sees what another one did is told with both sides.
    replace(&folder.join("goof.js"), "left: prizes.length", "left: prizes.length, seen: played");
    let (status, text) = said(folder, &[&["match"][..], &game, &bots[..6]].concat());
    let change = "the observation of seat 1 has changed: seen[0] is";
    assert!(status == Some(75) && text.contains(change) && text.contains("instead of not set"), "{text}");
}

/// The first seat cannot play the game, and with it the match is over. The others have moved in the same decision.
#[test]
fn who_moved_when_another_seat_ended_the_match_has_no_fault() {
    if !needs::NODE.is_met() {
        return;
    }
    let folder = scratch();
    let folder = folder.path();
    copy(folder, &["goof.js"]);
    replace(&folder.join("goof.js"), "supports: ['legal', 'withdraw']", "supports: ['legal']");
    let wrong = "require('readline').createInterface({ input: process.stdin }).on('line', (line) => {\n  const { type, id } = JSON.parse(line);\n  const answer = { hello: { type: 'hello', protocol: 1 }, start: { type: 'ready' }, turn: { type: 'move', id, move: { card: 99 } } }[type];\n  if (answer) console.log(JSON.stringify(answer));\n});\n";
    fs::write(folder.join("wrong.js"), wrong).expect("a bot");
    let bots = ["--bot", "wrong=node wrong.js", "--bot", "a=random", "--bot", "b=random", "--seed", "1"];
    let game = ["--game-command", "node goof.js", "--move-time", "60s"];
    succeed(folder, &[&["match", "--record", "m.json"][..], &game, &bots].concat());
    let record = fs::read_to_string(folder.join("m.json")).expect("a record");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    let faults = record["result"]["faults"].as_array().expect("a list");
    assert!(faults[0]["kind"] == "illegal" && faults[1].is_null() && faults[2].is_null(), "{record}");
    assert_eq!(record["result"]["ranks"], serde_json::json!([3, 1, 1]));
    assert!(succeed(folder, &[&["replay", "m.json"][..], &game[..2]].concat()).contains("holds"));
}

/// A word of a command means the file beside its league file, from every folder.
#[test]
fn a_word_means_the_file_beside_its_league_file() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = template();
    let top = folder.path();
    let five = top.join("five");
    replace(&five.join("league.toml"), "rounds = 10", "rounds = 1");
    replace(&five.join("league.toml"), "python3 simple.py", "random");
    replace(
        &five.join("league.toml"),
        "# options = { size = 15, length = 5 }",
        "options = { size = 4, length = 3 }",
    );
    succeed(top, &["tournament", "five/league.toml", "--quiet", "--out", "t", "--move-time", "60s"]);
    let elsewhere = scratch();
    let t = top.join("t");
    let t = t.to_str().expect("a plain path");
    assert!(succeed(elsewhere.path(), &["replay", t]).starts_with("2 matches"), "from another folder");
    succeed(elsewhere.path(), &["tournament", "--quiet", "--resume", "--rounds", "2", "--out", t]);
    // Other files of these names lie in the working folder.
    fs::write(top.join("game.py"), "").expect("a file");
    assert!(succeed(elsewhere.path(), &["replay", t]).starts_with("4 matches"));
    let (status, text) = said(top, &["replay", t]);
    let both = format!("its file may be {}/game.py or game.py", five.display());
    assert!(status == Some(2) && text.contains(&both) && text.contains("the game"), "{text}");
    fs::remove_file(top.join("game.py")).expect("it is there");
    fs::write(top.join("strong.py"), "").expect("a file");
    let (status, text) = said(top, &["tournament", "five/league.toml"]);
    let both = format!("bot \"strong\": its file may be {}/strong.py or strong.py", five.display());
    assert!(status == Some(2) && text.contains(&both), "{text}");
    let (status, text) = said(top, &["check", "--league", "five/league.toml", "--matches", "2"]);
    assert!(status == Some(1) && text.contains("its file may be"), "{text}");
    // With a folder of its own, a command means the files there and no others.
    replace(
        &five.join("league.toml"),
        "command = \"python3 game.py\"",
        "command = \"python3 game.py\"\ndir = \"rules\"",
    );
    fs::create_dir(five.join("rules")).expect("a folder");
    fs::rename(five.join("game.py"), five.join("rules/game.py")).expect("it is ours");
    fs::write(five.join("game.py"), "").expect("a file");
    fs::remove_file(top.join("strong.py")).expect("it is there");
    succeed(top, &["tournament", "five/league.toml", "--quiet", "--out", "dir", "--move-time", "60s"]);
    assert!(succeed(&five, &["replay", "../dir"]).starts_with("2 matches"));
    // A file that is not there has not changed.
    fs::remove_file(five.join("rules/game.py")).expect("it is there");
    let (status, text) = said(top, &["replay", "dir"]);
    assert!(status == Some(2) && text.contains("is not found") && !text.contains("changed"), "{text}");
}

/// A bot for the race that plays its first legal card, and one that plays a card which it does not have.
const FIRST: &str = "import json, sys\nfor line in sys.stdin:\n    m = json.loads(line)\n    a = {'hello': {'type': 'hello', 'protocol': 1}, 'start': {'type': 'ready'}}.get(m['type'])\n    if m['type'] == 'turn': a = {'type': 'move', 'id': m['id'], 'move': m['state']['legal'][0]}\n    if a: print(json.dumps(a), flush=True)\n";

#[test]
fn bots_are_checked_in_the_game_that_is_named() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    let folder = folder.path();
    copy(folder, &["wrong.py"]);
    fs::write(folder.join("first.py"), FIRST).expect("a bot");
    fs::write(folder.join("cheat.py"), FIRST.replace("m['state']['legal'][0]", "{'card': 99}"))
        .expect("a bot");
    let check = ["check", "--game-command", "python3 wrong.py", "--matches", "2", "--move-time", "60s"];
    let (status, text) = said(folder, &[&check[..], &["--bot", "python3 first.py"]].concat());
    assert!(status == Some(0) && text.contains("ready: race@1") && text.contains("ready: first"), "{text}");
    for title in
        ["race: a match ", "race: the last seat", "race: the others drop out", "ends when its input ends"]
    {
        assert!(text.contains(title), "{title}: {text}");
    }
    assert!(!text.contains("doodle"), "{text}");
    let league = "[game]\ncommand = 'python3 wrong.py WRONG'\n[[bot]]\nname = 'first'\ncommand = 'python3 first.py'\n\
                  [[bot]]\nname = 'cheat'\ncommand = 'python3 cheat.py'\n";
    fs::write(folder.join("league.toml"), league.replace(" WRONG", "")).expect("a file");
    let check =
        ["check", "--league", "league.toml", "--matches", "2", "--format", "json", "--move-time", "60s"];
    let output = arena(folder, &check);
    let rows: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let results: Vec<&Value> = rows.as_array().expect("a list").iter().map(|row| &row["result"]).collect();
    assert_eq!(results, ["plays", "fails"], "{rows}");
    let reason = rows[1]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("race: a match: ") && reason.contains("play one of your cards"), "{reason}");
    let (status, text) = said(folder, &["check", "--league", "league.toml", "--game", "doodle"]);
    assert!(status == Some(2) && text.contains("doodle and one of your own at once"), "{text}");
    // A game that is not ready is told once, and not for each bot.
    fs::write(folder.join("league.toml"), league.replace("WRONG", "counter")).expect("a file");
    let (status, text) =
        said(folder, &["check", "--league", "league.toml", "--matches", "4", "--patience", "10m"]);
    let not_ready = "the game of the league is not ready: random matches";
    assert!(status == Some(1) && text.contains(not_ready) && !text.contains("first "), "{text}");
}

#[test]
fn what_a_game_of_ones_own_cannot_do_is_said_in_one_line() {
    let folder = scratch();
    for command in ["plan", "new", "moves", "league", "analyze", "suite", "bots"] {
        let (status, text) = said(folder.path(), &[command, "--game-command", "x"]);
        let expected =
            format!("error: arena {command} is for doodle and patchwork so far\n  hint: check, match, play,");
        assert!(status == Some(2) && text.starts_with(&expected) && text.lines().count() == 2, "{text}");
    }
    let (_, text) = said(folder.path(), &["--width", "80", "plan", "--game-command", "x"]);
    assert!(text.starts_with("error: arena plan is for doodle and patchwork so far"), "{text}");
    let (status, text) = said(folder.path(), &["tournament", "--game", "hex"]);
    assert!(status == Some(2) && text.contains("a game of your own is a program: --game-command"), "{text}");
}

/// The mistakes of `wrong.py`, each with words of what the check says, and true if the game is not ready.
const WRONG: [(&str, &str, bool); 35] = [
    ("two-owe", "two seats owe a decision", true),
    ("ranks-lie", "points and rank", true),
    ("refuses-listed", "it refused a move that it lists as legal", true),
    ("refuses-other-form", "it refused a move that it lists as legal", true),
    ("endless", "10000 decisions, and does not end", true),
    ("few-observations", "it answered 1 observations for 2 seats", true),
    ("crash", "stderr says \"KeyError: 'plcaes'\" at wrong.py:", true),
    ("not-utf8", "\\xff", true),
    ("float-score", "invalid type: floating point", true),
    ("bad-name", "its name \"My Race\"", true),
    ("no-flush", "did you flush stdout", true),
    ("no-state", "missing field `state`", true),
    ("chance-in-deal", "draw chance from the seed in deal alone", true),
    ("accepts-all", "it accepted the move", true),
    ("huge", "more than 65536 bytes", true),
    ("slow", "and answered all questions before", true),
    ("illegal-state", "\"record\": NaN", true),
    ("short-scores", "the result is not for 2 seats", true),
    ("forgets-withdraw", "asked \"{\"type\":\"withdraw\"", true),
    ("answers-twice", "one question has one answer", true),
    ("short-observations-of-observe", "it dealt for 2 seats, and observes 1", true),
    ("banner", "stdout is for answers only", true),
    ("prints-debugging", "stdout is for answers only", true),
    ("chance-later", "draw chance from the seed in deal alone", true),
    ("counter", "keep nothing in mind", true),
    ("state-as-field", "seats see each field of the state: nothing is hidden", false),
    ("wrong-player", "is not the one that came with this state before", true),
    ("empty-reason", "without a reason", true),
    ("withdraw-changes-nothing", "was put out, and has an observation", true),
    ("seed-unused", "all deals are equal, so that bots without chance repeat one match", false),
    ("asks-withdrawn", "was put out, and has an observation", true),
    ("cache", "keep nothing in mind", true),
    ("last-question", "keep nothing in mind", true),
    ("process-time", "keep nothing in mind", true),
    ("set-order", "sort sets", true),
];

#[test]
fn no_wrong_game_is_ready_and_harmful() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    let folder = folder.path();
    copy(folder, &["wrong.py"]);
    let complaint = |&(mistake, words, fails): &(&str, &str, bool)| {
        // Programs that hang are waited for to the end; others get time to start on a busy machine.
        let time = if ["no-flush", "slow", "forgets-withdraw"].contains(&mistake) { "20s" } else { "60s" };
        let game = format!("python3 wrong.py {mistake}");
        // In the first match of this seed a seat is put out.
        let seed = if words.contains("put out") || mistake == "forgets-withdraw" { "9" } else { "1" };
        let args = [
            "check",
            "--game-command",
            &game,
            "--game-time",
            time,
            "--matches",
            "2",
            "--patience",
            "10m",
            "--seed",
            seed,
        ];
        let (status, text) = said(folder, &args);
        let is_right = (status == Some(0)) != fails && text.contains(words);
        (!is_right).then(|| format!("{mistake}: {status:?} {text}"))
    };
    let tried = WRONG.iter().enumerate();
    let tried = tried.filter(|(place, _)| needs::is_tried(*place, 0, needs::sized(5, 4, 1)));
    let complaints = complaints(&tried.map(|(_, wrong)| wrong).collect::<Vec<_>>(), |wrong| complaint(wrong));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let right = ["check", "--game-command", "python3 wrong.py", "--matches", "2"];
    let (status, text) = said(folder, &right);
    assert!(status == Some(0) && text.contains("no seat sees all of: hands"), "{text}");
}

/// The text of the board comes with the move, so that a decision is one question.
#[test]
fn a_decision_is_one_question() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    let folder = folder.path();
    copy(folder, &["hex.py"]);
    let count = |name: &str, supports: &str| {
        let log = format!("{name}.txt");
        fs::copy(folder.join("hex.py"), folder.join(format!("{name}.py"))).expect("a copy");
        let path = folder.join(format!("{name}.py"));
        replace(
            &path,
            "        question = json.loads(line)",
            &format!(
                "        question = json.loads(line)\n        open({log:?}, 'a').write(question['type'] + '\\n')"
            ),
        );
        replace(&path, ", \"seat-text\", \"play-text\"]", supports);
        let game = format!("python3 {name}.py");
        let bots =
            ["--bot", "a=random", "--bot", "b=random", "--rounds", "1", "--seed", "1", "--contain", "off"];
        let args =
            ["tournament", "--quiet", "--jobs", "1", "--game-command", &game, "--game-option", "size=4"];
        succeed(folder, &[&args[..], &bots, &["--out", name]].concat());
        let asked = fs::read_to_string(folder.join(log)).expect("a log");
        let of = |kind: &str| asked.lines().filter(|line| *line == kind).count();
        let texts: Vec<Value> = records(&folder.join(name))
            .iter()
            .flat_map(|record| {
                record["turns"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|turn| turn["text"].clone())
                    .collect::<Vec<_>>()
            })
            .collect();
        ([of("play"), of("text")], texts)
    };
    let (old, texts) = count("old", "]");
    let (new, same) = count("new", ", \"play-text\"]");
    assert_eq!(texts, same, "the records are the same");
    assert!(texts.iter().all(Value::is_string), "each turn has its board");
    assert!(old[1] >= texts.len() && new[1] == 0, "{old:?} {new:?}");
}

#[test]
fn the_lines_of_a_seat_are_fed_to_a_program() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = template();
    let folder = folder.path().join("five");
    let args = [
        "tournament",
        "league.toml",
        "--quiet",
        "--rounds",
        "1",
        "--seed",
        "2",
        "--out",
        "t",
        "--move-time",
        "60s",
    ];
    succeed(&folder, &args);
    let strong = ["feed", "t", "--match", "0", "--with", "strong", "--", "python3", "strong.py"];
    assert!(succeed(&folder, &strong).contains("answers agree"));
    let (status, text) = said(&folder, &[&strong[..7], &["python3", "simple.py"]].concat());
    assert!(status == Some(1) && text.contains("answers differ"), "{text}");
    // A program of others is started for those who say so.
    send(&folder.join("t"));
    let (status, text) = said(&folder, &strong);
    assert!(status != Some(0) && text.contains("--trust"), "{text}");
    let trusted = [&["feed", "t", "--trust"][..], &strong[2..]].concat();
    assert!(succeed(&folder, &trusted).contains("answers agree"));
}

/// Both templates are ready, and the bot that looks at lines wins.
#[test]
fn templates_of_games_are_played() {
    let scratch = scratch();
    let go = arena::templates::find("go").expect("a kit");
    let can = [("python-game", needs::PYTHON.is_met()), ("go-game", go.lacks().is_none())];
    for game in arena::templates::GAMES.iter().filter(|game| can.contains(&(game.name, true))) {
        let said = succeed(scratch.path(), &["new", game.name, game.name]);
        let folder = scratch.path().join(game.name);
        if let Some(build) = game.build {
            assert!(said.contains(build), "{said}");
            let mut shell = std::process::Command::new("sh");
            shell
                .args(["-c", build])
                .current_dir(&folder)
                .env("HOME", scratch.path())
                .env_remove("XDG_CACHE_HOME");
            assert!(shell.status().expect("a shell").success(), "{}", game.name);
        }
        let check = succeed(&folder, &["check", "--game-command", game.command, "--matches", "2"]);
        assert!(check.contains("ready: five-in-a-row@1") && !check.contains("warn "), "{check}");
        let play =
            ["tournament", "league.toml", "--rounds", "1", "--seed", "5", "--move-time", "60s", "--out", "t"];
        assert!(succeed(&folder, &play).contains("\u{2502} 1 \u{2502} strong"));
        let played = records(&folder.join("t"));
        assert!(played.iter().all(|record| record["result"]["faults"] == serde_json::json!([null, null])));
    }
    let (status, text) = said(scratch.path(), &["new", "go-game"]);
    assert!(status == Some(2) && text.contains("arena new go-game my-game"), "{text}");
}
