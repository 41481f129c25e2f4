//! Reports for the authors of bots.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::cli::{refused, typed};
use crate::program::{arena, executable, scratch, succeed, words};

/// Makes a bot that plays at random, says a note with each move, and writes to stderr.
fn talker(folder: &Path, name: &str) {
    let program = env!("CARGO_BIN_EXE_arena");
    let note = format!("s/\"type\":\"move\"/\"type\":\"move\",\"note\":\"note of {name}\"/");
    let text = format!("#!/bin/sh\necho 'stderr of {name}' >&2\n'{program}' bot random | sed -u '{note}'\n");
    executable::write(&folder.join(name), text, "755");
}

/// Makes a bot that says its name on stderr and ends before its first move.
fn crasher(folder: &Path, name: &str) {
    let text = format!(
        "#!/bin/sh\nread -r line\necho '{{\"type\":\"hello\",\"protocol\":1}}'\nread -r line\n\
         echo '{{\"type\":\"ready\"}}'\nread -r line\necho 'stderr of {name}' >&2\nexit 3\n"
    );
    executable::write(&folder.join(name), text, "755");
}

/// Returns all files below a folder, with their texts.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path if path.ends_with(".quilt-report") => {}
            path => found.push((path.clone(), fs::read_to_string(&path).expect("text"))),
        }
    }
    found
}

fn has(files: &[(PathBuf, String)], words: &str) -> bool {
    files.iter().any(|(_, text)| text.contains(words))
}

#[test]
fn an_author_sees_the_words_of_the_own_bot_alone() {
    let folder = scratch();
    let folder = folder.path();
    ["one", "two"].iter().for_each(|name| talker(folder, name));
    ["three", "four"].iter().for_each(|name| crasher(folder, name));
    executable::write(&folder.join("five"), "#!/bin/sh\necho 'stderr of five' >&2\nexit 3\n", "755");
    let names = ["one", "two", "three", "four", "five"];
    let bots = names.map(|name| format!("{name}=./{name}"));
    for (game, seats) in [("doodle", "2"), ("patchwork", "2"), ("doodle", "4")] {
        let fixed = "tournament --rounds 2 --out cup --quiet --skip-broken --keep-stderr --move-time 20s";
        let bots: String = bots.iter().map(|bot| format!(" --bot {bot}")).collect();
        typed(folder, &format!("{fixed} --startup-time 20s --game {game} --seats {seats}{bots}"));
        let during = succeed(folder, &["report", "cup", "--for-each", "reports", "--during"]);
        assert_eq!(during, "5 folders for their authors\n");
        for name in names {
            let found = files(&folder.join("reports").join(name));
            let only = |name: &str| found.iter().all(|(path, _)| path.ends_with(name));
            match name {
                "five" => assert!(has(&found, "stderr of five") && found.len() == 2, "{found:?}"),
                _ => assert!(only("faults.csv") && !has(&found, "stderr"), "{found:?}"),
            }
            assert_eq!(has(&found, "exit"), !["one", "two"].contains(&name), "{found:?}");
        }
        succeed(folder, &["report", "cup", "--for-each", "reports"]);
        for name in names {
            let found = files(&folder.join("reports").join(name));
            for other in names {
                let is_own = name == other;
                let talks = ["one", "two"].contains(&other);
                let is_shown = ["stderr", "note"].map(|what| has(&found, &format!("{what} of {other}")));
                assert_eq!(is_shown, [is_own, is_own && talks], "{game} {seats} {name} {other}");
            }
            let has_file = |file: &str| found.iter().any(|(path, _)| path.ends_with(file));
            assert!(has_file("report.html") && has_file("matches.csv") && !has_file("faults.csv"));
            assert_eq!(has_file("fault.txt"), ["three", "four"].contains(&name), "{name}");
            assert!(!has(&found, "To play this match again"));
            let is_lost = |path: &Path| path.parent().is_some_and(|path| path.ends_with("lost"));
            let has_page = found.iter().any(|(path, _)| is_lost(path));
            assert!(has_page || !["three", "four"].contains(&name) || seats == "4", "{name}");
        }
        fs::remove_dir_all(folder.join("cup")).expect("it is there");
        fs::remove_dir_all(folder.join("reports")).expect("it is there");
    }
}

