//! Thirty-two hand-ins as students make them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use arena::templates;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Cup, script, zipped};

/// Files of a hand-in: names and contents.
type Files = Vec<(String, Vec<u8>)>;

/// What becomes of it.
enum Becomes {
    Plays,
    /// Its author reads this.
    Fails(&'static str),
    /// It is not taken, for this reason and with this cure.
    Left(&'static str, &'static str),
}

use Becomes::{Fails, Left, Plays};

/// The hand-ins: the name, the language without which it is skipped, what becomes of it, and true if `cargo test` has it.
const ALL: [(&str, &str, Becomes, usize); 32] = [
    ("anna", "python", Fails("stdout is for one answer a question"), 1),
    ("uwe", "python", Fails("did you flush, and end the line?"), 2),
    ("xena", "python", Fails("KeyError"), 2),
    ("ada", "python", Fails("No module named 'nimpy'"), 2),
    ("gus", "javascript", Fails("Cannot find module 'lodash'"), 1),
    ("sam", "python", Fails("the sandbox refused it the network: do without"), 1),
    ("quinn", "python", Fails("writing bot.log: write into the folder that TMPDIR names"), 2),
    ("otto", "bash", Fails("note: the lines of bot.sh end as on Windows"), 2),
    ("nora", "csharp", Fails("does not contain a valid CIL image"), 2),
    ("hana", "c", Plays, 1),
    ("carla", "java", Plays, 1),
    ("lena", "R", Plays, 2),
    ("ben_hausaufgabe (1)", "", Plays, 2),
    ("team 04", "", Plays, 0),
    ("mira", "python", Plays, 2),
    ("nils", "", Left("a notebook is no program", "bot.toml"), 0),
    ("cleo.zip", "", Plays, 0),
    ("cora", "cpp", Plays, 1),
    ("gordon", "go", Plays, 2),
    ("rosa", "rust", Plays, 2),
    ("csilla", "csharp", Plays, 2),
    ("jana", "java", Plays, 2),
    ("pia", "", Left("which file is the bot? It has bot.py and bot.rb", "bot.toml"), 0),
    ("vera", "python", Plays, 2),
    ("emre", "csharp", Plays, 2),
    ("yusuf", "lua", Plays, 2),
    ("Zoe Zorn_4711_assignsubmission_file_", "ruby", Plays, 1),
    ("walt", "python", Fails("Permission denied"), 2),
    ("dora", "perl", Plays, 2),
    ("olga", "ocaml", Plays, 2),
    ("paul", "php", Plays, 2),
    ("tim.tar.gz", "javascript", Plays, 1),
];

/// Returns the files of a template.
fn of_template(name: &str) -> Files {
    let kit = templates::find(name).expect("a template");
    kit.files().iter().map(|(file, text)| ((*file).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Returns these files with other names, and with words of their texts replaced.
fn changed(files: Files, names: &[(&str, &str)], words: &[(&str, &str)]) -> Files {
    let change = |(name, bytes): (String, Vec<u8>)| {
        let text = String::from_utf8(bytes).expect("a text");
        let text = words.iter().fold(text, |text, (from, to)| text.replace(from, to));
        let name = names.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| (*to).to_owned());
        (name, text.into_bytes())
    };
    files.into_iter().map(change).collect()
}

/// Returns the template for Python with these lines before everything else.
fn python(lines: &str) -> Files {
    let mut files = of_template("python");
    let bot = files.iter_mut().find(|(name, _)| name == "bot.py").expect("its bot");
    bot.1 = [lines.as_bytes(), &bot.1].concat();
    files
}

fn one(name: &str, text: impl Into<Vec<u8>>) -> Files {
    vec![(name.to_owned(), text.into())]
}

/// Returns a program for Java in a package.
fn java() -> Files {
    let (package, names) = ("package de.carla;\nimport java.io.*;", ["Bot.java", "Json.java"]);
    let files = of_template("java").into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect();
    let names = [("Bot.java", "src/de/carla/Main.java"), ("Json.java", "src/de/carla/Json.java")];
    let mut files =
        changed(files, &names, &[("final class Bot", "final class Main"), ("import java.io.*;", package)]);
    for (_, bytes) in &mut files {
        if !bytes.starts_with(b"package") {
            *bytes = [b"package de.carla;\n", bytes.as_slice()].concat();
        }
    }
    files
}

fn files(name: &str) -> Files {
    let bot = || one("bot.sh", script());
    let within = |folder: &str, files: Files| -> Files {
        files.into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes)).collect()
    };
    match name {
        "anna" => python("print('my first bot')\n"),
        "uwe" => python("input('> ')\n"),
        "xena" => python("{}['no such key']\n"),
        "ada" => python("import nimpy\n"),
        "gus" => one("bot.js", "require('lodash')\n"),
        "sam" => python("import urllib.request\nurllib.request.urlopen('http://example.org')\n"),
        "quinn" => python("open('bot.log', 'w')\n"),
        "otto" => one("bot.sh", script().replace('\n', "\r\n") + "x=1\r\n"),
        "nora" => one("bot.exe", b"MZ\x90\0\x03\0\0\0".repeat(100)),
        "hana" => of_template("c"),
        "carla" => java(),
        "lena" => one(
            "agent.R",
            format!("quit(status = system2('{}', c('bot', 'random')))\n", env!("CARGO_BIN_EXE_arena")),
        ),
        "team 04" => within("abgabe", bot()),
        "mira" => changed(of_template("python"), &[("bot.py", "main.py")], &[]),
        "nils" => one("bot.ipynb", "{}"),
        "cora" => {
            let make = "bot: src/main.cpp src/json.hpp\n\tg++ -std=c++17 -O1 -o bot src/main.cpp\n";
            let names = [("bot.cpp", "src/main.cpp"), ("json.hpp", "src/json.hpp")];
            [changed(of_template("cpp"), &names, &[]), one("Makefile", make)].concat()
        }
        "gordon" => [
            changed(of_template("go"), &[("bot.go", "main.go")], &[]),
            one("go.mod", "module gordon\n\ngo 1.19\n"),
        ]
        .concat(),
        "rosa" => {
            let main = format!(
                "use std::os::unix::process::CommandExt;\nfn main() {{\n    let mut bot = \
                 std::process::Command::new({:?});\n    panic!(\"{{}}\", bot.args([\"bot\", \"random\"]).exec());\n}}\n",
                env!("CARGO_BIN_EXE_arena")
            );
            let cargo = "[package]\nname = \"rosas-bot\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
            [one("Cargo.toml", cargo), one("src/main.rs", main)].concat()
        }
        "csilla" => {
            let names = [("Bot.cs", "Program.cs")];
            [changed(of_template("csharp"), &names, &[]), one("csilla.csproj", "<Project/>")].concat()
        }
        "pia" => [one("bot.py", ""), one("bot.rb", "")].concat(),
        "vera" => of_template("python"),
        "emre" => of_template("csharp"),
        "yusuf" => of_template("lua"),
        "walt" => python("print(open('/root/.bashrc').read(), open('/etc/shadow').read())\n"),
        "dora" => of_template("perl"),
        "olga" => of_template("ocaml"),
        "paul" => of_template("php"),
        "tim.tar.gz" => within("tim", of_template("javascript")),
        "Zoe Zorn_4711_assignsubmission_file_" => of_template("ruby"),
        _ => bot(),
    }
}

/// Hands in the files: as a folder, or in an archive if the name says so.
fn submit(cup: &Cup, name: &str, files: &Files) {
    // Archives of some systems do not say that a file is a program, and have parts of their own.
    let listed: Vec<(&str, u32, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), 0o644, bytes.as_slice())).collect();
    if name == "cleo.zip" {
        let own = [("__MACOSX/._bot.sh", 0o644, &b""[..]), (".DS_Store", 0o644, b"")];
        cup.submit(name, zipped(&[&listed[..], &own].concat()));
    } else if name.starts_with("Zoe") {
        cup.submit(&format!("{name}/hausaufgabe.zip"), zipped(&listed));
    } else if name == "tim.tar.gz" {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, path, bytes.as_slice()).expect("memory");
        }
        cup.submit(name, archive.into_inner().and_then(GzEncoder::finish).expect("memory"));
    } else {
        files.iter().for_each(|(path, bytes)| cup.submit(&format!("{name}/{path}"), bytes));
    }
    if name == "jana" {
        jar(&cup.at("submissions/jana"));
    }
}

