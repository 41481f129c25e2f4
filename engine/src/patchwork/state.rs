//! The changing data of a match: a small value that a search copies instead of undoing moves.
//!
//! Patches leave the circle but never change their order. The [`Table`] therefore has the order, and a
//! [`State`] has only the places that still hold a patch and the place of the neutral token.

use crate::game::Seat;
use crate::patchwork::bonus::{BONUS_POINTS, has_7x7};
use crate::patchwork::equipment::PatchId;
use crate::patchwork::table::Table;
use crate::patchwork::track::{spaces, walked};
use crate::patchwork::turn::{Action, Phase};
use crate::shapes::bitboard::{Bitboard, Cell};

/// Number of seats at the table.
pub const SEATS: usize = 2;
/// Buttons of each player at the start.
pub const FIRST_BUTTONS: u16 = 5;
/// Number of patches after the neutral token that are on offer.
pub const OFFER: usize = 3;
/// The points that each empty cell costs at the end.
const EMPTY_CELL_POINTS: i32 = 2;

/// One player's side of a [`State`].
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::patchwork::Player;
///
/// let player = Player { board: Bitboard::rectangle(9, 8), buttons: 20, ..Player::NEW };
/// assert_eq!(player.score(), 20 - 2 * 9); // nine cells are empty
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Player {
    /// The covered cells of the quilt.
    pub board: Bitboard,
    /// Number of buttons.
    pub buttons: u16,
    /// The income of the quilt at each income mark, in buttons.
    pub income: u16,
    /// The space of the time token.
    pub space: u8,
    /// True if the player has the 7x7 tile.
    pub has_bonus: bool,
    /// True if the player was the first on the last space.
    pub was_first: bool,
}

impl Player {
    /// A player at the start: [`FIRST_BUTTONS`] buttons, an empty quilt, the token on space 0.
    pub const NEW: Player = Player {
        board: Bitboard::EMPTY,
        buttons: FIRST_BUTTONS,
        income: 0,
        space: 0,
        has_bonus: false,
        was_first: false,
    };

    /// The score if the match ended now, in points: buttons and tile, minus 2 for each empty cell.
    pub fn score(&self) -> i32 {
        let bonus = if self.has_bonus { BONUS_POINTS } else { 0 };
        let empty = (!self.board).len() as i32;
        i32::from(self.buttons) + bonus - EMPTY_CELL_POINTS * empty
    }
}

/// A match between two decisions, without its constant data. It uses no heap memory, so copies are
/// cheap. Every method with a [`Table`] parameter needs the table of the same match.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use engine::game::Game;
/// use engine::patchwork::{Action, Equipment, Patchwork, State};
///
/// let equipment = Arc::new(Equipment::standard());
/// let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1)?)?;
/// let table = game.table();
/// let before = State::new(table);
/// let mut after = before; // a copy instead of a way to undo moves
/// after.apply(table, Action::Advance);
/// assert_eq!((before.to_move(table), after.to_move(table)), (Some(0), Some(1)));
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) players: [Player; SEATS],
    /// The places of the circle that still hold a patch, one bit for each.
    pub(super) patches: u64,
    /// The spaces that still hold a leather patch, one bit for each.
    pub(super) leather: u64,
    /// The place of the neutral token; the patches from there on come next.
    pub(super) token: u8,
    /// The seat that moves. If both tokens are on one space, its token is on top.
    pub(super) mover: u8,
    /// Number of leather patches that the mover has taken and must place.
    pub(super) leather_due: u8,
}

/// A search keeps many states, so a state must stay small.
const _: () = assert!(size_of::<State>() <= 96);

impl State {
    /// The state at the beginning of a match, with seat 0 to move.
    pub fn new(table: &Table) -> State {
        State {
            players: [Player::NEW; SEATS],
            patches: u64::MAX.checked_shr(u64::BITS - table.places()).unwrap_or(0),
            leather: table.track().leather(),
            token: 0,
            mover: 0,
            leather_due: 0,
        }
    }

    /// Both players, in seat order.
    pub fn players(&self) -> &[Player; SEATS] {
        &self.players
    }

    /// The seat that must decide; `None` when the match is over.
    pub fn to_move(&self, table: &Table) -> Option<Seat> {
        (!self.is_over(table)).then_some(usize::from(self.mover))
    }

    /// Returns true if both tokens are on the last space and all leather patches are placed.
    pub fn is_over(&self, table: &Table) -> bool {
        let last = table.track().last();
        self.leather_due == 0 && self.players.iter().all(|player| player.space == last)
    }

    /// The kind of decision: a turn, or the cell for a leather patch.
    pub fn phase(&self) -> Phase {
        match self.leather_due {
            0 => Phase::Turn,
            _ => Phase::Leather,
        }
    }

