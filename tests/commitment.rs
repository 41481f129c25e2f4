//! The seed of a contest that was committed before: nobody can choose it, and anyone can verify that.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::cli;
use crate::program::{command, scratch, words};
use crate::serve::client::Server;

/// Plays with a folder for states of its own, and a plan of bots that take a moment.
struct Contest {
    folder: tempfile::TempDir,
}

const PLAN: [&str; 9] =
    ["tournament", "--rounds", "40", "--quiet", "--bot", "one=random", "--bot", "two=random", "--out"];

impl Contest {
    fn new() -> Contest {
        Contest { folder: scratch() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn arena(&self, args: &[&str]) -> Output {
        let mut arena = command();
        arena.env("XDG_STATE_HOME", self.path("states")).current_dir(self.folder.path()).args(args);
        arena.output().expect("it starts")
    }

    fn succeed(&self, args: &[&str]) -> String {
        let output = self.arena(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    fn said(&self, args: &[&str], status: i32) -> String {
        let output = self.arena(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
        said
    }

    fn says(&self, args: &[&str], status: i32, why: &str) {
        let said = self.said(args, status);
        assert!(said.contains(why), "{args:?} lacks {why:?}: {said}");
    }

    fn plan(&self, out: &str, more: &[&str]) -> String {
        self.succeed(&[&PLAN[..], &[out], more].concat())
    }

    fn file(&self, out: &str) -> Value {
        cli::json(&self.path(out).join("tournament.json"))
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the seed that contest.md tells how to compute.
fn seed(secret: &str, plan: &str, value: &str) -> u64 {
    let hash = sha256(&format!("{secret} {plan} {value}"));
    u64::from_str_radix(&hash[..14], 16).expect("digits") >> 3
}

/// Returns true if a file below the folder has the text.
pub(crate) fn tells(folder: &Path, text: &str) -> bool {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.path()).any(|path| match path.is_dir() {
        true => tells(&path, text),
        false => String::from_utf8_lossy(&fs::read(&path).expect("a file")).contains(text),
    })
}

#[test]
fn a_committed_seed_is_verified_by_anyone() {
    let contest = Contest::new();
    let said = contest.plan("cup", &["--commit", "the lottery of 1 May"]);
    let commitment = cli::json(&contest.path("cup/commitment.json"));
    let text = |key: &str| commitment[key].as_str().expect("a text").to_owned();
    for words in [text("secret_sha256"), text("plan"), "the lottery of 1 May".to_owned()] {
        assert!(said.contains(&words), "{said}");
    }
    let secret = contest.path("states/quilt-arena").join(format!("seed-{}", text("secret_sha256")));
    assert_eq!(fs::metadata(&secret).expect("a secret").permissions().mode() & 0o777, 0o600);
    let secret: String = fs::read(secret).expect("ours").iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!((sha256(&secret), secret.len()), (text("secret_sha256"), 64));

    // Other bots, rounds, or no commitment.
    let reveal = ["--reveal", "4 8 15 16 23 42"];
    for more in [["--bot", "three=random"], ["--rounds", "41"], ["--move-time", "3s"]] {
        let plan: Vec<&str> = PLAN.into_iter().filter(|word| !["--rounds", "40"].contains(word)).collect();
        let plan = if more[0] == "--rounds" { plan } else { PLAN.to_vec() };
        let args = [&plan[..], &["cup"], &reveal, &more].concat();
        contest.says(&args, 2, "are not those of the commitment");
    }
    contest.says(&[&PLAN[..], &["cup", "--seed", "5"], &reveal].concat(), 2, "cannot be used with");
    fs::write(contest.path("league.toml"), "[tournament]\nseed = 5\n").expect("a file");
    contest.says(&words("tournament league.toml --out cup --reveal 6"), 2, "another seed is set");
    contest.says(&[&PLAN[..], &["other"], &reveal].concat(), 2, "--reveal needs a commitment");
    assert!(!contest.path("other").exists() && !contest.path("cup/tournament.json").exists());

    // It is stopped in the middle, and shown then.
    let mut child = command();
    let args = [&PLAN[..], &["cup", "--jobs", "1"], &reveal].concat();
    child.env("XDG_STATE_HOME", contest.path("states")).current_dir(contest.folder.path()).args(args);
    let mut child = child.spawn().expect("it starts");
    while !fs::read(contest.path("cup/matches.jsonl")).is_ok_and(|lines| lines.contains(&b'\n')) {
        assert!(child.try_wait().expect("it is ours").is_none(), "it plays forty deals");
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let is_over = contest.file("cup")["commitment"]["secret"].is_string();
    if !is_over {
        contest.succeed(&["report", "cup"]);
        assert!(!tells(&contest.path("cup"), &secret));
        let page = fs::read_to_string(contest.path("report.html")).expect("a page");
        assert!(page.contains("told at the end") && !page.contains(&secret));
        let server = Server::start(&contest.path("cup"), &[]);
        let plan = server.json("/data/plan");
        assert!(plan["commitment"].as_str().is_some_and(|words| words.contains("told at the end")), "{plan}");
        contest.says(&["replay", "cup", "--all", "--quiet"], 1, "the secret is not told yet");
    }
    contest.says(&[&PLAN[..], &["cup"], &reveal].concat(), 2, "continue with --resume");
    contest.succeed(&["tournament", "--resume", "--out", "cup", "--quiet"]);

    let file = contest.file("cup");
    let told = &file["commitment"];
    assert_eq!(told["secret"], secret);
    assert_eq!(file["seed"], seed(&secret, &text("plan"), "4 8 15 16 23 42"));
    let proof = contest.succeed(&["replay", "cup", "--all", "--quiet"]);
    let follows = format!("the seed follows from the secret of commitment {}", text("secret_sha256"));
    assert!(proof.contains(&follows));
    contest.succeed(&["report", "cup"]);
    assert!(fs::read_to_string(contest.path("report.html")).expect("a page").contains(&secret));
    // What was played is what the seed alone would give.
    contest.plan("again", &["--seed", &file["seed"].to_string()]);
    let digest =
        |out: &str| contest.succeed(&["standings", out, "--details"]).lines().last().map(str::to_owned);
    assert_eq!(digest("cup"), digest("again"));

    // Bots join with another commitment, or against a note in every table.
    let joined = ["tournament", "--resume", "--out", "cup", "--quiet", "--bot", "three=random"];
    contest.says(&joined, 2, "are not those of the commitment");
    let table = contest.succeed(&[&joined[..], &["--force"]].concat());
    assert!(table.contains("are not those of the commitment"), "{table}");
}

#[test]
fn a_false_commitment_is_found() {
    let contest = Contest::new();
    contest.plan("cup", &["--commit", "a die"]);
    contest.plan("cup", &["--reveal", "6"]);
    contest.succeed(&["replay", "cup", "--all", "--quiet"]);
    let path = contest.path("cup/tournament.json");
    let honest = fs::read_to_string(&path).expect("a file");
    let file = contest.file("cup");
    let (other, another) = (json!("0".repeat(64)).to_string(), "the secret is another one");
    for (from, to, why) in [
        (file["commitment"]["secret"].to_string(), other.clone(), another),
        (file["commitment"]["secret_sha256"].to_string(), other, another),
        ("\"value\": \"6\"".to_owned(), "\"value\": \"5\"".to_owned(), "the seed does not follow from it"),
        (file["commitment"]["plan"].to_string(), json!("0".repeat(32)).to_string(), "are not those of"),
    ] {
        assert_eq!(honest.matches(&from).count(), 1, "{from}");
        fs::write(&path, honest.replace(&from, &to)).expect("it is ours");
        contest.says(&["replay", "cup", "--all", "--quiet"], 1, why);
    }
}

/// A stranger's directory may name a commitment that is not to be revealed yet.
#[test]
fn a_secret_is_told_for_its_own_seed_alone() {
    let contest = Contest::new();
    contest.plan("cup", &["--commit", "a die"]);
    contest.plan("sent", &[]);
    let committed = cli::json(&contest.path("cup/commitment.json"));
    let (path, mut file) = (contest.path("sent/tournament.json"), contest.file("sent"));
    for hash in [committed["secret_sha256"].clone(), json!("../quilt-arena/key")] {
        let mut commitment = committed.clone();
        (commitment["secret_sha256"], commitment["value"]) = (hash, json!("6"));
        file["commitment"] = commitment;
        fs::write(&path, file.to_string()).expect("it is ours");
        contest.says(&words("tournament --resume --out sent --force --trust"), 0, "note: the se");
        assert!(contest.file("sent")["commitment"]["secret"].is_null());
    }
}

#[test]
fn strict_accepts_a_committed_seed_and_stages_have_none() {
    let contest = Contest::new();
    fs::write(contest.path("league.toml"), "[[stage]]\nrounds = 1\n").expect("a file");
    let args = ["tournament", "league.toml", "--commit", "a die", "--out", "x"];
    contest.says(&args, 2, "a commitment is for one tournament");
    let found: Value =
        serde_json::from_slice(&contest.arena(&["doctor", "--format", "json"]).stdout).expect("JSON");
    let mode = if found["strict"] == true { "strict" } else { "auto" };
    contest.plan("cup", &["--contain", mode, "--commit", "a die"]);
    contest.plan("cup", &["--contain", mode, "--reveal", "6"]);
    contest.succeed(&["replay", "cup", "--all", "--quiet"]);
}

/// The value and the files that a commitment binds. Python's bots have modules beside them, and a granted folder.
#[test]
fn one_value_has_one_seed_and_no_file_of_a_bot_may_change() {
    let contest = Contest::new();
    let [bot, granted] = ["bots/anna", "granted"].map(|name| contest.path(name));
    for folder in [&bot.join("quilt"), &bot.join("__pycache__"), &bot.join(".git"), &granted] {
        fs::create_dir_all(folder).expect("a folder");
    }
    let bot_sh = format!("exec '{}' bot random\n", env!("CARGO_BIN_EXE_arena"));
    for (file, text) in
        [("bot.sh", bot_sh.as_str()), ("quilt/rules.py", "1"), ("gone.txt", "1"), (".git/HEAD", "1")]
    {
        fs::write(bot.join(file), text).expect("a file");
    }
    fs::write(granted.join("book"), "1").expect("a file");
    let compiled =
        |flags: u8| fs::write(bot.join("__pycache__/m.pyc"), [1, 2, 3, 4, flags, 0, 0, 0]).expect("a file");
    compiled(0);
    let league = "[tournament]\nrounds = 2\n[[bot]]\nname = \"anna\"\ndir = \"bots/anna\"\ncommand = \"sh bot.sh\"\n\
                  read = [\"granted\"]\n[[bot]]\nname = \"ben\"\ncommand = \"random\"\n";
    fs::write(contest.path("league.toml"), league).expect("a file");
    let play = |more: &'static str| [vec!["tournament", "league.toml", "--quiet"], words(more)].concat();
    contest.says(&play("--out cup --commit dice --form text=("), 2, "the form is numbers, or text=REGEX");
    let published = contest.succeed(&play("--out cup --commit dice"));
    assert!(
        published.ends_with("public value           dice\nform of the value      numbers\n"),
        "{published}"
    );
    fs::write(contest.path("published.txt"), format!("On my page:\n> {}", published.replace("  ", " ")))
        .expect("a file");
    fs::write(contest.path("lines.txt"), published.replace("  ", " ")).expect("a file");
    let committed = cli::json(&contest.path("cup/commitment.json"));
    let listed: Vec<&str> =
        committed["files"]["anna"].as_object().expect("files").keys().map(String::as_str).collect();
    let book = granted.join("book").canonicalize().expect("it is there");
    let book = book.to_str().expect("UTF-8");
    assert_eq!(
        listed,
        [book, "bot.sh", "gone.txt", "quilt/rules.py"],
        "no compiled module, nothing of tools"
    );

    // What is not in the list may change, and the rest is named.
    fs::write(bot.join(".git/HEAD"), "2").expect("a file");
    let reveal = play("--out cup --reveal 6");
    for (file, text, what) in [
        (bot.join("quilt/rules.py"), Some("2"), "its file quilt/rules.py has changed"),
        (bot.join("gone.txt"), None, "its file gone.txt is gone"),
        (bot.join("deals.json"), Some("1"), "its file deals.json is new"),
        (granted.join("book"), Some("2"), "book has changed"),
        (bot.join("m.pyc"), Some("1"), "its file m.pyc is new"),
    ] {
        let before = fs::read(&file).ok();
        match text {
            Some(text) => fs::write(&file, text).expect("a file"),
            None => fs::remove_file(&file).expect("it is there"),
        }
        contest.says(&reveal, 2, &format!("{what} since the commitment"));
        match before {
            Some(bytes) => fs::write(&file, bytes).expect("a file"),
            None => fs::remove_file(&file).expect("it is there"),
        }
    }
    compiled(1);
    contest.says(&reveal, 2, "its file __pycache__/m.pyc is new");
    compiled(2);
    contest.says(&play("--out cup --reveal six"), 2, "does not have the form that was published: numbers");

    let seed_of = |(number, value): (usize, &&str)| {
        let out = format!("cup{number}");
        let copied = contest.path(&out);
        fs::create_dir(&copied).expect("a folder");
        fs::copy(contest.path("cup/commitment.json"), copied.join("commitment.json")).expect("a copy");
        contest.succeed(&["tournament", "league.toml", "--quiet", "--out", &out, "--reveal", value]);
        contest.file(&out)["seed"].clone()
    };
    let seeds: Vec<Value> = ["06", "6.", " 6 "].iter().enumerate().map(seed_of).collect();
    assert!(seeds.windows(2).all(|two| two[0] == two[1]), "{seeds:?}");
    let proof = ["replay", "cup2", "--all", "--quiet", "--committed"];
    assert!(
        contest.succeed(&[&proof[..], &["lines.txt"]].concat()).contains("the seed follows from the secret")
    );
    contest.says(
        &[&proof[..], &["published.txt"]].concat(),
        1,
        "this line was not published: SHA-256 of the secret",
    );
    let path = contest.path("cup2/tournament.json");
    let honest = fs::read_to_string(&path).expect("a file");
    let hash = committed["files_sha256"].to_string();
    fs::write(&path, honest.replace(&hash, &json!("0".repeat(64)).to_string())).expect("it is ours");
    contest.says(&["replay", "cup2", "--all", "--quiet"], 1, "are not those of");
}

/// The bot looks for a file that the commitment does not cover.
#[test]
fn a_committed_bot_that_does_not_start_stays_and_loses() {
    let contest = Contest::new();
    let switch = contest.path("switch");
    fs::write(&switch, "").expect("a file");
    // The text does not name the switch as a word, which would make it a file of the bot.
    let text = format!("[ -e swi\"\"tch ] || exit 3; exec '{}' bot random", env!("CARGO_BIN_EXE_arena"));
    let line = format!("anna=sh -c {}", shell_words::quote(&text));
    let play =
        ["tournament", "--quiet", "--rounds", "2", "--contain", "off", "--skip-broken", "--out", "cup"];
    let play = [&play[..], &["--bot", &line, "--bot", "ben=random"]].concat();
    contest.succeed(&[&play[..], &["--commit", "dice"]].concat());
    fs::remove_file(&switch).expect("it is there");
    let output = contest.arena(&[&play[..], &["--reveal", "6"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("it stays, because the commitment has it, and loses"),
        "{said}"
    );
    let standings = cli::json(&contest.path("cup/standings.json"));
    let rows = standings["rows"].as_array().expect("rows");
    let won = |bot: &str| rows.iter().find(|row| row["bot"] == bot).expect("it is there")["won"].clone();
    assert_eq!([won("anna"), won("ben")], [json!(0), standings["matches"].clone()]);
    contest.succeed(&["replay", "cup", "--all", "--quiet"]);
}
