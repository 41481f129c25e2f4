//! Files around a bot that it cannot read: other bots, home folders, and results.

use std::path::PathBuf;
use std::process::Command;

use referee::bots::identity::Identity;
use sandbox::Rights;

use crate::contain::lodging::Lodging;

fn reading(path: PathBuf) -> Rights {
    Rights { read: vec![path], ..Rights::default() }
}

#[test]
fn bots_in_a_linked_folder_do_not_read_each_other() {
    let lodging = Lodging::new(&["real/probe.sh", "real/b.sh", "real/notes"]);
    lodging.link("link", "HERE/real");
    let bots = [lodging.bot("sh HERE/link/probe.sh"), lodging.bot("sh HERE/link/b.sh")];
    lodging.check(&bots, None, &[("real/b.sh", false), ("link/b.sh", false), ("link/notes", false)]);
    let bots = [lodging.bot("sh HERE/link/probe.sh"), lodging.bot("sh HERE/real/b.sh")];
    lodging.check(&bots, None, &[("real/b.sh", false)]);
    let bots = [lodging.bot("sh HERE/real/../real/probe.sh"), lodging.bot("sh HERE/link/../real/b.sh")];
    lodging.check(&bots, None, &[("real/b.sh", false)]);
}

#[test]
fn a_bot_that_is_a_folder_is_not_read_from_above() {
    let entries = [
        ("python3 HERE/top/bot", None),
        ("java -cp HERE/top/bot Bot", None),
        ("java -cp HERE/elsewhere:HERE/top/bot Bot", None),
        ("java -cp 'HERE/top/bot/*' Bot", None),
        ("java --class-path=HERE/top/bot Bot", None),
        ("python3 -m mod", Some("top/bot")),
        ("python3 -m bot", Some("top")),
    ];
    for (command, dir) in entries {
        let lodging =
            Lodging::new(&["top/probe.sh", "top/help", "top/lib/more", "top/bot/secret", "elsewhere/x"]);
        let other = Identity { dir: dir.map(|dir| lodging.path(dir)), ..lodging.bot(command) };
        let bots = [lodging.bot("sh HERE/top/probe.sh"), other];
        let is_beside = dir != Some("top");
        let tried = [("top/bot/secret", false), ("top/help", is_beside), ("top/lib/more", is_beside)];
        lodging.check(&bots, None, &tried);
    }
}

#[test]
fn modules_in_one_folder_are_hidden_from_each_other() {
    let lodging = Lodging::new(&["top/mod.py", "top/probe.sh", "top/pack/inner.py"]);
    for module in ["mod", "pack.inner"] {
        let dir = Some(lodging.path("top"));
        let other = Identity { dir: dir.clone(), ..lodging.bot(&format!("python3 -m {module}")) };
        let bots = [Identity { dir, ..lodging.bot("sh probe.sh") }, other];
        lodging.check(&bots, None, &[(&format!("top/{}.py", module.replace('.', "/")), false)]);
    }
}

#[test]
fn what_another_bot_may_read_is_hidden_unless_both_name_it() {
    let lodging = Lodging::new(&["top/probe.sh", "top/help", "top/book/openings", "b/b.sh"]);
    let reads = |command: &str, path: &str| Identity {
        allowance: reading(lodging.path(path)),
        ..lodging.bot(command)
    };
    let other = reads("sh HERE/b/b.sh", "top/book");
    let tried = |reads| [("top/book/openings", reads), ("top/help", true), ("b/b.sh", false)];
    lodging.check(&[lodging.bot("sh HERE/top/probe.sh"), other.clone()], None, &tried(false));
    lodging.check(&[reads("sh HERE/top/probe.sh", "top/book"), other.clone()], None, &tried(true));
    lodging.check(&[reads("sh HERE/top/probe.sh", "top"), other.clone()], None, &tried(true));
    lodging.check(&[lodging.bot("sh HERE/top/probe.sh HERE/top/book"), other], None, &tried(true));
}

