//! The bots of a match or a tournament: their commands and their files.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::wire::Hello;

use crate::bots::bundled;
use crate::bots::digests::{Digests, FileDigest, check_size};
use crate::bots::files::{BotFiles, Contents, version_of};
use crate::bots::identity::Identity;
use crate::bots::names::{check_name, check_new_name, fitted, look_alikes};
use crate::bots::shell;
use crate::bots::watched::Watched;
use crate::error::Error;
use crate::play::SeatPlan;
use crate::play::time_control::TimeControl;
use crate::seats::human::HUMAN;
use sandbox::confine::paths::{self, Claims};
use sandbox::{Command, CommandError, Rights};

/// What messages call a program that is a bot.
const BOT: &str = "bot";
/// The most files around a bot that are recorded one by one.
const AROUND_MAX: usize = 256;

/// A bot that takes part in a match or a tournament.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// What the user says of it. The name is empty until the first `hello` if the user gave none; version and digests
    /// come with that `hello`, too.
    pub identity: Identity,
    /// The command that starts the bot.
    pub command: Command,
    /// The files that are not held, as they were at its first start. Empty before that.
    pub watched: Arc<Watched>,
    /// True if it plays with files that were held earlier, because its files are others now.
    pub is_older: bool,
}

impl Entrant {
    /// Parses `NAME=COMMAND`, `COMMAND`, or the name of a bundled bot.
    ///
    /// # Errors
    /// The text has no valid command, or the name is invalid.
    pub fn parse(text: &str) -> Result<Entrant, Error> {
        Entrant::new(&Entrant::described(text)?)
    }

    /// Returns what a text says of a bot, as [`parse`](Self::parse) reads it.
    ///
    /// # Errors
    /// The name is invalid.
    pub fn described(text: &str) -> Result<Identity, Error> {
        let (name, command) = match text.split_once('=') {
            Some((name, command)) if !name.contains(['/', ' ', '\'', '"']) => (Some(name), command),
            Some((name, command)) if is_meant_as_name(name) => (Some(name), command),
            _ => (None, text),
        };
        let name = name.map(check_new_name).transpose()?.unwrap_or_default();
        Ok(Identity { name, command: command.to_owned(), ..Identity::default() })
    }

    /// Creates a bot from its description.
    ///
    /// # Errors
    /// As [`parse`](Self::parse). Also if the description names a human player or its working directory cannot be
    /// resolved.
    pub fn new(bot: &Identity) -> Result<Entrant, Error> {
        let entrant = Entrant::of(BOT, bot)?;
        entrant.check_words(BOT)?;
        Ok(entrant)
    }

    /// Creates a bot or another program, which messages call `what`.
    pub(crate) fn of(what: &str, bot: &Identity) -> Result<Entrant, Error> {
        if bot.command.trim() == HUMAN {
            return Err(Error::usage("a human cannot play here").hint(
                "\"arena match\" and \"arena play\" have a seat for one; a program of that name is ./human",
            ));
        }
        let bundled = bundled::find(bot.command.trim());
        let name = match (bot.name.as_str(), bundled) {
            ("", Some(bundled)) => bundled.name.to_owned(),
            ("", None) => String::new(),
            (name, _) => check_name(name)?,
        };
        let shown = if name.is_empty() { &bot.command } else { &name };
        shell::check(shown, &bot.command)?;
        let wrong = |error: CommandError| {
            Error::usage(format!("{what} {shown:?}: {error}"))
                .hint("write --bot NAME=COMMAND, such as --bot mine='python3 bot.py'")
        };
        let parsed = |folder: Option<&Path>| Command::parse_in(shown, &bot.command, folder).map_err(wrong);
        let dir = bot.dir.as_ref().map(|dir| std::path::absolute(bot.beside(dir))).transpose();
        let dir = dir
            .map_err(|error| Error::usage(format!("{what} {shown:?}: its folder cannot be used: {error}")))?;
        let base = bot.base.as_deref();
        let mut has_beside = false;
        let mut command = match (bundled, &dir) {
            (Some(bundled), _) => {
                let words = [own_executable()?, "bots".to_owned(), bundled.name.to_owned()];
                Command { has_no_paths: true, ..Command::new(shown, words).map_err(wrong)? }
            }
            (None, None) => {
                let (command, has) = beside([parsed(None)?, parsed(base)?], base);
                has_beside = has;
                command
            }
            (None, Some(dir)) => {
                let is_inside = bot.command.starts_with("./");
                one_of(what, parsed(Some(dir))?, parsed(base)?, is_inside)?
            }
        };
        command.dir = dir;
        command.env = environment(shown, bot)?;
        command.rights = bot.allowance.clone();
        let is_path = bundled.is_none() && command.argv[0].contains('/');
        let Rights { read, write, .. } = &bot.allowance;
        let needs_base = is_path || has_beside || bot.dir.is_some() || !read.is_empty() || !write.is_empty();
        let base = bot.base.clone().filter(|_| needs_base);
        let identity = Identity { name, base, version: None, ..bot.clone() }.without_files();
        let mut entrant = Entrant { identity, command, watched: Arc::default(), is_older: false };
        entrant.allow_retries(bot.retries);
        Ok(entrant)
    }

