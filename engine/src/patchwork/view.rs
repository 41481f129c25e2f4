//! The game on the wire: the state that both seats see, and a move as a bot writes it.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::game::Seat;
use crate::patchwork::state::{Player, State};
use crate::patchwork::table::Table;
use crate::patchwork::turn::Phase;
#[cfg(feature = "schema")]
use crate::patchwork::{
    patches::{PATCHES_MAX, SPACE_MAX},
    state::SEATS,
};
use crate::shapes::bitboard::Bitboard;
#[cfg(feature = "schema")]
use crate::shapes::bitboard::{CELLS, Cell};
use crate::shapes::cells::Pair;
use crate::wire::json;
use crate::wire::name::CardName;

/// The `state` of a `turn` message; all of it is public.
///
/// If both tokens are on one space, the token of the seat that receives the message is on top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Observation {
    /// The kind of decision.
    pub phase: Phase,
    /// The remaining patches, clockwise from the neutral token; the first three are on offer.
    #[cfg_attr(feature = "schema", schemars(length(max = PATCHES_MAX), extend("uniqueItems" = true)))]
    pub circle: Vec<CardName>,
    /// The spaces that still hold a leather patch, ascending.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1, max = SPACE_MAX)), extend("uniqueItems" = true)))]
    pub leather: Vec<u8>,
    /// Number of leather patches that the receiving seat must place now, one decision for each; 0 in
    /// phase `turn`.
    #[serde(default)]
    pub leather_due: u8,
    /// The seat with the 7x7 tile.
    #[cfg_attr(feature = "schema", schemars(range(max = SEATS - 1)))]
    pub bonus: Option<Seat>,
    /// Both players, in seat order.
    pub players: [PlayerView; 2],
}

/// One player in an [`Observation`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayerView {
    /// The covered cells of the quilt.
    pub board: Bitboard,
    /// Number of buttons.
    pub buttons: u16,
    /// The income of the quilt at each income mark, in buttons.
    pub income: u16,
    /// The space of the time token.
    #[cfg_attr(feature = "schema", schemars(range(max = SPACE_MAX)))]
    pub space: u8,
}

impl State {
    /// The information that both seats have.
    pub fn observe(&self, table: &Table) -> Observation {
        Observation {
            phase: self.phase(),
            circle: self.circle(table).map(|id| table.patch(id).name).collect(),
            leather: self.leather().collect(),
            leather_due: self.leather_due(),
            bonus: self.bonus(),
            players: self.players().each_ref().map(PlayerView::new),
        }
    }
}

impl PlayerView {
    /// The public view of a player.
    pub(super) fn new(player: &Player) -> PlayerView {
        let Player { board, buttons, income, space, .. } = *player;
        PlayerView { board, buttons, income, space }
    }

