//! Fault reports: the stderr of bots, and a bundle for each fault with the facts that its author needs to fix
//! it. All files have a size limit.

use engine::wire::WireFormat;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use engine::game::Seat;

use crate::journal::results;
use crate::journal::shard::PREFIX;
use referee::bots::entrants::Entrant;
use referee::bots::identity::Identity;
use referee::bots::names::check_name;
use referee::error::Error;
use referee::record::MatchRecord;
use sandbox::{Ended, Said, StderrLog, text};

/// The folder of the bots' stderr logs.
const STDERR: &str = "stderr";
/// The folder of the bundles.
const FAULTS: &str = "faults";
/// The place of text before the first turn, and of text that may be from any turn.
const BEFORE_TURNS: &str = "start";
const ANY_TURN: &str = "stderr";
/// The most stderr kept of one bot in a tournament's directory, in bytes.
const STDERR_FILE_BYTES_MAX: usize = 1 << 20;
/// The most bundles kept of one bot. They are enough to see a pattern, and few for a bot that always fails.
const BUNDLES_MAX: usize = 20;

/// The line above the command in a bundle. The command names all bots of the match.
const AGAIN: &str = "\nTo play this match again:\n";

/// The files of a bundle.
const BUNDLE: [&str; 3] = ["fault.txt", "last-lines.txt", "stderr.txt"];

/// The name and the content of a file in a bundle.
type ReportFile = (&'static str, String);

/// The fault reports and the stderr of one match.
#[derive(Debug, Default)]
pub struct FaultReports {
    /// Index of the match.
    index: u64,
    /// The bots, each with the text for its log.
    logs: Vec<(String, String)>,
    /// The bots, each with the files of its bundle.
    bundles: Vec<(String, Vec<ReportFile>)>,
}

/// The time at which a bot wrote a line to stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StderrTime {
    /// Before the first turn.
    Start,
    /// In the turn with this id.
    Turn(u32),
    /// At some time: the tournament has not kept the turns.
    Unknown,
}

/// A line of a bot's stderr.
pub type StderrLine = (StderrTime, String);

/// Returns what a bot wrote to stderr in a match, as far as the tournament in this directory has kept it.
pub fn stderr_of(dir: &Path, bot: &str, index: u64, seat: Seat) -> Vec<StderrLine> {
    if check_name(bot).is_err() {
        return Vec::new(); // no bot has such a name, and no path may be made of it
    }
    let text = short_text(&dir.join(STDERR).join(format!("{bot}.log"))).unwrap_or_default();
    let title = title(index, seat);
    let lines: Vec<&str> = text.lines().collect();
    // A match that was played again comes last.
    let Some(place) = lines.iter().rposition(|line| *line == title.trim_end()) else { return Vec::new() };
    let mut found = Vec::new();
    for line in lines[place + 1..].iter().take_while(|line| !line.starts_with(TITLE)) {
        let Some((place, text)) = line.split_once(": ") else { continue };
        let time = match place {
            BEFORE_TURNS => StderrTime::Start,
            ANY_TURN => StderrTime::Unknown,
            _ => match place.strip_prefix("turn ").and_then(|id| id.parse().ok()) {
                Some(id) => StderrTime::Turn(id),
                None => continue,
            },
        };
        found.push((time, text.to_owned()));
    }
    found
}

/// Returns what the tournament in this directory has kept for the author of a bot: the path and the contents of each
/// file. Each shard may have files of its own, and so may the time before bots joined or changed.
///
/// # Errors
/// A folder is a link.
pub fn files_for(dir: &Path, bot: &str) -> Result<Vec<(PathBuf, String)>, Error> {
    let bot = check_name(bot)?;
    let is_of = |name: &str, folder: &str| name == folder || name.starts_with(&format!("{folder}-"));
    let mut files = Vec::new();
    let mut keep = |file: PathBuf| {
        if let Ok(text) = short_text(&dir.join(&file)) {
            files.push((file, text));
        }
    };
    let shards =
        names_in(dir)?.into_iter().filter(|name| name.starts_with(PREFIX) && dir.join(name).is_dir());
    for shard in shards.chain([String::new()]) {
        let (shard, below) = (Path::new(&shard), names_in(&dir.join(&shard))?);
        for folder in below.iter().filter(|name| is_of(name, STDERR)) {
            results::check_folder(&dir.join(shard).join(folder))
                .map_err(|error| Error::unreadable(dir, &error))?;
            keep(shard.join(folder).join(format!("{bot}.log")));
        }
        for folder in below.iter().filter(|name| is_of(name, FAULTS)) {
            let bundles = names_in(&dir.join(shard).join(folder))?.into_iter();
            let own = bundles.filter(|name| bot_of(name) == Some(&bot)).take(BUNDLES_MAX);
            for bundle in own.map(|bundle| shard.join(folder).join(bundle)) {
                results::check_folder(&dir.join(&bundle))
                    .map_err(|error| Error::unreadable(&bundle, &error))?;
                BUNDLE.iter().for_each(|file| keep(bundle.join(file)));
            }
        }
    }
    for (_, text) in files.iter_mut().filter(|(path, _)| path.ends_with(BUNDLE[0])) {
        text.truncate(text.find(AGAIN).unwrap_or(text.len()));
    }
    Ok(files)
}

