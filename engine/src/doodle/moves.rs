//! The legal moves of one seat in one turn, and the reasons why other moves are illegal.

use crate::doodle::action::{Action, Draw};
use crate::doodle::cards::{CardId, Equipment};
use crate::doodle::deal::Phase;
use crate::doodle::illegal::Illegal;
use crate::doodle::sheet::{Sheet, Specials, Uses};
use crate::doodle::view::WireMove;
use crate::shapes::bitboard::{Bitboard, Cell};
use crate::shapes::cells::{BadCells, check_free, read_cells, write_cells};
use crate::shapes::patch::{CUTS_MAX, Patch, Placements};
use crate::wire::scan::Scan;

/// The most single cells in a move: the action itself and its repetition.
const SINGLES_MAX: u32 = 2;

/// A legal [`Draw`] with its special actions.
///
/// # Examples
/// ```
/// # use engine::{doodle::{Doodle, Equipment}, game::Game};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
/// let moves = game.moves(0).expect("the seat owes an action");
/// let drawing = moves.drawings().next().expect("a start patch fits the empty sheet");
/// assert_eq!((drawing.neighbor, drawing.cuts), (false, 0));
/// assert_eq!(drawing.draw.card, game.table(0).timeline.starts[0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The card and the cells.
    pub draw: Draw,
    /// True if the card is a neighbor of the token's card.
    pub neighbor: bool,
    /// The fewest cuts that leave this piece.
    pub cuts: u8,
}

impl Drawing {
    /// The special actions that a move takes with this drawing and `singles` single cells.
    pub fn uses(&self, singles: u8) -> Uses {
        Uses { neighbor: self.neighbor, singles, cuts: self.cuts }
    }
}

/// A card that may be drawn in a turn.
///
/// # Examples
/// ```
/// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
/// // In turn 1 the token's card is free, and its two neighbors take an action.
/// let moves = State { turn: 1, ..State::NEW }.moves(game.table(0)).unwrap();
/// assert!(moves.offers().map(|offer| offer.neighbor).eq([false, true, true]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The card.
    pub card: CardId,
    /// True if the drawing takes the neighbor action.
    pub neighbor: bool,
}

/// One seat's turn: its sheet and the cards it may draw.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use engine::doodle::{Doodle, Equipment};
/// use engine::game::Game;
///
/// let equipment = Arc::new(Equipment::standard());
/// let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7)?)?;
/// let moves = game.moves(0).expect("the seat owes an action");
/// assert!(!moves.may_pass()); // the start patch must be drawn
/// assert_eq!(moves.offers().count(), 1);
/// assert!(moves.iter().all(|action| moves.check(&action).is_ok()));
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a> {
    equipment: &'a Equipment,
    sheet: Sheet,
    phase: Phase,
    offers: [Option<Offer>; 3],
}

