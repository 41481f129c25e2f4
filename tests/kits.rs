//! The bot templates are small and complete, and each one is a correct bot. The tests skip templates whose
//! languages are not installed.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use arena::templates::{self, Template};
use serde_json::Value;

use crate::program::complaints;

/// Maximum number of lines of a bot's file.
const LINES_MAX: usize = 130;
/// Other files that a template may have: its README, a JSON reader, build files, and the module for Python
/// authors.
const BESIDE_THE_BOT: [&str; 7] = [
    "readme.md",
    "json.",
    "cargo.toml",
    "tsconfig.json",
    "pyproject.toml",
    "quilt/__init__.py",
    "quilt/py.typed",
];
/// Templates whose compiler or start takes seconds of CPU time. `cargo test` leaves them to `.ci/run`, and that leaves their
/// commented-out code to `.ci/run --full`, which builds them a second time.
const SLOW: [&str; 10] =
    ["bash", "csharp", "d", "elixir", "haskell", "java", "nim", "rust", "scheme", "typescript"];
/// Maximum number of columns in any file of a template.
const COLUMNS_MAX: usize = 110;
/// One of these templates uses the engine with all its moves, and the other asks a model, so they decide differently from
/// the others.
const OWN_DECISIONS: [&str; 2] = ["rust", "model"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn kits_are_small_and_say_how_they_are_built_and_run() {
    for kit in templates::all() {
        let text = |wanted: &str| {
            let found = kit.files().iter().find(|(name, _)| *name == wanted);
            found.unwrap_or_else(|| panic!("{} has no {wanted}", kit.name)).1
        };
        let (bot, readme) = (text(&kit.facts().bot), text("README.md"));
        assert!(bot.lines().count() <= LINES_MAX, "{}: {} lines", kit.name, bot.lines().count());
        for (name, _) in kit.files().iter().filter(|(name, _)| *name != kit.facts().bot) {
            let is_beside = BESIDE_THE_BOT.iter().any(|part| name.to_lowercase().contains(part));
            assert!(is_beside, "{}: {name} should be in the bot's own file", kit.name);
        }
        for (name, text) in kit.files() {
            let long = text.lines().find(|line| line.chars().count() > COLUMNS_MAX);
            assert_eq!(long, None, "{}: {name}", kit.name);
        }
        for fact in kit.facts().build.iter().map(String::as_str).chain(kit.facts().tested.split(", ")) {
            assert!(readme.contains(fact), "{}: README.md does not say {fact:?}", kit.name);
        }
        assert!(readme.contains("arena check --bot"), "{}", kit.name);
    }
}

#[test]
fn every_folder_of_bots_is_a_kit_with_all_its_files() {
    let listed = templates::all().iter().map(|kit| kit.name);
    let listed: BTreeSet<&str> = listed.chain(templates::GAMES.iter().map(|game| game.name)).collect();
    let folders = fs::read_dir(root().join("bots")).expect("the folder of bots").flatten();
    let folders: BTreeSet<String> = folders
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().expect("a plain name"))
        .collect();
    assert_eq!(folders.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed);
    assert_eq!(templates::find("python").expect("a kit").facts().probe, needs::PYTHON_PROBE);
    let readme = fs::read_to_string(root().join("bots/README.md")).expect("the list of bots");
    for kit in templates::all() {
        let row = format!("| {} | `{}` | {} |", kit.facts().language, kit.name, kit.facts().tested);
        assert!(readme.contains(&row), "bots/README.md lacks {row}");
    }
}

/// The largest seed, which needs all bits of a number in JavaScript.
const SEED_MAX: u64 = (1 << 53) - 1;

/// Returns the bot with its commented-out code: lines whose comment begins with no space.
fn uncommented(kit: &Template, text: &str) -> String {
    let sign = text
        .lines()
        .map(str::trim_start)
        .filter(|line| !["#!", "#include"].iter().any(|no| line.starts_with(no)));
    let sign = { sign }
        .find_map(|line| ["//", "#", "--", ";", "(*"].into_iter().find(|sign| line.starts_with(sign)));
    let sign = sign.unwrap_or_else(|| panic!("{} has no comment", kit.name));
    let one = |line: &str| {
        let (space, rest) = line.split_at(line.len() - line.trim_start().len());
        let is_code = |rest: &&str| !rest.starts_with([' ', '/', '!', ';', '#', '-']) && !rest.is_empty();
        let code = rest.strip_prefix(sign).filter(is_code);
        code.map_or_else(
            || line.to_owned(),
            |code| format!("{space}{}", code.replacen("*)", "", usize::from(sign == "(*"))),
        )
    };
    text.lines().map(one).collect::<Vec<_>>().join("\n") + "\n"
}

