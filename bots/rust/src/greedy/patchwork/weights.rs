//! Parameters of the Patchwork evaluation.
//!
//! Random search found them: it changed a few parameters at a time and kept changes that scored more. Each
//! trial used new deals, against `random` and against the previous bot. The deals of published results were
//! not among them. Values of buttons and points are in points.

/// The extra value of a button with the whole track ahead, because it buys patches that earn.
pub(super) const BUTTON_EARLY: f32 = 0.321;
/// The value of a button that the quilt earns later, at the end of the track.
pub(super) const INCOME: f32 = 1.0;
/// The extra value of such a button with the whole track ahead.
pub(super) const INCOME_EARLY: f32 = 0.297;
/// The value of a space ahead of the token. An advance pays one button per space.
pub(super) const TIME: f32 = 1.0;

/// The net cost of covering a cell later: buttons and time, minus earnings.
pub(super) const CELL: f32 = 1.04;
/// Cells that each space of the track lets a player cover.
pub(super) const PACE_TIME: f32 = 1.8;
/// Cells that each button lets a player cover.
pub(super) const PACE_BUTTONS: f32 = 2.06;
/// The share of future income that arrives early enough to be spent.
pub(super) const PACE_INCOME: f32 = 0.93;
/// Cells covered without money: by free patches, and with buttons paid for advancing.
pub(super) const RESERVE: f32 = 2.44;
/// The smoothing of these estimates, in cells.
pub(super) const SPREAD: f32 = 3.0;

/// The extra difficulty of a cell that only leather covers, in cells.
pub(super) const LEFT_LONE: f32 = 1.08;
/// The extra difficulty of the end of a gap, in cells.
pub(super) const LEFT_ENDS: f32 = 0.33;
/// The extra difficulty of a cell in an alley one cell wide, in cells.
pub(super) const LEFT_THIN: f32 = -0.0514;

/// The cost of a cell that only leather covers, in addition to its difficulty.
pub(super) const TROUBLE_LONE: f32 = 0.521;
/// The cost of the end of a gap.
pub(super) const TROUBLE_ENDS: f32 = 0.271;
/// The cost of a cell in an alley one cell wide.
pub(super) const TROUBLE_THIN: f32 = 0.0582;
/// The cost of each edge between an empty and a covered cell.
pub(super) const TROUBLE_SIDES: f32 = 0.2;
/// The cost of each connected component of the empty cells.
pub(super) const TROUBLE_PARTS: f32 = 0.527;
/// The number of remaining spaces at which all `TROUBLE_*` costs count half. They vanish at the end of the
/// track.
pub(super) const TROUBLE_HALVED: f32 = 5.45;

/// The value of a leather patch due now, in addition to the cell that it covers.
pub(super) const LEATHER: f32 = 0.5;

/// Cells of the 7x7 square that each space of the track lets a player cover.
pub(super) const BONUS_PACE: f32 = 1.29;
/// Cells of the 7x7 square that are covered in any case.
pub(super) const BONUS_RESERVE: f32 = 0.0034;
/// The cells that the opponent must lack beyond one move to halve the expectation for the tile.
pub(super) const BONUS_RIVAL: f32 = 3.0;
/// The uncertainty of reaching the tile, in cells.
pub(super) const BONUS_SPREAD: f32 = 12.1;

/// The cost of a space of the track in the price of a patch.
pub(super) const PATCH_TIME: f32 = 0.999;
/// The share of the best patch on offer that counts for this seat if it moves again.
pub(super) const AGAIN: f32 = 0.5;
/// The share of the best patch on offer that counts against this seat if the opponent moves.
pub(super) const DENY: f32 = 0.353;

/// The share of a patch's gain that is lost if the patch fits nowhere.
pub(super) const STUCK: f32 = 0.75;
/// The number of placements at which the expected loss is half as large.
pub(super) const FEW: f32 = 8.0;
/// The weight of each patch of the circle relative to the patch before it.
pub(super) const FURTHER: f32 = 0.883;
