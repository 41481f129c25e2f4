//! Bots to begin with, in many languages, carried inside the program: the folders of `bots/` with what
//! is known about each.

mod engine;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde::Deserialize;

use referee::error::Error;
use sandbox::text;

/// The word in a command that stands for the kit's folder.
const DIR: &str = "{dir}";

/// A bot to begin with.
#[derive(Debug)]
pub struct Kit {
    /// The language as a word of the command line: `python`.
    pub name: &'static str,
    facts: Facts,
    /// Names and contents.
    files: &'static [(&'static str, &'static str)],
}

/// What a `kit.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The language's name for people.
    pub language: String,
    /// Other words for it on the command line.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The file with the strategy.
    pub bot: String,
    /// What builds it, run in its folder; nothing where there is nothing to build.
    pub build: Option<String>,
    /// What runs it, with `{dir}` for its folder.
    pub run: String,
    /// A shell command that succeeds where everything is installed that builds and runs it: programs, headers, and
    /// modules in versions that are new enough.
    pub probe: String,
    /// Debian's packages that install all of that.
    pub debian: Vec<String>,
    /// The version it was tested with.
    pub tested: String,
    /// How a command shows the language.
    #[serde(default)]
    pub recognise: Recognise,
    /// How things are said in the language.
    pub hints: Idioms,
}

/// How a command line shows a language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recognise {
    /// Names of its interpreters.
    pub programs: Vec<String>,
    /// Extensions of its files.
    pub extensions: Vec<String>,
}

/// How things are said in a language, each a line of code or a few words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Idioms {
    /// Writes an answer and flushes.
    pub flush: String,
    /// Writes to stderr.
    pub debug: String,
    /// Ends at the end of input.
    pub end: String,
}

/// Each kit's name, its folder in `bots/`, and its files.
macro_rules! kits {
    ($($name:literal in $folder:literal: $($file:literal)*;)*) => {
        [$(Kit {
            name: $name,
            facts: facts(include_str!(concat!("../../bots/", $folder, "/kit.toml"))),
            files: &[$(($file, include_str!(concat!("../../bots/", $folder, "/", $file)))),*],
        }),*]
    };
}

static KITS: LazyLock<Vec<Kit>> = LazyLock::new(|| {
    Vec::from(kits! {
        "bash" in "bash": "bot.sh" "README.md";
        "c" in "c": "bot.c" "json.h" "README.md";
        "commonlisp" in "commonlisp": "bot.lisp" "json.lisp" "README.md";
        "cpp" in "cpp": "bot.cpp" "json.hpp" "README.md";
        "csharp" in "csharp": "Bot.cs" "Json.cs" "README.md";
        "d" in "d": "bot.d" "README.md";
        "elixir" in "elixir": "bot.exs" "json.exs" "README.md";
        "go" in "go": "bot.go" "json.go" "README.md";
        "haskell" in "haskell": "Bot.hs" "Json.hs" "README.md";
        "java" in "java": "Bot.java" "Json.java" "README.md";
        "javascript" in "javascript": "bot.js" "README.md";
        "lua" in "lua": "bot.lua" "json.lua" "README.md";
        "nim" in "nim": "bot.nim" "README.md";
        "ocaml" in "ocaml": "bot.ml" "README.md";
        "perl" in "perl": "bot.pl" "README.md";
        "php" in "php": "bot.php" "README.md";
        "python" in "python": "bot.py" "quilt/__init__.py" "quilt/py.typed" "pyproject.toml" "README.md";
        "ruby" in "ruby": "bot.rb" "README.md";
        "rust" in "rust/kit": "bot.rs" "Cargo.toml" "README.md";
        "scheme" in "scheme": "bot.scm" "README.md";
        "tcl" in "tcl": "bot.tcl" "README.md";
        "typescript" in "typescript": "bot.ts" "tsconfig.json" "README.md";
    })
});

fn facts(text: &str) -> Facts {
    toml::from_str(text).expect("a test reads every kit.toml")
}

/// Every kit, by name.
pub fn all() -> &'static [Kit] {
    &KITS
}

