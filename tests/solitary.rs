//! Solitary bots, which play each deal once for all tables, tested through the program. Full matches give the
//! same results, but solitary bots play only one game per deal.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::matches::seat_of;
use crate::program::tables::{records, standings};
use crate::program::{scratch, succeed};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

fn tournament(folder: &Path, out: &str, plan: &[&str], bots: &[String]) {
    let bots = bots.iter().flat_map(|bot| ["--bot", bot]);
    // The bots count their starts in a file that the sandbox would not let them write.
    let head = ["tournament", "--seed", "5", "--quiet", "--contain", "off", "--out", out];
    // The limits are generous, because each replayed match would add a game.
    let limits = ["--startup-time", "60s", "--move-time", "60s"];
    let args = head.into_iter().chain(limits).chain(plan.iter().copied()).chain(bots);
    succeed(folder, &args.collect::<Vec<_>>());
}

/// Returns a bot that counts its starts.
fn counted(folder: &Path, name: &str) -> String {
    let script = format!("echo >> '{}'\nexec '{ARENA}' bot greedy\n", folder.join(name).display());
    fs::write(folder.join(format!("{name}.sh")), script).expect("a file");
    format!("{name}=sh {name}.sh")
}

/// Returns the starts of a bot since the previous call, without the start for the greeting.
fn games(folder: &Path, name: &str) -> usize {
    let starts = fs::read_to_string(folder.join(name)).expect("it was started").lines().count();
    fs::remove_file(folder.join(name)).expect("it is there");
    starts - 1
}

#[test]
fn one_game_a_deal_gives_the_results_of_all_tables() {
    let folder = scratch();
    let path = folder.path();
    let mut bots = vec![counted(path, "a"), counted(path, "b"), counted(path, "c")];
    bots.push("other=random".to_owned());
    tournament(path, "full", &["--rounds", "4", "--seats", "3", "--no-solitary"], &bots);
    assert!(records(&path.join("full")).iter().all(|record| record["alone"].is_null()));
    let each = 4 * 3;
    assert_eq!(["a", "b", "c"].map(|bot| games(path, bot)), [each; 3], "a process for each match");
    for (out, jobs) in [("one", "1"), ("three", "3")] {
        tournament(path, out, &["--rounds", "4", "--seats", "3", "--jobs", jobs], &bots);
        assert_eq!(standings(&path.join(out)), standings(&path.join("full")));
        let records = records(&path.join(out));
        // With dealt start cards, the deal of a bot depends on its seat.
        let places = |bot: &str| {
            let seat = |record: &Value| {
                let seat = seat_of(record, bot)?;
                assert!(record["alone"].as_array().is_some_and(|alone| alone.contains(&seat.into())));
                Some((record["round"].as_u64().expect("a round"), seat))
            };
            records.iter().filter_map(seat).collect::<BTreeSet<_>>().len()
        };
        for bot in ["a", "b", "c"] {
            assert_eq!(games(path, bot), places(bot), "{bot}: one game for each deal and start card");
        }
        let seated = |record: &Value| {
            let alone = record["alone"].as_array().expect("seats");
            seat_of(record, "other").is_none_or(|seat| !alone.contains(&seat.into()))
        };
        assert!(records.iter().all(seated), "who does not say so is at the table");
        succeed(path, &["replay", out, "--all", "--quiet"]);
        succeed(path, &["diff", out, "full"]);
    }
}

