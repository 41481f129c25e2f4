//! The scratch folder and the control group of one bot.

use rustix::process::Pid;

use crate::confine::cgroup::Group;
use crate::confine::scratch::{Growing, Scratch};
use crate::confine::{Layer, make_writable};
use crate::supervisor::{Hold, Places, Plan};

/// The scratch folder and the control group of one bot. They are removed with the bot.
pub(super) struct Resources {
    pub(super) scratch: Option<Scratch>,
    pub(super) group: Option<Group>,
    /// The folders outside that it may write to, if their growth is limited.
    pub(super) growing: Vec<Growing>,
}

impl Resources {
    pub(super) fn make(own: Pid, plan: &Plan, hold: Hold, places: &Places) -> Resources {
        let spec = &plan.spec;
        let may_mount = hold.containment.is_namespace();
        if hold.layers.has(Layer::ReadOnly) {
            // A folder that cannot be made writable stays read-only; the bot gets an error when it writes.
            spec.rights.write.iter().for_each(|folder| _ = make_writable(folder));
        }
        let scratch = places.scratch.as_ref().filter(|_| spec.layers.has(Layer::Scratch));
        let groups = places.groups.as_ref().filter(|_| spec.layers.has(Layer::Cgroup));
        let growing = |bytes| spec.rights.write.iter().map(move |folder| Growing::new(folder, bytes));
        Resources {
            growing: spec.growth_bytes.into_iter().flat_map(growing).collect(),
            scratch: scratch.and_then(|root| {
                Scratch::make(root, own, spec.rights.scratch_bytes_max(), hold.user, may_mount)
            }),
            group: groups.and_then(|groups| Group::make(groups, spec, own)),
        }
    }
}
