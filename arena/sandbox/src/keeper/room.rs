//! What is one bot's alone.

use rustix::process::Pid;

use crate::contain::Layer;
use crate::contain::cgroup::Group;
use crate::contain::scratch::Scratch;
use crate::keeper::{Hold, Places, Plan};

/// What is one bot's alone, and goes with it.
pub(super) struct Room {
    pub(super) scratch: Option<Scratch>,
    pub(super) group: Option<Group>,
}

impl Room {
    pub(super) fn make(own: Pid, plan: &Plan, hold: Hold, places: &Places) -> Room {
        let wish = &plan.wish;
        let may_mount = hold.containment.is_namespace();
        let scratch = places.scratch.as_ref().filter(|_| wish.layers.has(Layer::Scratch));
        let groups = places.groups.as_ref().filter(|_| wish.layers.has(Layer::Cgroup));
        Room {
            scratch: scratch
                .and_then(|root| Scratch::make(root, own, wish.scratch_bytes_max, hold.user, may_mount)),
            group: groups.and_then(|groups| Group::make(groups, wish, own)),
        }
    }
}
