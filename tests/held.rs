//! A tournament plays with what its bots were when it began, whatever is saved, built, or removed meanwhile.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::contain::scene::holds;
use crate::program::tables::lines_in;
use crate::program::{is_again, passes_again, wait_until};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

/// Returns true if the sandbox of this machine can hold files.
pub(crate) fn can_hold() -> bool {
    holds("landlock") && holds("read-only")
}

/// A folder that another user can enter, too.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder")
}

/// The arena in this folder, with a store of its own.
fn command(here: &Path, args: &[&str]) -> Command {
    let mut command = crate::program::command();
    command.env("XDG_CACHE_HOME", here.join("cache")).env("XDG_STATE_HOME", here.join("state"));
    command.current_dir(here).args(args).stdin(Stdio::null());
    command
}

fn arena(here: &Path, args: &[&str]) -> Output {
    command(here, args).output().expect("the arena starts")
}

fn succeed(here: &Path, args: &[&str]) -> String {
    let output = arena(here, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A program that plays legally.
fn program() -> std::path::PathBuf {
    crate::program::fixture("misbehave")
}

fn digest(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("standings.json")).expect("tables");
    serde_json::from_str::<Value>(&text).expect("JSON")["digest"].clone()
}

fn append(path: &Path, text: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).expect("it is ours");
}

fn build(folder: &Path) {
    fs::copy(program(), folder.join("bot")).expect("a program");
}

/// What people and their tools do to the folder of a compiled bot, one after the other.
const DISTURBANCES: [fn(&Path); 8] = [
    |folder| append(&folder.join("bot.rs"), "// more\n"),
    |folder| append(&folder.join("README.md"), "more\n"),
    |folder| append(&folder.join("bot.log"), "more\n"),
    |folder| fs::write(folder.join("new.rs"), "").expect("it is ours"),
    // A compiler writes onto the program, as long as nobody executes the file.
    |folder| fs::write(folder.join("bot"), "half of a program").expect("nobody executes it"),
    |folder| {
        fs::remove_file(folder.join("bot")).expect("it is there");
        build(folder);
    },
    |folder| {
        fs::copy(program(), folder.join("next")).expect("a program");
        fs::rename(folder.join("next"), folder.join("bot")).expect("it is ours");
    },
    |folder| {
        fs::remove_dir_all(folder).expect("it is ours");
        fs::create_dir(folder).expect("its parent is there");
        build(folder);
    },
];

fn start(here: &Path, args: &[&str]) -> Child {
    let mut command = command(here, args);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the arena starts")
}

/// Runs these tests as an ordinary user. Needs root, and a test program that this user may read.
#[test]
fn files_are_held_for_an_ordinary_user() {
    if is_again() || !needs::NOBODY_STARTS_TESTS.is_met() {
        return;
    }
    let exe = std::env::current_exe().expect("a test has a file");
    passes_again(needs::as_nobody(exe).args([
        "held::what_is_saved",
        "held::no_bot",
        "held::what_is_too_large",
    ]));
}

#[test]
fn what_is_saved_built_or_removed_meanwhile_changes_no_match() {
    if !can_hold() {
        return;
    }
    let scratch = scratch();
    let here = scratch.path();
    let folder = here.join("q");
    fs::create_dir(&folder).expect("a folder");
    build(&folder);
    fs::write(folder.join("bot.rs"), "").expect("a file");
    let args = ["tournament", "--bot", "a=q/bot plain", "--bot", "b=q/bot wrong-data", "--game", "doodle"];
    let args = [&args[..], &["--rounds", "500", "--seed", "1", "--quiet", "--out"]].concat();
    succeed(here, &[&args[..], &["calm"]].concat());
    let journal = here.join("wild/matches.jsonl");
    let disturb = |child: &mut Child, from: usize| {
        for disturbance in DISTURBANCES.iter().cycle().skip(from).take(DISTURBANCES.len()) {
            let seen = lines_in(&journal);
            disturbance(&folder);
            wait_until("more matches are played", || {
                lines_in(&journal) >= seen + 10 || !matches!(child.try_wait(), Ok(None))
            });
        }
    };
    let mut child = start(here, &[&args[..], &["wild"]].concat());
    wait_until("matches are played", || lines_in(&journal) >= 10);
    disturb(&mut child, 0);
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    let seen = lines_in(&journal);
    assert!(seen < 500, "it was killed on the way");
    append(&folder.join("bot.rs"), "// while nobody plays\n");
    let mut child = start(here, &["tournament", "--resume", "--quiet", "--out", "wild"]);
    wait_until("more matches are played", || lines_in(&journal) > seen);
    disturb(&mut child, 3);
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("the files of \"a\"; \"b\" are others now"), "{stderr}");
    assert_eq!(digest(&here.join("calm")), digest(&here.join("wild")));
    succeed(here, &["replay", "wild", "--all", "--quiet"]);
}