    /// Rejects a word that names a file in the folder of the league file, if another one lies in the working directory.
    pub(crate) fn check_words(&self, what: &str) -> Result<(), Error> {
        let Identity { name, command, base, dir, .. } = &self.identity;
        let base = base.as_ref().filter(|_| dir.is_none() && !self.is_bundled());
        let words = shell_words::split(command).unwrap_or_default();
        let files = words.iter().enumerate().filter(|(place, word)| *place > 0 || word.contains('/'));
        files
            .filter_map(|(_, word)| Some((base?.join(word), Path::new(word))))
            .filter(|(there, here)| there.is_file() && here.is_file())
            .try_for_each(|(there, here)| only(what, name, &there, here))
    }

    /// Sets how often the bot may answer a turn again. It is stopped while its answer is judged.
    pub fn allow_retries(&mut self, retries: u32) {
        (self.identity.retries, self.command.stops) = (retries, retries > 0);
    }

    /// Creates a bot from the description in a results directory. Unless the user trusts the directory, the sandbox
    /// shows the bot nothing around its own files.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_results(bot: &Identity, is_trusted: bool, folders: &[PathBuf]) -> Result<Entrant, Error> {
        // What was recorded must name one file; which folder it is in is decided here.
        Entrant::new(bot)?;
        let mut entrant = Entrant::of(BOT, &bot.placed(folders))?;
        entrant.command.is_foreign = !is_trusted && !entrant.is_bundled();
        Ok(entrant)
    }

    /// Returns the seat of the bot in a match with these limits, as this copy of the bot.
    pub fn seat(&self, copy: u32, table: TimeControl) -> SeatPlan {
        let Identity { name, limits, retries, .. } = &self.identity;
        SeatPlan { name: name.clone(), copy, time: limits.at(table), retries: *retries }
    }

    /// Returns true for a bundled bot.
    pub fn is_bundled(&self) -> bool {
        bundled::find(self.identity.command.trim()).is_some()
    }

    /// Allows the bot to read and write additional paths, to use the network if `granted` says so, and to have what its
    /// limits say.
    pub fn allow(&mut self, granted: &Rights) {
        // The paths of a resumed tournament may already be in the list.
        let add = |known: &mut Vec<PathBuf>, paths: &[PathBuf]| {
            let new: Vec<PathBuf> = paths.iter().filter(|path| !known.contains(path)).cloned().collect();
            known.extend(new);
        };
        let rights = &mut self.command.rights;
        add(&mut rights.read, &granted.read);
        add(&mut rights.write, &granted.write);
        rights.network |= granted.network;
        rights.processes = granted.processes.or(rights.processes);
        rights.scratch_bytes = granted.scratch_bytes.or(rights.scratch_bytes);
        rights.open_files = granted.open_files.or(rights.open_files);
        self.identity.allowance.clone_from(rights);
    }

    /// Adds variables to the environment of the bot, and the names of variables that it gets from the arena's.
    ///
    /// # Errors
    /// A name or a value cannot be in an environment, or the arena's has no such variable.
    pub fn add_variables(&mut self, env: BTreeMap<String, String>, env_from: &[String]) -> Result<(), Error> {
        self.identity.env.extend(env);
        let known = &mut self.identity.env_from;
        let new: Vec<String> = env_from.iter().filter(|name| !known.contains(name)).cloned().collect();
        known.extend(new);
        self.command.env = environment(&self.command.name, &self.identity)?;
        Ok(())
    }

    /// Returns the bundled bots that play when no bot is named.
    ///
    /// # Errors
    /// The path of this program is unknown.
    pub fn bundled() -> Result<Vec<Entrant>, Error> {
        bundled::BUNDLED.iter().filter(|bot| bot.by_default).map(|bot| Entrant::parse(bot.name)).collect()
    }

    /// Returns this bot under a valid name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Entrant {
        self.rename(name.to_owned());
        self
    }

    pub(super) fn rename(&mut self, name: String) {
        self.command.name.clone_from(&name);
        self.identity.name = name;
    }

    /// Returns the arguments that name files, each with its path.
    fn named_files(&self) -> impl Iterator<Item = (&String, PathBuf)> {
        let base = self.command.dir.clone().unwrap_or_default();
        let arguments = self.command.argv[1..].iter().filter(|_| !self.command.has_no_paths);
        arguments.map(move |argument| (argument, base.join(argument))).filter(|(_, path)| path.is_file())
    }

    /// Returns the first argument that names a file, or the program if no argument does. The argument
    /// identifies a bot better than its interpreter.
    fn main_file(&self) -> String {
        self.named_files().next().map_or(&self.command.argv[0], |(argument, _)| argument).clone()
    }

    /// Returns the name of the bot according to its `hello`, or else to its file.
    pub fn own_name(&self, hello: &Hello) -> String {
        own_name(hello, &self.main_file())
    }

    /// Returns the program and every argument that names a file.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.command.program().into_iter().chain(self.named_files().map(|(_, path)| path))
    }

    /// Returns the SHA-256 of each file that its command names, the program first.
    ///
    /// # Errors
    /// A file is too large to read.
    pub(crate) fn own_digests(&self) -> Result<Vec<String>, Error> {
        self.check_sizes()?;
        let known = Digests::read(self.files().collect(), &Digests::default(), || false);
        Ok(self.files().filter_map(|path| Some(known.file(path)?.sha256)).collect())
    }

    /// Rejects a command with a file that is too large to read for its digest.
    pub(super) fn check_sizes(&self) -> Result<(), Error> {
        self.files().try_for_each(|path| check_size(&path))
    }

    /// Returns everything that the bot may read, for a commitment: see [`Contents`]. Of files that are held, the copies count.
    ///
    /// # Errors
    /// The sandbox refuses the command, the bot may read too many files, or the machine cannot start a thread.
    pub async fn contents(&self, is_strict: bool) -> Result<Contents, Error> {
        let files = BotFiles::all_of(&self.command, is_strict);
        let files = files.map_err(|error| Error::usage(error.to_string()))?;
        let copy =
            |path: &PathBuf| self.command.held.iter().fold(path.clone(), |path, held| held.copy_of(&path));
        let digests = Digests::of(files.counted().map(copy).collect()).await?;
        Ok(files.contents(|path| Some(digests.file(copy(path))?.sha256)))
    }

    /// Returns the files whose contents differ from the recorded ones. None if a file of the command is missing, which
    /// the start of the bot tells.
    ///
    /// # Errors
    /// A file is too large to read, or the machine cannot start a thread.
    pub async fn changed_files(&self, recorded: &Identity) -> Result<Vec<PathBuf>, Error> {
        self.check_sizes()?;
        if self.files().filter(|path| path.exists()).count() < recorded.files.len() {
            return Ok(Vec::new());
        }
        let files = self.found(recorded).unwrap_or_default();
        let known = Digests::of(self.files().chain(files.counted().cloned()).collect()).await?;
        let mut now = self.clone();
        now.take_files(Ok(files), &known);
        Ok(recorded.changed_files(&now.identity))
    }

    /// Finds the files of the bot. A recorded file is no log.
    pub(super) fn found(&self, recorded: &Identity) -> io::Result<BotFiles> {
        let files = BotFiles::of(&self.command)?;
        let mut known: Vec<PathBuf> = self.files().map(|path| paths::settled(&path)).collect();
        let folder = files.folder.clone().unwrap_or_default();
        known.extend(recorded.around.iter().map(|file| folder.join(&file.path)));
        Ok(files.without_logs(|path| known.iter().any(|known| known == path)))
    }

    /// Records the files, and watches from now on those that are not held.
    pub(super) fn take_files(&mut self, files: Result<BotFiles, String>, known: &Digests) {
        let (files, unwatched) = match files {
            Ok(files) => (files, None),
            Err(why) => (BotFiles::default(), Some(why)),
        };
        let named: BTreeSet<PathBuf> = self.files().map(|path| paths::settled(&path)).collect();
        let around = files.counted().filter(|path| !named.contains(*path));
        let digest =
            |path: &PathBuf| Some(FileDigest { path: files.name(path).into(), ..known.file(path.clone())? });
        self.identity.around = around.filter_map(digest).take(AROUND_MAX + 1).collect();
        if self.identity.around.len() > AROUND_MAX {
            self.identity.around.clear(); // the digest of all of them stays
        }
        let contents = files.contents(|path| Some(known.file(path.clone())?.sha256));
        self.identity.digest = (unwatched.is_none() && !contents.is_empty()).then(|| version_of(&contents));
        self.identity.unwatched = unwatched;
        self.identity.files = self.files().filter_map(|path| known.file(path)).collect();
        self.watch(files, known);
    }

    /// Watches the files that are not held.
    pub(super) fn watch(&mut self, files: BotFiles, known: &Digests) {
        let is_open = |path: &PathBuf| !self.command.held.iter().any(|held| held.covers(path));
        let all = self.files().chain(files.counted().cloned());
        let paths: Vec<PathBuf> = all.filter(|path| is_open(&paths::settled(path))).collect();
        let folders: Vec<PathBuf> = files.folders.iter().filter(|path| is_open(path)).cloned().collect();
        self.watched = Arc::new(Watched::new(paths, folders, files, known));
    }

    /// Returns the name of the main file, and the reason why the files around it are not watched, if they are not.
    pub fn watches_only(&self) -> Option<(String, &str)> {
        let main = self.main_file();
        let file = Path::new(&main).file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some((file, self.identity.unwatched.as_deref()?))
    }
}