/// Makes a JAR of a program in a package, and leaves nothing else.
fn jar(folder: &Path) {
    fs::remove_dir_all(folder).expect("it is ours");
    fs::create_dir(folder).expect("a folder");
    let scratch = tempfile::tempdir().expect("a scratch folder");
    for (name, bytes) in java() {
        let place = scratch.path().join(name);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        fs::write(place, bytes).expect("a file");
    }
    let build = format!(
        "javac -d classes src/de/carla/*.java && jar cfe '{}' de.carla.Main -C classes .",
        folder.join("jana.jar").display()
    );
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &build])
        .current_dir(scratch.path())
        .env("JAVA_TOOL_OPTIONS", needs::JAVA_WITHOUT_FILES);
    assert!(shell.output().expect("a shell").status.success());
}

/// Returns true if all users can pass to the folder of this variable, or at this place in the home, if it is there.
fn is_open_to_all(variable: &str, usual: &str) -> bool {
    let home = || Some(Path::new(&std::env::var_os("HOME")?).join(usual));
    let folder = std::env::var_os(variable).map(PathBuf::from).or_else(home);
    let is_open = |above: &Path| above.metadata().is_ok_and(|facts| facts.mode() & 0o001 != 0);
    !rustix::process::getuid().is_root() || folder.is_none_or(|folder| folder.ancestors().all(is_open))
}

