//! What bots are kept from on this machine: found out by starting one, told to the user, kept in the
//! tournament's file.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::seats::bot::contain;
use crate::seats::bot::{BotProcess, Command, Contain, Host, Layer, Layers};

/// This program, also after its file was replaced by a new build.
const OWN_EXECUTABLE: &str = "/proc/self/exe";
/// Something that it does in no time.
const PROBE_ARG: &str = "--version";

/// Whether bots are stopped outside of their turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What was asked for.
    pub mode: Contain,
    /// The layers that hold.
    pub held: Vec<Layer>,
    /// The layers that were tried and are not to be had here.
    pub missing: Vec<Layer>,
    /// The kernel's version of Landlock, where that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landlock_abi: Option<u32>,
    /// Whether bots are stopped outside of their turns.
    #[serde(default)]
    pub freeze: Freeze,
}

impl Contained {
    /// Starts a process as bots are started, and asks what holds.
    ///
    /// # Errors
    /// Where no process can be started.
    pub async fn survey(host: &Host) -> Result<Contained, Error> {
        let mut probe = Command::new("probe", [OWN_EXECUTABLE, PROBE_ARG])
            .map_err(|error| Error::host(error.to_string()))?;
        probe.rights.read.push(OWN_EXECUTABLE.into());
        let bot = BotProcess::spawn(&probe, host).await.map_err(|error| Error::host(error.to_string()))?;
        let held = bot.layers();
        bot.kill().await;
        let contained = Contained::of(host.containment(), held, rustix::process::getuid().is_root());
        Ok(contained.with_freeze(host.freezes()))
    }

    fn of(mode: Contain, held: Layers, is_root: bool) -> Contained {
        let is_missed = |layer: &Layer| match layer {
            Layer::UserNamespace => false, // a means to the others
            Layer::OwnUser => is_root,
            _ => true,
        };
        let missing = mode.layers().iter().filter(|layer| !held.has(*layer)).filter(is_missed);
        let landlock_abi = contain::landlock().filter(|_| held.has(Layer::Landlock)).map(|(abi, _)| abi);
        let (held, missing) = (held.iter().collect(), missing.collect());
        Contained { mode, held, missing, landlock_abi, freeze: Freeze::Off }
    }

    /// The same where bots are stopped outside of their turns, or not.
    fn with_freeze(self, is_wanted: bool) -> Contained {
        let freeze = match (is_wanted, self.held.contains(&Layer::Cgroup)) {
            (false, _) => Freeze::Off,
            (true, false) => Freeze::BestEffort,
            (true, true) => Freeze::Complete,
        };
        Contained { freeze, ..self }
    }

    /// Whether bots may be started so.
    ///
    /// # Errors
    /// What is missing, and what to do about it.
    pub fn check(&self, allow_root: bool) -> Result<(), Error> {
        if self.missing.contains(&Layer::OwnUser) && !allow_root {
            return Err(Error::usage("bots would run as root: this system gives them no users of their own")
                .hint("run the arena as an ordinary user, or say --allow-root"));
        }
        let needed = |layer: &&Layer| self.mode.required().contains(layer);
        match self.missing.iter().find(needed) {
            None => Ok(()),
            Some(layer) => {
                Err(Error::usage(format!("--contain {}: no {} here", self.mode.as_str(), layer.as_str()))
                    .hint(format!("{}; \"arena doctor\" tells more", layer.remedy())))
            }
        }
    }

    /// The line below standings of bots that ran without the sandbox.
    pub fn caption(&self) -> Option<&'static str> {
        (self.mode == Contain::Off).then_some("Bots were not contained (--contain off).\n")
    }

    /// A line for each missing layer that a machine usually has, and for a bot's ways around being stopped where these
    /// are many.
    pub fn notes(&self) -> Vec<String> {
        let note =
            |layer: &Layer| format!("note: no {}: {}; see \"arena doctor\"", layer.as_str(), layer.without());
        let mut notes: Vec<String> = match self.mode {
            Contain::Off => vec!["note: bots are not contained (--contain off)".to_owned()],
            _ => self.missing.iter().filter(|layer| !layer.is_rare()).map(note).collect(),
        };
        if self.freeze == Freeze::BestEffort && !self.held.contains(&Layer::Seccomp) {
            let why = "without seccomp a bot can leave the group that is stopped";
            notes.push(format!("note: --freeze is best effort: {why}"));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_needs_what_auto_only_tries() {
        let held = Layers::ALL.without(Layer::NetNamespace).without(Layer::OwnUser);
        let auto = Contained::of(Contain::Auto, held, false);
        assert_eq!(auto.missing, [Layer::NetNamespace]);
        assert!(auto.check(false).is_ok());
        assert_eq!(auto.notes().len(), 1);
        assert!(Contained::of(Contain::Strict, held, false).check(false).is_err());
        assert!(Contained::of(Contain::Strict, Layers::ALL, false).check(false).is_ok());
        let usual = Layers::ALL.without(Layer::CgroupLimits);
        assert!(Contained::of(Contain::Strict, usual, false).check(false).is_ok());
        assert!(Contained::of(Contain::StrictCgroup, usual, false).check(false).is_err());
        assert!(Contained::of(Contain::StrictCgroup, Layers::ALL, false).check(false).is_ok());
    }

    #[test]
    fn freezing_is_complete_with_a_control_group_alone() {
        let of = |held: Layers| Contained::of(Contain::Auto, held, false).with_freeze(true);
        assert_eq!(of(Layers::ALL).freeze, Freeze::Complete);
        assert!(of(Layers::ALL).notes().is_empty());
        let usual = of(Layers::ALL.without(Layer::Cgroup).without(Layer::CgroupLimits));
        assert_eq!((usual.freeze, usual.notes().len()), (Freeze::BestEffort, 0));
        let hardly = of(Layers::ALL.without(Layer::Cgroup).without(Layer::Seccomp));
        assert_eq!((hardly.freeze, hardly.notes().len()), (Freeze::BestEffort, 2));
        let off = Contained::of(Contain::Off, Layers::NONE, false);
        assert_eq!(off.clone().with_freeze(false), off);
        assert_eq!(off.with_freeze(true).notes().len(), 2);
    }

    #[test]
    fn root_without_users_to_give_is_refused_unless_allowed() {
        let held = Layers::ALL.without(Layer::OwnUser);
        let contained = Contained::of(Contain::Auto, held, true);
        assert!(contained.check(false).is_err());
        assert!(contained.check(true).is_ok());
        assert!(Contained::of(Contain::Off, Layers::NONE, true).check(false).is_ok());
    }
}