/// Moves reports whose match numbers hold no longer to folders of their own: those of all bots, or of these.
///
/// # Errors
/// A folder is a link, or a file cannot be moved.
pub(crate) fn set_aside(out: &Path, bots: Option<&[String]>) -> Result<(), Error> {
    for folder in [STDERR, FAULTS] {
        let is_its = |name: &String, bot: &String| *name == format!("{bot}.log") || bot_of(name) == Some(bot);
        let is_moved = |name: &String| bots.is_none_or(|bots| bots.iter().any(|bot| is_its(name, bot)));
        let from = out.join(folder);
        let moved: Vec<String> = names_in(&from)?.into_iter().filter(is_moved).collect();
        let aside = |number: u64| out.join(format!("{folder}-{number}"));
        let Some(aside) = (1..).map(aside).find(|path| !path.exists()).filter(|_| !moved.is_empty()) else {
            continue;
        };
        make_folder(&aside)?;
        for name in moved {
            fs::rename(from.join(&name), aside.join(&name))
                .map_err(|error| Error::unwritable(&aside, &error))?;
        }
    }
    Ok(())
}

/// Returns the bot of a bundle with this name.
fn bot_of(bundle: &str) -> Option<&str> {
    bundle.split_once('-').map(|(_, bot)| bot)
}

/// Returns the names in a folder of the directory, sorted; none if there is no such folder.
fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    results::check_folder(folder).map_err(|error| Error::unreadable(folder, &error))?;
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    Ok(names)
}

/// Returns the text of a file within the limit of a log.
fn short_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    results::open(path)?.take(STDERR_FILE_BYTES_MAX as u64).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The beginning of a title in a log.
const TITLE: &str = "--- match ";

fn title(index: u64, seat: Seat) -> String {
    format!("{TITLE}{index}, seat {seat}\n")
}

impl FaultReports {
    /// Collects the reports of a match. `options` returns the options of the command that plays the match
    /// again. The stderr of bots without a fault is kept only with `keep_stderr`.
    pub(crate) fn gather<G: WireFormat>(
        record: &MatchRecord<G>,
        ended: &[Option<Ended>],
        entrants: &[&Entrant],
        options: impl Fn() -> String,
        keep_stderr: bool,
    ) -> FaultReports {
        let mut reports = FaultReports { index: record.index, ..FaultReports::default() };
        for (seat, (entrant, ended)) in entrants.iter().zip(ended).enumerate() {
            let failed = record.result.faults[seat].is_some();
            let stderr = ended.as_ref().map(|ended| &ended.stderr).filter(|stderr| stderr.bytes_total > 0);
            if let Some(stderr) = stderr.filter(|_| failed || keep_stderr) {
                let title = title(record.index, seat).into_bytes();
                reports.logs.push((
                    entrant.identity.name.clone(),
                    text::lines_of(&[title, lines_of(stderr)].concat()),
                ));
            }
            // A failed solo game counts at all tables. Its bundle belongs to the first of them.
            let is_kept = record.alone.contains(&seat) && ended.is_none();
            if failed && !is_kept {
                let mut files = vec![(
                    BUNDLE[0],
                    report(record, seat, ended.as_ref(), entrants, &options()).into_bytes(),
                )];
                let transcript = ended.iter().flat_map(|ended| &ended.transcript);
                files.push((BUNDLE[1], transcript.flat_map(line_of).collect()));
                files.extend(stderr.map(|stderr| (BUNDLE[2], text_of(stderr))));
                // People print these files on terminals, which obey some bytes.
                let files = files.into_iter().map(|(name, bytes)| (name, text::lines_of(&bytes))).collect();
                reports.bundles.push((entrant.identity.name.clone(), files));
            }
        }
        reports
    }
}

/// Returns the lines of a log, each after the turn in which the bot wrote it. A line of a bot therefore cannot pass for a title.
fn lines_of(log: &StderrLog) -> Vec<u8> {
    let unlabelled = if log.labels.is_empty() { ANY_TURN } else { BEFORE_TURNS };
    let line = |(label, line): (Option<u32>, Cow<'_, [u8]>)| {
        let place = label.map_or(unlabelled.to_owned(), |id| format!("turn {id}"));
        [place.as_bytes(), b": ", &line, b"\n"].concat()
    };
    log.lines().into_iter().flat_map(line).collect()
}

/// Returns the head, the number of omitted bytes, and the tail of a log.
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

