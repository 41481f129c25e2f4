//! Templates for bots in many languages, embedded in the program: the folders of `bots/` with a description
//! of each.

mod engine;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde::Deserialize;

use referee::bots::names::did_you_mean;
use referee::error::Error;
use referee::games::GameName;
use sandbox::text;

/// The placeholder for the template's folder in a command.
pub const DIR: &str = "{dir}";

/// A template for a bot.
#[derive(Debug)]
pub struct Template {
    /// The name of the language on the command line, such as `python`.
    pub name: &'static str,
    facts: Facts,
    /// The name and the contents of each file.
    files: &'static [(&'static str, &'static str)],
}

/// The contents of a `kit.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The display name of the language.
    pub language: String,
    /// Other names of the language on the command line.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The file with the strategy.
    pub bot: String,
    /// The command that builds the bot, run in its folder. `None` if nothing needs a build.
    pub build: Option<String>,
    /// The command that runs the bot, with `{dir}` for its folder.
    pub run: String,
    /// A shell command that succeeds if the machine can build and run the bot. It checks programs, headers,
    /// modules, and their versions.
    pub probe: String,
    /// The Debian packages that install these requirements.
    pub debian: Vec<String>,
    /// The tested version of the language.
    pub tested: String,
    /// The signs of the language in a command line.
    #[serde(default)]
    pub recognise: Recognise,
    /// Code snippets for advice.
    pub hints: Idioms,
}

/// The signs of a language in a command line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recognise {
    /// The names of its interpreters.
    pub programs: Vec<String>,
    /// The extensions of its files.
    pub extensions: Vec<String>,
}

/// Code snippets of a language, each a line of code or a few words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Idioms {
    /// Code that writes an answer and flushes.
    pub flush: String,
    /// Code that writes to stderr.
    pub debug: String,
    /// Code that exits at the end of input.
    pub end: String,
}

/// Creates the templates from their names, folders in `bots/`, and files.
macro_rules! kits {
    ($($name:literal in $folder:literal: $($file:literal)* $(, of $other:literal: $($shared:literal)*)?;)*) => {
        [$(Template {
            name: $name,
            facts: facts(include_str!(concat!("../../bots/", $folder, "/kit.toml"))),
            files: &[
                $(($file, include_str!(concat!("../../bots/", $folder, "/", $file))),)*
                $($(($shared, include_str!(concat!("../../bots/", $other, "/", $shared))),)*)?
            ],
        }),*]
    };
}

static KITS: LazyLock<Vec<Template>> = LazyLock::new(|| {
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
        "model" in "model": "bot.py" "README.md", of "python": "quilt/__init__.py" "quilt/py.typed";
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

/// A template of a game of the user's own, with two bots and a league file.
#[derive(Debug)]
pub struct GameTemplate {
    /// The name on the command line, such as `python-game`.
    pub name: &'static str,
    /// The command that builds the game and its bots, run in its folder. `None` if nothing needs a build.
    pub build: Option<&'static str>,
    /// The command that starts the game in its folder.
    pub command: &'static str,
    /// The name and the contents of each file.
    pub files: &'static [(&'static str, &'static str)],
}

/// Creates the list of files in a folder of `bots/`.
macro_rules! files {
    ($folder:literal: $($file:literal)*) => {
        &[$(($file, include_str!(concat!("../../bots/", $folder, "/", $file)))),*]
    };
}

/// The templates of games.
pub static GAMES: [GameTemplate; 2] = [
    GameTemplate {
        name: "go-game",
        build: Some(
            "go build -o game game.go shared.go && go build -o strong strong.go shared.go && go build -o simple simple.go shared.go",
        ),
        command: "./game",
        files: files!("go-game": "game.go" "strong.go" "simple.go" "shared.go" "league.toml" "README.md"),
    },
    GameTemplate {
        name: "python-game",
        build: None,
        command: "python3 game.py",
        files: files!("python-game": "game.py" "strong.py" "simple.py" "league.toml" "README.md"),
    },
];

impl GameTemplate {
    /// Writes the template into a new or empty folder.
    ///
    /// # Errors
    /// The folder is not empty, or it cannot be written.
    pub fn write_to(&self, dir: &Path) -> Result<(), Error> {
        check_new(dir)?;
        self.files.iter().try_for_each(|(name, text)| write_file(&dir.join(name), text))
    }
}

fn facts(text: &str) -> Facts {
    toml::from_str(text).expect("a test reads every kit.toml")
}

/// Returns all templates, sorted by name.
pub fn all() -> &'static [Template] {
    &KITS
}

/// Returns the template of a language by its name, an alias, or its display name.
///
/// # Errors
/// There is no such language; the hint lists all names.
pub fn find(language: &str) -> Result<&'static Template, Error> {
    let wanted = language.to_lowercase();
    let is_it = |kit: &&Template| {
        kit.name == wanted
            || kit.facts.language.to_lowercase() == wanted
            || kit.facts.aliases.contains(&wanted)
    };
    all().iter().find(is_it).ok_or_else(|| {
        let names: Vec<&str> = all().iter().map(|kit| kit.name).collect();
        let near = did_you_mean(&wanted, names.iter().copied());
        Error::usage(format!("there is no kit for {language:?}")).hint(format!(
            "{near}there are {}; protocol.md is enough for any other language",
            names.join(", ")
        ))
    })
}