#[test]
fn what_a_bot_may_read_is_cut_out_of_what_holds_others() {
    let lodging = Lodging::new(&["a/probe.sh", "league/common", "league/b/b.sh", "league/b/secret"]);
    let reads =
        |path: &str| Identity { allowance: reading(lodging.path(path)), ..lodging.bot("sh HERE/a/probe.sh") };
    let other = lodging.bot("sh HERE/league/b/b.sh");
    for (path, common) in [("league", true), ("league/b", false), ("league/b/../b", false), ("", false)] {
        let tried = [("league/b/b.sh", false), ("league/b/secret", false), ("league/common", common)];
        lodging.check(&[reads(path), other.clone()], None, &tried);
    }
}

#[test]
fn results_beside_a_bot_are_hidden_however_deep() {
    let files =
        ["top/probe.sh", "top/help", "top/lib/more", "top/data/a/b/c/d/e/f/tournament.json", "top/data/x"];
    let lodging = Lodging::new(&files);
    lodging.write("top/results/doodle-1/tournament.json", "{}");
    lodging.write("top/results/doodle-1/journal", "");
    let tried = [
        ("top/help", true),
        ("top/lib/more", true),
        ("top/", true),
        ("top/results/doodle-1/tournament.json", false),
        ("top/results/doodle-1/journal", false),
        ("top/data/a/b/c/d/e/f/tournament.json", false),
    ];
    let in_folder = Identity { dir: Some(lodging.path("top")), ..lodging.bot("sh probe.sh") };
    let program = lodging.bot("HERE/top/probe.sh");
    for bot in [lodging.bot("sh HERE/top/probe.sh"), in_folder, program] {
        lodging.check(&[bot], None, &tried);
    }
    let among_results =
        Identity { dir: Some(lodging.path("top/results/doodle-1")), ..lodging.bot("sh HERE/top/probe.sh") };
    lodging.check(&[among_results], None, &tried[3..]);
}

#[test]
fn results_beside_a_program_in_its_bin_folder_are_hidden() {
    let lodging = Lodging::new(&["top/inst/bin/probe", "top/inst/lib/more", "top/inst/data/known"]);
    lodging.write("top/inst/results/doodle-1/tournament.json", "{}");
    let tried = [
        ("top/inst/lib/more", true),
        ("top/inst/data/known", true),
        ("top/inst/results/doodle-1/tournament.json", false),
    ];
    lodging.check(&[lodging.bot("HERE/top/inst/bin/probe")], None, &tried);
}

/// The results directory that a tournament writes may not exist when the arena separates the bots.
#[test]
fn the_results_that_are_made_now_are_hidden() {
    let lodging = Lodging::new(&["top/probe.sh", "top/help", "top/results/old/notes"]);
    let bots = [lodging.bot("sh HERE/top/probe.sh")];
    let tried = [("top/help", true), ("top/results/old/notes", false), ("top/results/now/journal", false)];
    lodging.check(&bots, Some("top/results/now"), &tried);
    lodging.write("top/results/now/journal", "");
    lodging.check(&bots, Some("top/results/now"), &tried);
    lodging.check(&bots, Some("top"), &[("top/help", false)]);
}

#[test]
fn a_folder_that_is_above_another_bots_is_not_handed_out() {
    let lodging = Lodging::new(&["top/probe.sh", "top/help", "top/b/b.sh", "top/b/secret", "top/b/more/x"]);
    let tried = [("top/help", true), ("top/b/b.sh", false), ("top/b/secret", false), ("top/b/more/x", false)];
    let other = || lodging.bot("sh HERE/top/b/b.sh");
    let in_dir = |dir: &str, command: &str| Identity { dir: Some(lodging.path(dir)), ..lodging.bot(command) };
    lodging.check(&[lodging.bot("sh HERE/top/probe.sh"), other()], None, &tried);
    lodging.check(&[in_dir("top/b/..", "sh probe.sh"), other()], None, &tried);
    lodging.check(&[in_dir("top/b/..", "sh probe.sh"), in_dir("top", "sh b/b.sh")], None, &tried);
    lodging.check(&[lodging.bot("sh HERE/top/probe.sh HERE HERE/top/b/.."), other()], None, &tried);
}

