//! One table over several tournaments, with a row for each version of a bot.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{arena, scratch, succeed, words};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

/// Returns rating, interval, and matches by name.
fn rows(text: &str) -> BTreeMap<String, [f64; 4]> {
    let table: Value = serde_json::from_str(text).expect("JSON");
    let row = |row: &Value| {
        let numbers =
            [&row["rating"]["elo"], &row["rating"]["ci95"][0], &row["rating"]["ci95"][1], &row["matches"]];
        let name = row["bot"].as_str().expect("a name").to_owned();
        (name, numbers.map(|number| number.as_f64().unwrap_or(f64::NAN)))
    };
    table["rows"].as_array().expect("rows").iter().map(row).collect()
}

fn assert_same(one: &BTreeMap<String, [f64; 4]>, other: &BTreeMap<String, [f64; 4]>) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, numbers) in one {
        for (number, same) in numbers.iter().zip(other[name]) {
            assert!(
                (number - same).abs() < 1e-9 || (number.is_nan() && same.is_nan()),
                "{name}: {numbers:?}, {same}"
            );
        }
    }
}

#[test]
fn a_journal_in_five_directories_has_the_ratings_of_the_whole() {
    let folder = scratch();
    let here = folder.path();
    for (game, bots) in [
        ("doodle", "--bot random --bot greedy --bot a=novice --bot b=amateur --bot c=greedy"),
        ("patchwork", "--bot random --bot greedy --bot planner"),
    ] {
        let whole = format!("{game}-whole");
        let args =
            format!("tournament --game {game} --rounds 20 --seed 1 --quiet --reuse --out {whole} {bots}");
        succeed(here, &words(&args));
        let journal = fs::read_to_string(here.join(&whole).join("matches.jsonl")).expect("a journal");
        let dirs: Vec<String> = (0..5).map(|number| format!("{game}-{number}")).collect();
        for (number, dir) in dirs.iter().enumerate() {
            fs::create_dir(here.join(dir)).expect("a folder");
            fs::copy(here.join(&whole).join("tournament.json"), here.join(dir).join("tournament.json"))
                .expect("a plan");
            let lines: String = journal.split_inclusive('\n').skip(number).step_by(5).collect();
            fs::write(here.join(dir).join("matches.jsonl"), lines).expect("a journal");
        }
        let ratings =
            |dirs: &[&str]| rows(&succeed(here, &[&["ratings", "--format", "json"], dirs].concat()));
        let dirs: Vec<&str> = dirs.iter().map(String::as_str).collect();
        let of_whole = ratings(&[&whole]);
        assert_same(&of_whole, &ratings(&dirs));
        let reversed: Vec<&str> = dirs.iter().rev().copied().chain([whole.as_str()]).collect();
        assert_same(&of_whole, &ratings(&reversed));
        assert_same(&of_whole, &rows(&succeed(here, &["standings", &whole, "--format", "json"])));
    }
    let both = succeed(here, &["ratings", "doodle-whole", "patchwork-whole"]);
    assert!(both.contains("doodle\n") && both.contains("patchwork\n") && both.contains("planner"), "{both}");
    let none = arena(here, &["ratings", "nothing"]);
    assert_eq!(none.status.code(), Some(2), "{}", String::from_utf8_lossy(&none.stderr));
}

fn write_bot(path: &Path, like: &str) {
    fs::write(path, format!("exec {ARENA} bot {like}\n")).expect("a bot");
}

#[test]
fn versions_before_and_after_a_replace_are_two_rows() {
    let folder = scratch();
    let here = folder.path();
    fs::create_dir(here.join("b")).expect("a folder");
    let play = |more: &[&str]| {
        succeed(here, &[&words("tournament --rounds 10 --quiet --out r")[..], more].concat());
    };
    let matches = |rows: &BTreeMap<String, [f64; 4]>| -> BTreeMap<String, u64> {
        rows.iter().map(|(name, numbers)| (name.clone(), numbers[3] as u64)).collect()
    };
    write_bot(&here.join("b/bot.sh"), "random");
    play(&["--seed", "1", "--bot", "greedy", "--bot", "novice", "--bot", "mine=sh b/bot.sh"]);
    let before = rows(&succeed(here, &["ratings", "r", "--format", "json"]));
    write_bot(&here.join("b/bot.sh"), "planner");
    play(&["--resume", "--replace", "mine"]);
    let now = rows(&succeed(here, &["ratings", "r", "--format", "json"]));
    let names: Vec<&String> = now.keys().collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(
        names.iter().any(|name| name.starts_with("mine@") && name.len() == "mine@a1b2c3".len()),
        "{names:?}"
    );
    // Both versions met the others on the same deals.
    assert!(now["mine"][0] > now[names[2]][0] + 100.0, "{now:?}");
    assert_eq!(matches(&now).values().sum::<u64>(), matches(&before).values().sum::<u64>() + 40);
    // An older arena did not keep who played.
    fs::remove_file(here.join("r/replaced-1.json")).expect("it is there");
    let older = rows(&succeed(here, &["ratings", "r", "--format", "json"]));
    assert_eq!(older.keys().collect::<Vec<_>>(), ["greedy", "mine", "mine@before-1", "novice"]);
    assert_eq!(older["mine@before-1"], now[names[2]]);
    // A stranger's file may say anything.
    let plan = fs::read_to_string(here.join("r/tournament.json")).expect("a plan");
    let mut strange: Value = serde_json::from_str(&plan).expect("JSON");
    for bot in strange["bots"].as_array_mut().expect("bots") {
        bot["digest"] = "ab\u{1b}\u{e9}\u{e9}\u{e9}".into();
    }
    fs::create_dir(here.join("strange")).expect("a folder");
    fs::write(here.join("strange/tournament.json"), strange.to_string()).expect("a plan");
    fs::copy(here.join("r/matches.jsonl"), here.join("strange/matches.jsonl")).expect("a journal");
    let names = rows(&succeed(here, &["ratings", "r", "strange", "--format", "json"]));
    assert!(names.contains_key("mine@ab"), "{names:?}");
    // The same version under another name in another tournament is the same row.
    let again = words("tournament --rounds 10 --quiet --seed 2 --out other --bot greedy --bot");
    succeed(here, &[&again[..], &["other=sh b/bot.sh"]].concat());
    let all = matches(&rows(&succeed(here, &["ratings", "r", "other", "--format", "json"])));
    assert_eq!(all["mine"], matches(&now)["mine"] + 10);
    // A bot that has not played is no row.
    fs::write(here.join("strange/tournament.json"), &plan).expect("a plan");
    let few: String = fs::read_to_string(here.join("r/matches.jsonl"))
        .expect("a journal")
        .split_inclusive('\n')
        .filter(|line| !line.contains("\"novice\""))
        .collect();
    fs::write(here.join("strange/matches.jsonl"), few).expect("a journal");
    let names = rows(&succeed(here, &["ratings", "strange", "--format", "json"]));
    assert_eq!(names.keys().collect::<Vec<_>>(), ["greedy", "mine"]);
}
