//! `arena new`: creates a bot from a template.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::report::output::show;
use crate::report::tables::quoted;
use crate::setup::words::Suggested;
use crate::templates;
use referee::error::Error;
use referee::games::GameName;

/// Arguments of `arena new`.
#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Language of the bot, or the template of a game; "arena new" lists all
    #[arg(
        value_name = "LANGUAGE",
        hide_possible_values = true,
        value_parser = Suggested::new(templates::all().iter().map(|kit| kit.name).chain(templates::GAMES.iter().map(|game| game.name)))
    )]
    language: Option<String>,
    /// The new folder
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: Option<PathBuf>,
    /// Name this game in the commands of the template [default: doodle]
    #[arg(long, value_enum)]
    game: Option<GameName>,
}

pub(crate) fn run(args: &NewArgs) -> Result<(), Error> {
    let game = templates::GAMES.iter().find(|game| args.language.as_deref() == Some(game.name));
    match (&args.language, &args.dir) {
        (Some(_), Some(dir)) if let Some(game) = game => write_game(game, dir),
        (Some(_), None) if let Some(game) = game => {
            Err(Error::usage("name a new folder").hint(format!("arena new {} my-game", game.name)))
        }
        (Some(language), Some(dir)) => write(templates::find(language)?, dir, args.game.unwrap_or_default()),
        (Some(language), None) => {
            let kit = templates::find(language)?;
            Err(Error::usage("name a new folder").hint(format!("arena new {} my-bot", kit.name)))
        }
        (None, _) => list(),
    }
}

fn list() -> Result<(), Error> {
    let width = templates::all().iter().map(|kit| kit.name.len()).max().unwrap_or(0);
    let line =
        |kit: &templates::Template| format!("{:width$}  tested with {}\n", kit.name, kit.facts().tested);
    let lines: String = templates::all().iter().map(line).collect();
    let games = templates::GAMES.iter().map(|game| game.name).collect::<Vec<_>>().join(" or ");
    show(&format!(
        "{lines}\narena new LANGUAGE DIR writes a bot that is ready to play\n\
         arena new {games} DIR writes a game with two bots\n"
    ))
}

fn write_game(game: &templates::GameTemplate, dir: &Path) -> Result<(), Error> {
    game.write_to(dir)?;
    let (dir, command) = (quoted(dir), shell_words::quote(game.command));
    let names: Vec<&str> = game.files.iter().map(|(name, _)| *name).collect();
    let build = game.build.map_or(String::new(), |build| format!("  {build}\n"));
    let files = names.join(", ");
    show(&format!(
        "A game with two bots is in {dir}: {files}\n\nNext:\n  cd {dir}\n{build}\
         \x20 arena check --game-command {command}\n\
         \x20 arena tournament league.toml\n"
    ))
}

fn write(kit: &templates::Template, dir: &Path, game: GameName) -> Result<(), Error> {
    let Some(text) = dir.to_str() else {
        return Err(Error::usage("the name of the folder is not UTF-8").hint("name another folder"));
    };
    kit.write_to(dir, game)?;
    let facts = kit.facts();
    let quoted = shell_words::quote(text);
    let names: Vec<&str> = kit.files().iter().map(|(name, _)| *name).collect();
    let needs = kit.lacks().map_or(String::new(), |why| {
        let packages = facts.debian.join(" ");
        let install =
            if packages.is_empty() { packages } else { format!("On Debian: apt-get install {packages}\n") };
        format!("\nThis machine cannot build or run it yet: {why}\n{install}")
    });
    let build = facts.build.as_ref().map_or(String::new(), |build| format!("  (cd {quoted} && {build})\n"));
    let option = game.option();
    let (language, strategy, bot) = (&facts.language, &facts.bot, kit.command(text));
    let bot = shell_words::quote(&bot).into_owned();
    show(&format!(
        "A bot in {language} is in {text}: {files}\n{needs}\nNext:\n{build}\
         \x20 arena check{option} --bot {bot}\n\
         \x20 arena match{option} --bot mine={bot} --bot greedy\n\
         \x20 arena tournament{option} --bot mine={bot} --bot random --bot greedy\n\n\
         Your strategy goes into {text}/{strategy}, \"arena protocol\" prints the protocol.\n",
        files = names.join(", "),
    ))
}