    /// Number of leather patches that the mover has taken and must place, one decision for each.
    pub fn leather_due(&self) -> u8 {
        self.leather_due
    }

    /// The spaces that still hold a leather patch, ascending.
    pub fn leather(&self) -> impl Iterator<Item = u8> + use<> {
        spaces(self.leather)
    }

    /// The seat that has the tile for a covered 7x7 square; `None` if nobody has it.
    pub fn bonus(&self) -> Option<Seat> {
        self.players.iter().position(|player| player.has_bonus)
    }

    /// The remaining patches, clockwise from the neutral token.
    pub fn circle<'t>(&self, table: &'t Table) -> impl Iterator<Item = PatchId> + use<'t> {
        self.places().map(|place| table.at(place))
    }

    /// The patches on offer: the next three, whether the mover can pay for them or not.
    pub fn offer<'t>(&self, table: &'t Table) -> impl Iterator<Item = PatchId> + use<'t> {
        self.circle(table).take(OFFER)
    }

    fn places(&self) -> impl Iterator<Item = u8> + use<> {
        // Relative to the token, the places come in their order around a ring of 64.
        let token = self.token;
        spaces(self.patches.rotate_right(token.into())).map(move |ahead| (token + ahead) % u64::BITS as u8)
    }

    /// The player that moves; if the match is over, the last mover.
    pub(super) fn mover(&self) -> &Player {
        &self.players[usize::from(self.mover)]
    }

    /// Plays a legal action of the seat to move. An illegal action leaves an invalid state, so call
    /// [`check`](Self::check) first if the action may be illegal.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Action, Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// let mut state = *game.state();
    /// let buy = game.moves().unwrap().nth(1).expect("an affordable patch");
    /// let Action::Buy { patch, cells } = buy else { panic!("moves after the first are purchases") };
    /// state.apply(game.table(), buy);
    /// assert_eq!(state.players()[0].board, cells);
    /// assert_eq!(state.players()[0].buttons, 5 - equipment.patch(patch).buttons);
    /// ```
    #[inline(always)]
    pub fn apply(&mut self, table: &Table, action: Action) {
        match action {
            Action::Advance => self.advance(table),
            Action::Buy { patch, cells } => self.buy(table, patch, cells),
            Action::Leather(cell) => self.place_leather(cell),
        }
        let [here, there] = [self.mover, self.mover ^ 1].map(|seat| self.players[usize::from(seat)].space);
        if self.leather_due == 0 && here > there {
            self.mover ^= 1;
        }
    }

    #[inline(always)]
    fn advance(&mut self, table: &Table) {
        let opponent = self.players[usize::from(self.mover ^ 1)].space;
        let target = (opponent + 1).min(table.track().last());
        let walked = target.saturating_sub(self.mover().space);
        self.mover_mut().buttons += u16::from(walked);
        self.walk(table, walked);
    }

    #[inline(always)]
    fn buy(&mut self, table: &Table, patch: PatchId, cells: Bitboard) {
        let place = table.place_of(patch);
        self.patches &= !(1 << place);
        self.token = place;
        let priced = table.patch(patch);
        let mover = self.mover_mut();
        mover.buttons = mover.buttons.saturating_sub(priced.buttons);
        mover.income += priced.income;
        self.cover(cells);
        self.walk(table, priced.time);
    }

    fn place_leather(&mut self, cell: Cell) {
        self.leather_due = self.leather_due.saturating_sub(1);
        self.cover(Bitboard::from_iter([cell]));
        self.lose_leather_without_room();
    }

    /// Covers cells of the mover's quilt. The first player with a covered 7x7 square takes the tile.
    fn cover(&mut self, cells: Bitboard) {
        self.mover_mut().board |= cells;
        if self.bonus().is_none() && has_7x7(self.mover().board) {
            self.mover_mut().has_bonus = true;
        }
    }

    /// Moves the mover's token, at most to the last space. The mover takes income and leather on the
    /// way.
    #[inline(always)]
    fn walk(&mut self, table: &Table, by: u8) {
        let track = table.track();
        let from = self.mover().space;
        let to = (from + by).min(track.last());
        let is_first = to == track.last() && !self.players.iter().any(|player| player.was_first);
        let mover = self.mover_mut();
        mover.space = to;
        mover.was_first |= is_first;
        mover.buttons += mover.income * track.income_marks(from, to) as u16;
        let taken = self.leather & walked(from, to);
        self.leather &= !taken;
        self.leather_due += taken.count_ones() as u8;
        self.lose_leather_without_room();
    }

    fn lose_leather_without_room(&mut self) {
        if self.leather_due > 0 && self.mover().board == Bitboard::FULL {
            self.leather_due = 0;
        }
    }

    fn mover_mut(&mut self) -> &mut Player {
        &mut self.players[usize::from(self.mover)]
    }
}
