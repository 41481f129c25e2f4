//! A bot can read its own files, in every form in which its command names them.

use std::path::{Path, PathBuf};

use referee::bots::identity::Identity;

use crate::contain::lodging::Lodging;
use crate::program::words;

#[test]
fn bots_that_share_a_folder_have_their_own_files_alone() {
    let lodging = Lodging::new(&["top/probe.sh", "top/b.sh", "top/help", "top/lib/x"]);
    let dir = Some(lodging.path("top"));
    let here = |command: &str| Identity { dir: dir.clone(), ..lodging.bot(command) };
    let tried = [("top/probe.sh", true), ("top/b.sh", false), ("top/help", false), ("top/lib/x", false)];
    lodging.check(&[here("sh probe.sh"), here("sh b.sh")], None, &tried);
    // Two entries of the same bot may read each other.
    let bots = [here("sh probe.sh 1"), here("sh probe.sh 2")];
    lodging.check(&bots, None, &[("top/help", true), ("top/lib/x", true)]);
}

#[test]
fn a_bot_reads_everything_that_its_command_names() {
    let lodging = Lodging::new(&["a/probe.sh", "a/help", "a/lib/more/x", "c/x", "d/x", "e/x/y", "f/x"]);
    let bot = lodging.bot("sh HERE/a/probe.sh -cp HERE/c:HERE/d --data=HERE/e HERE/f");
    let other = lodging.bot("sh HERE/nothing/here.sh");
    let tried =
        ["a/help", "a/lib/more/x", "c/x", "d/x", "e/x/y", "f/x", "a/", "e/x/"].map(|path| (path, true));
    lodging.check(&[bot, other], None, &tried);
}

#[test]
fn a_project_is_shown_to_ones_own_bots_but_for_what_is_private() {
    let shown = words("proj/src/x node_modules/m/x");
    let private = "proj/.env proj/.git/config proj/other/b.sh proj/other/secret proj/results/d/x beside/x";
    let files = "proj/pyproject.toml proj/build/probe.sh proj/results/d/tournament.json";
    let lodging = Lodging::new(&[&words(files)[..], &shown, &words(private)].concat());
    let bots = [lodging.bot("sh HERE/proj/build/probe.sh"), lodging.bot("sh HERE/proj/other/b.sh")];
    let tried = |is_shown| {
        let shown = shown.iter().map(move |path| (*path, is_shown));
        shown.chain(words(private).into_iter().map(|path| (path, false))).collect::<Vec<_>>()
    };
    lodging.check(&bots, None, &tried(true));
    lodging.check_strictly(&bots, &tried(false));
}

/// Returns the system's Python, if there is one.
fn python() -> Option<PathBuf> {
    if needs::SYSTEM_PYTHON.is_met() { Path::new("/usr/bin/python3").canonicalize().ok() } else { None }
}

/// A bot that prints values of its modules.
const IMPORTS: &str =
    "import helper, package.inner\ninput()\nprint('yes', helper.said, package.inner.said, flush=True)\n";

/// Writes a Python program and its modules into this folder.
fn python_bot(lodging: &Lodging, folder: &str, main: &str) {
    lodging.write(&format!("{folder}/{main}"), IMPORTS);
    lodging.write(&format!("{folder}/helper.py"), "said = 'yes'\n");
    lodging.write(&format!("{folder}/package/__init__.py"), "");
    lodging.write(&format!("{folder}/package/inner.py"), "said = 'yes'\n");
}

#[test]
fn python_finds_its_modules_in_whatever_form_a_bot_is_named() {
    if python().is_none() {
        return;
    }
    let lodging = Lodging::new(&["b/b.sh"]);
    for main in ["bot.py", "__main__.py", "mod.py"] {
        python_bot(&lodging, "top", main);
    }
    lodging.link("link", "HERE/top");
    let module =
        |dir: &str| Identity { dir: Some(lodging.path(dir)), ..lodging.bot("/usr/bin/python3 -m mod") };
    let named = ["HERE/top/bot.py", "HERE/link/bot.py", "HERE/top", "HERE/link", "HERE/b/../top/bot.py"];
    let named = named.map(|path| lodging.bot(&format!("/usr/bin/python3 {path}")));
    for with_results in [false, true] {
        if with_results {
            lodging.write("top/results/doodle-1/tournament.json", "{}");
        }
        for bot in named.iter().cloned().chain([module("top"), module("link")]) {
            let answers =
                lodging.answers(&[bot.clone(), lodging.bot("sh HERE/b/b.sh")], Some("top/results/doodle-2"));
            assert!(answers.iter().all(|answer| answer == "yes yes yes"), "{:?}: {answers:?}", bot.command);
        }
    }
}

#[test]
fn a_virtual_environment_has_its_packages() {
    let Some(python) = python() else { return };
    let lodging = Lodging::new(&["b/b.sh"]);
    let version = python.file_name().and_then(|name| name.to_str()).expect("such as python3.11");
    python_bot(&lodging, "top/bot", "bot.py");
    lodging.write("top/bot/bot.py", &format!("import thing\n{IMPORTS}"));
    for (folder, linked) in
        [("top/bot/venv", false), ("top/venv", false), ("venv", false), ("top/real", true)]
    {
        lodging.write(&format!("{folder}/pyvenv.cfg"), "home = /usr/bin\n");
        lodging.write(&format!("{folder}/lib/{version}/site-packages/thing.py"), "");
        lodging.link(&format!("{folder}/bin/python"), "/usr/bin/python3");
        if linked {
            lodging.link("top/linked", &format!("HERE/{folder}"));
        }
        let folder = if linked { "top/linked" } else { folder };
        let bot = lodging.bot(&format!("HERE/{folder}/bin/python HERE/top/bot/bot.py"));
        let answers = lodging.answers(&[bot, lodging.bot("sh HERE/b/b.sh")], None);
        assert!(answers.iter().all(|answer| answer == "yes yes yes"), "{folder}: {answers:?}");
    }
}
