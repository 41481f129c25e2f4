//! What bots are kept from on this machine: found out by starting one, told to the user, kept in the
//! tournament's file.

use serde::{Deserialize, Serialize};

use crate::bot::{BotProcess, Command, Contain, Host, Layer, Layers};
use crate::error::Error;

/// This program, also after its file was replaced by a new build.
const OWN_EXECUTABLE: &str = "/proc/self/exe";
/// Something that it does in no time.
const PROBE_ARG: &str = "--version";

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
        Ok(Contained::of(host.containment(), held, rustix::process::getuid().is_root()))
    }

    fn of(mode: Contain, held: Layers, is_root: bool) -> Contained {
        let is_missed = |layer: &Layer| match layer {
            Layer::UserNamespace => false, // a means to the others
            Layer::OwnUser => is_root,
            _ => true,
        };
        let missing = mode.layers().iter().filter(|layer| !held.has(*layer)).filter(is_missed);
        Contained { mode, held: held.iter().collect(), missing: missing.collect() }
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
        let needed = |layer: &&Layer| self.mode == Contain::Strict && Layer::STRICT.contains(layer);
        match self.missing.iter().find(needed) {
            None => Ok(()),
            Some(layer) => Err(Error::usage(format!("--contain strict: no {} here", layer.as_str()))
                .hint(format!("{}; \"arena doctor\" tells more", layer.remedy()))),
        }
    }

    /// What a table must not keep quiet, as a paragraph for the terminal: nothing, or that bots were not contained.
    pub fn caption(&self) -> &'static str {
        match self.mode {
            Contain::Off => "\nBots were not contained (--contain off).\n",
            _ => "",
        }
    }

    /// A line for each missing layer.
    pub fn notes(&self) -> Vec<String> {
        if self.mode == Contain::Off {
            return vec!["note: bots are not contained (--contain off)".to_owned()];
        }
        let note =
            |layer: &Layer| format!("note: no {}: {}; see \"arena doctor\"", layer.as_str(), layer.without());
        self.missing.iter().map(note).collect()
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
