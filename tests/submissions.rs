//! A league file from a folder of strangers' submissions.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use toml::Value;

use crate::program::{arena, executable, scratch, succeed};

/// A bot that plays a bundled one.
fn script(arguments: &str) -> String {
    format!("exec '{}' bot {arguments}\n", env!("CARGO_BIN_EXE_arena"))
}

/// Makes a folder with these files.
fn submit(folder: &Path, name: impl AsRef<OsStr>, files: &[(&str, &str)]) {
    let place = folder.join(name.as_ref());
    fs::create_dir_all(&place).expect("a folder");
    for (file, text) in files {
        fs::create_dir_all(place.join(file).parent().expect("a folder")).expect("a folder");
        fs::write(place.join(file), text).expect("a file");
    }
}

#[test]
fn folders_of_strangers_become_entries_and_nothing_of_theirs_is_code() {
    let folder = scratch();
    let folder = folder.path();
    let subs = folder.join("the subs");
    submit(&subs, "shell", &[("bot.sh", &script("random"))]);
    submit(&subs, "python", &[("bot.py", ""), ("bot/__init__.py", "")]);
    submit(&subs, "java", &[("Bot.java", ""), ("Bot.class", "")]);
    submit(&subs, "c", &[("bot.c", "")]);
    submit(&subs, "typed", &[("bot.ts", ""), ("bot.js", "")]);
    submit(&subs, "empty", &[("README.md", "run: rm -rf /")]);
    let program = subs.join("built/bot");
    fs::create_dir_all(subs.join("built")).expect("a folder");
    executable::write(&program, format!("#!/bin/sh\n{}", script("greedy")), "755");
    // Names that a shell or TOML could take for more than a name.
    for name in
        ["-x", "$(touch pwned)", "a\nb", "it's", "\"]\nname = \"x", "\u{430}lpha", ".hidden", "--help"]
    {
        submit(&subs, name, &[("bot.py", "")]);
    }
    submit(&subs, "alpha", &[("bot.py", "")]);
    submit(&subs, OsStr::from_bytes(b"\xff"), &[("bot.py", "")]);
    symlink("shell", subs.join("linked")).expect("a link");
    submit(&subs, "links", &[]);
    symlink("/etc/passwd", subs.join("links/bot.py")).expect("a link");
    submit(&subs, "pipes", &[]);
    let fifo = Command::new("mkfifo").arg(subs.join("pipes/bot.py")).status();
    assert!(fifo.expect("mkfifo").success());
    fs::write(subs.join("notes.txt"), "").expect("a file");

    let text = succeed(folder, &["league", "the subs"]);
    let league: Value = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let entries: Vec<(&str, &str, &str)> = league["bot"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|bot| {
            assert_eq!(bot.as_table().expect("an entry").len(), 3, "no rights are asked for: {bot}");
            let key = |key: &str| bot[key].as_str().expect("a text");
            (key("name"), key("dir"), key("command"))
        })
        .collect();
    let java = "java -XX:TieredStopAtLevel=1 -XX:-UsePerfData -XX:+UseSerialGC -Xmx128m -cp . Bot";
    let wanted = [
        ("alpha", "the subs/alpha", "python3 bot.py"),
        ("built", "the subs/built", "./bot"),
        ("c", "the subs/c", "./bot"),
        ("java", "the subs/java", java),
        ("python", "the subs/python", "python3 bot.py"),
        ("shell", "the subs/shell", "bash bot.sh"),
        ("typed", "the subs/typed", "node bot.js"),
    ];
    assert_eq!(entries, wanted);
    for said in [
        "# left out: \"-x\": ",
        "# left out: \"$(touch pwned)\": ",
        "# left out: \"a\\nb\": ",
        "# left out: \"it's\": ",
        "# left out: \"\\xff\": its name is not UTF-8",
        "its name looks like \"alpha\"",
        "# left out: \"linked\": it is a link",
        "# left out: \"links\": its bot.py is a link",
        "# left out: \"pipes\": its bot.py is no regular file",
        "# left out: \"notes.txt\": it is no folder",
        "# left out: \"empty\": no file has the name of a bot",
        "# not built yet: gcc ",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }

    // The file plays as it is, once those that cannot start are left out.
    fs::write(folder.join("league.toml"), &text).expect("a file");
    let play = ["tournament", "league.toml", "--quiet", "--skip-broken", "--rounds", "1", "--out", "t"];
    let table = succeed(folder, &play);
    assert!(table.contains("built") && table.contains("shell"), "{table}");
    assert!(!folder.join("pwned").exists());
}

