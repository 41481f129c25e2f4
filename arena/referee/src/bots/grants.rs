//! Checks the files and folders that the user grants to bots in addition to their own.

use std::path::Path;

use sandbox::confine::paths::{Claims, settled};
use sandbox::{Hidden, Rights, text};

use crate::bots::entrants::{Entrant, keep_apart};
use crate::error::Error;

/// Rejects a path that does not exist, and a `write` folder with files that are not for a bot to change: a home,
/// results, the paths in `own`, and files of other bots. Bots may share a `write` folder.
///
/// # Errors
/// The message has the bot, and the path or folder.
pub fn check_grants(entrants: &[Entrant], own: &[&Path]) -> Result<(), Error> {
    for entrant in entrants {
        let (name, Rights { read, write, .. }) = (&entrant.command.name, &entrant.command.rights);
        let missing = read.iter().chain(write).find_map(|path| Some((path, path.metadata().err()?)));
        if let Some((path, error)) = missing {
            return Err(Error::usage(format!("bot {name:?} cannot have {}: {error}", text::path(path)))
                .hint(
                    "create it, or correct read and write; paths in a league file are relative to the file",
                ));
        }
    }
    if entrants.iter().all(|entrant| entrant.command.rights.write.is_empty()) {
        return Ok(());
    }
    let mut apart = entrants.to_vec();
    apart.iter_mut().for_each(|entrant| entrant.command.rights.write.clear());
    keep_apart(&mut apart, own);
    for (entrant, apart) in entrants.iter().zip(&apart) {
        for folder in &entrant.command.rights.write {
            if let Some(why) = why_not(&settled(folder), &apart.command.hidden) {
                let (name, folder) = (&entrant.command.name, text::path(folder));
                return Err(Error::usage(format!("bot {name:?} cannot write {folder}: {why}"))
                    .hint("let it write a folder of its own, such as \"learned\" beside its files"));
            }
        }
    }
    Ok(())
}

/// Returns the reason why a bot must not write the canonical folder, or `None` if it may.
fn why_not(folder: &Path, hidden: &Hidden) -> Option<String> {
    let held = hidden.all().find(|path| path.starts_with(folder));
    let around = || hidden.results.iter().find(|path| folder.starts_with(path));
    held.map(|path| format!("it holds {}", text::path(path)))
        .or_else(|| around().map(|path| format!("it lies in {}", text::path(path))))
        .or_else(|| Claims::unclaimed(folder).map(|what| format!("it holds {what}")))
}
