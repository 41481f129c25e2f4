//! Results directories that were made to harm their readers.
//!
//! Every command that reads such a directory ends by itself, with an answer or an error of two lines. It
//! needs little memory, and writes nothing outside of the directory.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::fs::{CWD, mkfifoat};
use serde_json::{Value, json};

use crate::program::{scratch, succeed, words};
use crate::strangers::results::{JOURNAL, PLAN, played, tamper, tamper_lines};

/// Maximum address space of a command.
const MEMORY_KIB_MAX: u64 = 1 << 20;
/// Maximum CPU time of a command in seconds, far more than any command needs.
const CPU_S_MAX: u64 = 100;
/// Maximum duration of a command in seconds.
const WAIT_S_MAX: &str = "100";
/// Content of a file behind a link. It must not change.
const UNTOUCHED: &str = "a key\n";
/// Name of a file behind a link.
const OUTSIDE: &str = "outside";

/// Runs the arena with little memory, in the folder that contains the directory.
fn arena(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    let limits = format!("ulimit -v {MEMORY_KIB_MAX}; ulimit -t {CPU_S_MAX}; exec \"$@\"");
    command.args(["-s", "KILL", WAIT_S_MAX, "sh", "-c", &limits, "sh"]);
    command.arg(env!("CARGO_BIN_EXE_arena")).args(args);
    command.current_dir(folder).stdin(Stdio::null()).output().expect("there is a shell")
}

/// Runs a command and checks that it ends by itself, with success or an error of two lines.
fn ends(folder: &Path, what: &str, args: &[&str]) {
    let Output { status, stderr, .. } = arena(folder, args);
    let stderr = String::from_utf8(stderr).expect("what it says is UTF-8");
    let case = format!("{what}: {args:?}: {status}: {stderr}");
    assert!(status.signal().is_none() && status.code().is_some_and(|code| code < 100), "{case}");
    assert!(!stderr.contains("panicked"), "{case}");
    let errors: Vec<&str> = stderr.lines().skip_while(|line| !line.starts_with("error: ")).collect();
    assert!(errors.len() <= 2 && (status.code() == Some(0) || !errors.is_empty()), "{case}");
    assert!(stderr.len() < 4_000, "{case}");
}

/// Each case tries one command in this many.
const ONE_OF: usize = 3;

/// Runs commands that only read a directory: a third of them, or all of them if all combinations are tried.
fn reading(folder: &Path, case: usize, what: &str, dir: &str) {
    let commands = [
        "standings DIR",
        "standings DIR --format json",
        "replay DIR",
        "replay DIR/matches.jsonl --all --quiet",
        "replay DIR --match 0",
        "view DIR --match 0 --out page.html",
        "report DIR --out report.html",
        "diff DIR sound",
        "diff sound DIR",
        "merge DIR --out DIR-merged",
        "feed DIR --match 0 --seat 0 -- random",
        "rerun DIR --match 0 --contain off",
    ];
    tried(folder, case, what, dir, &commands);
    let _ = fs::remove_dir_all(folder.join(format!("{dir}-merged")));
}

/// Runs commands that continue the work in a directory: one of three, or all of them if all combinations are tried.
fn playing(folder: &Path, case: usize, what: &str, dir: &str) {
    let plan = format!("tournament --game patchwork --out DIR {BOTS}");
    let commands = [
        &*format!("{plan} --resume --live"),
        &*format!("{plan} --shard 0/2 --seed 1"),
        "compare random random --resume --contain off --out DIR",
    ];
    tried(folder, case, what, dir, &commands);
}

/// Two bots, and what else a tournament of them needs.
const BOTS: &str = "--bot one=random --bot two=random --contain off --quiet";

/// Runs those commands that this case tries. `DIR` stands for the directory.
fn tried(folder: &Path, case: usize, what: &str, dir: &str, commands: &[&str]) {
    for (number, line) in commands.iter().enumerate() {
        if needs::is_tried(case, number, ONE_OF) {
            ends(folder, what, &words(&line.replace("DIR", dir)));
        }
    }
}

/// Puts something in the place of a file.
type Replace = Box<dyn Fn(&Path)>;

/// Returns replacements for a file: things that are not regular files, and contents that no command should
/// read.
fn replacements(path: &Path, outside: &Path) -> Vec<(&'static str, Replace)> {
    let outside = outside.to_owned();
    let dangling = path.with_file_name("nowhere");
    vec![
        ("a FIFO", Box::new(|path| mkfifoat(CWD, path, 0o600.into()).expect("a FIFO"))),
        ("a link", Box::new(move |path| symlink(&outside, path).expect("a link"))),
        ("a link to nowhere", Box::new(move |path| symlink(&dangling, path).expect("a link"))),
        ("/dev/zero", Box::new(|path| symlink("/dev/zero", path).expect("a link"))),
        ("a folder", Box::new(|path| fs::create_dir(path).expect("a folder"))),
        ("a sparse file", Box::new(|path| sparse(path).expect("a file"))),
        ("deep JSON", Box::new(|path| fs::write(path, "[".repeat(200_000) + "\n").expect("a file"))),
        ("wide JSON", Box::new(|path| fs::write(path, wide()).expect("a file"))),
        ("nothing", Box::new(|path| fs::write(path, "").expect("a file"))),
    ]
}

