//! Advice for failures, with code in the bot's language if the command reveals the language.

use engine::wire::FaultKind;

use crate::templates::{self, Idioms};
use referee::seats::fault::Fault;
use sandbox::Command;

/// Hints for one bot.
#[derive(Clone, Debug)]
pub(super) struct Hints {
    idioms: Option<&'static Idioms>,
    /// True if the author of the bot has no arena at hand.
    is_foreign: bool,
}

impl Hints {
    /// Returns the hints for a bot with this command.
    pub(super) fn for_command(command: &Command) -> Hints {
        let idioms = templates::language_of(&command.argv).map(|kit| &kit.facts().hints);
        Hints { idioms, is_foreign: command.is_foreign }
    }

    fn idiom(&self, which: fn(&Idioms) -> &str) -> String {
        self.idioms.map_or(String::new(), |idioms| format!(": {}", which(idioms)))
    }

    /// Returns the language's way to flush, to append to a sentence.
    pub(super) fn flush(&self) -> String {
        self.idiom(|idioms| &idioms.flush)
    }

    /// Returns the language's way to exit at the end of input, to append to a sentence.
    pub(super) fn end(&self) -> String {
        self.idiom(|idioms| &idioms.end)
    }

    /// Returns advice for wrong output on stdout.
    pub(super) fn stdout(&self) -> String {
        let debug = self.idiom(|idioms| &idioms.debug);
        format!("stdout is for one answer a question, print everything else to stderr{debug}")
    }

    /// Returns advice for a late bot that flushes its output.
    pub(super) fn slow(&self) -> String {
        "it holds no answer back, so it is too slow or waits for something: look at \"time_ms\", load less \
         before \"ready\", or try a longer --move-time or --startup-time"
            .to_owned()
    }

    /// Returns advice for a fault. `situation` is the hint of the prepared match, if it has one.
    pub(super) fn of(&self, fault: &Fault, situation: &str) -> String {
        match fault.kind {
            FaultKind::Malformed | FaultKind::Oversize if situation.is_empty() => self.stdout(),
            FaultKind::Id if situation.is_empty() => {
                "copy \"id\" from the turn into its answer, and answer each turn once".to_owned()
            }
            FaultKind::Illegal if situation.is_empty() => {
                "\"arena moves --explain\" tells which rule a move breaks, \"arena moves\" lists the legal ones"
                    .to_owned()
            }
            FaultKind::Exit if situation.is_empty() && self.is_foreign => {
                "its stderr is quoted: mend what it says".to_owned()
            }
            FaultKind::Exit if situation.is_empty() => {
                "its stderr is quoted; \"arena feed --debug\" runs it in a debugger".to_owned()
            }
            _ => situation.to_owned(),
        }
    }
}