#[test]
fn a_folder_with_two_bots_is_left_out_and_stops_nobody() {
    let folder = scratch();
    let folder = folder.path();
    submit(folder, "subs/team-1", &[("bot.py", ""), ("bot.rb", "")]);
    submit(folder, "subs/team-2", &[("bot.c", ""), ("bot.cpp", "")]);
    submit(folder, "subs/team-3", &[("bot.py", "")]);
    let text = succeed(folder, &["league", "subs"]);
    for (team, files) in [("team-1", "bot.py and bot.rb"), ("team-2", "bot.c and bot.cpp")] {
        let said = format!("# left out: \"{team}\": which file is the bot? It has {files}");
        assert!(text.contains(&said), "{text}");
    }
    assert!(text.contains("name = \"team-3\""), "{text}");
    for (place, said) in [("none", "cannot read none"), ("subs/team-3", "no submission in subs/team-3")] {
        let output = arena(folder, &["league", place]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(said), "{stderr}");
    }
}

/// A project has the name of its program from its build, so that its entry comes after that.
#[test]
fn projects_are_entries_once_they_are_built() {
    let folder = scratch();
    let folder = folder.path();
    let go = ("go.mod", "module bot");
    submit(folder, "subs/go", &[go, ("main.go", "")]);
    submit(folder, "subs/cargo", &[("Cargo.toml", ""), ("src/main.rs", "")]);
    submit(folder, "subs/main", &[("main.py", ""), ("Makefile", "")]);
    submit(folder, "subs/jar", &[("the bot.jar", "")]);
    submit(folder, "subs/java", &[("src/de/anna/Main.java", ""), ("classes/de/anna/Main.class", "")]);
    submit(folder, "subs/r", &[("agent.R", "")]);
    submit(folder, "subs/notebook", &[("bot.ipynb", "")]);
    fs::create_dir_all(folder.join("subs/cargo/target/release")).expect("a folder");
    fs::copy(env!("CARGO_BIN_EXE_arena"), folder.join("subs/cargo/target/release/anna's bot"))
        .expect("a program");
    let text = succeed(folder, &["league", "subs"]);
    for said in [
        "# left out: \"go\": it is not built yet",
        "./target/release/anna",
        "command = \"python3 main.py\"",
        "-Xmx128m -jar 'the bot.jar'",
        "-Xmx128m -cp classes de.anna.Main\"",
        "command = \"Rscript agent.R\"",
        "# left out: \"notebook\": a notebook is no program: export it",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let script = succeed(folder, &["league", "subs", "--build"]);
    for said in [
        "/go -- go build -o bot .",
        "/cargo -- cargo build --release",
        "/java -- javac -encoding UTF-8 -d classes",
    ] {
        assert!(script.contains(said), "{said}\n{script}");
    }
}

/// Builders are replaced by programs that say what they were told.
#[test]
fn the_script_builds_each_and_goes_on_after_a_failure() {
    let folder = scratch();
    let folder = folder.path();
    submit(folder, "-subs; $(touch pwned)/team-1", &[("bot.c", "")]);
    submit(folder, "-subs; $(touch pwned)/team-2", &[("Bot.java", "")]);
    submit(folder, "-subs; $(touch pwned)/team-3", &[("bot.py", "")]);
    let tools = folder.join("tools");
    fs::create_dir(&tools).expect("a folder");
    executable::write(&tools.join("gcc"), "#!/bin/sh\nexit 1\n", "755");
    executable::write(&tools.join("javac"), "#!/bin/sh\necho \"$PWD $*\" >built.txt\n", "755");
    let script = succeed(folder, &["league", "--build", "--", "-subs; $(touch pwned)"]);
    fs::write(folder.join("build.sh"), script.replace("strict", "auto")).expect("a file");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    shell.arg("build.sh").current_dir(folder).stdin(Stdio::null());
    let output = shell.env("PATH", path).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((said.trim(), output.status.success()), ("team-1: not built", true), "{script}");
    let place = folder.join("-subs; $(touch pwned)/team-2/built.txt");
    let built = fs::read_to_string(place).expect("javac ran");
    assert!(built.trim().ends_with("-subs; $(touch pwned)/team-2 Bot.java"), "{built}");
    assert!(!folder.join("pwned").exists());
}

/// The builder does what a stranger's source can make one do: it copies what the arena keeps from bots into the
/// program, and writes into the folder of another author.
#[test]
fn a_build_reads_and_writes_its_own_folder_alone() {
    let folder = scratch();
    let folder = folder.path();
    let doctor = arena(folder, &["doctor", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_slice(&doctor.stdout).expect("JSON");
    let [anna, ben] = ["anna", "ben"].map(|name| folder.join("subs").join(name));
    submit(folder, "subs/anna", &[("bot.c", "")]);
    submit(folder, "subs/ben", &[("bot.py", "ben's")]);
    submit(folder, "contest", &[("tournament.json", "the seed")]);
    submit(folder, "home/.local/state/quilt-arena", &[("key", "the key")]);
    let secrets = ["subs/ben/bot.py", "contest/tournament.json", "home/.local/state/quilt-arena/key"];
    let read: String = secrets.map(|path| format!("cat '{}' >> bot\n", folder.join(path).display())).concat();
    let theirs = ben.join("bot.py").display().to_string();
    let builder = format!(
        "#!/bin/sh\necho '#!/bin/sh' > bot\n{read}echo anna was here > '{theirs}'\n\
         chmod 755 bot && touch -d 2001-02-03 bot && chmod 4755 bot\nulimit -n > files\n"
    );
    let tools = folder.join("tools");
    fs::create_dir(&tools).expect("a folder");
    executable::write(&tools.join("gcc"), builder, "755");
    fs::write(folder.join("build.sh"), succeed(folder, &["league", "--build", "subs"])).expect("a file");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    shell.arg("build.sh").current_dir(folder).env("PATH", path).env("HOME", folder.join("home"));
    let said = String::from_utf8(shell.output().expect("a shell").stderr).expect("UTF-8");
    assert_eq!(found["strict"] == true, !said.contains("anna: not built"), "{said}");
    assert_eq!(fs::read_to_string(&theirs).expect("it is there"), "ben's");
    if found["strict"] != true {
        return;
    }
    assert_eq!(fs::read_to_string(anna.join("bot")).expect("it was built"), "#!/bin/sh\n", "{said}");
    assert_eq!(fs::read_to_string(anna.join("files")).expect("it was built"), "1024\n");
    let facts = fs::metadata(anna.join("bot")).expect("it is there");
    assert_eq!(facts.mode() & 0o7777, 0o755, "modes are real, and nobody becomes its owner by it");
    assert!(facts.mtime() < 1_000_000_000, "times are real");
    let own = fs::metadata(&anna).expect("it is there");
    assert_eq!((facts.uid(), facts.gid()), (own.uid(), own.gid()), "the file belongs to who built it");
}

/// Two names that differ in case are one folder on some file systems.
#[test]
fn names_that_differ_in_case_alone_are_not_taken_together() {
    let folder = scratch();
    let folder = folder.path();
    submit(folder, "subs/ANNA", &[("bot.py", "")]);
    submit(folder, "subs/anna", &[("bot.py", "")]);
    let text = succeed(folder, &["league", "subs"]);
    assert!(
        text.contains("name = \"ANNA\"")
            && text.contains("# left out: \"anna\": its name looks like \"ANNA\""),
        "{text}"
    );
    let play = [
        "tournament",
        "--bot",
        "ANNA=random",
        "--bot",
        "anna=greedy",
        "--rounds",
        "1",
        "--quiet",
        "--out",
        "cup",
    ];
    let refused = arena(folder, &play);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("the names \"ANNA\" and \"anna\" differ in case alone"), "{said}");
}

/// A bot that a league does not name could name itself like another one, and would write into its author's text.
#[test]
fn no_bot_writes_into_the_check_of_another_author() {
    let folder = scratch();
    let folder = folder.path();
    submit(folder, "anna", &[("bot.sh", &script("random"))]);
    let hello = "read -r line; echo \"$line\" >/dev/null; echo 'words of eve' >&2\n\
                 echo '{\"type\":\"hello\",\"protocol\":1,\"name\":\"NAME\"}'; exit 3\n";
    for (bot, name) in [("eve", "anna"), ("ева", "\u{430}nna"), ("zoe", "zoe")] {
        submit(folder, bot, &[("bot.sh", &hello.replace("NAME", name))]);
    }
    let entry = |dir: &str| format!("[[bot]]\ndir = \"{dir}\"\ncommand = \"sh bot.sh\"\n");
    let bots = ["eve", "ева", "zoe"].map(entry).concat();
    let league = format!("{bots}{}name = \"anna\"\n", entry("anna"));
    fs::write(folder.join("league.toml"), league).expect("a file");
    let check =
        ["check", "--league", "league.toml", "--matches", "2", "--patience", "1s", "--for-each", "checks"];
    let output = arena(folder, &[&check[..], &["--format", "json"]].concat());
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let bots: Vec<&str> =
        rows.as_array().expect("rows").iter().filter_map(|row| row["bot"].as_str()).collect();
    assert_eq!(bots, ["unnamed bot 1", "unnamed bot 2", "zoe", "anna"], "{rows:?}");
    assert!(
        rows[0]["reason"].as_str().is_some_and(|why| why.contains("it names itself \"anna\"")),
        "{rows:?}"
    );
    let mut written: Vec<_> =
        fs::read_dir(folder.join("checks")).expect("a folder").flatten().map(|it| it.file_name()).collect();
    written.sort();
    assert_eq!(written, ["anna.txt", "zoe.txt"]);
    assert!(!fs::read_to_string(folder.join("checks/anna.txt")).expect("a text").contains("words of eve"));
}

/// Each has the lines of a bot, and words of the reason why it is not ready.
#[test]
fn all_bots_of_a_league_are_checked_at_once() {
    let folder = scratch();
    let folder = folder.path();
    submit(folder, "subs/fine", &[("bot.sh", &script("random"))]);
    submit(folder, "subs/crashes", &[("bot.sh", "echo 'it broke here' >&2; exit 3\n")]);
    let silent = "read -r line; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r line\n\
                  case $line in *start*) exit 3; esac; sleep 1000\n";
    submit(folder, "subs/silent", &[("bot.sh", silent)]);
    submit(folder, "subs/unbuilt", &[("bot.c", "")]);
    let text = succeed(folder, &["league", "subs", "--game", "patchwork"]);
    let limits = "[limits]\nstartup-time = \"3s\"\nmove-time = \"3s\"\n";
    fs::write(folder.join("league.toml"), format!("{limits}{text}")).expect("a file");
    let check =
        ["check", "--league", "league.toml", "--matches", "2", "--patience", "1s", "--for-each", "checks"];
    let output = arena(folder, &[&check[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = rows.as_array().expect("a list");
    let row = |bot: &str| rows.iter().find(|row| row["bot"] == bot).expect("each bot has a row");
    for (bot, result, reason) in [
        ("crashes", "does not start", "it broke here"),
        ("fine", "plays", ""),
        ("silent", "fails", "ends when told to: it was still running"),
        ("unbuilt", "does not start", "there is no file"),
    ] {
        let row = row(bot);
        assert_eq!(row["result"], result, "{row}");
        assert!(row["reason"].as_str().unwrap_or_default().contains(reason), "{row}");
    }
    for (bot, words) in [("fine", "ready: fine passed"), ("silent", "FAIL"), ("unbuilt", "there is no file")]
    {
        let text =
            fs::read_to_string(folder.join(format!("checks/{bot}.txt"))).expect("a text for its author");
        assert!(text.contains(words) && !text.contains('\u{1b}'), "{text}");
    }
    // The table, of those that are checked in no time.
    for slow in ["fine", "silent"] {
        fs::remove_dir_all(folder.join("subs").join(slow)).expect("it is ours");
    }
    fs::write(folder.join("league.toml"), succeed(folder, &["league", "subs"])).expect("a file");
    let output = arena(folder, &check);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("2 of 2 bots not ready: crashes; unbuilt"), "{said}");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.lines().any(|line| line.contains("crashes") && line.contains("does not start")), "{table}");
}

/// As if the other checks had taken the time of its first start.
#[test]
fn a_bot_that_was_too_slow_is_checked_again_alone() {
    let folder = scratch();
    let folder = folder.path();
    let late = format!("if ! [ -e seen ]; then touch seen; sleep 1000; fi\n{}", script("random"));
    submit(folder, "subs/late", &[("bot.sh", &late)]);
    let text = succeed(folder, &["league", "subs", "--game", "patchwork"]);
    fs::write(folder.join("league.toml"), format!("[limits]\nstartup-time = \"4s\"\n{text}"))
        .expect("a file");
    let check =
        ["check", "--league", "league.toml", "--matches", "2", "--patience", "1s", "--contain", "off"];
    let rows: serde_json::Value =
        serde_json::from_str(&succeed(folder, &[&check[..], &["--format", "json"]].concat())).expect("JSON");
    assert_eq!(rows[0]["result"], "plays", "{rows}");
    assert!(folder.join("subs/late/seen").exists());
}

#[test]
fn a_plan_says_what_fits_into_a_time() {
    let folder = scratch();
    let folder = folder.path();
    let bots: String = ["one", "two", "three"]
        .map(|name| format!("[[bot]]\nname = \"{name}\"\ncommand = \"random\"\n"))
        .concat();
    let broken = "[[bot]]\nname = \"broken\"\ncommand = \"./none\"\n";
    let stages = "[[stage]]\ngame = \"doodle\"\nseats = \"all\"\n[[stage]]\ngame = \"patchwork\"\n";
    fs::write(folder.join("league.toml"), format!("{bots}{broken}{stages}")).expect("a file");
    let plan = |time| ["plan", "--league", "league.toml", "--hours", time];
    let text = succeed(folder, &[&plan("1h30m")[..], &["--format", "json"]].concat());
    let fits: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let number = |fit: &serde_json::Value, key: &str| fit[key].as_f64().expect("a number");
    let fits = fits.as_array().expect("a list");
    let deals = 5400.0 / fits.iter().map(|fit| number(fit, "deal_s")).sum::<f64>();
    for (fit, [seats, matches, of_bot, met]) in fits.iter().zip([[3.0, 1.0, 1.0, 1.0], [2.0, 6.0, 4.0, 2.0]])
    {
        let facts = ["bots", "seats", "matches_each_deal"].map(|key| number(fit, key));
        assert_eq!(facts, [3.0, seats, matches], "{fit}");
        assert!((number(fit, "deals") - deals.floor()).abs() <= 1.0, "{deals}: {fit}");
        let all =
            |each: f64| serde_json::json!(vec![each as u64 * fit["deals"].as_u64().expect("a number"); 2]);
        assert_eq!((&fit["matches_each_bot"], &fit["meetings"]), (&all(of_bot), &all(met)), "{fit}");
        assert_eq!(fit["gap_elo"].is_null(), seats == 3.0, "{fit}");
    }
    assert_eq!(fits.len(), 2);
    let left: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "a plan keeps no results: {left:?}");
    fs::write(folder.join("league.toml"), format!("{bots}[tournament]\nschedule = \"swiss\"\n"))
        .expect("a file");
    let output = arena(folder, &plan("3"));
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the matches of a swiss depend on their results"), "{said}");
}

/// In a draw each deal has other tables, so meetings are counted over all of them.
#[test]
fn a_plan_says_how_often_bots_meet_in_a_draw() {
    let folder = scratch();
    let folder = folder.path();
    let entry = |number: u32| format!("[[bot]]\nname = \"b{number}\"\ncommand = \"random\"\n");
    let bots: String = (0..7).map(entry).collect();
    let plan = "[tournament]\nschedule = \"draw\"\nseats = 3\n";
    fs::write(folder.join("league.toml"), format!("{plan}{bots}")).expect("a file");
    let plan = ["plan", "--league", "league.toml", "--hours", "1m"];
    let text = succeed(folder, &plan);
    assert!(text.starts_with("7 bots, 2 matches of 3 seats for each deal"), "{text}");
    assert!(text.contains("not known for draws") && text.lines().all(|line| line.len() <= 80), "{text}");
    let text = succeed(folder, &[&plan[..], &["--format", "json"]].concat());
    let fits: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let deals = fits[0]["deals"].as_f64().expect("a number");
    for (key, each) in [("matches_each_bot", 6.0 / 7.0), ("meetings", 6.0 / 21.0)] {
        let ends = [0, 1].map(|end| fits[0][key][end].as_f64().expect("a number"));
        assert!(
            ends[0] <= each * deals
                && each * deals <= ends[1]
                && ends[1] - ends[0] <= 4.0 + 0.05 * each * deals,
            "{key}: {text}"
        );
    }
}

/// With 13 bots, every third table is one of the same few.
#[test]
fn every_bot_plays_in_the_sample_of_a_plan() {
    let folder = scratch();
    let folder = folder.path();
    for number in 1..=13 {
        let text = format!("echo >> started\n{}", script("random"));
        submit(folder, format!("subs/b{number}"), &[("bot.sh", &text)]);
    }
    fs::write(folder.join("league.toml"), succeed(folder, &["league", "subs"])).expect("a file");
    let text = succeed(folder, &["plan", "--league", "league.toml", "--hours", "1", "--contain", "off"]);
    assert!(text.starts_with("13 bots, 78 matches of 2 seats for each deal"), "{text}");
    for number in 1..=13 {
        let started = fs::read_to_string(folder.join(format!("subs/b{number}/started"))).expect("a file");
        assert!(started.lines().count() >= 2, "b{number} is started to see whether it starts, and to play");
    }
}