/// Returns true if the text before "=" is no command, so that it can only be a name, if a wrong one.
fn is_meant_as_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_of_commands =
        |word: &&str| word.starts_with(['-', '.', '/', '~', '\'', '"']) || word.contains("./");
    let program = words.first().and_then(|word| Command::new("", [*word]).ok()?.program());
    program.is_none() && !words.iter().any(is_of_commands)
}

/// Returns the command with each word that names a file in `base` as the path of that file, and true if there is one.
/// The commands have the program of the working directory and that in `base`.
fn beside([here, there]: [Command; 2], base: Option<&Path>) -> (Command, bool) {
    let [of_here, of_base] = [&here, &there].map(|command| Path::new(&command.argv[0]));
    let mut command = if !of_base.exists() && of_here.exists() { here } else { there };
    let mut has_beside = false;
    for word in &mut command.argv[1..] {
        let Some(there) = base.map(|base| base.join(&*word)).filter(|there| there.is_file()) else {
            continue;
        };
        has_beside = true;
        if paths::settled(Path::new(&*word)) != paths::settled(&there) {
            *word = there.to_string_lossy().into_owned();
        }
    }
    (command, has_beside)
}

/// Returns the command whose program is in the bot's folder, or else, unless `is_inside`, the one whose program is beside
/// its league file.
fn one_of(what: &str, inside: Command, beside: Command, is_inside: bool) -> Result<Command, Error> {
    let [here, there] = [&inside, &beside].map(|command| Path::new(&command.argv[0]));
    only(what, &inside.name, here, there)?;
    match (here.exists(), there.exists()) {
        (false, true) if !is_inside => Ok(beside),
        (false, true) => {
            Err(Error::usage(format!("{what} {:?}: there is no {}", inside.name, here.display()))
                .hint(format!("if {} is meant, write its whole path", there.display())))
        }
        _ => Ok(inside),
    }
}