#[test]
fn one_more_bot_costs_one_game_a_deal() {
    let folder = scratch();
    let path = folder.path();
    let mut bots = vec![counted(path, "a"), counted(path, "b"), counted(path, "c")];
    let plan = ["--rounds", "5", "--start-cards", "shared"];
    tournament(path, "t", &plan, &bots);
    assert_eq!(["a", "b", "c"].map(|bot| games(path, bot)), [5; 3]);
    bots.push(counted(path, "d"));
    tournament(path, "t", &["--resume"], &bots);
    assert_eq!(["a", "b", "c", "d"].map(|bot| games(path, bot)), [0, 0, 0, 5]);
    // The result equals that of a tournament with all bots from the beginning.
    tournament(path, "whole", &plan, &bots);
    assert_eq!(standings(&path.join("t")), standings(&path.join("whole")));
    // Both seats are recorded as solitary in all matches, also in those after the resume.
    let records = records(&path.join("t"));
    assert!(records.iter().all(|record| record["alone"].as_array().map(Vec::len) == Some(2)));
}

#[test]
fn a_match_is_seen_again_as_its_bots_saw_it() {
    let folder = scratch();
    let path = folder.path();
    tournament(path, "t", &["--rounds", "2"], &["greedy".to_owned(), "random".to_owned()]);
    assert!(succeed(path, &["rerun", "t", "--match", "1", "--trust"]).contains("agree"));
    // In the second round, greedy has the second seat and played alone.
    let fed = succeed(path, &["feed", "t", "--match", "1", "--seat", "1", "--", "greedy"]);
    assert!(fed.contains("all 19 answers agree"), "{fed}");
    let tee = format!("tee heard | '{ARENA}' bot greedy");
    succeed(path, &["feed", "t", "--match", "1", "--seat", "1", "--contain", "off", "--", "sh", "-c", &tee]);
    let heard = fs::read_to_string(path.join("heard")).expect("what it heard");
    let start: Value = serde_json::from_str(heard.lines().nth(1).expect("a start")).expect("JSON");
    assert_eq!((&start["seats"], &start["seat"], &start["match"]), (&1.into(), &0.into(), &1.into()));
    assert_eq!(start["players"], serde_json::json!(["greedy"]));
}

#[test]
fn a_failure_alone_is_a_failure_at_every_table() {
    let folder = scratch();
    let path = folder.path();
    let script = concat!(
        "read line; echo '{\"type\":\"hello\",\"protocol\":1,\"solitary\":true}'\n",
        "read line || exit 0; case $line in *quit*) exit 0;; esac; echo '{\"type\":\"ready\"}'\n",
        "read line; echo its last words >&2; exit 3\n"
    );
    fs::write(path.join("bot.sh"), script).expect("a file");
    let bots = ["greedy", "g=greedy", "broken=sh bot.sh"].map(str::to_owned);
    tournament(path, "t", &["--rounds", "2", "--start-cards", "shared"], &bots);
    let tables = standings(&path.join("t"));
    let rows = tables["rows"].as_array().expect("rows");
    let broken = rows.iter().find(|row| row["bot"] == "broken").expect("a row");
    assert_eq!((&broken["matches"], &broken["faults"]["exit"]), (&4.into(), &4.into()));
    let bundles = fs::read_dir(path.join("t/faults")).expect("bundles").map(|entry| entry.unwrap().path());
    let words = |bundle: &Path| fs::read_to_string(bundle.join("stderr.txt")).expect("its stderr");
    let words: Vec<String> = bundles.map(|bundle| words(&bundle)).collect();
    assert_eq!(words, ["its last words\n"; 2], "what its two processes left, once each");
}

#[test]
fn where_seats_touch_each_other_all_are_at_the_table() {
    let folder = scratch();
    let path = folder.path();
    let bots = [counted(path, "a"), counted(path, "b")];
    tournament(path, "t", &["--game", "patchwork", "--rounds", "2"], &bots);
    assert!(records(&path.join("t")).iter().all(|record| record["alone"].is_null()));
    assert_eq!(games(path, "a"), 4);
    // A copy plays alone too, with other random numbers.
    tournament(path, "m", &["--rounds", "2"], &[bots[0].clone(), bots[0].replacen("a=", "a-2=", 1)]);
    let is_alone = |record: &Value| record["alone"].as_array().map(Vec::len) == Some(2);
    assert!(records(&path.join("m")).iter().all(is_alone));
}
