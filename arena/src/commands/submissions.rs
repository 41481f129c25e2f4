//! `arena league`: writes a league file with an entry for each submission in a folder.
//!
//! The submissions are of strangers. Their files are looked for by the names in our templates, and nothing in them is
//! read.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::report::output::{say, show};
use crate::setup::league::bot_section;
use crate::setup::program::build_line;
use crate::setup::recipe::{self, Unfit, found, left_out};
use referee::bots::names::{check_new_name, look_alikes, same_but_for_case};
use referee::error::Error;
use referee::games::GameName;
use sandbox::text;
use tournament::report::words::count;

#[derive(Debug, Args)]
pub(crate) struct LeagueArgs {
    /// The folder with one folder for each submission
    #[arg(value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
    /// Name this game in the file [default: doodle]
    #[arg(long, value_enum, value_name = "GAME", conflicts_with = "build")]
    game: Option<GameName>,
    /// Print a shell script that builds the submissions instead
    #[arg(long)]
    build: bool,
}

/// A bot in a folder, found by the names of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Submission {
    name: String,
    /// The folder, as the league file names it.
    dir: String,
    /// The command that runs it in its folder, if that is known before it is built.
    command: Option<String>,
    /// The command that builds it, if it needs one, and true if that has happened.
    build: Option<(String, bool)>,
}

/// The reason why a folder has no entry.
type Reason = String;

/// The result for one folder.
type Found = Result<Submission, (String, Reason)>;

pub(crate) fn run(args: &LeagueArgs) -> Result<(), Error> {
    let found = all(&args.folder)?;
    let bots: Vec<&Submission> = found.iter().filter_map(|one| one.as_ref().ok()).collect();
    if bots.is_empty() {
        let why = found.iter().find_map(|one| one.as_ref().err());
        let why = why.map_or("it has no folders".to_owned(), |(shown, why)| format!("{shown}: {why}"));
        return Err(Error::usage(format!("no submission in {}: {why}", args.folder.display()))
            .hint("name the folder that has one folder for each submission"));
    }
    match args.build {
        true => show(&script(&bots))?,
        false => show(&league(&found, args.game))?,
    }
    let left_out = match found.len() - bots.len() {
        0 => String::new(),
        count => format!(", {count} left out; the file says why"),
    };
    say(&format!("{}{left_out}", count(bots.len() as u64, "submission")));
    Ok(())
}

/// Looks at all folders in this one, sorted by name.
fn all(folder: &Path) -> Result<Vec<Found>, Error> {
    let unreadable = |error: std::io::Error| Error::unreadable(folder, &error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut names: Vec<_> =
        entries.map(|entry| Ok(entry?.file_name())).collect::<Result<_, _>>().map_err(unreadable)?;
    names.sort_unstable();
    let mut found: Vec<Found> = Vec::new();
    for name in names {
        let shown = text::quote(name.as_bytes());
        let earlier = found.iter().filter_map(|one| Some(one.as_ref().ok()?.name.as_str()));
        let named = named(&name, earlier);
        let bot = named.and_then(|name| submission(folder, name));
        found.push(bot.map_err(|unfit| (shown, unfit.reason())));
    }
    Ok(found)
}

/// Returns the name of a folder, if a bot may have it.
fn named<'a>(name: &'a OsStr, earlier: impl Iterator<Item = &'a str>) -> Result<String, Unfit> {
    let Some(name) = name.to_str() else { return left_out("its name is not UTF-8") };
    if let Err(error) = check_new_name(name) {
        return left_out(error.message());
    }
    let all: Vec<&str> = earlier.chain([name]).collect();
    match look_alikes(all.iter().copied()).or_else(|| same_but_for_case(all)) {
        Some([other, _]) => left_out(format!("its name looks like {other:?}")),
        None => Ok(name.to_owned()),
    }
}

/// Looks for the bot in one folder.
fn submission(folder: &Path, name: String) -> Result<Submission, Unfit> {
    let dir = folder.join(&name);
    let Some(dir_text) = dir.to_str().map(str::to_owned) else { return left_out("its path is not UTF-8") };
    match fs::symlink_metadata(&dir) {
        Ok(facts) if facts.is_dir() => {}
        Ok(facts) if facts.is_symlink() => return left_out("it is a link"),
        Ok(_) => return left_out("it is no folder"),
        Err(error) => return left_out(error.to_string()),
    }
    let recipe::Found { command, build } = found(&dir)?;
    Ok(Submission { name, dir: dir_text, command, build })
}

/// Returns the league file.
fn league(found: &[Found], game: Option<GameName>) -> String {
    let mut text = match game {
        Some(game) => format!("[tournament]\ngame = \"{}\"\n", game.as_str()),
        None => {
            "# The bots. Settings for all of them come before: docs/league.toml has every key.\n".to_owned()
        }
    };
    for one in found {
        text += &match one {
            Ok(Submission { name, command: None, .. }) => {
                format!("\n# left out: {name:?}: it is not built yet: arena league --build prints how\n")
            }
            Ok(Submission { name, dir, command: Some(command), build }) => {
                let todo = match build {
                    Some((build, false)) => format!("# not built yet: {build}\n"),
                    _ => String::new(),
                };
                format!("\n{todo}{}", bot_section(name, dir, command))
            }
            Err((shown, why)) => format!("\n# left out: {shown}: {}\n", text::line(why)),
        };
    }
    text
}

/// Returns the shell script that builds all submissions.
fn script(bots: &[&Submission]) -> String {
    let arena = std::env::current_exe().unwrap_or_else(|_| "arena".into());
    let mut text = "#!/bin/sh\n# Builds strangers' code in the sandbox: it can write its own folder alone.\n\
                    # A compiler in a home needs --read with the folder of its installation before --build. For root, all users \
                    must be able to read it.\n\
                    # A submission that cannot be built does not stop the others.\n"
        .to_owned();
    for Submission { name, dir, build, .. } in bots {
        if let Some((build, _)) = build {
            let (name, line) = (shell_words::quote(name), build_line(&arena, dir, build));
            text += &format!("{line} || echo {name}: not built >&2\n");
        }
    }
    text
}
