//! A league file: the bots and settings of a tournament in TOML.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::setup::args::TournamentOptions;
use crate::setup::containment::Containment;
use crate::setup::contest::ContestOptions;
use crate::setup::lineup::{LineupOptions, RETRIES_MAX};
use crate::setup::rules::{GameArgs, RulesArgs};
use crate::setup::times::Times;
use referee::bots::identity::Identity;
use referee::bots::names::check_new_name;
use referee::bots::size::{memory_text, open_files_number, scratch_text};
use referee::error::Error;
use referee::play::time_control::OwnLimits;
use referee::user_text;
use sandbox::Rights;

/// The contents of a league file. Empty without a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct League {
    /// The section `[tournament]`.
    pub(crate) tournament: TournamentOptions,
    /// The section `[limits]`.
    limits: Times,
    /// The sandbox, from the same section.
    #[serde(skip)]
    containment: Containment,
    /// The section `[rules]`.
    pub(crate) rules: RulesArgs,
    /// The section `[game]`.
    pub(crate) game: GameArgs,
    /// The section `[contest]`, which only `arena host` reads.
    pub(crate) contest: Option<ContestOptions>,
    /// The sections `[[bot]]`.
    #[serde(rename = "bot")]
    bots: Vec<BotSection>,
    /// The sections `[[stage]]`: a tournament each, with what differs from `[tournament]`.
    #[serde(rename = "stage")]
    pub(crate) stages: Vec<TournamentOptions>,
    /// The limits in each section `[[stage]]`.
    #[serde(skip)]
    pub(crate) stage_limits: Vec<Times>,
}

/// The section `[[bot]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BotSection {
    /// The name. Without one, the bot's `hello` or its file gives the name.
    name: Option<String>,
    /// The command, or the name of a bundled bot.
    command: String,
    /// The working directory.
    dir: Option<PathBuf>,
    /// Variables added to the environment.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The names of variables that the bot gets from the arena's environment.
    #[serde(default, rename = "env-from")]
    env_from: Vec<String>,
    /// How often the bot may answer a turn again.
    #[serde(default, deserialize_with = "retries")]
    retries: u32,
    /// The memory limit of the bot and its child processes, such as `512MiB`.
    #[serde(default, deserialize_with = "memory_text")]
    memory: Option<u64>,
    /// The largest number of processes and threads at a time.
    processes: Option<NonZeroU64>,
    /// The size limit of the scratch folder, such as `64MiB`.
    #[serde(default, deserialize_with = "scratch_text")]
    scratch: Option<u64>,
    /// The largest number of open files of each process.
    #[serde(default, rename = "open-files", deserialize_with = "open_files_number")]
    open_files: Option<u64>,
    /// Additional files and folders that the bot may read.
    #[serde(default)]
    read: Vec<PathBuf>,
    /// Additional folders that the bot may write to.
    #[serde(default)]
    write: Vec<PathBuf>,
    /// True if the bot may use the network.
    #[serde(default)]
    network: bool,
    /// The keys of its own limits.
    #[serde(skip)]
    limits: Times,
}

impl BotSection {
    /// Returns the bot. Paths in the section are relative to the folder of the league file, an absolute path.
    fn bot(self, folder: &Path) -> Result<Identity, Error> {
        let absolute = |paths: Vec<PathBuf>| paths.into_iter().map(|path| folder.join(path)).collect();
        Ok(Identity {
            name: self.name.as_deref().map(check_new_name).transpose()?.unwrap_or_default(),
            command: self.command,
            base: Some(folder.to_owned()),
            dir: self.dir,
            env: self.env,
            allowance: Rights {
                memory_bytes: self.memory,
                processes: self.processes.map(NonZeroU64::get),
                scratch_bytes: self.scratch,
                open_files: self.open_files,
                read: absolute(self.read),
                write: absolute(self.write),
                network: self.network,
            },
            limits: self.limits.own_limits(),
            retries: self.retries,
            env_from: self.env_from,
            ..Identity::default()
        })
    }
}

impl League {
    /// Returns the limits of all bots, and their sandbox.
    pub(crate) fn lineup(&self) -> LineupOptions {
        let (times, containment) = (self.limits.clone(), self.containment.clone());
        LineupOptions { times, containment, ..LineupOptions::default() }
    }

    fn parse(text: &str) -> Result<League, toml::de::Error> {
        let mut file = DeTable::parse(text)?;
        let of_bots = take_limits(file.get_mut(), "bot")?;
        let stage_limits = take_limits(file.get_mut(), "stage")?;
        let limits = file.get_mut().get_mut("limits");
        let containment =
            limits.map(|section| take::<Containment>(section, &Containment::KEYS)).transpose()?;
        let mut league = League::deserialize(toml::Deserializer::from(file))?;
        league.bots.iter_mut().zip(of_bots).for_each(|(bot, limits)| bot.limits = limits);
        Ok(League { stage_limits, containment: containment.unwrap_or_default(), ..league })
    }

