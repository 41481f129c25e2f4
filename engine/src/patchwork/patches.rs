//! Rules, patches, and track as plain data: in a patch file, in `start` messages, and in records.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::game::{Setup, SetupError};
use crate::shapes::patch::ShapeText;
#[cfg(feature = "schema")]
use crate::wire::name::CardName;

/// The most patches in a game: a 64-bit number has one bit for each patch of the circle.
pub(super) const PATCHES_MAX: usize = 64;
pub(super) const BUTTONS: RangeInclusive<u32> = 0..=99;
/// A purchase takes at least one space, so the token always moves and the order of arrival is clear.
pub(super) const TIME: RangeInclusive<u32> = 1..=63;
pub(super) const INCOME: RangeInclusive<u32> = 0..=9;
/// The largest number of a space.
pub(super) const SPACE_MAX: u32 = 63;
/// The default patches and track.
const STANDARD: &str = include_str!("../../data/patchwork-standard.json");

/// Rules and components of a match, in `start` messages and records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchworkSetup {
    /// The rules, with the options of this match.
    pub rules: Rules,
    /// The patches; records omit them if they are the standard ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = PATCHES_MAX)))]
    pub patches: Option<Vec<PatchText>>,
    /// The time track; records omit it if it is the standard one for these rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<TrackText>,
}

impl PatchworkSetup {
    /// Combines the components of a patch file with these rules.
    pub fn from_file(file: PatchFile, rules: Rules) -> PatchworkSetup {
        let track = file.track.under(rules);
        PatchworkSetup { rules, patches: Some(file.patches), track: Some(track) }
    }
}

impl Setup for PatchworkSetup {
    fn in_full(&self) -> PatchworkSetup {
        let standard = PatchworkSetup::from_file(PatchFile::standard(), self.rules);
        PatchworkSetup {
            rules: self.rules,
            patches: self.patches.clone().or(standard.patches),
            track: self.track.clone().or(standard.track),
        }
    }

    fn abridged(&self) -> PatchworkSetup {
        let standard = PatchworkSetup::from_file(PatchFile::standard(), self.rules);
        PatchworkSetup {
            rules: self.rules,
            patches: self.patches.clone().filter(|_| self.patches != standard.patches),
            track: self.track.clone().filter(|_| self.track != standard.track),
        }
    }
}

/// The rules, with the options of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rules {
    /// The spaces of the leather patches.
    pub leather: Leather,
}

/// The spaces of the leather patches on the time track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Leather {
    /// The spaces on the board of 2014.
    #[default]
    Original,
    /// The spaces on the later board, at equal distances.
    Revised,
}

/// Patches and track as written in a patch file. An unknown field is an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PatchFile {
    /// The name of the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Information about the set for people; the program ignores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The patches.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = PATCHES_MAX)))]
    pub patches: Vec<PatchText>,
    /// The time track.
    pub track: TrackFile,
}

impl PatchFile {
    /// The 33 patches and the track of the 2014 game.
    pub fn standard() -> PatchFile {
        static FILE: LazyLock<PatchFile> =
            LazyLock::new(|| PatchFile::from_json(STANDARD).expect("a test reads the standard patches"));
        FILE.clone()
    }

    /// Reads a patch file.
    ///
    /// # Errors
    /// [`SetupError::Components`] with the line of the error if the text is not a patch file.
    /// [`Equipment::new`](crate::patchwork::Equipment::new) checks the shapes and figures later.
    pub fn from_json(text: &str) -> Result<PatchFile, SetupError> {
        serde_json::from_str(text)
            .map_err(|error| SetupError::Components(format!("not a patch file: {error}")))
    }
}

/// A patch as written in files and messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchText {
    /// The id of the patch, unique in the set.
    #[cfg_attr(feature = "schema", schemars(with = "CardName"))]
    pub id: String,
    /// The shape of the patch.
    pub cells: ShapeText,
    /// The cost, in buttons.
    #[cfg_attr(feature = "schema", schemars(range(min = *BUTTONS.start(), max = *BUTTONS.end())))]
    pub buttons: u32,
    /// The cost in time, in spaces of the track.
    #[cfg_attr(feature = "schema", schemars(range(min = *TIME.start(), max = *TIME.end())))]
    pub time: u32,
    /// The income at each income mark, in buttons.
    #[cfg_attr(feature = "schema", schemars(range(min = *INCOME.start(), max = *INCOME.end())))]
    pub income: u32,
}

