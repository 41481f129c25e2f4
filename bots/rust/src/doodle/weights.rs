//! Numbers that were found by trying, not [learned](super::Learned): random changes to a few of them at a time, always
//! on new deals, were kept where they scored more; deals that strength is reported on were not among them. A difficulty is
//! counted in ordinary empty cells.

/// How much harder than another a cell of a rectangle is that stands alone.
pub(crate) const LONE: f32 = 2.5;
/// The same for the end of a gap.
pub(crate) const END: f32 = 1.0;
/// The same for the middle of a gap and for a corner.
pub(crate) const NARROW: f32 = 0.25;

/// Points that each of the three cards the next roll picks from costs if it fits nowhere.
pub(crate) const STUCK: f32 = 1.0;
