//! Rights that the user grants with options, and messages about blocked actions.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Output, Stdio};

use tempfile::TempDir;

use crate::contain::scene::holds;
use crate::program::{arena, succeed};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");
/// Exit status of a shell for a command that SIGKILL ended.
const KILLED: i32 = 128 + 9;

/// Creates folders that bots could read and write without a sandbox. `own` contains the bots.
fn scene() -> TempDir {
    let scene = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    for folder in ["own", "data", "kept"] {
        fs::create_dir(scene.path().join(folder)).expect("a folder");
    }
    fs::write(scene.path().join("data/net"), "weights").expect("a file");
    scene
}

fn path(scene: &TempDir, name: &str) -> String {
    scene.path().join(name).to_str().expect("UTF-8").to_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the arena, expects it to fail with these words, and returns its stderr.
fn fails(folder: &Path, args: &[&str], words: &str) -> String {
    let output = arena(folder, args);
    let said = stderr(&output);
    assert!(output.status.code() == Some(2) && said.contains(words), "{said}");
    said
}

#[test]
fn a_command_runs_with_the_streams_and_the_status_of_the_arena() {
    let scene = scene();
    let mut command = crate::program::command();
    command.current_dir(&scene).args(["run", "--", "sh", "-c", "cat; echo problem >&2; exit 7"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the arena starts");
    child.stdin.take().expect("it is piped").write_all(b"words\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"words\n"[..], &b"problem\n"[..]));
    assert_eq!(arena(scene.path(), &["run", "--", "sh", "-c", "kill -9 $$"]).status.code(), Some(KILLED));
    fails(scene.path(), &["run", "--", "/no/such/program"], "there is no file");
}

/// Nothing in its environment or its limits depends on who starts a bot.
#[test]
fn a_bot_is_nobody_in_particular() {
    let scene = scene();
    let mut command = crate::program::command();
    command.current_dir(&scene).env("LANG", "de_AT.ISO-8859-1").env("USER", "anna").env("LOGNAME", "anna");
    let seen = command.args(["run", "--", "sh", "-c", "echo $LANG $USER $LOGNAME; ulimit -n"]).output();
    let seen = String::from_utf8_lossy(&seen.expect("the arena starts").stdout).into_owned();
    assert_eq!(seen, "C.UTF-8 bot bot\n256\n");
}

/// Wrappers that ask for something for the program behind them are of no effect, and the program starts. What a runtime
/// asks for itself succeeds.
#[test]
fn harmless_requests_for_oneself_succeed() {
    let scene = scene();
    let runs = |words: &[&str]| {
        let output = arena(scene.path(), &[&["run", "--"][..], words].concat());
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let wrappers = "nice -n 5|taskset -c 0|ionice -c 3|setsid -w|timeout 60|flock $TMPDIR/lock";
    for wrapper in wrappers.split('|') {
        let program = wrapper.split(' ').next().expect("a program");
        if needs::programs(&[program]).is_ok() {
            runs(&["sh", "-c", &format!("exec {wrapper} true")]);
        }
    }
    let piped = "mkfifo $TMPDIR/fifo && { echo through >$TMPDIR/fifo & } && cat $TMPDIR/fifo";
    assert_eq!(runs(&["sh", "-c", piped]), "through\n");
    let output = arena(scene.path(), &["run", "--", "sh", "-c", "mkfifo fifo || mknod $TMPDIR/null c 1 3"]);
    assert!(!output.status.success(), "outside of scratch, and a device");
    assert!(!scene.path().join("fifo").exists());
}

/// With a network, a bot reads what names hosts and services. Without one it needs none of it.
#[test]
fn only_who_has_the_network_reads_the_names_of_hosts() {
    let scene = scene();
    let reads = |options: &[&str], file: &str| {
        let command = [&["run"][..], options, &["--", "cat", file]].concat();
        arena(scene.path(), &command).status.success()
    };
    let [hosts, other] = ["/etc/hosts", "/etc/fstab"];
    if Path::new(hosts).exists() {
        assert!(reads(&["--network"], hosts));
        let has_landlock = Path::new(other).exists() && !reads(&["--network"], other);
        assert!(!has_landlock || !reads(&[], hosts));
    }
}

#[test]
fn a_command_ends_with_its_time_and_when_a_folder_grows_too_much() {
    let scene = scene();
    fs::create_dir(scene.path().join("out")).expect("a folder");
    fs::write(scene.path().join("out/old"), vec![1; 1 << 20]).expect("a file");
    let run = |more: &[&str], script: &str| {
        let line = [&["run", "--write", "out"], more, &["--", "sh", "-c", script]].concat();
        let output = arena(scene.path(), &line);
        (output.status.code(), stderr(&output))
    };
    let (status, said) = run(&["--time", "100ms"], "sleep 600");
    assert!(status == Some(75) && said.contains("it ran for more than 100ms"), "{said}");
    // What a build leaves belongs to the owner of its folder, also if its time is over.
    let build = ["run", "--time", "1s", "--build", "out", "--", "sh", "-c", "echo > new; sleep 600"];
    let said = stderr(&arena(scene.path(), &build));
    assert!(said.contains("it ran for more than 1s"), "{said}");
    let [own, new] =
        ["out", "out/new"].map(|path| fs::metadata(scene.path().join(path)).expect("it is there").uid());
    assert_eq!(own, new);
    let (status, said) = run(&["--time", "10min"], "echo done > out/done");
    assert!(status == Some(0) && scene.path().join("out/done").exists(), "{said}");
    let fill =
        "i=0; while [ $i -lt 600 ]; do i=$((i+1)); head -c 65536 /dev/zero > out/$i || exit; done; sleep 600";
    let (status, said) = run(&["--scratch", "16MiB"], fill);
    assert!(status == Some(75) && said.contains("it exceeded its memory or disk limit"), "{status:?} {said}");
    let written = fs::read_dir(scene.path().join("out")).expect("a folder").count();
    assert!((200..602).contains(&written), "{written}");
}

#[test]
fn the_folder_in_which_a_command_starts_can_be_written_by_relative_names() {
    let scene = scene();
    for write in [".", "in"] {
        fs::create_dir_all(scene.path().join("in")).expect("a folder");
        let script = format!("echo x > {write}/new && cat {write}/new");
        let output = arena(scene.path(), &["run", "--write", write, "--", "sh", "-c", &script]);
        assert_eq!(output.stdout, b"x\n", "{}", stderr(&output));
    }
}

#[test]
fn what_is_allowed_can_be_read_and_written_and_nothing_else() {
    if !holds("landlock") {
        return;
    }
    let scene = scene();
    let (data, kept) = (&path(&scene, "data")[..], &path(&scene, "kept")[..]);
    let runs = |options: &[&str], script: &str| {
        // A text for a shell would name the files.
        fs::write(scene.path().join("own/run.sh"), script).expect("a script");
        let args = [&["run"], options, &["--", "sh", "run.sh"]].concat();
        arena(&scene.path().join("own"), &args).status.success()
    };
    let read = format!("cat {data}/net");
    let write = format!("echo note >>{kept}/log && mkdir -p {kept}/more && cat {kept}/log");
    assert!(!runs(&[], &read) && !runs(&[], &write));
    assert!(runs(&["--read", data], &read));
    assert!(!runs(&["--read", data], &format!("echo x >{data}/new")), "what may be read may not be written");
    assert!(!runs(&["--read", kept], &write));
    assert!((0..2).all(|_| runs(&["--write", kept], &write)), "it is there the next time");
    assert_eq!(fs::read_to_string(format!("{kept}/log")).expect("it was written"), "note\nnote\n");
    for elsewhere in [format!("{kept}/../new"), format!("{data}/new"), "new".to_owned()] {
        assert!(!runs(&["--write", kept], &format!("echo x >{elsewhere}")), "{elsewhere}");
    }
    for (options, words) in
        [(["--read", "nowhere"], "No such file"), (["--write", "/dev/null"], "not a folder")]
    {
        fails(scene.path(), &[&["run"], &options[..], &["--", "true"]].concat(), words);
    }
}

/// The message names the path and the option, and with the option the bot plays.
#[test]
fn what_was_blocked_is_named_with_the_option_that_allows_it() {
    if !holds("landlock") || !needs::TRACES.is_met() {
        return;
    }
    let scene = scene();
    let [net, kept, own] = ["data/net", "kept", "own"].map(|name| path(&scene, name));
    let bot = |first: &str, name: &str| {
        let script = format!("{first} || exit 3\nexec {ARENA} bot random\n");
        fs::write(scene.path().join("own").join(name), script).expect("a file");
        format!("mine=sh own/{name}")
    };
    let what = "the sandbox refused it";
    for (first, words, option, folder) in [
        (
            format!("cat {net} >&2"),
            format!("{what} reading data/net: with --read data/net it answers"),
            "--read",
            &net,
        ),
        (format!("echo x >>{kept}/log"), format!("{what} writing kept/log: --write kept"), "--write", &kept),
        (
            "echo x >>own/log.txt".to_owned(),
            format!("{what} writing own/log.txt: --write own"),
            "--write",
            &own,
        ),
    ] {
        let bot = bot(&first, "bot.sh");
        let play = ["match", "--quiet", "--seed", "1234567890123456", "--bot", &bot, "--bot", "greedy"];
        let message = fails(scene.path(), &play, &words);
        assert!(option == "--read" || message.contains("opens it (not tried)"), "{message}");
        succeed(scene.path(), &[&play[..], &[option, folder.as_str()]].concat());
    }
}

/// A bot may print anything, and may open any path to learn if it is there. The arena asks the kernel what was refused, and
/// names no path that is hidden, of others, or missing, and none to bots of strangers.
#[test]
fn the_arena_does_not_vouch_for_what_a_bot_prints() {
    if !holds("landlock") || !needs::TRACES.is_met() {
        return;
    }
    let scene = scene();
    let net = path(&scene, "data/net");
    fs::create_dir_all(scene.path().join("other")).expect("a folder");
    fs::create_dir_all(scene.path().join("data/.git")).expect("a folder");
    fs::write(scene.path().join("data/.git/config"), "").expect("a file");
    fs::write(scene.path().join("other/bot.sh"), format!("exec {ARENA} bot random\n")).expect("a file");
    let after = |script: String, how: &str| {
        fs::write(scene.path().join("own/bot.sh"), script).expect("a file");
        let bots = ["--bot", "mine=sh own/bot.sh", "--bot", "other=sh other/bot.sh"];
        let said = fails(scene.path(), &[&["match", "--quiet", "--contain", how], &bots[..]].concat(), "");
        said.split_once("hint: ").map_or(String::new(), |(_, hint)| hint.to_owned())
    };
    let [other, hidden, missing] =
        ["other/bot.sh", "data/.git/config", "data/none"].map(|name| path(&scene, name));
    let levels = if holds("read-only") { &["auto", "strict"][..] } else { &["auto"] };
    for how in levels {
        for file in [&net, &other, &hidden, &missing, "/root/.ssh/id_rsa"] {
            let claim = format!("echo \"PermissionError: Permission denied: '{file}'\" >&2\nexit 3\n");
            let hint = after(claim, how);
            assert!(!hint.contains(file) && !hint.contains("refused"), "{how} {file}: {hint}");
            let hint = after(format!("cat {file} >/dev/null\nexit 3\n"), how);
            assert_eq!(hint.contains("reading "), *how == "auto" && *file == net, "{how} {file}: {hint}");
        }
    }
}

/// Plays a match with this bot, and returns the hint about its start with `FOLDER` in the place of the scene.
fn refusal(scene: &TempDir, bots: &[&str], options: &[&str], variable: (&str, &str)) -> String {
    let bots = bots.iter().flat_map(|bot| ["--bot", bot]);
    let mut command = crate::program::command();
    command.current_dir(scene).args(["match", "--quiet", "--width", "1000"]).args(options).args(bots);
    let output = command.env(variable.0, variable.1).stdin(Stdio::null()).output().expect("the arena starts");
    let folder = scene.path().canonicalize().expect("it is there").display().to_string();
    let text = stderr(&output).replace(&folder, "FOLDER");
    assert!(text.contains("error: bot \"mine\" cannot start: exit: it exited"), "{text}");
    text.lines().find_map(|line| line.strip_prefix("  hint: ")).unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn a_folder_that_is_closed_to_the_bot_is_named_with_the_reason() {
    if !holds("landlock") || !needs::TRACES.is_met() {
        return;
    }
    let scene = scene();
    fs::write(scene.path().join("own/helper"), "").expect("a file");
    for bot in ["bot.sh", "old.sh"] {
        fs::write(scene.path().join("own").join(bot), "cat own/helper >&2 || exit 3\n").expect("a bot");
    }
    let own = path(&scene, "own");
    let closed = |reason: &str| {
        let what = format!("the sandbox refused it the folder own, because {reason}");
        format!("{what}: move the bot into a folder of its own")
    };
    let bots = ["mine=sh own/bot.sh", "greedy"];
    let home = closed("it is your home");
    for level in ["auto", "strict"] {
        let is_missing = level == "strict" && !holds("read-only");
        assert!(is_missing || refusal(&scene, &bots, &["--contain", level], ("HOME", &own)) == home);
    }
    let temporary = closed("a home, or a folder for temporary files, lies in it");
    fs::create_dir(scene.path().join("own/tmp")).expect("a folder");
    assert_eq!(refusal(&scene, &bots, &[], ("TMPDIR", &format!("{own}/tmp"))), temporary);
    let shared = closed("files of other bots, or results, lie in it");
    assert_eq!(refusal(&scene, &["mine=sh own/bot.sh", "old=sh own/old.sh"], &[], ("A", "b")), shared);
    fs::write(scene.path().join("data/tournament.json"), "").expect("a file");
    fs::write(scene.path().join("data/bot.sh"), "cat data/net >&2 || exit 3\n").expect("a bot");
    let results = refusal(&scene, &["mine=sh data/bot.sh", "greedy"], &[], ("A", "b"));
    assert_eq!(results, shared.replace("folder own", "folder data"));
}

#[test]
fn a_package_that_names_no_file_gets_its_folder_in_one_step() {
    if !holds("landlock") || !needs::TRACES.is_met() {
        return;
    }
    let scene = scene();
    fs::write(scene.path().join("package"), format!("exec {ARENA} bot random\n")).expect("a file");
    // As npm does, one launcher says nothing; as make does, the other names one file.
    for launcher in
        ["sh -c 'p=age; . ./pack$p 2>/dev/null || exit 243'", "sh -c 'p=age; cat pack$p >&2 && . ./pack$p'"]
    {
        let bot = format!("mine={launcher}");
        let message = refusal(&scene, &[&bot, "greedy"], &[], ("A", "b"));
        let what = "the sandbox refused it reading .: with --read . it answers";
        assert_eq!(message, what, "{launcher}");
        succeed(scene.path(), &["match", "--quiet", "--read", ".", "--bot", &bot, "--bot", "greedy"]);
    }
}

#[test]
fn a_data_file_beside_the_bot_is_found_there_under_every_level() {
    if !needs::TRACES.is_met() {
        return;
    }
    let scene = scene();
    for (bot, file) in [("bot.sh", "net.bin"), ("later.sh", "data/net.bin")] {
        fs::create_dir_all(scene.path().join("own/data")).expect("a folder");
        fs::write(scene.path().join("own").join(file), "").expect("a file");
        fs::write(scene.path().join("own").join(bot), format!("cat {file} >&2 || exit 3\n")).expect("a bot");
        let bot = format!("mine=sh own/{bot}");
        for level in ["off", "auto"] {
            let message = refusal(&scene, &[&bot, "greedy"], &["--contain", level], ("A", "b"));
            let what = "is in the bot's folder, and bots start in your folder, not in theirs";
            assert_eq!(message, format!("{file} {what}: open it by the path of the program's own file"));
        }
    }
}

/// Pools, locks, and memory with names, in the forms in which Python's library makes them.
const SHARED: &str = r#"
import fcntl, glob, multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory
if __name__ == "__main__":
    assert not os.path.exists("/dev/shm/HOST"), "it sees the host's"
    multiprocessing.Lock()
    assert sum(ProcessPoolExecutor(2).map(abs, [-1, -2])) == 3
    block = shared_memory.SharedMemory(create=True, size=100, name="quilt-test")
    assert os.path.exists("/dev/shm/quilt-test")
    block.close()
    block.unlink()
    os.execv(sys.argv[1], [sys.argv[1], "bot", "random"])
"#;

#[test]
fn process_pools_named_locks_and_shared_memory_work_where_the_sandbox_mounts() {
    if !needs::PYTHON.is_met() || !holds("read-only") {
        return;
    }
    let scene = scene();
    let host = tempfile::tempdir_in("/dev/shm").expect("a folder for shared memory");
    let name = host.path().file_name().expect("a name").to_str().expect("UTF-8");
    fs::write(scene.path().join("own/bot.py"), SHARED.replace("HOST", name)).expect("a bot");
    let bot = format!("mine=python3 own/bot.py {ARENA}");
    for level in ["auto", "strict"] {
        succeed(scene.path(), &["match", "--quiet", "--contain", level, "--bot", &bot, "--bot", "greedy"]);
    }
    assert!(!Path::new("/dev/shm/quilt-test").exists());
    // The folder counts with the scratch folder.
    let fills = "head -c 40000000 /dev/zero >/dev/shm/x && head -c 40000000 /dev/zero >$HOME/y && echo all";
    let output = arena(scene.path(), &["run", "--", "sh", "-c", fills]);
    assert!(output.stdout.is_empty() && stderr(&output).contains("No space left"), "{}", stderr(&output));
}

#[test]
fn bots_that_lie_in_shared_memory_are_refused_in_one_line() {
    if !holds("scratch") {
        return;
    }
    let scene = scene();
    let Ok(host) = tempfile::tempdir_in("/dev/shm") else { return };
    fs::write(host.path().join("bot.sh"), format!("exec {ARENA} bot random\n")).expect("a bot");
    let file = host.path().join("bot.sh").display().to_string();
    let bot = format!("mine=sh {file}");
    let play = ["match", "--quiet", "--bot", &bot, "--bot", "greedy"];
    let output = arena(scene.path(), &play);
    let why = format!("{file} lies in /dev/shm, which each bot has for itself; move it to another folder");
    let expected = format!("error: bot \"mine\" cannot start: {why}\n");
    assert_eq!((stderr(&output), output.status.code()), (expected, Some(2)));
    // Without a sandbox, and with the arena in the same folder, it plays.
    for (place, level) in [(scene.path(), "off"), (host.path(), "auto")] {
        succeed(place, &[&play[..], &["--contain", level]].concat());
    }
}