/// One arena must not replace the copy with which the bots of another one play.
#[test]
fn arenas_that_begin_at_once_with_the_same_bot_share_its_copy() {
    if !can_hold() {
        return;
    }
    let scratch = scratch();
    let here = scratch.path();
    fs::create_dir(here.join("q")).expect("a folder");
    build(&here.join("q"));
    // Large files make the copies overlap.
    fs::write(here.join("q/data"), vec![1; 16 << 20]).expect("a file");
    let args = ["tournament", "--bot", "a=q/bot plain", "--bot", "greedy", "--game", "doodle"];
    let args = [&args[..], &["--rounds", "20", "--seed", "1", "--quiet", "--out"]].concat();
    let all = ["1", "2", "3", "4", "5", "6"].map(|out| start(here, &[&args[..], &[out]].concat()));
    for child in all {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let store = fs::read_dir(here.join("cache/quilt-arena/held")).expect("a store").flatten();
    assert_eq!(store.filter(|copy| copy.path().join("about.json").exists()).count(), 1);
}

/// The wait is a real minute, so this is for `.ci/run --full`.
#[test]
fn a_comparison_whose_folder_stays_away_stops_after_a_minute() {
    if !can_hold() || !needs::tries_all() {
        return;
    }
    let scratch = scratch();
    let here = scratch.path();
    fs::create_dir(here.join("q")).expect("a folder");
    build(&here.join("q"));
    let args = ["compare", "a=q/bot plain", "b=q/bot wrong-data", "--seed", "1", "--max-rounds", "400"];
    let args = [&args[..], &["--h1", "0.01", "--quiet", "--out"]].concat();
    let undecided = |output: Output| {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{stderr}");
    };
    undecided(arena(here, &[&args[..], &["calm"]].concat()));
    let journal = here.join("r/matches.jsonl");
    let child = start(here, &[&args[..], &["r"]].concat());
    wait_until("matches are played", || lines_in(&journal) >= 10);
    fs::rename(here.join("q"), here.join("away")).expect("it is ours");
    let begin = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(75), "{stderr}");
    assert!(begin.elapsed() >= Duration::from_secs(60), "{stderr}");
    assert!(stderr.contains("gone for 60 seconds"), "{stderr}");
    let go_on = stderr.split_once("continue with: arena ").expect(&stderr).1;
    fs::rename(here.join("away"), here.join("q")).expect("it is ours");
    let words: Vec<_> = go_on.split_whitespace().chain(["--quiet"]).collect();
    undecided(arena(here, &words));
    assert_eq!(digest(&here.join("calm")), digest(&here.join("r")));
}

/// Most people start the arena beside their bot, and the results lie there, too.
#[test]
fn a_bot_is_held_beside_its_results_and_alone_in_a_folder_of_others() {
    if !can_hold() {
        return;
    }
    let scratch = scratch();
    for (folder, bot, shared) in
        [("beside", "./bot", false), ("shared", "./bot", true), ("deeper", "../bot", false)]
    {
        let here = scratch.path().join(folder);
        let start_in = if folder == "deeper" { here.join("results") } else { here.clone() };
        fs::create_dir_all(&start_in).expect("a folder");
        build(&here);
        fs::write(here.join("other"), "").expect("a file");
        let mine = format!("a={bot} plain");
        let other = if shared { "b=sh other" } else { "b=greedy" };
        if shared {
            fs::write(here.join("other"), format!("exec {ARENA} bot greedy\n")).expect("a bot");
        }
        let args = ["tournament", "--game", "doodle", "--rounds", "80", "--quiet", "--out", "r", "--bot"];
        let mut child = start(&start_in, &[&args[..], &[&mine, "--bot", other]].concat());
        let journal = start_in.join("r/matches.jsonl");
        wait_until("matches are played", || {
            lines_in(&journal) >= 10 || !matches!(child.try_wait(), Ok(None))
        });
        fs::copy(program(), here.join("next")).expect("a program");
        append(&here.join("next"), "another build");
        fs::rename(here.join("next"), here.join("bot")).expect("it is ours");
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.is_empty(), "{folder}: {stderr}");
        let again = arena(&start_in, &["tournament", "--resume", "--out", "r", "--rounds", "81", "--quiet"]);
        let stderr = String::from_utf8_lossy(&again.stderr);
        assert!(again.status.success() && stderr.contains("--replace a"), "{folder}: {stderr}");
    }
}

