//! Leagues of sound and hostile bots. The sound bots play, score, and fail as in the same league with harmless bots in
//! place of the hostile ones.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::tables::records;
const ARENA: &str = env!("CARGO_BIN_EXE_arena");
const SOUND: [&str; 4] = ["greedy", "random", "greedy-2", "random-2"];
/// The attacks of the `hostile` fixture. A small league has the first four.
const HOSTILE: [&str; 12] = [
    "threads",
    "helpers",
    "modes",
    "shared",
    "timer",
    "foretells",
    "forks",
    "files",
    "sockets",
    "watches",
    "floods",
    "escapes",
];

/// The number of hostile bots, and the options of the schedule. An ordinary user repeats what root plays, in small.
fn size(user: Option<u32>) -> (usize, &'static [&'static str]) {
    // In a gauntlet, one sound bot meets all bots. Two matches run at a time, so attacks run beside every match.
    let schedule: &[&str] = match needs::tries_all() {
        true => &["--rounds", "2"],
        false => &["--schedule", "gauntlet", "--rounds", "2"],
    };
    let more = if user.is_some() { 4 } else { HOSTILE.len() };
    (needs::sized(4, more, HOSTILE.len()), schedule)
}

/// Copies the hostile bot into this folder, where every user may execute it. Cargo builds it with the tests.
fn fixture(folder: &Path) -> String {
    copied(&crate::program::fixture("hostile"), folder)
}

/// Copies a program into this folder, so that the arena reads no other files beside it to know its version.
fn copied(program: &Path, folder: &Path) -> String {
    let copy = folder.join(program.file_name().expect("a program is a file"));
    fs::copy(program, &copy).expect("first `cargo build -p test-bots --examples`");
    copy.display().to_string()
}

/// Plays the league in `folder` as this user, with the hostile bots or with harmless ones of their names.
fn play(folder: &Path, game: &str, user: Option<u32>, seed: Option<&str>, is_hostile: bool) -> PathBuf {
    let (count, schedule) = size(user);
    let (program, out) = (fixture(folder), folder.join("out"));
    let harmless = copied(Path::new(ARENA), folder);
    let mut command = crate::program::command();
    command.current_dir(folder).args([
        "tournament",
        "--quiet",
        "--keep-stderr",
        "--game",
        game,
        "--seats",
        "2",
    ]);
    command.args(schedule).args([
        "--no-solitary",
        "--jobs",
        "2",
        // A bot that computes outside of its turns is out after this time of the processor, which few reach.
        "--move-time",
        "2m",
        "--startup-time",
        "60s",
    ]);
    command.args(["--memory", "128MiB", "--out"]).arg(&out).env("HOSTILE_FOLDER", folder);
    for name in SOUND {
        command.arg("--bot").arg(format!("{name}={ARENA} bot {}", name.trim_end_matches("-2")));
    }
    for name in &HOSTILE[..count] {
        // Different commands, because copies of one bot have other seeds.
        let text = match is_hostile {
            true => format!("{program} {name}"),
            false => format!("env INSTEAD_OF={name} {harmless} bot random"),
        };
        command.arg("--bot").arg(format!("{name}={text}"));
    }
    if let Some(seed) = seed {
        command.args(["--seed", seed]);
    }
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let output = command.output().expect("the arena starts");
    assert!(output.status.success(), "hostile {is_hostile}: {}", String::from_utf8_lossy(&output.stderr));
    out
}

/// Returns a folder that this user owns.
fn home(user: Option<u32>) -> tempfile::TempDir {
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    chown(folder.path(), user, user).expect("root may, and others need not");
    folder
}

/// Returns the moves, the score, and the fault of a sound bot in a match.
fn done(record: &Value, seat: usize) -> (Vec<Value>, Value, Value) {
    let turns = record["turns"].as_array().expect("a list").iter();
    let own = turns.filter(|turn| turn["seat"] == seat).map(|turn| turn["move"].clone());
    (own.collect(), record["result"]["scores"][seat].clone(), record["result"]["faults"][seat].clone())
}

