//! Patchwork by hand: the patches on offer with their prices, or the leather patch that must be placed.

use std::collections::HashSet;

use engine::bitboard::{Bitboard, Cell};
use engine::game::{Game, Seat};
use engine::patchwork::{Action, Illegal, PatchId, Patchwork, Phase, WireMove};
use engine::wire::WireFormat;

use super::choices::{Choice, Hand, Laid};
use super::words;

impl Hand for Patchwork {
    const NOTHING: &'static str = "advance";

    fn choices(&self, seat: Seat) -> Vec<Choice> {
        if !self.owes(seat) {
            return Vec::new();
        }
        let legal: HashSet<(Option<PatchId>, Bitboard)> =
            self.legal_actions(seat).filter_map(|action| laid(&action)).collect();
        if self.state().phase() == Phase::Leather {
            let is_legal = |cells| legal.contains(&(None, cells));
            return vec![Choice::new(None, 0, "leather".to_owned(), single(), is_legal)];
        }
        let buy = |id: PatchId| {
            let patch = self.table().patch(id);
            let costs = format!("cost {}, time {}, income {}", patch.buttons, patch.time, patch.income);
            let is_legal = |cells| legal.contains(&(Some(id), cells));
            let buttons = self.state().players()[seat].buttons;
            let obstacle = (patch.buttons > buttons).then(|| price(patch.buttons, buttons));
            Choice { obstacle, ..Choice::new(Some(patch.name), 0, costs, printed(self, id), is_legal) }
        };
        self.state().offer(self.table()).map(buy).collect()
    }

    fn wire_move(laid: &Laid) -> Result<WireMove, String> {
        if !laid.singles.is_empty() {
            return Err("patchwork has no single cells".to_owned());
        }
        match (&laid.card, laid.cells.as_slice()) {
            (Some(patch), cells) => Ok(WireMove::Buy(patch.clone(), cells.to_vec())),
            (None, []) => Ok(WireMove::Advance),
            (None, [cell]) => Ok(WireMove::Leather(*cell)),
            (None, _) => Err("a leather patch covers one cell".to_owned()),
        }
    }

    fn laid(wire_move: &WireMove) -> Laid {
        let laid = |card, cells| Laid { card, cells, singles: Vec::new() };
        match wire_move {
            WireMove::Advance => Laid::default(),
            WireMove::Leather(cell) => laid(None, vec![*cell]),
            WireMove::Buy(patch, cells) => laid(Some(patch.clone()), cells.clone()),
        }
    }

    fn effect(&self, seat: Seat, laid: &Laid) -> String {
        let mut game = self.clone();
        let action =
            Patchwork::wire_move(laid).ok().and_then(|word| Self::read(self.equipment(), &word).ok());
        if action.is_none_or(|action| game.play(seat, &action).is_err()) {
            return String::new();
        }
        let [before, after] = [self, &game].map(|game| game.state().players()[seat]);
        let price = laid.card.as_deref().and_then(|id| {
            self.state()
                .offer(self.table())
                .map(|id| self.table().patch(id))
                .find(|patch| patch.name.as_str() == id)
        });
        let spent = price.map_or(0, |patch| patch.buttons);
        let earned = (after.buttons + spent).saturating_sub(before.buttons);
        let mut text = match after.space == before.space {
            true => format!("you have {} then", buttons(after.buttons)),
            false => format!("you land on space {} with {}", after.space, buttons(after.buttons)),
        };
        if earned > 0 {
            text += &format!(", {earned} of them new");
        }
        text += ".";
        if after.has_bonus && !before.has_bonus {
            text += " You get the 7x7 tile.";
        }
        if game.to_move() == Some(seat) {
            text += match game.state().phase() {
                Phase::Leather => " You get a leather patch.",
                Phase::Turn => " You move again.",
            };
        }
        text
    }

    fn refused(why: &Illegal) -> String {
        match why {
            Illegal::NotAsked => "it is not your turn".to_owned(),
            Illegal::Cells(bad) => words::cells(bad),
            Illegal::TooExpensive { patch, cost, buttons } => format!("{patch} {}", price(*cost, *buttons)),
            Illegal::NoCells => "the patch is not placed anywhere: place it, or advance".to_owned(),
            Illegal::NotThePatch(patch) => format!("this is not patch {patch}, however it is turned"),
            Illegal::LeatherFirst => "you took a leather patch, which must be placed first".to_owned(),
            Illegal::NoLeather => "there is no leather patch to place: buy a patch, or advance".to_owned(),
            // Their messages name patches, which players know.
            Illegal::NoSuchPatch(_) | Illegal::NotOffered { .. } => why.to_string(),
        }
    }
}

fn price(cost: u16, owned: u16) -> String {
    format!("costs {}, you have {owned}", buttons(cost))
}

fn buttons(number: u16) -> String {
    format!("{number} button{}", if number == 1 { "" } else { "s" })
}

/// Returns the patch and the cells that an action places.
fn laid(action: &Action) -> Option<(Option<PatchId>, Bitboard)> {
    match *action {
        Action::Advance => None,
        Action::Buy { patch, cells } => Some((Some(patch), cells)),
        Action::Leather(cell) => Some((None, Bitboard::from_iter([cell]))),
    }
}

/// Returns the shape in the orientation of the list of patches.
fn printed(game: &Patchwork, id: PatchId) -> Bitboard {
    let priced = game.table().patch(id);
    let listed = Patchwork::setup(game.equipment()).patches.iter().flatten();
    let text = listed.into_iter().find(|text| text.id == priced.name.as_str());
    text.and_then(|text| text.cells.cells().ok()).unwrap_or_else(|| priced.shape.whole().shapes()[0].cells())
}

fn single() -> Bitboard {
    Bitboard::from_iter(Cell::from_index(0))
}
