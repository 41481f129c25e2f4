//! The time track: its spaces are the bits of one number, so a mask selects the spaces of a move.

use crate::game::SetupError;
use crate::patchwork::patches::{SPACE_MAX, TrackText};

/// The compiled time track. Spaces are numbered from 0.
///
/// # Examples
/// ```
/// use engine::patchwork::Equipment;
///
/// let equipment = Equipment::standard();
/// let track = equipment.track();
/// assert_eq!(track.income_marks(0, track.last()), 9);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    last: u8,
    /// One bit for each space with an income mark.
    income: u64,
    /// One bit for each space with a leather patch at the start.
    leather: u64,
}

impl Track {
    /// Compiles a track.
    ///
    /// # Errors
    /// [`SetupError::Components`] if the track has too many spaces, or marks off the track or out of
    /// order.
    pub(super) fn new(text: &TrackText) -> Result<Track, SetupError> {
        if !(1..=SPACE_MAX).contains(&text.last) {
            let last = text.last;
            return wrong(format!("the track's last space is {last}: it must be 1 to {SPACE_MAX}"));
        }
        Ok(Track {
            last: text.last as u8,
            income: marks("income", &text.income, text.last)?,
            leather: marks("leather", &text.leather, text.last)?,
        })
    }

    /// The number of the last space, where the tokens stop.
    pub fn last(&self) -> u8 {
        self.last
    }

    /// Number of income marks that a token passes or reaches on its way.
    pub fn income_marks(&self, from: u8, to: u8) -> u32 {
        (self.income & walked(from, to)).count_ones()
    }

    /// The space of the first income mark after `space`; `None` after the last one.
    pub fn next_income(&self, space: u8) -> Option<u8> {
        spaces(self.income & walked(space, self.last)).next()
    }

    /// The spaces with a leather patch at the start, one bit for each.
    pub(super) fn leather(&self) -> u64 {
        self.leather
    }
}

/// The spaces that a token passes or reaches, one bit for each; `from` itself is not included.
pub(super) fn walked(from: u8, to: u8) -> u64 {
    up_to(to) & !up_to(from)
}

fn up_to(space: u8) -> u64 {
    u64::MAX >> (SPACE_MAX as u8 - space)
}

/// The numbers of the set bits, ascending.
pub(super) fn spaces(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros() as u8;
        (set != 0).then(|| set &= set - 1).map(|()| lowest)
    })
}

fn marks(kind: &str, listed: &[u32], last: u32) -> Result<u64, SetupError> {
    if let Some(space) = listed.iter().find(|&&space| space == 0 || space > last) {
        return wrong(format!("the track's {kind} lies on space {space}: it must be 1 to {last}"));
    }
    if let Some(pair) = listed.windows(2).find(|pair| pair[0] >= pair[1]) {
        let [before, after] = [pair[0], pair[1]];
        return wrong(format!("the track's {kind} spaces must ascend, {after} comes after {before}"));
    }
    Ok(listed.iter().fold(0, |set, &space| set | 1 << space))
}

fn wrong<T>(what: String) -> Result<T, SetupError> {
    Err(SetupError::Components(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> TrackText {
        TrackText { last: 63, income: vec![5, 11, 63], leather: vec![] }
    }

    #[test]
    fn a_walk_counts_the_marks_behind_its_start_up_to_its_end() {
        let track = Track::new(&text()).unwrap();
        for (from, to, marks) in [(0, 4, 0), (0, 5, 1), (5, 6, 0), (4, 11, 2), (5, 5, 0), (0, 63, 3)] {
            assert_eq!(track.income_marks(from, to), marks, "{from} to {to}");
        }
        assert_eq!(track.next_income(5), Some(11));
        assert_eq!(track.next_income(63), None);
        assert_eq!(spaces(1 << 63 | 1).collect::<Vec<_>>(), [0, 63]);
    }

    #[test]
    fn wrong_tracks_are_named() {
        let refused = |change: fn(&mut TrackText)| {
            let mut track = text();
            change(&mut track);
            Track::new(&track).unwrap_err().to_string()
        };
        assert_eq!(refused(|track| track.last = 64), "the track's last space is 64: it must be 1 to 63");
        assert_eq!(refused(|track| track.last = 0), "the track's last space is 0: it must be 1 to 63");
        assert_eq!(
            refused(|track| track.leather = vec![0]),
            "the track's leather lies on space 0: it must be 1 to 63"
        );
        assert_eq!(
            refused(|track| track.income = vec![5, 64]),
            "the track's income lies on space 64: it must be 1 to 63"
        );
        assert_eq!(
            refused(|track| track.income = vec![5, 5]),
            "the track's income spaces must ascend, 5 comes after 5"
        );
    }
}
