//! A league file: the bots and settings of a tournament in TOML.

use std::path::Path;

use serde::Deserialize;

use super::limits::LimitOptions;
use super::tournament::TournamentOptions;
use referee::bots::entrants::EntrantText;
use referee::error::Error;
use referee::games::RulesOptions;

/// The contents of a league file. Empty without a file.
#[derive(Clone, Debug, Default)]
pub(super) struct League {
    /// The section `[tournament]`.
    pub(super) tournament: TournamentOptions,
    /// The section `[limits]`.
    pub(super) limits: LimitOptions,
    /// The section `[rules]`.
    pub(super) rules: RulesOptions,
    /// The sections `[[bot]]`.
    pub(super) bots: Vec<EntrantText>,
    /// The sections `[[stage]]`: a tournament each, with what differs from `[tournament]`.
    pub(super) stages: Vec<TournamentOptions>,
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
    #[serde(default, rename = "stage")]
    stages: Vec<TournamentOptions>,
}

impl League {
    /// Reads a league file. Paths in it are relative to its folder.
    pub(super) fn read(path: &Path) -> Result<League, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
        let sections: Sections = toml::from_str(&text).map_err(|error| wrong(path, &text, &error))?;
        let Sections { tournament, limits, mut rules, mut bots, stages } = sections;
        let base = path.parent().unwrap_or(Path::new(""));
        rules.cards = rules.cards.map(|file| base.join(file));
        rules.patches = rules.patches.map(|file| base.join(file));
        let here = if base.as_os_str().is_empty() { Path::new(".") } else { base };
        let folder = std::path::absolute(here).map_err(|error| Error::unreadable(path, &error))?;
        for bot in &mut bots {
            bot.dir = bot.dir.take().map(|dir| base.join(dir));
            bot.read.iter_mut().chain(&mut bot.write).for_each(|path| *path = folder.join(&path));
            bot.base = Some(folder.clone());
        }
        Ok(League { tournament, limits, rules, bots, stages })
    }
}

/// Returns the error for a wrong league file: the line number and the reason on one line.
fn wrong(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let place = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..place].matches('\n').count() + 1;
    let reason = unknown_key(text, line, error.message());
    let reason = reason.unwrap_or_else(|| error.message().replace('\n', " "));
    Error::usage(format!("{} line {line}: {reason}", path.display()))
        .hint("a league file has [tournament], [limits], [rules], a [[bot]] for each bot, and [[stage]]; see docs/league.toml")
}

/// Returns the reason for an unknown key: its section and the closest valid key. Returns `None` for other
/// errors. The TOML parser lists the valid keys in its message.
fn unknown_key(text: &str, line: usize, message: &str) -> Option<String> {
    let mut names = message.strip_prefix("unknown field")?.split('`').skip(1).step_by(2);
    let key = names.next()?;
    let known: Vec<&str> = names.collect();
    let header = |line: &&str| line.trim_start().starts_with('[');
    let lines: Vec<&str> = text.lines().take(line).collect();
    let section = match lines.last().is_some_and(header) {
        true => None,
        false => lines.iter().rev().find(|line| header(line)),
    };
    let place = section.map_or(String::new(), |section| format!(" in {}", section.trim()));
    let nearest = known.iter().min_by_key(|name| strsim::damerau_levenshtein(key, name));
    let nearest = nearest.filter(|name| strsim::damerau_levenshtein(key, name) <= name.len() / 2);
    Some(match nearest {
        Some(name) => format!("unknown key `{key}`{place}; did you mean `{name}`?"),
        None => format!("unknown key `{key}`{place}; there are {}", known.join(", ")),
    })
}
