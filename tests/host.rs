//! A contest that takes what is handed in: messy folders and archives of students, and hostile ones.

pub(crate) mod door;
mod messy;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use engine::dealer::Dealer;
use referee::bots::entrants::Entrant;
use referee::bots::held::Guard;
use referee::bots::identity::Identity;
use referee::bots::preflight::{Greetings, preflight};
use referee::play::time_control::TimeControl;
use rustix::process::{Pid, Signal, kill_process};
use sandbox::{Host, SandboxLevel};
use serde_json::Value;
use tempfile::TempDir;
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::program::{arena, executable, is_again, passes_again, scratch, succeed, wait_until};

/// A contest in a scratch folder.
pub(crate) struct Cup {
    folder: TempDir,
}

/// The text of a bot that plays a bundled one.
pub(crate) fn script() -> String {
    format!("exec '{}' bot random\n", env!("CARGO_BIN_EXE_arena"))
}

/// Returns a zip archive with these entries: a name, a mode, and the contents.
pub(crate) fn zipped(entries: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, mode, bytes) in entries {
        let options = SimpleFileOptions::default().unix_permissions(*mode);
        archive.start_file(*name, options).expect("a name");
        archive.write_all(bytes).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

impl Cup {
    pub(crate) fn new() -> Cup {
        let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
        let cup = Cup { folder };
        fs::create_dir_all(cup.at("submissions")).expect("a folder");
        cup.settings("");
        cup
    }

    /// Writes the settings of a contest that is not played, with more keys of the section `[contest]`.
    fn settings(&self, more: &str) {
        self.settings_of(&format!("play = false\n{more}"), "");
    }

    /// Writes the settings, with more keys of the sections `[contest]` and `[tournament]`.
    fn settings_of(&self, more: &str, of_tournament: &str) {
        let mode = if self.is_strict() { "strict" } else { "auto" };
        let text = format!(
            "[contest]\nsettle = \"300ms\"\n{more}\n[tournament]\ngame = \"doodle\"\n{of_tournament}\n[limits]\ncontain = \"{mode}\"\n\
             startup-time = \"20s\"\nmove-time = \"60s\"\n[[bot]]\nname = \"greedy\"\ncommand = \"greedy\"\n"
        );
        fs::write(self.at("contest.toml"), text).expect("a file");
    }

    /// Returns true if this machine has the layers of the sandbox for strangers.
    fn is_strict(&self) -> bool {
        arena(self.folder.path(), &["run", "--contain", "strict", "--", "true"]).status.success()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("cup").join(path)
    }

    /// Hands in files.
    pub(crate) fn submit(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let place = self.at("submissions").join(path);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        fs::write(place, bytes).expect("a file");
    }

    /// Takes and checks everything, and returns what was said.
    pub(crate) fn host(&self) -> String {
        let output = arena(self.folder.path(), &["host", "cup", "--once"]);
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(output.status.success(), "{said:?}");
        said.concat()
    }

    /// Returns what the author of this bot is told: the text, and the same as data.
    pub(crate) fn told(&self, name: &str) -> (String, Value) {
        let read = |end: &str| fs::read_to_string(self.at("checks").join(format!("{name}.{end}")));
        let text = read("txt").unwrap_or_else(|error| panic!("{name}: {error}"));
        let data = serde_json::from_str(&read("json").expect("the same as data")).expect("JSON");
        (text, data)
    }

    /// Returns the lines of the journal with this event.
    fn events(&self, event: &str) -> Vec<Value> {
        let journal = fs::read_to_string(self.at("contest.jsonl")).unwrap_or_default();
        let events = journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.filter(|line| line["event"] == event).collect()
    }

    /// Returns everything in the folders of versions that is no version, such as copies that were not removed.
    fn left(&self) -> Vec<PathBuf> {
        let entries =
            |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
        let inner = entries(self.at("versions")).flat_map(entries);
        inner
            .filter(|path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().parse::<u32>().is_err())
            })
            .collect()
    }
}

