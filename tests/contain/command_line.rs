//! Containment as users of the program meet it: options, records, the doctor.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::contain::scene::holds;
use crate::program::arena;

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("it was written");
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn a_tournament_says_what_held() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (mode, held) in [("auto", true), ("off", false)] {
        let out = folder.path().join(mode);
        let args =
            ["tournament", "--quiet", "--rounds", "1", "--seed", "1", "--contain", mode, "--out", mode];
        let output = arena(folder.path(), &args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let containment = &json(&out.join("tournament.json"))["containment"];
        assert_eq!(containment["mode"], mode);
        let names = containment["held"].as_array().expect("a list");
        assert_eq!(names.contains(&Value::from("limits")), held, "{containment}");
        assert_eq!(
            names.contains(&Value::from("landlock")),
            containment["landlock_abi"].is_u64(),
            "{containment}"
        );
    }
    let digest = |mode: &str| json(&folder.path().join(mode).join("standings.json"))["digest"].clone();
    assert_eq!(digest("auto"), digest("off"));
}

#[test]
fn the_doctor_tries_every_layer() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let text = arena(folder.path(), &["doctor"]);
    assert!(text.status.success(), "{}", String::from_utf8_lossy(&text.stderr));
    let text = String::from_utf8(text.stdout).expect("UTF-8");
    let found = arena(folder.path(), &["doctor", "--format", "json"]);
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
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
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let layers = found["layers"].as_array().expect("a list");
    let outcome = |name: &str| {
        let layer = layers.iter().find(|layer| layer["layer"] == name);
        layer.expect("every layer is tried")["outcome"].clone()
    };
    assert_eq!((outcome("proc"), outcome("limits")), ("missing".into(), "holds".into()), "{found}");
}

