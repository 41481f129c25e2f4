//! Parameters found by random search, not [learned](super::Learned). Random changes to a few of them were
//! kept if they scored more, always on new deals. The deals of published results were not among them.
//! Difficulties are in ordinary empty cells.

/// The extra difficulty of an isolated cell.
pub(crate) const LONE: f32 = 2.5;
/// The extra difficulty of the end of a gap.
pub(crate) const END: f32 = 1.0;
/// The extra difficulty of the middle of a gap and of a corner.
pub(crate) const NARROW: f32 = 0.25;

/// The cost of each card that the next roll can choose and that fits nowhere, in points.
pub(crate) const STUCK: f32 = 1.0;