#[test]
fn archives_that_lead_out_or_burst_are_refused_and_their_authors_told() {
    let cup = Cup::new();
    let bot = script();
    let bot = ("bot.sh", 0o644, bot.as_bytes());
    let link = {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        archive.add_symlink("bot.sh", "/etc/passwd", SimpleFileOptions::default()).expect("memory");
        archive.finish().expect("memory").into_inner()
    };
    let tar = |kind: tar::EntryType, name: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_mode(0o644);
        // The crate refuses to write such a name by itself.
        header.as_gnu_mut().expect("it is one").name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        let mut archive =
            tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        archive.append(&header, std::io::empty()).expect("memory");
        archive.into_inner().and_then(flate2::write::GzEncoder::finish).expect("memory")
    };
    let links = {
        let gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut archive = tar::Builder::new(gz);
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        (0..25_000).for_each(|number| {
            archive.append_link(&mut header, format!("link-{number}"), "x").expect("memory");
        });
        archive.into_inner().and_then(flate2::write::GzEncoder::finish).expect("memory")
    };
    let whole = zipped(&[bot, ("noise", 0o644, &[7; 5_000])]);
    let deep = format!("{}bot.sh", "a/".repeat(40));
    let zeros = vec![0; 1 << 20];
    let names: Vec<String> = (0..300).map(|number| format!("zeros-{number}")).collect();
    let bomb: Vec<(&str, u32, &[u8])> = names.iter().map(|name| (name.as_str(), 0o644, &zeros[..])).collect();
    for (name, bytes) in [
        ("climbs.zip", zipped(&[("../bot.sh", 0o644, b"")])),
        ("rooted.zip", zipped(&[("/etc/bot.sh", 0o644, b"")])),
        ("windows.zip", zipped(&[("..\\..\\bot.sh", 0o644, b"")])),
        ("linked.zip", link),
        ("cases.zip", zipped(&[bot, ("Bot.sh", 0o644, b"")])),
        ("folders.zip", zipped(&[("a/bot.sh", 0o644, b""), ("A/x", 0o644, b"")])),
        ("cut.zip", whole[..whole.len() / 2].to_vec()),
        ("deep.zip", zipped(&[(&deep, 0o644, b"")])),
        ("bomb.zip", zipped(&bomb)),
        ("large.zip", vec![7; (32 << 20) + 1]),
        ("other.rar", b"Rar!".to_vec()),
        ("device.tar.gz", tar(tar::EntryType::Char, "bot.sh")),
        ("up.tgz", tar(tar::EntryType::Regular, "../../bot.sh")),
        ("none.tar.gz", b"no archive".to_vec()),
        ("long.zip", zipped(&[(&"x".repeat(300), 0o644, b"")])),
        ("links.tar.gz", links),
    ] {
        cup.submit(name, bytes);
    }
    // A folder with a pipe, which nobody writes to, and one that leads out.
    cup.submit("piped/README", "");
    assert!(
        Command::new("mkfifo").arg(cup.at("submissions/piped/bot.sh")).status().expect("mkfifo").success()
    );
    cup.submit("leads/README", "");
    symlink("/etc", cup.at("submissions/leads/etc")).expect("a link");
    symlink("/etc/passwd", cup.at("submissions/leads/bot.sh")).expect("a link");
    let said = cup.host();
    for (name, reason, cure) in [
        ("climbs", "\"../bot.sh\" leads out of the archive", "pack the folder of the bot"),
        ("rooted", "leads out of the archive", ""),
        ("windows", "leads out of the archive", ""),
        ("linked", "no file has the name of a bot", "bot.toml"),
        ("cases", "differ in case alone", "rename one of them"),
        ("folders", "differ in case alone", ""),
        ("cut", "does not read to its end", "hand it in again"),
        ("deep", "has more than 24 folders in each other", ""),
        ("bomb", "has more than 256 MiB", "hand in sources"),
        ("large", "has more than 32 MiB in an archive", ""),
        ("other", "cannot be unpacked here", "pack it as .zip or .tar.gz"),
        ("device", "\"bot.sh\" is neither a file nor a folder", ""),
        ("up", "leads out of the archive", ""),
        ("none", "does not read to its end", ""),
        ("long", "is no name of a file here", "rename it"),
        ("links", "has more than 20000 files", ""),
        ("piped", "\"bot.sh\" is neither a file nor a folder", ""),
        ("leads", "no file has the name of a bot", ""),
    ] {
        let (text, data) = cup.told(name);
        assert!(text.starts_with(name) && text.contains(": not taken\n"), "{text}");
        assert!(text.contains(reason) && text.contains("what to do: ") && text.contains(cure), "{text}");
        assert!(data["reason"].as_str().is_some_and(|told| told.contains(reason)), "{data}");
        assert!(said.contains(reason), "{said}");
    }
    assert!(cup.told("leads").0.contains("note: left out the link \"etc\""));
    assert!(
        !fs::read_dir(cup.at("versions/leads/1"))
            .expect("a folder")
            .flatten()
            .any(|one| one.file_name() == "etc")
    );
    assert_eq!(cup.left(), Vec::<PathBuf>::new());
    assert!(!cup.at("bot.sh").exists() && !cup.at("versions/bot.sh").exists());
    // Nothing is looked at twice.
    assert_eq!(cup.host(), "");
}

#[test]
fn names_are_mended_and_nobody_gets_the_one_of_another() {
    let cup = Cup::new();
    cup.settings("names = '(.+?)_[0-9]+_assignsubmission_file_.*'");
    let none = [("README", 0o644, &b""[..])];
    cup.submit("Anna Muster_4711_assignsubmission_file_/bot.zip", zipped(&none));
    cup.submit("team 04 (1)/README", "");
    cup.submit("ben.py", "");
    cup.submit("BEN/README", "");
    cup.submit("greedy.zip", zipped(&none));
    cup.submit("max.muster/README", "1");
    cup.submit("max.schmidt/README", "2");
    cup.submit("dan.zip", zipped(&none));
    cup.submit("Jose\u{301}.zip", zipped(&none));
    cup.submit("cl\u{435}o/README", "a");
    cup.submit("cleo/README", "");
    cup.host();
    let (text, data) = cup.told("Anna-Muster");
    assert!(text.contains("note: its name is Anna-Muster\nnote: unpacked \"bot.zip\""), "{text}");
    assert_eq!((&data["version"], &data["bot"]), (&1.into(), &"Anna-Muster".into()));
    assert!(cup.told("team-04").0.contains("note: its name is team-04"));
    for name in ["max.muster", "max.schmidt"] {
        assert_eq!(cup.told(name).1["version"], 1);
    }
    // A browser that downloads again, a platform that counts, and another form of a letter are the same author.
    cup.submit("dan (1).zip", zipped(&[("README", 0o644, b"more")]));
    cup.submit("Jos\u{e9}/README", "more");
    cup.submit("Anna Muster_4712_assignsubmission_file_/README", "more");
    cup.host();
    for name in ["dan", "Anna-Muster", "Jos\u{e9}"] {
        assert_eq!(cup.told(name).1["version"], 2, "{name}");
    }
    // Who comes first has the name; the file of the other one has another.
    let checks: Vec<String> = fs::read_dir(cup.at("checks"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().into_string().expect("a name"))
        .collect();
    for (names, said) in [
        (["BEN-", "ben-"], "another bot is called"),
        (["greedy-", "greedy-"], "another bot is called \"greedy\""),
        (["cl\u{435}o-", "cleo-"], "another bot is called"),
    ] {
        let other = checks
            .iter()
            .find(|name| names.iter().any(|begin| name.starts_with(begin)) && name.ends_with(".txt"));
        let text = fs::read_to_string(cup.at("checks").join(other.expect("a file"))).expect("text");
        assert!(text.contains(said) && text.contains("not taken"), "{text}");
    }
    assert!(!cup.at("checks/greedy.txt").exists(), "that is the organiser's");
}

/// The matches of a journal: the bots and the round of each, with its digest and its scores.
fn played(results: &Path) -> BTreeMap<String, String> {
    let journal = fs::read_to_string(results.join("matches.jsonl")).unwrap_or_default();
    let mut found = BTreeMap::new();
    for record in journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let key = format!("{} {}", record["bots"], record["round"]);
        let before = found.insert(key, format!("{} {}", record["digest"], record["result"]["scores"]));
        assert_eq!(before, None, "a match is played twice");
    }
    found
}

