//! Leads a bot through the checks, and keeps what was found.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::doodle::Doodle;
use engine::game::{Game, Seat};
use engine::patchwork::Patchwork;
use engine::wire::FaultKind;

use super::dress::Dress;
use super::hints::Hints;
use super::scenes::{SEED, Scene, Scenes};
use super::seat::{Chair, StandIn, Subject, Table};
use super::{Finding, Report, Settings, Times, Verdict};
use crate::answer::read_hello;
use crate::bot::{BotProcess, Ended, Fault, Host, SpawnError, Started};
use crate::clock::{TimeControl, whole_us};
use crate::entrants::{Entrant, QUIT_GRACE};
use crate::error::Error;
use crate::games::GameName;
use crate::record::MatchRecord;
use crate::referee::{MatchPlan, Seated, hello_line, play_match, quit_line};

/// The bank of matches that have one: so much that no sound bot can miss it.
const BANK: Duration = Duration::from_secs(3600);

/// A prepared match that was played.
pub(super) struct Sitting<G: Game> {
    pub(super) record: MatchRecord<G>,
    pub(super) seat: Seat,
    pub(super) subject: Subject,
}

impl<G: Game> Sitting<G> {
    /// The bot's fault with its decision, if it had one.
    pub(super) fn fault(&self) -> Option<(u32, Fault)> {
        let turns = self.record.turns.iter().filter(|turn| turn.seat == self.seat);
        turns.into_iter().find_map(|turn| {
            let fault = turn.fault.as_ref()?;
            Some((turn.id, Fault::new(fault.kind, fault.detail.clone())))
        })
    }

    /// The bot's moves with their decisions.
    pub(super) fn moves(&self) -> Vec<(u32, &G::Word)> {
        let turns = self.record.turns.iter().filter(|turn| turn.seat == self.seat);
        turns.filter_map(|turn| Some((turn.id, turn.word.as_ref()?))).collect()
    }
}

