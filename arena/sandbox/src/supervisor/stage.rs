//! The steps of a start, as a supervisor reports them.

/// The step of a start that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    /// A pipe or a process of the arena could not be made: the machine's fault.
    Fork,
    /// A resource limit could not be set.
    Limit,
    /// The working directory could not be entered.
    Dir,
    /// The program could not be executed.
    Exec,
}

impl Stage {
    /// Every stage, indexed by its code in a report.
    pub(crate) const ALL: [Stage; 4] = [Stage::Fork, Stage::Limit, Stage::Dir, Stage::Exec];
}