/// The kit of a language by its name, another word for it, or its name for people.
///
/// # Errors
/// Names the languages there are.
pub fn find(language: &str) -> Result<&'static Kit, Error> {
    let wanted = language.to_lowercase();
    let is_it = |kit: &&Kit| {
        kit.name == wanted
            || kit.facts.language.to_lowercase() == wanted
            || kit.facts.aliases.contains(&wanted)
    };
    all().iter().find(is_it).ok_or_else(|| {
        let names: Vec<&str> = all().iter().map(|kit| kit.name).collect();
        Error::usage(format!("there is no kit for {language:?}"))
            .hint(format!("there are {}; protocol.md is enough for any other language", names.join(", ")))
    })
}

/// The kit of the language that a command line shows, if it shows one.
pub fn language_of(argv: &[String]) -> Option<&'static Kit> {
    let named = |path: &str, of: fn(&Path) -> Option<&std::ffi::OsStr>| {
        of(Path::new(path)).and_then(|part| part.to_str()).unwrap_or_default().to_owned()
    };
    let shows = |kit: &&Kit| {
        let Recognise { programs, extensions } = &kit.facts.recognise;
        let is_program = |word: &String| programs.contains(&named(word, Path::file_name));
        let is_source = |word: &String| extensions.contains(&named(word, Path::extension));
        argv.first().is_some_and(is_program) || argv.iter().any(is_source)
    };
    all().iter().find(shows)
}

impl Kit {
    /// What is known about it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Names and contents of its files.
    pub fn files(&self) -> &'static [(&'static str, &'static str)] {
        self.files
    }

    /// Runs its probe. Returns why this machine can neither build nor run it, or `None` if it can.
    pub fn lacks(&self) -> Option<String> {
        let probe = Command::new("sh").args(["-c", &self.facts.probe]).stdin(Stdio::null()).output();
        let output = match probe {
            Ok(output) if output.status.success() => return None,
            Ok(output) => output,
            Err(error) => return Some(format!("sh: {error}")),
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or(&self.facts.probe);
        let of_the_shell = ["sh: 1: ", "sh: line 1: "].into_iter().find_map(|shell| said.strip_prefix(shell));
        Some(text::line(of_the_shell.unwrap_or(said).trim()).into_owned())
    }

    /// The command that runs it in this folder, quoted for a shell where needed.
    pub fn command(&self, dir: &str) -> String {
        self.facts.run.replace(DIR, &shell_words::quote(dir))
    }

    /// Writes it into a new or empty folder.
    ///
    /// # Errors
    /// The folder has something in it already, or cannot be written.
    pub fn write_to(&self, dir: &Path) -> Result<(), Error> {
        let is_taken = match fs::read_dir(dir) {
            Ok(mut entries) => entries.next().is_some(),
            Err(_) => dir.exists(),
        };
        if is_taken {
            return Err(Error::usage(format!("{} is there already and is no empty folder", dir.display()))
                .hint("name a new folder; nothing was written"));
        }
        let [here, there] = engine::PATHS;
        for (name, text) in self.files {
            write_file(&dir.join(name), &text.replace(here, there))?;
        }
        // A bot that is built on the crate of the rules gets it with it.
        if self.files.iter().any(|(_, text)| text.contains(here)) {
            for (name, text) in engine::files() {
                write_file(&dir.join(there).join(name), &text)?;
            }
        }
        Ok(())
    }
}

fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| Error::unwritable(folder, &error))?;
    fs::write(path, text).map_err(|error| Error::unwritable(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kit_is_found_by_its_names() {
        for kit in all() {
            for word in [kit.name, &kit.facts.language]
                .into_iter()
                .chain(kit.facts.aliases.iter().map(|word| &**word))
            {
                assert_eq!(find(word).map(|found| found.name), Ok(kit.name));
            }
            assert!(kit.facts.run.contains(DIR), "{}", kit.name);
        }
        assert!(find("klingon").unwrap_err().to_string().contains("python"));
    }

    #[test]
    fn a_command_shows_its_language() {
        let shown = |text: &str| {
            let argv: Vec<String> = text.split(' ').map(str::to_owned).collect();
            language_of(&argv).map(|kit| kit.name)
        };
        assert_eq!(shown("/usr/bin/python3 x"), Some("python"));
        assert_eq!(shown("./bot.py --level 3"), Some("python"));
        assert_eq!(shown("./bot"), None);
    }
}
