//! What stops a bot from starting, and what `arena doctor --bot` says about it: forty mistakes. Something was refused to
//! most of these bots, and nothing to the others.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use crate::contain::scene::holds;
use crate::program::arena;

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

/// A mistake on each line: what it is; the file of the bot below the folder `own`; its text, with `;;` for line ends; the
/// command; what the arena must say; and the options that it may name. Of all other options it may name none, and with `none`
/// it may not say that something was refused.
/// `PLAY` ends a bot that goes on by playing.
const MISTAKES: &str = r#"
reads a file beside its folder        | bot.sh | cat data/net >&2 || exit 3;; PLAY | sh own/bot.sh | reading data/net | --read
reads a file in a folder above        | bot.py | import os;; open("own/../data/net");; PLAY | python3 own/bot.py | data/net | --read
copies a file                         | bot.sh | cp data/net $TMPDIR/net || exit 3;; PLAY | sh own/bot.sh | reading data/net | --read
imports a module beside its folder    | bot.py | import os, sys;; sys.path.append("lib");; import helper;; PLAY | python3 own/bot.py | reading lib | --read
starts a program beside its folder    | bot.sh | exec tools/engine | sh own/bot.sh | reading tools/engine | --read
follows a link out of its folder      | bot.sh | cat own/link >&2 || exit 3;; PLAY | sh own/bot.sh | reading data/net | --read
reads several files of one folder     | bot.sh | cat lib/helper.py lib/more.py >&2 || exit 3;; PLAY | sh own/bot.sh | reading lib | --read
sources a script elsewhere            | bot.sh | . lib/setup.sh;; PLAY | sh own/bot.sh | reading lib/setup.sh | --read
reads beside itself by a bare name    | bot.sh | cat net.bin >&2 || exit 3;; PLAY | sh own/bot.sh | net.bin is in the bot's folder | none
reads a secret near it                | bot.sh | cat data/.secret >&2 || exit 3;; PLAY | sh own/bot.sh | a file elsewhere |
reads the bot of another              | bot.sh | cat other/bot.sh >&2 || exit 3;; PLAY | sh own/bot.sh | a file elsewhere |
writes a log beside itself            | bot.py | import os;; open("own/log.txt", "a");; PLAY | python3 own/bot.py | writing own/log.txt | --write
redirects to a file                   | bot.sh | echo x >own/log.txt || exit 3;; PLAY | sh own/bot.sh | writing own/log.txt | --write
makes a folder                        | bot.py | import os;; os.mkdir("own/logs");; PLAY | python3 own/bot.py | writing own/logs | --write
removes a file                        | bot.py | import os;; os.remove("own/net.bin");; PLAY | python3 own/bot.py | writing own/net.bin | --write
renames a file                        | bot.py | import os;; os.rename("own/net.bin", "own/net");; PLAY | python3 own/bot.py | writing own/net.bin | --write
opens a database for changes          | bot.py | import os, sqlite3;; sqlite3.connect("own/new.db").execute("create table t(a)");; PLAY | python3 own/bot.py | writing own/new.db | --write
connects to a server                  | bot.py | import os, socket;; socket.create_connection(("127.0.0.1", 9));; PLAY | python3 own/bot.py | the network | --network
looks up the name of a host           | bot.py | import os, socket;; socket.getaddrinfo("example.org", 80);; PLAY | python3 own/bot.py | the network | --network
sends a datagram                      | bot.py | import os, socket;; socket.socket(socket.AF_INET, socket.SOCK_DGRAM);; PLAY | python3 own/bot.py | the network | --network
listens on a socket with a name       | bot.py | import os, socket, tempfile;; socket.socket(socket.AF_UNIX).bind(tempfile.mkdtemp() + "/s");; PLAY | python3 own/bot.py | a socket with a name |
serves a pool by forks                | bot.py | import multiprocessing, os;; multiprocessing.set_start_method("forkserver");; multiprocessing.Pool(2);; PLAY | python3 own/bot.py | a socket with a name |
starts a thousand threads             | bot.py | import os, threading, time;; [threading.Thread(target=time.sleep, args=(9,), daemon=True).start() for _ in range(1000)];; PLAY | python3 own/bot.py | one more process or thread | --processes
opens a thousand files                | bot.py | import os;; a = [open("/dev/null") for _ in range(1000)];; PLAY | python3 own/bot.py | one more open file | --open-files
makes a large file                    | bot.py | import os, tempfile;; f = tempfile.TemporaryFile();; f.truncate(1 << 40);; PLAY | python3 own/bot.py | a larger file | --scratch
traces itself                         | bot.py | import ctypes, os;; c = ctypes.CDLL(None);; 0 if c.ptrace(0, 0, 0, 0) == 0 else os._exit(3);; PLAY | python3 own/bot.py | the system call ptrace |
watches a folder                      | bot.py | import ctypes, os;; c = ctypes.CDLL(None);; 0 if c.inotify_init() >= 0 else os._exit(3);; PLAY | python3 own/bot.py | the system call inotify_init |
makes a queue of messages             | bot.py | import ctypes, os;; c = ctypes.CDLL(None);; 0 if c.msgget(0, 512) >= 0 else os._exit(3);; PLAY | python3 own/bot.py | the system call msgget |
is false                              | bot.sh | : | false | exited with status 1 | none
exits after it asked for users        | bot.sh | for i in 1 2 3;; do ls -ld own >&2;; done;; exit 3 | sh own/bot.sh | exited with status 3 | none
raises its own exception              | bot.py | import tool;; x = {}["P07"] | python3 own/bot.py | "KeyError: 'P07'" at own/bot.py:2 | none
lacks a module                        | bot.py | import numpyx | python3 own/bot.py | No module named 'numpyx' | none
is killed by itself                   | bot.sh | kill -9 $$ | sh own/bot.sh | was killed by SIGKILL | none
has an error of syntax                | bot.py | print( | python3 own/bot.py | SyntaxError | none
never answers                         | bot.sh | sleep 100 | sh own/bot.sh | no line within | none
does not flush                        | bot.py | import sys;; sys.stdin.readline();; print('{"type":"hello","protocol":1}');; sys.stdin.readline() | python3 own/bot.py | the answer came only after the end of the input | none
prints a banner                       | bot.sh | echo welcome;; PLAY | sh own/bot.sh | "welcome" | none
names a file that is not there        | bot.sh | cat own/weights >&2 || exit 3;; PLAY | sh own/bot.sh | own/weights: No such file | none
takes more memory than it may         | bot.py | import os;; a = bytearray(8 << 30);; PLAY | python3 own/bot.py | more memory | --memory
is a program for Windows              | bot.exe | MZ | own/bot.exe | not a program for this machine | none
"#;

/// Number of bots that are judged at a time.
const AT_ONCE: usize = 4;
/// All options that open something.
const OPTIONS: [&str; 7] =
    ["--read", "--write", "--network", "--processes", "--open-files", "--scratch", "--memory"];

struct Mistake {
    name: String,
    file: String,
    text: String,
    command: String,
    says: String,
    options: String,
}

fn mistakes() -> Vec<Mistake> {
    let row = |line: &str| {
        let line = format!("{line} ");
        let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let [name, file, text, command, says, options] = cells[..] else { panic!("six columns: {line}") };
        let play = match file.ends_with(".py") {
            true => format!("os.execv({ARENA:?}, [{ARENA:?}, 'bot', 'random'])"),
            false => format!("exec {ARENA} bot random"),
        };
        let text = text.replace(";; ", "\n").replace("PLAY", &play);
        let [name, file, command, says, options] = [name, file, command, says, options].map(str::to_owned);
        Mistake { name, file, text, command, says, options }
    };
    MISTAKES.trim().lines().map(row).collect()
}

/// Makes the folders in which a bot makes its mistake.
fn scene(mistake: &Mistake) -> TempDir {
    let scene = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let folder = scene.path();
    let engine = format!("#!/bin/sh\nexec {ARENA} bot random\n");
    for (name, text) in [
        (&format!("own/{}", mistake.file)[..], &mistake.text[..]),
        ("own/net.bin", "weights"),
        ("own/tool.py", ""),
        ("data/net", "weights"),
        ("data/.secret", "secret"),
        ("lib/helper.py", ""),
        ("lib/more.py", ""),
        ("lib/setup.sh", ""),
        ("tools/engine", &engine),
        ("other/bot.sh", &engine),
    ] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        if ["own/bot.exe", "tools/engine"].contains(&name) {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
        }
    }
    std::os::unix::fs::symlink("../data/net", folder.join("own/link")).expect("a link");
    scene
}