/// Rejects a word that may name two different files.
fn only(what: &str, name: &str, one: &Path, other: &Path) -> Result<(), Error> {
    if !one.exists() || !other.exists() || paths::settled(one) == paths::settled(other) {
        return Ok(());
    }
    let (one, other) = (one.display(), other.display());
    Err(Error::usage(format!("{what} {name:?}: its file may be {one} or {other}"))
        .hint("write the whole path of the one that is meant, or remove the other one"))
}

/// Hides files of other bots, and the paths in `own`, from each bot. A sandboxed bot may otherwise read them
/// because they are near its own files.
pub fn keep_apart(entrants: &mut [Entrant], own: &[&Path]) {
    let claims: Vec<Claims> = entrants.iter().map(|entrant| Claims::of(&entrant.command)).collect();
    let own: Vec<PathBuf> = own.iter().map(|path| paths::settled(path)).collect();
    for (place, entrant) in entrants.iter_mut().enumerate() {
        let others = claims[..place].iter().chain(&claims[place + 1..]);
        entrant.command.hidden = Arc::new(claims[place].hidden(others, &own));
    }
}

/// Returns the path of this program.
///
/// # Errors
/// The system does not know the path, or the path is not UTF-8.
pub fn own_executable() -> Result<String, Error> {
    let path = std::env::current_exe().map_err(|error| {
        if Path::new("/proc/self").exists() {
            return Error::host(format!("cannot find my own executable: {error}"));
        }
        Error::host("/proc is not mounted, and the arena watches its bots through it")
            .hint("mount it with: mount -t proc proc /proc")
    })?;
    path.into_os_string().into_string().map_err(|_| Error::host("the path of my own executable is not UTF-8"))
}