impl<'a> Moves<'a> {
    /// A turn with at most three cards in `offer`, which need no special action. In a draw turn, the
    /// first card of `circle` is the token's card, and the seat may also draw its two neighbors.
    pub(super) fn new(
        equipment: &'a Equipment,
        sheet: Sheet,
        phase: Phase,
        offer: &[CardId],
        circle: &[CardId],
    ) -> Moves<'a> {
        let beside = if phase == Phase::Draw { neighbors(circle) } else { [None, None] };
        let neighbors = beside.into_iter().flatten().map(|card| Offer { card, neighbor: true });
        let free = offer.iter().map(|&card| Offer { card, neighbor: false });
        let mut listed = free.chain(neighbors);
        Moves { equipment, sheet, phase, offers: std::array::from_fn(|_| listed.next()) }
    }

    /// The cards that the seat may draw, without and with the special action `neighbor`.
    pub fn offers(&self) -> impl Iterator<Item = Offer> + use<> {
        self.offers.into_iter().flatten()
    }

    /// Returns true if the seat may pass: in every turn except the start patch.
    pub fn may_pass(&self) -> bool {
        self.phase != Phase::Start
    }

    /// The cells that are not shaded.
    #[inline(always)]
    pub fn free(&self) -> Bitboard {
        !self.sheet.board
    }

    /// The patch on a card.
    pub(super) fn patch(&self, card: CardId) -> &'a Patch {
        self.equipment.patch(card)
    }

    /// Returns true if the seat has the special actions for a drawing of this card with so many cuts.
    pub(super) fn affords(&self, offer: Offer, cuts: u8) -> bool {
        self.specials().singles_max(offer.neighbor, cuts).is_some()
    }

    /// The special actions that this turn allows.
    fn specials(&self) -> Specials {
        if self.may_pass() { self.sheet.specials } else { Specials::NONE }
    }

    /// Every distinct legal drawing: each card on offer, whole or cut, in each place. All drawings of a
    /// card are consecutive, and the whole patch comes before its pieces.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let moves = State { turn: 1, ..State::NEW }.moves(game.table(0)).unwrap();
    /// let first = moves.drawings().next().unwrap();
    /// assert_eq!((first.neighbor, first.cuts), (false, 0)); // the token's card, whole
    /// assert!(moves.drawings().any(|drawing| drawing.neighbor && drawing.cuts == 2));
    /// ```
    pub fn drawings(&self) -> impl Iterator<Item = Drawing> + use<'a> {
        self.sets().flat_map(|(Offer { card, neighbor }, cuts, places)| {
            places.iter().map(move |cells| Drawing { draw: Draw { card, cells }, neighbor, cuts })
        })
    }

    /// The legal drawings as sets: the card, its number of cuts, and the placements of up to eight
    /// shapes at a time. The order is the same as in [`drawings`](Self::drawings).
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let moves = State { turn: 1, ..State::NEW }.moves(game.table(0)).unwrap();
    /// let count: u32 = moves.sets().map(|(_, _, places)| places.count()).sum();
    /// assert_eq!(count, moves.drawing_count());
    /// ```
    pub fn sets(&self) -> impl Iterator<Item = (Offer, u8, Placements<'a>)> + use<'a> {
        let moves = *self;
        let ways = self.ways();
        ways.flat_map(move |(offer, cuts)| {
            moves.places(offer.card, cuts).map(move |places| (offer, cuts, places))
        })
    }

    /// Each card on offer with each number of cuts that the seat has. All entries of a card are
    /// consecutive, with fewer cuts first.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let moves = State { turn: 1, ..State::NEW }.moves(game.table(0)).unwrap();
    /// // Three cards, each whole, after one cut, and after two.
    /// assert_eq!(moves.ways().count(), 9);
    /// assert_eq!(moves.ways().map(|(_, cuts)| cuts).max(), Some(2));
    /// ```
    pub fn ways(&self) -> impl Iterator<Item = (Offer, u8)> + use<> {
        let specials = self.specials();
        self.offers().flat_map(move |offer| {
            let affordable = move |&cuts: &u8| specials.singles_max(offer.neighbor, cuts).is_some();
            (0..=CUTS_MAX as u8).filter(affordable).map(move |cuts| (offer, cuts))
        })
    }

    /// The placements of the pieces that `cuts` cuts of a card's patch leave, up to eight shapes at a
    /// time.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let moves = game.moves(0).unwrap();
    /// let card = moves.offers().next().unwrap().card;
    /// let count: u32 = moves.places(card, 0).map(|places| places.count()).sum();
    /// assert_eq!(count, moves.drawing_count()); // no cuts in the start turn
    /// ```
    pub fn places(&self, card: CardId, cuts: u8) -> impl Iterator<Item = Placements<'a>> + use<'a> {
        let free = !self.sheet.board;
        let groups = self.equipment.patch(card).after_cuts(cuts.into());
        groups.iter().map(move |group| Placements::new(group, free))
    }

    /// Number of [`drawings`](Self::drawings).
    pub fn drawing_count(&self) -> u32 {
        self.sets().map(|(_, _, places)| places.count()).sum()
    }

    /// The drawing at position `number`, from 0, in the order of [`drawings`](Self::drawings).
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let moves = game.moves(0).unwrap();
    /// assert_eq!(moves.nth_drawing(5), moves.drawings().nth(5));
    /// assert_eq!(moves.nth_drawing(moves.drawing_count()), None);
    /// ```
    pub fn nth_drawing(&self, mut number: u32) -> Option<Drawing> {
        for (Offer { card, neighbor }, cuts, places) in self.sets() {
            if let Some(cells) = places.nth(number) {
                return Some(Drawing { draw: Draw { card, cells }, neighbor, cuts });
            }
            number -= places.count();
        }
        None
    }

    /// The most single cells that the seat can combine with `drawing`, or with a pass.
    pub fn singles_max(&self, drawing: Option<&Drawing>) -> u8 {
        let (neighbor, cuts) = drawing.map_or((false, 0), |drawing| (drawing.neighbor, drawing.cuts));
        self.specials().singles_max(neighbor, cuts).unwrap_or(0)
    }

    /// Every distinct legal action.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let moves = game.moves(0).unwrap();
    /// assert!(moves.iter().all(|action| action.draw.is_some() && action.singles.is_empty()));
    /// let later = State { turn: 1, ..State::NEW }.moves(game.table(0)).unwrap();
    /// assert_eq!(later.iter().next().unwrap().draw, None); // a pass comes first
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Action> + use<'a> {
        let pass = self.may_pass().then_some(None);
        let draws = pass.into_iter().chain(self.drawings().map(Some));
        draws.flat_map(move |drawing: Option<Drawing>| {
            let draw = drawing.map(|drawing| drawing.draw);
            let free = !self.sheet.board - draw.map_or(Bitboard::EMPTY, |draw| draw.cells);
            small_subsets(free, self.singles_max(drawing.as_ref()))
                .map(move |singles| Action { draw, singles })
        })
    }

    /// Number of [`iter`](Self::iter), computed without listing the single cells.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// use engine::doodle::{Sheet, Specials};
    ///
    /// let sheet = Sheet { specials: Specials::NONE, ..Sheet::NEW };
    /// let moves = State { sheet, turn: 1 }.moves(game.table(0)).unwrap();
    /// // Without special actions the seat draws the token's card, or passes.
    /// assert_eq!(moves.count(), 1 + u64::from(moves.drawing_count()));
    /// ```
    pub fn count(&self) -> u64 {
        let free = u64::from((!self.sheet.board).len());
        let ways_with = |specials: Option<u8>, drawn: u32| {
            let left = free - u64::from(drawn);
            match specials.unwrap_or(0) {
                0 => 1,
                1 => 1 + left,
                _ => 1 + left + left * left.saturating_sub(1) / 2,
            }
        };
        let singles = |neighbor: bool, cuts: u8| self.specials().singles_max(neighbor, cuts);
        let passes = if self.may_pass() { ways_with(singles(false, 0), 0) } else { 0 };
        let draws = self.sets().flat_map(|(offer, cuts, places)| {
            let singles = singles(offer.neighbor, cuts);
            places.sets().filter(|(_, anchors)| !anchors.is_empty()).map(move |(shape, anchors)| {
                u64::from(anchors.len()) * ways_with(singles, shape.cells().len())
            })
        });
        passes + draws.sum::<u64>()
    }

    /// Checks `action`, and returns the special actions that it takes.
    ///
    /// # Errors
    /// [`Illegal`] with the broken rule.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// use engine::bitboard::Bitboard;
    /// use engine::doodle::{Action, Illegal, Uses};
    ///
    /// let pass = Action { draw: None, singles: Bitboard::EMPTY };
    /// let start = game.moves(0).unwrap();
    /// assert!(matches!(start.check(&pass), Err(Illegal::StartPass(_))));
    /// let later = State { turn: 1, ..State::NEW }.moves(game.table(0)).unwrap();
    /// assert_eq!(later.check(&pass), Ok(Uses::default()));
    /// ```
    pub fn check(&self, action: &Action) -> Result<Uses, Illegal> {
        let singles = action.singles.len();
        let cells = action.draw.map_or(Bitboard::EMPTY, |draw| draw.cells);
        if let Some(cell) = (cells & action.singles).first() {
            return Err(BadCells::Twice(cell).into());
        }
        check_free(cells | action.singles, self.sheet.board)?;
        let (neighbor, cuts) = match &action.draw {
            Some(draw) => self.check_draw(draw)?,
            None if self.may_pass() => (false, 0),
            None => return Err(Illegal::StartPass(self.offered_names())),
        };
        if !self.may_pass() && (singles > 0 || cuts > 0) {
            return Err(Illegal::StartSpecial);
        }
        if singles > SINGLES_MAX {
            return Err(Illegal::Singles(singles));
        }
        let uses = Uses { neighbor, singles: singles as u8, cuts };
        match self.specials().after(uses) {
            Some(_) => Ok(uses),
            None => Err(Illegal::Unaffordable { uses, left: self.sheet.specials }),
        }
    }

    /// Returns true if the card takes the neighbor action, and the fewest cuts that leave these cells.
    fn check_draw(&self, draw: &Draw) -> Result<(bool, u8), Illegal> {
        let name = || self.equipment.name(draw.card).to_string();
        let Some(offer) = self.offers().find(|offer| offer.card == draw.card) else {
            return Err(Illegal::NotOffered { card: name(), offered: self.offered_names() });
        };
        if draw.cells.is_empty() {
            return Err(Illegal::NoCells);
        }
        match self.equipment.patch(draw.card).cuts_needed(draw.cells) {
            Some(cuts) => Ok((offer.neighbor, cuts as u8)),
            None => Err(Illegal::NotThePatch(name())),
        }
    }

    fn offered_names(&self) -> String {
        let name = |offer: Offer| {
            let name = self.equipment.name(offer.card);
            if offer.neighbor { format!("{name} (a neighbor)") } else { name.to_string() }
        };
        self.offers().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The sheet after `action`, which takes the special actions `uses`: those that [`check`](Self::check) returned.
    pub fn applied(&self, action: &Action, uses: Uses) -> Sheet {
        self.sheet.after(action, uses)
    }
}

