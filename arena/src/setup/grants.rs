//! Files and network for bots, as options.

use std::path::PathBuf;

use clap::Args;

use referee::bots::entrants::Entrant;
use referee::error::Error;

/// What bots may reach beyond their own files.
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
}

impl Grants {
    /// Grants files and network to a bot, unless it is bundled.
    ///
    /// # Errors
    /// A path does not exist, or `--write` does not name a folder.
    pub(crate) fn apply(&self, entrant: &mut Entrant) -> Result<(), Error> {
        if entrant.is_bundled() {
            return Ok(());
        }
        let Grants { read, write, network } = self;
        let there = |option: &str, path: &PathBuf| {
            path.canonicalize().map_err(|error| Error::usage(format!("{option} {}: {error}", path.display())))
        };
        let read = read.iter().map(|path| there("--read", path)).collect::<Result<Vec<_>, _>>()?;
        let write = write.iter().map(|path| there("--write", path)).collect::<Result<Vec<_>, _>>()?;
        if let Some(file) = write.iter().find(|path| !path.is_dir()) {
            return Err(Error::usage(format!("--write {}: not a folder", file.display())));
        }
        entrant.allow(&read, &write, *network);
        Ok(())
    }

    /// Returns the first of these options that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let Grants { read, write, network } = self;
        let given = [(!read.is_empty(), "--read"), (!write.is_empty(), "--write"), (*network, "--network")];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}
