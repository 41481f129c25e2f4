//! Learned parameters as bytes: little-endian 16-bit integers, so many per unit.

/// Serializes parameters, with `scale` integers per unit.
pub(crate) fn to_bytes(numbers: impl Iterator<Item = f32>, scale: f32) -> Vec<u8> {
    numbers.flat_map(|number| ((number * scale).round() as i16).to_le_bytes()).collect()
}

/// Reads parameters in the format of [`to_bytes`]. `None` if there are more or fewer of them.
pub(crate) fn read<'n>(bytes: &[u8], numbers: impl Iterator<Item = &'n mut f32>, scale: f32) -> Option<()> {
    let (pairs, rest) = bytes.as_chunks();
    let mut stored = pairs.iter().map(|&pair| f32::from(i16::from_le_bytes(pair)) / scale);
    for number in numbers {
        *number = stored.next()?;
    }
    (rest.is_empty() && stored.next().is_none()).then_some(())
}
