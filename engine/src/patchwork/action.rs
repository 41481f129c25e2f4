//! One move: its check, its wire form, and the reasons why it is refused.

use crate::patchwork::equipment::{Equipment, PatchId};
use crate::patchwork::state::State;
use crate::patchwork::table::Table;
use crate::patchwork::turn::{Action, Phase};
use crate::patchwork::view::WireMove;
use crate::rule::{Refusal, Rule};
use crate::shapes::bitboard::Bitboard;
use crate::shapes::cells::{BadCells, Pair, check_free, read_cell, read_cells, write_cell, write_cells};
use crate::wire::name::CardName;
use crate::wire::scan::Scan;

/// The reason why a move is refused.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Action, Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let mut game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// use engine::bitboard::Cell;
/// use engine::patchwork::Illegal;
///
/// let leather = Action::Leather(Cell::new(4, 4).unwrap());
/// assert_eq!(game.play(0, &leather), Err(Illegal::NoLeather));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The seat owes no action.
    #[error("this seat has no decision to make now")]
    NotAsked,
    /// A cell is outside the board, named twice, or already covered.
    #[error(transparent)]
    Cells(#[from] BadCells),
    /// No patch has this id.
    #[error("there is no patch {0:?} in this match")]
    NoSuchPatch(String),
    /// The patch is not one of the next three.
    #[error("{patch} cannot be bought: {}", offered(offer))]
    NotOffered {
        /// The patch.
        patch: CardName,
        /// The patches on offer, whether the seat can pay for them or not.
        offer: Vec<CardName>,
    },
    /// The patch costs more buttons than the seat has.
    #[error("{patch} costs {cost} buttons, this seat has {buttons}")]
    TooExpensive {
        /// The patch.
        patch: CardName,
        /// The cost, in buttons.
        cost: u16,
        /// The buttons of the seat.
        buttons: u16,
    },
    /// A purchase has no cells.
    #[error("\"cells\" is empty: a patch is placed when it is bought; to buy none send {{\"advance\":true}}")]
    NoCells,
    /// The cells have another shape.
    #[error("cells are not patch {0} in any orientation")]
    NotThePatch(CardName),
    /// The seat must place a leather patch first.
    #[error("a leather patch was taken and must be placed first: send {{\"leather\":[row,col]}}")]
    LeatherFirst,
    /// The seat has no leather patch to place.
    #[error("there is no leather patch to place: buy a patch or send {{\"advance\":true}}")]
    NoLeather,
}

impl Refusal for Illegal {
    fn rule(&self) -> Rule {
        match self {
            Illegal::NotAsked => Rule::NotAsked,
            Illegal::Cells(bad) => bad.rule(),
            Illegal::NoSuchPatch(_) => Rule::Unknown,
            Illegal::NotOffered { .. } => Rule::Offer,
            Illegal::TooExpensive { .. } => Rule::Price,
            Illegal::NoCells => Rule::Empty,
            Illegal::NotThePatch(_) => Rule::Shape,
            Illegal::LeatherFirst => Rule::LeatherFirst,
            Illegal::NoLeather => Rule::NoLeather,
        }
    }

    fn cells(&self) -> Vec<Pair> {
        match self {
            Illegal::Cells(bad) => bad.cells(),
            _ => Vec::new(),
        }
    }
}

/// The patches on offer, in words.
fn offered(offer: &[CardName]) -> String {
    let names: Vec<&str> = offer.iter().map(CardName::as_str).collect();
    match names.as_slice() {
        [] => "the circle is empty".to_owned(),
        [one] => format!("only {one} is left in the circle"),
        [one, other] => format!("only {one} and {other} are left in the circle"),
        names => format!("only the first three patches of the circle can be bought: {}", names.join(", ")),
    }
}

impl State {
    /// Checks an action of the seat to move.
    ///
    /// # Errors
    /// [`Illegal`] with the broken rule.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Action, Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// use engine::bitboard::Bitboard;
    /// use engine::rule::{Refusal, Rule};
    ///
    /// let (table, state) = (game.table(), game.state());
    /// assert_eq!(state.check(table, &Action::Advance), Ok(()));
    /// let fourth = state.circle(table).nth(3).unwrap();
    /// let buy = Action::Buy { patch: fourth, cells: Bitboard::rectangle(1, 1) };
    /// assert_eq!(state.check(table, &buy).unwrap_err().rule(), Rule::Offer);
    /// ```
    pub fn check(&self, table: &Table, action: &Action) -> Result<(), Illegal> {
        if self.is_over(table) {
            return Err(Illegal::NotAsked);
        }
        match (self.phase(), *action) {
            (Phase::Turn, Action::Advance) => Ok(()),
            (Phase::Turn, Action::Buy { patch, cells }) => self.check_buy(table, patch, cells),
            (Phase::Turn, Action::Leather(_)) => Err(Illegal::NoLeather),
            (Phase::Leather, Action::Leather(cell)) => {
                Ok(check_free(Bitboard::from_iter([cell]), self.mover().board)?)
            }
            (Phase::Leather, _) => Err(Illegal::LeatherFirst),
        }
    }

