//! Games of users: programs in several languages, good ones and bad ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::Validator;
use referee::games::GameName;
use serde_json::Value;
use tempfile::TempDir;

use crate::documents::markdown::{blocks, read};
use crate::program::tables::{records, standings};
use crate::program::{arena, complaints, scratch, send, succeed, wait_until};

const NIM: &str = "python3 nim.py";
const GOOF: &str = "node goof.js";
/// The exit status for a problem that is neither the user's nor a bot's.
const HOST: i32 = 75;

/// Returns a folder with the games.
fn folder() -> TempDir {
    let folder = scratch();
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/games");
    for name in ["nim.py", "bad.py", "goof.js"] {
        fs::copy(games.join(name), folder.path().join(name)).expect("a game");
    }
    folder
}

/// Plays a tournament in `out`.
fn tournament(folder: &Path, game: &str, out: &str, more: &[&str]) {
    let args = ["tournament", "--quiet", "--game-command", game, "--seed", "4", "--out", out];
    succeed(folder, &[&args[..], &["--move-time", "60s"], more].concat());
}

/// Returns the schema of the answers to a question.
fn schema(question: &str) -> Validator {
    let name = if ["observe", "withdraw"].contains(&question) { "play" } else { question };
    schema_file(&format!("game-{name}"))
}

fn schema_file(name: &str) -> Validator {
    let schema = read(&format!("docs/schema/{name}.json"));
    jsonschema::validator_for(&serde_json::from_str(&schema).expect("JSON")).expect("a schema")
}

#[test]
fn the_protocol_of_games_is_spoken() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = folder();
    let blocks = blocks("docs/reference/game-protocol.md");
    let block = blocks.iter().find(|block| block.info == "json game").expect("a dialogue");
    let lines: Vec<Value> =
        block.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (questions, answers): (Vec<_>, Vec<_>) = lines.chunks(2).map(|pair| (&pair[0], &pair[1])).unzip();
    let asked: String = questions.iter().map(|question| format!("{question}\n")).collect();
    fs::write(folder.path().join("asked.txt"), asked).expect("a file");
    let shell =
        Command::new("sh").args(["-c", "python3 nim.py < asked.txt"]).current_dir(folder.path()).output();
    let said = String::from_utf8(shell.expect("a shell").stdout).expect("UTF-8");
    let said: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(said.iter().collect::<Vec<_>>(), answers);
    for (question, answer) in questions.iter().zip(&answers) {
        let schema = schema(question["type"].as_str().expect("a type"));
        assert!(schema.is_valid(answer), "{question} {answer}");
    }
    assert!(!schema("play").is_valid(&serde_json::json!({ "state": 1, "observations": [[1]] })));
    assert!(
        !schema("describe").is_valid(&serde_json::json!({ "name": "x", "version": "1", "seats": [-1, 2] }))
    );
}

/// The name of a game comes from files of others, and tables show it.
#[test]
fn names_of_games_are_plain() {
    for wrong in ["nim@", "@1", "Nim@1", "nim@1@2", "\u{1b}[31m@1", "nim@\u{1b}", "nim@1 2", "<b>@1", "nim"] {
        assert!(GameName::named(wrong).is_err(), "{wrong:?}");
    }
    assert_eq!(GameName::named("nim-2@1.0-rc.1"), Ok(GameName::External));
}

/// Saves the programs of the guide's page, and runs its commands.
#[test]
fn the_guide_leads_from_nothing_to_a_table() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    let blocks = blocks("docs/guide/your-own-game.md");
    let text = |info: &str, number: usize| {
        &blocks.iter().filter(|block| block.info == info).nth(number).expect("a block").text
    };
    let nim = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/games/nim.py");
    assert_eq!(*text("python", 0), fs::read_to_string(nim).expect("a game"), "the game of the tests");
    assert!(text("python", 0).lines().count() <= 120);
    for (number, name) in ["nim.py", "bot.py"].into_iter().enumerate() {
        fs::write(folder.path().join(name), text("python", number)).expect("a file");
    }
    for line in text("sh", 0).lines() {
        let words = shell_words::split(line).expect("a command");
        let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let words = if words[0] == "check" { [&words[..], &["--matches", "5"]].concat() } else { words };
        let said = succeed(folder.path(), &words);
        assert!(said.contains("ready: nim@1") || said.contains("\u{2502} 1 \u{2502} mine"), "{said}");
    }
    fs::write(folder.path().join("league.toml"), text("toml", 0)).expect("a file");
    let league = ["tournament", "league.toml", "--quiet", "--bot", "random", "--bot", "mine=python3 bot.py"];
    succeed(folder.path(), &[&league[..], &["--rounds", "2"]].concat());
}