/// The results are those of a tournament of the last versions. Neither the order of arrival nor a kill changes them.
#[test]
fn a_contest_plays_itself_and_ends_like_a_tournament_of_its_last_versions() {
    let cup = Cup::new();
    cup.settings_of("accept = \"500ms\"", "seed = 1234567890123\nrounds = 6");
    let bot = |name: &str| format!("exec '{}' bot {name}\n", env!("CARGO_BIN_EXE_arena"));
    for (name, plays) in [("zoe", "random"), ("anna", "novice"), ("mia", "random")] {
        cup.submit(&format!("{name}/bot.sh"), bot(plays));
    }
    let mut chance = Dealer::new(11, 0);
    let later = [("mia", "novice"), ("ben", "random"), ("anna", "random"), ("mia", "greedy")];
    for round in 0..needs::sized(1, 3, 12) {
        let mut host = crate::program::command();
        host.args(["host", "cup"]).current_dir(cup.folder.path()).stdin(Stdio::null());
        let mut host = host.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the arena starts");
        if round == 0 {
            wait_until("matches", || !played(&cup.at("results")).is_empty());
        }
        let before = cup.events("checked").len();
        let (name, plays) = later[round % later.len()];
        cup.submit(&format!("{name}/bot.sh"), bot(plays));
        // From the second time on, the files may be those of the version before.
        wait_until("a check", || cup.events("checked").len() > before || round >= later.len());
        std::thread::sleep(Duration::from_millis(chance.below(1_500).into()));
        host.kill().and_then(|()| host.wait()).expect("it is ours");
    }
    cup.host();
    let folder = cup.folder.path();
    succeed(folder, &["replay", "cup/results", "--all", "--quiet"]);
    succeed(folder, &["tournament", "cup/league.toml", "--out", "fresh", "--quiet"]);
    let (contest, fresh) = (played(&cup.at("results")), played(&folder.join("fresh")));
    assert_eq!(contest, fresh);
    let count = fs::read_to_string(cup.at("league.toml")).expect("it was played").matches("[[bot]]").count();
    assert_eq!(contest.len(), 6 * count * (count - 1) / 2);
    let plan = fs::read_to_string(cup.at("results/tournament.json")).expect("a plan");
    let last = cup.events("checked").iter().filter(|line| line["name"] == "mia").count();
    let has = |number: usize| plan.contains(&format!("\"dir\": \"versions/mia/{number}\""));
    assert!(last > 1 && has(last) && !has(last - 1), "{last}: {plan}");
    assert_eq!(cup.left(), Vec::<PathBuf>::new());
    // Nothing is left to do, and nothing is played again.
    assert_eq!(cup.host(), "");
    assert_eq!(played(&cup.at("results")), contest);
}

/// A folder that is copied once more is no new version, and one that is too deep is told.
#[test]
fn old_folders_replace_nothing_and_deep_ones_are_told() {
    let cup = Cup::new();
    cup.settings("");
    cup.submit("anna/bot.sh", "exit 3\n");
    cup.host();
    cup.submit("anna.zip", zipped(&[("bot.sh", 0o644, b"exit 4\n")]));
    cup.host();
    cup.submit("anna/bot.sh", "exit 3\n");
    assert!(cup.host().contains("handed in again, the same as version 1"));
    assert_eq!(cup.events("received").iter().filter_map(|line| line["number"].as_u64()).max(), Some(2));
    let deep = (0..10).map(|_| "x".repeat(200)).collect::<Vec<_>>().join("/");
    cup.submit(&format!("deep/{deep}/bot.sh"), "exit 3\n");
    cup.host();
    assert!(cup.told("deep").0.contains("is too deep"));
}

