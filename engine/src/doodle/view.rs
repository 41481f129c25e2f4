//! The game on the wire: the state as a seat sees it, and a move as a bot writes it.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::doodle::deal::Phase;
#[cfg(feature = "schema")]
use crate::doodle::deal::{CIRCLE, CIRCLE_LEFT, ROUND_TURNS};
#[cfg(feature = "schema")]
use crate::doodle::sheet::ROUNDS;
use crate::doodle::sheet::{Sheet, Special, Specials};
use crate::shapes::bitboard::Bitboard;
#[cfg(feature = "schema")]
use crate::shapes::bitboard::{CELLS, Cell};
use crate::shapes::cells::Pair;
use crate::wire::json;
use crate::wire::name::CardName;

/// The most single cells in a move: the action itself and its repetition.
#[cfg(feature = "schema")]
const SINGLES_MAX: usize = 2;

/// The `state` of a `turn` message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Observation {
    /// The kind of decision.
    pub phase: Phase,
    /// The round, 1 to 3.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = ROUNDS)))]
    pub round: u8,
    /// The turn within the round, 1 to 6; 0 for the start patch.
    #[cfg_attr(feature = "schema", schemars(range(max = ROUND_TURNS)))]
    pub turn: u8,
    /// The circle, clockwise: from the token's card in a draw turn, otherwise from the token's gap.
    #[cfg_attr(feature = "schema", schemars(length(min = CIRCLE_LEFT, max = CIRCLE), extend("uniqueItems" = true)))]
    pub circle: Vec<CardName>,
    /// The cards that this seat can draw without a special action.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = CIRCLE_LEFT), extend("uniqueItems" = true)))]
    pub offer: Vec<CardName>,
    /// Patch cards that were never revealed, sorted by id.
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub unseen: Vec<CardName>,
    /// All sheets, in seat order.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub players: Vec<PlayerView>,
}

/// One sheet in an [`Observation`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayerView {
    /// The shaded cells.
    pub board: Bitboard,
    /// Points of the rounds scored so far.
    #[cfg_attr(feature = "schema", schemars(length(max = ROUNDS)))]
    pub rounds: Vec<u8>,
    /// The special actions left.
    pub actions: Specials,
}

impl PlayerView {
    /// The public view of a sheet after `rounds` scored rounds.
    pub fn new(sheet: &Sheet, rounds: usize) -> PlayerView {
        PlayerView { board: sheet.board, rounds: sheet.rounds[..rounds].to_vec(), actions: sheet.specials }
    }