/// A bot that takes too many stones.
const CHEAT: &str = r#"cheat=sh -c 'while read -r line; do case $line in *hello*) echo "{\"type\":\"hello\",\"protocol\":1}";; *start*) echo "{\"type\":\"ready\"}";; *turn*) id=${line#*\"id\":}; echo "{\"type\":\"move\",\"id\":${id%%,*},\"move\":{\"take\":99}}";; esac; done'"#;

#[test]
fn a_game_in_python_goes_through_all_commands() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    let bots = ["--bot", "a=random", "--bot", "b=random", "--bot", CHEAT, "--rounds", "5"];
    tournament(folder, NIM, "one", &[&bots[..], &["--jobs", "1"]].concat());
    tournament(folder, NIM, "two", &[&bots[..], &["--jobs", "2"]].concat());
    assert_eq!(standings(&folder.join("one")), standings(&folder.join("two")), "nothing depends on the jobs");
    let played = records(&folder.join("one"));
    assert_eq!(played.len(), 30);
    let plan = fs::read_to_string(folder.join("one/tournament.json")).expect("a plan");
    assert!(schema_file("tournament-external").is_valid(&serde_json::from_str(&plan).expect("JSON")));
    let schema = schema_file("record-external");
    for record in &played {
        assert!(schema.is_valid(record), "{record}");
        assert_eq!(record["game"], "nim@1");
        assert_eq!(record["options"], serde_json::json!({ "most": 3 }));
        assert_eq!(record["program"]["command"], Value::Null, "records name no program");
        let turn = &record["turns"][0];
        let cheats = turn["fault"]["kind"] == "illegal";
        assert!(cheats || turn["text"].as_str().is_some_and(|text| text.starts_with("ooooooooo")), "{turn}");
        let detail = turn["fault"]["detail"].as_str().unwrap_or_default();
        assert!(!cheats || detail == "take 1 to 3 stones, not 99", "{detail}");
    }
    assert!(succeed(folder, &["replay", "one"]).starts_with("30 matches of nim@1 replayed"));
    assert!(succeed(folder, &["replay", "one", "--match", "3"]).contains("nim@1 with seed"));
    assert!(succeed(folder, &["rerun", "one", "--match", "3"]).contains("decisions agree"));
    succeed(folder, &["tournament", "--quiet", "--resume", "--rounds", "6", "--out", "one"]);
    assert_eq!(records(&folder.join("one")).len(), 36);
    assert!(succeed(folder, &["standings", "one"]).contains("cheat"));
    assert!(succeed(folder, &["matches", "one", "--fault"]).contains("illegal"));
    succeed(folder, &["report", "one"]);
    succeed(folder, &["view", "one", "--match", "0", "--out", "match.html"]);
    let page = fs::read_to_string(folder.join("match.html")).expect("a page");
    assert!(
        page.contains("nim@1") && page.contains("oooooooooo") && !page.contains("nim.py"),
        "no program in it"
    );
    let record = ["match", "--game-command", NIM, "--game-option", "most=5", "--record", "m.json"];
    let shown =
        succeed(folder, &[&record[..], &["--bot", "a=random", "--bot", "b=random", "--boards"]].concat());
    assert!(shown.contains("\nooooo"), "{shown}");
    let again = ["replay", "m.json", "--game-command", NIM, "--game-option", "most=5"];
    assert!(succeed(folder, &again).contains("holds"));
    let compared =
        ["compare", "--game-command", NIM, "a=random", "b=random", "--max-rounds", "8", "--out", "c"];
    let said = String::from_utf8_lossy(&arena(folder, &compared).stderr).into_owned();
    assert!(
        said.starts_with("nim@1: a and b on 8 deals at most") && said.contains("tables are in c"),
        "{said}"
    );
}