/// Returns the names of the bundled bots as a list for messages.
pub fn bundled_names() -> String {
    bundled::BUNDLED.iter().map(|bot| bot.name).collect::<Vec<_>>().join(", ")
}

/// Returns the name from `hello`, or else the file's name, as a valid name.
fn own_name(hello: &Hello, program: &str) -> String {
    let file = Path::new(program).file_stem().and_then(|stem| stem.to_str()).unwrap_or("bot");
    let wanted = hello.name.as_deref().unwrap_or(file);
    fitted(wanted)
}

/// Checks that no two bots have the same name or names that look alike.
///
/// # Errors
/// The message has both names, and the hint suggests another name.
pub fn check_distinct(entrants: &[Entrant]) -> Result<(), Error> {
    let mut names = BTreeSet::new();
    match entrants.iter().find(|entrant| !names.insert(&entrant.identity.name)) {
        None => check_look(entrants),
        Some(Entrant { identity: Identity { name, command: text, .. }, .. }) => Err(Error::usage(format!(
            "two bots are named {name:?}"
        ))
        .hint(format!("give one of them another name, such as {name}-2={}", shell_words::quote(text)))),
    }
}

fn check_look(entrants: &[Entrant]) -> Result<(), Error> {
    let Some([name, other]) = look_alikes(entrants.iter().map(|entrant| entrant.identity.name.as_str()))
    else {
        return Ok(());
    };
    Err(Error::usage(format!(
        "the names {name:?} and {other:?} look alike: {}, {}",
        name.escape_default(),
        other.escape_default()
    ))
    .hint("give one of them another name, with --bot NAME=COMMAND"))
}

/// Returns the variables that a bot gets beside the usual ones.
fn environment(shown: &str, bot: &Identity) -> Result<Vec<(String, String)>, Error> {
    let is_wrong = |(name, value): &(&String, &String)| {
        name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
    };
    if let Some((variable, _)) = bot.env.iter().find(is_wrong) {
        return Err(Error::usage(format!("bot {shown:?}: {variable:?} cannot be a variable in env"))
            .hint("a name is not empty and has no \"=\"; neither the name nor its value has a NUL"));
    }
    let given = |name: &String| {
        let value = std::env::var(name).map_err(|_| {
            Error::usage(format!("bot {shown:?}: env-from names {name:?}, which is not set here as text"))
                .hint(format!("set it before: export {name}=VALUE"))
        })?;
        Ok((name.clone(), value))
    };
    let own = bot.env.iter().map(|(key, value)| Ok((key.clone(), value.clone())));
    own.chain(bot.env_from.iter().map(given)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_is_named_or_bundled_or_names_itself() {
        let named = Entrant::parse("mine=python3 'my bot.py'").unwrap();
        assert_eq!(
            (named.identity.name.as_str(), &named.command.argv[..]),
            ("mine", &["python3".into(), "my bot.py".into()][..])
        );
        let bundled = Entrant::parse("a=greedy").unwrap();
        assert_eq!(
            (bundled.identity.name.as_str(), &bundled.command.argv[1..]),
            ("a", &["bots".into(), "greedy".into()][..])
        );
        let path = Entrant::parse("/x/y=z --level=3").unwrap();
        assert_eq!((path.identity.name.as_str(), path.command.argv.len()), ("", 2));
        assert!(Entrant::parse("mine=").is_err());
        assert!(Entrant::parse("mine='x").is_err());
        assert!(Entrant::parse("../x=y").is_ok(), "a path with '=' in it");
        assert!(Entrant::parse("<img>=y").is_err());
        assert!(Entrant::parse("mine=python3 x.py > log").is_err());
        for fine in ["sh -c 'echo >> log; exec x'", "x '>'", "x --least=>3"] {
            assert!(Entrant::parse(&format!("mine={fine}")).is_ok(), "{fine}");
        }
    }

    #[test]
    fn names_from_bots_are_made_harmless() {
        let hello = |name: Option<&str>| Hello {
            protocol: 1,
            name: name.map(str::to_owned),
            version: None,
            solitary: false,
        };
        assert_eq!(own_name(&hello(Some("<img src=x>")), "x"), "img-src-x-");
        assert_eq!(own_name(&hello(Some("../..")), "x"), "bot");
        assert_eq!(own_name(&hello(None), "/a/b/fine.py"), "fine");
    }
}
