//! The restrictions on bots on the current machine. They are found by starting a process, shown to the user, and
//! stored in the tournament's file.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Failed;
use crate::command::OWN_EXECUTABLE;
use crate::confine;
use crate::{BotProcess, Command, Host, Layer, Layers, SandboxLevel};

/// An argument with which the program ends at once.
const PROBE_ARG: &str = "--version";

/// The degree to which bots are stopped outside of their turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Freeze {
    /// They are not.
    #[default]
    Off,
    /// They are by signals, again and again: a bot may have ways to go on in between, which is counted and bounded.
    BestEffort,
    /// They are, with everything that they start, by the kernel's freezer of control groups.
    Complete,
}

/// How bots are contained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contained {
    /// The requested level.
    pub mode: SandboxLevel,
    /// The layers that hold.
    pub held: Vec<Layer>,
    /// The layers that were tried and are not to be had here.
    pub missing: Vec<Layer>,
    /// The kernel's version of Landlock, where that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landlock_abi: Option<u32>,
    /// The degree to which bots are stopped outside of their turns.
    #[serde(default)]
    pub freeze: Freeze,
}

impl Contained {
    /// Starts a process in the same way as a bot, and returns the layers that hold.
    ///
    /// # Errors
    /// No process can be started.
    pub async fn survey(host: &Host) -> Result<Contained, Failed> {
        let mut probe =
            Command::new("probe", [OWN_EXECUTABLE, PROBE_ARG]).map_err(|error| Failed::new(&error))?;
        probe.rights.read.push(OWN_EXECUTABLE.into());
        let bot = BotProcess::spawn_unchecked(&probe, host).await.map_err(|error| Failed::new(&error))?;
        let held = bot.layers();
        bot.kill().await;
        let contained = Contained::of(host.contain, held, rustix::process::getuid().is_root());
        Ok(contained.with_freeze(host.freezes()))
    }

    fn of(mode: SandboxLevel, held: Layers, is_root: bool) -> Contained {
        let is_missed = |layer: &Layer| match layer {
            Layer::UserNamespace => false, // only needed by other layers
            Layer::OwnUser => is_root,
            _ => true,
        };
        let missing = mode.layers().iter().filter(|layer| !held.has(*layer)).filter(is_missed);
        let landlock_abi = confine::landlock().filter(|_| held.has(Layer::Landlock)).map(|(abi, _)| abi);
        let (held, missing) = (held.iter().collect(), missing.collect());
        Contained { mode, held, missing, landlock_abi, freeze: Freeze::Off }
    }

    /// Returns the result with the state of freezing. `is_wanted` is true if bots are frozen outside their turns.
    fn with_freeze(self, is_wanted: bool) -> Contained {
        let freeze = match (is_wanted, self.held.contains(&Layer::Cgroup)) {
            (false, _) => Freeze::Off,
            (true, false) => Freeze::BestEffort,
            (true, true) => Freeze::Complete,
        };
        Contained { freeze, ..self }
    }

    /// Returns what holds in both of two runs: the weaker level and the common layers.
    pub fn weakest(&self, other: &Contained) -> Contained {
        let held = self.held.iter().filter(|layer| other.held.contains(layer)).copied().collect();
        let missing: BTreeSet<Layer> = self.missing.iter().chain(&other.missing).copied().collect();
        let modes = [self.mode, other.mode];
        Contained {
            mode: modes.into_iter().min_by_key(|mode| mode.strength()).expect("there are two"),
            held,
            missing: missing.into_iter().collect(),
            landlock_abi: self.landlock_abi.min(other.landlock_abi),
            freeze: self.freeze.min(other.freeze),
        }
    }

    /// Describes how `later` contains bots less than this. Returns `None` if it does not.
    pub fn weakened_by(&self, later: &Contained) -> Option<String> {
        let lost = later.missing.iter().find(|layer| !self.missing.contains(layer));
        match later.mode.strength().cmp(&self.mode.strength()) {
            Ordering::Less => {
                Some(format!("--contain is {} instead of {}", later.mode.as_str(), self.mode.as_str()))
            }
            Ordering::Equal => lost.map(|layer| format!("the sandbox has no {}", layer.as_str())),
            Ordering::Greater => None,
        }
    }