#[test]
fn a_bot_in_the_folder_of_another_has_its_own_folder_alone() {
    let lodging = Lodging::new(&["top/__main__.py", "top/lib/x", "top/inner/probe.sh", "top/inner/help"]);
    let inner = lodging.bot("sh HERE/top/inner/probe.sh");
    let tried = [("top/inner/help", true), ("top/__main__.py", false), ("top/lib/x", false)];
    let outer = Identity { dir: Some(lodging.path("top")), ..lodging.bot("python3 -m lib") };
    for other in [lodging.bot("python3 HERE/top"), lodging.bot("python3 HERE/top/__main__.py"), outer] {
        lodging.check(&[inner.clone(), other], None, &tried);
    }
}

#[test]
fn links_in_a_bots_folder_lead_nowhere() {
    let lodging = Lodging::new(&["a/probe.sh", "b/b.sh", "b/secret", "old/tournament.json"]);
    lodging.link("a/b", "HERE/b");
    lodging.link("a/secret", "HERE/b/secret");
    lodging.link("a/old", "HERE/old");
    let bots = [lodging.bot("sh HERE/a/probe.sh"), lodging.bot("sh HERE/b/b.sh")];
    let tried = [("a/b/secret", false), ("a/secret", false), ("a/old/tournament.json", false)];
    lodging.check(&bots, None, &tried);
    // The same holds if the bot gets the folder entry by entry.
    lodging.write("a/results/tournament.json", "");
    lodging.check(&bots, None, &tried);
}

#[test]
fn programs_of_one_folder_on_the_search_path_do_not_read_each_other() {
    for (folder, beside) in [("tools", false), ("inst/bin", false)] {
        let [probe, other, notes] = ["probe", "other", "notes"].map(|file| format!("top/{folder}/{file}"));
        let lodging = Lodging::new(&[&probe, &other, &notes]);
        let path = format!("{}:/usr/bin:/bin", lodging.path(&format!("top/{folder}")).display());
        let named = |command: &str| Identity {
            env: [("PATH".to_owned(), path.clone())].into(),
            ..lodging.bot(command)
        };
        lodging.check(&[named("probe"), named("other")], None, &[(&other, false), (&notes, beside)]);
    }
}

/// Returns true if a tournament of this script and another bot can start. The script greets only if it cannot
/// read the file.
fn starts_unless_it_reads(
    lodging: &Lodging,
    script: &str,
    file: &str,
    other: &str,
    run: &mut Command,
) -> bool {
    let bot = "read -r hello; cat FILE && exit 3; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r quit";
    lodging.write(script, &bot.replace("FILE", &lodging.placed(&format!("HERE/{file}"))));
    let league = format!("[[bot]]\nname = \"mine\"\ncommand = \"sh HERE/{script}\"\n[[bot]]\n{other}\n");
    lodging.write("league.toml", &lodging.placed(&league));
    let output = run.current_dir(lodging.path("")).output().expect("the arena runs");
    let _ = std::fs::remove_dir_all(lodging.path("out"));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() || stderr.contains("cannot start"), "{stderr}");
    !stderr.contains("cannot start")
}

const PLAY: [&str; 7] = ["tournament", "league.toml", "--rounds", "1", "--out", "out", "--quiet"];

/// On systems whose `/home` is a link, `HOME` differs from the real path of the files.
#[test]
fn a_home_under_another_name_is_one() {
    let lodging = Lodging::new(&["var/home/x/.ssh/key", "var/home/x/help"]);
    lodging.link("home", "HERE/var/home");
    let holds = crate::contain::scene::holds("landlock");
    for (home, named) in [("home/x", "home/x"), ("home/x", "var/home/x"), ("var/home/x", "home/x")] {
        let mut run = crate::program::command();
        run.env("HOME", lodging.path(home)).args(PLAY);
        let (script, key) = (format!("{named}/bot.sh"), "var/home/x/.ssh/key");
        let starts = starts_unless_it_reads(&lodging, &script, key, "command = \"greedy\"", &mut run);
        assert_eq!(starts, holds, "{home}, {named}");
    }
}

