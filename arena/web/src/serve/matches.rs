//! A match for the viewer, from its line in a file of matches.

use std::io::{self, BufReader, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use engine::doodle::Doodle;
use engine::patchwork::Patchwork;

use super::list::{Entry, Place};
use crate::pages::Pages;
use crate::view::{Film, Filming, page};
use referee::error::Error;
use referee::games::GameName;
use tournament::journal::results;
use tournament::journal::shard::{PartFile, parts_in};
use tournament::replay::Judge;

/// The page of the match in this line.
///
/// # Errors
/// Where the line does not hold.
pub(super) fn page_of(game: GameName, line: &[u8]) -> Result<String, Error> {
    match game {
        GameName::Doodle => film_of::<Doodle, _>(line, |film| page(film)),
        GameName::Patchwork => film_of::<Patchwork, _>(line, |film| page(film)),
    }
}

/// Hands the film of the match in this line to `show`.
///
/// # Errors
/// As [`page_of`].
pub(super) fn film_of<G: Pages, T>(line: &[u8], show: impl FnOnce(&Film<'_, G>) -> T) -> Result<T, Error> {
    let mut filming = Filming::<G>::default();
    let judged = Judge::<G>::new(None)
        .watched(line, &mut |record, game, turns| filming.add(&record.deal, game, turns));
    let (record, _) = judged.map_err(|difference| Error::no(difference.to_string()))?;
    let film = filming.film(&record).ok_or_else(|| Error::no("the record has no turn"))?;
    Ok(show(&film))
}

/// The line of a match, which was read of this file in the directory. What a run of a part has left is taken over by
/// the next one, and removed once the part is whole; then the line is looked for there.
///
/// # Errors
/// Where it cannot be read, or is nowhere.
pub(super) fn line_of(dir: &Path, file: &PartFile, entry: &Entry) -> Result<Vec<u8>, Error> {
    let path = dir.join(&file.name);
    let error = match line_at(&path, entry.place) {
        Ok(line) => return Ok(line),
        Err(error) => error,
    };
    if let Some(whole_name) = file.whole_name.as_ref().filter(|_| error.kind() == ErrorKind::NotFound) {
        let is_of_part = |other: &PartFile| other.whole_name.as_ref().unwrap_or(&other.name) == whole_name;
        for other in parts_in(dir)?.iter().filter(|other| is_of_part(other)) {
            if let Some(line) = find(&dir.join(&other.name), entry.index).unwrap_or_default() {
                return Ok(line);
            }
        }
    }
    Err(Error::unreadable(&path, &error))
}

/// The line at this place of a file.
///
/// # Errors
/// Where it cannot be read.
pub(super) fn line_at(path: &Path, place: Place) -> io::Result<Vec<u8>> {
    let mut line = vec![0; place.length as usize];
    results::open(path)?.read_exact_at(&mut line, place.offset)?;
    Ok(line)
}

/// The line of the match with this index in a file, if it is there.
fn find(path: &Path, index: u64) -> io::Result<Option<Vec<u8>>> {
    let beginning = format!("{{\"match\":{index},");
    let (mut reader, mut line) = (BufReader::new(results::open(path)?), Vec::new());
    while results::read_line(&mut reader, &mut line)? > 0 {
        if line.starts_with(beginning.as_bytes()) && line.ends_with(b"\n") {
            return Ok(Some(line));
        }
        line.clear();
    }
    Ok(None)
}