/// The page of a template with the commands for its bot.
const README: &str = "README.md";

/// Returns the template of the language that a command line reveals, if any.
pub fn language_of(argv: &[String]) -> Option<&'static Template> {
    let named = |path: &str, of: fn(&Path) -> Option<&std::ffi::OsStr>| {
        of(Path::new(path)).and_then(|part| part.to_str()).unwrap_or_default().to_owned()
    };
    let shows = |kit: &&Template| {
        let Recognise { programs, extensions } = &kit.facts.recognise;
        let is_program = |word: &String| programs.contains(&named(word, Path::file_name));
        let is_source = |word: &String| extensions.contains(&named(word, Path::extension));
        argv.first().is_some_and(is_program) || argv.iter().any(is_source)
    };
    all().iter().find(shows)
}

impl Template {
    /// Returns the description of the template.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns the name and the contents of each file.
    pub fn files(&self) -> &'static [(&'static str, &'static str)] {
        self.files
    }

    /// Runs the probe of the template. Returns why this machine cannot build and run the bot, or `None` if it
    /// can.
    pub fn lacks(&self) -> Option<String> {
        let probe = Command::new("sh").args(["-c", &self.facts.probe]).stdin(Stdio::null()).output();
        let output = match probe {
            Ok(output) if output.status.success() => return None,
            Ok(output) => output,
            Err(error) => return Some(format!("sh: {error}")),
        };
        let stderr = String::from_utf8_lossy(&output.stderr);
        let message = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or(&self.facts.probe);
        let of_the_shell =
            ["sh: 1: ", "sh: line 1: "].into_iter().find_map(|shell| message.strip_prefix(shell));
        Some(text::line(of_the_shell.unwrap_or(message).trim()).into_owned())
    }

    /// Returns the command that runs the bot in this folder, quoted for a shell if necessary.
    pub fn command(&self, dir: &str) -> String {
        self.facts.run.replace(DIR, &shell_words::quote(dir))
    }

    /// Writes the template into a new or empty folder. The commands in its page play this game.
    ///
    /// # Errors
    /// The folder is not empty, or it cannot be written.
    pub fn write_to(&self, dir: &Path, game: GameName) -> Result<(), Error> {
        check_new(dir)?;
        let [here, there] = engine::PATHS;
        for (name, text) in self.files {
            let mut text = text.replace(here, there);
            if *name == README {
                let option = game.option();
                for command in ["check", "match", "tournament"] {
                    let named = format!("\narena {command}{option} ");
                    text = text.replace(&format!("\narena {command} "), &named);
                }
            }
            write_file(&dir.join(name), &text)?;
        }
        // A bot that depends on the rules crate gets a copy of the crate.
        if self.files.iter().any(|(_, text)| text.contains(here)) {
            for (name, text) in engine::files() {
                write_file(&dir.join(there).join(name), &text)?;
            }
        }
        Ok(())
    }
}

/// Rejects a folder in which something is.
fn check_new(dir: &Path) -> Result<(), Error> {
    let is_taken = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => dir.exists(),
    };
    match is_taken {
        false => Ok(()),
        true => Err(Error::usage(format!("{} is there already and is no empty folder", dir.display()))
            .hint("name a new folder; nothing was written")),
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