#[test]
fn a_report_with_deals_ends_the_time_for_changes() {
    let folder = scratch();
    let folder = folder.path();
    let fixed = ["tournament", "--out", "cup", "--rounds", "2", "--quiet"];
    succeed(folder, &[&fixed[..], &words("--bot one=random --bot two=random")].concat());
    let resumed = [&fixed[..], &["--resume"]].concat();
    // Faults alone tell no deal.
    succeed(folder, &["report", "cup", "--for", "one", "--during"]);
    succeed(folder, &[&resumed[..], &["--bot", "three=random"]].concat());
    let said = succeed(folder, &["report", "cup", "--for", "one", "-o", "mine"]);
    assert!(said.starts_with("mine: ") && said.ends_with(" files\n"), "{said}");
    for change in [["--bot", "four=random"], ["--replace", "one"]] {
        refused(folder, &[&resumed[..], &change].concat(), "comes too late: authors know the deals");
    }
    // More deals, and no others.
    succeed(folder, &["tournament", "--out", "cup", "--rounds", "3", "--quiet", "--resume"]);
    succeed(folder, &["tournament", "--out", "cup", "--resume", "--quiet", "--without", "three"]);
    let table = typed(folder, "tournament --out cup --rounds 3 --resume --force --bot four=random");
    assert!(table.contains("deals were known when \"four\" came"), "{table}");
    assert!(succeed(folder, &["standings", "cup"]).contains("deals were known when \"four\" came"));
}

/// The numbers of matches change when bots join, and a replaced bot plays under the same numbers.
#[test]
fn reports_of_faults_never_point_to_other_matches() {
    let folder = scratch();
    let folder = folder.path();
    crasher(folder, "b");
    let play = |more| typed(folder, &format!("tournament --out cup --rounds 1 --quiet {more}"));
    play("--bot a=random --bot b=./b --bot c=random");
    let rights = |bundle: &Path| {
        let text = fs::read_to_string(bundle.join("fault.txt")).expect("a fault");
        let index = text.split("of match ").nth(1).and_then(|rest| rest.lines().next()).expect("a match");
        let shown = succeed(folder, &["matches", "cup", "--format", "json", "--with", "b"]);
        let rows: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        rows.as_array().expect("rows").iter().any(|row| row["match"].as_u64() == index.parse().ok())
    };
    let bundles = |parent: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder.join("cup").join(parent)).expect("a folder").flatten();
        entries.map(|entry| entry.path()).collect()
    };
    assert_eq!(bundles("faults").len(), 2);
    play("--resume --bot d=random");
    assert_eq!((bundles("faults").len(), bundles("faults-1").len()), (1, 2));
    assert!(bundles("faults").iter().all(|bundle| rights(bundle)));
    // The old version of a bot that is replaced takes its reports along, and the others keep theirs.
    crasher(folder, "d2");
    play("--resume --replace d --bot d=./d2");
    let is_right = |bundle: &PathBuf| bundle.to_string_lossy().ends_with("-d") || rights(bundle);
    assert!(bundles("faults").iter().all(is_right));
    fs::write(folder.join("b.txt"), "another version").expect("a file");
    play("--resume --replace b");
    assert_eq!((bundles("faults-1").len(), bundles("faults-2").len()), (2, 1));
    succeed(folder, &["report", "cup", "--for", "b", "-o", "mine"]);
    for parent in ["faults", "faults-1", "faults-2"] {
        assert!(folder.join("mine").join(parent).is_dir(), "{parent}");
    }
}

