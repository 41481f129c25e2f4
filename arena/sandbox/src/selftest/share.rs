//! The rule by which the kernel divides the cores among bots that think at the same time.

use std::fs;

use serde::Serialize;

use crate::confine::cgroup;

/// The unit by which the kernel divides the cores first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// Among control groups; each bot has one.
    Group,
    /// Among sessions; each bot has one while bots think.
    Session,
    /// Among threads: a bot with more threads gets more.
    Thread,
}

impl Share {
    /// Returns the rule for processes of the current control group. `has_groups` is true if each bot has a group with
    /// limits.
    pub(super) fn here(has_groups: bool) -> Share {
        let by_session = fs::read_to_string("/proc/sys/kernel/sched_autogroup_enabled");
        if has_groups && cgroup::own_has("cpu") {
            Share::Group
        } else if by_session.is_ok_and(|text| text.trim() == "1") && !cgroup::shares_cores_with_others() {
            Share::Session
        } else {
            Share::Thread
        }
    }

    /// Returns a description in words.
    pub fn about(self) -> &'static str {
        match self {
            Share::Group => "each bot has an equal share of the cores, by its control group",
            Share::Session => "each bot has an equal share of the cores, by its session",
            Share::Thread => "a bot with more threads has a larger share of the cores",
        }
    }

    /// Returns the way to get equal shares, or `None` if shares are equal.
    pub fn remedy(self) -> Option<&'static str> {
        match self {
            Share::Group | Share::Session => None,
            Share::Thread => Some(
                "equal shares of the cores (systemd-run --user --scope -p Delegate=yes, or sysctl \
                 kernel.sched_autogroup_enabled=1 where the arena is in no control group with \"cpu\")",
            ),
        }
    }
}
