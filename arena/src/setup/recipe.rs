//! How a bot is built and started in its folder: as its `bot.toml` says, or by the names of its files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::templates::{self, DIR, Facts, Template};
use referee::error::Error;
use tournament::journal::results;

/// The description of a bot in its folder.
const RECIPE: &str = "bot.toml";

/// How a bot is built and started in its folder: `bot.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recipe {
    /// The command that starts it.
    pub(crate) run: String,
    /// The command that builds it, for a shell.
    pub(crate) build: Option<String>,
}

/// A bot that was found by the names of its files.
pub(crate) struct Found {
    /// The command that runs it in its folder. `None` if the build decides the name of the program, and has not made it.
    pub(crate) command: Option<String>,
    /// The command that builds it, if it needs one, and true if that has happened.
    pub(crate) build: Option<(String, bool)>,
}

/// Why a folder has no entry.
pub(crate) enum Unfit {
    /// For this reason.
    LeftOut(String),
    /// Several files may be the bot.
    Torn(Vec<String>),
}

/// How a bot with a main file of this name is built and started in its folder.
struct Way {
    file: String,
    build: Option<String>,
    run: String,
}

/// A project that is known by a file at its top, the command that builds it, and the command that runs what was built.
type Project = (&'static str, &'static str, fn(&Path) -> Option<String>);

/// The projects. A file that begins with a dot is any file with that ending.
const PROJECTS: [Project; 6] = [
    ("Cargo.toml", "cargo build --release", |dir| program_in(dir, "target/release")),
    ("go.mod", "go build -o bot .", |dir| program_in(dir, "")),
    ("Makefile", "make", |dir| program_in(dir, "")),
    ("makefile", "make", |dir| program_in(dir, "")),
    (".csproj", "mcs -out:bot.exe -recurse:'*.cs'", assembly),
    ("Program.cs", "mcs -out:bot.exe -recurse:'*.cs'", assembly),
];
/// The main file of a Java program in packages, its build, and the folder of its classes.
const MAIN_JAVA: (&str, &str, &str) =
    ("Main.java", "javac -encoding UTF-8 -d classes $(find . -name '*.java')", "classes");
/// Interpreters of scripts for which there is no template.
const SCRIPTS: [(&str, &str); 2] = [("R", "Rscript {file}"), ("r", "Rscript {file}")];
/// The most names that are looked at below a folder, and the most folders in each other.
const NAMES_MAX: usize = 20_000;
const DEPTH_MAX: usize = 16;

pub(crate) fn left_out<T>(why: impl Into<String>) -> Result<T, Unfit> {
    Err(Unfit::LeftOut(why.into()))
}

impl Unfit {
    pub(crate) fn reason(self) -> String {
        match self {
            Unfit::LeftOut(why) => why,
            Unfit::Torn(files) => format!("which file is the bot? It has {}", files.join(" and ")),
        }
    }
}

/// Returns how the bot in a folder is built and started: from its `bot.toml`, or else by the names of its files. `is_built`
/// tells that the build is over.
pub(crate) fn recipe(folder: &Path, is_built: bool) -> Result<Recipe, Error> {
    let file = folder.join(RECIPE);
    match results::read(&file) {
        Ok(text) => toml::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            let why = error.message().to_owned();
            Error::usage(format!("{RECIPE}: {why}"))
                .hint("it has run = \"COMMAND\", and build = \"COMMAND\" if it needs one")
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let cure = format!(
                "write run = \"COMMAND\" into a file {RECIPE}, and build = \"COMMAND\" if it needs one"
            );
            let wrong = |why| Error::usage(why).hint(&cure);
            let Found { command, build } = found(folder).map_err(|unfit| wrong(unfit.reason()))?;
            let build = build.map(|(build, _)| build);
            match command {
                None if is_built => {
                    Err(wrong("the build made no program, or several: which one is the bot?".to_owned()))
                }
                command => Ok(Recipe { run: command.unwrap_or_default(), build }),
            }
        }
        Err(error) => Err(Error::unreadable(&file, &error)),
    }
}