/// A folder that is mounted in a second place is the same folder.
#[test]
fn what_is_mounted_elsewhere_too_is_hidden_there() {
    if !needs::MOUNTS.is_met() {
        return;
    }
    let lodging = Lodging::new(&["top/b/b.sh", "top/b/secret", "alias/x", "own/mounted/x"]);
    let holds = crate::contain::scene::holds("landlock");
    for (from, to, script) in [
        ("top", "alias", "alias/bot.sh"),
        ("top/b", "alias", "alias/bot.sh"),
        ("top/b", "own/mounted", "own/bot.sh"),
    ] {
        let secret = if from == "top" { format!("{to}/b/secret") } else { format!("{to}/secret") };
        let mut run = Command::new("unshare");
        let text = format!("mount --bind {from} {to} || exit 99; cp bot.sh {script}; exec \"$0\" \"$@\"");
        run.args(["--mount", "sh", "-c", &text, env!("CARGO_BIN_EXE_arena")]).args(PLAY);
        lodging.write("top/b/b.sh", "read -r l; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r l");
        let bot = "read -r l; cat FILE && exit 3; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r l";
        lodging.write("bot.sh", &bot.replace("FILE", &lodging.placed(&format!("HERE/{secret}"))));
        let other = "name = \"b\"\ncommand = \"sh HERE/top/b/b.sh\"";
        let starts = starts_unless_it_reads(&lodging, script, &secret, other, &mut run);
        assert_eq!(starts, holds, "{from} at {to}");
    }
}

/// A bot that a shim has started may `exec` itself under any name. The bot gets no access to the files around
/// that name.
#[test]
fn a_shim_is_not_believed_about_the_program_it_has_become() {
    if !needs::BASH.is_met() {
        return;
    }
    let lodging = Lodging::new(&["private/secret", "manager/versions/1/x"]);
    lodging.link("private/bin/sh", "/bin/sh");
    let secret = lodging.path("private/secret");
    let bot = format!(
        "read -r hello; if cat {} >/dev/null 2>&1; then name=read; else name=kept; fi
        echo '{{\"type\":\"hello\",\"protocol\":1,\"name\":\"'$name'\"}}'; read -r quit",
        secret.display()
    );
    lodging.write("bot/bot.sh", &bot);
    for name in ["HERE/private/bin/sh", "HERE/manager/versions/../../private/bin/sh"] {
        let text = format!("#!/bin/bash\nexec -a {} /bin/sh \"$@\"\n", lodging.placed(name));
        lodging.write("manager/shims/managed", &text);
        let bot = lodging.bot("HERE/manager/shims/managed HERE/bot/bot.sh");
        for answer in lodging.answers_after_preflight(&bot) {
            assert!(answer.contains("kept"), "{name}: {answer}");
        }
    }
}

/// A folder that needs too many exceptions is not readable. The bot gets only its own file.
#[test]
fn a_folder_with_results_and_very_many_files_is_not_handed_out() {
    let lodging = Lodging::new(&["top/probe.sh", "top/help", "top/old/tournament.json"]);
    for number in 0..256 {
        std::fs::write(lodging.path(&format!("top/{number}")), "").expect("a file");
    }
    lodging.check(&[lodging.bot("sh HERE/top/probe.sh")], None, &[("top/help", false)]);
}

/// The directory may come from a stranger, and lie in a project of the user.
#[test]
fn bots_of_results_see_nothing_around_their_files_unless_the_user_trusts_them() {
    let lodging = Lodging::new(&["project/.git/config", "project/net"]);
    let bot = "read -r l; cat ../net >&2 || exit 3; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r l";
    lodging.write("project/bots/bot.sh", bot);
    let arena = |args: &[&str]| {
        let mut arena = crate::program::command();
        let output = arena.current_dir(lodging.path("project/bots")).args(args).output().expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let bots = ["--bot", "own=sh bot.sh", "--bot", "greedy"];
    let common = ["tournament", "--quiet", "--out", "out", "--rounds"];
    let (played, stderr) = arena(&[&common[..], &["1"], &bots].concat());
    assert!(played, "{stderr}");
    crate::program::send(&lodging.path("project/bots/out"));
    let resume = [&common[..], &["2", "--resume"]].concat();
    for args in [&resume[..], &["rerun", "out", "--match", "0"]] {
        let (again, stderr) = arena(args);
        if crate::contain::scene::holds("landlock") {
            assert!(!again && stderr.contains("see only their own files") || args[0] == "rerun", "{stderr}");
        }
        let (trusted, stderr) = arena(&[args, &["--trust"]].concat());
        assert!(trusted, "{stderr}");
    }
}