fn is_there(language: &str) -> bool {
    match language {
        "" => true,
        "R" => needs::INTERPRETERS.is_met(),
        // Builds of root have a user of their own, who must be able to run the linker of Rust.
        "rust" if !is_open_to_all("RUSTUP_HOME", ".rustup") => false,
        name => {
            let lacks = templates::find(name).expect("a template").lacks();
            assert!(lacks.is_none() || !needs::is_ci(), "{name}: {lacks:?}");
            lacks.is_none()
        }
    }
}

/// Of thirty-two hand-ins as students make them, those that can be a bot are taken without a hand, and the authors of all of
/// them have a text with cause and cure.
#[test]
fn hand_ins_of_students_are_taken_or_their_authors_told() {
    let cup = Cup::new();
    cup.settings("names = '(.+?)_[0-9]+_assignsubmission_file_'");
    let size = needs::sized(0, 1, 2);
    let here: Vec<_> =
        ALL.iter().filter(|(_, language, _, least)| *least <= size && is_there(language)).collect();
    here.iter().for_each(|(name, ..)| submit(&cup, name, &files(name)));
    let said = cup.host();
    let mut taken = 0;
    for (from, _, becomes, _) in &here {
        let name = match *from {
            "ben_hausaufgabe (1)" => "ben_hausaufgabe",
            "team 04" => "team-04",
            from if from.starts_with("Zoe") => "Zoe-Zorn",
            from => from.split('.').next().expect("a name"),
        };
        let (text, data) = cup.told(name);
        match becomes {
            Plays => assert_eq!(data["state"], "plays", "{text}"),
            Fails(word) => {
                let has_failed = data["state"] == "fails" || data["state"] == "does not start";
                assert!(has_failed && text.contains(word), "{word}: {text}");
            }
            Left(reason, cure) => {
                assert_eq!(data["state"], "not taken", "{text}");
                assert!(text.contains(reason) && text.contains(cure), "{text}");
            }
        }
        assert!(text.contains("what to do: ") || data["state"] == "plays", "{text}");
        assert!(!text.contains(&*cup.at("").to_string_lossy()), "an author reads where it lies: {text}");
        assert!(said.contains(&format!("{name} 1: ")), "{said}");
        taken += usize::from(!matches!(becomes, Left(..)));
    }
    assert!(taken + 6 >= here.len(), "{taken} of {}", here.len());
    if size == 2 && here.len() == ALL.len() {
        assert!(taken >= 26, "{taken}");
    }
    // The organiser is told of files that are equal.
    let are_same = size == 0 || said.contains("has the same files as");
    assert!(are_same, "{said}");
    assert_eq!(cup.left(), Vec::<PathBuf>::new());
}