/// The time track as written in a patch file, with the leather patches of both boards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrackFile {
    /// The last space; the first is 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = SPACE_MAX)))]
    pub last: u32,
    /// The spaces with an income mark, ascending.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1, max = SPACE_MAX)), extend("uniqueItems" = true)))]
    pub income: Vec<u32>,
    /// The spaces with a leather patch, for each option of the rules.
    pub leather: LeatherFile,
}

impl TrackFile {
    fn under(self, rules: Rules) -> TrackText {
        TrackText {
            last: self.last,
            income: self.income,
            leather: match rules.leather {
                Leather::Original => self.leather.original,
                Leather::Revised => self.leather.revised,
            },
        }
    }
}

/// The spaces with a leather patch on both boards, ascending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeatherFile {
    /// The spaces for [`Leather::Original`].
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1, max = SPACE_MAX)), extend("uniqueItems" = true)))]
    pub original: Vec<u32>,
    /// The spaces for [`Leather::Revised`].
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1, max = SPACE_MAX)), extend("uniqueItems" = true)))]
    pub revised: Vec<u32>,
}

/// The time track as written in messages and records, for the rules of the match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrackText {
    /// The last space; the first is 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = SPACE_MAX)))]
    pub last: u32,
    /// The spaces with an income mark, ascending.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1, max = SPACE_MAX)), extend("uniqueItems" = true)))]
    pub income: Vec<u32>,
    /// The spaces with a leather patch at the start, ascending.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1, max = SPACE_MAX)), extend("uniqueItems" = true)))]
    pub leather: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_components_are_left_out_of_records_and_written_out_for_bots() {
        for leather in [Leather::Original, Leather::Revised] {
            let setup = PatchworkSetup { rules: Rules { leather }, ..PatchworkSetup::default() };
            assert_eq!(setup.in_full().abridged(), setup);
            assert_eq!(setup.in_full().patches.unwrap().len(), 33);
        }
        let short = serde_json::to_string(&PatchworkSetup::default()).unwrap();
        assert_eq!(short, r#"{"rules":{"leather":"original"}}"#);
        let full = serde_json::to_string(&PatchworkSetup::default().in_full()).unwrap();
        assert!(full.contains(r#"{"id":"W01","cells":["XX"],"buttons":2,"time":1,"income":0}"#));
        assert!(full.ends_with(
            r#""track":{"last":53,"income":[5,11,17,23,29,35,41,47,53],"leather":[20,26,32,44,50]}}"#
        ));
    }

    #[test]
    fn what_differs_from_the_standard_is_kept() {
        let mut setup = PatchworkSetup::default().in_full();
        setup.track.as_mut().unwrap().leather.clear();
        let short = setup.abridged();
        assert_eq!((short.patches, short.track), (None, setup.track));
    }

    #[test]
    fn a_field_that_is_not_known_is_refused_in_a_file_and_ignored_in_messages() {
        let text = STANDARD.replacen("\"note\"", "\"nota\"", 1);
        let error = PatchFile::from_json(&text).unwrap_err().to_string();
        let known = "unknown field `nota`, expected one of `name`, `note`, `patches`, `track` at line 3";
        assert!(error.starts_with(&format!("not a patch file: {known}")), "{error}");
        let setup = r#"{"rules":{"leather":"original"},"note":"of a later version"}"#;
        assert_eq!(serde_json::from_str::<PatchworkSetup>(setup).unwrap(), PatchworkSetup::default());
    }

    #[test]
    fn a_misspelt_rule_is_an_error() {
        let read = |text| serde_json::from_str::<PatchworkSetup>(text).unwrap_err().to_string();
        assert!(read(r#"{"rules":{"lether":"revised"}}"#).contains("missing field `leather`"));
        assert!(read(r#"{"rules":{"leather":"new"}}"#).contains("unknown variant `new`"));
    }
}