/// Writes a bot in Python whose folder has files of all kinds.
fn write_bot(folder: &Path) {
    for path in [
        "mod.py",
        "node_modules/deep.py",
        "target/deep.py",
        ".hidden.py",
        "bin/deep.py",
        "data/x",
        "__pycache__/x.pyc",
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "V = 1\n").expect("a file");
    }
    for number in 0..300 {
        fs::write(folder.join(format!("data/{number}")), "").expect("a file");
    }
    fs::write(folder.join("bot"), format!("#!/bin/sh\nexec {ARENA} bot random\n")).expect("a bot");
    fs::set_permissions(folder.join("bot"), fs::Permissions::from_mode(0o755)).expect("it is ours");
}

#[test]
fn every_other_file_of_a_bot_is_told_below_the_table() {
    if !can_hold() {
        return;
    }
    let scratch = scratch();
    let here = scratch.path();
    let resume = ["tournament", "--resume", "--out", "r", "--quiet"];
    let rows: [(&str, bool); 11] = [
        ("mod.py", true),
        ("node_modules/deep.py", true),
        ("target/deep.py", true),
        (".hidden.py", true),
        ("bin/deep.py", true),
        ("queue.py", true),
        ("data/299", true),
        ("r2/tournament.json", false),
        (".git/HEAD", false),
        ("league.toml", false),
        ("__pycache__/x.pyc", false),
    ];
    for (path, is_told) in rows {
        let _ = fs::remove_dir_all(here.join("b"));
        let _ = fs::remove_dir_all(here.join("r"));
        fs::create_dir(here.join("b")).expect("a folder");
        write_bot(&here.join("b"));
        let args =
            ["tournament", "--bot", "b=b/bot", "--bot", "greedy", "--rounds", "1", "--quiet", "--out", "r"];
        succeed(here, &args);
        let changed = here.join("b").join(path);
        fs::create_dir_all(changed.parent().expect("a folder")).expect("a folder");
        fs::write(changed, "[[bot]]\nV = 2\n").expect("a file");
        let output = arena(here, &[&resume[..], &["--rounds", "2"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{path}: {stderr}");
        assert_eq!(stderr.contains("--replace b"), is_told, "{path}: {stderr}");
        let below = "Files changed since the beginning (--replace): b";
        assert_eq!(succeed(here, &["standings", "r"]).contains(below), is_told, "{path}");
    }
    // The next run has the new files, and knows it.
    fs::write(here.join("b/mod.py"), "V = 3\n").expect("a file");
    let output = arena(here, &[&resume[..], &["--rounds", "3", "--replace", "b"]].concat());
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(!succeed(here, &["standings", "r"]).contains("Files changed"));
    // Without the copy there is nothing to play with.
    fs::write(here.join("b/mod.py"), "V = 4\n").expect("a file");
    fs::remove_dir_all(here.join("cache/quilt-arena/held")).expect("a store");
    let output = arena(here, &[&resume[..], &["--rounds", "4"]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("bot \"b\": its file") && stderr.contains("--replace b"), "{stderr}");
}

#[test]
fn each_changed_bot_of_a_comparison_is_named_and_replaced() {
    if !can_hold() {
        return;
    }
    let scratch = scratch();
    let here = scratch.path();
    for bot in ["a", "b"] {
        fs::create_dir(here.join(bot)).expect("a folder");
        write_bot(&here.join(bot));
    }
    let args = ["compare", "a=a/bot", "b=b/bot", "--seed", "1", "--max-rounds", "8", "--quiet", "--out", "r"];
    let status = |args: &[&str]| {
        let output = arena(here, args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!([Some(0), Some(1), Some(3)].contains(&output.status.code()), "{args:?}: {stderr}");
        stderr
    };
    status(&args);
    for bot in ["a", "b"] {
        append(&here.join(bot).join("mod.py"), "V = 2\n");
    }
    let resume = ["compare", "--resume", "--quiet", "--out", "r"];
    let stderr = status(&[&resume[..], &["--max-rounds", "10"]].concat());
    assert!(stderr.contains("arena compare --resume --out r --replace a --replace b"), "{stderr}");
    let stderr = status(&[&resume[..], &["--replace", "a"]].concat());
    assert!(!stderr.contains("--replace a") && stderr.contains("--replace b"), "{stderr}");
    assert!(here.join("r/replaced-1.jsonl").exists());
}

#[test]
fn what_is_too_large_to_copy_is_shown_as_it_is_and_watched() {
    if !can_hold() {
        return;
    }
    let scratch = scratch();
    let here = scratch.path();
    let folder = here.join("b");
    fs::create_dir_all(folder.join("large")).expect("a folder");
    for number in 0..4_100 {
        fs::write(folder.join(format!("large/{number}")), "").expect("a file");
    }
    let script = format!("#!/bin/sh\n[ -e b/large/7 ] && exec {ARENA} bot random\n");
    fs::write(folder.join("bot"), script).expect("a bot");
    fs::set_permissions(folder.join("bot"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let args =
        ["tournament", "--bot", "b=b/bot", "--bot", "greedy", "--rounds", "100000", "--quiet", "--out", "r"];
    let child = start(here, &args);
    let journal = here.join("r/matches.jsonl");
    wait_until("matches are played", || lines_in(&journal) >= 3);
    append(&folder.join("bot"), "# held\n");
    let seen = lines_in(&journal);
    wait_until("more matches are played", || lines_in(&journal) >= seen + 3);
    fs::write(folder.join("large/new"), "").expect("a file");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("b/large/new of bot \"b\" has changed: its matches from"), "{stderr}");
}

/// Where files cannot be held, they are watched, and the table says so.
#[test]
fn bots_that_are_not_held_are_named_below_the_table() {
    let scratch = scratch();
    let here = scratch.path();
    fs::create_dir(here.join("b")).expect("a folder");
    write_bot(&here.join("b"));
    fs::write(here.join("cache"), "no folder").expect("a file");
    let args = ["tournament", "--bot", "b=b/bot", "--bot", "greedy", "--rounds", "1", "--quiet"];
    let is_told = |output: &Output| {
        let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert!(output.status.success() && said[0].contains("Files watched, not held: b\n"), "{said:?}");
    };
    is_told(&arena(here, &args));
    if !needs::MOUNTS.is_met() {
        return;
    }
    fs::remove_file(here.join("cache")).and_then(|()| fs::create_dir(here.join("cache"))).expect("a folder");
    fs::write(here.join("b/large"), vec![1; 1 << 20]).expect("a file");
    // No program may start there, and there is no space.
    for options in ["noexec", "size=256k"] {
        let mut run = Command::new("unshare");
        let text = format!("mount -t tmpfs -o {options} tmpfs cache || exit 99; exec \"$0\" \"$@\"");
        run.args(["--mount", "sh", "-c", &text, ARENA]).args(args).current_dir(here);
        run.env("XDG_CACHE_HOME", here.join("cache")).env("XDG_STATE_HOME", here.join("state"));
        is_told(&run.stdin(Stdio::null()).output().expect("there is unshare"));
    }
}

/// A bot finds its own copy in its own place. It can change no copy, and read none of another bot.
#[test]
fn no_bot_reads_or_changes_what_is_held() {
    if !can_hold() {
        return;
    }
    let scratch = scratch();
    let here = scratch.path();
    for (bot, file) in [("a", "own"), ("b", "secret")] {
        fs::create_dir(here.join(bot)).expect("a folder");
        fs::write(here.join(bot).join(file), bot).expect("a file");
    }
    let store = here.join("cache/quilt-arena/held");
    let script = format!(
        "#!/bin/sh\n\
         cat {0}/*/0/secret b/secret && exit 3\n\
         ls {0} && exit 4\n\
         for own in a {0}/*/0; do\n\
           echo x >$own/own || echo x >$own/new || mkdir $own/m || mv $own/own $own/x && exit 5\n\
         done\n\
         umount a && exit 6\n\
         [ \"$(cat a/own)\" = a ] && [ ! -e a/new ] || exit 7\n\
         exec {ARENA} bot random\n",
        store.display()
    );
    for bot in ["a", "b"] {
        fs::write(here.join(bot).join("bot"), &script).expect("a bot");
        fs::set_permissions(here.join(bot).join("bot"), fs::Permissions::from_mode(0o755))
            .expect("it is ours");
    }
    // The copy of the other bot is in the store before.
    fs::write(here.join("b/bot"), format!("#!/bin/sh\nexec {ARENA} bot random\n")).expect("a bot");
    let args = ["tournament", "--bot", "a=a/bot", "--bot", "b=b/bot", "--rounds", "2", "--quiet", "--out"];
    succeed(
        here,
        &["tournament", "--bot", "b=b/bot", "--bot", "greedy", "--rounds", "1", "--quiet", "--out", "b1"],
    );
    for (out, level) in [("one", "auto"), ("two", "strict")] {
        if level == "strict" && !arena(here, &["doctor", "--contain", "strict"]).status.success() {
            continue;
        }
        let output = arena(here, &[&args[..], &[out, "--contain", level]].concat());
        assert!(output.status.success(), "{level}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let copies = fs::read_dir(&store).expect("a store").flatten();
    assert!(copies.filter(|copy| copy.path().join("0/secret").exists()).count() == 1, "both bots are held");
    let of_a = fs::read_dir(&store)
        .expect("a store")
        .flatten()
        .filter_map(|copy| fs::read(copy.path().join("0/own")).ok());
    assert_eq!(of_a.collect::<Vec<_>>(), [b"a"]);
}
