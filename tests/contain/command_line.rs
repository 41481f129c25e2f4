//! Containment as users of the program meet it: options, records, the doctor.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::contain::scene::holds;
use crate::program::tables::records;
use crate::program::{arena, scratch, succeed, words};

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("it was written");
    serde_json::from_str(&text).expect("it is JSON")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns what the doctor finds here.
fn examined(folder: &Path) -> Value {
    let output = arena(folder, &["doctor", "--format", "json"]);
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_tournament_says_what_held() {
    let folder = scratch();
    for (mode, held) in [("auto", true), ("off", false)] {
        let out = folder.path().join(mode);
        let args = format!("tournament --quiet --rounds 1 --seed 1 --contain {mode} --out {mode}");
        succeed(folder.path(), &words(&args));
        let containment = &json(&out.join("tournament.json"))["containment"];
        assert_eq!(containment["mode"], mode);
        let holds = |name: &str| containment["held"].as_array().expect("a list").contains(&name.into());
        assert_eq!(holds("limits"), held, "{containment}");
        assert_eq!(holds("landlock"), containment["landlock_abi"].is_u64(), "{containment}");
    }
    let digest = |mode: &str| json(&folder.path().join(mode).join("standings.json"))["digest"].clone();
    assert_eq!(digest("auto"), digest("off"));
}

#[test]
fn the_doctor_tries_every_layer() {
    let folder = scratch();
    let text = succeed(folder.path(), &["doctor"]);
    let found = examined(folder.path());
    let layers = found["layers"].as_array().expect("a list");
    assert_eq!(layers.len(), 12);
    for layer in layers {
        let name = layer["layer"].as_str().expect("a name");
        assert!(text.contains(name), "{name} in {text}");
        assert_eq!(layer["outcome"] == "missing", layer.get("advice").is_some(), "{layer}");
    }
    let last = text.lines().last().expect("some lines");
    let missing: Vec<&Value> = layers.iter().filter(|layer| layer["outcome"] == "missing").collect();
    let is_shared = found["cores"] != "thread";
    assert_eq!(last == "nothing is missing here", missing.is_empty() && is_shared, "{text}");
    assert_eq!(last.contains("equal shares of the cores"), !is_shared, "{text}");
    for layer in missing {
        let name = layer["layer"].as_str().expect("a name");
        assert!(last.starts_with("missing here: ") && last.contains(name), "{name} in {last}");
    }
    match found["landlock_abi"].as_u64() {
        Some(abi) => assert!(text.contains(&format!("Landlock ABI {abi}")), "{text}"),
        None => assert!(text.contains("no Landlock"), "{text}"),
    }
    // What needs nothing of the system but a kernel that is not ancient.
    let holds = |name: &str| layers.iter().any(|layer| layer["layer"] == name && layer["outcome"] == "holds");
    assert!(holds("limits") && holds("scratch"), "{text}");
}

/// As in a container, where a part of `/proc` is covered: then the kernel lets ordinary users make no other.
#[test]
fn a_list_of_processes_that_cannot_be_had_is_said_to_be_missing() {
    if !needs::MOUNTS.is_met() || !needs::NOBODY_STARTS_TESTS.is_met() {
        return;
    }
    let covered = "mount --bind /dev/null /proc/version && exec setpriv --reuid 65534 --regid 65534 --clear-groups \
                   \"$0\" doctor --format json";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", covered, env!("CARGO_BIN_EXE_arena")]).current_dir("/");
    let output = command.output().expect("there is unshare");
    assert!(output.status.success(), "{}", stderr(&output));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let outcomes = ["proc", "limits"].map(|name| outcome(&found, name));
    assert_eq!(outcomes, ["missing", "holds"], "{found}");
}

/// Returns what the attempt against this layer came to.
fn outcome<'a>(found: &'a Value, name: &str) -> &'a Value {
    let mut layers = found["layers"].as_array().expect("a list").iter();
    &layers.find(|layer| layer["layer"] == name).expect("every layer is tried")["outcome"]
}

