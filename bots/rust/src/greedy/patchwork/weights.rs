//! The numbers with which positions are weighed.
//!
//! They were found by trying random changes to a few of them at a time, always on new deals, against
//! `random` and against the bot as it was before, and keeping those that scored more; deals that
//! strength is reported on were not among them. Sums of buttons and points are in points.

/// How much more than its point a button is worth with the whole track ahead: it can buy what earns.
pub(super) const BUTTON_EARLY: f32 = 0.321;
/// Points that a button still to be earned from the quilt counts for, at the end of the track.
pub(super) const INCOME: f32 = 1.0;
/// How much more it counts for with the whole track ahead.
pub(super) const INCOME_EARLY: f32 = 0.297;
/// Points that a space ahead of the token is worth: advancing over it pays one button.
pub(super) const TIME: f32 = 1.0;

/// What it costs in buttons and time, less what it earns, to cover a cell later.
pub(super) const CELL: f32 = 1.04;
/// How many cells a space of the track lets one cover.
pub(super) const PACE_TIME: f32 = 1.8;
/// How many cells a button lets one cover.
pub(super) const PACE_BUTTONS: f32 = 2.06;
/// How much of the buttons still to be earned comes early enough to be spent.
pub(super) const PACE_INCOME: f32 = 0.93;
/// Cells that are covered without money, by free patches and for buttons paid for advancing.
pub(super) const RESERVE: f32 = 2.44;
/// How vague all this is, in cells.
pub(super) const SPREAD: f32 = 3.0;

/// How much harder than another a cell is to cover that only leather fills.
pub(super) const LEFT_LONE: f32 = 1.08;
/// The same for the end of a gap.
pub(super) const LEFT_ENDS: f32 = 0.33;
/// The same for a cell of an alley one cell wide.
pub(super) const LEFT_THIN: f32 = -0.0514;

/// Points that a cell that only leather fills costs besides.
pub(super) const TROUBLE_LONE: f32 = 0.521;
/// The same for the end of a gap.
pub(super) const TROUBLE_ENDS: f32 = 0.271;
/// The same for a cell of an alley one cell wide.
pub(super) const TROUBLE_THIN: f32 = 0.0582;
/// The same for each side between an empty cell and a covered one.
pub(super) const TROUBLE_SIDES: f32 = 0.2;
/// The same for each part that the empty area falls into.
pub(super) const TROUBLE_PARTS: f32 = 0.527;
/// With so many spaces left all trouble counts for half of that; with none, nothing.
pub(super) const TROUBLE_HALVED: f32 = 5.45;

/// What a leather patch that is to be placed now is worth beyond the cell that it covers.
pub(super) const LEATHER: f32 = 0.5;

/// How many cells of the 7x7 square a space of the track lets one cover.
pub(super) const BONUS_PACE: f32 = 1.29;
/// How many more are covered in any case.
pub(super) const BONUS_RESERVE: f32 = 0.0034;
/// The hope for the tile is halved where the other player lacks so many cells beyond one move.
pub(super) const BONUS_RIVAL: f32 = 3.0;
/// How vague that is, in cells.
pub(super) const BONUS_SPREAD: f32 = 12.1;

/// Points that a space of the track counts for in the price of a patch.
pub(super) const PATCH_TIME: f32 = 0.999;
/// How much of the best patch on offer counts for this seat if it moves again.
pub(super) const AGAIN: f32 = 0.5;
/// How much of it counts against this seat if the other one moves.
pub(super) const DENY: f32 = 0.353;

/// How much of what a patch would bring in is lost if it fits nowhere.
pub(super) const STUCK: f32 = 0.75;
/// With so many ways to lie, half of that is feared to be lost in the end.
pub(super) const FEW: f32 = 8.0;
/// How much less each next patch of the circle counts than the one before.
pub(super) const FURTHER: f32 = 0.883;
