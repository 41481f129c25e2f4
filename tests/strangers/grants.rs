//! Folders that bots may write: never the files of others.

use std::fs;

use crate::program::{arena, scratch, succeed, words};
use crate::strangers::results::GREETS;

/// The folders of a scene, and a part of the reason why the bot in `mine` may not write there.
const REFUSED: &[(&str, &str)] = &[
    (".", "it holds "),
    ("..", "it holds "),
    ("/", "it holds "),
    ("/tmp", "it holds "),
    ("out", "it holds "),
    ("out/stderr", "it lies in "),
    ("old", "it holds results"),
    ("above", "it holds results"),
    ("old/faults", "it holds results"),
    ("theirs", "theirs/bot.sh"),
    ("book", "book/opening"),
    ("leagues", "leagues/league.toml"),
    ("link", "theirs/bot.sh"),
];

#[test]
fn folders_with_files_of_others_are_not_for_a_bot_to_write() {
    let folder = scratch();
    let path = folder.path();
    for place in words("mine/learned theirs leagues book old/faults above/old out/stderr shared") {
        fs::create_dir_all(path.join(place)).expect("a folder");
    }
    for file in ["old/tournament.json", "above/old/tournament.json", "book/opening"] {
        fs::write(path.join(file), "{}").expect("a file");
    }
    for bot in ["mine", "theirs"] {
        fs::write(path.join(bot).join("bot.sh"), GREETS).expect("a bot");
    }
    std::os::unix::fs::symlink("theirs", path.join("link")).expect("a link");
    let league = |write: &str| {
        let [mine, theirs] = ["mine", "theirs"].map(|bot| path.join(bot).join("bot.sh"));
        let text = format!(
            "[[bot]]\nname = \"mine\"\ncommand = \"sh {}\"\nwrite = [{write:?}]\n\
             [[bot]]\nname = \"theirs\"\ncommand = \"sh {}\"\nread = [{:?}]\n",
            mine.display(),
            theirs.display(),
            path.join("book/opening"),
        );
        fs::write(path.join("leagues/league.toml"), text).expect("a league file");
    };
    let tournament = |write: &str| {
        league(path.join(write).to_str().expect("UTF-8"));
        let line = "tournament --out out leagues/league.toml --rounds 1 --seed 1 --quiet --shard 0/2";
        arena(path, &words(line))
    };
    for (write, why) in REFUSED {
        let output = tournament(write);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let is_refused = stderr.contains("error: bot \"mine\" cannot write ") && stderr.contains(why);
        assert!(output.status.code() == Some(2) && is_refused, "{write}: {stderr}");
    }
    let output = tournament("mine/learned");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_command_refuses_to_let_bots_write_results_and_shares_a_folder() {
    let folder = scratch();
    let path = folder.path();
    let bots = ["mine", "theirs"].map(|name| {
        fs::create_dir(path.join(name)).expect("a folder");
        fs::write(path.join(name).join("bot.sh"), GREETS).expect("a bot");
        format!("{name}=sh {name}/bot.sh")
    });
    fs::create_dir(path.join("learned")).expect("a folder");
    let [mine, theirs] = bots.each_ref().map(String::as_str);
    let quick = ["--game", "patchwork", "--quiet", "--seed", "1"];
    let two = ["--bot", mine, "--bot", theirs];
    succeed(path, &[&["tournament", "--rounds", "1", "--out", "old"], &quick[..], &two].concat());
    for args in [
        [&["tournament", "--rounds", "1", "--out", "new"], &quick[..], &two].concat(),
        [&["compare", mine, theirs, "--max-rounds", "1", "--out", "newer"], &quick[..]].concat(),
        [&["match"], &quick[..], &two].concat(),
        vec!["check", "--bot", mine],
        vec!["rerun", "old", "--match", "0"],
    ] {
        for (write, is_refused) in [("old", true), (".", true), ("learned", false)] {
            let output = arena(path, &[&args[..], &["--write", write]].concat());
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(stderr.contains("\" cannot write "), is_refused, "{args:?} {write}: {stderr}");
            assert!(!is_refused || output.status.code() == Some(2), "{args:?} {write}: {stderr}");
        }
    }
}
