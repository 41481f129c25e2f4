//! What a keeper is told on its command line, and how the arena writes it there.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::KEEP_ARG;
use crate::bot::host::Contain;

/// Stands for "none" in a position; a path never equals it, because paths are absolute here.
const NONE: &str = "-";

/// Everything a keeper needs beside the environment and the three standard streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The process that must be the keeper's parent.
    pub(crate) arena_pid: i32,
    /// The containment to try.
    pub(crate) contain: Contain,
    /// Data segment limit for the bot, in bytes.
    pub(crate) memory_bytes_max: Option<u64>,
    /// The soft limit of open files to give back to the bot.
    pub(crate) open_files_soft: Option<u64>,
    /// The bot's working directory, absolute.
    pub(crate) dir: Option<PathBuf>,
    /// The program and its arguments; never empty.
    pub(crate) argv: Vec<OsString>,
}

impl Plan {
    /// The arguments that make the arena's executable a keeper with this plan.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let number = |value: Option<u64>| match value {
            Some(value) => OsString::from(value.to_string()),
            None => OsString::from(NONE),
        };
        let mut args = vec![
            OsString::from(KEEP_ARG),
            OsString::from(self.arena_pid.to_string()),
            OsString::from(self.contain.as_str()),
            number(self.memory_bytes_max),
            number(self.open_files_soft),
            self.dir.clone().map_or_else(|| OsString::from(NONE), PathBuf::into_os_string),
        ];
        args.extend(self.argv.iter().cloned());
        args
    }

    /// Reads the arguments after [`KEEP_ARG`]; `None` if no arena wrote them.
    pub(super) fn from_args(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        let plan = Plan {
            arena_pid: args.next()?.to_str()?.parse().ok()?,
            contain: Contain::from_word(args.next()?.to_str()?)?,
            memory_bytes_max: number(&args.next()?)?,
            open_files_soft: number(&args.next()?)?,
            dir: args.next().map(|dir| (dir != NONE).then(|| PathBuf::from(dir)))?,
            argv: args.collect(),
        };
        (!plan.argv.is_empty()).then_some(plan)
    }
}

/// A number or [`NONE`]; the outer `None` is neither.
fn number(word: &OsStr) -> Option<Option<u64>> {
    match word.to_str()? {
        NONE => Some(None),
        digits => digits.parse().ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_read_back_as_the_plan() {
        for (limit, dir) in [(None, None), (Some(7), Some(PathBuf::from("/tmp")))] {
            let plan = Plan {
                arena_pid: 12,
                contain: Contain::Auto,
                memory_bytes_max: limit,
                open_files_soft: limit,
                dir,
                argv: vec!["prog".into(), "-".into(), "two words".into()],
            };
            let mut args = plan.to_args().into_iter();
            assert_eq!(args.next(), Some(OsString::from(KEEP_ARG)));
            assert_eq!(Plan::from_args(args), Some(plan));
        }
        assert_eq!(Plan::from_args(["1", "auto"].map(OsString::from).into_iter()), None);
    }
}
