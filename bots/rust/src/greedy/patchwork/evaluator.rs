//! The evaluation of a Patchwork position for one seat, in expected final points.
//!
//! Buttons and income count at their final value, plus a bonus early in the match, because they buy patches
//! that earn. Remaining time and money limit the number of cells that can be covered. Each empty cell costs 2
//! points. Gaps that few patches fit lower the evaluation.

use engine::bitboard::Bitboard;
use engine::game::Seat;
use engine::patch::Placements;
use engine::patchwork::{BONUS_POINTS, PatchId, Player, Position, Table};

use super::gaps::{Gaps, parts};
use super::weights;

/// Points that an empty cell costs at the end.
const EMPTY_CELL: f32 = 2.0;
/// Cells that the opponent may cover in one move. With fewer cells missing, the opponent gets the 7x7 tile.
const RIVAL_REACH: f32 = 4.0;
/// The number of cells of the largest patch.
const PATCH_SIZE_MAX: f32 = 8.0;

/// The evaluation for one seat.
#[derive(Debug)]
pub(crate) struct Evaluator<'t> {
    table: &'t Table,
    seat: Seat,
    /// The nine 7x7 squares of the quilt.
    squares: [Bitboard; 9],
}

impl<'t> Evaluator<'t> {
    pub(crate) fn new(table: &'t Table, seat: Seat) -> Evaluator<'t> {
        let square = Bitboard::rectangle(7, 7);
        let squares = std::array::from_fn(|place| square.shifted_down((place / 3 * 9 + place % 3) as u8));
        Evaluator { table, seat, squares }
    }

    /// Returns the value of a position, without the patches in the circle.
    #[inline(always)]
    pub(crate) fn value(&self, position: &Position) -> f32 {
        let player = &position.players()[self.seat];
        let due = u32::from(position.leather_due());
        let left = self.time_left(player);
        let early = left / f32::from(self.table.track().last());
        let earnings = self.earnings(player);
        let buttons = f32::from(player.buttons);
        let purse = buttons * (1.0 + weights::BUTTON_EARLY * early)
            + earnings * (weights::INCOME + weights::INCOME_EARLY * early);
        let mut gaps = Gaps::new(player.board);
        gaps.empty -= due.min(gaps.empty);
        gaps.lone -= due.min(gaps.lone);
        let leather = weights::LEATHER * due as f32;
        purse + weights::TIME * left - self.quilt_cost(player.board, &gaps, left, buttons, earnings)
            + leather
            + self.bonus(position, left)
    }

    fn time_left(&self, player: &Player) -> f32 {
        f32::from(self.table.track().last() - player.space)
    }

    /// Returns the buttons that the present quilt earns until the end of the track.
    fn earnings(&self, player: &Player) -> f32 {
        let track = self.table.track();
        f32::from(player.income) * track.income_marks(player.space, track.last()) as f32
    }

    /// Returns the cost of the empty cells: filling some, leaving others empty, and the difficulty of their
    /// shape.
    #[inline(always)]
    fn quilt_cost(&self, board: Bitboard, gaps: &Gaps, left: f32, buttons: f32, earnings: f32) -> f32 {
        let (empty, lone, ends) = (gaps.empty as f32, gaps.lone as f32, gaps.ends as f32);
        let thin = gaps.thin as f32;
        if left == 0.0 {
            return EMPTY_CELL * empty;
        }
        let difficulty =
            empty + weights::LEFT_LONE * lone + weights::LEFT_ENDS * ends + weights::LEFT_THIN * thin;
        let by_time = weights::PACE_TIME * left;
        let by_money = weights::PACE_BUTTONS * (buttons + weights::PACE_INCOME * earnings) + weights::RESERVE;
        let filled = softly_least([by_time, by_money, difficulty]);
        let trouble = weights::TROUBLE_LONE * lone
            + weights::TROUBLE_ENDS * ends
            + weights::TROUBLE_THIN * thin
            + weights::TROUBLE_SIDES * gaps.sides as f32
            + weights::TROUBLE_PARTS * parts(!board) as f32;
        EMPTY_CELL * (difficulty - filled) + weights::CELL * filled + trouble * fading(left)
    }

    /// Returns a cost for the shape of the empty cells, in points. It only compares quilts with the same
    /// number of empty cells. It is faster than [`value`](Self::value), whose other terms are nearly equal
    /// for such quilts.
    #[inline(always)]
    pub(crate) fn awkwardness(&self, position: &Position, board: Bitboard) -> f32 {
        let fading = fading(self.time_left(&position.players()[self.seat]));
        let left = (EMPTY_CELL + weights::CELL) / 2.0;
        let gaps = Gaps::new(board);
        gaps.lone as f32 * (left * weights::LEFT_LONE + fading * weights::TROUBLE_LONE)
            + gaps.ends as f32 * (left * weights::LEFT_ENDS + fading * weights::TROUBLE_ENDS)
            + gaps.thin as f32 * (left * weights::LEFT_THIN + fading * weights::TROUBLE_THIN)
            + gaps.sides as f32 * fading * weights::TROUBLE_SIDES
    }

    /// Returns true if the next patch may complete the 7x7 tile.
    pub(crate) fn bonus_is_near(&self, position: &Position) -> bool {
        position.bonus().is_none() && self.missing(position.players()[self.seat].board) <= PATCH_SIZE_MAX
    }

    /// Returns the points for the 7x7 tile, or their expectation while the tile is open.
    #[inline(always)]
    fn bonus(&self, position: &Position, left: f32) -> f32 {
        let points = BONUS_POINTS as f32;
        match position.bonus() {
            Some(seat) if seat == self.seat => points,
            Some(_) => 0.0,
            None if left == 0.0 => 0.0,
            None => {
                let players = position.players();
                let [own, other] = [self.seat, 1 - self.seat].map(|seat| self.missing(players[seat].board));
                let short = own - weights::BONUS_PACE * left - weights::BONUS_RESERVE;
                let in_time = 1.0 / (1.0 + (short / weights::BONUS_SPREAD).exp());
                let safe = (other - RIVAL_REACH).max(0.0);
                points * in_time * (safe / (safe + weights::BONUS_RIVAL))
            }
        }
    }

    /// Returns the fewest cells that any 7x7 square lacks.
    #[inline(always)]
    fn missing(&self, board: Bitboard) -> f32 {
        self.squares.iter().map(|&square| (square - board).len()).min().unwrap_or(0) as f32
    }

    /// Returns the value of the patches in the circle. The best patch on offer counts for or against this
    /// seat, depending on the player to move. Coming patches that hardly fit cost points; `patches` limits
    /// how many are tested.
    #[inline(always)]
    pub(crate) fn value_of_circle(&self, position: &Position, patches: usize) -> f32 {
        let player = &position.players()[self.seat];
        match self.time_left(player) {
            0.0 => 0.0,
            left => {
                self.value_of_offer(position) - self.cost_of_misfits(position, player, patches) * fading(left)
            }
        }
    }

    /// Returns the value of the offer: a gain if this seat moves again, a loss if the opponent moves.
    #[inline(always)]
    fn value_of_offer(&self, position: &Position) -> f32 {
        let moves_again = position.to_move(self.table) == Some(self.seat);
        let mover = if moves_again { self.seat } else { 1 - self.seat };
        let player = &position.players()[mover];
        let free = !player.board;
        let mut best: f32 = 0.0;
        for id in position.offer(self.table) {
            let gain = self.gain(id, player);
            if self.table.patch(id).buttons <= player.buttons && gain > best && self.ways(id, free) > 0 {
                best = gain;
            }
        }
        if moves_again { weights::AGAIN * best } else { -weights::DENY * best }
    }

    /// Returns the expected loss from coming patches that fit in few places. Nearer patches weigh more.
    #[inline(always)]
    fn cost_of_misfits(&self, position: &Position, player: &Player, patches: usize) -> f32 {
        let free = !player.board;
        let (mut nearness, mut cost) = (weights::STUCK, 0.0);
        for id in position.circle(self.table).take(patches) {
            let gain = self.gain(id, player);
            if gain > 0.0 {
                let ways = self.ways(id, free) as f32;
                cost += nearness * gain * weights::FEW / (weights::FEW + ways);
            }
            nearness *= weights::FURTHER;
        }
        cost
    }

    /// Counts the placements of a patch on the free cells.
    #[inline(always)]
    fn ways(&self, id: PatchId, free: Bitboard) -> u32 {
        let mut placements = Placements::NONE;
        placements.find(self.table.patch(id).shape.whole(), free);
        placements.count()
    }

    /// Returns the points that a patch brings in by itself if bought now; may be negative.
    fn gain(&self, id: PatchId, player: &Player) -> f32 {
        let priced = self.table.patch(id);
        let track = self.table.track();
        let marks = track.income_marks(player.space, track.last()) as f32;
        EMPTY_CELL * priced.shape.size() as f32 + f32::from(priced.income) * marks
            - f32::from(priced.buttons)
            - weights::PATCH_TIME * f32::from(priced.time)
    }
}

/// Returns the weight of awkward shapes. It falls with the remaining time, as fewer patches follow.
fn fading(left: f32) -> f32 {
    left / (left + weights::TROUBLE_HALVED)
}

/// Returns a smooth minimum: slightly lower than the least number where others are close to it.
fn softly_least(numbers: [f32; 3]) -> f32 {
    let least = numbers.into_iter().fold(f32::INFINITY, f32::min);
    let sum: f32 = numbers.iter().map(|number| ((least - number) / weights::SPREAD).exp()).sum();
    least - weights::SPREAD * sum.ln()
}
