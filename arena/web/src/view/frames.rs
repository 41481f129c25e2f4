//! What a viewer shows of a match, as plain data: a frame for each decision.

use std::fmt::Debug;

use engine::bitboard::Bitboard;
use engine::game::{Game, Seat};
use engine::name::CardName;
use serde::Serialize;

use referee::record::{FaultText, MatchRecord, ResultRecord, TurnRecord};

/// A game that can be drawn. What is drawn comes from the game's own values, never from its rules.
pub trait Pictured: Game {
    /// What stays the same throughout a match: shapes, prices, the track.
    type Parts: Debug + Serialize;
    /// What lies on the table.
    type Table: Debug + Serialize + Send;
    /// What a seat has beside its board.
    type Holding: Debug + Serialize + Send;

    /// What stays the same.
    fn parts(&self) -> Self::Parts;

    /// What lay on the table when the decision was asked for that led from this game to `after`.
    fn table(&self, deal: &Self::Deal, after: &Self) -> Self::Table;

    /// The covered cells of a seat.
    fn board(&self, seat: Seat) -> Bitboard;

    /// What a seat has beside its board; `before` is the game before the last decision.
    fn holding(&self, seat: Seat, before: &Self) -> Self::Holding;

    /// A legal move in the terms of a picture; `added` are the cells that it covered.
    fn act(&self, word: &Self::Word, added: Bitboard) -> Option<Act>;
}

/// A whole match.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub struct Film<'a, G: Pictured> {
    /// The game.
    pub game: &'static str,
    /// Index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round of its tournament.
    pub round: u64,
    /// The seed of the deal, in decimal digits: not every reader has so large numbers.
    pub seed: String,
    /// Names of the bots by seat.
    pub bots: &'a [String],
    /// What must be the same in every repetition; `None` while it is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<&'a str>,
    /// Why the match was played a second time, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<&'a str>,
    /// What came of it; `None` while it is played.
    pub result: Option<&'a ResultRecord>,
    /// What stays the same.
    pub parts: G::Parts,
    /// The beginning, and what every decision led to.
    pub frames: &'a [Frame<G>],
}

/// What a decision led to.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub struct Frame<G: Pictured> {
    /// Number of the decision; `None` at the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// The table when the decision was asked for.
    pub table: G::Table,
    /// What each seat did that was asked, in seat order.
    pub entries: Vec<Entry>,
    /// The seats after the decision.
    pub seats: Vec<SeatFrame<G::Holding>>,
}

/// What one seat did.
#[derive(Debug, Serialize)]
pub struct Entry {
    /// The seat.
    pub seat: Seat,
    /// How long it took, in microseconds.
    pub us: u64,
    /// The move; `None` where a fault stands in its place.
    #[serde(flatten)]
    pub act: Option<Act>,
    /// What the bot noted: any text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultText>,
}

/// A move in the terms of a picture.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Act {
    /// What was done, in a word.
    pub act: &'static str,
    /// The card or patch that was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardName>,
    /// What was laid on the board, each to be drawn as one patch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<Piece>,
}

/// Cells that are drawn as one patch.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The card or patch it is from; `None` for a cell that came without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardName>,
    /// Its cells by number, row by row from 0.
    pub cells: Vec<u8>,
}

impl Piece {
    /// A piece of a card.
    pub(super) fn of(card: CardName, cells: Bitboard) -> Piece {
        Piece { card: Some(card), cells: numbers(cells) }
    }

    /// Cells without a card, each a piece.
    pub(super) fn each(cells: Bitboard) -> impl Iterator<Item = Piece> {
        cells.iter().map(|cell| Piece { card: None, cells: vec![cell.index()] })
    }
}

fn numbers(cells: Bitboard) -> Vec<u8> {
    cells.iter().map(|cell| cell.index()).collect()
}

/// A seat after a decision. Its board is what all entries so far have laid.
#[derive(Debug, Serialize)]
pub struct SeatFrame<H> {
    /// Its score if the match ended now.
    pub score: i32,
    /// Whether a fault has put it out.
    #[serde(skip_serializing_if = "is_false")]
    pub out: bool,
    /// What it has beside its board.
    #[serde(flatten)]
    pub holding: H,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Looks at a match as it goes and makes a frame of every decision.
#[derive(Debug)]
pub struct Filming<G: Pictured> {
    before: Option<G>,
    out: Vec<bool>,
    frames: Vec<Frame<G>>,
}

impl<G: Pictured> Default for Filming<G> {
    fn default() -> Filming<G> {
        Filming { before: None, out: Vec::new(), frames: Vec::new() }
    }
}

impl<G: Pictured> Filming<G> {
    /// Adds the frame of a decision: the game after it, and the entries that led there. The first
    /// frame is the beginning, with the faults that were there before it.
    pub fn add(&mut self, deal: &G::Deal, game: &G, turns: &[&TurnRecord<G::Word>]) {
        let is_first = self.before.is_none();
        let before = self.before.take().unwrap_or_else(|| game.clone());
        self.out.resize(game.seats(), false);
        turns.iter().filter(|turn| turn.fault.is_some()).for_each(|turn| self.out[turn.seat] = true);
        let scores = game.outcome().scores;
        let seat = |seat: Seat| SeatFrame {
            score: scores[seat],
            out: self.out[seat],
            holding: game.holding(seat, &before),
        };
        self.frames.push(Frame {
            id: (!is_first).then(|| before.decision()),
            table: before.table(deal, game),
            entries: turns.iter().map(|turn| entry(turn, &before, game)).collect(),
            seats: (0..game.seats()).map(seat).collect(),
        });
        self.before = Some(game.clone());
    }

    /// The frames so far.
    pub fn frames(&self) -> &[Frame<G>] {
        &self.frames
    }

    /// The table of the decision that is asked for now, which nobody has made; `None` when the match is over.
    pub fn open(&self, deal: &G::Deal) -> Option<Frame<G>> {
        let game = self.before.as_ref().filter(|game| game.first_pending().is_some())?;
        let scores = game.outcome().scores;
        let seat = |seat: Seat| SeatFrame {
            score: scores[seat],
            out: self.out[seat],
            holding: game.holding(seat, game),
        };
        Some(Frame {
            id: Some(game.decision()),
            table: game.table(deal, game),
            entries: Vec::new(),
            seats: (0..game.seats()).map(seat).collect(),
        })
    }

    /// All frames of the record that was looked at; `None` where nothing was.
    pub fn film<'a>(&'a self, record: &'a MatchRecord<G>) -> Option<Film<'a, G>> {
        Some(Film {
            game: G::NAME,
            index: record.index,
            round: record.round,
            seed: record.seed.to_string(),
            bots: &record.bots,
            digest: Some(&record.digest),
            replayed: record.replayed.as_deref(),
            result: Some(&record.result),
            parts: self.before.as_ref()?.parts(),
            frames: &self.frames,
        })
    }
}

fn entry<G: Pictured>(turn: &TurnRecord<G::Word>, before: &G, after: &G) -> Entry {
    let added = after.board(turn.seat) - before.board(turn.seat);
    Entry {
        seat: turn.seat,
        us: turn.us,
        act: turn.word.as_ref().and_then(|word| before.act(word, added)),
        note: turn.note.clone(),
        fault: turn.fault.clone(),
    }
}
