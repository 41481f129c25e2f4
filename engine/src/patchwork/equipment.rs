//! The patches, compiled for play: shapes in all orientations, checked figures, a map of ids.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::game::{Setup, SetupError};
use crate::patchwork::patches::{BUTTONS, INCOME, PATCHES_MAX, PatchText, PatchworkSetup, TIME};
use crate::patchwork::track::Track;
use crate::shapes::patch::Patch;
use crate::wire::name::CardName;

/// The number of a patch in the equipment, in the order of the file.
///
/// # Examples
/// ```
/// use engine::patchwork::Equipment;
///
/// let equipment = Equipment::standard();
/// let id = equipment.find("W33").expect("a standard patch");
/// assert_eq!(equipment.name(id).as_str(), "W33");
/// assert_eq!(equipment.patches().last(), Some(id));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchId(u8);

impl PatchId {
    /// The first patch of the file; every file has one.
    pub(super) const FIRST: PatchId = PatchId(0);

    /// The number in the order of the file, from 0; a file has at most 64 patches.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// The shape, costs, and income of a patch.
///
/// # Examples
/// ```
/// use engine::patchwork::Equipment;
///
/// let equipment = Equipment::standard();
/// let patch = equipment.patch(equipment.find("W18").expect("a standard patch"));
/// assert_eq!(patch.shape.size(), 5);
/// assert_eq!((patch.buttons, patch.time, patch.income), (7, 1, 1));
/// ```
#[derive(Debug)]
pub struct PricedPatch {
    /// The id of the patch.
    pub name: CardName,
    /// The shape in all orientations; this game has no cuts.
    pub shape: Patch,
    /// The cost, in buttons.
    pub buttons: u16,
    /// The cost in time, in spaces of the track.
    pub time: u8,
    /// The income at each income mark, in buttons.
    pub income: u16,
}

/// The compiled rules, patches, and track.
///
/// # Examples
/// ```
/// use engine::patchwork::Equipment;
///
/// let equipment = Equipment::standard();
/// assert_eq!(equipment.patches().len(), 33);
/// assert_eq!(equipment.track().last(), 53);
/// let cells: u32 = equipment.patches().map(|id| equipment.patch(id).shape.size()).sum();
/// assert!(cells > 2 * 81); // more than both quilts have
/// ```
#[derive(Debug)]
pub struct Equipment {
    setup: PatchworkSetup,
    patches: Vec<PricedPatch>,
    track: Track,
    by_name: BTreeMap<CardName, PatchId>,
}

impl Equipment {
    /// Compiles rules, patches, and track.
    ///
    /// # Errors
    /// [`SetupError`] that names the patch with a bad id, shape, or figure, or the error in the set or
    /// the track.
    ///
    /// # Examples
    /// ```
    /// use engine::game::Setup;
    /// use engine::patchwork::{Equipment, PatchworkSetup};
    ///
    /// let mut setup = PatchworkSetup::default().in_full();
    /// assert!(Equipment::new(&setup).is_ok());
    /// setup.patches.as_mut().unwrap()[0].time = 0;
    /// let error = Equipment::new(&setup).unwrap_err();
    /// assert_eq!(error.to_string(), r#""W01": its cost in time is 0: it must be 1 to 63"#);
    /// ```
    pub fn new(setup: &PatchworkSetup) -> Result<Equipment, SetupError> {
        let setup = setup.in_full();
        let listed = setup.patches.as_ref().expect("written out in full");
        check_count(listed.len())?;
        let patches = listed.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let mut by_name = BTreeMap::new();
        for (id, patch) in (0..).map(PatchId).zip(&patches) {
            if by_name.insert(patch.name, id).is_some() {
                return Err(bad_patch(patch.name.as_str(), "two patches have this id"));
            }
        }
        Ok(Equipment {
            track: Track::new(setup.track.as_ref().expect("written out in full"))?,
            patches,
            by_name,
            setup,
        })
    }

    /// The standard patches and track with the standard rules, compiled.
    pub fn standard() -> Equipment {
        Equipment::new(&PatchworkSetup::default()).expect("a test compiles the standard patches")
    }

    /// The rules, and all patches and the track, as bots get them.
    pub fn setup(&self) -> &PatchworkSetup {
        &self.setup
    }

    /// The time track, with its income marks and leather patches.
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// All patches, in the order of the file.
    pub fn patches(&self) -> impl ExactSizeIterator<Item = PatchId> + use<> {
        (0..self.patches.len()).map(|index| PatchId(index as u8))
    }

    /// The shape, costs, and income of a patch.
    pub fn patch(&self, id: PatchId) -> &PricedPatch {
        &self.patches[id.index()]
    }

