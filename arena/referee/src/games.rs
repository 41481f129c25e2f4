//! The games by name, with settings that commands need in addition to the rules.

use std::path::PathBuf;

use engine::doodle::{CardFile, Doodle, DoodleSetup, Rules, StartCards};
use engine::game::{Game, Setup};
use engine::patchwork::{self, PatchFile, Patchwork, PatchworkSetup};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The name of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameName {
    /// Patchwork Doodle: 1 to 10 seats, or any number with a shared start card. Turns are simultaneous.
    #[default]
    Doodle,
    /// Patchwork: two seats, one turn at a time.
    Patchwork,
}

impl GameName {
    /// Returns the game of this name.
    pub fn named(name: &str) -> Option<GameName> {
        [GameName::Doodle, GameName::Patchwork].into_iter().find(|game| game.as_str() == name)
    }

    /// See [`GameKind::EVERY_SEAT_EACH_DEAL`].
    pub fn every_seat_each_deal(self) -> bool {
        match self {
            GameName::Doodle => Doodle::EVERY_SEAT_EACH_DEAL,
            GameName::Patchwork => Patchwork::EVERY_SEAT_EACH_DEAL,
        }
    }

    /// See [`Game::SIMULTANEOUS`].
    pub fn is_simultaneous(self) -> bool {
        match self {
            GameName::Doodle => Doodle::SIMULTANEOUS,
            GameName::Patchwork => Patchwork::SIMULTANEOUS,
        }
    }

    /// Returns the option for freezing bots outside of their turns, or for not freezing them, with a leading
    /// blank. Returns an empty string if `freeze` is the default of the game.
    pub fn freeze_option(self, freeze: bool) -> &'static str {
        match (freeze, self.is_simultaneous()) {
            (true, true) => " --freeze",
            (false, false) => " --no-freeze",
            _ => "",
        }
    }

    /// Returns the name in commands, messages, and records.
    pub fn as_str(self) -> &'static str {
        match self {
            GameName::Doodle => Doodle::NAME,
            GameName::Patchwork => Patchwork::NAME,
        }
    }
}

/// Options that choose the rules and components of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RulesOptions {
    /// The file of the cards that replace the standard deck.
    pub cards: Option<PathBuf>,
    /// The rule for dealing start cards.
    pub start_cards: Option<StartCardsRule>,
    /// The file of the patches and the track that replace the standard ones.
    pub patches: Option<PathBuf>,
    /// The positions of the leather patches.
    pub leather: Option<LeatherRule>,
}

impl RulesOptions {
    /// Fills options that are not set from `other`.
    #[must_use]
    pub fn or(self, other: RulesOptions) -> RulesOptions {
        RulesOptions {
            cards: self.cards.or(other.cards),
            start_cards: self.start_cards.or(other.start_cards),
            patches: self.patches.or(other.patches),
            leather: self.leather.or(other.leather),
        }
    }

    /// Checks that all options belong to this game.
    ///
    /// # Errors
    /// An option belongs to another game.
    fn only_for(&self, game: GameName) -> Result<(), Error> {
        let set = [
            ("--cards", GameName::Doodle, self.cards.is_some()),
            ("--start-cards", GameName::Doodle, self.start_cards.is_some()),
            ("--patches", GameName::Patchwork, self.patches.is_some()),
            ("--leather", GameName::Patchwork, self.leather.is_some()),
        ];
        match set.into_iter().find(|&(_, of, is_set)| is_set && of != game) {
            None => Ok(()),
            Some((option, of, _)) => {
                let (of, game) = (of.as_str(), game.as_str());
                Err(Error::usage(format!("{option} is a rule of {of}, and the game is {game}"))
                    .hint(format!("leave it out, or play --game {of}")))
            }
        }
    }
}

/// The positions of the leather patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeatherRule {
    /// Spaces 20, 26, 32, 44, and 50, as on the first board.
    Original,
    /// Spaces 26, 32, 38, 44, and 50, as on the revised board.
    Revised,
}

