//! What stays the same throughout a match, kept apart from what a search copies.

use std::sync::Arc;

use crate::patchwork::equipment::{Equipment, PatchId, PricedPatch};
use crate::patchwork::patches::PATCHES_MAX;
use crate::patchwork::track::Track;

/// What stays the same throughout a match: the equipment and the order of the circle.
#[derive(Debug)]
pub struct Table {
    equipment: Arc<Equipment>,
    /// Clockwise from the neutral token as it stands at the start.
    circle: Vec<PatchId>,
    /// The place of each patch in the circle; 0 for one that is not in it.
    place_of: [u8; PATCHES_MAX],
}

impl Table {
    /// The table with this circle, a list of at most 64 different patches.
    pub(super) fn new(equipment: &Arc<Equipment>, circle: Vec<PatchId>) -> Table {
        let mut place_of = [0; PATCHES_MAX];
        for (place, id) in (0..).zip(&circle) {
            place_of[id.index()] = place;
        }
        Table { equipment: Arc::clone(equipment), circle, place_of }
    }

    /// The patches, the track and the rules.
    pub fn equipment(&self) -> &Arc<Equipment> {
        &self.equipment
    }

    /// The time track.
    pub fn track(&self) -> &Track {
        self.equipment.track()
    }

    /// A patch with its price.
    pub fn patch(&self, id: PatchId) -> &PricedPatch {
        self.equipment.patch(id)
    }

    /// The patch that lies in this place at the start.
    pub(super) fn at(&self, place: u8) -> PatchId {
        self.circle[usize::from(place)]
    }

    /// The place in which this patch lies at the start.
    #[inline(always)]
    pub(super) fn place_of(&self, id: PatchId) -> u8 {
        self.place_of[id.index()]
    }

    /// How many patches there are at the start.
    pub(super) fn places(&self) -> u32 {
        self.circle.len() as u32
    }
}