fn sparse(path: &Path) -> std::io::Result<()> {
    File::create(path)?.set_len(1 << 40)
}

/// Returns a line of the maximum size that the arena reads, with the contents that need the most memory.
fn wide() -> String {
    format!("{{\"match\":0,\"game\":\"patchwork\",\"x\":[{}0]}}\n", "0,".repeat(8_000_000))
}

/// Creates a directory to change, an intact one, and a file that must not change.
fn scene(folder: &Path) -> (PathBuf, PathBuf) {
    let outside = folder.join(OUTSIDE);
    fs::write(&outside, UNTOUCHED).expect("a file");
    played(folder, "sound");
    (played(folder, "dir"), outside)
}

fn assert_untouched(outside: &Path, case: &str) {
    assert_eq!(fs::read_to_string(outside).expect("it is there"), UNTOUCHED, "{case}");
}

#[test]
fn files_that_are_none_are_refused_by_every_command() {
    let folder = scratch();
    let (sound, outside) = scene(folder.path());
    let files = [PLAN, JOURNAL, "compare.json", "shard-0-of-2.jsonl", "shard-0-of-2.jsonl.tmp.x.17"];
    for (number, file) in files.into_iter().enumerate() {
        for (kind, (what, replace)) in replacements(&sound, &outside).into_iter().enumerate() {
            let dir = folder.path().join("changed");
            copy(&sound, &dir);
            let _ = fs::remove_file(dir.join(file));
            replace(&dir.join(file));
            let case = format!("{file} is {what}");
            reading(folder.path(), number + kind, &case, "changed");
            playing(folder.path(), number + kind, &case, "changed");
            assert_untouched(&outside, &case);
            fs::remove_dir_all(dir).expect("it is ours");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("it is new");
    for entry in fs::read_dir(from).expect("it is there").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a small file");
    }
}

/// The bots that play when the arena resumes fail, so that it writes fault reports.
#[test]
fn nothing_is_written_through_links() {
    let folder = scratch();
    let failing =
        r#"one=sh -c 'read l; echo "{\"type\":\"hello\",\"protocol\":1}"; read l; echo out >&2; exit 3'"#;
    let args = ["tournament", "--bot", failing, "--bot", "two=random", "--game", "patchwork", "--seed", "1"];
    let rest = ["--contain", "off", "--quiet", "--keep-stderr", "--out", "dir", "--rounds"];
    let begin = [&args[..], &rest, &["1"]].concat();
    succeed(folder.path(), &begin);
    let outside = folder.path().join(OUTSIDE);
    let out = folder.path().join("dir");
    let (file, elsewhere) = (outside.join("file"), outside.join("folder"));
    let links = [
        ("stderr/one.log", &file),
        ("stderr", &elsewhere),
        ("faults", &elsewhere),
        ("faults/2-one", &elsewhere),
        ("live", &elsewhere),
        ("standings.json", &file),
        ("standings.csv", &file),
        ("standings.md", &file),
        (JOURNAL, &file),
        (PLAN, &file),
    ];
    for (name, target) in links {
        let _ = fs::remove_dir_all(&outside);
        fs::create_dir_all(&elsewhere).expect("folders");
        fs::write(&file, UNTOUCHED).expect("a file");
        fs::write(elsewhere.join("one.log"), UNTOUCHED).expect("a file");
        fs::remove_dir_all(&out).expect("it is ours");
        succeed(folder.path(), &begin);
        let place = out.join(name);
        fs::create_dir_all(place.parent().expect("it has one")).expect("a folder");
        let _ = fs::remove_file(&place);
        let _ = fs::remove_dir_all(&place);
        symlink(target, &place).expect("a link");
        let go_on = [&args[..], &rest, &["3", "--live", "--resume"]].concat();
        ends(folder.path(), name, &go_on);
        assert_untouched(&file, name);
        assert_untouched(&elsewhere.join("one.log"), name);
        assert_eq!(fs::read_dir(&elsewhere).expect("it is there").count(), 1, "{name}");
    }
}

#[test]
fn a_part_writes_nothing_behind_a_link() {
    let folder = scratch();
    let (dir, elsewhere) = (folder.path().join("dir"), folder.path().join(OUTSIDE));
    fs::create_dir_all(&elsewhere).expect("a folder");
    fs::create_dir_all(&dir).expect("a folder");
    symlink(&elsewhere, dir.join("shard-0-of-2")).expect("a link");
    let line = format!("tournament --shard 0/2 --seed 1 --game patchwork --out dir {BOTS} --live");
    ends(folder.path(), "the folder of a part is a link", &words(&line));
    assert_eq!(fs::read_dir(&elsewhere).expect("it is there").count(), 0);
}

/// A valid number of rounds that no command would ever finish.
const ROUNDS_MANY: u64 = 1 << 51;

/// Returns this number of bots of a plan.
fn bots(count: usize) -> Value {
    let bot = |number| json!({"name": format!("b{number}"), "command": "random", "files": []});
    (0..count).map(bot).collect()
}

/// Returns changes to fields of a plan. Most of them make the plan impossible.
fn plans() -> Vec<(&'static str, Value)> {
    let mut plans = vec![
        ("seats", json!(0)),
        ("seats", json!(3)),
        ("seats", json!(-1)),
        ("seats", json!(u64::MAX)),
        ("rounds", json!(u64::MAX)),
        ("rounds", json!(-1)),
        ("rounds", json!(ROUNDS_MANY)),
        ("rounds", json!(0)),
        ("seed", json!(u64::MAX)),
        ("seed", json!(1.5)),
        ("format", json!(1)),
        ("format", json!("1")),
        ("game", json!("chess")),
        ("limits", json!({})),
        ("swiss_rounds", json!(u64::MAX)),
        ("max_rounds", json!(u64::MAX)),
        ("challenger", json!("nobody")),
    ];
    plans.extend([0, 1, 2_000, 2_001, 100_000].map(|number| ("bots", bots(number))));
    plans.extend(["gauntlet", "swiss", "knockout", "ladder", "none"].map(|name| ("schedule", json!(name))));
    plans
}

#[test]
fn plans_that_cannot_be_are_refused_in_a_line() {
    let folder = scratch();
    let (sound, _) = scene(folder.path());
    for (number, (field, value)) in plans().into_iter().enumerate() {
        let dir = folder.path().join("changed");
        copy(&sound, &dir);
        let short: String = value.to_string().chars().take(40).collect();
        let is_endless = value == json!(ROUNDS_MANY);
        tamper(&dir, PLAN, |file| file[field] = value);
        let case = format!("{field} is {short}");
        reading(folder.path(), number, &case, "changed");
        if !is_endless {
            playing(folder.path(), number, &case, "changed");
        }
        fs::remove_dir_all(dir).expect("it is ours");
    }
}

#[test]
fn two_hundred_thousand_bots_at_tables_of_one_are_refused() {
    let folder = scratch();
    let (dir, _) = scene(folder.path());
    tamper(&dir, PLAN, |file| (file["bots"], file["seats"]) = (bots(200_000), json!(1)));
    let Output { status, stderr, .. } = arena(folder.path(), &["standings", "dir"]);
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.code() == Some(2) && stderr.contains("200000 bots are too many"), "{status}: {stderr}");
    ends(folder.path(), "many bots", &["report", "dir", "--out", "report.html"]);
    // The maximum number of bots.
    tamper(&dir, PLAN, |file| file["bots"].as_array_mut().expect("a list").truncate(2_000));
    fs::write(dir.join(JOURNAL), "").expect("a file");
    for format in ["table", "json"] {
        let Output { status, .. } = arena(folder.path(), &["standings", "dir", "--format", format]);
        assert!(status.success(), "{format}: {status}");
    }
}