/// Checks that the hostile bots took part while they attacked: most of them played by the rules to the end.
fn assert_attacked(records: &[Value]) {
    let (mut whole, mut all) = (0, 0);
    let mut faults = Vec::new();
    for record in records {
        for seat in (0..2).filter(|&seat| !SOUND.contains(&record["bots"][seat].as_str().expect("a name"))) {
            let fault = &record["result"]["faults"][seat];
            assert!(fault["kind"] != "illegal" && fault["kind"] != "malformed", "{record}");
            whole += usize::from(fault.is_null());
            all += 1;
            faults.push((&record["bots"][seat], fault));
        }
    }
    assert!(whole * 2 > all, "only {whole} of {all} games were played to their end: {faults:?}");
}

fn league(game: &str, user: Option<u32>) {
    let (attacked, harmless) = (home(user), home(user));
    let hostile = play(attacked.path(), game, user, None, true);
    let text = fs::read_to_string(hostile.join("tournament.json")).expect("a plan");
    let plan: Value = serde_json::from_str(&text).expect("it is JSON");
    let peaceful = play(harmless.path(), game, user, Some(&plan["seed"].to_string()), false);
    let (with, without) = (records(&hostile), records(&peaceful));
    assert_eq!(with.len(), without.len());
    let mut met = BTreeSet::new();
    for (with, without) in with.iter().zip(&without) {
        assert_eq!((&with["match"], &with["bots"]), (&without["match"], &without["bots"]));
        for seat in 0..2 {
            if SOUND.contains(&with["bots"][seat].as_str().expect("a name")) {
                // Patchwork is over when the other seat is out: then there are fewer moves, and another score.
                let is_short = game == "patchwork" && !with["result"]["faults"][1 - seat].is_null();
                let ((moves, score, fault), all) = (done(with, seat), done(without, seat));
                assert!(all.0.starts_with(&moves) && fault == all.2, "seat {seat} of {with}");
                assert!(is_short || (moves, score) == (all.0, all.1), "seat {seat} of {with}");
                met.insert(with["bots"][1 - seat].as_str().expect("a name").to_owned());
            }
        }
    }
    assert!(HOSTILE[..size(user).0].iter().all(|name| met.contains(*name)), "{met:?}");
    assert_attacked(&with);
    let logs = fs::read_dir(hostile.join("stderr")).into_iter().flatten().flatten();
    for log in logs.map(|entry| entry.path()) {
        let text = fs::read(&log).expect("it is ours");
        assert!(
            !text.windows(5).any(|word| word == b"FOUND"),
            "{}: {}",
            log.display(),
            String::from_utf8_lossy(&text)
        );
    }
    assert_eq!(fs::metadata(&hostile).expect("it is there").permissions().mode() & 0o777, 0o755);
}

#[test]
fn sound_bots_play_beside_hostile_ones_as_beside_harmless_ones() {
    ["doodle", "patchwork"].iter().for_each(|game| league(game, None));
}

/// Runs the same leagues as an ordinary user, if the tests run as root and that user may execute the arena.
#[test]
fn and_so_they_do_for_an_ordinary_user() {
    if needs::NOBODY_STARTS_TESTS.is_met() {
        ["doodle", "patchwork"].iter().for_each(|game| league(game, Some(needs::NOBODY)));
    }
}

/// The ways by which the fixture tells its next match that it has met the deal. It plays better then.
const RECALLS: [&str; 3] = ["recalls-times", "recalls-pages", "recalls-locks"];
/// A bot that does not try to remember anything, and otherwise plays the same.
const FORGETS: &str = "forgets";

