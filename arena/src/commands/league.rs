//! A league file: the bots and settings of a tournament in TOML.

use std::path::Path;

use serde::Deserialize;

use super::limits::LimitOptions;
use super::tournament::TournamentOptions;
use crate::entrants::EntrantText;
use crate::error::Error;
use crate::games::RulesOptions;

/// What a league file says, empty where there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct League {
    /// `[tournament]`
    pub(super) tournament: TournamentOptions,
    /// `[limits]`
    pub(super) limits: LimitOptions,
    /// `[rules]`
    pub(super) rules: RulesOptions,
    /// `[[bot]]`
    pub(super) bots: Vec<EntrantText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    #[serde(default)]
    tournament: TournamentOptions,
    #[serde(default)]
    limits: LimitOptions,
    #[serde(default)]
    rules: RulesOptions,
    #[serde(default, rename = "bot")]
    bots: Vec<EntrantText>,
}

impl League {
    /// Reads a league file. Paths of card files and folders in it are relative to it.
    pub(super) fn read(path: &Path) -> Result<League, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
        let sections: Sections = toml::from_str(&text).map_err(|error| wrong(path, &text, &error))?;
        let Sections { tournament, limits, mut rules, mut bots } = sections;
        let base = path.parent().unwrap_or(Path::new(""));
        rules.cards = rules.cards.map(|file| base.join(file));
        rules.patches = rules.patches.map(|file| base.join(file));
        for bot in &mut bots {
            bot.dir = bot.dir.take().map(|dir| base.join(dir));
        }
        Ok(League { tournament, limits, rules, bots })
    }
}

/// Place and reason of a mistake, on one line.
fn wrong(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let before = error.span().map_or("", |span| &text[..span.start.min(text.len())]);
    let line = before.matches('\n').count() + 1;
    let reason = error.message().replace('\n', " ");
    Error::usage(format!("{} line {line}: {reason}", path.display()))
        .hint("a league file has [tournament], [limits], [rules] and one [[bot]] for each bot; see README.md")
}
