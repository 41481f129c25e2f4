//! The cards, as written in a card file and as compiled for play.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::game::{Setup, SetupError};
use crate::shapes::patch::{Patch, ShapeText};
use crate::wire::name::CardName;

/// The default deck.
const STANDARD: &str = include_str!("../../data/doodle-standard.json");
/// Cards that a match shows: eight for the circle, then twice six more.
pub(super) const PATCHES_MIN: usize = 20;
/// A card number is one byte.
const CARDS_MAX: usize = 256;

/// Rules and cards of a match, in `start` messages and records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoodleSetup {
    /// The rules, with the options of this match.
    pub rules: Rules,
    /// The cards; records omit them if they are the standard ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cards: Option<CardFile>,
}

impl Setup for DoodleSetup {
    fn in_full(&self) -> DoodleSetup {
        let cards = self.cards.clone().unwrap_or_else(CardFile::standard);
        DoodleSetup { rules: self.rules, cards: Some(cards) }
    }

    fn abridged(&self) -> DoodleSetup {
        let cards = self.cards.clone().filter(|cards| *cards != CardFile::standard());
        DoodleSetup { rules: self.rules, cards }
    }
}

/// The rules, with the options of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rules {
    /// The distribution of the start cards.
    pub start_cards: StartCards,
}

/// The distribution of the start cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StartCards {
    /// Each seat has its own card, as in the rulebook.
    #[default]
    Dealt,
    /// All seats have the same card. Scores then compare card for card, and any number of seats can
    /// play.
    Shared,
}

/// A deck as written in a card file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CardFile {
    /// The name of the deck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The start cards; at least one for each seat, unless all seats share one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = CARDS_MAX - PATCHES_MIN)))]
    pub starts: Vec<CardText>,
    /// The patch cards.
    #[cfg_attr(feature = "schema", schemars(length(min = PATCHES_MIN, max = CARDS_MAX - 1)))]
    pub patches: Vec<CardText>,
}

/// A card as written in a card file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CardText {
    /// The id of the card, unique in the deck.
    #[cfg_attr(feature = "schema", schemars(with = "CardName"))]
    pub id: String,
    /// The shape of the patch on the card.
    pub cells: ShapeText,
}

impl CardFile {
    /// The standard deck: 10 start cards and 30 patch cards. It is a reconstruction; see the note in
    /// its file.
    pub fn standard() -> CardFile {
        static DECK: LazyLock<CardFile> =
            LazyLock::new(|| CardFile::from_json(STANDARD).expect("a test reads the standard deck"));
        DECK.clone()
    }

    /// Reads a card file.
    ///
    /// # Errors
    /// [`SetupError::Components`] with the line of the error if the text is not a card file.
    /// [`Equipment::new`] checks the shapes later.
    ///
    /// # Examples
    /// ```
    /// use engine::doodle::CardFile;
    ///
    /// let text = r#"{"starts": [{"id": "S1", "cells": ["XX"]}], "patches": []}"#;
    /// assert_eq!(CardFile::from_json(text)?.starts[0].id, "S1");
    /// let error = CardFile::from_json(r#"{"starts": [], "cards": []}"#).unwrap_err();
    /// assert!(error.to_string().contains("unknown field `cards`"));
    /// # Ok::<(), engine::game::SetupError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<CardFile, SetupError> {
        let CardFileFields { name, starts, patches, .. } = serde_json::from_str(text)
            .map_err(|error| SetupError::Components(format!("not a card file: {error}")))?;
        Ok(CardFile { name, starts, patches })
    }
}

/// A card file as people write it. An unknown field is an error.
///
/// In messages and records unknown fields are ignored, because a later version may have written them.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CardFileFields {
    /// The name of the deck.
    #[serde(default)]
    pub name: Option<String>,
    /// Information about the deck for people; the program ignores it.
    #[serde(default)]
    pub note: Option<String>,
    /// The start cards; at least one for each seat, unless all seats share one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = CARDS_MAX - PATCHES_MIN)))]
    pub starts: Vec<CardText>,
    /// The patch cards.
    #[cfg_attr(feature = "schema", schemars(length(min = PATCHES_MIN, max = CARDS_MAX - 1)))]
    pub patches: Vec<CardText>,
}