/// Returns what the arena sends to seat 0 in a dialogue of the documents, with this seed and other limits, and the time to
/// search in each turn. That is nine tenths of `time_ms`. With a match limit it is a twentieth and the increment, if that
/// is less.
fn dialogue(game: &str, seed: u64) -> (String, Vec<u64>) {
    let document = root().join(format!("docs/reference/dialogue-{game}.md"));
    let document = fs::read_to_string(document).expect("a dialogue");
    let (mut lines, mut budgets) = (String::new(), Vec::new());
    for line in document.lines().filter_map(|line| line.strip_prefix("arena -> 0 ")) {
        let mut message: Value = serde_json::from_str(line).expect("JSON");
        let is_match_limited = game == "patchwork";
        if message["type"] == "start" {
            message["seed"] = seed.into();
            if is_match_limited {
                message["limits"]["match_ms"] = 60_000.into();
                message["limits"]["increment_ms"] = 500.into();
            }
        }
        if message["type"] == "turn" {
            let time = [40_000, 200, 999][budgets.len() % 3];
            message["time_ms"] = time.into();
            let share = if is_match_limited { time / 20 + 500 } else { time };
            budgets.push(share.min(time * 9 / 10));
        }
        lines += &format!("{message}\n");
    }
    (lines + "{\"type\":\"quit\"}\n", budgets)
}

/// Sends lines to a bot, and returns its moves.
fn moves(folder: &Path, kit: &Template, lines: &str) -> Result<Vec<Value>, String> {
    let mut bot = Command::new("sh");
    bot.args(["-c", &kit.command(&folder.to_string_lossy())]).env("HOME", folder).envs(toolchain());
    bot.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut bot = bot.spawn().map_err(|error| error.to_string())?;
    let mut stdin = bot.stdin.take().expect("it is piped");
    let text = lines.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = bot.wait_with_output().map_err(|error| error.to_string())?;
    writer.join().expect("it does not panic").map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let answers: Result<Vec<Value>, _> =
        output.stdout.lines().map_while(Result::ok).map(|line| serde_json::from_str(&line)).collect();
    let answers = answers.map_err(|error| format!("{error}: {said}"))?;
    match output.status.success() {
        true => Ok(answers.into_iter().filter(|answer| answer["type"] == "move").collect()),
        false => Err(said),
    }
}

/// Returns what is wrong with the moves of a bot whose commented-out code runs. `usual` are the moves of an unchanged kit.
fn wrong_numbers(folder: &Path, kit: &Template, game: &str, usual: &[Value]) -> Result<(), String> {
    let of = |seed| {
        let found = moves(folder, kit, &dialogue(game, seed).0)?;
        let column = |name: &str| found.iter().map(|one| one["data"][name].clone()).collect::<Vec<_>>();
        Ok::<_, String>((played(&found), column("seed"), column("budget_ms"), column("chance")))
    };
    let budgets = dialogue(game, SEED_MAX).1;
    let (moves, seeds, times, chances) = of(SEED_MAX)?;
    let whole = |one: &Value| one.as_f64().filter(|one| one.fract() == 0.0).map(|one| one as u64);
    let (again, other) = (of(SEED_MAX)?.3, of(SEED_MAX - 1)?.3);
    for (is_right, what) in [
        (OWN_DECISIONS.contains(&kit.name) || moves == usual, "the moves are others"),
        (seeds.iter().all(|seed| whole(seed) == Some(SEED_MAX)), "the seed is another"),
        (times.iter().filter_map(whole).collect::<Vec<_>>() == budgets, "the time is another"),
        (chances.iter().all(Value::is_number), "chance is no number"),
        (chances == again, "the same seed has another chance"),
        (chances != other, "another seed has the same chance"),
    ] {
        if !is_right {
            return Err(format!(
                "{game}: {what}: {seeds:?} {times:?} for {budgets:?} {chances:?} {again:?} {other:?}"
            ));
        }
    }
    Ok(())
}

fn played(moves: &[Value]) -> Vec<Value> {
    moves.iter().map(|one| one["move"].clone()).collect()
}