    /// Appends the view to a line, as JSON.
    pub(super) fn write(&self, line: &mut Vec<u8>) {
        json::raw(line, r#"{"board":"#);
        json::board(line, self.board);
        json::raw(line, r#","buttons":"#);
        json::number(line, self.buttons);
        json::raw(line, r#","income":"#);
        json::number(line, self.income);
        json::raw(line, r#","space":"#);
        json::number(line, self.space);
        line.push(b'}');
    }
}

/// The `move` of an answer. The numbers are as the bot wrote them and may be outside the board.
///
/// # Examples
/// ```
/// use engine::patchwork::WireMove;
///
/// let wire_move: WireMove = serde_json::from_str(r#"{"buy":"W01","cells":[[0,0],[0,1]]}"#)?;
/// assert_eq!(wire_move, WireMove::Buy("W01".to_owned(), vec![[0, 0], [0, 1]]));
/// assert_eq!(serde_json::to_string(&WireMove::Leather([4, 4]))?, r#"{"leather":[4,4]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WireMoveFields")]
pub enum WireMove {
    /// Buys the patch with this id and lays it on these cells.
    Buy(String, Vec<Pair>),
    /// Moves the token in front of the opponent's token.
    Advance,
    /// Lays a leather patch on this cell.
    Leather(Pair),
}

/// The fields of a [`WireMove`] in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMoveFields {
    buy: Option<String>,
    cells: Option<Vec<Pair>>,
    advance: Option<bool>,
    leather: Option<Pair>,
}

impl TryFrom<WireMoveFields> for WireMove {
    type Error = &'static str;

    fn try_from(fields: WireMoveFields) -> Result<WireMove, &'static str> {
        match (fields.buy, fields.cells, fields.advance, fields.leather) {
            (Some(patch), Some(cells), None, None) => Ok(WireMove::Buy(patch, cells)),
            (None, None, Some(true), None) => Ok(WireMove::Advance),
            (None, None, None, Some(cell)) => Ok(WireMove::Leather(cell)),
            (Some(_), None, None, None) => Err("the move names a patch to buy but no \"cells\""),
            (None, Some(_), None, None) => Err("the move has \"cells\" but no \"buy\""),
            (None, None, Some(false), None) => Err("\"advance\" can only be true"),
            (None, Some(_), None, Some(_)) => {
                Err("\"leather\" is the cell itself, such as [4,4]: leave out \"cells\"")
            }
            (None, None, None, None) => {
                Err("a move has \"buy\" and \"cells\", or \"advance\": true, or \"leather\"")
            }
            _ => Err("a move is only one of \"buy\", \"advance\" and \"leather\""),
        }
    }
}

impl WireMove {
    /// Appends the move to a line as JSON, with the same bytes as serde.
    pub(super) fn write_json(&self, line: &mut Vec<u8>) {
        match self {
            WireMove::Buy(patch, cells) => {
                json::raw(line, r#"{"buy":"#);
                json::text(line, patch);
                json::raw(line, r#","cells":"#);
                json::list(line, cells, json::pair);
            }
            WireMove::Advance => json::raw(line, r#"{"advance":true"#),
            WireMove::Leather(cell) => {
                json::raw(line, r#"{"leather":"#);
                json::pair(line, cell);
            }
        }
        line.push(b'}');
    }
}

/// Serializes without a copy of the cells.
impl Serialize for WireMove {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        match self {
            WireMove::Buy(patch, cells) => {
                fields.serialize_entry("buy", patch)?;
                fields.serialize_entry("cells", cells)?;
            }
            WireMove::Advance => fields.serialize_entry("advance", &true)?,
            WireMove::Leather(cell) => fields.serialize_entry("leather", cell)?,
        }
        fields.end()
    }
}

/// The three forms, which differ in their fields. The schema is stricter than the parser: the parser
/// reads a cell outside the board, and the game then refuses it as `illegal`.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for WireMove {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Move".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let patch = generator.subschema_for::<CardName>();
        let cells = Cell::list_schema(generator, "The cells on which the patch is laid.", 1..=CELLS.into());
        let cell = generator.subschema_for::<Cell>();
        schemars::json_schema!({
            "description": "Buys a patch, advances, or lays a leather patch.",
            "type": "object",
            "oneOf": [
                {
                    "description": "Buys a patch and lays it on these cells.",
                    "properties": { "buy": patch, "cells": cells },
                    "required": ["buy", "cells"],
                    "additionalProperties": false,
                },
                {
                    "description": "Moves the time token in front of the opponent's.",
                    "properties": { "advance": { "const": true } },
                    "required": ["advance"],
                    "additionalProperties": false,
                },
                {
                    "description": "Lays a leather patch on this cell; in phase `leather` only.",
                    "properties": { "leather": cell },
                    "required": ["leather"],
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
        for text in [r#"{"buy":"W12","cells":[[0,0],[0,1]]}"#, r#"{"advance":true}"#, r#"{"leather":[4,4]}"#]
        {
            let wire_move: WireMove = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&wire_move).unwrap(), text);
        }
    }

    #[test]
    fn a_move_that_says_too_little_or_too_much_is_refused_with_the_reason() {
        for (text, reason) in [
            (r#"{}"#, "a move has"),
            (r#"{"advance":false}"#, "can only be true"),
            (r#"{"buy":"W01"}"#, "no \"cells\""),
            (r#"{"cells":[[0,1]]}"#, "no \"buy\""),
            (r#"{"leather":[4,4],"cells":[[4,4]]}"#, "leave out \"cells\""),
            (r#"{"leather":[4,4],"advance":true}"#, "only one of"),
            (r#"{"buy":"W01","cells":[],"advance":true}"#, "only one of"),
            (r#"{"buy":"W01","cell":[[0,1]]}"#, "unknown field `cell`"),
            (r#"{"advance":true,"advance":true}"#, "duplicate field"),
            (r#"{"leather":[[4,4]]}"#, "invalid type: sequence"),
            (r#"{"leather":[4]}"#, "length"),
            (r#"{"leather":[4,0.5]}"#, "floating point"),
        ] {
            let error = serde_json::from_str::<WireMove>(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