/// Returns what is wrong in the words of the doctor about a bot, if anything is.
fn judge(mistake: &Mistake) -> (bool, bool, String) {
    let scene = scene(mistake);
    let mine = format!("mine={}", mistake.command);
    let hangs = mistake.says.starts_with("no line") || mistake.says.contains("end of the input");
    let patience = if hangs { "2s" } else { "30s" };
    let args = ["doctor", "--startup-time", patience, "--bot", &mine, "--bot", "other=sh other/bot.sh"];
    let output = arena(scene.path(), &args);
    let folder = scene.path().canonicalize().expect("it is there").display().to_string();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).replace(&folder, "FOLDER");
    let is_named = |option: &&&str| said.contains(**option);
    let is_accused = mistake.options == "none" && said.contains("the sandbox refused it");
    let is_wrong =
        is_accused || OPTIONS.iter().filter(is_named).any(|option| !mistake.options.contains(option));
    (said.contains(&mistake.says), is_wrong, said)
}

/// A bot whose libraries are in folders that only the user's shell knows.
#[test]
fn the_folders_of_libraries_are_tried() {
    if !holds("landlock") || !needs::TRACES.is_met() {
        return;
    }
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let script = format!("[ -n \"$LD_LIBRARY_PATH\" ] || exit 127\nexec {ARENA} bot random\n");
    fs::write(folder.path().join("bot.sh"), script).expect("a bot");
    let mut command = crate::program::command();
    command.current_dir(&folder).env("LD_LIBRARY_PATH", "/no/such/folder");
    let output = command.args(["doctor", "--bot", "sh bot.sh"]).output().expect("the arena starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("bots do not get LD_LIBRARY_PATH: with --env-from LD_LIBRARY_PATH it answers"),
        "{said}"
    );
}

