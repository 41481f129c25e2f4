//! Quick and sensible games to the end of a match.
//!
//! Both players take the patch that brings in most, with some chance so that games differ, and lay it
//! on their real quilt where the fewest free cells are left beside it.

use engine::bitboard::{Bitboard, Cell};
use engine::fits::Free;
use engine::patch::Placements;
use engine::patchwork::{Action, OFFER, PatchId, Player, Position, Table};
use rand::{Rng, RngExt};

use super::settings::Settings;

/// Plays to the end of the match.
pub(super) fn play_out(position: &mut Position, table: &Table, settings: &Settings, chance: &mut impl Rng) {
    while let Some(seat) = position.to_move(table) {
        let player = &position.players()[seat];
        let action = match position.leather_due() {
            0 => purchase(position, player, table, settings, chance).unwrap_or(Action::Advance),
            _ => snug(player.board).map_or(Action::Advance, Action::Leather),
        };
        position.apply(table, action);
    }
}

/// The patch on offer that brings in most of those that fit, if any brings in something.
fn purchase(
    position: &Position,
    player: &Player,
    table: &Table,
    settings: &Settings,
    chance: &mut impl Rng,
) -> Option<Action> {
    let mut wanted = [(0.0, None); OFFER];
    for (place, id) in wanted.iter_mut().zip(position.offer(table)) {
        let lot: f32 = chance.random();
        if table.patch(id).buttons <= player.buttons {
            let gain = gain(id, player, table, settings) + settings.noise * lot;
            *place = (gain, Some(id).filter(|_| gain > 0.0));
        }
    }
    wanted.sort_by(|one, other| other.0.total_cmp(&one.0));
    let free = Free::new(!player.board);
    wanted.into_iter().filter_map(|(_, id)| id).find_map(|patch| {
        let placements = Placements::new(table.patch(patch).shape.whole(), &free);
        placements.with_fewest_beside(&free).map(|(_, cells)| Action::Buy { patch, cells })
    })
}

/// The points that a patch brings in more than the advance would.
fn gain(id: PatchId, player: &Player, table: &Table, settings: &Settings) -> f32 {
    let priced = table.patch(id);
    let track = table.track();
    let left = f32::from(track.last() - player.space);
    let marks = track.income_marks(player.space, track.last()) as f32;
    let early = 1.0 + settings.early * left / f32::from(track.last());
    let time = f32::from(priced.time).min(left);
    settings.cell * priced.shape.size() as f32
        + early * (f32::from(priced.income) * marks - f32::from(priced.buttons))
        - settings.time * time
}

/// The empty cell with the fewest empty ones beside it.
fn snug(board: Bitboard) -> Option<Cell> {
    let empty = !board;
    let [left, right, above, below] = empty.beside();
    let two = |one, other| (one & other, one | other);
    let ((both_across, across), (both_along, along)) = (two(left, right), two(above, below));
    let lone = empty - across - along;
    let several = both_across | both_along | (across & along);
    [lone, empty - several, empty].into_iter().find_map(Bitboard::first)
}
