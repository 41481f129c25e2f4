//! Doodle by hand: the cards of a turn, whole or as the pieces that cuts can leave.

use std::collections::{BTreeMap, HashSet};

use engine::bitboard::Bitboard;
use engine::cells::read_cell;
use engine::doodle::{
    Doodle, Equipment, Illegal, Moves, Offer, Rectangle, Special, WireMove, best_rectangle,
};
use engine::game::{Game, Seat};
use engine::wire::WireFormat;

use super::choices::{Choice, Hand, Laid, turnings};
use super::words;

impl Hand for Doodle {
    const NOTHING: &'static str = "pass";

    fn choices(&self, seat: Seat) -> Vec<Choice> {
        let Some(moves) = self.moves(seat) else { return Vec::new() };
        let legal: HashSet<_> =
            moves.drawings().map(|drawing| (drawing.draw.card, drawing.draw.cells)).collect();
        let of_card = |offer: Offer| {
            let name = self.equipment().name(offer.card);
            let shapes =
                std::iter::once((0, printed(self.equipment(), &offer))).chain(pieces(&moves, &offer));
            let choice = |(piece, (cuts, shape)): (usize, (u8, Bitboard))| {
                let is_legal = |cells| legal.contains(&(offer.card, cells));
                Choice::new(Some(name), piece, costs(&offer, cuts), shape, is_legal)
            };
            // A piece that fits nowhere is useless, but the player may want to see the whole card.
            let useful = |choice: &Choice| choice.piece == 0 || choice.fits();
            shapes.enumerate().map(choice).filter(useful).collect::<Vec<_>>()
        };
        moves.offers().flat_map(of_card).collect()
    }

    fn wire_move(laid: &Laid) -> Result<WireMove, String> {
        let Laid { card, cells, singles } = laid.clone();
        Ok(WireMove { draw: card.map(|card| (card, cells)), singles })
    }

    fn laid(wire_move: &WireMove) -> Laid {
        let (card, cells) = wire_move.draw.clone().unzip();
        Laid { card, cells: cells.unwrap_or_default(), singles: wire_move.singles.clone() }
    }

    fn effect(&self, seat: Seat, laid: &Laid) -> String {
        let added = laid.cells.iter().chain(&laid.singles).filter_map(|&cell| read_cell(cell).ok());
        let board = self.sheet(seat).board | added.collect();
        let points = best_rectangle(board).map_or(0, Rectangle::points);
        let empty = (!board).len();
        let cells = if empty == 1 { "cell is" } else { "cells are" };
        let words = format!("the best rectangle then has {points} points, and {empty} {cells} empty.");
        words + &spent(self, seat, laid).unwrap_or_default()
    }

    fn refused(why: &Illegal) -> String {
        match why {
            Illegal::NotAsked => "it is not your turn".to_owned(),
            Illegal::Cells(bad) => words::cells(bad),
            Illegal::NoCells => "the card is not placed anywhere: place it, or pass".to_owned(),
            Illegal::NotThePatch(card) => {
                format!(
                    "this is not card {card}, however it is turned, nor a piece that one cut or two leave of it"
                )
            }
            // Their messages name cards, figures, and special actions, which players know.
            Illegal::NoSuchCard(_)
            | Illegal::NotOffered { .. }
            | Illegal::StartPass(_)
            | Illegal::StartSpecial
            | Illegal::Singles(_)
            | Illegal::Unaffordable { .. } => why.to_string(),
        }
    }
}

/// Returns a sentence about the special actions that a drawing spends; `None` for a pass or an illegal move.
fn spent(game: &Doodle, seat: Seat, laid: &Laid) -> Option<String> {
    let action = Doodle::read(game.equipment(), &Doodle::wire_move(laid).ok()?).ok()?;
    let uses = game.moves(seat)?.check(&action).ok()?;
    let before = game.sheet(seat).specials;
    let spent: Vec<&str> = before.without(before.after(uses)?).iter().map(Special::as_str).collect();
    let is_pass = laid.cells.is_empty() && laid.singles.is_empty();
    let words = if spent.is_empty() { "no special action".to_owned() } else { spent.join(" and ") };
    (!is_pass).then(|| format!(" It spends {words}."))
}

/// Returns the whole shape in the orientation of the card.
fn printed(equipment: &Equipment, offer: &Offer) -> Bitboard {
    let name = equipment.name(offer.card);
    let mut cards =
        Doodle::setup(equipment).cards.iter().flat_map(|file| file.starts.iter().chain(&file.patches));
    let card = cards.find(|card| card.id == name.as_str());
    card.and_then(|card| card.cells.cells().ok())
        .unwrap_or_else(|| equipment.patch(offer.card).whole().shapes()[0].cells())
}

/// Returns the pieces that cuts can leave, with the number of cuts. Each is in one orientation. Pieces with
/// fewer cuts come first, and among them the larger ones.
fn pieces(moves: &Moves<'_>, offer: &Offer) -> impl Iterator<Item = (u8, Bitboard)> + use<> {
    let mut found: BTreeMap<Bitboard, u8> = BTreeMap::new();
    for (_, cuts, places) in moves.sets().filter(|(of, cuts, _)| of.card == offer.card && *cuts > 0) {
        for (shape, _) in places.sets() {
            let least = turnings(shape.cells()).min().expect("a shape can be turned");
            found.entry(least).or_insert(cuts);
        }
    }
    let mut pieces: Vec<(u8, Bitboard)> = found.into_iter().map(|(shape, cuts)| (cuts, shape)).collect();
    pieces.sort_by_key(|&(cuts, shape)| (cuts, std::cmp::Reverse(shape.len()), shape));
    pieces.into_iter()
}

/// Returns the special actions that a drawing takes.
fn costs(offer: &Offer, cuts: u8) -> String {
    let neighbor = offer.neighbor.then_some("neighbor");
    let cut = [None, Some("cut"), Some("cut and repeat")][usize::from(cuts.min(2))];
    neighbor.into_iter().chain(cut).collect::<Vec<_>>().join(", ")
}