/// Orders come from other processes, also while nobody runs the contest, and are obeyed once.
#[test]
fn the_organiser_withdraws_takes_back_pauses_and_closes() {
    let cup = Cup::new();
    cup.settings_of("", "rounds = 2");
    ["anna", "ben", "carl"].iter().for_each(|name| cup.submit(&format!("{name}/bot.sh"), script()));
    let folder = cup.folder.path();
    let order = |args: &[&str]| arena(folder, &[&["host", "cup"], args].concat());
    assert!(String::from_utf8_lossy(&order(&["--pause"]).stderr).contains("a contest that was begun"));
    fs::create_dir_all(cup.at("orders/x.json")).expect("a folder");
    fs::write(cup.at("orders/y.json"), "{\"order\":\"win\"}").expect("a file");
    assert!(cup.host().contains("y.json is no order"));
    assert!(cup.at("orders/y.wrong").exists());
    fs::remove_dir(cup.at("orders/x.json"))
        .and_then(|()| fs::remove_file(cup.at("orders/y.wrong")))
        .expect("ours");
    ["versions/.DS_Store", "versions/ben/.DS_Store"]
        .iter()
        .for_each(|odd| fs::write(cup.at(odd), "").expect("a file"));
    let count = || played(&cup.at("results")).len();
    assert_eq!(count(), 6 * 2);
    let said = String::from_utf8_lossy(&order(&["--withdraw", "bem"]).stderr).into_owned();
    assert!(
        said.contains("nobody in the contest is called \"bem\"") && said.contains("did you mean ben?"),
        "{said}"
    );
    for args in [&["--withdraw", "ben"][..], &["--disqualify", "anna: copied from ben"], &["--pause"]] {
        assert!(order(args).status.success());
    }
    cup.submit("dan/bot.sh", script());
    cup.submit("anna/more", "");
    cup.host();
    assert_eq!(count(), 6 * 2, "the contest pauses");
    let (text, data) = cup.told("anna");
    assert!(text.contains("reason: copied from ben\nwhat to do: ask the organiser"), "{text}");
    assert_eq!((&data["state"], cup.events("received").len()), (&"disqualified".into(), 4));
    assert_eq!(cup.told("ben").1["state"], "withdrawn");
    assert!(order(&["--go-on"]).status.success());
    cup.host();
    let bots = |names: &[&str]| {
        let matches = played(&cup.at("results"));
        let is_one = |key: &String| names.iter().all(|name| !key.contains(&format!("\"{name}\"")));
        assert!(matches.keys().all(is_one), "{matches:?}");
        matches.len()
    };
    // Carl, Dan, and the bot of the settings.
    assert_eq!(bots(&["anna", "ben"]), 3 * 2);
    assert!(order(&["--take-back", "ben"]).status.success() && order(&["--close"]).status.success());
    cup.host();
    assert_eq!(cup.told("ben").1["state"], "plays", "its text is there again");
    cup.submit("eve/bot.sh", script());
    cup.submit("ben/bot.sh", script() + "# late\n");
    cup.host();
    assert!(cup.told("ben").0.contains("note: \"ben\" was not taken: it came after the close"));
    assert_eq!(bots(&["anna", "eve"]), 6 * 2);
    assert!(cup.told("eve").0.contains("it came after the close of the contest"));
    assert_eq!(fs::read_dir(cup.at("orders")).expect("a folder").count(), 0);
    succeed(folder, &["replay", "cup/results", "--all", "--quiet"]);
}

/// A version that fails in most of its matches gives its place back to the one before.
#[test]
fn a_version_that_breaks_in_its_matches_gives_way_to_the_one_before() {
    let cup = Cup::new();
    cup.settings("");
    let fails = "[ -e fail ] || exec ARENA bot random\nread -r line; echo '{\"type\":\"hello\",\"protocol\":1}'\n\
                 read -r line; echo '{\"type\":\"ready\"}'; read -r line; exit 3\n";
    let fails = fails.replace("ARENA", &format!("'{}'", env!("CARGO_BIN_EXE_arena")));
    cup.submit("anna/bot.sh", script());
    cup.host();
    cup.submit("anna/bot.sh", fails);
    cup.host();
    assert_eq!(cup.told("anna").1["state"], "plays");
    fs::write(cup.at("versions/anna/2/fail"), "").expect("a file");
    cup.settings_of("", "rounds = 4");
    let said = cup.host();
    let reason = "4 of its 4 matches had a fault of its own: exit 4";
    assert!(said.contains(&format!("anna 2: broken: {reason}")), "{said}");
    let (text, data) = cup.told("anna");
    assert!(text.starts_with("anna, version 2: broken\n") && text.contains(reason), "{text}");
    assert_eq!(data["state"], "broken");
    let plan = fs::read_to_string(cup.at("results/tournament.json")).expect("a plan");
    assert!(plan.contains("versions/anna/1") && !plan.contains("versions/anna/2"), "{plan}");
    assert_eq!(played(&cup.at("results")).len(), 4);
}

/// A new version plays against all others before it counts. If it fails, nothing has changed; if it passes, these matches
/// count.
#[test]
fn a_new_version_has_its_trial_before_it_counts() {
    let cup = Cup::new();
    cup.settings_of("", "rounds = 10");
    let may_fail = "[ -e fail ] || exec ARENA bot random\nread -r line; echo '{\"type\":\"hello\",\"protocol\":1}'\n\
                    read -r line; echo '{\"type\":\"ready\"}'; read -r line; exit 3\n";
    let may_fail = may_fail.replace("ARENA", &format!("'{}'", env!("CARGO_BIN_EXE_arena")));
    ["anna", "ben"].iter().for_each(|name| cup.submit(&format!("{name}/bot.sh"), script()));
    cup.host();
    let journal = cup.at("results/matches.jsonl");
    let before = fs::read(&journal).expect("a journal");
    succeed(cup.folder.path(), &["host", "cup", "--pause"]);
    cup.submit("ben/bot.sh", may_fail);
    cup.host();
    fs::write(cup.at("versions/ben/2/fail"), "").expect("a file");
    succeed(cup.folder.path(), &["host", "cup", "--go-on"]);
    cup.host();
    let (text, _) = cup.told("ben");
    assert!(text.contains("broken") && text.contains("16 of its 16 matches"), "{text}");
    assert!(fs::read(&journal).expect("a journal") == before, "it counts for nobody");
    assert!(!cup.at("results/replaced-1.jsonl").exists());

    cup.submit("anna/bot.sh", script() + "# better\n");
    let mut host = crate::program::command();
    host.args(["host", "cup", "--once"]).current_dir(cup.folder.path()).stdin(Stdio::null());
    let mut host = host.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the arena starts");
    let lines = |path: &Path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let records = whole.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let of_no_place = records.map(|mut record| {
            let fields = record.as_object_mut().expect("a record");
            fields.retain(|name, _| !["match", "check"].contains(&name.as_str()));
            record
        });
        of_no_place.collect::<Vec<Value>>()
    };
    let mut tried = Vec::new();
    while host.try_wait().expect("it is ours").is_none() {
        let now = lines(&cup.at("trials/anna/matches.jsonl"));
        tried = if now.is_empty() { tried } else { now };
    }
    let counted = lines(&journal);
    let missing = tried.iter().find(|record| !counted.contains(record));
    assert!(!tried.is_empty() && missing.is_none(), "{missing:?}");
    assert_eq!(played(&cup.at("results")).len(), 3 * 10);
    assert_eq!(fs::read_dir(cup.at("trials")).expect("a folder").count(), 0);
    succeed(cup.folder.path(), &["replay", "cup/results", "--all", "--quiet"]);
}

