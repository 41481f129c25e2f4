//! What is kept of bots beside the records: their stderr, and a bundle for each failure with what
//! its author needs to mend it. All of it is bounded.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use engine::game::{Game, Seat};

use crate::journal::results;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::record::MatchRecord;
use sandbox::{Ended, Said, StderrLog};

/// Folder of what the bots wrote to stderr.
const STDERR: &str = "stderr";
/// Folder of the failure bundles.
const FAULTS: &str = "faults";
/// The most stderr kept of one bot in a tournament's directory, in bytes.
const STDERR_FILE_BYTES_MAX: usize = 1 << 20;
/// The most bundles kept of one bot: enough to see a pattern, bounded for a bot that always fails.
const BUNDLES_MAX: usize = 20;

/// Name and content of a file in a bundle.
type EvidenceFile = (&'static str, Vec<u8>);

/// What one match left behind that is worth keeping.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Index of the match.
    index: u64,
    /// Bot and text for its log.
    logs: Vec<(String, Vec<u8>)>,
    /// Bot and files of its bundle: name and content.
    bundles: Vec<(String, Vec<EvidenceFile>)>,
}

impl Evidence {
    /// Gathers it; `options` are those of the command that plays the match again. What a bot without a fault wrote to stderr is kept only if `keep_stderr`.
    pub(crate) fn gather<G: Game>(
        record: &MatchRecord<G>,
        ended: &[Option<Ended>],
        entrants: &[&Entrant],
        options: impl Fn() -> String,
        keep_stderr: bool,
    ) -> Evidence {
        let mut evidence = Evidence { index: record.index, ..Evidence::default() };
        for (seat, (entrant, ended)) in entrants.iter().zip(ended).enumerate() {
            let failed = record.result.faults[seat].is_some();
            let stderr = ended.as_ref().map(|ended| &ended.stderr).filter(|stderr| stderr.bytes_total > 0);
            if let Some(stderr) = stderr.filter(|_| failed || keep_stderr) {
                let title = format!("--- match {}, seat {seat}\n", record.index).into_bytes();
                evidence.logs.push((entrant.name.clone(), [title, text_of(stderr)].concat()));
            }
            // A failure alone is that of all tables: its bundle is with the first of them.
            let is_kept = record.alone.contains(&seat) && ended.is_none();
            if failed && !is_kept {
                let mut files = vec![(
                    "fault.txt",
                    report(record, seat, ended.as_ref(), entrants, &options()).into_bytes(),
                )];
                let transcript = ended.iter().flat_map(|ended| &ended.transcript);
                files.push(("last-lines.txt", transcript.flat_map(line_of).collect()));
                files.extend(stderr.map(|stderr| ("stderr.txt", text_of(stderr))));
                evidence.bundles.push((entrant.name.clone(), files));
            }
        }
        evidence
    }
}

/// Head, what is missing, tail.
fn text_of(log: &StderrLog) -> Vec<u8> {
    let mut text = log.head.clone();
    if log.bytes_dropped() > 0 {
        text.extend(format!("\n--- {} bytes left out\n", log.bytes_dropped()).into_bytes());
    }
    text.extend(&log.tail);
    if text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
    text
}

/// A line of the dialogue: `>` to the bot, `<` from it.
fn line_of(said: &Said) -> Vec<u8> {
    let mut line = if said.by_bot { b"< ".to_vec() } else { b"> ".to_vec() };
    line.extend(&said.text);
    if said.text.len() < said.bytes_total {
        line.extend(format!(" ... ({} bytes in all)", said.bytes_total).into_bytes());
    }
    line.push(b'\n');
    line
}

