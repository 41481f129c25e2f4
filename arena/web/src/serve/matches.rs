//! The page of a match, made from its line in a match file.

use std::io::{self, BufReader, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Desk;
use super::list::{Entry, Place, Site};
use crate::Pages;
use crate::view::{MatchView, MatchViewBuilder, PlainView, asking_page, page, plain_page, preview};
use referee::error::Error;
use referee::for_game;
use referee::games::{GameKind, GameName};
use referee::record::{MatchRecord, Remarks};
use tournament::journal::results;
use tournament::journal::shard::{ShardFile, shards_in};
use tournament::plan::earlier::earlier_file;
use tournament::replay::Judge;
use tournament::standings::Standings;
use tournament::state::State;

/// A form of the view of a match.
#[derive(Clone, Copy, Debug)]
pub(super) enum ViewForm {
    /// A self-contained page.
    Page,
    /// The view as JSON.
    Json,
    /// The view with this frame alone as JSON. What the end tells is only there with the last one.
    Frame(usize),
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

/// Who looks at the pages of a tournament.
#[derive(Clone, Debug, Default)]
pub struct Audience {
    /// True if only this machine reaches the pages. Then they have lines for a terminal.
    pub is_own: bool,
    /// True to show what bots wrote to stderr, which may be of no concern to their opponents.
    pub sees_stderr: bool,
    /// Where pages have matches judged. `None` if they may not.
    pub desk: Option<Arc<Desk>>,
}

/// Returns the match in this line in this form, with what this audience may see of the tournament in `dir`.
///
/// # Errors
/// Fails if the record differs from the engine's replay.
pub(super) fn of_line(
    game: GameName,
    dir: &Path,
    line: &[u8],
    site: &Site,
    form: ViewForm,
    per_move: Duration,
    audience: &Audience,
) -> Result<Vec<u8>, Error> {
    for_game!(
        game,
        G => view_of::<G, _>(line, Some(dir), Some(per_move), audience, |view| {
            let linked = Linked { view, site };
            match form {
                ViewForm::Page if audience.desk.is_some() => asking_page(&view.title(), &linked).into_bytes(),
                ViewForm::Page => page(&view.title(), &linked).into_bytes(),
                ViewForm::Json => json_of(&linked),
                ViewForm::Frame(at) => frame_of(&linked, at),
                ViewForm::Preview => preview(view, None),
            }
        }),
        plain G => plain::<G>(dir, line, site, form)
    )
}

fn json_of(view: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(view).expect("a view is plain data")
}

/// Returns a view as JSON with one of its frames. Before the last one nothing tells the result.
fn frame_of(view: &impl Serialize, at: usize) -> Vec<u8> {
    let mut whole = serde_json::to_value(view).expect("a view is plain data");
    let frames = whole["frames"].as_array_mut().expect("a list of frames");
    let is_last = at + 1 >= frames.len();
    *frames = frames.drain(..).skip(at).take(1).collect();
    if !is_last {
        let fields = whole.as_object_mut().expect("a view has fields");
        ["result", "digest", "replayed"].iter().for_each(|field| drop(fields.remove(*field)));
    }
    json_of(&whole)
}

/// Returns a match of a game without pictures as its record tells it. A program of rules starts for no viewer.
fn plain<G: GameKind>(dir: &Path, line: &[u8], site: &Site, form: ViewForm) -> Result<Vec<u8>, Error> {
    let mut record = plain_record::<G>(line)?;
    let file = earlier_file::<G>(dir).ok().flatten();
    let setup = file.as_ref().map(|file| &file.plan.setup);
    if !site.is_over && !setup.is_some_and(G::is_open) {
        record.turns.iter_mut().for_each(|turn| turn.text = None);
    }
    let view = PlainView::of(&record, setup);
    let linked = Linked { view: &view, site };
    match form {
        ViewForm::Page => Ok(plain_page(&view.title(), &linked).into_bytes()),
        ViewForm::Json => Ok(json_of(&linked)),
        ViewForm::Frame(_) => Err(Error::no("there are no boards of this game")),
        ViewForm::Preview => Err(Error::no("there are no pictures of this game")),
    }
}

/// Returns the record in a line, with short paths in the details of its faults.
fn plain_record<G: GameKind>(line: &[u8]) -> Result<MatchRecord<G>, Error> {
    let (mut record, _) = MatchRecord::<G>::from_line(line).map_err(|error| Error::no(error.to_string()))?;
    for fault in record.turns.iter_mut().filter_map(|turn| turn.fault.as_mut()) {
        fault.detail = short_paths(&fault.detail);
    }
    Ok(record)
}

/// Passes the view of the match in this line to `show`. `per_move` is the limit of a decision in its tournament, if it is
/// known. With `dir`, the view has what the audience may see of the tournament there.
///
/// # Errors
/// See [`of_line`].
pub(super) fn view_of<G: Pages, T>(
    line: &[u8],
    dir: Option<&Path>,
    per_move: Option<Duration>,
    audience: &Audience,
    show: impl FnOnce(&MatchView<'_, G>) -> T,
) -> Result<T, Error> {
    let mut builder = MatchViewBuilder::<G>::default();
    let judged = Judge::<G>::new(None)
        .watched(line, &mut |record, game, turns| builder.add(&record.deal, game, turns));
    let record = judged.map_err(|difference| Error::no(difference.to_string()))?;
    if let Some(dir) = dir.filter(|_| audience.sees_stderr) {
        builder.add_stderr(dir, &record);
    }
    builder.rewrite_stderr(short_paths);
    if let Some((dir, desk)) = dir.zip(audience.desk.as_ref()) {
        let is_it = |digest: &str| digest == record.digest;
        let known = desk.coach.known(GameName::named(G::NAME)?, dir, &is_it).into_iter();
        known.for_each(|(_, id, seat, analysis)| builder.add_analysis(id, seat, analysis));
    }
    let mut view = builder.view(&record).ok_or_else(|| Error::no("the record has no turn"))?;
    per_move.iter().for_each(|&limit| view.limit(limit));
    let dir = dir.filter(|_| audience.is_own);
    view.from = dir.map(|dir| format!("{}#{}@", dir.display(), record.index));
    Ok(show(&view))
}

/// The words of a bot that only its author reads.
pub(super) const HIDDEN: &str = "its author can read the words";

/// Returns the line of a match without the words of other bots than this one: what they said about their moves, and the
/// details of their faults, which may quote their stderr.
///
/// # Errors
/// The line is no record of the game.
pub(super) fn line_for<G: GameKind>(line: &[u8], author: &str) -> Result<Vec<u8>, Error> {
    let (mut record, _) = MatchRecord::<G>::from_line(line).map_err(|error| Error::no(error.to_string()))?;
    let MatchRecord { bots, turns, .. } = &mut record;
    for turn in turns.iter_mut().filter(|turn| bots.get(turn.seat).is_none_or(|bot| bot != author)) {
        turn.remarks = Remarks::default();
        turn.fault.iter_mut().for_each(|fault| HIDDEN.clone_into(&mut fault.detail));
    }
    Ok(record.to_line())
}

/// Returns the page of the match in this line for the author of a bot. `per_move` is the limit of a decision. With the
/// directory of the match as `stderr`, the page has what both bots wrote to stderr, as far as it was kept.
///
/// # Errors
/// The record differs from the engine's replay.
pub fn page_for(
    game: GameName,
    line: &[u8],
    per_move: Duration,
    author: &str,
    stderr: Option<&Path>,
) -> Result<String, Error> {
    let audience = Audience { sees_stderr: stderr.is_some(), ..Audience::default() };
    for_game!(
        game,
        G => view_of::<G, _>(&line_for::<G>(line, author)?, stderr, Some(per_move), &audience, |view| page(&view.title(), view)),
        plain G => {
            let record = plain_record::<G>(&line_for::<G>(line, author)?)?;
            let view = PlainView::of(&record, None);
            Ok(plain_page(&view.title(), &view))
        }
    )
}

/// Returns the tables of a tournament for viewers who may be strangers.
pub(super) fn standings_of(state: &State) -> Standings {
    let mut standings = state.standings();
    let faults = standings.rows.iter_mut().filter_map(|row| row.first_fault.as_mut());
    faults.for_each(|fault| fault.detail = short_paths(&fault.detail));
    standings
}

/// Shortens the absolute paths in a text to the names of their files. Viewers may be strangers, to whom the folders of
/// this machine say nothing.
fn short_paths(text: &str) -> String {
    let ends_path = |letter: char| letter.is_whitespace() || "\"'`():,;<>".contains(letter);
    let short = |word: &str| match word.rsplit_once('/') {
        Some((folder, name)) if word.starts_with('/') && !folder.is_empty() => format!("\u{2026}/{name}"),
        _ => word.to_owned(),
    };
    let words = text.split_inclusive(ends_path).map(|word| {
        let (word, end) = word.split_at(word.trim_end_matches(ends_path).len());
        short(word) + end
    });
    words.collect()
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