/// Plays a deal twice with a bot that tries to remember it. Returns its scores and moves.
fn recall(kind: &str, contain: &str) -> Vec<(Value, Vec<Value>)> {
    let folder = home(None);
    let program = fixture(folder.path());
    prepare_note(&folder.path().join("note"));
    let mut command = crate::program::command();
    // Copies that an earlier run has left may have been read since, by people who look into folders.
    let store = tempfile::tempdir().expect("a folder");
    command.env("XDG_CACHE_HOME", store.path());
    command.current_dir(folder.path()).args(["tournament", "--quiet", "--seed", "7", "--rounds", "1"]);
    command.args([
        "--seats",
        "2",
        "--no-solitary",
        "--out",
        "out",
        "--contain",
        contain,
        "--move-time",
        "60s",
    ]);
    // Locks are for a match that is played at the same time.
    command.args(["--jobs", if kind == "recalls-locks" { "2" } else { "1" }]);
    for bot in [format!("subject={program} {kind}"), "one=random".to_owned(), "two=random".to_owned()] {
        command.args(["--bot", &bot]);
    }
    let output = command.output().expect("the arena starts");
    assert!(output.status.success(), "{kind}: {}", String::from_utf8_lossy(&output.stderr));
    let records = records(&folder.path().join("out"));
    let seat = |record: &Value| record["bots"].as_array()?.iter().position(|name| name == "subject");
    let played = records.iter().filter_map(|record| Some(done(record, seat(record)?)));
    let played = played.map(|(moves, score, fault)| {
        assert!(fault.is_null(), "{kind} under {contain}: {fault}");
        (score, moves)
    });
    let played: Vec<_> = played.collect();
    assert_eq!(played.len(), 2, "it meets the deal twice");
    played
}

/// Makes a file without a read since its last write and without pages in the page cache.
fn prepare_note(path: &Path) {
    fs::write(path, "a note").expect("a file");
    let file = fs::File::options().read(true).write(true).open(path).expect("it is ours");
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let times = fs::FileTimes::new().set_accessed(before).set_modified(before);
    file.set_times(times).expect("it is ours");
    file.sync_all().expect("it is written");
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).expect("advice is free");
}

/// Returns true if the sandbox hides traces of this kind here.
fn is_hidden(kind: &str) -> bool {
    kind != "recalls-times" || crate::contain::scene::holds("read-only")
}

/// Returns true if reading a file here leaves a trace of this kind.
fn leaves_a_trace(kind: &str) -> bool {
    let folder = home(None);
    let path = folder.path().join("note");
    prepare_note(&path);
    let file = fs::File::open(&path).expect("it is ours");
    let is_cached = || {
        let mut byte = [0];
        let mut into = [std::io::IoSliceMut::new(&mut byte)];
        rustix::io::preadv2(&file, &mut into, 0, rustix::io::ReadWriteFlags::NOWAIT) == Ok(1)
    };
    let accessed = || fs::metadata(&path).and_then(|data| data.accessed()).expect("it is ours");
    let (was_cached, before) = (is_cached(), accessed());
    fs::read(&path).expect("it is ours");
    match kind {
        "recalls-times" => accessed() > before,
        "recalls-pages" => !was_cached && is_cached(),
        _ => false, // two matches need not be played at the same time
    }
}

#[test]
fn a_bot_that_tries_to_remember_deals_plays_as_one_that_does_not() {
    let forgets = recall(FORGETS, "auto");
    for kind in RECALLS {
        assert!(!is_hidden(kind) || recall(kind, "auto") == forgets, "{kind}: it plays otherwise");
        if leaves_a_trace(kind) {
            let recalls = recall(kind, "off");
            let scores =
                |played: &[(Value, Vec<Value>)]| [&played[0].0, &played[1].0].map(|score| score.as_i64());
            let (with, without) = (scores(&recalls), scores(&forgets));
            assert!(with[0] == without[0] && with[1] > without[1], "{kind}: {with:?} and {without:?}");
        }
    }
}
