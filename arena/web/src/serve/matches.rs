//! The page of a match, made from its line in a match file.

use std::io::{self, BufReader, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::Serialize;

use super::list::{Entry, Place, Site};
use crate::Pages;
use crate::view::{MatchView, MatchViewBuilder, page, preview};
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use tournament::journal::results;
use tournament::journal::shard::{ShardFile, shards_in};
use tournament::replay::Judge;

/// A form of the view of a match.
#[derive(Clone, Copy, Debug)]
pub(super) enum ViewForm {
    /// A self-contained page.
    Page,
    /// The view as JSON.
    Json,
    /// The picture for previews, as a PNG file.
    Preview,
}

/// A view with the links of its page.
#[derive(Serialize)]
struct Linked<'a, F: Serialize> {
    #[serde(flatten)]
    view: &'a F,
    site: &'a Site,
}

/// Returns the match in this line in this form. The tournament in `dir` may have kept the stderr of its bots.
///
/// # Errors
/// Fails if the record differs from the engine's replay.
pub(super) fn of_line(
    game: GameName,
    dir: &Path,
    line: &[u8],
    site: &Site,
    form: ViewForm,
) -> Result<Vec<u8>, Error> {
    for_game!(game, G => view_of::<G, _>(line, Some(dir), |view| {
        let linked = Linked { view, site };
        match form {
            ViewForm::Page => page(&view.title(), &linked).into_bytes(),
            ViewForm::Json => serde_json::to_vec(&linked).expect("a view is plain data"),
            ViewForm::Preview => preview(view),
        }
    }))
}

/// Passes the view of the match in this line to `show`, with the stderr of its bots that the tournament in `stderr_dir`
/// has kept.
///
/// # Errors
/// See [`of_line`].
pub(super) fn view_of<G: Pages, T>(
    line: &[u8],
    stderr_dir: Option<&Path>,
    show: impl FnOnce(&MatchView<'_, G>) -> T,
) -> Result<T, Error> {
    let mut builder = MatchViewBuilder::<G>::default();
    let judged = Judge::<G>::new(None)
        .watched(line, &mut |record, game, turns| builder.add(&record.deal, game, turns));
    let record = judged.map_err(|difference| Error::no(difference.to_string()))?;
    if let Some(dir) = stderr_dir {
        builder.add_stderr(dir, &record);
    }
    let mut view = builder.view(&record).ok_or_else(|| Error::no("the record has no turn"))?;
    // The name of the directory alone, since viewers may be strangers.
    let name = stderr_dir.and_then(Path::file_name);
    view.from = name.map(|name| format!("{}#{}@", name.display(), record.index));
    Ok(show(&view))
}

/// Returns the line of a match from the file in which it was read. The next run of a shard takes over the
/// matches of an interrupted run, whose file is removed when the shard is complete. If the file is gone,
/// this function searches the other files of the shard.
///
/// # Errors
/// Fails if the line cannot be read or found.
pub(super) fn line_of(dir: &Path, file: &ShardFile, entry: &Entry) -> Result<Vec<u8>, Error> {
    let path = dir.join(&file.name);
    let error = match line_at(&path, entry.place) {
        Ok(line) => return Ok(line),
        Err(error) => error,
    };
    if let Some(whole_name) = file.whole_name.as_ref().filter(|_| error.kind() == ErrorKind::NotFound) {
        let is_of_part = |other: &ShardFile| other.whole_name.as_ref().unwrap_or(&other.name) == whole_name;
        for other in shards_in(dir)?.iter().filter(|other| is_of_part(other)) {
            if let Some(line) = find(&dir.join(&other.name), entry.index).unwrap_or_default() {
                return Ok(line);
            }
        }
    }
    Err(Error::unreadable(&path, &error))
}

/// Returns the line at this place of a file.
///
/// # Errors
/// Fails if the line cannot be read.
pub(super) fn line_at(path: &Path, place: Place) -> io::Result<Vec<u8>> {
    let mut line = vec![0; place.length as usize];
    results::open(path)?.read_exact_at(&mut line, place.offset)?;
    Ok(line)
}

/// Searches a file for the line of the match with this index.
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
