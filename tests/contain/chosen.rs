//! Files that a bot's author chooses: the interpreter in the first line of a script, and the targets of links.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use referee::bots::entrants::{Entrant, keep_apart};
use referee::bots::identity::Identity;
use sandbox::confine::paths::readable;

use crate::contain::lodging::{Lodging, PROBE};
use crate::program::words;

/// The bot's author controls the first line of its file, so it may name a program anywhere.
#[test]
fn the_first_line_of_a_bot_opens_no_folder_of_others() {
    let lodging = Lodging::new(&["work/secret", "work/data/x", "work/gradlew", "tree/secret", "tree/lib/x"]);
    lodging.link("work/shell", "/bin/sh");
    lodging.link("tree/bin/shell", "/bin/sh");
    lodging.link("bot/linked", "HERE/work/shell");
    let probe = |first: &str| PROBE.replacen("#!/bin/sh", &lodging.placed(first), 1);
    let tried = [("work/secret", false), ("work/data/x", false), ("tree/secret", false)];
    for first in
        ["#!HERE/work/shell", "#!HERE/tree/bin/shell", "#!HERE/bot/linked", "#!/usr/bin/env HERE/work/shell"]
    {
        lodging.write("bot/run", &probe(first));
        lodging.check(&[lodging.bot("HERE/bot/run")], None, &tried);
    }
}

/// The bot's author also controls links in its folder, even if they have the names of folders that programs
/// need.
#[test]
fn links_around_a_program_open_no_folder_of_others() {
    // Directly below a home folder, a program gets only the folders that it needs.
    let lodging = Lodging::new(&["bin/probe", "lib64/x"]);
    let private = Lodging::new(&["work/secret", "work/bin/x", "work/lib/x"]);
    let secret = private.path("work/secret");
    for part in ["lib", "versions", "plugins"] {
        std::os::unix::fs::symlink(private.path("work"), lodging.path(part)).expect("a link");
    }
    let tried = [("lib/secret", false), ("versions/secret", false), ("lib64/x", true)];
    lodging.check(&[lodging.bot("HERE/bin/probe")], None, &tried);
    // An interpreter that is a link to a place that the user has not named.
    let shell = private.path("work/bin/shell");
    std::fs::copy("/bin/sh", &shell).expect("a copy");
    std::os::unix::fs::symlink(shell, lodging.path("bin/interpreter")).expect("a link");
    lodging.link("secret", secret.to_str().expect("UTF-8"));
    lodging.check(&[lodging.bot("HERE/bin/interpreter HERE/bin/probe")], None, &[("secret", false)]);
}

/// Returns true if the first bot can read the file, or the reason why it cannot start.
fn reads(bots: &[Identity], file: &Path, is_strict: bool) -> Result<bool, String> {
    let mut entrants: Vec<Entrant> = bots.iter().map(|bot| Entrant::new(bot).expect("a bot")).collect();
    keep_apart(&mut entrants, &[]);
    let read = readable(&entrants[0].command, is_strict).map_err(|error| error.to_string())?;
    let file = file.canonicalize().expect("it is there");
    Ok(read.iter().any(|readable| file.starts_with(&readable.path)))
}

/// Each line names a file of another owner, in a form that only the arena or only the kernel could misread.
#[test]
fn the_first_line_of_a_bot_opens_no_file_of_others() {
    let lodging = Lodging::new(&["a/key", "b/b.sh", "b/tool", "top/key", "a/Cargo.toml", "a/env"]);
    lodging.link("a/linked", "HERE/b/tool");
    let arena_folder = std::env::current_dir().expect("a test runs in a folder");
    let [key, tool] = ["top/key", "b/tool"].map(|file| lodging.path(file));
    for (first, file) in [
        ("#!Cargo.toml", &arena_folder.join("Cargo.toml")),
        ("#!../top/key", &key),
        ("#!HERE/a/env HERE/top/key", &key),
        ("#!HERE/a/linked", &tool),
        ("#!HERE/b/tool", &tool),
        ("#!/usr/bin/env HERE/b/tool", &tool),
        ("#!/usr/bin/env -S X=1 ../b/tool", &tool),
        ("#!HERE/top/key\u{b}more", &key),
        ("#!HERE/top/key\u{c}more", &key),
    ] {
        lodging.write("a/run", &PROBE.replacen("#!/bin/sh", &lodging.placed(first), 1));
        let own = Identity { dir: Some(lodging.path("a")), ..lodging.bot("HERE/a/run") };
        let bots = [own, lodging.bot("sh HERE/b/b.sh")];
        for is_strict in [true, false] {
            assert_eq!(reads(&bots, file, is_strict), Ok(false), "{first:?}, strict: {is_strict}");
        }
        assert_eq!(reads(&bots, &lodging.path("a/key"), true), Ok(true), "{first:?}");
    }
}