    /// The id of a patch in files and messages, such as `W01`.
    pub fn name(&self, id: PatchId) -> CardName {
        self.patch(id).name
    }

    /// Finds a patch by its id; `None` if no patch has it.
    pub fn find(&self, name: &str) -> Option<PatchId> {
        self.find_name(&name.parse().ok()?)
    }

    /// Does the same as [`find`](Self::find), for a parsed id.
    pub(super) fn find_name(&self, name: &CardName) -> Option<PatchId> {
        self.by_name.get(name).copied()
    }

    /// The last patch of the circle, right before the neutral token. It is the patch with the fewest
    /// cells; among equal patches, the first by id.
    pub fn last_in_circle(&self) -> PatchId {
        let smallest = self.by_name.values().min_by_key(|&&id| self.patch(id).shape.size());
        *smallest.expect("the number of patches was checked")
    }
}

fn check_count(count: usize) -> Result<(), SetupError> {
    match count {
        1..=PATCHES_MAX => Ok(()),
        _ => Err(SetupError::Components(format!(
            "a game needs 1 to {PATCHES_MAX} patches, the file has {count}"
        ))),
    }
}

fn compile(text: &PatchText) -> Result<PricedPatch, SetupError> {
    let bad = |reason: &str| bad_patch(&text.id, reason);
    let figure = |what: &str, value: u32, range: RangeInclusive<u32>| match range.contains(&value) {
        true => Ok(value as u8),
        false => Err(bad(&format!("its {what} is {value}: it must be {} to {}", range.start(), range.end()))),
    };
    let cells = text.cells.cells().map_err(|reason| bad(&reason.to_string()))?;
    Ok(PricedPatch {
        name: text.id.parse().map_err(bad)?,
        shape: Patch::uncut(cells),
        buttons: figure("cost in buttons", text.buttons, BUTTONS)?.into(),
        time: figure("cost in time", text.time, TIME)?,
        income: figure("income", text.income, INCOME)?.into(),
    })
}

fn bad_patch(id: &str, reason: &str) -> SetupError {
    SetupError::Card { id: id.chars().take(40).collect(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::bitboard::Bitboard;
    use crate::shapes::patch::{Placements, ShapeText};

    #[test]
    fn the_standard_patches_lie_in_7349_ways_448_at_most() {
        let equipment = Equipment::standard();
        let ways = |id| Placements::new(equipment.patch(id).shape.whole(), Bitboard::FULL).count();
        let counts: Vec<u32> = equipment.patches().map(ways).collect();
        assert_eq!(counts.len(), 33);
        assert_eq!(counts.iter().sum::<u32>(), 7349);
        assert_eq!(counts.iter().max(), Some(&448));
        assert_eq!(equipment.name(equipment.last_in_circle()).as_str(), "W01");
    }

    fn refused(change: fn(&mut Vec<PatchText>)) -> String {
        let mut setup = PatchworkSetup::default().in_full();
        change(setup.patches.as_mut().unwrap());
        Equipment::new(&setup).unwrap_err().to_string()
    }

    #[test]
    fn bad_patches_are_named() {
        assert_eq!(
            refused(|patches| patches[3].cells = ShapeText(vec!["X.X".into()])),
            "\"W04\": the shape is not connected: its cells must share sides"
        );
        assert_eq!(refused(|patches| patches[3].id = "W01".into()), "\"W01\": two patches have this id");
        assert_eq!(
            refused(|patches| patches[3].id = "".into()),
            "\"\": an id has 1 to 15 letters, digits, '-' or '_'"
        );
        assert_eq!(
            refused(|patches| patches[3].buttons = 100),
            "\"W04\": its cost in buttons is 100: it must be 0 to 99"
        );
        assert_eq!(
            refused(|patches| patches[3].time = 0),
            "\"W04\": its cost in time is 0: it must be 1 to 63"
        );
        assert_eq!(
            refused(|patches| patches[3].income = 256),
            "\"W04\": its income is 256: it must be 0 to 9"
        );
        assert_eq!(refused(Vec::clear), "a game needs 1 to 64 patches, the file has 0");
    }

    #[test]
    fn of_equally_small_patches_the_first_by_id_is_last_in_the_circle() {
        let mut setup = PatchworkSetup::default().in_full();
        let patches = setup.patches.as_mut().unwrap();
        patches[7].cells = ShapeText(vec!["X".into(), "X".into()]);
        patches[7].id = "A".into();
        let equipment = Equipment::new(&setup).unwrap();
        assert_eq!(equipment.name(equipment.last_in_circle()).as_str(), "A");
    }
}
