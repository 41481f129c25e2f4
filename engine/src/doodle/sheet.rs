//! One player's sheet: the board, the special actions left, the round scores.

use serde::{Deserialize, Serialize};

use crate::doodle::action::Action;
use crate::doodle::score::{Rectangle, best_rectangle};
use crate::shapes::bitboard::Bitboard;

/// Rounds of a match; each ends with a scoring.
pub const ROUNDS: usize = 3;

/// The special actions printed on a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Special {
    /// Draws the card left or right of the token's card instead of that card.
    Neighbor,
    /// Shades one empty cell.
    Single,
    /// Cuts the patch; the seat draws one of the two pieces.
    Cut,
    /// Allows one of the other actions a second time.
    Repeat,
}

impl Special {
    /// All four special actions, in the order of the sheet.
    pub const ALL: [Special; 4] = [Special::Neighbor, Special::Single, Special::Cut, Special::Repeat];

    /// The name on the wire: `neighbor`, `single`, `cut`, or `repeat`.
    pub fn as_str(self) -> &'static str {
        match self {
            Special::Neighbor => "neighbor",
            Special::Single => "single",
            Special::Cut => "cut",
            Special::Repeat => "repeat",
        }
    }
}

/// A set of special actions. On the wire it is a list in the order of the sheet.
///
/// # Examples
/// ```
/// use engine::doodle::{Special, Specials};
///
/// let left: Specials = serde_json::from_str(r#"["cut","neighbor"]"#)?;
/// assert!(left.has(Special::Cut) && !left.has(Special::Repeat));
/// assert!(left.iter().eq([Special::Neighbor, Special::Cut]));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Special>", into = "Vec<Special>")]
pub struct Specials(u8);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Specials {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Specials".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Special actions, in the order of the sheet.",
            "type": "array",
            "items": generator.subschema_for::<Special>(),
            "maxItems": Special::ALL.len(),
            "uniqueItems": true,
        })
    }
}

/// Number of uses of each special action in a move, with repetitions.
///
/// # Examples
/// ```
/// use engine::doodle::{Specials, Uses};
///
/// let uses = Uses { singles: 1, ..Uses::default() };
/// assert_eq!(Specials::ALL.after(uses).map(Specials::len), Some(3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// True if the card is a neighbor of the token's card.
    pub neighbor: bool,
    /// Number of single cells, 0 to 2.
    pub singles: u8,
    /// Number of cuts, 0 to 2.
    pub cuts: u8,
}

impl Specials {
    /// All four special actions, as at the beginning of a match.
    pub const ALL: Specials = Specials(0b1111);
    /// No special action: the empty set.
    pub const NONE: Specials = Specials(0);

    /// Returns true if `special` is in the set.
    pub const fn has(self, special: Special) -> bool {
        self.0 >> special as u8 & 1 == 1
    }

    /// Number of special actions in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns true if the set has no special action.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The special actions in the set, in the order of the sheet.
    pub fn iter(self) -> impl Iterator<Item = Special> {
        Special::ALL.into_iter().filter(move |&special| self.has(special))
    }

    /// The actions left after `uses`; `None` if the sheet does not have the actions. A use beyond
    /// the action's own field takes the repetition, and the sheet has only one.
    ///
    /// # Examples
    /// ```
    /// use engine::doodle::{Special, Specials, Uses};
    ///
    /// let two_singles = Uses { singles: 2, ..Uses::default() };
    /// let left = Specials::ALL.after(two_singles).expect("the second one is the repetition");
    /// assert!(left.iter().eq([Special::Neighbor, Special::Cut]));
    /// assert_eq!(left.after(two_singles), None);
    /// ```
    pub fn after(self, uses: Uses) -> Option<Specials> {
        let wanted = [
            (Special::Neighbor, u8::from(uses.neighbor)),
            (Special::Single, uses.singles),
            (Special::Cut, uses.cuts),
        ];
        let (mut left, mut repeats) = (self, 0);
        for (special, times) in wanted.into_iter().filter(|&(_, times)| times > 0) {
            repeats += times - u8::from(self.has(special));
            left.remove(special);
        }
        if repeats > u8::from(self.has(Special::Repeat)) {
            return None;
        }
        if repeats == 1 {
            left.remove(Special::Repeat);
        }
        Some(left)
    }

