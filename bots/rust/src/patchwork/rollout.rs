//! Fast rollouts to the end of a match.
//!
//! Both players take the patch with the highest estimated gain; random noise varies the games. They place it
//! where the fewest free cells are adjacent to it.

use engine::bitboard::{Bitboard, Cell};
use engine::cpu::with_vectors;
use engine::patch::Placements;
use engine::patchwork::{Action, PatchId, Player, Position, Table};
use rand::{Rng, RngExt};

use super::settings::Settings;

/// Plays a position to the end of the match. Each seat has its own settings.
pub fn play_out(position: &mut Position, table: &Table, settings: [&Settings; 2], chance: &mut impl Rng) {
    with_vectors(
        #[inline(always)]
        || play_on(position, table, settings, chance),
    );
}

#[inline(always)]
fn play_on(position: &mut Position, table: &Table, settings: [&Settings; 2], chance: &mut impl Rng) {
    while let Some(seat) = position.to_move(table) {
        let player = &position.players()[seat];
        let action = match position.leather_due() {
            0 => purchase(position, player, table, settings[seat], chance).unwrap_or(Action::Advance),
            _ => snug(player.board).map_or(Action::Advance, Action::Leather),
        };
        position.apply(table, action);
    }
}

/// Returns the purchase with the highest estimated gain over an advance. `None` if no purchase has a positive
/// gain.
#[inline(always)]
fn purchase(
    position: &Position,
    player: &Player,
    table: &Table,
    settings: &Settings,
    chance: &mut impl Rng,
) -> Option<Action> {
    let free = !player.board;
    let mut placements = Placements::NONE;
    let mut best = (0.0, None);
    for patch in position.offer(table) {
        let lot: f32 = chance.random();
        if table.patch(patch).buttons > player.buttons {
            continue;
        }
        let gain = gain(patch, player, table, settings) + settings.noise * lot;
        if gain > best.0 {
            placements.find(table.patch(patch).shape.whole(), free);
            if let Some((beside, cells)) = placements.with_fewest_beside(free) {
                let gain = gain - settings.beside * beside as f32;
                if gain > best.0 {
                    best = (gain, Some(Action::Buy { patch, cells }));
                }
            }
        }
    }
    best.1
}

/// Returns the estimated gain of a patch over an advance, in points.
#[inline(always)]
fn gain(id: PatchId, player: &Player, table: &Table, settings: &Settings) -> f32 {
    let priced = table.patch(id);
    let track = table.track();
    let left = f32::from(track.last() - player.space);
    let marks = track.income_marks(player.space, track.last()) as f32;
    let early = left / f32::from(track.last());
    let time = f32::from(priced.time).min(left);
    settings.cell * priced.shape.size() as f32
        + (1.0 + settings.income * early) * f32::from(priced.income) * marks
        - (1.0 + settings.early * early) * f32::from(priced.buttons)
        - (settings.time + settings.haste * early) * time
        + settings.always
}

/// Returns the empty cell with the fewest empty neighbors.
#[inline(always)]
fn snug(board: Bitboard) -> Option<Cell> {
    let empty = !board;
    let [left, right, above, below] = empty.beside();
    let two = |one, other| (one & other, one | other);
    let ((both_across, across), (both_along, along)) = (two(left, right), two(above, below));
    let lone = empty - across - along;
    let several = both_across | both_along | (across & along);
    [lone, empty - several, empty].into_iter().find_map(Bitboard::first)
}