/// The number of a card in the equipment: first the start cards, then the patch cards.
///
/// # Examples
/// ```
/// use engine::doodle::Equipment;
///
/// let equipment = Equipment::standard();
/// let card = equipment.find("S10").expect("a standard card");
/// assert_eq!(equipment.name(card).as_str(), "S10");
/// assert!(equipment.starts().last() == Some(card));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CardId(u8);

impl CardId {
    /// The number in the order of the file, from 0; a file has at most 256 cards.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// A card with its compiled patch.
#[derive(Debug)]
struct Card {
    name: CardName,
    patch: Patch,
}

/// Rules and cards with every shape compiled.
///
/// # Examples
/// ```
/// use engine::doodle::Equipment;
///
/// let equipment = Equipment::standard();
/// assert_eq!((equipment.starts().len(), equipment.patches().len()), (10, 30));
/// let sizes = equipment.patches().map(|card| equipment.patch(card).size());
/// assert_eq!(sizes.min(), Some(1)); // one card shows a single cell
/// ```
#[derive(Debug)]
pub struct Equipment {
    setup: DoodleSetup,
    cards: Vec<Card>,
    starts: usize,
    by_name: BTreeMap<CardName, CardId>,
}

impl Equipment {
    /// Compiles rules and cards.
    ///
    /// # Errors
    /// [`SetupError`] that names the card with a bad id, a duplicate id, or a bad shape, or says which
    /// cards are missing or too many.
    ///
    /// # Examples
    /// ```
    /// use engine::doodle::{DoodleSetup, Equipment};
    /// use engine::game::Setup;
    ///
    /// let mut setup = DoodleSetup::default().in_full();
    /// assert!(Equipment::new(&setup).is_ok());
    /// setup.cards.as_mut().unwrap().patches[0].id = "S01".to_owned();
    /// let error = Equipment::new(&setup).unwrap_err();
    /// assert_eq!(error.to_string(), r#""S01": two cards have this id"#);
    /// ```
    pub fn new(setup: &DoodleSetup) -> Result<Equipment, SetupError> {
        let setup = setup.in_full();
        let file = setup.cards.as_ref().expect("written out in full");
        check_counts(file)?;
        let cards = file.starts.iter().chain(&file.patches).map(compile).collect::<Result<Vec<_>, _>>()?;
        let mut by_name = BTreeMap::new();
        for (id, card) in (0..).map(CardId).zip(&cards) {
            if by_name.insert(card.name, id).is_some() {
                return Err(bad_card(card.name.as_str(), "two cards have this id"));
            }
        }
        Ok(Equipment { starts: file.starts.len(), cards, by_name, setup })
    }

    /// The standard cards with the standard rules, compiled.
    pub fn standard() -> Equipment {
        Equipment::new(&DoodleSetup::default()).expect("a test compiles the standard deck")
    }

    /// The rules, and all cards by name and shape, as bots get them.
    pub fn setup(&self) -> &DoodleSetup {
        &self.setup
    }

    /// The variants of the rules that these cards are played with.
    pub fn rules(&self) -> Rules {
        self.setup.rules
    }

    /// The start cards, in the order of the file.
    pub fn starts(&self) -> impl ExactSizeIterator<Item = CardId> + use<> {
        (0..self.starts).map(card_id)
    }

    /// The patch cards, in the order of the file.
    pub fn patches(&self) -> impl ExactSizeIterator<Item = CardId> + use<> {
        (self.starts..self.cards.len()).map(card_id)
    }

    /// Returns true for a start card, false for a patch card.
    pub fn is_start(&self, card: CardId) -> bool {
        card.index() < self.starts
    }

    /// The id of a card in files and messages, such as `P21`.
    pub fn name(&self, card: CardId) -> CardName {
        self.cards[card.index()].name
    }

    /// The patch on a card, with all its orientations and pieces.
    pub fn patch(&self, card: CardId) -> &Patch {
        &self.cards[card.index()].patch
    }

