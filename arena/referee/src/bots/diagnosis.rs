//! Starts a bot that failed once more, with the same questions, and says what the kernel refused to it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::confine::paths;
use sandbox::{BotProcess, Command, Ended, Host, Refused, SpawnError, text};

/// The variable with the folders of libraries, which people set for programs of their own.
const LIBRARIES: &str = "LD_LIBRARY_PATH";
/// The most starts that try options.
const TRIES_MAX: usize = 5;
/// The most refusals in one sentence. The last ones are the nearest to the failure.
const SHOWN_MAX: usize = 3;
/// The maximum wait for the answers, and for the end of the process after its input was closed.
const PATIENCE_MAX: Duration = Duration::from_secs(5);

/// Whether a bot gave the answers that it owed, in the second start.
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

/// The result of the second start of a bot, and of the starts with options.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// Whether the bot answered.
    answered: Answered,
    /// What the sandbox refused to it, in the order of its calls. `None` if the kernel does not tell.
    refused: Option<Vec<Refused>>,
    /// What it had by way of trial.
    trial: Option<Trial>,
}

/// What was given to a bot by way of trial.
#[derive(Clone, Debug)]
struct Trial {
    paths: Vec<PathBuf>,
    /// True if it had the variable [`LIBRARIES`].
    has_libraries: bool,
    /// True if it answered then.
    answers: bool,
}

impl Diagnosis {
    /// Returns what is known about the failure, as advice. `flush` is added to the advice to flush.
    pub fn hint(&self, flush: &str) -> Option<String> {
        match self.answered {
            Answered::Yes => None,
            Answered::AtTheEnd => Some(format!(
                "the answer came only after the end of the input: flush stdout after each line{flush}, and read one \
                 line at a time"
            )),
            Answered::Cut => Some("end each answer with a newline, \"\\n\"".to_owned()),
            Answered::No => Some(self.to_string()).filter(|told| !told.is_empty()),
        }
    }

    /// Returns true if the bot failed again, and the kernel says that nothing was refused to it.
    pub fn is_without_refusal(&self) -> bool {
        self.answered == Answered::No && self.refused.as_ref().is_some_and(Vec::is_empty)
    }
}

/// Starts the bot, sends `heard`, and expects as many lines as it owes `answers`, until `patience` or five seconds are over. Then
/// closes its stdin. If the sandbox refused to an owner's own bot to read something, opens that and tries again.
///
/// # Errors
/// As [`BotProcess::spawn`].
pub async fn diagnose(
    command: &Command,
    host: &Host,
    (heard, answers): (&[u8], usize),
    patience: Duration,
) -> Result<Diagnosis, SpawnError> {
    let (host, patience) = (host.clone().trace(), patience.min(PATIENCE_MAX));
    let mut command = command.clone();
    let (answered, ended) = listen(&command, &host, (heard, answers), patience).await?;
    let mut diagnosis = Diagnosis { answered, refused: ended.refused, trial: None };
    if diagnosis.answered != Answered::No {
        return Ok(diagnosis);
    }
    let mut refused = diagnosis.refused.clone().unwrap_or_default();
    let has_libraries = command.is_foreign || command.env.iter().any(|(name, _)| name == LIBRARIES);
    let mut libraries = std::env::var(LIBRARIES).ok().filter(|_| !has_libraries);
    let (given, had) = (command.rights.read.clone(), libraries.is_none());
    for _ in 0..TRIES_MAX {
        let more = paths_to_open(&refused);
        if more.iter().all(|path| command.rights.read.contains(path)) {
            let Some(value) = libraries.take() else { break };
            command.env.push((LIBRARIES.to_owned(), value));
        }
        command.rights.read.extend(more);
        let (answered, ended) = listen(&command, &host, (heard, answers), patience).await?;
        let read = &command.rights.read;
        let tried = read.iter().filter(|path| !given.contains(path) && !is_in(path, read)).cloned().collect();
        let (has_libraries, answers) = (!had && libraries.is_none(), answered == Answered::Yes);
        diagnosis.trial = Some(Trial { paths: tried, has_libraries, answers });
        if answers {
            break;
        }
        refused.extend(ended.refused.unwrap_or_default());
    }
    Ok(diagnosis)
}

