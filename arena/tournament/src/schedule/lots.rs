//! Lots: what decides between bots that the results do not tell apart.

use std::sync::Arc;

use referee::play::seeds::lot;

/// Spreads numbers over all 64 bits: 2^64 divided by the golden ratio, and odd.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The lots of all bots, drawn from the seed and the names, whatever their order. By default nothing is drawn, and their
/// order decides.
#[derive(Clone, Debug, Default)]
pub(super) struct Lots(Option<Arc<[u64]>>);

impl Lots {
    /// Draws lots from the seed of a tournament for the bots of these names.
    pub(super) fn drawn(seed: u64, names: &[String]) -> Lots {
        Lots(Some(names.iter().map(|name| lot(seed, name)).collect()))
    }

    /// Returns the lot of a bot.
    pub(super) fn of(&self, bot: usize) -> u64 {
        self.0.as_ref().map_or(bot as u64, |lots| lots[bot])
    }

    /// Puts the bots of a table in the order of their seats in the first round. It is another one at each table, so no bot
    /// is before another one at all of them.
    pub(super) fn seat(&self, table: &mut [usize]) {
        if self.0.is_some() {
            let sum = table.iter().fold(0_u64, |sum, &bot| sum.wrapping_add(self.of(bot)));
            table.sort_unstable_by_key(|&bot| (self.of(bot) ^ sum).wrapping_mul(SPREAD));
        }
    }
}
