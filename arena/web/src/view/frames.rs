//! A match as plain data for a viewer: a frame for each decision.

use engine::wire::WireFormat;
use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

use engine::bitboard::Bitboard;
use engine::game::{Seat, first_pending};
use engine::wire::name::CardName;
use serde::Serialize;

use referee::record::{FaultText, MatchRecord, Remarks, ResultRecord, TurnRecord, is_default};
use tournament::run::fault_reports::{StderrTime, stderr_of};

/// A game that a viewer can draw. The data come from the game's own values, so the viewer needs no rules.
pub trait Frames: WireFormat {
    /// The constants of a match: shapes, prices, the track.
    type Parts: Debug + Serialize;
    /// The state of the table.
    type Table: Debug + Serialize + Send;
    /// The state of a seat apart from its board.
    type Holding: Debug + Serialize + Send;

    /// Returns the constants of the match.
    fn parts(&self) -> Self::Parts;

    /// Returns the number of a card or patch among all of the match.
    fn card_number(parts: &Self::Parts, card: &str) -> Option<usize>;

    /// Returns the table at the decision that led from this game to `after`.
    fn table(&self, deal: &Self::Deal, after: &Self) -> Self::Table;

    /// Returns the covered cells of a seat.
    fn board(&self, seat: Seat) -> Bitboard;

    /// Returns the scores of all seats if the match ended now, with the points of a running round.
    fn scores(&self) -> Vec<i32>;

    /// Returns the state of a seat apart from its board. `before` is the game before the last decision.
    fn holding(&self, seat: Seat, before: &Self) -> Self::Holding;

    /// Returns a legal move in terms that can be drawn, or `None` if the game cannot read it. `added` has
    /// the cells that the move covered.
    fn act(&self, wire_move: &Self::WireMove, added: Bitboard) -> Option<Act>;
}

/// A whole match.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub struct MatchView<'a, G: Frames> {
    /// The name of the game.
    pub game: &'static str,
    /// The index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round in its tournament.
    pub round: u64,
    /// The seed of the deal, as a string of decimal digits, because some JSON readers cannot hold such
    /// large numbers.
    pub seed: String,
    /// The names of the bots, by seat.
    pub bots: &'a [String],
    /// The digest of everything that every repetition reproduces; `None` for a running match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<&'a str>,
    /// The reason for a replay of the match, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<&'a str>,
    /// The result; `None` for a running match.
    pub result: Option<&'a ResultRecord>,
    /// The beginning of the argument that names a turn of the match in `arena play --from`, without the number of the
    /// turn. `None` for a running match, or where the match has no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The number of turns whose moves were given, because the match began from a position.
    #[serde(skip_serializing_if = "is_default")]
    pub given: u32,
    /// The time limit of a decision by seat, in microseconds; empty if it is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits_us: Vec<u64>,
    /// The constants of the match.
    pub parts: G::Parts,
    /// The start position, and then the position after each decision.
    pub frames: &'a [Frame<G>],
}

impl<G: Frames> MatchView<'_, G> {
    /// Gives all seats the limit of their tournament, unless the match has limits of its own.
    pub fn limit(&mut self, per_move: Duration) {
        if self.limits_us.is_empty() {
            self.limits_us = vec![per_move.as_micros() as u64; self.bots.len()];
        }
    }

    /// Returns the title of a page with this match.
    pub fn title(&self) -> String {
        let seats = self.bots.len();
        let who = if seats > 3 { format!("{seats} seats") } else { self.bots.join(" against ") };
        let (first, rest) = self.game.split_at(1);
        format!("{}{rest}: {who}, match {}", first.to_uppercase(), self.index)
    }
}

/// The position after a decision.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub struct Frame<G: Frames> {
    /// The number of the decision; `None` for the start position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// The table at the moment of the decision.
    pub table: G::Table,
    /// The move or fault of each seat that owed the decision, in seat order.
    pub entries: Vec<Entry>,
    /// The seats after the decision.
    pub seats: Vec<SeatFrame<G::Holding>>,
}

