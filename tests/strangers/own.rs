//! Results that the arena has made itself, and what makes them a stranger's: another place, other bytes, no key.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::contain::scene::holds;
use crate::program::{command, send};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

/// A bot outside of the working folder, for which a stranger's results need `--trust`.
struct Scene {
    folder: TempDir,
    here: PathBuf,
    bot: String,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
        let here = folder.path().join("here");
        fs::create_dir_all(&here).expect("a folder");
        let tool = folder.path().join("tools/bot");
        fs::create_dir_all(folder.path().join("tools")).expect("a folder");
        fs::write(&tool, format!("#!/bin/sh\nexec {ARENA} bot random\n")).expect("a bot");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("it is ours");
        Scene { bot: format!("mine={}", tool.display()), folder, here }
    }

    /// Runs the arena of a user who can write a key.
    fn arena(&self, args: &[&str]) -> Output {
        let mut arena = command();
        arena.env("XDG_STATE_HOME", self.folder.path().join("own-states")).args(args).current_dir(&self.here);
        arena.output().expect("the arena starts")
    }

    fn succeed(&self, args: &[&str]) {
        let output = self.arena(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn play(&self, out: &str, more: &[&str]) {
        let args = ["tournament", "--quiet", "--seed", "1234567890123456", "--rounds", "1", "--out", out];
        self.succeed(&[&args[..], &["--bot", &self.bot, "--bot", "greedy"], more].concat());
    }

    /// Runs both commands that start the bots of a directory.
    fn start_again(&self, dir: &str) -> [Output; 2] {
        let resume = ["tournament", "--quiet", "--resume", "--rounds", "2", "--out", dir];
        [&["rerun", dir, "--match", "0"][..], &resume].map(|args| self.arena(args))
    }

    fn is_refused(&self, dir: &str) {
        for output in self.start_again(dir) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{dir}: {stderr}");
            assert!(stderr.contains("--trust"), "{dir}: {stderr}");
        }
    }

    fn is_trusted(&self, dir: &str) {
        for output in self.start_again(dir) {
            assert!(output.status.success(), "{dir}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// Returns true if this system keeps the key from bots.
fn keeps_keys() -> bool {
    holds("landlock") && (!rustix::process::getuid().is_root() || holds("own-user"))
}

#[test]
fn own_results_go_on_without_questions_and_sent_ones_do_not() {
    let scene = Scene::new();
    scene.play("out", &[]);
    if !keeps_keys() {
        return scene.is_refused("out");
    }
    scene.is_trusted("out");
    // Results outside of the working folder.
    scene.play("../elsewhere", &[]);
    scene.is_trusted("../elsewhere");
    // A copy, and a directory that has moved.
    let copy = Command::new("cp").args(["-r", "out", "copy"]).current_dir(&scene.here).status();
    assert!(copy.expect("cp starts").success());
    scene.is_refused("copy");
    fs::rename(scene.here.join("out"), scene.here.join("moved")).expect("it is ours");
    scene.is_refused("moved");
    // What the user trusts once is known from then on.
    scene.succeed(&["tournament", "--quiet", "--resume", "--rounds", "3", "--out", "moved", "--trust"]);
    scene.succeed(&["tournament", "--quiet", "--resume", "--rounds", "4", "--out", "moved"]);
    scene.play("sent", &[]);
    send(&scene.here.join("sent"));
    scene.is_refused("sent");
    // A bot without a sandbox could have read the key.
    scene.play("off", &["--contain", "off"]);
    let plan = fs::read_to_string(scene.here.join("off/tournament.json")).expect("a plan");
    assert!(!plan.contains("\"tag\""), "{plan}");
    scene.is_refused("off");
}

#[test]
fn changed_bytes_and_another_key_make_a_tag_worthless() {
    let scene = Scene::new();
    scene.play("out", &[]);
    if !keeps_keys() {
        return;
    }
    let path = scene.here.join("out/tournament.json");
    let text = fs::read_to_string(&path).expect("a plan");
    let (plan, tag) = text.rsplit_once("\"tag\": \"").expect("a tag");
    let other = if tag.starts_with('0') { "1" } else { "0" };
    for changed in [
        text.replacen("\"host\": {", "\"host\":  {", 1),
        format!("{plan}\"tag\": \"{other}{}", &tag[1..]),
        format!("{plan}\"tag\": \"\"\n}}\n"),
        format!("{plan}\"tag\": \"{}\"\n}}\n", "ä".repeat(32)),
        text.trim_end().to_owned(),
    ] {
        fs::write(&path, changed).expect("it is ours");
        scene.is_refused("out");
    }
    fs::write(&path, &text).expect("it is ours");
    for (key, mode) in [(&[7; 32][..], 0o600), (&[7; 32], 0o644), (b"short", 0o600)] {
        let states = scene.folder.path().join("states");
        fs::create_dir_all(states.join("quilt-arena")).expect("a folder");
        let file = states.join("quilt-arena/key");
        fs::write(&file, key).expect("a key");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
        let mut again = command();
        again.env("XDG_STATE_HOME", &states).args(["rerun", "out", "--match", "0"]).current_dir(&scene.here);
        assert_eq!(again.output().expect("the arena starts").status.code(), Some(2));
    }
    scene.is_trusted("out");
}

/// Returns the arena with its key in this folder, as root or as an ordinary user.
fn arena_of(user: &str, home: &Path) -> Command {
    let mut command = if user == "root" { Command::new("env") } else { needs::as_nobody("env") };
    command.args(["-u", "XDG_STATE_HOME"]).arg(format!("HOME={}", home.display())).arg(ARENA);
    command.current_dir(home);
    command
}

#[test]
fn no_bot_reads_the_key_whatever_it_may_read() {
    let users = match rustix::process::getuid().is_root() {
        true if needs::NOBODY_STARTS_TESTS.is_met() => &["root", "nobody"][..],
        _ => &["root"],
    };
    for user in users {
        let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
        let home = folder.path();
        fs::set_permissions(home, fs::Permissions::from_mode(0o777)).expect("it is ours");
        fs::write(home.join("notes"), "for all").expect("a file");
        let key = home.join(".local/state/quilt-arena/key");
        let [key_text, home_text] = [&key, &home.to_owned()].map(|path| path.display().to_string());
        let run = |args: &[&str]| {
            let output = arena_of(user, home).args(args).output().expect("the arena starts");
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let play = ["tournament", "--quiet", "--rounds", "1", "--out", "out"];
        let (played, stderr) = run(&play);
        assert!(played, "{stderr}");
        if !keeps_keys() {
            return;
        }
        let mode = fs::metadata(&key).expect("a key").permissions().mode();
        assert_eq!((mode & 0o777, fs::metadata(&key).expect("a key").len()), (0o600, 32), "{user}");
        let states = home.join(".local/state").display().to_string();
        for read in [&home_text, &states, &key_text, &format!("{states}/quilt-arena")] {
            let script = format!("cat {home_text}/not\"es\""); // not as a word that names the file
            let (notes, stderr) = run(&["run", "--read", read, "--", "sh", "-c", &script]);
            assert_eq!(notes, *read == home_text, "{user} {read}: {stderr}");
            let (secret, stderr) = run(&["run", "--read", read, "--", "cat", &key_text]);
            assert!(!secret && stderr.contains("ermission denied"), "{user} {read}: {stderr}");
        }
        let (secret, _) = run(&["run", "--", "sh", "-c", &format!("cat {key_text}"), &key_text]);
        assert!(!secret, "{user}: a bot names it");
        for write in [&states, &format!("{states}/quilt-arena")] {
            let (written, stderr) = run(&["run", "--write", write, "--", "true"]);
            assert!(!written && stderr.contains("the arena keeps a key there"), "{user} {write}: {stderr}");
        }
        // A bot that lives beside it does not see it, and neither does one that was given the folder as its own.
        for dir in [&states, &format!("{states}/quilt-arena")] {
            fs::write(home.join("spy.toml"), format!(
                "[tournament]\nrounds = 1\n[[bot]]\nname = \"spy\"\ncommand = \"sh -c 'cat key quilt-arena/key >&2; exec {ARENA} bot random'\"\n\
                 dir = \"{dir}\"\n[[bot]]\ncommand = \"random\"\n"
            )).expect("a league file");
            let out = if dir.ends_with("state") { "beside" } else { "inside" };
            let (_, stderr) = run(&["tournament", "spy.toml", "--quiet", "--keep-stderr", "--out", out]);
            let said = fs::read_to_string(home.join(out).join("stderr/spy.log")).unwrap_or(stderr);
            let is_denied = said.contains("ermission denied") || said.contains("No such file");
            assert!(is_denied, "{user} {dir}: {said}");
        }
    }
}

/// The key of a user can have more names than its own, and a folder with the keys of others may be allowed.
/// What was read of results is as closed as they are, at the usual place and elsewhere, whatever folder is opened.
#[test]
fn no_bot_reads_what_was_read_of_results() {
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let home = folder.path();
    if !holds("landlock") {
        return;
    }
    for cache in [".cache/quilt-arena", "mine/quilt-arena"].map(|path| home.join(path)) {
        fs::create_dir_all(&cache).expect("a folder");
        fs::write(cache.join("counts"), "who leads").expect("a file");
    }
    fs::write(home.join("own"), "mine").expect("a file");
    let levels =
        ["auto", "strict"].into_iter().flat_map(|level| ["--read", "--write"].map(|allow| (level, allow)));
    for (level, allow) in levels {
        for (opened, read) in [
            ("", "own"),
            ("", ".cache/quilt-arena/counts"),
            (".cache", ".cache/quilt-arena/counts"),
            ("mine", "mine/quilt-arena/counts"),
        ] {
            let mut arena = command();
            arena.env("HOME", home).env("XDG_CACHE_HOME", home.join("mine")).current_dir(home);
            arena.args(["run", "--contain", level, allow]).arg(home.join(opened)).arg("--");
            let output = arena.arg("cat").arg(home.join(read)).output().expect("the arena starts");
            // A writable folder around it is refused.
            let expected: &[u8] = if read == "own" && allow == "--read" { b"mine" } else { b"" };
            assert_eq!(output.stdout, expected, "{level} {allow} {opened} {read}: {output:?}");
        }
    }
}

#[test]
fn no_bot_reads_a_key_by_another_name_or_place_or_of_another_user() {
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let home = folder.path();
    let play = ["tournament", "--quiet", "--rounds", "1", "--out", "out"];
    assert!(arena_of("root", home).args(play).output().expect("the arena starts").status.success());
    if !keeps_keys() || !holds("landlock") {
        return;
    }
    let key = home.join(".local/state/quilt-arena/key");
    let secret = fs::read(&key).expect("a key");
    let text = |path: &Path| path.display().to_string();
    let is_read = |arena: &mut Command, path: &Path| {
        let output = arena.arg("--").arg("cat").arg(path).output().expect("the arena starts");
        assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout == secret
    };
    let levels =
        ["auto", "strict"].into_iter().flat_map(|level| ["--read", "--write"].map(|allow| (level, allow)));
    for (level, allow) in levels.clone() {
        let args = ["run", "--contain", level, allow];
        // Another arena of this user has another folder for states, and one of another user has another home.
        let mut elsewhere = command();
        elsewhere.env("HOME", home).env("XDG_STATE_HOME", home.join("other")).current_dir(home);
        elsewhere.args(args).arg(home);
        assert!(!is_read(&mut elsewhere, &key), "{args:?} with other states");
        fs::create_dir_all(home.join("other")).expect("a folder");
        let mut other = arena_of("root", &home.join("other"));
        other.args(args).arg(home);
        assert!(!is_read(&mut other, &key), "{args:?} of another user");
    }
    if needs::MOUNTS.is_met() {
        let bound = home.join("bound here");
        fs::create_dir(&bound).expect("a folder");
        for (level, allow) in levels {
            let line = format!(
                "mount --bind '{0}/.local' '{1}' && exec '{ARENA}' run --contain {level} {allow} '{1}' -- cat '{1}/state/quilt-arena/key'",
                text(home),
                text(&bound)
            );
            let mut shell = Command::new("unshare");
            shell
                .args(["--mount", "sh", "-c", &line])
                .env("HOME", home)
                .env_remove("XDG_STATE_HOME")
                .current_dir(home);
            let output = shell.output().expect("a shell");
            assert!(!output.status.success() && output.stdout != secret, "{level} {allow}");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("ermission denied") || said.contains("keeps a key there"), "{said}");
        }
    }
    let shared = home.join("shared");
    fs::hard_link(&key, &shared).expect("a link");
    let mut arena = arena_of("root", home);
    assert!(!is_read(arena.args(["run", "--read"]).arg(home), &shared));
    let refused = arena_of("root", home).args(["run", "--", "true"]).output().expect("the arena starts");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains("key has another name, under which a bot may read it; remove one of them"),
        "{said}"
    );
    fs::remove_file(&shared).expect("it is there");
    assert!(arena_of("root", home).args(["run", "--", "true"]).status().expect("the arena starts").success());
}