/// The examination of one bot.
pub(super) struct Examiner<'a> {
    pub(super) entrant: &'a Entrant,
    pub(super) settings: &'a Settings,
    pub(super) host: &'a Host,
    pub(super) hints: Hints,
    /// What it is called in the report.
    name: String,
    tell: &'a mut dyn FnMut(&Finding),
    findings: Vec<Finding>,
    starts_us: Vec<u64>,
    /// Microseconds of every decision, by game.
    moves_us: Vec<(&'static str, Vec<u64>)>,
    /// The most that it wrote to stderr in one process, in bytes.
    stderr_bytes: u64,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(
        entrant: &'a Entrant,
        settings: &'a Settings,
        host: &'a Host,
        tell: &'a mut dyn FnMut(&Finding),
    ) -> Examiner<'a> {
        Examiner {
            entrant,
            settings,
            host,
            hints: Hints::for_command(&entrant.command.argv),
            name: entrant.command.name.clone(),
            tell,
            findings: Vec::new(),
            starts_us: Vec::new(),
            moves_us: Vec::new(),
            stderr_bytes: 0,
        }
    }

    /// All checks in order. What would only repeat an earlier failure is skipped.
    pub(super) async fn examine(&mut self) -> Result<(), Error> {
        if !self.greets().await? {
            self.skip("matches", "matches of the games", "it does not greet");
            return Ok(());
        }
        self.ends_when_told().await?;
        for game in self.settings.games.clone() {
            match game {
                GameName::Doodle => self.plays::<Doodle>().await?,
                GameName::Patchwork => self.plays::<Patchwork>().await?,
            }
        }
        self.writes_little_to_stderr();
        self.is_quick();
        Ok(())
    }

    pub(super) fn report(self) -> Report {
        let mut times = Vec::from_iter(times_of("start", self.starts_us));
        times.extend(self.moves_us.into_iter().filter_map(|(game, us)| times_of(game, us)));
        Report {
            bot: self.name,
            command: self.entrant.text.clone(),
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
        let hint = hint.filter(|hint| !hint.is_empty());
        let finding = Finding { check, title, verdict, detail, hint };
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

    /// Starts and greets a process of the bot.
    pub(super) async fn start(&mut self) -> Result<Result<Subject, Fault>, Error> {
        let (limit, hello) = (self.settings.time.startup, hello_line());
        match BotProcess::start(&self.entrant.command, self.host, &hello, limit).await {
            Ok(Started { bot, hello: answer }) => {
                match answer.and_then(|(line, took)| Ok((read_hello(&line)?, took))) {
                    Ok((greeting, took)) => {
                        self.starts_us.push(whole_us(took));
                        let dress = Dress::Plain;
                        Ok(Ok(Subject { bot, hello: greeting, dress, heard: hello, questions: 1 }))
                    }
                    Err(fault) => {
                        self.see_off(bot.kill().await);
                        Ok(Err(fault))
                    }
                }
            }
            Err(SpawnError::Fault(fault)) => Ok(Err(fault)),
            Err(SpawnError::Host(error)) => Err(Error::host(error.to_string()).hint(error.hint())),
        }
    }

    /// Lets a process end as after a match, and keeps what its end tells.
    pub(super) async fn quit(&mut self, bot: BotProcess) -> Ended {
        let ended = bot.quit(&quit_line(), QUIT_GRACE).await;
        self.see_off(ended.clone());
        ended
    }

    pub(super) fn see_off(&mut self, ended: Ended) {
        self.stderr_bytes = self.stderr_bytes.max(ended.stderr.bytes_total);
    }

    /// Plays a prepared match with a process that is there already.
    pub(super) async fn play<G: Scenes>(
        &mut self,
        scene: &Scene<G>,
        seed: u64,
        mut subject: Subject,
    ) -> Result<Sitting<G>, Error> {
        let unplayable = |error: engine::game::SetupError| Error::host(format!("{}: {error}", scene.name));
        let equipment = Arc::new(G::equip(&scene.setup).map_err(unplayable)?);
        let deal = G::deal(&equipment, scene.seats, seed).map_err(unplayable)?;
        let game = G::new(&equipment, &deal).map_err(unplayable)?;
        let table: Table<G> = Rc::new(RefCell::new(None));
        subject.dress = scene.dress;
        let mut subject = Some(Box::new(subject));
        let stand_in = |seat, leaves_at| StandIn::new(&equipment, &table, seat, leaves_at);
        let mut seats: Vec<Seated<Chair<G>>> = (0..scene.seats)
            .map(|seat| {
                let chair = match subject.take_if(|_| seat == scene.seat) {
                    Some(subject) => Chair::Subject {
                        subject,
                        takes_over_at: scene.takes_over_at,
                        before: stand_in(seat, None),
                    },
                    None => Chair::Other(stand_in(seat, scene.others_leave_at)),
                };
                Seated { bot: Some(chair), fault: None, startup_left: self.settings.time.startup }
            })
            .collect();
        let time = TimeControl { per_match: scene.has_bank.then_some(BANK), ..self.settings.time };
        let name = |seat| if seat == scene.seat { "you".to_owned() } else { format!("other-{seat}") };
        let bots = (0..scene.seats).map(name).collect();
        let plan =
            MatchPlan { index: 0, round: 0, seed, bots, equipment: Arc::clone(&equipment), deal, time };
        let watch = &mut |game: &G| *table.borrow_mut() = Some(game.clone());
        let record = play_match(&plan, game, &mut seats, watch).await;
        let chair = seats.swap_remove(scene.seat).bot;
        let subject = chair.and_then(Chair::into_subject).expect("it was seated there");
        let sitting = Sitting { record, seat: scene.seat, subject };
        self.clock::<G>(&sitting, scene.takes_over_at);
        Ok(sitting)
    }

    /// Plays a prepared match with a process of its own.
    pub(super) async fn play_fresh<G: Scenes>(
        &mut self,
        scene: &Scene<G>,
    ) -> Result<Result<Sitting<G>, Fault>, Error> {
        match self.start().await? {
            Ok(subject) => Ok(Ok(self.play(scene, SEED, subject).await?)),
            Err(fault) => Ok(Err(fault)),
        }
    }

    /// Keeps the times of a match.
    fn clock<G: Game>(&mut self, sitting: &Sitting<G>, from: u32) {
        let turns = sitting.record.turns.iter();
        let turns = turns.filter(|turn| turn.seat == sitting.seat && turn.id >= from && turn.word.is_some());
        let times = turns.map(|turn| turn.us);
        match self.moves_us.iter_mut().find(|(game, _)| *game == G::NAME) {
            Some((_, known)) => known.extend(times),
            None => self.moves_us.push((G::NAME, times.collect())),
        }
    }

    async fn greets(&mut self) -> Result<bool, Error> {
        let (check, title) = ("hello", "starts and greets");
        let fault = match self.start().await? {
            Err(fault) => fault,
            Ok(subject) => {
                let took = shown_us(*self.starts_us.last().expect("it was started"));
                let name = subject.hello.name.as_ref();
                let name = name.map_or(String::new(), |name| format!(", says it is {name:?}"));
                if self.entrant.name.is_empty() {
                    self.name = self.entrant.own_name(&subject.hello);
                }
                subject.bot.kill().await;
                self.pass(check, title, format!("after {took}{name}"));
                return Ok(true);
            }
        };
        let hint = match fault.kind {
            FaultKind::Timeout => self.why_silent(&hello_line(), 1).await?,
            _ => self.hints.of(&fault, ""),
        };
        self.find(check, title, Verdict::Fail, fault.to_string(), Some(hint));
        Ok(false)
    }

    /// All prepared matches of a game, then what needs several of them.
    async fn plays<G: Scenes>(&mut self) -> Result<(), Error> {
        for (index, scene) in G::scenes().iter().enumerate() {
            let is_fine = self.plays_scene(scene).await?;
            if index == 0 && !is_fine {
                let title = format!("{}: everything else", G::NAME);
                let other = self.settings.games.iter().find(|game| game.as_str() != G::NAME);
                let way_out = other.map_or(String::new(), |other| {
                    format!("; if it does not play {}, say --game {}", G::NAME, other.as_str())
                });
                self.skip(G::NAME, title, format!("mend the ordinary match first{way_out}"));
                return Ok(());
            }
        }
        if self.repeats::<G>().await? {
            self.keeps_its_size::<G>().await?;
        }
        Ok(())
    }

    async fn plays_scene<G: Scenes>(&mut self, scene: &Scene<G>) -> Result<bool, Error> {
        let check = format!("{}-{}", G::NAME, scene.name);
        let title = format!("{}: {}", G::NAME, scene.title);
        let (id, fault, subject) = match self.play_fresh(scene).await? {
            Err(fault) => (0, fault, None),
            Ok(sitting) => match sitting.fault() {
                None => {
                    let (moves, result) = (sitting.moves().len(), &sitting.record.result);
                    let detail = format!("{moves} decisions, {} points", result.scores[scene.seat]);
                    self.quit(sitting.subject.bot).await;
                    self.pass(check, title, detail);
                    return Ok(true);
                }
                Some((id, fault)) => (id, fault, Some(sitting.subject)),
            },
        };
        let mut hint = self.hints.of(&fault, scene.hint);
        if let Some(Subject { bot, heard, questions, .. }) = subject {
            self.see_off(bot.kill().await);
            if matches!(fault.kind, FaultKind::Timeout | FaultKind::Startup) {
                hint = self.why_silent(&heard, questions).await?;
            }
        }
        // A bot may keep its own copy of the sheet, which a match taken over denies it.
        let verdict = match fault.kind {
            FaultKind::Illegal if scene.takes_over_at > 0 => Verdict::Warn,
            _ => Verdict::Fail,
        };
        self.find(check, title, verdict, format!("decision {id}: {fault}"), Some(hint));
        Ok(false)
    }

    fn writes_little_to_stderr(&mut self) {
        let (check, title) = ("stderr", "what it writes to stderr");
        let kept = self.entrant.command.limits.stderr_bytes_max as u64;
        match self.stderr_bytes {
            0 => self.pass(check, title, "nothing"),
            bytes if bytes <= kept => self.pass(check, title, format!("up to {bytes} bytes a process")),
            bytes => {
                let detail = format!("{bytes} bytes in one process, of which {kept} are kept");
                let hint = "write less: it costs time, and the middle of it is dropped";
                self.find(check, title, Verdict::Warn, detail, Some(hint.to_owned()));
            }
        }
    }

    fn is_quick(&mut self) {
        let limits = self.settings.time;
        let starts = times_of("start", self.starts_us.clone());
        self.is_within("start-time", "time to start", starts, limits.startup);
        for (game, us) in self.moves_us.clone() {
            let title = format!("{game}: time of a decision");
            self.is_within(&format!("{game}-time"), &title, times_of(game, us), limits.per_move);
        }
    }

    /// Holds times against a limit; what comes near it is told.
    fn is_within(&mut self, check: &str, title: &str, times: Option<Times>, limit: Duration) {
        let Some(Times { median_us, p99_us, max_us, count, .. }) = times else { return };
        let [median, p99, max, of] = [median_us, p99_us, max_us, whole_us(limit)].map(shown_us);
        let detail = format!("{count} times: median {median}, 99 % {p99}, longest {max} of {of}");
        if max_us * 5 < whole_us(limit) * 4 {
            return self.pass(check, title, detail);
        }
        let hint = "aim at nine tenths of the limit at most: the machine of a tournament runs other bots too";
        self.find(check, title, Verdict::Warn, detail, Some(hint.to_owned()));
    }
}

/// Median and tail of these times; none if there are none.
fn times_of(of: &str, mut us: Vec<u64>) -> Option<Times> {
    us.sort_unstable();
    let at = |share: usize| us.get((us.len() * share / 100).min(us.len().saturating_sub(1))).copied();
    let (median_us, p99_us, max_us) = (at(50)?, at(99)?, *us.last()?);
    Some(Times { of: of.to_owned(), count: us.len(), median_us, p99_us, max_us })
}

/// Microseconds in the unit that reads best.
pub(super) fn shown_us(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{:.1} ms", us as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{:.1} s", us as f64 / 1e6),
    }
}