impl<G: Frames> Frame<G> {
    fn entry_of(&mut self, seat: Seat) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.seat == seat)
    }
}

/// The move or fault of one seat.
#[derive(Debug, Serialize)]
pub struct Entry {
    /// The seat.
    pub seat: Seat,
    /// The think time, in microseconds. Omitted if zero, as for given moves.
    #[serde(skip_serializing_if = "is_default")]
    pub us: u64,
    /// The move; `None` if there is a fault instead.
    #[serde(flatten)]
    pub act: Option<Act>,
    /// The bot's remarks, which may be any text.
    #[serde(flatten)]
    pub remarks: Remarks,
    /// The fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultText>,
    /// The stderr of the bot during its turn, if it is known. It may be any text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// What an analysis says of the move, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<EntryAnalysis>,
}

/// What an analysis says of a move.
#[derive(Clone, Debug, Serialize)]
pub struct EntryAnalysis {
    /// How much more the best move is worth, in points.
    pub loss: f64,
    /// Half of the 95 % interval of the loss.
    pub margin: f64,
    /// True if the loss is worth a mention.
    #[serde(rename = "named")]
    pub is_named: bool,
    /// The best move in words.
    pub best: String,
    /// The cells that the best move covers, each as row and column.
    pub cells: Vec<[i64; 2]>,
}

/// A move in terms that can be drawn.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Act {
    /// The kind of move, in one word.
    pub act: &'static str,
    /// The card or patch that was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardName>,
    /// The pieces that were placed on the board. Each is drawn as one patch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<Piece>,
}

/// A set of cells that is drawn as one patch.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The card or patch of the piece; `None` for a single cell without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardName>,
    /// The cells by number, row by row from 0.
    pub cells: Vec<u8>,
}

impl Piece {
    /// Creates the piece of a card.
    pub(super) fn of(card: CardName, cells: Bitboard) -> Piece {
        Piece { card: Some(card), cells: numbers(cells) }
    }

    /// Creates a piece for each cell, without a card.
    pub(super) fn each(cells: Bitboard) -> impl Iterator<Item = Piece> {
        cells.iter().map(|cell| Piece { card: None, cells: vec![cell.index()] })
    }
}

fn numbers(cells: Bitboard) -> Vec<u8> {
    cells.iter().map(|cell| cell.index()).collect()
}

/// A seat after a decision. Its board consists of the pieces of all entries so far.
#[derive(Debug, Serialize)]
pub struct SeatFrame<H> {
    /// The score if the match ended now.
    pub score: i32,
    /// True if a fault has removed the seat from the match.
    #[serde(skip_serializing_if = "is_false")]
    pub out: bool,
    /// The state of the seat apart from its board.
    #[serde(flatten)]
    pub holding: H,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Records a match while it is played or replayed, with a frame for each decision.
#[derive(Debug)]
pub struct MatchViewBuilder<G: Frames> {
    before: Option<G>,
    out: Vec<bool>,
    frames: Vec<Frame<G>>,
}

impl<G: Frames> Default for MatchViewBuilder<G> {
    fn default() -> MatchViewBuilder<G> {
        MatchViewBuilder { before: None, out: Vec::new(), frames: Vec::new() }
    }
}

impl<G: Frames> MatchViewBuilder<G> {
    /// Adds the frame of a decision: the game after it, and the entries of the decision. The first frame is
    /// the start position, with faults from before the match.
    pub fn add(&mut self, deal: &G::Deal, game: &G, turns: &[&TurnRecord<G::WireMove>]) {
        let is_first = self.before.is_none();
        let before = self.before.take().unwrap_or_else(|| game.clone());
        self.out.resize(game.seats(), false);
        turns.iter().filter(|turn| turn.fault.is_some()).for_each(|turn| self.out[turn.seat] = true);
        self.frames.push(Frame {
            id: (!is_first).then(|| before.decision()),
            table: before.table(deal, game),
            entries: turns.iter().map(|turn| entry(turn, &before, game)).collect(),
            seats: seats_of(game, &before, &self.out),
        });
        self.before = Some(game.clone());
    }