/// Each kit has commented-out lines that seed chance, share out the time, and send numbers up to 2 to the 53. With them,
/// the kit builds without any other change.
fn run_commented_lines(kits: &[&Template], scratch: &Path) {
    // All kits play alike, so one of them shows what comments must not change.
    let Some(usual) = kits.iter().find(|kit| kit.facts().build.is_none()) else { return };
    // But for one, which has moves of its own.
    let usual = ["doodle", "patchwork"].map(|game| {
        let lines = dialogue(game, SEED_MAX).0;
        (game, played(&moves(&scratch.join(usual.name), usual, &lines).expect("it plays")))
    });
    let complaint = |kit: &&Template| {
        let wrong = |what: &str| Some(format!("{}: {what}", kit.name));
        let folder = scratch.join(kit.name);
        let path = folder.join(&kit.facts().bot);
        let text = fs::read_to_string(&path).expect("a bot");
        let open = uncommented(kit, &text);
        if open == text {
            return wrong("it has no commented-out code");
        }
        if let Some(long) = open.lines().find(|line| line.chars().count() > COLUMNS_MAX) {
            return wrong(long);
        }
        fs::write(&path, open).expect("a file");
        let all = |(game, usual): &(&str, Vec<Value>)| wrong_numbers(&folder, kit, game, usual).err();
        built(kit, scratch).or_else(|| wrong(&usual.iter().find_map(all)?))
    };
    let found = complaints(kits, complaint);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn arena(folder: &Path, args: &[&str]) -> Output {
    crate::program::command().current_dir(folder).args(args).output().expect("the arena starts")
}

/// Returns the output of a program that failed.
fn complaint(kit: &Template, output: &Output) -> Option<String> {
    let printed = [&output.stdout[..], &output.stderr].concat();
    (!output.status.success()).then(|| format!("{}: {}", kit.name, String::from_utf8_lossy(&printed)))
}

/// Creates a template like a user and builds it with the command of its README.
fn build(kit: &Template, scratch: &Path) -> Option<String> {
    let output = arena(scratch, &["new", kit.name, kit.name]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let build = kit.facts().build.as_ref()?;
    if !stdout.contains(build.as_str()) {
        return Some(format!("{}: {stdout}{}", kit.name, String::from_utf8_lossy(&output.stderr)));
    }
    built(kit, scratch)
}

/// Builds a kit that lies in this folder.
fn built(kit: &Template, scratch: &Path) -> Option<String> {
    let build = kit.facts().build.as_ref()?;
    let mut shell = Command::new("sh");
    shell.args(["-c", build]).current_dir(scratch.join(kit.name));
    // Full optimization would take Cargo longer than these matches take.
    shell.env_remove("CARGO_TARGET_DIR"); // the template defines the path of its program
    // Compilers keep caches in the home folder, which may be read-only.
    shell.env("HOME", scratch).env_remove("XDG_CACHE_HOME").envs(toolchain());
    shell.env("JAVA_TOOL_OPTIONS", needs::JAVA_WITHOUT_FILES);
    shell.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_LTO", "off");
    complaint(kit, &shell.output().expect("a shell"))
}

/// Returns the folders of the Rust toolchain, which are in the home folder by default.
fn toolchain() -> impl Iterator<Item = (&'static str, PathBuf)> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")]
        .into_iter()
        .map(move |(name, folder)| {
            (name, std::env::var_os(name).map_or_else(|| home.join(folder), PathBuf::from))
        })
        .filter(|(_, folder)| folder.exists())
}

/// Returns the kits that this machine can build and run. `QUILT_KITS=c,perl` restricts them.
fn complete_kits() -> Vec<&'static Template> {
    let wanted = std::env::var("QUILT_KITS").ok();
    let is_wanted = |kit: &&Template| match &wanted {
        Some(names) => names.split(',').any(|name| name == kit.name),
        None => needs::tries_more() || !SLOW.contains(&kit.name),
    };
    let is_complete = |kit: &&Template| {
        let lacks = kit.lacks();
        assert!(lacks.is_none() || !needs::is_ci(), "kit {}: {lacks:?}", kit.name);
        lacks.is_none()
    };
    templates::all().iter().filter(is_wanted).filter(is_complete).collect()
}

fn check(kit: &Template, scratch: &Path) -> Option<String> {
    let bot = format!("{}={}", kit.name, kit.command(kit.name));
    // The machine is busy, so the limits are generous. A bot that exceeds them hangs.
    let matches = needs::sized("3", "3", "30");
    let limits = ["--startup-time", "60s", "--move-time", "20s", "--matches", matches, "--patience", "3s"];
    let output = arena(scratch, &[&["check", "--bot", &bot], &limits[..]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let has_findings = text.contains("\nwarn") || text.contains("\nnote");
    complaint(kit, &output).or_else(|| has_findings.then(|| format!("{}: {text}", kit.name)))
}

#[test]
fn every_kit_is_a_sound_bot_and_all_of_them_play_alike() {
    let kits = complete_kits();
    let scratch = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let found = complaints(&kits, |kit| build(kit, scratch.path()));
    assert!(found.is_empty(), "{}", found.join("\n"));
    // `cargo test` checks one kit in eight, and `.ci/run` one in four. All of them play.
    let checked: Vec<_> = kits.iter().step_by(needs::sized(8, 4, 1)).collect();
    let found = complaints(&checked, |kit| check(kit, scratch.path()));
    assert!(found.is_empty(), "{}", found.join("\n"));
    play_together(&kits, scratch.path());
    play_in_turn(&kits, scratch.path());
    // The kit of the model is in Python.
    let is_open = |kit: &&Template| kit.name != "model" && (needs::tries_all() || !SLOW.contains(&kit.name));
    let kits: Vec<_> = kits.into_iter().filter(is_open).collect();
    run_commented_lines(&kits, scratch.path());
}

/// Plays doodle with all bots and one start card for all. Bots with the same decisions get the same points.
fn play_together(kits: &[&Template], scratch: &Path) {
    let Some(first) = kits.iter().find(|kit| !OWN_DECISIONS.contains(&kit.name)) else { return };
    let options = [
        "--seats",
        "all",
        "--start-cards",
        "shared",
        "--rounds",
        needs::sized("1", "1", "2"),
        "--out",
        "together",
    ];
    for record in tournament(kits, scratch, &options) {
        let of = |name: &str| {
            let seat = record["bots"].as_array().expect("names").iter().position(|bot| bot == name);
            record["result"]["scores"][seat.expect("it plays")].as_i64()
        };
        for kit in kits.iter().filter(|kit| !OWN_DECISIONS.contains(&kit.name)) {
            assert_eq!(of(kit.name), of(first.name), "{} at {}", kit.name, record["seed"]);
        }
    }
}

/// Plays patchwork: each bot with the first one, in both seats. Bots with the same decisions play the same match,
/// so all their scores are equal.
fn play_in_turn(kits: &[&Template], scratch: &Path) {
    // A machine with few languages may have no two bots.
    if kits.len() < 2 {
        return;
    }
    let schedule = if needs::tries_all() { "round-robin" } else { "gauntlet" };
    let options = ["--game", "patchwork", "--schedule", schedule, "--rounds", "1", "--out", "in-turn"];
    let records = tournament(kits, scratch, &options);
    let is_own = |bot: &Value| bot.as_str().is_some_and(|bot| OWN_DECISIONS.contains(&bot));
    let alike = |record: &&Value| !record["bots"].as_array().expect("names").iter().any(is_own);
    let scores: BTreeSet<String> =
        records.iter().filter(alike).map(|record| record["result"]["scores"].to_string()).collect();
    let has_match = kits.iter().filter(|kit| !OWN_DECISIONS.contains(&kit.name)).count() > 1;
    assert_eq!(scores.len(), usize::from(has_match), "all of them play the same match: {scores:?}");
}

/// Plays a tournament in which no bot may fail, and returns its records.
fn tournament(kits: &[&Template], scratch: &Path, options: &[&str]) -> Vec<Value> {
    let bots: Vec<String> =
        kits.iter().map(|kit| format!("{}={}", kit.name, kit.command(kit.name))).collect();
    let bots = bots.iter().flat_map(|bot| ["--bot", bot]);
    let limits = ["tournament", "--seed", "1", "--quiet", "--startup-time", "60s", "--move-time", "20s"];
    let args: Vec<&str> = limits.into_iter().chain(options.iter().copied()).chain(bots).collect();
    let output = arena(scratch, &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = scratch.join(options[options.len() - 1]).join("matches.jsonl");
    let text = fs::read_to_string(journal).expect("a journal");
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    for record in &records {
        let faults = record["result"]["faults"].as_array().expect("a fault a seat");
        assert!(faults.iter().all(Value::is_null), "{}", record["turns"]);
    }
    records
}
