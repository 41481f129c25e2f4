//! Checks of the program around its matches: at the end of input, in repeated matches, and over many matches.

use engine::game::turn_name;
use std::time::Instant;

use engine::wire::{FaultKind, WireFormat};

use super::examiner::Examiner;
use super::report::{LINGER, Verdict};
use super::scenes::{SEED, Scene, Scenes};
use super::seat::Candidate;
use super::test_match::TestMatch;
use super::variant::Variant;
use referee::bots::diagnosis::{Heard, diagnose};
use referee::bots::preflight::QUIT_GRACE;
use referee::error::Error;
use referee::play::quit_line;
use referee::seats::fault::Fault;
use sandbox::{BotProcess, DOUBTFUL_TRIES_MAX, Ended};
use tournament::replay::compare::shown;

/// The title of the check of several matches.
const SEVERAL: &str = "several matches in one process";
/// The thresholds of memory growth for a warning: in bytes per match, and in bytes over the second half of
/// all matches. The heaps of garbage-collected runtimes vary by some megabytes.
const GROWTH_A_MATCH_BYTES: u64 = 8 * 1024;
const GROWTH_BYTES: u64 = 8 * 1024 * 1024;
/// With fewer matches, a leak looks like a runtime that is warming up.
const GROWTH_MATCHES_MIN: usize = 20;
const MEBIBYTE: f64 = 1_048_576.0;

