//! The reasons why a move is refused, in words for the author of a bot.

use crate::doodle::sheet::{Special, Specials, Uses};
use crate::rule::{Refusal, Rule};
use crate::shapes::cells::{BadCells, Pair};

/// The reason why a move is refused.
///
/// # Examples
/// ```
/// # use engine::{doodle::{Doodle, Equipment}, game::Game};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
/// use engine::bitboard::Bitboard;
/// use engine::doodle::Action;
/// use engine::rule::{Refusal, Rule};
///
/// let pass = Action { draw: None, singles: Bitboard::EMPTY };
/// let mut game = game;
/// assert_eq!(game.play(0, &pass).unwrap_err().rule(), Rule::StartPass);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The seat owes no action.
    #[error("this seat has no decision to make now")]
    NotAsked,
    /// A cell is outside the board, named twice, or already covered.
    #[error(transparent)]
    Cells(#[from] BadCells),
    /// No card has this id.
    #[error("there is no card {0:?} in this match")]
    NoSuchCard(String),
    /// The seat cannot draw the card in this turn.
    #[error("card {card} is not on offer: this turn has {offered}")]
    NotOffered {
        /// The card.
        card: String,
        /// The cards that it can draw.
        offered: String,
    },
    /// A drawing has no cells.
    #[error("\"cells\" is empty: to draw nothing send {{\"pass\":true}}")]
    NoCells,
    /// The cells have another shape.
    #[error("cells are not patch {0} in any orientation, nor a piece that one cut of it, or two, can leave")]
    NotThePatch(String),
    /// The seat draws nothing in the start turn.
    #[error("the start patch must be drawn, passing is not allowed: draw {0}")]
    StartPass(String),
    /// The move uses a special action in the start turn.
    #[error("special actions cannot be used on the start patch: draw all of it and nothing else")]
    StartSpecial,
    /// The move has more than two single cells.
    #[error("{0} single cells: at most 2 can be shaded in one move")]
    Singles(u32),
    /// The move takes more special actions than the sheet has.
    #[error("this takes {}, and the sheet has {} left", described(*uses), listed(*left))]
    Unaffordable {
        /// The special actions of the move.
        uses: Uses,
        /// The special actions left on the sheet.
        left: Specials,
    },
}

impl Refusal for Illegal {
    fn rule(&self) -> Rule {
        match self {
            Illegal::NotAsked => Rule::NotAsked,
            Illegal::Cells(bad) => bad.rule(),
            Illegal::NoSuchCard(_) => Rule::Unknown,
            Illegal::NotOffered { .. } => Rule::Offer,
            Illegal::NoCells => Rule::Empty,
            Illegal::NotThePatch(_) => Rule::Shape,
            Illegal::StartPass(_) => Rule::StartPass,
            Illegal::StartSpecial => Rule::StartSpecial,
            Illegal::Singles(_) => Rule::Singles,
            Illegal::Unaffordable { .. } => Rule::Actions,
        }
    }

    fn cells(&self) -> Vec<Pair> {
        match self {
            Illegal::Cells(bad) => bad.cells(),
            _ => Vec::new(),
        }
    }
}

/// Describes special actions in words, such as `neighbor, 2 cuts`.
fn described(uses: Uses) -> String {
    let times = |count: u8, word: &str| match count {
        0 => None,
        1 => Some(word.to_owned()),
        _ => Some(format!("{count} {word}s")),
    };
    let parts =
        [times(uses.neighbor.into(), "neighbor"), times(uses.singles, "single"), times(uses.cuts, "cut")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn listed(specials: Specials) -> String {
    let word = |special| match special {
        Special::Neighbor => "neighbor",
        Special::Single => "single",
        Special::Cut => "cut",
        Special::Repeat => "repeat",
    };
    match specials.is_empty() {
        true => "no special action".to_owned(),
        false => specials.iter().map(word).collect::<Vec<_>>().join(", "),
    }
}