/// Before matches, only bots start whose greeting is not known, or whose files have changed since.
#[test]
fn bots_that_have_started_are_not_started_again() {
    let folder = scratch();
    let dir = folder.path().join("one");
    fs::create_dir(&dir).expect("a folder");
    let file = dir.join("bot.sh");
    let text = format!("echo >> ../starts; exec '{}' bot random\n", env!("CARGO_BIN_EXE_arena"));
    fs::write(&file, &text).expect("a file");
    let bot =
        Identity { name: "one".into(), command: "sh bot.sh".into(), dir: Some(dir), ..Identity::default() };
    let host = Host::with_supervisor(env!("CARGO_BIN_EXE_arena")).contain(SandboxLevel::Off);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let patient = TimeControl::new(Duration::from_secs(60), Duration::from_secs(60));
    let mut known = Greetings::new();
    let mut started = || {
        let mut bots = [Entrant::new(&bot).expect("a bot")];
        let guard = Guard::Watch(None);
        let greeted = preflight(&mut bots, &host, patient, &[], &guard, &mut known);
        runtime.block_on(greeted).into_iter().for_each(|greeted| greeted.expect("it greets"));
        assert!(bots[0].identity.version.is_some(), "the greeting counts");
        fs::read_to_string(folder.path().join("starts")).expect("it has started").len()
    };
    let once = started();
    assert_eq!(started(), once);
    fs::write(&file, text + "# better\n").expect("a file");
    assert!(started() > once);
}

/// A trial that another version interrupts goes on, and no bot is judged by a part of it.
#[test]
fn a_trial_that_is_interrupted_goes_on() {
    let cup = Cup::new();
    cup.settings_of("accept = \"100ms\"", "rounds = 8");
    ["anna", "ben"].iter().for_each(|name| cup.submit(&format!("{name}/bot.sh"), script()));
    cup.host();
    succeed(cup.folder.path(), &["host", "cup", "--pause"]);
    let slow = "[ ! -e slow ] || while read -r line; do sleep 0.01; echo \"$line\"; done | ARENA bot random\nexec ARENA bot random\n";
    cup.submit("anna/bot.sh", slow.replace("ARENA", &format!("'{}'", env!("CARGO_BIN_EXE_arena"))));
    cup.host();
    fs::write(cup.at("versions/anna/2/slow"), "").expect("a file");
    succeed(cup.folder.path(), &["host", "cup", "--go-on"]);
    let mut host = crate::program::command();
    host.args(["host", "cup"]).current_dir(cup.folder.path()).stdin(Stdio::null());
    let mut host = host.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the arena starts");
    wait_until("a trial", || !played(&cup.at("trials/anna")).is_empty());
    cup.submit("ben/bot.sh", script() + "# better\n");
    let plays = |name: &str| {
        cup.events("accepted").iter().filter_map(|line| line["versions"][name].as_u64()).max() == Some(2)
    };
    wait_until("both versions", || plays("anna") && plays("ben"));
    host.kill().and_then(|()| host.wait()).expect("it is ours");
    cup.host();
    assert_eq!(played(&cup.at("results")).len(), 3 * 8);
}