impl Examiner<'_> {
    /// Asks the same questions again in a new process, and returns a hint from what happens then. Returns `None` if that
    /// tells nothing, or if the bot does not start.
    pub(super) async fn why_silent(&self, heard: &[u8], questions: usize) -> Option<String> {
        let heard = Heard { lines: heard, questions, patience: self.settings.time.startup };
        diagnose(&self.entrant.command, &self.host, heard, &self.hints.flush()).await.ok()?.hint
    }

    /// Checks that the bot exits on `quit` and at the end of input, and leaves no processes running.
    pub(super) async fn ends_when_told(&mut self) -> Result<(), Error> {
        let (quit, input) = (("quit", "ends when told to"), ("end-of-input", "ends when its input ends"));
        let Some(ended) = self.end_after(&quit_line()).await? else {
            self.skip(quit.0, quit.1, "it did not start a second time");
            return Ok(());
        };
        self.judge_end(quit, &ended, "exit within a second of \"quit\"");
        self.leaves_nothing(ended.left_running);
        let Some(ended) = self.end_after(b"").await? else {
            self.skip(input.0, input.1, "it did not start a third time");
            return Ok(());
        };
        let hint =
            format!("exit when stdin closes, so that nothing is left if the arena ends{}", self.hints.end());
        self.judge_end(input, &ended, &hint);
        Ok(())
    }

    /// Ends a new process with this line and the end of its input, and returns its end. Returns `None` if the
    /// bot does not start. If the process had to be killed, the machine may have been late, so the check
    /// repeats.
    async fn end_after(&mut self, line: &[u8]) -> Result<Option<Ended>, Error> {
        let mut last = None;
        for _ in 0..DOUBTFUL_TRIES_MAX {
            let Ok(subject) = self.start().await? else { return Ok(None) };
            let ended = last.insert(self.end(subject.bot, line, QUIT_GRACE + LINGER).await);
            if !ended.killed {
                break;
            }
        }
        Ok(last)
    }

    fn judge_end(&mut self, (check, title): (&str, &str), ended: &Ended, hint: &str) {
        match ended.status {
            _ if ended.killed => {
                let detail = "it was still running two seconds later";
                self.find(check, title, Verdict::Fail, detail, Some(hint.to_owned()));
            }
            Some(exit) if exit != sandbox::Exit::Code(0) => {
                let last = ended.stderr.crash(&self.entrant.command);
                let last = last.map_or(String::new(), |words| format!("; stderr says {words}"));
                let hint = "no harm to a match, but it looks like a crash: exit with status 0";
                self.find(check, title, Verdict::Note, format!("it {exit}{last}"), Some(hint.to_owned()));
            }
            _ => self.pass(check, title, "with status 0"),
        }
    }

    fn leaves_nothing(&mut self, left: bool) {
        let (check, title) = ("leftovers", "leaves nothing running");
        match left {
            false => self.pass(check, title, "nothing was left"),
            true => {
                let hint = "wait for the processes that it starts; the arena kills what is left";
                let detail = "processes that it started were still there when it had ended";
                self.find(check, title, Verdict::Warn, detail, Some(hint.to_owned()));
            }
        }
    }

    /// Plays the same match twice in fresh processes, then again as the third match of one process. Returns
    /// false if further matches in one process are useless.
    pub(super) async fn repeats<G: Scenes>(&mut self, scene: &Scene<G>) -> Result<bool, Error> {
        let (Ok(first), Ok(second)) = (self.play_fresh(scene).await?, self.play_fresh(scene).await?) else {
            self.skip(format!("{}-several", self.game), self.titled(SEVERAL), "it did not start again");
            return Ok(false);
        };
        let difference = first_difference(&first, &second);
        let is_deterministic = difference.is_none();
        let (check, title) =
            (format!("{}-deterministic", self.game), self.titled("the same seed, the same moves"));
        match difference {
            None => {
                let other = self.play_fresh(&Scene { variant: Variant::Seed, ..scene.clone() }).await?;
                let of_other = match &other {
                    Ok(other) if first_difference(&first, other).is_none() => {
                        ", and the same with another seed"
                    }
                    Ok(other) if other.fault().is_none() => ", others with another seed",
                    _ => "", // it failed, so its moves tell nothing
                };
                self.pass(check, title, format!("twice the same{of_other}"));
                if let Ok(other) = other {
                    self.quit(other.subject.bot).await;
                }
            }
            Some(difference) => {
                let hint = "draw all chance from the \"seed\" of the start message, and matches can be repeated; \
                            a search that stops by the clock cannot be";
                self.find(check, title, Verdict::Note, difference, Some(hint.to_owned()));
            }
        }
        let goes_on = self.plays_several(scene, &first, second.subject, is_deterministic).await?;
        self.quit(first.subject.bot).await;
        Ok(goes_on)
    }

    /// Plays two more matches in a process that has played one. The last match repeats the first.
    async fn plays_several<G: Scenes>(
        &mut self,
        scene: &Scene<G>,
        alone: &TestMatch<G>,
        subject: Candidate,
        is_deterministic: bool,
    ) -> Result<bool, Error> {
        let (check, title) = (format!("{}-several", self.game), self.titled(SEVERAL));
        let other = Scene { seat: scene.seats - 1, ..scene.clone() };
        let between = self.play(&other, SEED + 1, subject).await?;
        if let Some((id, fault)) = between.fault() {
            self.fails_later(check, title, 2, (id, fault), between).await;
            return Ok(false);
        }
        let again = self.play(scene, SEED, between.subject).await?;
        if let Some((id, fault)) = again.fault() {
            self.fails_later(check, title, 3, (id, fault), again).await;
            return Ok(false);
        }
        self.pass(check, title, "three in one process");
        let (check, title) =
            (format!("{}-carry-over", self.game), self.titled("nothing is kept from the match before"));
        match first_difference(alone, &again) {
            _ if !is_deterministic => {
                self.skip(check, title, "it cannot be told: the same seed gives other moves")
            }
            None => self.pass(check, title, "the same moves alone and after other matches"),
            Some(difference) => {
                let hint =
                    "make everything afresh at \"start\": generators of chance, tables, what was learnt";
                let detail = format!("after other matches it plays otherwise: {difference}");
                self.find(check, title, Verdict::Warn, detail, Some(hint.to_owned()));
            }
        }
        self.says_nothing_more(again.subject.bot).await;
        Ok(true)
    }

    /// Reports a fault in a later match of a process.
    async fn fails_later<G: WireFormat>(
        &mut self,
        check: String,
        title: String,
        number: u32,
        (id, fault): (u32, Fault),
        test_match: TestMatch<G>,
    ) {
        let doubt = test_match.record.doubtful_timeout(|_| self.settings.time);
        let ended = test_match.subject.bot.kill().await;
        self.note_end(ended);
        if let Some(doubt) = doubt {
            return self.skip(check, title, format!("it cannot be told: {doubt}"));
        }
        let (verdict, hint) = match fault.kind {
            FaultKind::Exit if id == 0 => (
                Verdict::Warn,
                "no harm where each match has a fresh process; stay for another \"start\" and matches begin sooner",
            ),
            _ => (Verdict::Fail, "forget the old match at \"start\", and answer nothing to \"end\""),
        };
        let place = format!("match {number} in one process, {}: ", turn_name(id));
        self.find_fault([check, title], verdict, (&place, &fault), hint.to_owned());
    }

    /// Checks that the bot writes nothing after a match.
    async fn says_nothing_more(&mut self, bot: BotProcess) {
        let (check, title) = (format!("{}-silence", self.game), self.titled("silent after the match"));
        let (output, ended) = bot.last_words(&quit_line(), QUIT_GRACE + LINGER).await;
        self.note_end(ended);
        match output.as_slice() {
            b"" => self.pass(check, title, "no word after the last answer"),
            output => {
                let detail = format!("it wrote {}", sandbox::text::quote(output));
                let hint = self.hints.stdout();
                self.find(check, title, Verdict::Fail, detail, Some(hint));
            }
        }
    }

    /// Plays match after match in one process, and measures its memory.
    pub(super) async fn keeps_its_size<G: Scenes>(&mut self, scene: &Scene<G>) -> Result<(), Error> {
        let (check, title) = (format!("{}-memory", self.game), self.titled("memory over many matches"));
        let Ok(mut subject) = self.start().await? else {
            self.skip(check, title, "it did not start again");
            return Ok(());
        };
        let begin = Instant::now();
        let mut held = Vec::new();
        for number in 0..self.settings.matches {
            if number > 0 && begin.elapsed() > self.settings.patience {
                break;
            }
            subject.heard.clear(); // not needed here, and it would grow
            let test_match = self.play(scene, SEED + u64::from(number), subject).await?;
            if let Some((id, fault)) = test_match.fault() {
                self.fails_later(check, title, number + 1, (id, fault), test_match).await;
                return Ok(());
            }
            subject = test_match.subject;
            held.push(subject.bot.memory_bytes());
        }
        self.quit(subject.bot).await;
        self.judge_growth(check, title, &held);
        Ok(())
    }

    /// Judges the memory of a process after each match. A leak grows in the second half as in the first.
    /// Memory that levels off belongs to a pool or a garbage collector.
    fn judge_growth(&mut self, check: String, title: String, held: &[u64]) {
        let (first, last) = (held[held.len() / 10], held[held.len() - 1]);
        let (early, late) = growth(held);
        let matches = (held.len() - held.len() / 2) as u64;
        let shown = |bytes: u64| format!("{:.1}", bytes as f64 / MEBIBYTE);
        let detail = format!("{} MiB after {} matches, {} at first", shown(last), held.len(), shown(first));
        let is_kept = late > GROWTH_BYTES.max(matches * GROWTH_A_MATCH_BYTES) && late * 2 > early;
        match is_kept {
            false => self.pass(check, title, detail),
            true if held.len() < GROWTH_MATCHES_MIN => {
                self.skip(
                    check,
                    title,
                    format!("{detail}: too few matches to tell, try a longer --patience"),
                );
            }
            true => {
                let detail = format!("{detail}: {} kB more with each", late / matches / 1_000);
                let hint = "something of each match is kept: forget it at \"start\"; or a garbage collector sees no need yet: bound its heap";
                self.find(check, title, Verdict::Warn, detail, Some(hint.to_owned()));
            }
        }
    }
}