async fn listen(
    command: &Command,
    host: &Host,
    (heard, answers): (&[u8], usize),
    patience: Duration,
) -> Result<(Answered, Ended), SpawnError> {
    let mut bot = BotProcess::spawn(command, host).await?;
    let answers_all = |output: &[u8]| output.iter().filter(|&&byte| byte == b'\n').count() >= answers;
    let mut output = bot.words(heard, answers_all, patience).await;
    if answers_all(&output) {
        return Ok((Answered::Yes, bot.kill().await));
    }
    let (rest, ended) = bot.last_words(b"", patience).await;
    output.extend(rest);
    let answered = match output.last() {
        _ if answers_all(&output) => Answered::AtTheEnd,
        Some(b'\n') | None => Answered::No,
        Some(_) => Answered::Cut,
    };
    Ok((answered, ended))
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

/// Returns what was refused and what to do about it. An option that opens it is not tried yet.
fn advice(refused: &Refused) -> String {
    let opens = |what: &str, option: &str| format!("{what}: {option} opens it (not tried)");
    match refused {
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
            format!("the folder {}, because {reason}: move the bot into a folder of its own", shown(path))
        }
        Refused::Beside(path) => format!(
            "{} is in the bot's folder, and bots start in your folder, not in theirs: open it by the path of the \
             program's own file",
            shown(path)
        ),
        Refused::NamedSocket => "a socket with a name, which no option opens: start processes by \"spawn\" or \
                                 \"fork\" (multiprocessing.set_start_method), and run built JavaScript, not tsx"
            .to_owned(),
        Refused::Call(name) => format!("the system call {name}, which no option opens"),
        Refused::Elsewhere => "a file elsewhere".to_owned(),
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

impl fmt::Display for Diagnosis {
    /// Writes what was refused and what opens it. Writes nothing if nothing was refused, or nobody knows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused = self.refused.as_deref().unwrap_or_default();
        // What helped is all that there is to say. What was tried in vain is said already.
        let is_solved = self.trial.as_ref().is_some_and(|trial| trial.answers);
        let is_open = |found: &&Refused| match found {
            Refused::Reading(_) => self.trial.is_none(),
            Refused::Elsewhere => refused.iter().all(|other| *other == Refused::Elsewhere),
            Refused::Beside(_) => false,
            _ => !is_solved,
        };
        let tried = self.trial.iter().filter(|trial| !trial.paths.is_empty()).map(Trial::to_string);
        let mut parts: Vec<String> = tried.chain(refused.iter().rev().filter(is_open).map(advice)).collect();
        let more = parts.len().saturating_sub(SHOWN_MAX);
        parts.truncate(SHOWN_MAX);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let refusals =
            (!parts.is_empty()).then(|| format!("the sandbox refused it {}{more}", parts.join("; ")));
        let beside = refused.iter().find(|found| matches!(found, Refused::Beside(_))).map(advice);
        let libraries = self.trial.iter().filter(|trial| trial.answers && trial.paths.is_empty());
        let libraries = libraries.map(|trial| format!("bots do not get {LIBRARIES}: {trial}"));
        f.write_str(&beside.into_iter().chain(libraries).chain(refusals).collect::<Vec<_>>().join("; "))
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.paths.iter().map(|path| shown(path)).collect();
        let libraries = (self.has_libraries && self.answers).then(|| format!("--env-from {LIBRARIES}"));
        let options = self.paths.iter().map(|path| read_option(path));
        let options: Vec<String> = libraries.into_iter().chain(options).collect();
        let what =
            if names.is_empty() { String::new() } else { format!("reading {}: ", names.join(" and ")) };
        let outcome = if self.answers { "it answers" } else { "it fails still" };
        write!(f, "{what}with {} {outcome}", options.join(" "))
    }
}