    /// Adds what the bots of a tournament in this directory wrote to stderr. Text from before the first turn goes to
    /// the first turn of the bot, and text of an unknown turn to its last one.
    pub fn add_stderr(&mut self, dir: &Path, record: &MatchRecord<G>) {
        for (seat, bot) in record.bots.iter().enumerate() {
            for (time, text) in stderr_of(dir, bot, record.index, seat) {
                let is_there = |frame: &&mut Frame<G>| match time {
                    StderrTime::Turn(id) => frame.id == Some(id),
                    StderrTime::Start | StderrTime::Unknown => true,
                };
                let mut frames = self.frames.iter_mut().filter(is_there);
                let found = match time {
                    StderrTime::Unknown => frames.rev().find_map(|frame| frame.entry_of(seat)),
                    StderrTime::Start | StderrTime::Turn(_) => frames.find_map(|frame| frame.entry_of(seat)),
                };
                if let Some(entry) = found {
                    entry.stderr += &text;
                    entry.stderr.push('\n');
                }
            }
        }
    }

    /// Rewrites what bots wrote to stderr, and the details of their faults, which may quote it.
    pub fn rewrite_stderr(&mut self, rewrite: impl Fn(&str) -> String) {
        for entry in self.frames.iter_mut().flat_map(|frame| &mut frame.entries) {
            entry.stderr = rewrite(&entry.stderr);
            entry.fault.iter_mut().for_each(|fault| fault.detail = rewrite(&fault.detail));
        }
    }

    /// Adds what an analysis says of the move of a seat.
    pub fn add_analysis(&mut self, id: u32, seat: Seat, analysis: EntryAnalysis) {
        let frame = self.frames.iter_mut().find(|frame| frame.id == Some(id));
        if let Some(entry) = frame.and_then(|frame| frame.entry_of(seat)) {
            entry.analysis = Some(analysis);
        }
    }

    /// Returns the frames so far.
    pub fn frames(&self) -> &[Frame<G>] {
        &self.frames
    }

    /// Returns a frame with the table of the current decision and no entries, or `None` if the match is
    /// over.
    pub fn open(&self, deal: &G::Deal) -> Option<Frame<G>> {
        let game = self.before.as_ref().filter(|game| first_pending(*game).is_some())?;
        Some(Frame {
            id: Some(game.decision()),
            table: game.table(deal, game),
            entries: Vec::new(),
            seats: seats_of(game, game, &self.out),
        })
    }

    /// Returns the view of this record from the frames so far, or `None` without frames.
    pub fn view<'a>(&'a self, record: &'a MatchRecord<G>) -> Option<MatchView<'a, G>> {
        Some(MatchView {
            game: G::NAME,
            index: record.index,
            round: record.round,
            seed: record.seed.to_string(),
            bots: &record.bots,
            digest: Some(&record.digest),
            replayed: record.replayed.as_deref(),
            result: Some(&record.result),
            from: None,
            given: record.given().last().map_or(0, |last| last.id + 1),
            limits_us: record.limits.iter().map(|limits| limits.per_move.as_micros() as u64).collect(),
            parts: self.before.as_ref()?.parts(),
            frames: &self.frames,
        })
    }
}

/// Returns the seats of a game. `before` is the game before the last decision.
fn seats_of<G: Frames>(game: &G, before: &G, out: &[bool]) -> Vec<SeatFrame<G::Holding>> {
    let seat =
        |(seat, score): (Seat, i32)| SeatFrame { score, out: out[seat], holding: game.holding(seat, before) };
    game.scores().into_iter().enumerate().map(seat).collect()
}

fn entry<G: Frames>(turn: &TurnRecord<G::WireMove>, before: &G, after: &G) -> Entry {
    let added = after.board(turn.seat) - before.board(turn.seat);
    Entry {
        seat: turn.seat,
        us: turn.us,
        act: turn.wire_move.as_ref().and_then(|wire_move| before.act(wire_move, added)),
        remarks: turn.remarks.clone(),
        fault: turn.fault.clone(),
        stderr: String::new(),
        analysis: None,
    }
}