/// The rule for dealing start cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartCardsRule {
    /// Each seat gets its own card, as in the rulebook.
    Dealt,
    /// All seats get the same card. Any number of seats can play.
    Shared,
}

/// A game with settings that commands need.
pub trait GameKind: Game {
    /// The name of the game.
    const GAME: GameName;
    /// The default number of seats at a table.
    const SEATS_DEFAULT: usize;
    /// True if a table plays every deal once for each rotation of its seats, because the seats are not equal.
    /// Otherwise the seats rotate from deal to deal.
    const EVERY_SEAT_EACH_DEAL: bool;

    /// Returns the rules and components that the options choose.
    ///
    /// # Errors
    /// A file cannot be read or is invalid, or an option belongs to another game.
    fn setup_from(options: &RulesOptions) -> Result<Self::Setup, Error>;

    /// Returns the options that choose this setup, each with a leading blank. For components that are not
    /// standard, a shell comment follows the options.
    fn options_of(setup: &Self::Setup) -> String;
}

impl GameKind for Doodle {
    const GAME: GameName = GameName::Doodle;
    const SEATS_DEFAULT: usize = 2;
    const EVERY_SEAT_EACH_DEAL: bool = false;

    fn setup_from(options: &RulesOptions) -> Result<DoodleSetup, Error> {
        options.only_for(GameName::Doodle)?;
        let start_cards = match options.start_cards {
            Some(StartCardsRule::Shared) => StartCards::Shared,
            Some(StartCardsRule::Dealt) | None => StartCards::Dealt,
        };
        let cards = options.cards.as_ref().map(|path| {
            let text = std::fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
            CardFile::from_json(&text).map_err(|error| Error::usage(format!("{}: {error}", path.display())))
        });
        Ok(DoodleSetup { rules: Rules { start_cards }, cards: cards.transpose()? })
    }

    fn options_of(setup: &DoodleSetup) -> String {
        let shared = setup.rules.start_cards == StartCards::Shared;
        let rule = if shared { " --start-cards shared" } else { "" };
        let own = setup.abridged().cards.is_some();
        let remark =
            if own { "\n# and --cards FILE, with the \"cards\" of tournament.json as the file" } else { "" };
        format!("{rule}{remark}")
    }
}

impl GameKind for Patchwork {
    const GAME: GameName = GameName::Patchwork;
    const SEATS_DEFAULT: usize = 2;
    const EVERY_SEAT_EACH_DEAL: bool = true;

    fn setup_from(options: &RulesOptions) -> Result<PatchworkSetup, Error> {
        options.only_for(GameName::Patchwork)?;
        let leather = match options.leather {
            Some(LeatherRule::Revised) => patchwork::Leather::Revised,
            Some(LeatherRule::Original) | None => patchwork::Leather::Original,
        };
        let rules = patchwork::Rules { leather };
        let Some(path) = &options.patches else {
            return Ok(PatchworkSetup { rules, ..PatchworkSetup::default() });
        };
        let text = std::fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
        let file = PatchFile::from_json(&text)
            .map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
        Ok(PatchworkSetup::from_file(file, rules))
    }

    fn options_of(setup: &PatchworkSetup) -> String {
        let revised = setup.rules.leather == patchwork::Leather::Revised;
        let rule = if revised { " --leather revised" } else { "" };
        let PatchworkSetup { patches, track, .. } = setup.abridged();
        let own = patches.is_some() || track.is_some();
        let remark =
            if own { "\n# and --patches FILE, with the patches and track of tournament.json" } else { "" };
        format!("{rule}{remark}")
    }
}

/// Returns the equipment that the options choose.
///
/// # Errors
/// As [`GameKind::setup_from`]. Also if the game cannot be played with the components.
pub fn equip<G: GameKind>(options: &RulesOptions) -> Result<G::Equipment, Error> {
    let setup = G::setup_from(options)?;
    let file = options.cards.as_ref().or(options.patches.as_ref());
    let file = file.map_or(String::new(), |path| format!("{}: ", path.display()));
    G::equip(&setup).map_err(|error| Error::usage(format!("{file}{error}")))
}
