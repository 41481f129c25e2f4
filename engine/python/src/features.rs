//! Observations as arrays of numbers, raw or as planes.

use engine::bitboard::Bitboard;
use engine::game::Game;
use engine::numbers::SLOTS;

/// Cells of a board.
pub(crate) const CELLS: usize = 81;
/// The least and the largest number of planes.
pub(crate) const BOUNDS: [f32; 2] = [-1.0, 10.0];

/// A part of an observation: its name, its length, and the divisor that brings its numbers near 1.
pub(crate) type Part = (&'static str, usize, f32);

/// A game with observations. They begin with two boards.
pub(crate) trait Features: Game {
    /// The parts, in their order.
    const PARTS: &'static [Part];
    /// Length of an observation.
    const LENGTH: usize;
    /// The place of the patches on offer, and that of the numbers which planes have too.
    const OFFER_FROM: usize;
    const NUMBERS_FROM: usize;
    /// The divisors of the numbers of a patch on offer.
    const OFFER: &'static [f32];

    /// The shape of the patch with this number in observations, and its numbers.
    fn patch(equipment: &Self::Equipment, number: usize) -> (Bitboard, [u16; 3]);

    /// Length of an observation, raw or as planes.
    fn length(planes: bool) -> usize {
        let numbers = SLOTS * Self::OFFER.len() + Self::LENGTH - Self::NUMBERS_FROM;
        if planes { (2 + SLOTS) * CELLS + numbers } else { Self::LENGTH }
    }

    /// Writes an observation, raw or as planes: the boards, the shapes on offer, and scaled numbers.
    #[inline(always)]
    fn put(equipment: &Self::Equipment, seen: &[i16], planes: bool, out: &mut [f32]) {
        if !planes {
            for (to, &from) in out.iter_mut().zip(seen) {
                *to = from.into();
            }
            return;
        }
        let within = |number: f32, scale: f32| (number / scale).clamp(BOUNDS[0], BOUNDS[1]);
        let (boards, rest) = out.split_at_mut(2 * CELLS);
        boards.iter_mut().zip(seen).for_each(|(to, &from)| *to = from.into());
        let (shapes, rest) = rest.split_at_mut(SLOTS * CELLS);
        let (offer, numbers) = rest.split_at_mut(SLOTS * Self::OFFER.len());
        offer.fill(0.0);
        for (slot, shape) in shapes.chunks_mut(CELLS).enumerate() {
            let number = seen[Self::OFFER_FROM + slot] as usize;
            let (cells, own) =
                if number > 0 { Self::patch(equipment, number) } else { (Bitboard::EMPTY, [0; 3]) };
            let mut bytes = [0; CELLS];
            cells.write(&mut bytes);
            shape.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte.into());
            let own = own.into_iter().zip(Self::OFFER).map(|(number, &scale)| within(number.into(), scale));
            offer[slot * Self::OFFER.len()..].iter_mut().zip(own).for_each(|(to, number)| *to = number);
        }
        let scales = Self::PARTS.iter().flat_map(|&(_, length, scale)| std::iter::repeat_n(scale, length));
        let given = seen.iter().zip(scales).skip(Self::NUMBERS_FROM);
        numbers.iter_mut().zip(given).for_each(|(to, (&number, scale))| *to = within(number.into(), scale));
    }
}
