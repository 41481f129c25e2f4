//! The constant data of a match, separate from the data that a search copies.

use std::sync::Arc;

use crate::patchwork::equipment::{Equipment, PatchId, PricedPatch};
use crate::patchwork::patches::PATCHES_MAX;
use crate::patchwork::track::Track;

/// The constant data of a match: the equipment and the order of the circle.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// let table = game.table();
/// let first = game.state().circle(table).next().expect("the circle is full");
/// assert_eq!(table.patch(first).name, table.equipment().name(first));
/// ```
#[derive(Debug)]
pub struct Table {
    equipment: Arc<Equipment>,
    /// The patches, clockwise from the first position of the neutral token.
    circle: Vec<PatchId>,
    /// The place of each patch in the circle; 0 for patches outside the circle.
    place_of: [u8; PATCHES_MAX],
}

impl Table {
    /// Builds the table with this circle, a list of at most 64 distinct patches.
    pub(super) fn new(equipment: &Arc<Equipment>, circle: Vec<PatchId>) -> Table {
        let mut place_of = [0; PATCHES_MAX];
        for (place, id) in (0..).zip(&circle) {
            place_of[id.index()] = place;
        }
        Table { equipment: Arc::clone(equipment), circle, place_of }
    }

    /// The patches, the track, and the rules of the match.
    pub fn equipment(&self) -> &Arc<Equipment> {
        &self.equipment
    }

    /// The time track, with its income marks and leather patches.
    pub fn track(&self) -> &Track {
        self.equipment.track()
    }

    /// The shape, costs, and income of a patch.
    pub fn patch(&self, id: PatchId) -> &PricedPatch {
        self.equipment.patch(id)
    }

    /// The patch in this place at the start.
    pub(super) fn at(&self, place: u8) -> PatchId {
        self.circle[usize::from(place)]
    }

    /// The place of this patch at the start.
    #[inline(always)]
    pub(super) fn place_of(&self, id: PatchId) -> u8 {
        self.place_of[id.index()]
    }

    /// Number of patches at the start.
    pub(super) fn places(&self) -> u32 {
        self.circle.len() as u32
    }
}