/// An interpreter that a version manager has installed works by its name alone, except under `strict`.
#[test]
fn the_first_line_of_a_bot_opens_an_installed_interpreter() {
    let lodging = Lodging::new(&["home/.pyenv/versions/1/lib/x", "home/tools/x"]);
    for folder in ["home/.pyenv/versions/1/bin", "home/tools"] {
        std::fs::create_dir_all(lodging.path(folder)).expect("a folder");
        std::fs::copy("/bin/sh", lodging.path(&format!("{folder}/tool"))).expect("a copy");
        let greets = "read -r l; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r l";
        lodging.write("bot/run", &format!("#!/usr/bin/env tool\n{greets}\n"));
        let arena = |arguments: &[&str]| {
            let mut arena = crate::program::command();
            let path = format!("{}:/usr/bin:/bin", lodging.path(folder).display());
            arena.env("HOME", lodging.path("home")).env("PATH", path).current_dir(lodging.path(""));
            let output = arena.args(arguments).output().expect("the arena runs");
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat()
        };
        let is_opened = |how: &str| {
            let shown = arena(&["doctor", "--bot", "bot/run", "--contain", how]);
            shown.contains(&format!("{}\n", lodging.path(folder).parent().expect("a folder").display()))
        };
        if sandbox::confine::landlock().is_some() {
            let is_installed = folder.contains(".pyenv");
            assert_eq!((is_opened("auto"), is_opened("strict")), (is_installed, false), "{folder}");
            let played = arena(&words("tournament --bot bot/run --bot greedy --rounds 1 --quiet"));
            assert_eq!(!played.contains("cannot start"), is_installed, "{played}");
        }
    }
}

/// A word of a command may be the name of a link that the bot has made.
#[test]
fn a_link_with_the_name_of_a_word_opens_its_target_alone() {
    let lodging = Lodging::new(&["a/bot.sh", "a/lib/x", "top/key", "top/tool", "top/beside", "top/all/x"]);
    fs::set_permissions(lodging.path("top/tool"), fs::Permissions::from_mode(0o755)).expect("its mode");
    lodging.link("a/start", "HERE/top/tool");
    lodging.link("a/fast", "HERE/top/key");
    lodging.link("a/all", "HERE/top/all");
    lodging.link("a/run", "HERE/top/key");
    lodging.link("a/inner", "HERE/a/lib");
    lodging.link("a/behind", "HERE/top");
    let in_folder = |command: &str| Identity { dir: Some(lodging.path("a")), ..lodging.bot(command) };
    for (bot, link, target) in [
        (in_folder("sh bot.sh fast"), "a/fast", "top/key"),
        (in_folder("sh bot.sh --book=fast"), "a/fast", "top/key"),
        (lodging.bot("sh HERE/a/bot.sh HERE/a/all"), "a/all", "top/all/x"),
        (lodging.bot("HERE/a/run"), "a/run", "top/key"),
        (lodging.bot("HERE/a/start"), "a/start", "top/tool"),
        (lodging.bot("sh -c 'cat HERE/a/run'"), "a/run", "top/key"),
        (lodging.bot("sh -c 'exec HERE/a/start | cat'"), "a/start", "top/tool"),
        (in_folder("sh bot.sh behind/key"), "a/behind", "top/key"),
    ] {
        let [target, beside] = [target, "top/beside"].map(|file| lodging.path(file));
        let command = bot.command.clone();
        assert_eq!(reads(std::slice::from_ref(&bot), &target, false), Ok(true), "{command}");
        if link != "a/behind" {
            assert_eq!(reads(std::slice::from_ref(&bot), &beside, false), Ok(false), "{command}");
        }
        let refused = reads(std::slice::from_ref(&bot), &target, true).expect_err("strict opens no link");
        assert!(refused.starts_with(&lodging.placed(&format!("HERE/{link} is a link to "))), "{refused}");
        let allowance = sandbox::Rights { read: vec![lodging.path("top")], ..Default::default() };
        assert_eq!(reads(&[Identity { allowance, ..bot }], &target, true), Ok(true), "{command}");
    }
    for bot in [in_folder("sh bot.sh inner"), in_folder("sh inner/x"), lodging.bot("sh HERE/a/inner/x")] {
        assert_eq!(reads(&[bot], &lodging.path("a/lib/x"), true), Ok(true));
    }
    // A folder that is shown entry by entry, because results lie in it, is no link.
    lodging.write("a/lib/results/tournament.json", "{}");
    let bot = lodging.bot("sh HERE/a/bot.sh HERE/a/lib");
    assert_eq!(reads(&[bot], &lodging.path("a/lib/x"), true), Ok(true));
}
