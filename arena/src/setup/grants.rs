//! What bots get beyond the usual, as options: files, network, limits, and variables.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;

use referee::bots::entrants::Entrant;
use referee::bots::names::did_you_mean;
use referee::bots::size::{open_files, scratch};
use referee::error::Error;
use sandbox::Rights;

/// A variable for all bots, or for the bot with this name.
type Variable = (Option<String>, String);

/// What bots get beyond the usual.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Grants {
    /// Let your bots read this file or folder too; repeatable
    #[arg(long, value_name = "PATH", help_heading = "Sandbox")]
    pub(crate) read: Vec<PathBuf>,
    /// Let your bots write this folder too; repeatable
    #[arg(long, value_name = "DIR", help_heading = "Sandbox", hide_short_help = true)]
    pub(crate) write: Vec<PathBuf>,
    /// Let your bots use the network
    #[arg(long, help_heading = "Sandbox", hide_short_help = true)]
    pub(crate) network: bool,
    /// Set a variable for your bots, or for one, such as LEVEL=3 or mine:LEVEL=3; repeatable
    #[arg(long, value_name = "[NAME:]VARIABLE=VALUE", value_parser = variable, help_heading = "Sandbox", hide_short_help = true)]
    pub(crate) env: Vec<(Variable, String)>,
    /// Give your bots, or one, this variable of yours; its value is stored nowhere; repeatable
    #[arg(long, value_name = "[NAME:]VARIABLE", value_parser = name_of_variable, help_heading = "Sandbox", hide_short_help = true)]
    pub(crate) env_from: Vec<Variable>,
    /// Limit the processes and threads of a bot [default: 32, and 8 for each core]
    #[arg(long, value_name = "N", help_heading = "Time and limits", hide_short_help = true)]
    pub(crate) processes: Option<NonZeroU64>,
    /// Limit a bot's scratch folder, and the size of a file, such as 1GiB [default: 64MiB]
    #[arg(long, value_name = "SIZE", value_parser = scratch, help_heading = "Time and limits", hide_short_help = true)]
    pub(crate) scratch: Option<u64>,
    /// Limit the open files of each process of a bot, up to 4096 [default: 256]
    #[arg(long, value_name = "N", value_parser = open_files, help_heading = "Time and limits", hide_short_help = true)]
    pub(crate) open_files: Option<u64>,
}

impl Grants {
    /// Gives a bot what these options say, unless it is bundled.
    ///
    /// # Errors
    /// A path does not exist, `--write` does not name a folder, or a variable cannot be given.
    pub(crate) fn apply(&self, entrant: &mut Entrant) -> Result<(), Error> {
        if entrant.is_bundled() {
            return Ok(());
        }
        let there = |option: &str, paths: &[PathBuf]| {
            let there = |path: &PathBuf| {
                let missing = |error| Error::usage(format!("{option} {}: {error}", path.display()));
                path.canonicalize().map_err(missing)
            };
            paths.iter().map(there).collect::<Result<Vec<_>, _>>()
        };
        let (read, write) = (there("--read", &self.read)?, there("--write", &self.write)?);
        if let Some(file) = write.iter().find(|path| !path.is_dir()) {
            return Err(Error::usage(format!("--write {}: not a folder", file.display())));
        }
        entrant.allow(&Rights {
            read,
            write,
            network: self.network,
            processes: self.processes.map(NonZeroU64::get),
            scratch_bytes: self.scratch,
            open_files: self.open_files,
            memory_bytes: None,
        });
        let name = &entrant.identity.name;
        let is_for = |(bot, _): &&Variable| bot.as_ref().is_none_or(|bot| bot == name);
        let env = self.env.iter().filter(|(variable, _)| is_for(&variable));
        let env = env.map(|((_, variable), value)| (variable.clone(), value.clone())).collect();
        let env_from = self.env_from.iter().filter(is_for).map(|(_, variable)| variable.clone());
        entrant.add_variables(env, &env_from.collect::<Vec<_>>())
    }

    /// Gives bots what these options say.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); or no bot has the name in `--env` or `--env-from`.
    pub(crate) fn apply_to(&self, entrants: &mut [Entrant]) -> Result<(), Error> {
        let env = self.env.iter().map(|(variable, _)| ("--env", variable));
        let env_from = self.env_from.iter().map(|variable| ("--env-from", variable));
        let named_bots = env.chain(env_from).filter_map(|(option, (bot, _))| Some((option, bot.as_ref()?)));
        for (option, bot) in named_bots {
            named(entrants, option, bot, true)?;
        }
        entrants.iter_mut().try_for_each(|entrant| self.apply(entrant))
    }
}

/// Returns the bot that an option names. Returns `None` if there is none, and names are not settled.
pub(super) fn named<'a>(
    entrants: &'a mut [Entrant],
    option: &str,
    name: &str,
    is_settled: bool,
) -> Result<Option<&'a mut Entrant>, Error> {
    match entrants.iter().position(|entrant| entrant.identity.name == name) {
        Some(place) => Ok(Some(&mut entrants[place])),
        None if !is_settled => Ok(None),
        None => {
            let names = entrants.iter().map(|entrant| entrant.identity.name.as_str());
            let near = did_you_mean(name, names.clone());
            Err(Error::usage(format!("{option} {name}: no bot has this name"))
                .hint(format!("{near}the bots are {}", names.collect::<Vec<_>>().join(", "))))
        }
    }
}

/// Parses a variable with its value, such as `mine:LEVEL=3`.
fn variable(text: &str) -> Result<(Variable, String), String> {
    let wrong = || "VARIABLE=VALUE, or NAME:VARIABLE=VALUE for one bot".to_owned();
    let (variable, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name_of_variable(variable)?, value.to_owned()))
}

/// Parses the name of a variable, such as `mine:LEVEL`.
fn name_of_variable(text: &str) -> Result<Variable, String> {
    let (bot, variable) = text.rsplit_once(':').map_or((None, text), |(bot, name)| (Some(bot), name));
    let is_empty = variable.is_empty() || bot == Some("");
    if is_empty {
        Err("a name, or NAME:VARIABLE for one bot".to_owned())
    } else {
        Ok((bot.map(str::to_owned), variable.to_owned()))
    }
}