/// Looks for the bot in a folder: by the names of the files in our templates, with `main` in place of `bot`, by the file of a
/// project, or as the only script. Of what is built, the first bytes are read; nothing else is.
pub(crate) fn found(dir: &Path) -> Result<Found, Unfit> {
    let ways: Vec<(Way, Way)> =
        templates::all().iter().map(|kit| (of_template(kit), of_main(kit, dir))).collect();
    if let Some(found) = one_of(dir, ways.iter().map(|(way, _)| way))? {
        return Ok(found);
    }
    // A Main.java may be in a package.
    let is_main = |way: &&Way, is_built| way.build.is_some() == is_built && !way.file.ends_with(".java");
    let mains = |is_built| ways.iter().map(|(_, way)| way).filter(move |way| is_main(way, is_built));
    if let Some(found) = one_of(dir, mains(false))? {
        return Ok(found);
    }
    let names = names(dir)?;
    let has = |mark: &str| match mark.starts_with('.') {
        true => names.iter().any(|name| name.ends_with(mark)),
        false => names.iter().any(|name| name == mark),
    };
    if let Some((_, build, program)) = PROJECTS.iter().find(|(mark, ..)| has(mark)) {
        return Ok(built(build, program(dir)));
    }
    if let Some(found) = one_of(dir, mains(true))? {
        return Ok(found);
    }
    let (main, build, classes) = MAIN_JAVA;
    match below(dir, Path::new(""), main, DEPTH_MAX, &mut 0).as_slice() {
        [] => {}
        [_] => {
            let class = below(&dir.join(classes), Path::new(""), "Main.class", DEPTH_MAX, &mut 0);
            let class = class.first().map(|path| path.with_extension("").to_string_lossy().replace('/', "."));
            return Ok(built(build, class.map(|class| java(&format!("-cp {classes} {class}")))));
        }
        several => return Err(Unfit::Torn(several.iter().map(|path| path.display().to_string()).collect())),
    }
    let ready = |command| Ok(Found { command: Some(command), build: None });
    if let [jar] = names.iter().filter(|name| name.ends_with(".jar")).collect::<Vec<_>>()[..] {
        return ready(java(&format!("-jar {}", shell_words::quote(jar))));
    }
    let scripts = ways.iter().filter(|(way, _)| way.build.is_none()).filter_map(|(way, _)| {
        let (_, end) = way.file.rsplit_once('.')?;
        Some((end, way.run.replace(&way.file, "{file}")))
    });
    let scripts: BTreeMap<&str, String> =
        scripts.chain(SCRIPTS.map(|(end, run)| (end, run.to_owned()))).collect();
    let of = |name: &String| Some((name.clone(), scripts.get(name.rsplit_once('.')?.1)?));
    match names.iter().filter_map(of).collect::<Vec<_>>().as_slice() {
        [(name, run)] => ready(run.replace("{file}", &shell_words::quote(name))),
        [] if has(".ipynb") => left_out("a notebook is no program: export it as a script named bot.py"),
        [] => left_out(
            "no file has the name of a bot, such as bot.py, main.py, Bot.java, Makefile, or the program bot",
        ),
        several => Err(Unfit::Torn(several.iter().map(|(name, _)| name.clone()).collect())),
    }
}

fn built(build: &str, command: Option<String>) -> Found {
    let is_built = command.is_some();
    Found { command, build: Some((build.to_owned(), is_built)) }
}

/// Returns the only bot in the folder with a file of one of these names, or with what is built of it.
fn one_of<'a>(dir: &Path, ways: impl Iterator<Item = &'a Way>) -> Result<Option<Found>, Unfit> {
    // The commands of the bots that may be here, each with its files, and the builds of those whose source is here.
    let (mut commands, mut builds) = (BTreeMap::<&str, BTreeSet<&str>>::new(), BTreeMap::new());
    let mut is_built = false;
    for way @ Way { file, build, run } in ways {
        let [is_source, is_program] = [file, &program(way)].map(|file| is_file(dir, file));
        let (is_source, is_program) = (is_source?, is_program?);
        if is_source || is_program {
            let files = commands.entry(run).or_default();
            files.insert(if is_source { file } else { "its program" });
            is_built |= is_program;
        }
        if let Some(build) = build.as_ref().filter(|_| is_source) {
            builds.insert(build.clone(), file.clone());
        }
    }
    if commands.len() > 1 || builds.len() > 1 {
        let of_builds = builds.values().cloned();
        let files: BTreeSet<String> = match commands.len() {
            1 => of_builds.collect(),
            _ => commands.values().flatten().map(|&file| file.to_owned()).collect(),
        };
        return Err(Unfit::Torn(files.into_iter().collect()));
    }
    let Some((command, _)) = commands.pop_first() else { return Ok(None) };
    let build = builds.pop_first().map(|(build, _)| (build, is_built));
    Ok(Some(Found { command: Some(command.to_owned()), build }))
}