    /// Finds a card by its id; `None` if no card has it.
    pub fn find(&self, name: &str) -> Option<CardId> {
        self.find_name(&name.parse().ok()?)
    }

    /// Does the same as [`find`](Self::find), for a parsed id.
    pub(super) fn find_name(&self, name: &CardName) -> Option<CardId> {
        self.by_name.get(name).copied()
    }

    /// Sorts these cards by id. They must be distinct.
    pub(super) fn sorted(&self, cards: &[CardId]) -> Arc<[CardId]> {
        let mut is_wanted = [false; CARDS_MAX];
        cards.iter().for_each(|card| is_wanted[card.index()] = true);
        self.by_name.values().copied().filter(|card| is_wanted[card.index()]).collect()
    }
}

fn card_id(index: usize) -> CardId {
    CardId(u8::try_from(index).expect("the number of cards was checked"))
}

fn check_counts(file: &CardFile) -> Result<(), SetupError> {
    let lacking = |what: String| Err(SetupError::Components(what));
    if file.patches.len() < PATCHES_MIN {
        return lacking(format!(
            "a game needs {PATCHES_MIN} patch cards, the file has {}",
            file.patches.len()
        ));
    }
    if file.starts.is_empty() {
        return lacking("a game needs a start card, the file has none".to_owned());
    }
    match file.starts.len() + file.patches.len() {
        total if total > CARDS_MAX => {
            lacking(format!("at most {CARDS_MAX} cards can be used, the file has {total}"))
        }
        _ => Ok(()),
    }
}

fn compile(card: &CardText) -> Result<Card, SetupError> {
    let name = card.id.parse().map_err(|reason| bad_card(&card.id, reason))?;
    let cells = card.cells.cells().map_err(|reason| bad_card(&card.id, &reason.to_string()))?;
    Ok(Card { name, patch: Patch::new(cells) })
}

fn bad_card(id: &str, reason: &str) -> SetupError {
    SetupError::Card { id: id.chars().take(40).collect(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_deck_compiles() {
        let equipment = Equipment::standard();
        assert_eq!((equipment.starts().len(), equipment.patches().len()), (10, 30));
        assert!(equipment.starts().all(|card| equipment.patch(card).size() == 7));
        assert_eq!(DoodleSetup::default().in_full().abridged(), DoodleSetup::default());
    }

    #[test]
    fn a_field_that_is_not_known_is_refused_in_a_file_and_ignored_in_messages() {
        let text = STANDARD.replacen("\"note\"", "\"nota\"", 1);
        let error = CardFile::from_json(&text).unwrap_err().to_string();
        let known = "unknown field `nota`, expected one of `name`, `note`, `starts`, `patches` at line 3";
        assert!(error.starts_with(&format!("not a card file: {known}")), "{error}");
        let setup = format!(r#"{{"rules":{{"start_cards":"dealt"}},"cards":{text}}}"#);
        assert_eq!(serde_json::from_str::<DoodleSetup>(&setup).unwrap(), DoodleSetup::default().in_full());
    }

    #[test]
    fn bad_cards_are_named() {
        let with = |change: fn(&mut CardFile)| {
            let mut file = CardFile::standard();
            change(&mut file);
            let setup = DoodleSetup { cards: Some(file), ..DoodleSetup::default() };
            Equipment::new(&setup).unwrap_err().to_string()
        };
        let shape = |rows: &[&str]| ShapeText(rows.iter().map(|row| row.to_string()).collect());
        let _ = shape;
        assert_eq!(
            with(|file| file.patches[3].cells = ShapeText(vec!["X.X".into()])),
            "\"P04\": the shape is not connected: its cells must share sides"
        );
        assert_eq!(with(|file| file.patches[3].id = "S01".into()), "\"S01\": two cards have this id");
        assert_eq!(
            with(|file| file.patches[3].id = "a b".into()),
            "\"a b\": an id has 1 to 15 letters, digits, '-' or '_'"
        );
        assert_eq!(with(|file| file.patches.truncate(19)), "a game needs 20 patch cards, the file has 19");
        assert_eq!(with(|file| file.starts.clear()), "a game needs a start card, the file has none");
    }
}