/// Formats a line of the dialogue: `>` to the bot, `<` from the bot.
fn line_of(entry: &Said) -> Vec<u8> {
    let mut line = if entry.by_bot { b"< ".to_vec() } else { b"> ".to_vec() };
    line.extend(&entry.text);
    if entry.text.len() < entry.bytes_total {
        line.extend(format!(" ... ({} bytes in all)", entry.bytes_total).into_bytes());
    }
    line.push(b'\n');
    line
}

/// Describes the fault, the match, and the command that plays it again.
fn report<G: WireFormat>(
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
            "fault {} in {} after {} us\n{}",
            fault.kind,
            G::turn_name(turn.id),
            turn.us,
            fault.detail
        );
        let _ = writeln!(text, "arena late by {} us", turn.late_us.unwrap_or(0));
        if let Some(cpu_us) = turn.cpu_us {
            let _ = writeln!(text, "processor time of the bot {cpu_us} us");
        }
        if let Some(credit_us) = turn.credit_us {
            let _ = writeln!(text, "others had the processors for {credit_us} us, which do not count");
        }
        if turn.untold {
            let _ = writeln!(text, "the kernel does not tell who had the processors");
        }
        if let Some(stolen_us) = turn.stolen_us {
            let _ = writeln!(text, "a processor was kept from this machine by its host for {stolen_us} us");
        }
        if let Some(starved_us) = turn.starved_us {
            let _ = writeln!(text, "a thread of the bot waited for a processor for {starved_us} us");
        }
    }
    if let Some(ended) = ended {
        let end = ended.status.map_or("was killed by the arena".to_owned(), |status| status.to_string());
        let _ = writeln!(text, "its process {end}; it was held by {}", ended.containment.as_str());
    }
    if record.alone.contains(&seat) {
        let _ = writeln!(text, "it played this deal alone: \"arena rerun DIR --match {}\"", record.index);
    }
    text + AGAIN + &again(record, entrants, options) + "\n"
}

/// Returns the command that plays a match again. The command line has no options for folders and variables of
/// a league file, so comments name them.
fn again<G: WireFormat>(record: &MatchRecord<G>, entrants: &[&Entrant], options: &str) -> String {
    let mut command = format!("arena match --game {} --seed {}", record.game, record.seed);
    for entrant in entrants {
        let bot = format!("{}={}", entrant.identity.name, entrant.identity.command);
        let _ = write!(command, " --bot {}", shell_words::quote(&bot));
    }
    command.push_str(options);
    for Identity { name, limits, .. } in entrants.iter().map(|entrant| &entrant.identity) {
        limits.settings().iter().for_each(|setting| command.push_str(&format!(" --limit {name}:{setting}")));
    }
    let special = |entrant: &&&Entrant| entrant.command.dir.is_some() || !entrant.command.env.is_empty();
    for entrant in entrants.iter().filter(special) {
        let _ =
            write!(command, "\n# {} also needs the dir and env of its league file", entrant.identity.name);
    }
    command
}

/// The folders for fault reports and stderr logs in a tournament's directory.
#[derive(Debug)]
pub(crate) struct FaultReportDir {
    out: PathBuf,
    log_bytes: HashMap<String, usize>,
    bundles: HashMap<String, usize>,
}

impl FaultReportDir {
    /// The folders in `out`. They are created when needed.
    pub(crate) fn new(out: &Path) -> FaultReportDir {
        FaultReportDir { out: out.to_owned(), log_bytes: HashMap::new(), bundles: HashMap::new() }
    }

    /// Writes the reports within the limits.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(crate) fn keep(&mut self, reports: &FaultReports) -> Result<(), Error> {
        for (bot, text) in &reports.logs {
            let path = self.out.join(STDERR).join(format!("{bot}.log"));
            let there = || fs::symlink_metadata(&path).map_or(0, |file| file.len() as usize);
            let bytes = self.log_bytes.entry(bot.clone()).or_insert_with(there);
            if *bytes + text.len() <= STDERR_FILE_BYTES_MAX {
                *bytes += text.len();
                make_folder(&self.out.join(STDERR))?;
                append(&path, text.as_bytes())?;
            }
        }
        for (bot, files) in &reports.bundles {
            let there = || bundles_of(&self.out.join(FAULTS), bot);
            let count = self.bundles.entry(bot.clone()).or_insert_with(there);
            if *count < BUNDLES_MAX {
                *count += 1;
                let all = self.out.join(FAULTS);
                let folder = all.join(format!("{}-{bot}", reports.index));
                [&all, &folder].into_iter().try_for_each(|folder| make_folder(folder))?;
                files.iter().try_for_each(|(name, text)| write(&folder.join(name), text.as_bytes()))?;
            }
        }
        Ok(())
    }
}

/// Returns the number of existing bundles of a bot, from before a resume.
fn bundles_of(folder: &Path, bot: &str) -> usize {
    names_in(folder).unwrap_or_default().iter().filter(|name| bot_of(name) == Some(bot)).count()
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