    /// Checks that programs may be started with these layers. An arena that runs as root and cannot give programs
    /// another user needs `allow_root`.
    ///
    /// # Errors
    /// A required layer is missing.
    pub fn check(&self, allow_root: bool) -> Result<(), Shortage> {
        if self.missing.contains(&Layer::OwnUser) && !allow_root {
            return Err(Shortage::OwnUser);
        }
        let needed = |layer: &&Layer| self.mode.required().contains(layer);
        self.missing.iter().find(needed).map_or(Ok(()), |layer| Err(Shortage::Required(*layer)))
    }
}

/// A required part of the sandbox that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// Programs would run as root.
    OwnUser,
    /// A layer that the level requires.
    Required(Layer),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_needs_what_auto_only_tries() {
        let held = Layers::ALL.without(Layer::NetNamespace).without(Layer::OwnUser);
        let auto = Contained::of(SandboxLevel::Auto, held, false);
        assert_eq!(auto.missing, [Layer::NetNamespace]);
        assert!(auto.check(false).is_ok());
        assert!(Contained::of(SandboxLevel::Strict, held, false).check(false).is_err());
        assert!(Contained::of(SandboxLevel::Strict, Layers::ALL, false).check(false).is_ok());
        let usual = Layers::ALL.without(Layer::CgroupLimits);
        assert!(Contained::of(SandboxLevel::Strict, usual, false).check(false).is_ok());
        assert!(Contained::of(SandboxLevel::StrictCgroup, usual, false).check(false).is_err());
        assert!(Contained::of(SandboxLevel::StrictCgroup, Layers::ALL, false).check(false).is_ok());
    }

    #[test]
    fn two_runs_have_the_weaker_level_and_the_common_layers() {
        let strict = Contained::of(SandboxLevel::Strict, Layers::ALL, false);
        let auto = Contained::of(SandboxLevel::Auto, Layers::ALL.without(Layer::NetNamespace), false);
        let off = Contained::of(SandboxLevel::Off, Layers::NONE, false);
        assert_eq!((strict.weakest(&auto), auto.weakest(&strict)), (auto.clone(), auto.clone()));
        assert_eq!((strict.weakest(&off).mode, strict.weakest(&off).held), (SandboxLevel::Off, Vec::new()));
        assert_eq!(strict.weakened_by(&off).as_deref(), Some("--contain is off instead of strict"));
        assert!(auto.weakened_by(&strict).is_none() && strict.weakened_by(&strict).is_none());
        let all = Contained { mode: SandboxLevel::Auto, ..strict.clone() };
        assert!(off.weakened_by(&auto).is_none() && auto.weakened_by(&strict).is_none());
        assert!(all.weakened_by(&auto).is_some_and(|text| text.starts_with("the sandbox has no ")));
    }

    #[test]
    fn freezing_is_complete_with_a_control_group_alone() {
        let of = |held: Layers| Contained::of(SandboxLevel::Auto, held, false).with_freeze(true);
        assert_eq!(of(Layers::ALL).freeze, Freeze::Complete);
        let usual = of(Layers::ALL.without(Layer::Cgroup).without(Layer::CgroupLimits));
        assert_eq!(usual.freeze, Freeze::BestEffort);
        let off = Contained::of(SandboxLevel::Off, Layers::NONE, false);
        assert_eq!(off.clone().with_freeze(false), off);
    }

    #[test]
    fn root_without_users_to_give_is_refused_unless_allowed() {
        let held = Layers::ALL.without(Layer::OwnUser);
        let contained = Contained::of(SandboxLevel::Auto, held, true);
        assert!(contained.check(false).is_err());
        assert!(contained.check(true).is_ok());
        assert!(Contained::of(SandboxLevel::Off, Layers::NONE, true).check(false).is_ok());
    }
}
