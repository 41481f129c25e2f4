//! A cache of solo games. All tables that need a game share it.

use engine::wire::WireFormat;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::game::Seat;
use tokio::sync::OnceCell;

use crate::journal::read;
use crate::journal::results;
use referee::error::Error;
use referee::play::Start;
use referee::record::MatchRecord;
use referee::seats::solo::SoloGame;

/// The identity of a solo game within a tournament: everything that decides how it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The bot, by its index among the entrants.
    pub bot: usize,
    /// The round, which decides the deal.
    pub round: u64,
    /// The place of its part in the deal; see [`Alone::place`](engine::game::Alone::place).
    pub place: Seat,
}

/// The position of a game in the journal: the first byte of a record's line, and the seat.
pub type Written = (u64, Seat);

/// A finished or running solo game.
type Cell<G> = Arc<OnceCell<Arc<SoloGame<G>>>>;

/// The cache of solo games, shared by all workers. A schedule goes round by round, so memory holds the games
/// of the last few rounds. For other games it holds the position in the journal, until their rounds are over.
#[derive(Debug)]
pub struct SoloCache<G: WireFormat> {
    journal: PathBuf,
    rounds_max: usize,
    recent: Mutex<BTreeMap<u64, HashMap<Key, Cell<G>>>>,
    written: Mutex<HashMap<Key, Written>>,
}

impl<G: WireFormat> SoloCache<G> {
    /// An empty cache for a tournament with this journal and `jobs` matches at once.
    pub fn new(journal: &Path, jobs: usize) -> SoloCache<G> {
        SoloCache {
            journal: journal.to_owned(),
            rounds_max: jobs + 1,
            recent: Mutex::default(),
            written: Mutex::default(),
        }
    }

    /// Finds the games of this round and later ones in the journal. The bots are numbered as in `names`.
    ///
    /// # Errors
    /// Fails if the journal cannot be read.
    pub(crate) fn look_up(&self, from: u64, equipment: &G::Equipment, names: &[String]) -> Result<(), Error> {
        read::<MatchRecord<G>>(&self.journal, |record, line| {
            for &seat in record.alone.iter().filter(|_| record.round >= from) {
                let bot = record.bots.get(seat).and_then(|bot| names.iter().position(|name| name == bot));
                let alone = Start::<G>::of_record(&record).alone(equipment, seat);
                if let (Some(bot), Some((place, _))) = (bot, alone) {
                    let key = Key { bot, round: record.round, place };
                    self.is_written(key, (line.offset, seat));
                }
            }
            Ok(())
        })
        .map(drop)
    }

    /// Returns the game with this key from memory or the journal, or plays it with `play`. If the game is
    /// running, waits for it.
    ///
    /// # Errors
    /// Returns the error of `play`, or fails if the journal cannot be read.
    pub async fn get(
        &self,
        key: Key,
        play: impl AsyncFnOnce() -> Result<SoloGame<G>, Error>,
    ) -> Result<Arc<SoloGame<G>>, Error> {
        let cell = self.cell(key);
        let found = cell.get_or_try_init(|| async {
            let written = lock(&self.written).get(&key).copied();
            match written {
                Some(written) => self.read(written).map(Arc::new),
                None => play().await.map(Arc::new),
            }
        });
        found.await.cloned()
    }

    /// Stores the position of a game in the journal.
    pub(crate) fn is_written(&self, key: Key, written: Written) {
        lock(&self.written).entry(key).or_insert(written);
    }

    /// Forgets the positions of games in rounds before this one, which no table needs any more.
    pub(crate) fn forget_before(&self, round: u64) {
        lock(&self.written).retain(|key, _| key.round >= round);
    }

    fn cell(&self, key: Key) -> Cell<G> {
        let mut recent = lock(&self.recent);
        let cell = Arc::clone(recent.entry(key.round).or_default().entry(key).or_default());
        while recent.len() > self.rounds_max {
            let earliest = *recent.keys().next().expect("it is not empty");
            // A task that plays or waits holds the cell itself.
            recent.remove(&earliest);
        }
        cell
    }

    fn read(&self, (offset, seat): Written) -> Result<SoloGame<G>, Error> {
        let line = || {
            let mut file = BufReader::new(results::open(&self.journal)?);
            file.seek(SeekFrom::Start(offset))?;
            let mut line = Vec::new();
            results::read_line(&mut file, &mut line)?;
            Ok(line)
        };
        let line = line().map_err(|error| Error::unreadable(&self.journal, &error))?;
        let record: MatchRecord<G> = serde_json::from_slice(&line).map_err(|error| {
            let path = self.journal.display();
            Error::usage(format!("{path}: there is no match record at byte {offset}: {error}"))
        })?;
        Ok(SoloGame::of_seat(record, seat))
    }
}

/// Locks a mutex and ignores poisoning. No update is left incomplete by a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
