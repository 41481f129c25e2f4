//! The rules that a move can break, as short names that programs can compare.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::shapes::cells::{BadCells, Pair, write_cells};

/// The closed list of rules that a move can break, for both games.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Action, Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let mut game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// use engine::rule::{Refusal, Rule};
///
/// let refused = game.play(1, &Action::Advance).unwrap_err();
/// assert_eq!(refused.rule(), Rule::NotAsked);
/// assert_eq!(serde_json::to_string(&Rule::NotAsked)?, r#""not_asked""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The seat owes no action.
    NotAsked,
    /// The move names an id that no card or patch has.
    Unknown,
    /// A cell is outside the board.
    Outside,
    /// The move names a cell twice.
    Twice,
    /// A cell is already covered.
    Overlap,
    /// The card or patch is not on offer.
    Offer,
    /// The move names a card or patch without cells.
    Empty,
    /// The cells are not the patch. In doodle, they are not a piece of it either.
    Shape,
    /// Doodle: the seat draws nothing in the start turn.
    StartPass,
    /// Doodle: the move uses a special action in the start turn.
    StartSpecial,
    /// Doodle: the move has more than two single cells.
    Singles,
    /// Doodle: the move takes special actions that the sheet does not have.
    Actions,
    /// Patchwork: the patch costs more buttons than the seat has.
    Price,
    /// Patchwork: the seat must place a leather patch first.
    LeatherFirst,
    /// Patchwork: the seat has no leather patch to place.
    NoLeather,
}

impl Rule {
    /// All rules, in the order of the table in the documents.
    pub const ALL: [Rule; 15] = [
        Rule::NotAsked,
        Rule::Unknown,
        Rule::Outside,
        Rule::Twice,
        Rule::Overlap,
        Rule::Offer,
        Rule::Empty,
        Rule::Shape,
        Rule::StartPass,
        Rule::StartSpecial,
        Rule::Singles,
        Rule::Actions,
        Rule::Price,
        Rule::LeatherFirst,
        Rule::NoLeather,
    ];

    /// The name in answers and documents, such as `leather_first`.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::NotAsked => "not_asked",
            Rule::Unknown => "unknown",
            Rule::Outside => "outside",
            Rule::Twice => "twice",
            Rule::Overlap => "overlap",
            Rule::Offer => "offer",
            Rule::Empty => "empty",
            Rule::Shape => "shape",
            Rule::StartPass => "start_pass",
            Rule::StartSpecial => "start_special",
            Rule::Singles => "singles",
            Rule::Actions => "actions",
            Rule::Price => "price",
            Rule::LeatherFirst => "leather_first",
            Rule::NoLeather => "no_leather",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The reason why a game refuses a move: a text for people, the rule and the cells for programs.
///
/// # Examples
/// ```
/// use engine::cells::read_cells;
/// use engine::rule::{Refusal, Rule};
///
/// let refused = read_cells(&[[0, 0], [0, 9], [0, 10]]).unwrap_err();
/// assert_eq!((refused.rule(), refused.cells()), (Rule::Outside, vec![[0, 9]]));
/// assert_eq!(refused.to_string(), "cell [0,9] is outside the board: rows and columns are 0 to 8");
/// ```
pub trait Refusal: Error + Clone + PartialEq {
    /// The broken rule. If the move breaks several rules, this is the first one checked.
    fn rule(&self) -> Rule;

    /// The cells that break the rule; empty if the rule is not about particular cells. For a cell outside
    /// the board or named twice, this is the first such cell of the move. For covered cells, it is all
    /// of them.
    fn cells(&self) -> Vec<Pair>;
}

impl Refusal for BadCells {
    fn rule(&self) -> Rule {
        match self {
            BadCells::Outside(..) => Rule::Outside,
            BadCells::Twice(_) => Rule::Twice,
            BadCells::Covered(_) => Rule::Overlap,
        }
    }

    fn cells(&self) -> Vec<Pair> {
        match *self {
            BadCells::Outside(row, col) => vec![[row, col]],
            BadCells::Twice(cell) => write_cells([cell].into_iter().collect()),
            BadCells::Covered(cells) => write_cells(cells),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn every_rule_has_one_word() {
        for (place, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule as usize, place);
            assert_eq!(serde_json::to_value(rule).expect("a word"), rule.as_str());
        }
    }
}
