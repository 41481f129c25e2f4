//! Folders with bots. One of the bots reports which files it can read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee::bots::entrants::{Entrant, keep_apart};
use referee::bots::identity::Identity;
use referee::bots::preflight::preflight;
use referee::play::time_control::TimeControl;
use sandbox::{BotProcess, Layer, SandboxLevel};

use crate::bot_process::harness::{block_on, host};

/// Maximum time for a bot to report what it can read.
const PATIENCE: Duration = Duration::from_secs(60);
/// Variable with the paths that the probe tries, separated by colons. The probe lists a path that ends in a
/// slash.
const TRIED: &str = "PROBE";
/// A bot that answers `yes` or `no` for each path.
pub(crate) const PROBE: &str = r#"#!/bin/sh
read -r line
said=
IFS=:
for path in $PROBE; do
    case $path in */) try=ls ;; *) try=cat ;; esac
    if $try "$path" >/dev/null 2>&1; then said="$said yes"; else said="$said no"; fi
done
echo "$said"
"#;
/// Placeholder for the folder in commands.
const HERE: &str = "HERE";

/// Bots in a scratch folder of their own.
pub(crate) struct Lodging {
    folder: tempfile::TempDir,
}

impl Lodging {
    /// Creates a folder with these files. Files named `probe`, with any extension, contain the probe.
    pub(crate) fn new(files: &[&str]) -> Lodging {
        let lodging =
            Lodging { folder: tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder") };
        for file in files {
            let is_probe = Path::new(file).file_stem().is_some_and(|name| name == "probe");
            lodging.write(file, if is_probe { PROBE } else { "something\n" });
        }
        lodging
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        crate::program::executable::write(&path, text, "755");
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(self.placed(target), path).expect("a link");
    }

    pub(crate) fn placed(&self, text: &str) -> String {
        text.replace(HERE, self.folder.path().to_str().expect("UTF-8"))
    }

    /// Returns a bot with this command.
    pub(crate) fn bot(&self, command: &str) -> Identity {
        Identity { command: self.placed(command), ..Identity::default() }
    }

    /// Returns the first bot's answers behind all layers, with and without namespaces. Skips a mode in which
    /// Landlock does not hold on this machine.
    pub(crate) fn answers(&self, bots: &[Identity], out: Option<&str>) -> Vec<String> {
        self.answers_under(&[SandboxLevel::Auto, SandboxLevel::NoNamespace], bots, out)
    }

    fn answers_under(&self, modes: &[SandboxLevel], bots: &[Identity], out: Option<&str>) -> Vec<String> {
        let own = out.map(|out| self.path(out));
        let own: Vec<&Path> = own.iter().map(PathBuf::as_path).collect();
        let mut entrants: Vec<Entrant> = bots.iter().map(|bot| Entrant::new(bot).expect("a bot")).collect();
        keep_apart(&mut entrants, &own);
        modes.iter().filter_map(|&contain| block_on(answer(&entrants[0], contain))).collect()
    }

    /// Returns the bot's answers when it starts again after its first greeting.
    pub(crate) fn answers_after_preflight(&self, bot: &Identity) -> Vec<String> {
        let answer = |contain| {
            let mut entrants = vec![Entrant::new(bot).expect("a bot")];
            let host = host(contain);
            block_on(preflight(
                &mut entrants,
                &host,
                TimeControl::new(PATIENCE, PATIENCE),
                &[],
                &referee::bots::held::Guard::Named,
                &mut Default::default(),
            ))
            .pop()?
            .expect("it introduces itself");
            block_on(answer(&entrants[0], contain))
        };
        [SandboxLevel::Auto, SandboxLevel::NoNamespace].into_iter().filter_map(answer).collect()
    }

    /// Checks that the first bot, a probe, can read exactly the paths that are marked true.
    pub(crate) fn check(&self, bots: &[Identity], out: Option<&str>, tried: &[(&str, bool)]) {
        self.check_under(&[SandboxLevel::Auto, SandboxLevel::NoNamespace], bots, out, tried);
    }

    /// Does the same with `--contain strict`.
    pub(crate) fn check_strictly(&self, bots: &[Identity], tried: &[(&str, bool)]) {
        self.check_under(&[SandboxLevel::Strict], bots, None, tried);
    }

    fn check_under(
        &self,
        modes: &[SandboxLevel],
        bots: &[Identity],
        out: Option<&str>,
        tried: &[(&str, bool)],
    ) {
        let mut bots = bots.to_owned();
        let paths: Vec<String> = tried.iter().map(|(path, _)| format!("{HERE}/{path}")).collect();
        bots[0].env.insert(TRIED.to_owned(), self.placed(&paths.join(":")));
        let expected: Vec<(&str, &str)> =
            tried.iter().map(|&(path, reads)| (path, if reads { "yes" } else { "no" })).collect();
        for answer in self.answers_under(modes, &bots, out) {
            let found = tried.iter().map(|(path, _)| *path).zip(answer.split_whitespace());
            assert_eq!(found.collect::<Vec<_>>(), expected, "{:?}", bots[0].command);
        }
    }
}

async fn answer(entrant: &Entrant, contain: SandboxLevel) -> Option<String> {
    let started =
        BotProcess::start(&entrant.command, &host(contain), b"hello\n", PATIENCE).await.expect("it starts");
    let holds = started.bot.layers().has(Layer::Landlock);
    let ended = started.bot.quit(b"", PATIENCE).await;
    let (line, _) = started.hello.unwrap_or_else(|fault| panic!("{fault}; {:?}", ended.stderr.lines()));
    holds.then(|| String::from_utf8(line).expect("UTF-8"))
}