    /// Appends the same view to a line, as JSON.
    pub(super) fn write(line: &mut Vec<u8>, sheet: &Sheet, rounds: usize) {
        json::raw(line, r#"{"board":"#);
        json::board(line, sheet.board);
        json::raw(line, r#","rounds":"#);
        json::list(line, sheet.rounds[..rounds].iter().copied(), json::number);
        json::raw(line, r#","actions":"#);
        json::list(line, sheet.specials.iter().map(Special::as_str), json::word);
        line.push(b'}');
    }
}

/// The `move` of an answer: a card and the cells shaded for it, or a pass. Both may have single cells.
/// The numbers are as the bot wrote them and may be outside the board.
///
/// # Examples
/// ```
/// use engine::doodle::WireMove;
///
/// let wire_move: WireMove = serde_json::from_str(r#"{"card":"P02","cells":[[0,0],[0,1]]}"#)?;
/// assert_eq!(wire_move.draw, Some(("P02".to_owned(), vec![[0, 0], [0, 1]])));
/// let pass = WireMove { draw: None, singles: vec![[4, 4]] };
/// assert_eq!(serde_json::to_string(&pass)?, r#"{"pass":true,"singles":[[4,4]]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WireMoveFields")]
pub struct WireMove {
    /// The card and its cells; `None` for a pass.
    pub draw: Option<(String, Vec<Pair>)>,
    /// Single cells.
    pub singles: Vec<Pair>,
}

/// The fields of a [`WireMove`] in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMoveFields {
    card: Option<String>,
    cells: Option<Vec<Pair>>,
    pass: Option<bool>,
    #[serde(default)]
    singles: Vec<Pair>,
}

impl TryFrom<WireMoveFields> for WireMove {
    type Error = &'static str;

    fn try_from(fields: WireMoveFields) -> Result<WireMove, &'static str> {
        let draw = match (fields.card, fields.cells, fields.pass) {
            (Some(card), Some(cells), None) => Some((card, cells)),
            (None, None, Some(true)) => None,
            (Some(_), None, None) => return Err("the move names a card but no \"cells\""),
            (None, Some(_), None) => return Err("the move has \"cells\" but names no \"card\""),
            (None, None, Some(false)) => return Err("\"pass\" can only be true"),
            (None, None, None) => {
                return Err("a move has \"card\" and \"cells\", or \"pass\": true");
            }
            (_, _, Some(_)) => return Err("a move cannot both pass and draw a card"),
        };
        Ok(WireMove { draw, singles: fields.singles })
    }
}

impl WireMove {
    /// Appends the move to a line as JSON, with the same bytes as serde.
    pub(super) fn write_json(&self, line: &mut Vec<u8>) {
        match &self.draw {
            Some((card, cells)) => {
                json::raw(line, r#"{"card":"#);
                json::text(line, card);
                json::raw(line, r#","cells":"#);
                json::list(line, cells, json::pair);
            }
            None => json::raw(line, r#"{"pass":true"#),
        }
        if !self.singles.is_empty() {
            json::raw(line, r#","singles":"#);
            json::list(line, &self.singles, json::pair);
        }
        line.push(b'}');
    }
}

/// Serializes without a copy of the cells.
impl Serialize for WireMove {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        match &self.draw {
            Some((card, cells)) => {
                fields.serialize_entry("card", card)?;
                fields.serialize_entry("cells", cells)?;
            }
            None => fields.serialize_entry("pass", &true)?,
        }
        if !self.singles.is_empty() {
            fields.serialize_entry("singles", &self.singles)?;
        }
        fields.end()
    }
}

/// The two forms, which differ in their fields. The schema is stricter than the parser: the parser
/// reads a cell outside the board, and the game then refuses it as `illegal`.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for WireMove {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Move".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let card = generator.subschema_for::<CardName>();
        let cells = Cell::list_schema(generator, "The cells that are shaded for the card.", 1..=CELLS.into());
        let singles = Cell::list_schema(generator, "Cells shaded with the single action.", 0..=SINGLES_MAX);
        schemars::json_schema!({
            "description": "A card with the cells to shade for it, or a pass; either with single cells.",
            "type": "object",
            "oneOf": [
                {
                    "description": "Draws a card.",
                    "properties": { "card": card, "cells": cells, "singles": singles },
                    "required": ["card", "cells"],
                    "additionalProperties": false,
                },
                {
                    "description": "Draws nothing.",
                    "properties": { "pass": { "const": true }, "singles": singles },
                    "required": ["pass"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::WireMove;

    #[test]
    fn a_move_reads_back_as_written() {
        for text in [
            r#"{"card":"P07","cells":[[0,1],[0,2]]}"#,
            r#"{"pass":true}"#,
            r#"{"pass":true,"singles":[[8,8]]}"#,
            r#"{"card":"P01","cells":[[0,1]],"singles":[[8,8],[8,7]]}"#,
        ] {
            let wire_move: WireMove = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&wire_move).unwrap(), text);
        }
    }

    #[test]
    fn a_move_that_says_too_little_or_too_much_is_refused_with_the_reason() {
        for (text, reason) in [
            (r#"{}"#, "a move has"),
            (r#"{"pass":false}"#, "can only be true"),
            (r#"{"card":"P01"}"#, "no \"cells\""),
            (r#"{"cells":[[0,1]]}"#, "names no \"card\""),
            (r#"{"pass":true,"card":"P01","cells":[[0,1]]}"#, "cannot both"),
            (r#"{"pass":true,"single":[[0,1]]}"#, "unknown field `single`"),
            (r#"{"pass":true,"pass":true}"#, "duplicate field"),
            (r#"{"card":"P01","cells":[[0,1.5]]}"#, "floating point"),
            (r#"{"card":"P01","cells":[[0]]}"#, "length"),
        ] {
            let error = serde_json::from_str::<WireMove>(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