    /// Reads a league file. Returns its contents and its bots. Paths in it are relative to its folder.
    pub(crate) fn read(path: &Path) -> Result<(League, Vec<Identity>), Error> {
        let text = user_text::read(path)?;
        let mut league = League::parse(&text).map_err(|error| wrong(path, &text, &error))?;
        let base = path.parent().unwrap_or(Path::new(""));
        let RulesArgs { cards, patches, .. } = &mut league.rules;
        for file in [cards, patches].into_iter().flatten() {
            *file = base.join(&*file);
        }
        for settings in league.stages.iter_mut().chain([&mut league.tournament]) {
            settings.positions = settings.positions.take().map(|positions| positions.in_folder(base));
        }
        let here = if base.as_os_str().is_empty() { Path::new(".") } else { base };
        let folder = std::path::absolute(here).map_err(|error| Error::unreadable(path, &error))?;
        league.game.base = Some(folder.clone());
        let bots = std::mem::take(&mut league.bots).into_iter().map(|bot| bot.bot(&folder));
        let bots = bots.collect::<Result<_, _>>()?;
        Ok((league, bots))
    }
}

/// Returns the section of a bot that runs a command in its folder.
pub(crate) fn bot_section(name: &str, dir: &str, command: &str) -> String {
    let [name, dir, command] =
        [name, dir, command].map(|text| toml::Value::String(text.to_owned()).to_string());
    format!("[[bot]]\nname = {name}\ndir = {dir}\ncommand = {command}\n")
}

fn retries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = toml::Value::deserialize(deserializer)?.as_integer();
    let number = number.and_then(|number| u32::try_from(number).ok()).filter(|&number| number <= RETRIES_MAX);
    number.ok_or_else(|| serde::de::Error::custom(format!("a whole number from 0 to {RETRIES_MAX}")))
}

/// Takes the limits out of all sections of this name, so that each key is declared once. Returns them by section.
fn take_limits(file: &mut DeTable<'_>, section: &str) -> Result<Vec<Times>, toml::de::Error> {
    let Some(DeValue::Array(sections)) = file.get_mut(section).map(Spanned::get_mut) else {
        return Ok(Vec::new());
    };
    sections.iter_mut().map(|section| take(section, &OwnLimits::KEYS)).collect()
}

/// Takes these keys out of a section.
fn take<T: Default + for<'de> Deserialize<'de>>(
    section: &mut Spanned<DeValue<'_>>,
    keys: &[&str],
) -> Result<T, toml::de::Error> {
    let span = section.span();
    let DeValue::Table(table) = section.get_mut() else { return Ok(T::default()) };
    let (taken, rest): (DeTable<'_>, DeTable<'_>) =
        std::mem::take(table).into_iter().partition(|(key, _)| keys.contains(&&**key.get_ref()));
    *table = rest;
    T::deserialize(toml::Deserializer::from(Spanned::new(span, taken)))
}

/// Returns the error for a wrong league file: the line number and the reason on one line.
fn wrong(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let place = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..place].matches('\n').count() + 1;
    let reason = unknown_key(text, line, error.message());
    let reason = reason.unwrap_or_else(|| {
        let plain = ["u64", "usize", "u32"].iter().fold(error.message().replace('\n', " "), |text, name| {
            text.replace(&format!("expected {name}"), "expected a whole number, such as 1000")
        });
        let plain = plain.replace(
            "string values must be quoted, expected literal string",
            "texts stand in quotes, numbers do not",
        );
        let plain = plain.replace("expected a nonzero u64", "expected a whole number from 1 on");
        let plain = plain.replace("expected a string", "expected a text, such as \"2s\" or \"512MiB\"");
        let key = text.lines().nth(line - 1).and_then(|line| Some(line.split_once('=')?.0.trim()));
        let key = key.filter(|key| !plain.contains(key)).map_or(String::new(), |key| format!("{key}: "));
        key + &plain
    });
    Error::usage(format!("{} line {line}: {reason}", path.display()))
        .hint("a league file has [tournament], [limits], [rules], [game], a [[bot]] for each bot, and [[stage]]; see docs/league.toml")
}

/// Returns the reason for an unknown key: its section and the closest valid key. Returns `None` for other
/// errors. The TOML parser lists the valid keys in its message.
fn unknown_key(text: &str, line: usize, message: &str) -> Option<String> {
    let mut names = message.strip_prefix("unknown field")?.split('`').skip(1).step_by(2);
    let key = names.next()?;
    let mut known: Vec<&str> = names.collect();
    let header = |line: &&str| line.trim_start().starts_with('[');
    let lines: Vec<&str> = text.lines().take(line).collect();
    let section = match lines.last().is_some_and(header) {
        true => None,
        false => lines.iter().rev().find(|line| header(line)),
    };
    match section.map(|section| section.trim()) {
        Some("[limits]") => known.extend(Containment::KEYS),
        Some(section) if section.starts_with("[[") => known.extend(OwnLimits::KEYS),
        _ => {}
    }
    let place = section.map_or(String::new(), |section| format!(" in {}", section.trim()));
    let nearest = known.iter().min_by_key(|name| strsim::damerau_levenshtein(key, name));
    let nearest = nearest.filter(|name| strsim::damerau_levenshtein(key, name) <= name.len() / 2);
    Some(match nearest {
        Some(name) => format!("unknown key `{key}`{place}; did you mean `{name}`?"),
        None => format!("unknown key `{key}`{place}; there are {}", known.join(", ")),
    })
}
