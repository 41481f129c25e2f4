//! The way of a new user: the commands that the README, the guide, and the program print, one after the other.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::documents::markdown::blocks;
use crate::program::scratch;
use crate::screens::terminal;

/// A shell in the user's folder, with the installed program.
fn shell(home: &Path, line: &str) -> Command {
    let mut command = Command::new("sh");
    let path = std::env::var("PATH").unwrap_or_default();
    command.current_dir(home.join("work")).args(["-c", line]);
    let own = crate::program::command();
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PATH", format!("{}:{path}", home.join("bin").display()));
    command
}

fn run(home: &Path, line: &str) -> Output {
    shell(home, line).stdin(Stdio::null()).output().expect("a shell starts")
}

fn texts(output: &Output) -> (String, String) {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    (stdout, stderr)
}

/// Runs a printed command, with less to play. Returns both outputs.
fn succeed(home: &Path, line: &str) -> (String, String) {
    let less = match line {
        line if line.starts_with("arena check") => " --matches 2",
        line if line.starts_with("arena tournament") => " --rounds 4 --seed 1",
        _ => "",
    };
    let output = run(home, &format!("{line}{less}"));
    assert!(output.status.success(), "{line}: {output:?}");
    texts(&output)
}

/// Changes a file of the user.
fn edit(home: &Path, file: &str, from: &str, to: &str) {
    let path = home.join("work").join(file);
    let text = fs::read_to_string(&path).expect("a file");
    assert_eq!(text.matches(from).count(), 1, "{file}: {from}");
    fs::write(&path, text.replace(from, to)).expect("a file");
}

#[test]
fn a_new_user_goes_from_the_readme_to_the_debugger() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    let home = folder.path();
    for name in ["bin", "work"] {
        fs::create_dir(home.join(name)).expect("a folder");
    }
    symlink(env!("CARGO_BIN_EXE_arena"), home.join("bin/arena")).expect("a link");

    // The README, in doodle.
    let of_readme = blocks("README.md");
    let of_readme = of_readme.iter().find(|block| block.text.starts_with("arena new python my-bot"));
    let commands: Vec<String> = of_readme.expect("the commands").text.lines().map(str::to_owned).collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    commands.iter().for_each(|line| drop(succeed(home, line)));

    // What the program prints, in the other game.
    let (said, _) = succeed(home, "arena new python other --game patchwork");
    let printed: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("  arena ")).collect();
    assert_eq!(printed.len(), 3, "{said}");
    for line in printed {
        assert!(line.contains("--game patchwork"), "{line}");
        succeed(home, &format!("arena {line}"));
    }
    let (matches, _) = succeed(home, "arena matches --first 1");
    assert!(matches.contains("mine"), "the newest results are those of patchwork: {matches}");

    // The guide's debugger, at turn 3.
    let guide = blocks("docs/guide/debug.md");
    let line = guide.iter().flat_map(|block| block.text.lines()).find(|line| line.contains("-m pdb"));
    let line = line.expect("a command").replace("mybot.py", "my-bot/bot.py");
    let typed = ["b decide, state[\"turn\"] == 3\n", "c\n", "p 'turn', state['turn']\n", "q\n"];
    let (shown, _) = terminal::talk(shell(home, &line), 80, "(Pdb) ", &typed);
    assert!(shown.contains("('turn', 3)"), "{shown}");

    // A file beside the bot, first in the wrong way and then as the message says.
    let play = "arena match --quiet --bot mine='python3 my-bot/bot.py' --bot greedy";
    fs::write(home.join("work/my-bot/weights.json"), "{}").expect("a file");
    edit(home, "my-bot/bot.py", "import quilt\n", "import quilt\nweights = open('weights.json').read()\n");
    let (_, stderr) = texts(&run(home, play));
    assert!(
        stderr.contains("weights.json is in the bot's folder, and bots start in your folder"),
        "{stderr}"
    );
    edit(home, "my-bot/bot.py", "open('weights.json')", "open(__file__.replace('bot.py', 'weights.json'))");
    succeed(home, play);

    // A package of a virtual environment.
    if std::env::var_os("QUILT_INSTALLS").is_some() {
        succeed(home, "python3 -m venv venv && venv/bin/pip install -q numpy");
        edit(home, "my-bot/bot.py", "import quilt\n", "import quilt\nimport numpy\n");
        let (_, stderr) = texts(&run(home, play));
        assert!(stderr.contains("No module named 'numpy'\" at my-bot/bot.py:"), "{stderr}");
        succeed(home, &play.replace("python3 ", "venv/bin/python "));
    }

    // A crash in Node.
    let has_node = run(home, "node --version").status.success();
    assert!(has_node || !needs::is_ci(), "there is no node");
    if has_node {
        succeed(home, "arena new javascript js-bot");
        let path = home.join("work/js-bot/bot.js");
        let text = fs::read_to_string(&path).expect("a bot");
        let (at, _) = text.match_indices("function decide(").next().expect("a function");
        let body = at + text[at..].find("{\n").expect("a body") + 2;
        let line = text[..body].lines().count() + 1;
        fs::write(&path, format!("{}  null.board;\n{}", &text[..body], &text[body..])).expect("a bot");
        let (_, stderr) =
            texts(&run(home, "arena match --quiet --bot mine='node js-bot/bot.js' --bot greedy"));
        let quote = "stderr says \"TypeError: Cannot read properties of null (reading 'board')\"";
        assert!(stderr.contains(&format!("{quote} at js-bot/bot.js:{line}\n")), "{stderr}");
    }
}