/// The neighbors of the first card: the next and the last one. A circle of two has only one.
fn neighbors(circle: &[CardId]) -> [Option<CardId>; 2] {
    [circle.get(1), circle.get(2..).and_then(<[CardId]>::last)].map(Option::<&CardId>::copied)
}

/// The subsets of `cells` with at most `size_max` cells; `size_max` is at most 2.
fn small_subsets(cells: Bitboard, size_max: u8) -> impl Iterator<Item = Bitboard> {
    let one = |cell: Cell| Bitboard::from_iter([cell]);
    let singles = cells.iter().filter(move |_| size_max >= 1).map(one);
    let pairs = cells.iter().filter(move |_| size_max >= 2).flat_map(move |first| {
        let later = cells.iter().filter(move |&second| second > first);
        later.map(move |second| one(first) | one(second))
    });
    std::iter::once(Bitboard::EMPTY).chain(singles).chain(pairs)
}

/// Parses a move in its usual spelling; see [`Game::read_usual`](crate::game::Game::read_usual).
pub(super) fn read_usual(equipment: &Equipment, scan: &mut Scan<'_>) -> Option<Action> {
    scan.token("{")?;
    let draw = if scan.field(r#""card""#).is_some() {
        let card = equipment.find(scan.id()?)?;
        scan.token(",")?;
        scan.field(r#""cells""#)?;
        Some(Draw { card, cells: scan.cells()? })
    } else {
        scan.field(r#""pass""#)?;
        scan.token("true")?;
        None
    };
    let mut singles = Bitboard::EMPTY;
    if scan.token(",").is_some() {
        scan.field(r#""singles""#)?;
        singles = scan.cells()?;
    }
    scan.token("}")?;
    Some(Action { draw, singles })
}

/// Converts a move from its wire form.
pub(super) fn read(equipment: &Equipment, wire_move: &WireMove) -> Result<Action, Illegal> {
    let draw = match &wire_move.draw {
        None => None,
        Some((card, cells)) => {
            let known =
                equipment.find(card).ok_or_else(|| Illegal::NoSuchCard(card.chars().take(40).collect()))?;
            Some(Draw { card: known, cells: read_cells(cells)? })
        }
    };
    Ok(Action { draw, singles: read_cells(&wire_move.singles)? })
}

/// Converts a move to its wire form, with cells row by row.
pub(super) fn write(equipment: &Equipment, action: &Action) -> WireMove {
    let draw =
        action.draw.map(|draw| (equipment.name(draw.card).as_str().to_owned(), write_cells(draw.cells)));
    WireMove { draw, singles: write_cells(action.singles) }
}