#[test]
fn links_in_a_directory_lead_to_no_other_files() {
    let folder = scratch();
    let folder = folder.path();
    succeed(folder, &["tournament", "--out", "cup", "--rounds", "1", "--quiet"]);
    fs::create_dir_all(folder.join("secret/7-random")).expect("a folder");
    fs::write(folder.join("secret/random.log"), "a secret").expect("a file");
    fs::write(folder.join("secret/7-random/fault.txt"), "a secret").expect("a file");
    for name in ["stderr", "faults"] {
        symlink("../secret", folder.join("cup").join(name)).expect("a link");
        let output = arena(folder, &["report", "cup", "--for", "random", "-o", "mine"]);
        assert!(!output.status.success());
        assert!(!folder.join("mine").exists());
        fs::remove_file(folder.join("cup").join(name)).expect("it is ours");
    }
    // More than a report keeps, and bytes that are no text.
    for number in 0..60 {
        let bundle = folder.join("cup/faults").join(format!("{number}-random"));
        fs::create_dir_all(&bundle).expect("a folder");
        let file = fs::File::create(bundle.join("stderr.txt"));
        file.and_then(|file| file.set_len(1 << 30)).expect("a sparse file");
        fs::write(bundle.join("fault.txt"), b"\xff").expect("a file");
    }
    succeed(folder, &["report", "cup", "--for", "random", "-o", "mine"]);
    let kept = fs::read_dir(folder.join("mine/faults")).expect("a folder").count();
    let long = fs::metadata(folder.join("mine/faults/0-random/stderr.txt")).expect("a file").len();
    assert!(kept == 20 && long <= 1 << 20, "{kept} {long}");
}

#[test]
fn reports_replace_reports_and_nothing_else() {
    let folder = scratch();
    let folder = folder.path();
    succeed(folder, &["tournament", "--out", "cup", "--rounds", "1", "--quiet"]);
    fs::create_dir_all(folder.join("all/random/lost")).expect("a folder");
    // A submission may have such a file too.
    for file in ["matches.csv", "bot.py"] {
        fs::write(folder.join("all/random").join(file), "").expect("a file");
    }
    fs::write(folder.join("matches.csv"), "").expect("a file");
    // Names of files of reports do not make a report.
    for (name, file) in
        [("shards", "shard-0-of-2.jsonl"), ("letters", "lost-letters.txt"), ("names", "report.html")]
    {
        fs::create_dir(folder.join(name)).expect("a folder");
        fs::write(folder.join(name).join(file), "mine").expect("a file");
        refused(
            folder,
            &words(&format!("report cup --for random -o {name}")),
            "is not from a report of the arena",
        );
        assert_eq!(fs::read_to_string(folder.join(name).join(file)).expect("it is there"), "mine");
    }
    for place in ["--for-each all", "--for random -o all/random", "--for random -o ."] {
        refused(folder, &words(&format!("report cup {place}")), "is not from a report of the arena");
    }
    assert!(folder.join("all/random/bot.py").exists() && folder.join("cup/matches.jsonl").exists());
    fs::remove_dir_all(folder.join("all/random")).expect("it is there");
    // A file or link that came into a report later stays, and stops it, also with the name of one in the mark.
    succeed(folder, &["report", "cup", "--for", "random", "-o", "own"]);
    let own = folder.join("own");
    let page = own.join("report.html");
    fs::rename(&page, own.join("faults-of-mine")).expect("it is there");
    refused(folder, &words("report cup --for random -o own"), "own/faults-of-mine is not from a report");
    fs::remove_file(own.join("faults-of-mine")).expect("it is there");
    std::os::unix::fs::symlink(folder.join("matches.csv"), &page).expect("a link");
    refused(folder, &words("report cup --for random -o own"), "own/report.html is not from a report");
    fs::remove_file(&page).expect("it is there");
    succeed(folder, &["report", "cup", "--for", "random", "-o", "own"]);
    // As a kill would leave it: no process has this number.
    fs::create_dir_all(folder.join("all/.random.4194305.new/x")).expect("a folder");
    for _ in 0..2 {
        succeed(folder, &["report", "cup", "--for-each", "all"]);
    }
    let mut left: Vec<_> = fs::read_dir(folder.join("all")).expect("a folder").flatten().collect();
    left.sort_by_key(fs::DirEntry::file_name);
    assert_eq!(left.iter().map(fs::DirEntry::file_name).collect::<Vec<_>>(), ["greedy", "random"]);
    refused(folder, &words("report cup --for nobody"), "there is no bot \"nobody\"");
    refused(folder, &words("report cup --during"), "--during is for reports to authors");
}
