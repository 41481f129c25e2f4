//! The numbers with which sheets are weighed.
//!
//! They were found by trying random changes to a few of them at a time, always on new deals, and
//! keeping those that scored more; deals that strength is reported on were not among them. A
//! difficulty is counted in ordinary empty cells.

/// How many cells of a rectangle a turn fills.
pub(crate) const PACE: f32 = 4.0;
/// How much more is filled however few turns are left, thanks to special actions.
pub(crate) const RESERVE: f32 = 1.5;
/// How vague that is in any case.
pub(crate) const SPREAD: f32 = 0.66;
/// How much vaguer it gets with the square root of the turns.
pub(crate) const SPREAD_TURN: f32 = 1.0;

/// How much harder than another a cell of a rectangle is that stands alone.
pub(crate) const LONE: f32 = 2.5;
/// The same for the end of a gap.
pub(crate) const END: f32 = 1.0;
/// The same for the middle of a gap and for a corner.
pub(crate) const NARROW: f32 = 0.25;

/// How much of the smaller rectangles is left when a bigger one was tried in vain.
pub(crate) const FALL_BACK: f32 = 0.725;

/// How many cells of the whole sheet a turn fills.
pub(crate) const LEFT_PACE: f32 = 4.9;
/// How vague that is.
pub(crate) const LEFT_SPREAD: f32 = 1.7;
/// How much harder than another a cell of the sheet is to fill that stands alone.
pub(crate) const LEFT_LONE: f32 = 1.45;
/// The same for the end of a gap.
pub(crate) const LEFT_END: f32 = 0.8;
/// The same for the middle of a gap and for a corner.
pub(crate) const LEFT_NARROW: f32 = 0.14;

/// Points that a cell that stands alone costs however many turns are left.
pub(crate) const TROUBLE_LONE: f32 = 0.36;
/// The same for the end of a gap.
pub(crate) const TROUBLE_END: f32 = 0.3;
/// The same for the middle of a gap and for a corner.
pub(crate) const TROUBLE_NARROW: f32 = 0.18;

/// Points that each special action kept is worth with the whole match to come: neighbor, single,
/// cut, repeat.
pub(crate) const WORTH: [f32; 4] = [3.0, 3.9, 3.2, 4.7];
/// With so many turns left an action kept is worth half of that; with none, nothing.
pub(crate) const WORTH_HALVED: f32 = 1.5;

/// Points that each of the three cards the next roll picks from costs if it fits nowhere.
pub(crate) const STUCK: f32 = 1.0;