/// As on a machine where other programs watch all that may be watched. Then the folder is measured from the start.
#[test]
fn a_scratch_folder_is_bounded_without_inotify() {
    if !needs::SETS_WATCHES.is_met() {
        return;
    }
    let none = format!("{} && exec \"$0\" doctor --format json", needs::NO_WATCHES);
    let mut command = Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "sh", "-c", &none, env!("CARGO_BIN_EXE_arena")])
        .current_dir("/");
    let output = command.output().expect("there is unshare");
    assert!(output.status.success(), "{}", stderr(&output));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(outcome(&found, "scratch"), "holds", "{found}");
}

#[test]
fn the_doctor_says_what_a_bot_may_read_and_why() {
    let folder = scratch();
    let path = |name: &str| folder.path().canonicalize().expect("it is there").join(name);
    fs::create_dir_all(path("mine/src")).expect("a folder");
    fs::create_dir(path("other")).expect("a folder");
    for file in words("mine/pyproject.toml mine/.env mine/src/bot.sh other/bot.sh secret") {
        fs::write(path(file), "").expect("a file");
    }
    let doctor = |more: &[&str]| {
        let bots = ["doctor", "--bot", "sh mine/src/bot.sh", "--bot", "sh other/bot.sh", "--format", "json"];
        let output = arena(folder.path(), &[&bots[..], more].concat());
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let paths = |view: &Value, reason: &str| -> Vec<String> {
        let groups = view["reads"].as_array().expect("a list").iter();
        let found = groups.filter(|group| group["reason"].as_str().is_some_and(|text| text.contains(reason)));
        let text = |path: &Value| path.as_str().expect("a path").to_owned();
        found.flat_map(|group| group["paths"].as_array().expect("a list")).map(text).collect()
    };
    let views = doctor(&[]);
    let of = |name: &str| path(name).to_str().expect("UTF-8").to_owned();
    assert_eq!(views[0]["bot"], "sh mine/src/bot.sh");
    assert_eq!(paths(&views[0], "named"), [of("mine/src")]);
    assert_eq!(paths(&views[0], "project"), [of("mine/pyproject.toml")]);
    assert_eq!(paths(&views[1], "named"), [of("other")]);
    let all = views.to_string();
    assert!(!all.contains(".env") && !all.contains("secret"), "{all}");
    assert_eq!(paths(&doctor(&["--contain", "strict"])[0], "project"), [""; 0]);
    let output = arena(folder.path(), &["doctor", "--bot", "sh mine/src/bot.sh"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("sh mine/src/bot.sh reads the system's files, and\n"), "{text}");
}

#[test]
fn strict_starts_where_the_doctor_says_so() {
    let folder = scratch();
    let found = examined(folder.path());
    let args = ["match", "--quiet", "--seed", "1234567890123456", "--contain", "strict"];
    let output = arena(folder.path(), &args);
    assert_eq!(found["strict"], output.status.success(), "{}", stderr(&output));
}

/// A bot that met a deal at an earlier table could remember it.
#[test]
fn under_strict_no_bot_meets_a_deal_twice() {
    let folder = scratch();
    let bots = "--bot a=random --bot b=random --bot c=random";
    let play = |mode: &str, more: &str| {
        let args = format!("tournament --quiet --out {mode} --contain {mode} {more}");
        arena(folder.path(), &words(&args))
    };
    let plan = |mode: &str| json(&folder.path().join(mode).join("tournament.json"));
    // The seeds of the deals that each bot met, and how many of them are distinct.
    let seeds = |mode: &str| {
        let records = records(&folder.path().join(mode));
        ["a", "b", "c"].map(|bot| {
            let met = |record: &&Value| record["bots"].as_array().expect("a list").contains(&bot.into());
            let met: Vec<u64> =
                records.iter().filter(met).map(|record| record["seed"].as_u64().expect("a seed")).collect();
            (met.len(), met.iter().collect::<BTreeSet<_>>().len())
        })
    };
    let new = format!("--seed 1234567890123456 --rounds 2 {bots}");
    assert!(play("auto", &new).status.success());
    assert_eq!((plan("auto")["own_deals"].clone(), seeds("auto")), (Value::Null, [(4, 2); 3]));
    let found = examined(folder.path());
    let output = play("strict", &new);
    assert_eq!(found["strict"], output.status.success(), "{}", stderr(&output));
    if found["strict"] != true {
        return; // there is no such tournament here
    }
    assert_eq!((plan("strict")["own_deals"].clone(), seeds("strict")), (true.into(), [(4, 4); 3]));
    // It goes on with more rounds, also under another mode, and with more bots.
    for rounds in ["3", "4"] {
        let mode = if rounds == "3" { "strict" } else { "auto" };
        let resume = "tournament --quiet --resume --force --out strict";
        succeed(folder.path(), &words(&format!("{resume} --contain {mode} --rounds {rounds}")));
    }
    assert_eq!((plan("strict")["own_deals"].clone(), seeds("strict")), (true.into(), [(8, 8); 3]));
    let output = play("strict", &format!("--resume {bots} --bot d=random"));
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(seeds("strict"), [(12, 12); 3]);
    // The deals are those of the plan.
    succeed(folder.path(), &["replay", "strict"]);
    // Bots that all sit at one table meet each deal once as it is.
    let all = format!("tournament --quiet --out all --contain strict --seats all {new}");
    succeed(folder.path(), &words(&all));
    assert_eq!((plan("all")["own_deals"].clone(), seeds("all")), (Value::Null, [(2, 2); 3]));
}

/// A bot's rights stand in the league file, and what it must not do is its own fault.
#[test]
fn a_league_file_says_what_one_bot_may() {
    let folder = scratch();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("book/opening", "known");
    // Greets only if it can read what lies elsewhere.
    let bot = "read hello; cat \"$1\" >&2 || exit 3; echo '{\"type\":\"hello\",\"protocol\":1}'; read quit";
    write("mine/bot.sh", bot);
    let book = folder.path().join("book/opening");
    let league =
        "[[bot]]\ncommand = \"greedy\"\n[[bot]]\nname = \"mine\"\ncommand = \"sh mine/bot.sh BOOK\"\n";
    let variable = bot.replace("\"$1\"", &format!("\"{}\"", book.display()));
    write("mine/bot.sh", &variable);
    for (rights, reads) in [("", false), ("read = [\"book\"]\nprocesses = 20\nscratch = \"4MiB\"", true)] {
        write("league.toml", &format!("{league}{rights}\n"));
        let args = words("tournament league.toml --rounds 1 --seed 1 --out out --quiet");
        let stderr = stderr(&arena(folder.path(), &args));
        let starts = reads || !holds("landlock");
        assert_eq!(!stderr.contains("cannot start"), starts, "{rights}: {stderr}");
        if reads {
            let allowance = &json(&folder.path().join("out/tournament.json"))["bots"][1]["allowance"];
            let allowed = ["processes", "scratch_bytes"].map(|right| allowance[right].clone());
            assert_eq!(allowed, [20, 4 << 20]);
        }
    }
}

/// The kernel counts the processes of a user, so bots of one user could take those of each other.
#[test]
fn a_user_with_too_few_processes_for_all_bots_is_told() {
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("it is ours");
    let play = |how: &str| {
        let play = format!("tournament --jobs 2 --rounds 1 --contain {how} --out {how}");
        let script = format!("ulimit -u 150; exec {} {play}", env!("CARGO_BIN_EXE_arena"));
        let is_root = rustix::process::getuid().is_root();
        let mut shell = if is_root { needs::as_nobody("bash") } else { Command::new("bash") };
        shell.args(["-c", &script]).current_dir(folder.path()).output().expect("bash starts")
    };
    if !needs::BASH.is_met() || rustix::process::getuid().is_root() && !needs::NOBODY_STARTS_TESTS.is_met() {
        return;
    }
    let note = stderr(&play("auto"));
    let is_said = note.contains("note: 4 bots at a time may start ");
    assert!(is_said && note.contains("your limit is 150"), "{note}");
    let refused = stderr(&play("strict"));
    let is_said = refused.contains("error: 4 bots at a time may start ");
    assert!(is_said || refused.contains("--contain strict: no "), "{refused}");
}