    /// The most single cells that the seat can combine with these actions; `None` if it cannot afford
    /// the actions themselves.
    pub fn singles_max(self, neighbor: bool, cuts: u8) -> Option<u8> {
        (0..=2).rev().find(|&singles| self.after(Uses { neighbor, singles, cuts }).is_some())
    }

    /// The special actions of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Specials) -> Specials {
        Specials(self.0 & !other.0)
    }

    fn remove(&mut self, special: Special) {
        self.0 &= !(1 << special as u8);
    }
}

impl From<Vec<Special>> for Specials {
    fn from(list: Vec<Special>) -> Specials {
        Specials(list.into_iter().fold(0, |set, special| set | 1 << special as u8))
    }
}

impl From<Specials> for Vec<Special> {
    fn from(set: Specials) -> Vec<Special> {
        set.iter().collect()
    }
}

/// One player's sheet.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::doodle::Sheet;
///
/// let sheet = Sheet { board: Bitboard::rectangle(9, 8), rounds: [4, 25, 65], ..Sheet::NEW };
/// assert_eq!(sheet.score(), 4 + 25 + 65 - 9); // nine cells are empty
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The shaded cells.
    pub board: Bitboard,
    /// The special actions left.
    pub specials: Specials,
    /// Points of each round; 0 for future rounds.
    pub rounds: [u8; ROUNDS],
}

impl Sheet {
    /// The sheet before the start patch: an empty board, all special actions, and no points.
    pub const NEW: Sheet = Sheet { board: Bitboard::EMPTY, specials: Specials::ALL, rounds: [0; ROUNDS] };

    /// The sheet after a legal action that takes the special actions `uses`.
    pub(super) fn after(mut self, action: &Action, uses: Uses) -> Sheet {
        self.board |= action.singles;
        if let Some(draw) = action.draw {
            self.board |= draw.cells;
        }
        self.specials = self.specials.after(uses).unwrap_or(Specials::NONE);
        self
    }

    /// The rectangle that a scoring would count now; `None` on an empty board.
    pub fn best_rectangle(&self) -> Option<Rectangle> {
        best_rectangle(self.board)
    }

    /// The points of a scoring now; 0 for an empty board.
    pub fn round_points(&self) -> u8 {
        self.best_rectangle().map_or(0, Rectangle::points)
    }

    /// Scores a round, from 0, with the current board.
    pub(super) fn score_round(&mut self, round: usize) {
        self.rounds[round] = self.round_points();
    }

    /// The score if the match ended now: the points of the rounds minus the number of empty cells.
    pub fn score(&self) -> i32 {
        let rounds: i32 = self.rounds.iter().map(|&points| i32::from(points)).sum();
        rounds - (!self.board).len() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(list: &[Special]) -> Specials {
        Specials::from(list.to_vec())
    }

    #[test]
    fn repetition_covers_one_use_too_many() {
        use Special::{Cut, Neighbor, Repeat, Single};
        let uses = |neighbor, singles, cuts| Uses { neighbor, singles, cuts };
        assert_eq!(Specials::ALL.after(uses(true, 1, 1)), Some(set(&[Repeat])));
        assert_eq!(Specials::ALL.after(uses(true, 2, 1)), Some(Specials::NONE));
        assert_eq!(Specials::ALL.after(uses(false, 2, 2)), None);
        assert_eq!(Specials::ALL.after(uses(false, 0, 2)), Some(set(&[Neighbor, Single])));
        assert_eq!(set(&[Repeat]).after(uses(true, 0, 0)), Some(Specials::NONE));
        assert_eq!(set(&[Cut]).after(uses(false, 1, 0)), None);
        assert_eq!(Specials::ALL.after(Uses::default()), Some(Specials::ALL));
        assert_eq!(set(&[Single]).singles_max(false, 0), Some(1));
        assert_eq!(set(&[Single, Repeat]).singles_max(true, 0), Some(1));
        assert_eq!(set(&[Single]).singles_max(true, 0), None);
    }

    #[test]
    fn the_french_rulebooks_sample_sheet_scores_105() {
        let mut board = Bitboard::FULL;
        for index in [0, 10, 20, 30, 40, 50] {
            board = board - Bitboard::from_iter(crate::shapes::bitboard::Cell::from_index(index));
        }
        let sheet = Sheet { board, specials: Specials::NONE, rounds: [25, 36, 50] };
        assert_eq!(sheet.score(), 105);
    }
}
