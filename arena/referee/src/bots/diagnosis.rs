//! Starts a bot that failed once more, with the same questions, and says what the kernel refused to it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sandbox::confine::paths;
use sandbox::{BotProcess, Command, Ended, Host, Refused, SpawnError, text};

/// The variable with the folders of libraries, which people set for programs of their own.
const LIBRARIES: &str = "LD_LIBRARY_PATH";
/// The beginning of sentences about refusals.
const REFUSED: &str = "the sandbox refused it";
/// The most starts that try options.
const TRIES_MAX: usize = 5;
/// The most refusals in one sentence. The last ones are the nearest to the failure.
const SHOWN_MAX: usize = 3;
/// The maximum wait for the answers, and for the end of the process after its input was closed.
const PATIENCE_MAX: Duration = Duration::from_secs(5);

/// Whether a bot gave the answers that it owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answered {
    /// All of them.
    Yes,
    /// All of them, but some only once its stdin was closed.
    AtTheEnd,
    /// All of them but the end of the last line.
    Cut,
    /// Not all of them.
    No,
}

/// What the second start of a bot told, and the starts with options.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// What is known about the failure, as advice.
    pub hint: Option<String>,
    /// True if the bot failed again, and the kernel says that nothing was refused to it.
    pub is_without_refusal: bool,
}

/// The lines that a bot had heard when it failed, and what it owed.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// All lines to its process.
    pub lines: &'a [u8],
    /// The number of those that need an answer.
    pub questions: usize,
    /// The time for the answers. At most five seconds of it are taken.
    pub patience: Duration,
}

/// Starts the bot, sends what it had heard, and waits for its answers. Then closes its stdin. If the sandbox refused to an
/// owner's own bot to read something, opens that and tries again. `flush` is added to the advice to flush.
///
/// # Errors
/// As [`BotProcess::spawn`].
pub async fn diagnose(
    command: &Command,
    host: &Host,
    heard: Heard<'_>,
    flush: &str,
) -> Result<Diagnosis, SpawnError> {
    let (host, patience) = (host.clone().trace(), heard.patience.min(PATIENCE_MAX));
    let heard = Heard { patience, ..heard };
    let (answered, ended) = heard.again(command, &host).await?;
    let is_without_refusal = answered == Answered::No && ended.refused.as_ref().is_some_and(Vec::is_empty);
    let hint = match answered {
        Answered::Yes => None,
        Answered::AtTheEnd => Some(format!(
            "the answer came only after the end of the input: flush stdout after each line{flush}, and read one \
             line at a time"
        )),
        Answered::Cut => Some("end each answer with a newline, \"\\n\"".to_owned()),
        Answered::No => {
            let refused = ended.refused.unwrap_or_default();
            let (tried, helps) = heard.try_options(command, &host, refused.clone()).await?;
            told(&refused, command, tried, helps)
        }
    };
    Ok(Diagnosis { hint, is_without_refusal })
}

impl Heard<'_> {
    /// Opens what the bot could not read, as often as it then asks for more, and gives it the folders of libraries. Returns what
    /// was tried, as a sentence, and whether it helped.
    async fn try_options(
        &self,
        command: &Command,
        host: &Host,
        mut refused: Vec<Refused>,
    ) -> Result<(Option<String>, bool), SpawnError> {
        let (mut command, given) = (command.clone(), command.rights.read.clone());
        let has_libraries = command.is_foreign || command.env.iter().any(|(name, _)| name == LIBRARIES);
        let mut libraries = std::env::var(LIBRARIES).ok().filter(|_| !has_libraries);
        let (mut tried, mut options) = (None, Vec::new());
        let begin = Instant::now();
        for _ in 0..TRIES_MAX {
            if begin.elapsed() > 2 * self.patience {
                break; // it hangs
            }
            let more = paths_to_open(&refused);
            if more.iter().all(|path| command.rights.read.contains(path)) {
                let Some(value) = libraries.take() else { break };
                command.env.push((LIBRARIES.to_owned(), value));
                options = vec![format!("--env-from {LIBRARIES}")];
            }
            command.rights.read.extend(more);
            let (answered, ended) = self.again(&command, host).await?;
            let read = &command.rights.read;
            let paths = read.iter().filter(|path| !given.contains(path) && !is_in(path, read));
            let (names, reads): (Vec<_>, Vec<_>) = paths.map(|path| (shown(path), read_option(path))).unzip();
            let helps = answered == Answered::Yes;
            let what = match names.is_empty() {
                true => format!("bots do not get {LIBRARIES}"),
                false => format!("{REFUSED} reading {}", names.join(" and ")),
            };
            if helps {
                let options = [options, reads].concat().join(" ");
                return Ok((Some(format!("{what}: with {options} it answers")), true));
            }
            tried = (!reads.is_empty()).then(|| format!("{what}: with {} it fails still", reads.join(" ")));
            refused.extend(ended.refused.unwrap_or_default());
        }
        Ok((tried, false))
    }

    async fn again(&self, command: &Command, host: &Host) -> Result<(Answered, Ended), SpawnError> {
        let mut bot = BotProcess::spawn(command, host).await?;
        let answers_all =
            |output: &[u8]| output.iter().filter(|&&byte| byte == b'\n').count() >= self.questions;
        let mut output = bot.words(self.lines, answers_all, self.patience).await;
        if answers_all(&output) {
            return Ok((Answered::Yes, bot.kill().await));
        }
        let (rest, ended) = bot.last_words(b"", self.patience).await;
        output.extend(rest);
        let answered = match output.last() {
            _ if answers_all(&output) => Answered::AtTheEnd,
            Some(b'\n') | None => Answered::No,
            Some(_) => Answered::Cut,
        };
        Ok((answered, ended))
    }
}

