//! How a bot is built and started in its folder: as its `bot.toml` says, or by the names of its files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::templates::{self, DIR, Facts};
use referee::error::Error;

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
    /// The command that runs it in its folder.
    pub(crate) command: String,
    /// The command that builds it, if it needs one, and true if that has happened.
    pub(crate) build: Option<(String, bool)>,
}

/// Why a folder has no entry.
pub(crate) enum Unfit {
    /// For this reason.
    LeftOut(String),
    /// Two files may be the bot.
    Torn(Vec<String>),
}

pub(crate) fn left_out<T>(why: impl Into<String>) -> Result<T, Unfit> {
    Err(Unfit::LeftOut(why.into()))
}

impl Unfit {
    fn reason(self) -> String {
        match self {
            Unfit::LeftOut(why) => why,
            Unfit::Torn(files) => format!("which file is the bot? It has {}", files.join(" and ")),
        }
    }
}

/// Returns how the bot in a folder is built and started: from its `bot.toml`, or else by the names of its files.
pub(crate) fn recipe(folder: &Path) -> Result<Recipe, Error> {
    let file = folder.join(RECIPE);
    match fs::read_to_string(&file) {
        Ok(text) => toml::from_str(&text).map_err(|error| {
            let why = error.message().to_owned();
            Error::usage(format!("{RECIPE}: {why}"))
                .hint("it has run = \"COMMAND\", and build = \"COMMAND\" if it needs one")
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => found(folder)
            .map(|Found { command, build }| Recipe { run: command, build: build.map(|(build, _)| build) })
            .map_err(|unfit| {
                let why = unfit.reason();
                Error::usage(format!("{}: {why}", folder.display()))
                    .hint(format!("write run = \"COMMAND\" into {RECIPE}, and commit it"))
            }),
        Err(error) => Err(Error::unreadable(&file, &error)),
    }
}

/// Looks for the bot in a folder, by the names of the files in our templates. Nothing in them is read.
pub(crate) fn found(dir: &Path) -> Result<Found, Unfit> {
    // The commands of the bots that may be here, each with its files, and the builds of those whose source is here.
    let (mut commands, mut builds) = (BTreeMap::<String, BTreeSet<&str>>::new(), BTreeMap::new());
    let mut is_built = false;
    for facts in templates::all().iter().map(templates::Template::facts) {
        let program = program(facts);
        let [is_source, is_program] = [facts.bot.as_str(), &program].map(|file| is_file(dir, file));
        let (is_source, is_program) = (is_source?, is_program?);
        if is_source || is_program {
            let files = commands.entry(command(facts)).or_default();
            files.insert(if is_source { &facts.bot } else { "its program" });
            is_built |= is_program;
        }
        if let Some(build) = facts.build.as_ref().filter(|_| is_source) {
            builds.insert(build.clone(), facts.bot.clone());
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
    let Some((command, _)) = commands.pop_first() else {
        return left_out("no file has the name of a bot, such as bot.py, Bot.java, or the program bot");
    };
    let build = builds.pop_first().map(|(build, _)| (build, is_built));
    Ok(Found { command, build })
}

/// Returns the command that runs the bot of a template in its folder.
fn command(facts: &Facts) -> String {
    let inside = format!("{DIR}/");
    let run = match facts.run.strip_prefix(&inside) {
        Some(rest) => format!("./{rest}"),
        None => facts.run.replace(&inside, ""),
    };
    run.replace(DIR, ".")
}

/// Returns the file that the command of a template runs, in the folder of its bot.
fn program(facts: &Facts) -> String {
    let inside = format!("{DIR}/");
    let named = facts.run.split(' ').find_map(|word| word.strip_prefix(&inside));
    // Java names a class instead.
    named.map_or_else(|| Path::new(&facts.bot).with_extension("class").display().to_string(), str::to_owned)
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
