//! Running matches, read from their [`live`](tournament::run::live) files.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::event_stream::{EventStream, Running};
use super::tail::{Seen, Tail};
use super::{Live, Status};
use crate::Pages;
use crate::view::MatchViewBuilder;
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use referee::play::Start;
use referee::play::time_control::TimeControl;
use tournament::plan::earlier::earlier_file;
use tournament::run::live::{LIVE, LiveHead, LiveTurns, files};

/// The time beyond the longest decision after which a silent match counts as interrupted.
const GRACE: Duration = Duration::from_secs(5);
/// The number of bytes read from a file at once, enough for a few turns.
const READ_BYTES: usize = 1 << 16;
/// The most running matches in the list.
const LISTED_MAX: usize = 64;

/// A scanner for running matches.
pub(super) trait Look: Send {
    /// Scans once and stores the running matches in `live`.
    fn look(&mut self, live: &Live);
}

/// Returns a scanner for matches of this game in the directory of a tournament.
///
/// # Errors
/// Fails if the plan cannot be read.
pub(super) fn looking(dir: &Path, game: GameName) -> Result<Box<dyn Look>, Error> {
    for_game!(game, G => Ok(Box::new(LiveScanner::<G>::new(dir)?)), plain G => Ok(Box::new(Unshown)))
}

/// The scanner for a game whose matches are shown when they are over.
struct Unshown;

impl Look for Unshown {
    fn look(&mut self, _: &Live) {}
}

/// The live files of a tournament, each read as it grows.
struct LiveScanner<G: Pages> {
    folder: PathBuf,
    equipment: Arc<G::Equipment>,
    /// The buffer for all reads.
    buffer: Vec<u8>,
    /// The silence after which a match counts as interrupted.
    patience: Duration,
    followed: HashMap<PathBuf, Followed<G>>,
}

impl<G: Pages> LiveScanner<G> {
    fn new(dir: &Path) -> Result<LiveScanner<G>, Error> {
        let file = earlier_file::<G>(dir)?.ok_or_else(|| Error::usage("there is no tournament"))?;
        let equipment = G::equip(&file.plan.setup)?;
        Ok(LiveScanner {
            folder: dir.join(LIVE),
            equipment: Arc::new(equipment),
            buffer: vec![0; READ_BYTES],
            patience: file.plan.bot_limits().iter().map(patience).max().unwrap_or_default(),
            followed: HashMap::new(),
        })
    }

    /// Returns the running matches, by index.
    fn running(&self) -> Vec<Arc<Running>> {
        let shown = self.followed.values().filter_map(|followed| followed.shown.as_ref());
        let mut running: Vec<_> = shown.filter(|one| !one.reel().is_over).cloned().collect();
        running.sort_unstable_by_key(|one| one.index);
        running.truncate(LISTED_MAX);
        running
    }
}

/// Returns the longest normal silence of a bot with these limits, a start or a decision, plus [`GRACE`].
fn patience(limits: &TimeControl) -> Duration {
    limits.startup.max(limits.per_move) + GRACE
}

impl<G: Pages> Look for LiveScanner<G> {
    fn look(&mut self, live: &Live) {
        // An unreadable folder counts as empty. The journal reports errors of the disk.
        let there = files(&self.folder).unwrap_or_default();
        if there.is_empty() && self.followed.is_empty() {
            return;
        }
        for path in &there {
            self.followed.entry(path.clone()).or_insert_with_key(|path| Followed::new(path));
        }
        // Removed files too, because they may have lines from after the last read.
        for (path, followed) in &mut self.followed {
            followed.look(path, &mut self.buffer, &self.equipment, self.patience);
        }
        self.followed.retain(|path, followed| there.contains(path) || followed.end());
        let running = self.running();
        let rows = running.iter().map(|one| one.row()).collect();
        live.change(|book| book.running = running);
        live.tell(|status: &mut Status| status.running = rows);
    }
}

/// A live file that is read as it grows.
struct Followed<G: Pages> {
    tail: Tail,
    /// The time of the last write to the file.
    heard: Instant,
    scene: Option<Scene<G>>,
    /// `None` until the first line is read.
    shown: Option<Arc<Running>>,
    /// True if the file has a line that is invalid in this tournament.
    is_bad: bool,
}