/// The end of a contest: a final on a seed that nobody chose, and then everybody sees everything.
#[test]
fn a_final_has_a_committed_seed_and_then_all_is_published() {
    let cup = Cup::new();
    let last = "[contest.final]\nschedule = \"swiss\"\nrounds = 3";
    cup.settings_of(last, "rounds = 2");
    let folder = cup.folder.path();
    let contest = |args: &[&str]| arena(folder, &[&["host", "cup"], args].concat());
    ["anna", "ben"].iter().for_each(|name| cup.submit(&format!("{name}/bot.sh"), script()));
    cup.host();
    succeed(folder, &["host", "cup", "--pause"]);
    cup.submit("ben/bot.sh", script() + "# better\n");
    cup.host();
    let refused = |args: &[&str], said: [&str; 2]| {
        let output = contest(args);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.iter().all(|said| text.contains(said)), "{text}");
    };
    for args in [&["--final", "--commit", "the lottery"][..], &["--publish"]] {
        refused(args, ["not done with versions/ben/2", "--go-on"]);
    }
    succeed(folder, &["host", "cup", "--go-on"]);
    refused(&["--final"], ["cup/orders/", "--once"]);
    cup.submit("late/bot.sh", script());
    cup.host();
    assert!(cup.told("late").0.contains("after the close of the contest"));
    let committed = contest(&["--final", "--commit", "the lottery", "--form", "text=[a-z]+"]);
    let lines = String::from_utf8_lossy(&committed.stdout).into_owned();
    assert!(committed.status.success() && lines.contains("the lottery"), "{lines}");
    succeed(folder, &["host", "cup", "--withdraw", "ben"]);
    cup.host();
    refused(&["--final", "--reveal", "seventeen"], ["have changed since the commitment", "--final --commit"]);
    succeed(folder, &["host", "cup", "--take-back", "ben"]);
    cup.host();
    assert!(!contest(&["--final", "--reveal", "17"]).status.success(), "it has another form");
    for _ in 0..2 {
        // The second time, nothing is left to play.
        let table = contest(&["--final", "--reveal", "seventeen"]);
        assert!(table.status.success(), "{}", String::from_utf8_lossy(&table.stderr));
    }
    let of = |dir: &str| {
        let text = fs::read_to_string(cup.at(dir).join("tournament.json")).expect("a plan");
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    assert_eq!((&of("final")["schedule"], &of("final")["rounds"]), (&"swiss".into(), &3.into()));
    assert_eq!(of("results")["deals_known"], Value::Null);
    succeed(folder, &["replay", "cup/final", "--all", "--quiet"]);
    succeed(folder, &["host", "cup", "--publish"]);
    cup.host();
    assert_eq!((&of("results")["deals_known"], &of("final")["deals_known"]), (&true.into(), &true.into()));
}

/// A build that does not end keeps one core, and the matches go on. No bot runs out of time because of it.
#[test]
fn matches_go_on_beside_a_build() {
    let cup = Cup::new();
    if !cup.is_strict() || std::thread::available_parallelism().map_or(1, usize::from) == 1 {
        return;
    }
    let rounds = needs::sized(20, 200, 200);
    // The strict sandbox is what a contest has by itself.
    let text = format!(
        "[contest]\nsettle = \"300ms\"\n[tournament]\nrounds = {rounds}\n[limits]\nstartup-time = \"20s\"\nmove-time = \"50ms\""
    );
    fs::write(cup.at("contest.toml"), text).expect("a file");
    // As a compiler does that never ends: processes that compute on as many threads as it can.
    let busy = "touch begun; for one in 1 2 3 4; do (while ! test -e go; do :; done) & done; wait";
    cup.submit("slow/bot.toml", format!("build = \"{busy}\"\nrun = \"true\"\n"));
    let mut host = crate::program::command();
    host.args(["host", "cup"]).current_dir(cup.folder.path()).stdin(Stdio::null());
    let mut host = host.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the arena starts");
    wait_until("a build", || cup.at("versions/slow/1/begun").exists());
    cup.submit("anna/bot.sh", script());
    cup.submit("ben/bot.sh", script());
    wait_until("all matches", || played(&cup.at("results")).len() == rounds);
    let journal = fs::read_to_string(cup.at("results/matches.jsonl")).expect("a journal");
    assert!(!journal.contains("\"timeout\""), "a build takes nobody's time");
    assert!(cup.events("checked").iter().all(|line| line["name"] != "slow"), "its build has not ended");
    fs::write(cup.at("versions/slow/1/go"), "").expect("a file");
    wait_until("the end of the build", || cup.at("checks/slow.txt").exists());
    kill_process(Pid::from_child(&host), Signal::TERM).expect("it runs");
    assert_eq!(host.wait().expect("it ends").code(), Some(75));
    let plan = fs::read_to_string(cup.at("results/tournament.json")).expect("a plan");
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    assert_eq!(plan["containment"]["mode"], "strict");
}

/// A version is what was handed in when nobody wrote any more. The same files are no new version.
#[test]
fn a_hand_in_is_taken_when_nobody_writes_it_and_again_when_it_changes() {
    let cup = Cup::new();
    cup.submit("slow/README", "");
    let mut open = File::create(cup.at("submissions/slow/more")).expect("a file");
    let mut host = crate::program::command();
    host.args(["host", "cup"]).current_dir(cup.folder.path()).stdin(Stdio::null());
    let said = cup.folder.path().join("said");
    let stderr = File::create(&said).expect("a file");
    let mut host = host.stdout(Stdio::null()).stderr(stderr).spawn().expect("the arena starts");
    cup.submit("quick/README", "");
    let taken = |name: &str, number: u32| {
        wait_until(name, || {
            cup.events("checked").iter().any(|line| line["name"] == name && line["number"] == number)
        });
    };
    taken("quick", 1);
    cup.submit("second/README", "2");
    taken("second", 1);
    assert!(cup.events("received").iter().all(|line| line["name"] != "slow"), "it is still being written");
    let note = "note: waiting for \"submissions/slow\": a process has it open to write\n";
    let notes = || fs::read_to_string(&said).unwrap_or_default().matches(note).count();
    wait_until("a note", || notes() == 1);
    open.write_all(b"then ").expect("a file");
    cup.submit("third/README", "3");
    taken("third", 1);
    assert_eq!(notes(), 1, "once is enough");
    open.write_all(b"the end").expect("a file");
    drop(open);
    taken("slow", 1);
    assert_eq!(fs::read(cup.at("versions/slow/1/more")).expect("a file"), b"then the end");
    // Another time is no other version, other contents are.
    File::options()
        .append(true)
        .open(cup.at("submissions/slow/more"))
        .and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH))
        .expect("a time");
    wait_until("again", || cup.events("received").iter().filter(|line| line["name"] == "slow").count() == 2);
    cup.submit("slow/more", "another end");
    taken("slow", 2);
    assert_eq!(fs::read(cup.at("versions/slow/1/more")).expect("a file"), b"then the end");
    let pid = Pid::from_child(&host);
    kill_process(pid, Signal::INT).expect("it runs");
    assert_eq!(host.wait().expect("it ends").code(), Some(130));
    assert_eq!(cup.events("checked").len(), 5);
}