#[test]
fn records_that_cannot_be_are_refused_in_a_line() {
    let folder = scratch();
    let (sound, _) = scene(folder.path());
    let changes = [
        ("/bots", json!([])),
        ("/bots", json!(vec!["one"; 100_000])),
        ("/match", json!(-1)),
        ("/match", json!(u64::MAX)),
        ("/round", json!(u64::MAX)),
        ("/seed", json!(u64::MAX)),
        ("/turns", json!([])),
        ("/turns/0/seat", json!(u64::MAX)),
        ("/turns/0/id", json!(u32::MAX)),
        ("/turns/0/us", json!(u64::MAX)),
        ("/turns/0/us", json!(-1)),
        ("/result/scores", json!([])),
        ("/result/ranks", json!([0, 0])),
        ("/result/scores", json!([i32::MAX, i32::MIN])),
        ("/game", json!("chess")),
        ("/digest", json!("x")),
    ];
    for (number, (place, value)) in changes.into_iter().enumerate() {
        let dir = folder.path().join("changed");
        copy(&sound, &dir);
        let case = format!("{place} is {}", value.to_string().chars().take(40).collect::<String>());
        tamper_lines(&dir, |record| *record.pointer_mut(place).expect("a record has it") = value.clone());
        reading(folder.path(), number, &case, "changed");
        playing(folder.path(), number, &case, "changed");
        fs::remove_dir_all(dir).expect("it is ours");
    }
}
