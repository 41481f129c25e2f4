//! The same code compiled for newer processors, with instructions that older ones lack. It has an
//! effect on x86-64 only.
//!
//! Nearly all x86-64 processors since 2013 have 256-bit vectors, and single instructions that shift and
//! count bits. Many since 2019 have 512-bit vectors, and count bits in vectors, too.

/// Runs `work` with the newer instructions if the processor has them. Only code that is inlined into
/// `work` uses them, so mark all its hot functions `#[inline(always)]`.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::cpu::with_vectors;
///
/// let total = with_vectors(
///     #[inline(always)]
///     || (0..=9).map(|side| Bitboard::rectangle(side, side).len()).sum::<u32>(),
/// );
/// assert_eq!(total, 285); // 1 + 4 + 9 + ... + 81
/// ```
#[inline(always)]
pub fn with_vectors<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    return x86::run(*x86::LEVEL, work);
    #[cfg(not(target_arch = "x86_64"))]
    work()
}

/// Keeps this process to the instructions that all processors of its kind have, if nothing has used others yet. The
/// results are the same; a test compares them.
pub fn avoid_vectors() {
    #[cfg(target_arch = "x86_64")]
    x86::AVOIDED.store(true, std::sync::atomic::Ordering::Relaxed);
}

/// Returns the position of the set bit with this number, from 0; 64 if the word has fewer set bits.
#[inline(always)]
pub(crate) fn nth_bit(word: u64, number: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(place) = x86::nth_bit(word, number) {
        return place;
    }
    nth_bit_counted(word, number)
}

#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "three times as many random games as measured; the processor is asked beforehand"
)]
mod x86 {
    use std::arch::x86_64::_pdep_u64;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The instructions of a processor. Each level includes the levels before it.
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub(super) enum Level {
        Plain,
        Vectors256,
        Vectors512,
    }

    /// True if the process keeps to the lowest level.
    pub(super) static AVOIDED: AtomicBool = AtomicBool::new(false);

    /// The highest level of this processor. Detection takes many queries, so it happens only once.
    pub(super) static LEVEL: LazyLock<Level> = LazyLock::new(|| {
        let has_256 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        let has_512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq");
        match (has_256 && !AVOIDED.load(Ordering::Relaxed), has_512) {
            (false, _) => Level::Plain,
            (true, false) => Level::Vectors256,
            (true, true) => Level::Vectors512,
        }
    });

    /// Runs `work` as compiled for this level. The processor must have the level.
    #[inline(always)]
    pub(super) fn run<R>(level: Level, work: impl FnOnce() -> R) -> R {
        match level {
            Level::Plain => work(),
            // SAFETY: `level` is at most `LEVEL`, so the processor has the enabled instructions.
            Level::Vectors256 => unsafe { with_256_bits(work) },
            Level::Vectors512 => unsafe { with_512_bits(work) },
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn with_256_bits<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
    fn with_512_bits<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    /// [`nth_bit`](crate::nth_bit) in two instructions; `None` on processors without 512-bit vectors.
    /// Some of those lack the instructions, and others need hundreds of cycles for them.
    #[inline(always)]
    pub(super) fn nth_bit(word: u64, number: u32) -> Option<u32> {
        // SAFETY: this level has all instructions of the lower levels.
        (*LEVEL == Level::Vectors512).then(|| unsafe { nth_bit_deposited(word, number) })
    }

    #[inline]
    #[target_feature(enable = "bmi1,bmi2")]
    fn nth_bit_deposited(word: u64, number: u32) -> u32 {
        _pdep_u64(1u64.checked_shl(number).unwrap_or(0), word).trailing_zeros()
    }

    /// The levels that this processor can run.
    #[cfg(test)]
    pub(super) fn levels() -> impl Iterator<Item = Level> {
        [Level::Plain, Level::Vectors256, Level::Vectors512].into_iter().filter(|level| level <= &*LEVEL)
    }
}

/// [`nth_bit`] with instructions that all processors have. It counts halves, quarters, and so on until
/// one bit is left. Random data causes no mispredicted branch, because no branch depends on it.
#[inline(always)]
fn nth_bit_counted(word: u64, number: u32) -> u32 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Each byte holds the number of bits set up to the end of that byte.
    let up_to = eights.wrapping_mul(0x0101_0101_0101_0101);
    if u64::from(number) >= up_to >> 56 {
        return 64;
    }
    let mut place = 0;
    let mut left = u64::from(number);
    // A top bit stays set for each byte that ends before the wanted bit; their count is the byte number.
    let tops = 0x8080_8080_8080_8080;
    let ended = (((left * 0x0101_0101_0101_0101) | tops) - up_to) & tops;
    let byte = 8 * ended.count_ones();
    place += byte;
    left -= up_to << 8 >> byte & 0xff;
    for (counts, bits) in [(fours, 4), (pairs, 2), (word, 1)] {
        let lower = counts >> place & ((1 << bits) - 1);
        let skip = left >= lower;
        place += if skip { bits } else { 0 };
        left -= if skip { lower } else { 0 };
    }
    place
}

/// Runs `work` as compiled for each level that this processor has.
#[cfg(test)]
pub(crate) fn with_each_level(work: impl Fn() + Copy) {
    #[cfg(target_arch = "x86_64")]
    x86::levels().for_each(|level| x86::run(level, work));
    #[cfg(not(target_arch = "x86_64"))]
    work();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_numbered_alike_on_all_processors() {
        let mut word = 1u64;
        for round in 0..2_000 {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(round);
            let sparse = if round % 2 == 0 { word } else { word & word << 21 & word >> 17 };
            let places: Vec<u32> = (0..64).filter(|place| sparse >> place & 1 == 1).collect();
            for number in (0..66).chain([u32::MAX]) {
                let expected = places.get(number as usize).copied().unwrap_or(64);
                assert_eq!(nth_bit(sparse, number), expected, "{number} of {sparse:x}");
                assert_eq!(nth_bit_counted(sparse, number), expected, "{number} of {sparse:x}");
            }
        }
    }
}