/// Every hand-in becomes one version, which is checked from its own files, although the arena is killed at any moment.
#[test]
fn a_contest_survives_kills() {
    let cup = Cup::new();
    // A build that finds what an earlier one left says so.
    let recipe =
        "build = \"test ! -e built && touch built && sleep 0.3 && echo x > done\"\nrun = \"sh bot.sh\"\n";
    let names = ["anna", "ben", "carla", "dan"];
    for name in names {
        cup.submit(&format!("{name}/bot.toml"), recipe);
        cup.submit(&format!("{name}/bot.sh"), "exit 3\n");
        cup.submit(&format!("{name}/whose"), name);
    }
    let mut chance = Dealer::new(7, 0);
    for _ in 0..needs::sized(2, 6, 30) {
        let mut host = crate::program::command();
        host.args(["host", "cup"]).current_dir(cup.folder.path()).stdin(Stdio::null());
        let mut host = host.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the arena starts");
        std::thread::sleep(Duration::from_millis(300 + u64::from(chance.below(1_500))));
        host.kill().and_then(|()| host.wait()).expect("it is ours");
    }
    cup.host();
    for (event, count) in [("received", names.len()), ("checked", names.len())] {
        assert_eq!(cup.events(event).len(), count, "{event}");
    }
    for name in names {
        let (text, data) = cup.told(name);
        assert_eq!(data["state"], "does not start", "{text}");
        assert_eq!(fs::read_to_string(cup.at(&format!("versions/{name}/1/whose"))).expect("a file"), name);
        assert!(cup.at(&format!("versions/{name}/1/done")).exists());
    }
    assert_eq!(cup.left(), Vec::<PathBuf>::new());
}