/// What happened, in which match, and how to see it again.
fn report<G: Game>(
    record: &MatchRecord<G>,
    seat: Seat,
    ended: Option<&Ended>,
    entrants: &[&Entrant],
    options: &str,
) -> String {
    let mut text = format!("bot {} in seat {seat} of match {}\n", record.bots[seat], record.index);
    let turn = record.turns.iter().rfind(|turn| turn.seat == seat && turn.fault.is_some());
    if let Some((turn, fault)) = turn.and_then(|turn| Some((turn, turn.fault.as_ref()?))) {
        let _ = writeln!(
            text,
            "fault {} at decision {} after {} us\n{}",
            fault.kind, turn.id, turn.us, fault.detail
        );
        let _ = writeln!(text, "arena late by {} us", turn.late_us.unwrap_or(0));
        if let Some(cpu_us) = turn.cpu_us {
            let _ = writeln!(text, "processor time of the bot {cpu_us} us");
        }
        if let Some(stolen_us) = turn.stolen_us {
            let _ = writeln!(text, "a processor was kept from this machine by its host for {stolen_us} us");
        }
        if let Some(starved_us) = turn.starved_us {
            let _ = writeln!(text, "the bot waited for a processor for {starved_us} us");
        }
    }
    if let Some(ended) = ended {
        let end = ended.status.map_or("was killed by the arena".to_owned(), |status| status.to_string());
        let _ = writeln!(text, "its process {end}; it was held by {}", ended.containment.as_str());
    }
    if record.alone.contains(&seat) {
        let _ = writeln!(text, "it played this deal alone: \"arena rerun DIR --match {}\"", record.index);
    }
    text + "\nTo play this match again:\n" + &again(record, entrants, options) + "\n"
}

/// The command that plays a match again. Folders and variables of a league file cannot be said on
/// the command line; they are named beside it.
fn again<G: Game>(record: &MatchRecord<G>, entrants: &[&Entrant], options: &str) -> String {
    let mut command = format!("arena match --game {} --seed {}", record.game, record.seed);
    for entrant in entrants {
        let bot = format!("{}={}", entrant.name, entrant.text);
        let _ = write!(command, " --bot {}", shell_words::quote(&bot));
    }
    command.push_str(options);
    let special = |entrant: &&&Entrant| entrant.command.dir.is_some() || !entrant.command.env.is_empty();
    for entrant in entrants.iter().filter(special) {
        let _ = write!(command, "\n# {} also needs the dir and env of its league file", entrant.name);
    }
    command
}

/// The folders in a tournament's directory where evidence is kept.
#[derive(Debug)]
pub(crate) struct EvidenceRoom {
    out: PathBuf,
    log_bytes: HashMap<String, usize>,
    bundles: HashMap<String, usize>,
}

impl EvidenceRoom {
    /// The folders in `out`, made when they are needed.
    pub(crate) fn new(out: &Path) -> EvidenceRoom {
        EvidenceRoom { out: out.to_owned(), log_bytes: HashMap::new(), bundles: HashMap::new() }
    }

    /// Writes what there is, within the bounds.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub(crate) fn keep(&mut self, evidence: &Evidence) -> Result<(), Error> {
        for (bot, text) in &evidence.logs {
            let path = self.out.join(STDERR).join(format!("{bot}.log"));
            let there = || fs::symlink_metadata(&path).map_or(0, |file| file.len() as usize);
            let bytes = self.log_bytes.entry(bot.clone()).or_insert_with(there);
            if *bytes + text.len() <= STDERR_FILE_BYTES_MAX {
                *bytes += text.len();
                make_folder(&self.out.join(STDERR))?;
                append(&path, text)?;
            }
        }
        for (bot, files) in &evidence.bundles {
            let there = || bundles_of(&self.out.join(FAULTS), bot);
            let count = self.bundles.entry(bot.clone()).or_insert_with(there);
            if *count < BUNDLES_MAX {
                *count += 1;
                let all = self.out.join(FAULTS);
                let folder = all.join(format!("{}-{bot}", evidence.index));
                [&all, &folder].into_iter().try_for_each(|folder| make_folder(folder))?;
                files.iter().try_for_each(|(name, bytes)| write(&folder.join(name), bytes))?;
            }
        }
        Ok(())
    }
}

/// How many bundles of a bot are there, from before a tournament was resumed.
fn bundles_of(folder: &Path, bot: &str) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_its = |entry: &fs::DirEntry| {
        entry.file_name().to_str().and_then(|name| name.split_once('-')).is_some_and(|(_, name)| name == bot)
    };
    entries.filter(is_its).count()
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = results::create(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| Error::unwritable(path, &error))
}

fn append(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = results::append(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| Error::unwritable(path, &error))
}

fn make_folder(path: &Path) -> Result<(), Error> {
    results::folder(path).map_err(|error| Error::unwritable(path, &error))
}
