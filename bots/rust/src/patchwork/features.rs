//! What the network sees of a position, from the view of the player to move.

use engine::bitboard::Bitboard;
use engine::patch::Placements;
use engine::patchwork::{PatchId, Player, State, Table};

use super::gaps::{Gaps, missing, parts};

/// The numbers that describe a player, what lies between both players, and a patch of the circle.
const OF_PLAYER: usize = 23;
const OF_BOTH: usize = 11;
const OF_PATCH: usize = 10;
/// The patches of the circle that are described.
const AHEAD: usize = 6;
/// The patches on offer.
const OFFER: usize = 3;
/// The numbers that describe a position apart from the windows of the quilts.
pub(super) const FEATURES: usize = 2 * OF_PLAYER + OF_BOTH + AHEAD * OF_PATCH;
/// Points that a covered cell is worth.
const CELL: f32 = 2.0;
/// The divisor of a patch's gain.
const GAIN: f32 = 15.0;

/// A position as the network sees it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) features: [f32; FEATURES],
    /// The quilts of the player to move and of the other one.
    pub(super) quilts: [Bitboard; 2],
}

impl Seen {
    /// Returns a view for [`look`](Self::look) to fill.
    pub(super) const NOTHING: Seen = Seen { features: [0.0; FEATURES], quilts: [Bitboard::EMPTY; 2] };

    /// Looks at a position without leather due, for the seat to move.
    #[inline(always)]
    pub(super) fn look(&mut self, table: &Table, state: &State, seat: usize) {
        let [own, other] = [seat, 1 - seat].map(|seat| &state.players()[seat]);
        self.quilts = [own.board, other.board];
        let is_open = state.bonus().is_none();
        let (of_own, rest) = self.features.split_at_mut(OF_PLAYER);
        let (of_other, rest) = rest.split_at_mut(OF_PLAYER);
        let (of_both, of_patches) = rest.split_at_mut(OF_BOTH);
        describe(of_own, table, state, own, is_open);
        describe(of_other, table, state, other, is_open);
        let mut best = [0.0_f32; 4];
        let mut circle = state.circle(table);
        for (place, to) in of_patches.chunks_exact_mut(OF_PATCH).enumerate() {
            to.fill(0.0);
            let Some(id) = circle.next() else { continue };
            let gains = describe_patch(to, table, id, [own, other]);
            // The best of the offer for each, and the best of what may be on offer next.
            for (who, (gain, can_pay)) in gains.into_iter().enumerate() {
                if can_pay && place < OFFER {
                    best[2 * who] = best[2 * who].max(gain);
                }
                if place > 0 && (can_pay || who == 0) {
                    best[2 * who + 1] = best[2 * who + 1].max(gain);
                }
            }
        }
        let lag = f32::from(other.space - own.space);
        let last = f32::from(table.track().last());
        let between = state.leather().any(|space| space > own.space && space <= other.space);
        of_both.copy_from_slice(&[
            lag / 10.0,
            flag(lag == 0.0),
            lag.min(3.0) / 3.0,
            flag(is_open),
            (2.0 * last - f32::from(own.space) - f32::from(other.space)) / (2.0 * last),
            (AHEAD + circle.count()) as f32 / 33.0,
            flag(between),
            best[0] / GAIN,
            best[1] / GAIN,
            best[2] / GAIN,
            best[3] / GAIN,
        ]);
    }
}

fn flag(is_set: bool) -> f32 {
    f32::from(u8::from(is_set))
}

/// Describes a player.
#[inline(always)]
fn describe(to: &mut [f32], table: &Table, state: &State, player: &Player, is_open: bool) {
    let track = table.track();
    let left = track.last() - player.space;
    let marks = track.income_marks(player.space, track.last()) as f32;
    let next_mark = track.next_income(player.space).map_or(1.0, |mark| f32::from(mark - player.space) / 6.0);
    let (buttons, income) = (f32::from(player.buttons), f32::from(player.income));
    let gaps = Gaps::new(player.board);
    let lacking = if is_open { missing(player.board) as f32 } else { 49.0 };
    let mut leather = state.leather().filter(|&space| space > player.space);
    let next_leather = leather.next();
    let to_leather = next_leather.map_or(1.0, |space| (f32::from(space - player.space) / 10.0).min(1.0));
    let leather = next_leather.map_or(0, |_| 1 + leather.count());
    to.copy_from_slice(&[
        f32::from(left) / f32::from(track.last()),
        f32::from(left.min(12)) / 12.0,
        (buttons / 20.0).min(3.0),
        buttons.min(5.0) / 5.0,
        buttons.min(10.0) / 10.0,
        income / 15.0,
        income * marks / 50.0,
        marks / 9.0,
        next_mark,
        gaps.empty as f32 / 81.0,
        gaps.empty.min(20) as f32 / 20.0,
        gaps.lone as f32 / 4.0,
        gaps.ends as f32 / 6.0,
        gaps.thin as f32 / 16.0,
        gaps.sides as f32 / 40.0,
        parts(!player.board) as f32 / 3.0,
        flag(player.has_bonus),
        (1.0 - lacking / 16.0).max(0.0),
        if is_open { lacking / 49.0 } else { 0.0 },
        leather as f32 / 5.0,
        to_leather,
        flag(left == 0),
        player.score() as f32 / 60.0,
    ]);
}

/// Describes a patch. Returns for each player its gain, and whether the player can buy it now.
#[inline(always)]
fn describe_patch(to: &mut [f32], table: &Table, id: PatchId, players: [&Player; 2]) -> [(f32, bool); 2] {
    let patch = table.patch(id);
    let size = patch.shape.size() as f32;
    let (buttons, time, income) = (f32::from(patch.buttons), f32::from(patch.time), f32::from(patch.income));
    to[..4].copy_from_slice(&[buttons / 10.0, time / 6.0, income / 3.0, size / 8.0]);
    let track = table.track();
    let mut placements = Placements::NONE;
    let mut gains = [(0.0, false); 2];
    for (who, player) in players.into_iter().enumerate() {
        placements.find(patch.shape.whole(), !player.board);
        let ways = placements.count();
        if ways > 0 {
            let marks = track.income_marks(player.space, track.last()) as f32;
            let time = time.min(f32::from(track.last() - player.space));
            let gain = CELL * size + income * marks - buttons - time;
            let can_pay = patch.buttons <= player.buttons;
            let at = 4 + 3 * who;
            to[at..at + 3].copy_from_slice(&[gain / GAIN, flag(can_pay), (ways.min(8) as f32 / 8.0).sqrt()]);
            gains[who] = (gain, can_pay);
        }
    }
    gains
}