/// A bot, or its build, that looks for what others handed in finds its own folder alone, whatever its recipe says.
#[test]
fn neither_bots_nor_builds_see_anything_else_of_the_contest() {
    let cup = Cup::new();
    if !cup.is_strict() {
        return;
    }
    cup.submit("anna/README", "the secret of anna");
    cup.host();
    let all = cup.at("");
    let look = format!(
        "cat '{0}versions/anna/1/README' ../../anna/1/README '{0}submissions/anna/README' '{0}contest.toml' \
         '{0}contest.jsonl' '{0}checks/anna.txt' '{0}submissions/spy/bot.toml' 2>/dev/null; ls '{0}' '{0}versions' \
         '{0}checks' ../.. ../../anna 2>/dev/null; true",
        all.display()
    );
    cup.submit("spy/look", &look);
    cup.submit("spy/bot.toml", format!("build = '''sh ./look > seen; touch '{0}contest.toml' '{0}versions/x' ../x; true'''\nrun = '''sh -c \"sh ./look >&2; exit 3\" ../../anna/1 {0}versions/anna/1/README {0}'''\n", all.display()));
    let before = fs::read(cup.at("contest.toml")).expect("a file");
    cup.host();
    let (text, data) = cup.told("spy");
    assert_eq!(data["state"], "does not start", "{text}");
    assert!(!text.contains("secret of anna") && !text.contains("checks"), "{text}");
    assert!(text.contains("exited with status 3"), "{text}");
    assert_eq!(fs::read_to_string(cup.at("versions/spy/1/seen")).expect("its build ran"), "");
    assert!(!cup.at("versions/x").exists() && !cup.at("versions/spy/x").exists());
    assert_eq!(fs::read(cup.at("contest.toml")).expect("a file"), before);
    // Nor does another arena show a part of the contest to a bot that names it.
    let folder = cup.folder.path();
    executable::write(
        &folder.join("outside"),
        "#!/bin/sh\ncat \"$@\" cup/versions/anna/1/README; true\n",
        "755",
    );
    let output = arena(
        folder,
        &["run", "--contain", "strict", "--", "./outside", "cup/versions/anna/1/README", "cup/contest.toml"],
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
}

/// The commands of a hand-in open no file of the organiser, and do not stop other bots.
#[test]
fn commands_of_a_hand_in_open_nothing_and_stop_nobody() {
    let cup = Cup::new();
    if !cup.is_strict() {
        return;
    }
    // One of these bots waits for a pipe.
    let settings = fs::read_to_string(cup.at("contest.toml")).expect("settings");
    fs::write(cup.at("contest.toml"), settings.replace("20s", "3s")).expect("a file");
    let folder = cup.folder.path();
    let (exam, cargo) = (folder.join("org/exam.txt"), folder.join("cargo"));
    for (file, text) in [(exam.clone(), "the exam"), (cargo.join("credentials.toml"), "the token")] {
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }
    executable::write(&folder.join("org/tool"), "#!/bin/sh\necho the tool >&2\n", "755");
    let (exam, tool) = (exam.display(), folder.join("org/tool"));
    let look = format!("cat {exam} >&2; ls {} >&2; exit 3", folder.join("org").display());
    for (name, recipe) in [
        ("named", format!("run = \"sh look {exam} --x={exam}\"")),
        ("text", format!("run = \"sh -c 'cat {exam} >&2; exit 3'\"")),
        ("tool", format!("run = \"{}\"", tool.display())),
        ("build", format!("run = \"x\"\nbuild = \"cat {exam} $CARGO_HOME/credentials.toml; false\"")),
        ("git", "run = \"git:HEAD\"".to_owned()),
        ("fifo", "run = \"sh bot.sh\"\nbuild = \"mkfifo bot.sh\"".to_owned()),
        ("nul", "run = \"x\"\nbuild = \"echo \\u0000\"".to_owned()),
        ("human", "run = \"human\"".to_owned()),
    ] {
        cup.submit(&format!("{name}/bot.toml"), recipe);
        cup.submit(&format!("{name}/look"), &look);
    }
    let mut host = crate::program::command();
    host.args(["host", "cup", "--once"]).current_dir(folder).env("CARGO_HOME", cargo).stdin(Stdio::null());
    let output = host.output().expect("the arena starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["named", "text", "tool", "build", "git", "fifo", "nul", "human"] {
        let (text, data) = cup.told(name);
        assert!(data["state"] == "does not start" || data["state"] == "not built", "{text}");
        for secret in ["the exam", "the token", "says \"the tool"] {
            assert!(!text.contains(secret), "{name}: {text}");
        }
    }
}

/// A bot that does not start any more leaves the contest, and the others play on.
#[test]
fn a_bot_that_stops_to_start_leaves_and_the_others_play_on() {
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later");
    // A busy machine needs longer for the first matches.
    for seconds in [3, 6, 12, 24, 48, 96, 192] {
        let cup = Cup::new();
        cup.settings_of("", "rounds = 2");
        let end = now() + Duration::from_secs(seconds);
        cup.submit("anna/bot.sh", format!("[ $(date +%s) -gt {} ] && exit 1\n{}", end.as_secs(), script()));
        cup.submit("ben/bot.sh", script());
        cup.host();
        if now() >= end {
            continue;
        }
        assert_eq!(played(&cup.at("results")).len(), 3 * 2);
        wait_until("the end of a bot", || now().as_secs() > end.as_secs());
        cup.submit("carl/bot.sh", script());
        let said = cup.host();
        assert!(said.contains("anna 1: broken: "), "{said}");
        let matches = played(&cup.at("results"));
        assert!(matches.len() == 3 * 2 && matches.keys().all(|key| !key.contains("anna")), "{matches:?}");
        return;
    }
    panic!("the machine is too busy");
}

/// Runs the attacks again as an ordinary user, if the tests run as root and that user may execute the arena.
#[test]
fn contests_hold_for_an_ordinary_user() {
    if is_again() || !needs::NOBODY_STARTS_TESTS.is_met() {
        return;
    }
    let exe = std::env::current_exe().expect("a test has a file");
    let all = ["host::neither", "host::archives", "host::settings", "host::commands"];
    passes_again(needs::as_nobody(exe).args(&all[..needs::sized(3, 4, 4)]));
}

#[test]
fn settings_and_folders_that_are_wrong_are_told() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    fs::create_dir_all(folder.join("full")).expect("a folder");
    fs::write(folder.join("full/thesis.txt"), "").expect("a file");
    let refused = |cup: &str| {
        let output = arena(folder, &["host", cup, "--once"]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("full").contains("full has files, but no contest.toml"));
    assert!(!folder.join("full/contest.jsonl").exists());
    for (settings, said) in [
        (
            "[contest]\nclose = 1\n",
            "contest.toml line 2: unknown key `close` in [contest]; did you mean `closes`?",
        ),
        (
            "[contest]\ncloses = \"soon\"\n",
            "contest.toml line 2: closes: a moment is 2027-05-01T18:00:00+02:00",
        ),
        ("[contest]\nnames = 'x'\n", "it has no group for the author"),
        ("[tournament]\nseats = 4\n", "contest.toml: a contest is a round robin of two seats"),
        ("[tournament]\nschedule = \"swiss\"\n", "contest.toml: a contest is a round robin of two seats"),
        // The sandbox closes the folder to every program, those of the organiser too.
        (
            "[game]\ncommand = \"python3 own/game.py\"\n",
            "cup/own/game.py\n  hint: the sandbox closes the folder",
        ),
        ("[[bot]]\nname = \"house\"\ncommand = \"./game.py\"\ndir = \"own\"\n", "no program sees "),
    ] {
        fs::create_dir_all(folder.join("cup/own")).expect("a folder");
        fs::write(folder.join("cup/own/game.py"), "").expect("a file");
        fs::write(folder.join("cup/contest.toml"), settings).expect("a file");
        let text = refused("cup");
        assert!(text.contains(said), "{said}\n{text}");
    }
    fs::write(folder.join("cup/contest.jsonl"), "{\"no\":1}\n").expect("a file");
    fs::write(folder.join("cup/contest.toml"), "[limits]\ncontain = \"off\"\n").expect("a file");
    assert!(refused("cup").contains("contest.jsonl is not the journal of a contest"));
}

#[test]
fn what_comes_too_early_waits_and_what_comes_too_late_is_told() {
    let cup = Cup::new();
    cup.settings("opens = 2999-01-01T00:00:00Z");
    cup.submit("anna/README", "");
    assert_eq!(cup.host(), "");
    assert!(!cup.at("checks/anna.txt").exists());
    cup.settings("closes = 2020-01-01T00:00:00Z");
    cup.host();
    let (text, _) = cup.told("anna");
    assert!(
        text.contains("reason: it came after the close of the contest\nwhat to do: ask the organiser"),
        "{text}"
    );
    assert_eq!(cup.events("received").len(), 0);
    // The organiser has given more time.
    cup.settings("closes = 2999-01-01T00:00:00Z");
    cup.host();
    assert_eq!(cup.events("received").len(), 1);
}