/// Beginners and their helpers get the right cause nearly always, and never a wrong one.
#[test]
fn the_doctor_names_the_cause_or_none() {
    if !holds("landlock") || !holds("seccomp") || !needs::PYTHON.is_met() || !needs::TRACES.is_met() {
        return;
    }
    let mistakes = mistakes();
    assert_eq!(mistakes.len(), 40);
    let judged = |mine: &'_ [Mistake]| mine.iter().map(judge).collect::<Vec<_>>();
    let verdicts: Vec<(bool, bool, String)> = std::thread::scope(|scope| {
        let parts = mistakes.chunks(mistakes.len() / AT_ONCE).map(|part| scope.spawn(|| judged(part)));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
    });
    let judged: Vec<_> = mistakes.iter().zip(verdicts).collect();
    let not_right: Vec<_> = judged.iter().filter(|(_, (is_right, ..))| !is_right).collect();
    let wrong: Vec<_> = judged.iter().filter(|(_, (_, is_wrong, _))| *is_wrong).collect();
    let shown = |cases: &[&(&Mistake, (bool, bool, String))]| {
        cases.iter().map(|(mistake, (.., said))| format!("== {}\n{said}", mistake.name)).collect::<String>()
    };
    assert!(wrong.is_empty(), "wrong causes:\n{}", shown(&wrong));
    assert!(not_right.len() <= 4, "{} of 40 not right:\n{}", not_right.len(), shown(&not_right));
    eprintln!("{}", shown(&not_right));
}
