//! The rules that a move can break, in short words that programs can compare.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::shapes::cells::{BadCells, Pair, write_cells};

/// The closed list of rules that a move can break, for both games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The seat has no decision to make.
    NotAsked,
    /// An id that no card or patch has.
    Unknown,
    /// A cell that the board does not have.
    Outside,
    /// A cell that the move names twice.
    Twice,
    /// A cell that is covered already.
    Overlap,
    /// A card or patch that is not on offer.
    Offer,
    /// A card or patch without cells.
    Empty,
    /// Cells that are not the patch, nor, in doodle, a piece of it.
    Shape,
    /// Doodle: nothing drawn in the start turn.
    StartPass,
    /// Doodle: a special action in the start turn.
    StartSpecial,
    /// Doodle: more than two single cells.
    Singles,
    /// Doodle: special actions that the sheet does not have.
    Actions,
    /// Patchwork: a patch that costs more buttons than the seat has.
    Price,
    /// Patchwork: a turn's move where a leather patch must be placed.
    LeatherFirst,
    /// Patchwork: a leather patch where there is none to place.
    NoLeather,
}

impl Rule {
    /// All rules, in the order of the documents.
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

    /// The word in answers and documents.
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

/// Why a game refuses a move: a text for people, and the rule and the cells for programs.
pub trait Refusal: Error + Clone + PartialEq {
    /// The rule that is broken; where several are, the one that was looked at first.
    fn rule(&self) -> Rule;

    /// The cells that break it; none where it is not about single cells. A cell outside the board
    /// or named twice is the first such cell of the move, covered cells are all there are.
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
