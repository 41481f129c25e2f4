//! Pictures of a match: for previews in chats and feeds, and for documents and talks.

use engine::game::Seat;
use referee::record::ResultRecord;

use super::{Frames, MatchView};
use picture::{Board, Cover, PREVIEW, Scene, gif, png};

/// Returns the picture of a match after a frame, or at its end, as a PNG file.
pub fn preview<G: Frames>(view: &MatchView<'_, G>, frame: Option<usize>) -> Vec<u8> {
    let last = view.frames.len().saturating_sub(1);
    png(&scene(view, frame.unwrap_or(last).min(last)), PREVIEW)
}

/// Returns all turns of a match one after the other, as a GIF file.
///
/// # Errors
/// See [`gif()`].
pub fn animation<G: Frames>(view: &MatchView<'_, G>) -> std::io::Result<Vec<u8>> {
    let scenes: Vec<Scene> = (0..view.frames.len()).map(|frame| scene(view, frame)).collect();
    gif(&scenes, PREVIEW)
}

/// Returns what a picture of this frame shows.
fn scene<G: Frames>(view: &MatchView<'_, G>, frame: usize) -> Scene {
    let is_end = frame + 1 == view.frames.len();
    let result = view.result.filter(|_| is_end);
    let boards = (0..view.bots.len()).map(|seat| {
        let is_first = |seat: Seat| {
            result.is_some_and(|result| result.ranks.get(seat) == Some(&1) && result.faults[seat].is_none())
        };
        let mut board = Board::new(&view.bots[seat]);
        board.score = view.frames[frame].seats[seat].score.to_string();
        board.is_first = is_first(seat) && view.bots.len() > 1;
        let entries = view.frames[..=frame].iter().flat_map(|frame| &frame.entries);
        let acts = entries.filter(|entry| entry.seat == seat).filter_map(|entry| entry.act.as_ref());
        for (number, piece) in (1..).zip(acts.flat_map(|act| &act.pieces)) {
            let card = piece.card.and_then(|card| G::card_number(&view.parts, card.as_str()));
            let cover = Cover { piece: number, card };
            piece.cells.iter().for_each(|&cell| board.cells[usize::from(cell)] = cover);
        }
        board
    });
    let note = match result {
        Some(result) => format!("turn {frame}: {}", told(view.bots, result)),
        None => format!("turn {frame} of {}", view.frames.len() - 1),
    };
    Scene { title: view.title(), note, boards: boards.collect() }
}

/// Returns a result in a few words, such as "greedy wins 43 : 13".
fn told(bots: &[String], result: &ResultRecord) -> String {
    let is_first = |seat: &Seat| result.ranks[*seat] == 1 && result.faults[*seat].is_none();
    let first: Vec<Seat> = (0..bots.len()).filter(is_first).collect();
    match (first.first(), &result.scores[..]) {
        (None, _) => "nobody wins".to_owned(),
        (Some(_), [score]) => format!("{score} points"),
        _ if first.len() > 1 => format!("{} bots share the first place", first.len()),
        (Some(&seat), [one, other]) => {
            let [own, rest] = if seat == 0 { [one, other] } else { [other, one] };
            format!("{} wins {own} : {rest}", bots[seat])
        }
        (Some(&seat), scores) => format!("{} wins with {}", bots[seat], scores[seat]),
    }
}