#[test]
fn wrong_uses_are_said_in_a_line() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    tournament(folder, NIM, "t", &["--bot", "a=random", "--bot", "b=random", "--rounds", "2"]);
    fs::write(folder.join("league.toml"), "[game]\ncommand = 'python3 nim.py'\noptions = { stones = 3 }\n")
        .expect("a file");
    let bots = ["--bot", "a=random", "--bot", "b=random"];
    for (args, said) in [
        (
            &["tournament", "--game", "doodle", "--game-command", NIM][..],
            "leave out --game or --game-command",
        ),
        (&["tournament", "--game-command", NIM, "--game-option", "least=1"], "its options: most"),
        (&["tournament", "--game-command", NIM, "--game-option", "most"], "NAME=VALUE"),
        (&["tournament", "league.toml"], "nim has no such option"),
        (&["tournament", "--game-command", NIM, "--cards", "x.json"], "--cards is a rule of doodle"),
        (
            &["tournament", "--game-command", NIM, "--seats", "3", "--bot", "c=random"],
            "nim is for 2 seats, not 3",
        ),
        (&["tournament", "--game-command", "python3 none.py"], "cannot be played"),
        (&["tournament", "--game-command", "nowhere"], "cannot be played"),
        (&["tournament", "--game-command", "'x"], "a quote that is not closed"),
    ] {
        let output = arena(folder, &[args, &bots, &["--rounds", "1"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(said), "{args:?}: {stderr}");
        assert!(stderr.lines().count() <= 2, "{stderr}");
    }
    for (args, said) in [
        (&["tournament", "--game-command", NIM][..], "name them with --bot"),
        (&["play", "--terminal", "--game-command", NIM, "--bot", "a=random"], "doodle and patchwork"),
        (&["analyze", "t"], "doodle and patchwork"),
        (&["matches", "t", "--match", "0", "--position", "1"], "doodle and patchwork"),
        (&["match", "--from", "t#0@2", "--bot", "a=random", "--bot", "b=random"], "doodle and patchwork"),
        (&["match", "--game-command", NIM, "--bot", "a=random", "--bot", "human"], "doodle and patchwork"),
    ] {
        let output = arena(folder, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(said), "{args:?}: {stderr}");
    }
}

#[test]
fn three_seats_decide_at_once_and_see_nothing_of_each_other() {
    if !needs::NODE.is_met() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    // A bot that keeps what it is told, and one that does not know the game.
    let spy = format!("spy=sh -c 'tee -a seen.txt | {} bot random'", env!("CARGO_BIN_EXE_arena"));
    let bots = ["--bot", "a=random", "--bot", &spy, "--bot", "c=random", "--bot", "d=greedy"];
    let more = ["--seats", "3", "--rounds", "3", "--contain", "off"];
    tournament(folder, GOOF, "t", &[&bots[..], &more].concat());
    let played = records(&folder.join("t"));
    assert_eq!(played.len(), 4 * 3 * 3);
    let hands = |record: &Value, seat: usize| record["deal"]["hands"][seat].to_string();
    let seen = fs::read_to_string(folder.join("seen.txt")).expect("what the spy has seen");
    for record in &played {
        let bots: Vec<&str> =
            record["bots"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let faults = record["result"]["faults"].as_array().expect("a list");
        for (seat, bot) in bots.iter().enumerate() {
            assert_eq!(faults[seat].is_null(), *bot != "d", "only the bot that cannot play is out: {record}");
            assert!(*bot != "d" || record["result"]["ranks"][seat] == 3, "{record}");
            assert!(*bot != "spy" || seen.contains(&hands(record, seat)), "it sees its own hand");
            let is_hidden = bots.contains(&"spy") && *bot != "spy";
            // A hand may be another one's in another deal.
            let is_own = |other: &Value| {
                (0..3).any(|at| other["bots"][at] == "spy" && hands(other, at) == hands(record, seat))
            };
            assert!(!is_hidden || played.iter().any(is_own) || !seen.contains(&hands(record, seat)));
        }
        // The others play on to the last card.
        let ids: BTreeSet<u64> = record["turns"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|turn| turn["id"].as_u64())
            .collect();
        assert_eq!(ids, (0..6).collect());
    }
    assert!(succeed(folder, &["replay", "t", "--trust"]).starts_with("36 matches of goofspiel@1.0 replayed"));
}

/// Returns a program of the tests that Cargo has built with them.
fn fixture(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().expect("a test has a file");
    path.pop();
    path.set_file_name("examples");
    path.join(name)
}

#[test]
fn patchwork_as_a_program_is_patchwork() {
    let folder = scratch();
    let folder = folder.path();
    fs::copy(fixture("patchwork-game"), folder.join("patchwork"))
        .expect("first `cargo build -p test-bots --examples`");
    let (rounds, matches) = needs::sized(("20", 40), ("50", 100), ("200", 400));
    let bots = ["--bot", "greedy", "--bot", "random", "--rounds", rounds];
    tournament(folder, "./patchwork", "program", &bots);
    let built_in = [
        "tournament",
        "--quiet",
        "--game",
        "patchwork",
        "--seed",
        "4",
        "--out",
        "built-in",
        "--move-time",
        "60s",
    ];
    succeed(folder, &[&built_in[..], &bots].concat());
    let [program, built_in] = ["program", "built-in"].map(|out| records(&folder.join(out)));
    assert_eq!((program.len(), built_in.len()), (matches, matches));
    for (one, other) in program.iter().zip(&built_in) {
        assert_eq!(one["bots"], other["bots"]);
        assert_eq!(one["deal"]["deal"], other["deal"]);
        assert_eq!(one["result"], other["result"]);
        let moves = |record: &Value| -> Vec<Value> {
            let turns = record["turns"].as_array().expect("a list").iter();
            turns.map(|turn| serde_json::json!([turn["id"], turn["seat"], turn["move"]])).collect()
        };
        assert_eq!(moves(one), moves(other));
    }
}

/// Each has the question that goes wrong, what goes wrong with it, and words of the message.
const BAD: [(&str, &str); 25] = [
    ("describe:hang", "no line within"),
    ("deal:hang", "no line within"),
    ("observe:hang", "no line within"),
    ("play:hang", "no line within"),
    ("result:hang", "no line within"),
    ("text:hang", "no line within"),
    ("describe:crash", "stderr says \"it broke here\""),
    ("deal:crash", "exited with status 3"),
    ("play:crash", "exited with status 3"),
    ("result:crash", "exited with status 3"),
    ("play:close", "it closed its stdout"),
    ("play:noise", "it answered \"not JSON\""),
    ("deal:another", "and then"),
    ("play:another", "and then"),
    ("describe:huge", "more than 65536 bytes"),
    ("play:huge", "more than 65536 bytes"),
    ("play:growing", "more than 65536 bytes"),
    ("describe:negative", "invalid value: integer `-1`"),
    ("describe:swapped", "its seats are 3 to 2"),
    ("describe:named", "its name \"../Nim\""),
    ("result:liar", "points and rank"),
    ("play:twice", "one question has one answer"),
    ("play:refuses", "it refused a move that it lists as legal"),
    ("play:both", "two seats owe a decision"),
    ("play:endless", "does not end"),
];

#[test]
fn bad_games_fail_and_no_bot_is_blamed() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    fs::rename(folder.join("nim.py"), folder.join("rules.py")).expect("it is ours");
    let complaint = |(bad, said): &(&str, &str)| {
        let game = format!("python3 bad.py {bad}");
        let out = bad.replace(':', "-");
        // Programs that hang are waited for to the end; others get time to start on a busy machine.
        let time = if bad.ends_with("hang") { "8s" } else { "60s" };
        let args =
            ["tournament", "--quiet", "--game-command", &game, "--game-time", time, "--move-time", "60s"];
        let bots = ["--bot", "a=random", "--bot", "b=random", "--rounds", "4", "--seed", "1", "--out", &out];
        let output = arena(folder, &[&args[..], &bots].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let status = if bad.starts_with("describe") { 2 } else { HOST };
        let journal = fs::read_to_string(folder.join(&out).join("matches.jsonl")).unwrap_or_default();
        let is_right = output.status.code() == Some(status)
            && stderr.contains(said)
            && stderr.lines().count() <= 2
            && !journal.contains("\"fault\":");
        (!is_right).then(|| format!("{bad}: {:?} {stderr}", output.status))
    };
    // Usually one in three of the questions that hang is tried.
    let tried = BAD.iter().enumerate().filter(|(place, (bad, _))| {
        !bad.ends_with("hang") || needs::is_tried(*place, 0, needs::sized(3, 1, 1))
    });
    let complaints = complaints(&tried.map(|(_, bad)| bad).collect::<Vec<_>>(), |bad| complaint(bad));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    // Other tests run such programs in their own folders.
    let runs_here = |process: &PathBuf| fs::read_link(process.join("cwd")).is_ok_and(|place| place == folder);
    let processes = || fs::read_dir("/proc").expect("it is mounted").flatten().map(|entry| entry.path());
    // A killed process ends a moment after the arena.
    wait_until("no game runs", || !processes().any(|process| runs_here(&process)));
}

#[test]
fn a_program_that_ends_between_questions_is_started_again() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    let text = fs::read_to_string(folder.join("nim.py")).expect("a game");
    let once = text.replace("    for line in sys.stdin:\n", "    for line in [sys.stdin.readline()]:\n");
    assert_ne!(text, once);
    fs::write(folder.join("once.py"), once).expect("a file");
    let bots = ["--bot", "a=random", "--bot", "b=random", "--rounds", "1"];
    tournament(folder, "python3 once.py", "once", &bots);
    tournament(folder, NIM, "nim", &bots);
    let moves = |out: &str| -> Vec<Value> {
        records(&folder.join(out))
            .into_iter()
            .map(|mut record| record["turns"].take())
            .map(|turns| turns.as_array().expect("a list").iter().map(|turn| turn["move"].clone()).collect())
            .collect()
    };
    assert_eq!(moves("once"), moves("nim"));
}

#[test]
fn results_of_others_start_no_program_unless_trusted() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    let bots = ["--bot", "a=random", "--bot", "b=random", "--rounds", "2"];
    tournament(folder, NIM, "t", &bots);
    let text = fs::read_to_string(folder.join("nim.py")).expect("a game");
    send(&folder.join("t"));
    let output = arena(folder, &["replay", "t"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.contains("say --trust"), "{stderr}");
    let output = arena(folder, &["tournament", "--quiet", "--resume", "--rounds", "3", "--out", "t"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && stderr.contains("names a program for the game nim@1"),
        "{stderr}"
    );
    assert!(succeed(folder, &["replay", "t", "--trust"]).contains("4 matches of nim@1 replayed"));
    assert!(succeed(folder, &["replay", "t", "--game-command", NIM]).contains("4 matches of nim@1 replayed"));
    // Nor does a program start that has changed since.
    fs::write(folder.join("nim.py"), text + "\n# changed\n").expect("it is ours");
    for args in
        [&["replay", "t", "--trust"][..], &["tournament", "--quiet", "--resume", "--out", "t", "--trust"]]
    {
        let output = arena(folder, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains("has changed"), "{args:?} {stderr}");
    }
    let output = arena(folder, &["replay", "t", "--game-command", NIM]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A program that reads a file elsewhere, which a sandbox does not show it.
#[test]
fn a_program_keeps_the_sandbox_of_its_tournament() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let (folder, elsewhere) = (folder(), scratch());
    let folder = folder.path();
    let secret = elsewhere.path().join("secret.txt");
    fs::write(&secret, "").expect("a file");
    let text = fs::read_to_string(folder.join("nim.py")).expect("a game");
    let open = format!("\nimport sys\nopen({:?})\n", secret.display().to_string());
    fs::write(folder.join("opens.py"), text.replacen("\nimport sys\n", &open, 1)).expect("a file");
    let bots = ["--bot", "a=random", "--bot", "b=random", "--rounds", "1", "--contain", "off"];
    tournament(folder, "python3 opens.py", "t", &bots);
    let resume = ["tournament", "--quiet", "--resume", "--rounds", "2", "--out", "t", "--trust"];
    succeed(folder, &resume);
    assert!(succeed(folder, &["replay", "t", "--trust"]).contains("4 matches of nim@1 replayed"));
}

#[test]
fn a_game_is_checked() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    fs::copy(folder.join("nim.py"), folder.join("rules.py")).expect("a game");
    let check = |game: &str| {
        let output = arena(
            folder,
            &["check", "--format", "json", "--matches", "4", "--game-time", "8s", "--game-command", game],
        );
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let failed: Vec<String> = report["checks"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|found| found["verdict"] == "fail")
            .map(|found| format!("{}: {}", found["check"].as_str().unwrap_or_default(), found["detail"]))
            .collect();
        (output.status.code(), failed)
    };
    assert_eq!(check(NIM), (Some(0), Vec::new()));
    let bad = [
        ("deal:another", "deal: "),
        ("play:another", "matches: "),
        ("legal:hang", "matches: "),
        ("play:refuses", "a move that it lists as legal"),
        ("result:liar", "points and rank"),
        ("play:list", "an observation is not an object"),
        ("legal:alike", "3 moves, and 1 different numbers in 3"),
        ("describe:narrow", "with shape [1], from 0 to 2"),
    ];
    let complaints = complaints(&bad, |(bad, said)| {
        let (status, failed) = check(&format!("python3 bad.py {bad}"));
        let is_right = status == Some(1) && failed.len() == 1 && failed[0].contains(said);
        (!is_right).then(|| format!("{bad}: {status:?} {failed:?}"))
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