/// Returns how the bot of a template is built and started.
fn of_template(kit: &Template) -> Way {
    let Facts { bot, build, run, .. } = kit.facts();
    let inside = format!("{DIR}/");
    let run = match run.strip_prefix(&inside) {
        Some(rest) => format!("./{rest}"),
        None => run.replace(&inside, ""),
    };
    Way { file: bot.clone(), build: build.clone(), run: run.replace(DIR, ".") }
}

/// Returns how a bot in the language of a template is built and started if its main file is called `main`. Other files of
/// the template that are not there are left out.
fn of_main(kit: &Template, dir: &Path) -> Way {
    let Way { file, build, run } = of_template(kit);
    let (stem, end) = file.split_once('.').unwrap_or((&file, ""));
    let main = if stem == "Bot" { "Main" } else { "main" };
    let is_missing =
        |word: &str| kit.files().iter().any(|(name, _)| *name == word) && !dir.join(word).exists();
    let renamed = |text: &str| {
        let words = text.split(' ').filter(|word| *word == file || !is_missing(word));
        let rename = |word: &str| match word {
            word if word == file => format!("{main}.{end}"),
            // The class of a Java program.
            "Bot" => main.to_owned(),
            word => word.replace("bot.js", "main.js"),
        };
        words.map(rename).collect::<Vec<_>>().join(" ")
    };
    Way { file: format!("{main}.{end}"), build: build.as_deref().map(renamed), run: renamed(&run) }
}

/// Returns the file that a command runs, in the folder of its bot.
fn program(Way { file, run, .. }: &Way) -> String {
    let named =
        run.split(' ').find_map(|word| word.strip_prefix("./").or(word.contains('.').then_some(word)));
    // Java names a class instead.
    let class = || Path::new(file).with_extension("class").display().to_string();
    named.filter(|_| !file.ends_with(".java")).map_or_else(class, str::to_owned)
}

/// Returns the command that starts a Java program, with these words in place of the class and its path.
fn java(program: &str) -> String {
    let run = &templates::find("java").expect("there is a template").facts().run;
    run.split("-cp").next().unwrap_or_default().to_owned() + program
}

/// Returns the command of the program `bot` in a folder below the bot's, or else of the only program there.
fn program_in(dir: &Path, folder: &str) -> Option<String> {
    let place = dir.join(folder);
    let is_program = |path: &Path| {
        let is_file =
            fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file() && facts.mode() & 0o111 != 0);
        let mut magic = [0; 4];
        is_file
            && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
            && magic == *b"\x7fELF"
    };
    let all = names(&place)
        .ok()?
        .into_iter()
        .filter(|name| is_program(&place.join(name)) && !name.ends_with(".so"));
    let all: Vec<String> = all.collect();
    let name = all.iter().find(|name| *name == "bot").or(if all.len() == 1 { all.first() } else { None })?;
    let path = Path::new(".").join(folder).join(name);
    Some(shell_words::quote(path.to_str()?).into_owned())
}

fn assembly(dir: &Path) -> Option<String> {
    dir.join("bot.exe").is_file().then(|| "mono bot.exe".to_owned())
}

/// Returns the names in a folder that are UTF-8 and not hidden, in their order.
fn names(dir: &Path) -> Result<Vec<String>, Unfit> {
    let entries = fs::read_dir(dir).map_err(|error| Unfit::LeftOut(error.to_string()))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).take(NAMES_MAX).collect();
    names.sort_unstable();
    Ok(names)
}

/// Returns the paths of all files of this name below a folder.
fn below(top: &Path, path: &Path, wanted: &str, depth: usize, seen: &mut usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(top.join(path)).into_iter().flatten().flatten() {
        *seen += 1;
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
        let inner = path.join(&name);
        if kind.is_file() && name == wanted {
            found.push(inner);
        } else if kind.is_dir() && depth > 0 && *seen < NAMES_MAX {
            found.extend(below(top, &inner, wanted, depth - 1, seen));
        }
    }
    found.sort_unstable();
    found
}

/// Returns true if the folder has this file, and false if it has nothing of the name.
fn is_file(dir: &Path, file: &str) -> Result<bool, Unfit> {
    let mut path = dir.to_owned();
    let mut parts = Path::new(file).components().peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Err(_) => return Ok(false),
            Ok(facts) if facts.is_symlink() => return left_out(format!("its {file} is a link")),
            // A package of modules may have the name of a program.
            Ok(facts) if parts.peek().is_none() && facts.is_dir() => return Ok(false),
            Ok(facts) if parts.peek().is_none() && !facts.is_file() => {
                return left_out(format!("its {file} is no regular file"));
            }
            Ok(_) => {}
        }
    }
    Ok(true)
}