    fn check_buy(&self, table: &Table, id: PatchId, cells: Bitboard) -> Result<(), Illegal> {
        let priced = table.patch(id);
        let (patch, cost, buttons) = (priced.name, priced.buttons, self.mover().buttons);
        if !self.offer(table).any(|offered| offered == id) {
            let offer = self.offer(table).map(|id| table.patch(id).name).collect();
            return Err(Illegal::NotOffered { patch, offer });
        }
        if cost > buttons {
            return Err(Illegal::TooExpensive { patch, cost, buttons });
        }
        if cells.is_empty() {
            return Err(Illegal::NoCells);
        }
        check_free(cells, self.mover().board)?;
        match priced.shape.cuts_needed(cells) {
            Some(0) => Ok(()),
            _ => Err(Illegal::NotThePatch(patch)),
        }
    }
}

/// Parses a move in its usual spelling; see [`Game::read_usual`](crate::game::Game::read_usual).
pub(super) fn read_usual(equipment: &Equipment, scan: &mut Scan<'_>) -> Option<Action> {
    scan.token("{")?;
    let action = if scan.field(r#""buy""#).is_some() {
        let patch = equipment.find(scan.id()?)?;
        scan.token(",")?;
        scan.field(r#""cells""#)?;
        Action::Buy { patch, cells: scan.cells()? }
    } else if scan.field(r#""leather""#).is_some() {
        Action::Leather(scan.cell()?)
    } else {
        scan.field(r#""advance""#)?;
        scan.token("true")?;
        Action::Advance
    };
    scan.token("}")?;
    Some(action)
}

/// Converts a move from its wire form.
pub(super) fn read(equipment: &Equipment, wire_move: &WireMove) -> Result<Action, Illegal> {
    Ok(match wire_move {
        WireMove::Advance => Action::Advance,
        WireMove::Leather(pair) => Action::Leather(read_cell(*pair)?),
        WireMove::Buy(patch, cells) => {
            let unknown = || Illegal::NoSuchPatch(patch.chars().take(40).collect());
            Action::Buy { patch: equipment.find(patch).ok_or_else(unknown)?, cells: read_cells(cells)? }
        }
    })
}

/// Converts a move to its wire form, with cells row by row.
pub(super) fn write(equipment: &Equipment, action: &Action) -> WireMove {
    match action {
        Action::Advance => WireMove::Advance,
        Action::Leather(cell) => WireMove::Leather(write_cell(*cell)),
        Action::Buy { patch, cells } => {
            WireMove::Buy(equipment.name(*patch).as_str().to_owned(), write_cells(*cells))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::shapes::bitboard::Cell;

    use super::super::scene::{ADVANCE, Scene, names, play, plays};
    use super::*;
    use crate::game::Game;

    #[test]
    fn refusals_say_what_is_wrong_with_figures_and_change_nothing() {
        let scene = Scene::at([2, 3]).with(|seen| {
            seen.circle = names(&["W03", "W09", "W19", "W05", "W12"]);
            seen.players[0].board = Bitboard::from_iter(Cell::new(3, 4));
        });
        let mut game = scene.asks(0);
        for (wire_move, text) in [
            (
                r#"{"buy":"W05","cells":[[0,0],[0,1],[0,2],[1,1]]}"#,
                "W05 cannot be bought: only the first three patches of the circle can be bought: W03, W09, W19",
            ),
            (r#"{"buy":"W19","cells":[[0,0]]}"#, "W19 costs 10 buttons, this seat has 5"),
            (r#"{"buy":"W77","cells":[[0,0]]}"#, "there is no patch \"W77\" in this match"),
            (r#"{"buy":"W03","cells":[[0,0],[0,1],[1,0]]}"#, "cells are not patch W03 in any orientation"),
            (r#"{"buy":"W03","cells":[[0,0],[0,1]]}"#, "cells are not patch W03 in any orientation"),
            (r#"{"buy":"W03","cells":[[3,4],[3,5],[3,6]]}"#, "cell [3,4] is already covered"),
            (
                r#"{"buy":"W03","cells":[[8,7],[8,8],[8,9]]}"#,
                "cell [8,9] is outside the board: rows and columns are 0 to 8",
            ),
            (
                r#"{"buy":"W03","cells":[[-1,7],[0,7],[1,7]]}"#,
                "cell [-1,7] is outside the board: rows and columns are 0 to 8",
            ),
            (r#"{"buy":"W03","cells":[[0,0],[0,1],[0,0]]}"#, "cell [0,0] is listed twice"),
            (
                r#"{"buy":"W03","cells":[]}"#,
                "\"cells\" is empty: a patch is placed when it is bought; to buy none send {\"advance\":true}",
            ),
            (
                r#"{"leather":[0,0]}"#,
                "there is no leather patch to place: buy a patch or send {\"advance\":true}",
            ),
        ] {
            assert_eq!(play(&mut game, wire_move).unwrap_err().to_string(), text);
            assert_eq!((game.observe(0), game.decision()), (scene.seen.clone(), 0));
        }
        let mut game = Scene::at([18, 19]).asks(0);
        plays(&mut game, ADVANCE);
        let text = "a leather patch was taken and must be placed first: send {\"leather\":[row,col]}";
        assert_eq!(play(&mut game, ADVANCE).unwrap_err().to_string(), text);
        for (circle, text) in [
            (&["W02"][..], "only W02 is left in the circle"),
            (&["W02", "W03"], "only W02 and W03 are left in the circle"),
            (&[], "the circle is empty"),
        ] {
            let mut game = Scene::at([2, 3]).with(|seen| seen.circle = names(circle)).asks(0);
            let error = play(&mut game, r#"{"buy":"W05","cells":[[0,0]]}"#).unwrap_err().to_string();
            assert_eq!(error, format!("W05 cannot be bought: {text}"));
        }
    }
}
