//! Runs the checks of a bot in order, and collects the findings.

use engine::game::turn_name;
use std::time::{Duration, Instant};

use engine::wire::FaultKind;

use super::hints::Hints;
use super::report::{Finding, GREETING, LINGER, Report, Settings, Verdict};
use super::scenes::{Scene, Scenes};
use super::seat::Candidate;
use super::times::{shown_us, times_of};
use super::variant::Variant;
use engine::game::Game;
use referee::bots::entrants::Entrant;
use referee::bots::preflight::QUIT_GRACE;
use referee::error::Error;
use referee::for_game;
use referee::games::external::External;
use referee::play::answer::read_hello;
use referee::play::time_control::whole_us;
use referee::play::{hello_line, quit_line};
use referee::seats::fault::{Fault, Owed, of_process};
use sandbox::{BotProcess, Ended, Host, SpawnError, Started};

/// The state of checking one bot.
pub(super) struct Examiner<'a> {
    pub(super) entrant: &'a Entrant,
    pub(super) settings: &'a Settings,
    pub(super) host: Host,
    pub(super) hints: Hints,
    /// The bot's name in the report.
    name: String,
    tell: &'a mut dyn FnMut(&Finding),
    findings: Vec<Finding>,
    pub(super) starts_us: Vec<u64>,
    /// The name of the game that is played.
    pub(super) game: String,
    /// The times of all decisions by game, in microseconds.
    pub(super) moves_us: Vec<(String, Vec<u64>)>,
    /// The largest output of one process to stderr, in bytes.
    pub(super) stderr_bytes: u64,
    /// The number of things in the `data` of its moves that were dropped.
    pub(super) data_dropped: u32,
    /// True if a process had to be killed after `quit`. Nothing waits for the next ones.
    is_deaf: bool,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(
        entrant: &'a Entrant,
        settings: &'a Settings,
        host: Host,
        tell: &'a mut dyn FnMut(&Finding),
    ) -> Examiner<'a> {
        Examiner {
            entrant,
            settings,
            host,
            hints: Hints::for_command(&entrant.command),
            name: entrant.command.name.clone(),
            tell,
            findings: Vec::new(),
            starts_us: Vec::new(),
            game: String::new(),
            moves_us: Vec::new(),
            stderr_bytes: 0,
            data_dropped: 0,
            is_deaf: false,
        }
    }

    /// Runs all checks in order. Skips checks that would only repeat an earlier failure.
    pub(super) async fn examine(&mut self) -> Result<(), Error> {
        if !self.greets().await? {
            self.skip("matches", "matches of the games", "it does not greet");
            return Ok(());
        }
        self.ends_when_told().await?;
        for game in self.settings.games.clone() {
            self.host = self.host.clone().freeze(self.settings.freeze.contains(&game));
            for_game!(game, G => self.plays::<G>().await?);
        }
        self.sends_numbers();
        self.writes_little_to_stderr();
        self.is_quick();
        Ok(())
    }

    pub(super) fn report(self) -> Report {
        let mut times = Vec::from_iter(times_of("start", self.starts_us));
        times.extend(self.moves_us.into_iter().filter_map(|(game, us)| times_of(&game, us)));
        Report {
            bot: self.name,
            command: self.entrant.identity.command.clone(),
            ready: self.findings.iter().all(|finding| finding.verdict != Verdict::Fail),
            checks: self.findings,
            times,
        }
    }

    /// Adds a finding.
    pub(super) fn find(
        &mut self,
        check: impl Into<String>,
        title: impl Into<String>,
        verdict: Verdict,
        detail: impl Into<String>,
        hint: Option<String>,
    ) {
        let (check, title, detail) = (check.into(), title.into(), detail.into());
        self.add(Finding { check, title, verdict, detail, fault: None, hint });
    }

    /// Adds a finding about a fault. `place` says where it happened.
    pub(super) fn find_fault(
        &mut self,
        [check, title]: [String; 2],
        verdict: Verdict,
        (place, fault): (&str, &Fault),
        hint: String,
    ) {
        let (detail, kind) = (format!("{place}{fault}"), Some(fault.kind));
        self.add(Finding { check, title, verdict, detail, fault: kind, hint: Some(hint) });
    }

    fn add(&mut self, finding: Finding) {
        let finding = Finding { hint: finding.hint.filter(|hint| !hint.is_empty()), ..finding };
        (self.tell)(&finding);
        self.findings.push(finding);
    }

    pub(super) fn pass(
        &mut self,
        check: impl Into<String>,
        title: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.find(check, title, Verdict::Pass, detail, None);
    }

    pub(super) fn skip(
        &mut self,
        check: impl Into<String>,
        title: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.find(check, title, Verdict::Skip, why, None);
    }

    /// Starts a process of the bot and reads its `hello`.
    pub(super) async fn start(&mut self) -> Result<Result<Candidate, Fault>, Error> {
        let (limit, hello, begin) = (self.settings.time.startup, hello_line(), Instant::now());
        match BotProcess::start_patiently(&self.entrant.command, &self.host, &hello, limit).await {
            Ok(Started { bot, hello: answer }) => {
                let greeted = answer.map_err(|failure| of_process(failure, Owed::Greeting));
                match greeted.and_then(|(line, _)| read_hello(&line)) {
                    Ok(greeting) => {
                        self.starts_us.push(whole_us(begin.elapsed()));
                        let variant = Variant::Plain;
                        Ok(Ok(Candidate { bot, hello: greeting, variant, heard: hello, questions: 1 }))
                    }
                    Err(fault) => {
                        self.note_end(bot.kill().await);
                        Ok(Err(fault))
                    }
                }
            }
            Err(SpawnError::Fault(fault)) => Ok(Err(of_process(fault, Owed::Greeting))),
            Err(SpawnError::Host(error)) => Err(error.into()),
        }
    }

    /// Ends a process with `quit`, as after a match, and notes its stderr size.
    pub(super) async fn quit(&mut self, bot: BotProcess) -> Ended {
        let patience = if self.is_deaf { Duration::ZERO } else { QUIT_GRACE + LINGER };
        let ended = self.end(bot, &quit_line(), patience).await;
        self.is_deaf |= ended.killed;
        ended
    }

    /// Ends a process with this line and the end of its input, kills it after `patience`, and notes its stderr size.
    pub(super) async fn end(&mut self, bot: BotProcess, line: &[u8], patience: Duration) -> Ended {
        let ended = bot.quit(line, patience).await;
        self.note_end(ended.clone());
        ended
    }

    pub(super) fn note_end(&mut self, ended: Ended) {
        self.stderr_bytes = self.stderr_bytes.max(ended.stderr.bytes_total);
    }

    async fn greets(&mut self) -> Result<bool, Error> {
        let (check, title) = (GREETING, "starts and greets");
        let fault = match self.start().await? {
            Err(fault) => fault,
            Ok(subject) => {
                let took = shown_us(*self.starts_us.last().expect("it was started"));
                let name = subject.hello.name.as_ref().map(|name| format!(", says it is {name:?}"));
                if self.entrant.identity.name.is_empty() {
                    self.name = self.entrant.own_name(&subject.hello);
                }
                subject.bot.kill().await;
                self.pass(check, title, format!("after {took}{}", name.unwrap_or_default()));
                return Ok(true);
            }
        };
        let hint = self.hint(&fault, "", (&hello_line(), 1)).await;
        self.find_fault([check, title].map(str::to_owned), Verdict::Fail, ("", &fault), hint);
        Ok(false)
    }

    /// Returns a hint about a fault. If the bot gave no answer, the hint is from a second start with the same lines.
    async fn hint(&self, fault: &Fault, situation: &str, (heard, questions): (&[u8], usize)) -> String {
        let is_silent = matches!(fault.kind, FaultKind::Timeout | FaultKind::Startup);
        let found = match is_silent || fault.kind == FaultKind::Exit {
            true if questions > 0 => self.why_silent(heard, questions).await,
            _ => None,
        };
        found.unwrap_or_else(|| match is_silent {
            true => self.hints.slow(),
            false => self.hints.of(fault, situation),
        })
    }

    /// Plays all prepared matches of a game, and then runs the checks that need several matches.
    async fn plays<G: Scenes>(&mut self) -> Result<(), Error> {
        let own = self.settings.own.as_ref();
        self.game = own.map_or(G::NAME, |own| &External::setup(own).game.name).to_owned();
        let scenes = G::scenes(own);
        for (index, scene) in scenes.iter().enumerate() {
            let is_fine = self.plays_scene(scene).await?;
            if index == 0 && !is_fine {
                let other = self.settings.games.iter().find(|game| game.as_str() != G::NAME);
                let way_out = other.map_or(String::new(), |other| {
                    format!("; if it does not play {}, say --game {}", self.game, other.as_str())
                });
                let (check, title) = (self.game.clone(), self.titled("everything else"));
                self.skip(check, title, format!("mend the ordinary match first{way_out}"));
                return Ok(());
            }
        }
        let Some(ordinary) = scenes.first() else {
            let (check, title) = (self.game.clone(), self.titled("matches"));
            self.skip(
                check,
                title,
                "the game does not list legal moves, so that nobody can play the other seats",
            );
            return Ok(());
        };
        if self.repeats(ordinary).await? {
            self.keeps_its_size(ordinary).await?;
        }
        Ok(())
    }

    /// Returns the title of a check in the game that is played.
    pub(super) fn titled(&self, title: &str) -> String {
        format!("{}: {title}", self.game)
    }

    async fn plays_scene<G: Scenes>(&mut self, scene: &Scene<G>) -> Result<bool, Error> {
        let (check, title) = (format!("{}-{}", self.game, scene.name), self.titled(scene.title));
        let (id, fault, subject) = match self.play_fresh(scene).await? {
            Err(fault) => (0, fault, None),
            Ok(test_match) => match test_match.fault() {
                None => {
                    let (moves, result) = (test_match.moves().len(), &test_match.record.result);
                    let detail = format!("{moves} decisions, {} points", result.scores[scene.seat]);
                    self.quit(test_match.subject.bot).await;
                    self.pass(check, title, detail);
                    return Ok(true);
                }
                Some((id, fault)) => (id, fault, Some(test_match.subject)),
            },
        };
        let (mut heard, mut questions) = (Vec::new(), 0);
        if let Some(subject) = subject {
            self.note_end(subject.bot.kill().await);
            (heard, questions) = (subject.heard, subject.questions);
        }
        let hint = self.hint(&fault, scene.hint, (&heard, questions)).await;
        // A bot may keep its own copy of the sheet. A match that starts with other moves makes the copy
        // wrong.
        let verdict = match fault.kind {
            FaultKind::Illegal if scene.takes_over_at > 0 => Verdict::Warn,
            _ => Verdict::Fail,
        };
        let place = format!("{}: ", turn_name(id));
        self.find_fault([check, title], verdict, (&place, &fault), hint);
        Ok(false)
    }
}