/// Returns the growth of the peak memory, in bytes: in the first half of the matches, without the first
/// tenth, and in the second half. Peaks are compared because a garbage collector may run at any time.
fn growth(held: &[u64]) -> (u64, u64) {
    let most = |end: usize| held[..=end].iter().copied().max().unwrap_or(0);
    let [first, middle, last] = [held.len() / 10, held.len() / 2, held.len() - 1].map(most);
    (middle - first, last - middle)
}

/// Describes the first decision in which two matches of the bot differ.
fn first_difference<G: WireFormat>(one: &TestMatch<G>, other: &TestMatch<G>) -> Option<String> {
    let (ones, others) = (one.moves(), other.moves());
    let text =
        |wire_move: &G::WireMove| shown(&serde_json::to_value(wire_move).expect("a move is plain data"));
    let pair = ones.iter().zip(&others).find(|(one, other)| one != other);
    match pair {
        Some(((id, one), (_, other))) => {
            Some(format!("{}: once {}, once {}", turn_name(*id), text(one), text(other)))
        }
        None if ones.len() != others.len() => {
            Some(format!("once {} decisions, once {}", ones.len(), others.len()))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::growth;

    #[test]
    fn what_a_collector_gives_back_is_no_growth() {
        let leak: Vec<u64> = (0..=20).collect();
        assert_eq!(growth(&leak), (8, 10));
        let saw: Vec<u64> = (0..=20).map(|number| 30 + 7 * (number % 5)).collect();
        assert_eq!(growth(&saw), (14, 0));
    }
}