impl<G: Pages> Followed<G> {
    /// Takes the time of the last write from the file once, at the first look. That time may come from the
    /// clock of another machine. Later, only growth of the file counts.
    fn new(path: &Path) -> Followed<G> {
        let written = fs::metadata(path).and_then(|facts| facts.modified()).ok();
        let age = written.and_then(|written| SystemTime::now().duration_since(written).ok());
        let now = Instant::now();
        let heard = now.checked_sub(age.unwrap_or_default()).unwrap_or(now);
        let tail = Tail::holding(path.to_owned());
        Followed { tail, heard, scene: None, shown: None, is_bad: false }
    }

    /// Reads new lines, and updates whether the match is running.
    fn look(&mut self, path: &Path, buffer: &mut Vec<u8>, equipment: &Arc<G::Equipment>, patience: Duration) {
        // Lines from before the first look do not show when they were written.
        let is_known = self.tail.offset > 0;
        loop {
            match self.read(buffer, equipment) {
                Ok(Seen::Lines) if is_known => self.heard = Instant::now(),
                Ok(Seen::Lines) => {}
                Ok(Seen::Same) | Err(_) => break,
                Ok(Seen::Another | Seen::Gone) => {
                    self.end();
                    *self = Followed::new(path);
                    return;
                }
            }
        }
        let is_over = self.is_bad || self.heard.elapsed() > patience;
        if let Some(shown) = &self.shown {
            shown.change(|reel| std::mem::replace(&mut reel.is_over, is_over) != is_over);
        }
    }

    /// Reads some lines. Ignores all lines after an invalid one.
    fn read(&mut self, buffer: &mut Vec<u8>, equipment: &Arc<G::Equipment>) -> std::io::Result<Seen> {
        let Followed { tail, scene, shown, is_bad, .. } = self;
        tail.read(buffer, |_, line| *is_bad = *is_bad || take(scene, shown, equipment, line).is_none())
    }

    /// Marks the match as over, because its file is gone. Returns false, so that `retain` drops the file.
    fn end(&self) -> bool {
        if let Some(shown) = &self.shown {
            shown.change(|reel| !std::mem::replace(&mut reel.is_over, true));
        }
        false
    }
}

/// A match that is replayed in the engine.
struct Scene<G: Pages> {
    head: LiveHead<G>,
    game: G,
    builder: MatchViewBuilder<G>,
}

/// Reads a line of a live file. Returns `None` if the line is invalid.
fn take<G: Pages>(
    scene: &mut Option<Scene<G>>,
    shown: &mut Option<Arc<Running>>,
    equipment: &Arc<G::Equipment>,
    line: &[u8],
) -> Option<()> {
    let Some(scene) = scene else {
        let head: LiveHead<G> = serde_json::from_slice(line).ok()?;
        let start = Start::<G>::of(head.deal.clone());
        let game = start.begin(equipment).ok().filter(|game| game.seats() == head.bots.len())?;
        *shown = Some(Arc::new(Running::new(&head, &game)));
        *scene = Some(Scene { head, game, builder: MatchViewBuilder::default() });
        return Some(());
    };
    let turns: LiveTurns<G> = serde_json::from_slice(line).ok()?;
    scene.play(equipment, &turns)?;
    let frame = to_json(scene.builder.frames().last()?);
    let open = scene.builder.open(&scene.head.deal).map(|frame| to_json(&frame));
    shown.as_ref()?.change(|reel: &mut EventStream| {
        reel.frames.push(frame);
        reel.open = open;
        true
    });
    Some(())
}

impl<G: Pages> Scene<G> {
    /// Plays the entries of a decision. Returns `None` if the rules forbid one.
    fn play(&mut self, equipment: &G::Equipment, turns: &LiveTurns<G>) -> Option<()> {
        for turn in turns.iter() {
            let is_there = turn.seat < self.game.seats();
            match (&turn.wire_move, &turn.fault) {
                (Some(wire_move), None) if is_there => {
                    let action = G::read(equipment, wire_move).ok()?;
                    self.game.play(turn.seat, &action).ok()?;
                }
                (None, Some(_)) if is_there => self.game.withdraw(turn.seat),
                _ => return None,
            }
        }
        self.builder.add(&self.head.deal, &self.game, &turns.iter().collect::<Vec<_>>());
        Some(())
    }
}

fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a frame is plain data")
}
