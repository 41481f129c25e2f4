//! The scratch folder and the control group of one bot.

use rustix::process::Pid;

use crate::contain::cgroup::Group;
use crate::contain::scratch::Scratch;
use crate::contain::{Layer, make_writable};
use crate::keeper::{Hold, Places, Plan};

/// The scratch folder and the control group of one bot. They are removed with the bot.
pub(super) struct Room {
    pub(super) scratch: Option<Scratch>,
    pub(super) group: Option<Group>,
}

impl Room {
    pub(super) fn make(own: Pid, plan: &Plan, hold: Hold, places: &Places) -> Room {
        let wish = &plan.wish;
        let may_mount = hold.containment.is_namespace();
        if hold.layers.has(Layer::ReadOnly) {
            // A folder that cannot be made writable stays read-only; the bot gets an error when it writes.
            wish.write.iter().for_each(|folder| _ = make_writable(folder));
        }
        let scratch = places.scratch.as_ref().filter(|_| wish.layers.has(Layer::Scratch));
        let groups = places.groups.as_ref().filter(|_| wish.layers.has(Layer::Cgroup));
        Room {
            scratch: scratch
                .and_then(|root| Scratch::make(root, own, wish.scratch_bytes_max, hold.user, may_mount)),
            group: groups.and_then(|groups| Group::make(groups, wish, own)),
        }
    }
}
