//! The steps of a start, as a supervisor reports them.

/// The step of a start that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    /// A pipe or a process of the arena could not be made: the machine's fault.
    Fork,
    /// The copies of the bot's files could not cover the files.
    Hold,
    /// A resource limit could not be set.
    Limit,
    /// The working directory could not be entered.
    Dir,
    /// The program could not be executed.
    Exec,
}

impl Stage {
    /// Every stage, indexed by its code in a report.
    pub(crate) const ALL: [Stage; 5] = [Stage::Fork, Stage::Hold, Stage::Limit, Stage::Dir, Stage::Exec];
}