/// Returns what was tried, and what else was refused and what opens it.
fn told(refused: &[Refused], command: &Command, tried: Option<String>, helps: bool) -> Option<String> {
    let is_open = |found: &&Refused| match found {
        Refused::Reading(_) => tried.is_none(),
        Refused::Elsewhere => refused.iter().all(|other| *other == Refused::Elsewhere),
        _ => !helps, // what helped is all that there is to say
    };
    let others: Vec<String> =
        refused.iter().rev().filter(is_open).map(|found| advice(found, command)).collect();
    let mut parts: Vec<String> = tried.iter().cloned().chain(others).collect();
    let more = parts.len().saturating_sub(SHOWN_MAX);
    parts.truncate(SHOWN_MAX);
    parts.extend((more > 0).then(|| format!("and {more} more")));
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Returns the files and folders that the bot could not read. Of several files in a folder it returns the folder.
fn paths_to_open(refused: &[Refused]) -> Vec<PathBuf> {
    let files = || {
        refused.iter().filter_map(|refused| match refused {
            Refused::Reading(path) => Some(path),
            _ => None,
        })
    };
    let opened = |path: &PathBuf| {
        let has_more = |folder: &&Path| files().filter(|other| other.parent() == Some(folder)).count() > 1;
        path.parent().filter(has_more).map_or(path.clone(), Path::to_owned)
    };
    files().map(opened).collect()
}

/// Returns true if one of the others holds the path.
fn is_in(path: &Path, others: &[PathBuf]) -> bool {
    others.iter().any(|other| path != other && path.starts_with(other))
}

/// Returns what was refused and what to do about it. An option that opens it is not tried yet. The author of a stranger's bot
/// chooses no options.
fn advice(refused: &Refused, command: &Command) -> String {
    let opens = |what: &str, option: &str| match command.is_foreign {
        true => format!("{REFUSED} {what}: do without"),
        false => format!("{REFUSED} {what}: {option} opens it (not tried)"),
    };
    match refused {
        Refused::Writing(path) if command.is_foreign => {
            let path = command
                .dir
                .as_ref()
                .and_then(|dir| path.strip_prefix(paths::settled(dir)).ok())
                .unwrap_or(path);
            format!("{REFUSED} writing {}: write into the folder that TMPDIR names", text::path(path))
        }
        Refused::Reading(path) => opens(&format!("reading {}", shown(path)), &read_option(path)),
        Refused::Writing(path) => {
            let folder = shown(path.parent().unwrap_or(path));
            opens(&format!("writing {}", shown(path)), &format!("--write {}", shell_words::quote(&folder)))
        }
        Refused::Network => opens("the network", "--network"),
        Refused::Process => opens("one more process or thread", "--processes N"),
        Refused::Memory => opens("more memory", "--memory SIZE"),
        Refused::OpenFile => opens("one more open file", "--open-files N"),
        Refused::LargeFile => opens("a larger file", "--scratch SIZE"),
        Refused::Folder(path, reason) => {
            format!(
                "{REFUSED} the folder {}, because {reason}: move the bot into a folder of its own",
                shown(path)
            )
        }
        Refused::Beside(path) => format!(
            "{} is in the bot's folder, and bots start in your folder, not in theirs: open it by the path of the \
             program's own file",
            shown(path)
        ),
        Refused::NamedSocket => format!(
            "{REFUSED} a socket with a name, which no option opens: start processes by \"spawn\" or \"fork\" \
             (multiprocessing.set_start_method), and run built JavaScript, not tsx"
        ),
        Refused::Call(name) => format!("{REFUSED} the system call {name}, which no option opens"),
        Refused::Elsewhere => format!("{REFUSED} a file elsewhere"),
    }
}

fn read_option(path: &Path) -> String {
    format!("--read {}", shell_words::quote(&shown(path)))
}

/// Returns a path as an option takes it here.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(paths::settled(&here)) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => text::path(below),
        Err(_) => text::path(path),
    }
}
