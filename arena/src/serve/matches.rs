//! A match for the viewer, from its line in the journal.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use engine::doodle::Doodle;
use engine::patchwork::Patchwork;

use super::Entry;
use crate::error::Error;
use crate::games::{GameName, Playable};
use crate::journal::JOURNAL;
use crate::replay::Judge;
use crate::view::{Film, Filming, page};

/// Reads the record of a match and writes its page.
///
/// # Errors
/// Where the line cannot be read, or does not hold.
pub(super) fn page_of(dir: &Path, game: GameName, entry: &Entry) -> Result<String, Error> {
    match game {
        GameName::Doodle => film_of::<Doodle, _>(dir, entry, |film| page(film)),
        GameName::Patchwork => film_of::<Patchwork, _>(dir, entry, |film| page(film)),
    }
}

/// Reads the record of a match and hands its film to `show`.
///
/// # Errors
/// As [`page_of`].
pub(super) fn film_of<G: Playable, T>(
    dir: &Path,
    entry: &Entry,
    show: impl FnOnce(&Film<'_, G>) -> T,
) -> Result<T, Error> {
    let path = dir.join(JOURNAL);
    let mut line = vec![0; entry.length as usize];
    let read = File::open(&path).and_then(|file| file.read_exact_at(&mut line, entry.offset));
    read.map_err(|error| Error::unreadable(&path, &error))?;

    let mut filming = Filming::<G>::default();
    let judged = Judge::<G>::new(None)
        .watched(&line, &mut |record, game, turns| filming.add(&record.deal, game, turns));
    let (record, _) = judged.map_err(|difference| Error::no(difference.to_string()))?;
    let film = filming.film(&record).ok_or_else(|| Error::no("the record has no turn"))?;
    Ok(show(&film))
}
