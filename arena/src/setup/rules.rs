//! Options that choose the rules and components of a game.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Deserializer};

use referee::error::Error;
use referee::games::external::{Equipment, External};
use referee::games::{
    GameKind, GameName, GameRun, LeatherRule, ProgramOptions, RulesOptions, StartCardsRule, equip, equip_plan,
};
use sandbox::SandboxLevel;
use tournament::plan::TournamentFile;
use tournament::replay::Source;

use crate::setup::lineup::LineupOptions;
use crate::setup::times::{duration, duration_text};
use crate::setup::trust;

use crate::setup::layers::layered;

/// The options for [`RulesOptions`], also in a league file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RulesArgs {
    /// Play with the cards of this file instead of the standard deck
    #[arg(long, value_name = "FILE", help_heading = "Doodle", hide_short_help = true)]
    pub(crate) cards: Option<PathBuf>,
    /// Give each seat its own start card, or the same one to all
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Doodle", hide_short_help = true)]
    pub(crate) start_cards: Option<StartCardsRule>,
    /// Play with the patches and the track of this file
    #[arg(long, value_name = "FILE", help_heading = "Patchwork", hide_short_help = true)]
    pub(crate) patches: Option<PathBuf>,
    /// Place the leather patches as on the first board or on the revised one
    #[arg(long, value_enum, value_name = "BOARD", help_heading = "Patchwork", hide_short_help = true)]
    pub(crate) leather: Option<LeatherRule>,
}

layered!(RulesArgs: values cards, start_cards, patches, leather; flags; typed);

impl RulesArgs {
    /// Returns the options for the rules. `game` has those of a game of the user's own, whose program runs at this level of
    /// the sandbox.
    pub(crate) fn options(&self, game: &GameArgs, contain: Option<SandboxLevel>) -> RulesOptions {
        let RulesArgs { cards, start_cards, patches, leather } = self.clone();
        RulesOptions { program: game.program(contain), cards, start_cards, patches, leather }
    }
}

/// The program of a game of the user's own: options, or the section `[game]` of a league file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GameArgs {
    /// Play a game of your own, whose rules are this program
    #[arg(id = "game-command", long, value_name = "COMMAND", help_heading = "Your own game")]
    pub(crate) command: Option<String>,
    /// Set an option of your game, such as stones=21; repeatable
    #[arg(id = "game-option", long, value_name = "NAME=VALUE", value_parser = option, requires = "game-command", help_heading = "Your own game", hide_short_help = true)]
    #[serde(deserialize_with = "options")]
    pub(crate) options: Vec<(String, String)>,
    /// Limit the time of an answer of your game [default: 10s]
    #[arg(id = "game-time", long, value_name = "TIME", value_parser = duration, help_heading = "Your own game", hide_short_help = true)]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) time: Option<Duration>,
    /// The folder to which the files of the command are relative.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) base: Option<PathBuf>,
    /// The working directory, relative to the league file.
    #[arg(skip)]
    pub(crate) dir: Option<PathBuf>,
}

impl GameArgs {
    /// Returns these options, or those of the lower layer if none names a program.
    pub(crate) fn over(self, lower: GameArgs) -> GameArgs {
        match self.command {
            Some(_) => self,
            None => GameArgs { time: self.time.or(lower.time), ..lower },
        }
    }

    /// Returns the game of the user's own if there is one, or else the asked one.
    ///
    /// # Errors
    /// Both are given.
    pub(crate) fn game(&self, asked: Option<GameName>) -> Result<Option<GameName>, Error> {
        match (&self.command, asked) {
            (Some(_), Some(game)) => {
                Err(Error::usage(format!("the game is {} and one of your own at once", game.as_str()))
                    .hint("leave out --game or --game-command"))
            }
            (Some(_), None) => Ok(Some(GameName::External)),
            (None, asked) => Ok(asked),
        }
    }

    /// Returns the equipment for recorded matches of a game that is a program, with its program. It is the one of these
    /// options, or the one that the tournament's file names, if the file is this user's own or trusted. Returns `None`
    /// for other games, and if no program may be started.
    ///
    /// # Errors
    /// The file cannot be read, or was changed, or the program is not that of the file.
    pub(crate) fn recorded<G: GameKind>(
        &self,
        source: &Source,
        file: Option<&TournamentFile<G::Setup>>,
        lineup: &LineupOptions,
        is_trusted: bool,
    ) -> Result<Option<Arc<G::Equipment>>, Error> {
        if !G::IS_PROGRAM {
            return Ok(None);
        }
        let contain = lineup.over_tournament(file).containment.contain;
        let run = GameRun { compares_all: true, ..self.run(contain) };
        if let Some(program) = self.program(contain) {
            let program = ProgramOptions { run, ..program };
            let options = RulesOptions { program: Some(program), ..RulesOptions::default() };
            return equip::<G>(&options).map(Arc::new).map(Some);
        }
        let Some(file) = file else { return Ok(None) };
        if !is_trusted && !trust::is_own(file, source.dir(), lineup)? {
            return Ok(None);
        }
        trust::check(file, source.dir(), [], lineup, true)?;
        equip_plan::<G>(&file.plan.setup, run).map(Arc::new).map(Some)
    }

    /// Returns the user's own game of these options, if they name one. `is_asked_again` makes a second process answer
    /// each question too.
    ///
    /// # Errors
    /// The program cannot start, or it describes no game.
    pub(crate) fn equipment(
        &self,
        contain: Option<SandboxLevel>,
        is_asked_again: bool,
    ) -> Result<Option<Arc<Equipment>>, Error> {
        let mut options = RulesArgs::default().options(self, contain);
        let Some(program) = &mut options.program else { return Ok(None) };
        program.run.is_asked_again = is_asked_again;
        equip::<External>(&options).map(|equipment| Some(Arc::new(equipment)))
    }

    /// Returns how the program of a game runs.
    pub(crate) fn run(&self, contain: Option<SandboxLevel>) -> GameRun {
        GameRun { contain: contain.unwrap_or_default(), time: self.time, ..GameRun::default() }
    }

    fn program(&self, contain: Option<SandboxLevel>) -> Option<ProgramOptions> {
        let GameArgs { command, options, base, dir, .. } = self.clone();
        let base = base.or_else(|| std::env::current_dir().ok());
        Some(ProgramOptions { command: command?, base, dir, options, run: self.run(contain) })
    }
}

/// Parses an option of a game.
fn option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE, such as stones=21")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads the options of a game from a table.
fn options<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let table = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
    Ok(table.into_iter().map(|(name, value)| (name, value.to_string())).collect())
}