#[test]
fn the_doctor_says_what_a_bot_may_read_and_why() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = |name: &str| folder.path().canonicalize().expect("it is there").join(name);
    std::fs::create_dir_all(path("mine/src")).expect("a folder");
    std::fs::create_dir(path("other")).expect("a folder");
    for file in ["mine/pyproject.toml", "mine/.env", "mine/src/bot.sh", "other/bot.sh", "secret"] {
        std::fs::write(path(file), "").expect("a file");
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
    let folder = tempfile::tempdir().expect("a scratch folder");
    let found = arena(folder.path(), &["doctor", "--format", "json"]);
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let args = ["match", "--quiet", "--seed", "1234567890123456", "--contain", "strict"];
    let output = arena(folder.path(), &args);
    assert_eq!(found["strict"], output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A bot that met a deal at an earlier table could remember it.
#[test]
fn under_strict_no_bot_meets_a_deal_twice() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let bots = ["--bot", "a=random", "--bot", "b=random", "--bot", "c=random"];
    let play = |mode: &str, more: &[&str]| {
        let common = ["tournament", "--quiet", "--out", mode, "--contain", mode];
        arena(folder.path(), &[&common, more].concat())
    };
    let plan = |mode: &str| json(&folder.path().join(mode).join("tournament.json"));
    // The seeds of the deals that each bot met, and how many of them are distinct.
    let seeds = |mode: &str| {
        let journal =
            std::fs::read_to_string(folder.path().join(mode).join("matches.jsonl")).expect("a journal");
        let records: Vec<Value> =
            journal.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        ["a", "b", "c"].map(|bot| {
            let met = |record: &&Value| record["bots"].as_array().expect("a list").contains(&bot.into());
            let met: Vec<u64> =
                records.iter().filter(met).map(|record| record["seed"].as_u64().expect("a seed")).collect();
            (met.len(), met.iter().collect::<std::collections::BTreeSet<_>>().len())
        })
    };
    let new = [&["--seed", "1234567890123456", "--rounds", "2"][..], &bots].concat();
    assert!(play("auto", &new).status.success());
    assert_eq!((plan("auto")["own_deals"].clone(), seeds("auto")), (Value::Null, [(4, 2); 3]));
    let found = arena(folder.path(), &["doctor", "--format", "json"]);
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let output = play("strict", &new);
    assert_eq!(found["strict"], output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    if found["strict"] != true {
        return; // there is no such tournament here
    }
    assert_eq!((plan("strict")["own_deals"].clone(), seeds("strict")), (true.into(), [(4, 4); 3]));
    // It goes on with more rounds, also under another mode, and with more bots.
    for rounds in ["3", "4"] {
        let mode = if rounds == "3" { "strict" } else { "auto" };
        let more = ["--resume", "--force", "--out", "strict", "--contain", mode, "--rounds", rounds];
        assert!(arena(folder.path(), &[&["tournament", "--quiet"], &more[..]].concat()).status.success());
    }
    assert_eq!((plan("strict")["own_deals"].clone(), seeds("strict")), (true.into(), [(8, 8); 3]));
    let output = play("strict", &[&["--resume"], &bots[..], &["--bot", "d=random"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(seeds("strict"), [(12, 12); 3]);
    // The deals are those of the plan.
    let output = arena(folder.path(), &["replay", "strict"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Bots that all sit at one table meet each deal once as it is.
    let all = ["tournament", "--quiet", "--out", "all", "--contain", "strict", "--seats", "all"];
    assert!(arena(folder.path(), &[&all, &new[..]].concat()).status.success());
    assert_eq!((plan("all")["own_deals"].clone(), seeds("all")), (Value::Null, [(2, 2); 3]));
}

/// A bot's rights stand in the league file, and what it must not do is its own fault.
#[test]
fn a_league_file_says_what_one_bot_may() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("book/opening", "known");
    // Greets only if it can read what lies elsewhere.
    let bot = "read hello; cat \"$1\" >&2 || exit 3; echo '{\"type\":\"hello\",\"protocol\":1}'; read quit";
    write("mine/bot.sh", bot);
    let book = folder.path().join("book/opening");
    let league = |rights: &str| {
        let command = format!("sh mine/bot.sh {}", "BOOK");
        format!(
            "[[bot]]\ncommand = \"greedy\"\n[[bot]]\nname = \"mine\"\ncommand = \"{command}\"\n{rights}\n"
        )
    };
    let variable = bot.replace("\"$1\"", &format!("\"{}\"", book.display()));
    write("mine/bot.sh", &variable);
    for (rights, reads) in [("", false), ("read = [\"book\"]\nprocesses = 20\nscratch = \"4MiB\"", true)] {
        write("league.toml", &league(rights));
        let args = ["tournament", "league.toml", "--rounds", "1", "--seed", "1", "--out", "out", "--quiet"];
        let output = arena(folder.path(), &args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let holds = holds("landlock");
        assert_eq!(!stderr.contains("cannot start"), reads || !holds, "{rights}: {stderr}");
        if reads {
            let bots = json(&folder.path().join("out/tournament.json"))["bots"].clone();
            let allowance = &bots[1]["allowance"];
            assert_eq!(
                (&allowance["processes"], &allowance["scratch_bytes"]),
                (&20.into(), &(4 << 20).into())
            );
        }
    }
}

/// The kernel counts the processes of a user, so bots of one user could take those of each other.
#[test]
fn a_user_with_too_few_processes_for_all_bots_is_told() {
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("it is ours");
    let play = |how: &str| {
        let script = format!(
            "ulimit -u 150; exec {} tournament --jobs 2 --rounds 1 --contain {how} --out {how}",
            env!("CARGO_BIN_EXE_arena")
        );
        let mut shell = if rustix::process::getuid().is_root() {
            needs::as_nobody("bash")
        } else {
            std::process::Command::new("bash")
        };
        shell.args(["-c", &script]).current_dir(folder.path()).output().expect("bash starts")
    };
    if !needs::BASH.is_met() || rustix::process::getuid().is_root() && !needs::NOBODY_STARTS_TESTS.is_met() {
        return;
    }
    let said = |how: &str| String::from_utf8_lossy(&play(how).stderr).into_owned();
    let words = "4 bots at a time may start ";
    let note = said("auto");
    assert!(note.contains(&format!("note: {words}")) && note.contains("your limit is 150"), "{note}");
    let refused = said("strict");
    assert!(
        refused.contains(&format!("error: {words}")) || refused.contains("--contain strict: no "),
        "{refused}"
    );
}
