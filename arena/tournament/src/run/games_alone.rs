//! The games that bots played alone, each to be had by all tables that need it.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::game::{Game, Seat};
use tokio::sync::OnceCell;

use crate::journal::read;
use crate::journal::results;
use referee::error::Error;
use referee::record::MatchRecord;
use referee::seats::solitary::GameAlone;

/// Which game: everything that decides how it goes, within one tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The bot, by its number among the entrants.
    pub bot: usize,
    /// The round, which decides the deal.
    pub round: u64,
    /// The place of its part in the deal; see [`Alone::place`](engine::game::Alone::place).
    pub place: Seat,
}

/// Where in the journal a game is written: the first byte of a record's line, and the seat.
pub type Written = (u64, Seat);

/// A game that is there, or is being played.
type Cell<G> = Arc<OnceCell<Arc<GameAlone<G>>>>;

/// The games, shared by all workers. Memory holds those of the last few rounds, because a schedule goes
/// round by round; of the others it holds where they are written, until their rounds are over.
#[derive(Debug)]
pub struct GamesAlone<G: Game> {
    journal: PathBuf,
    rounds_max: usize,
    recent: Mutex<BTreeMap<u64, HashMap<Key, Cell<G>>>>,
    written: Mutex<HashMap<Key, Written>>,
}

impl<G: Game> GamesAlone<G> {
    /// None yet; for a tournament with this journal and so many matches at a time.
    pub fn new(journal: &Path, jobs: usize) -> GamesAlone<G> {
        GamesAlone {
            journal: journal.to_owned(),
            rounds_max: jobs + 1,
            recent: Mutex::default(),
            written: Mutex::default(),
        }
    }

    /// Looks up where the journal has games, of this round and later ones. The bots are numbered as in `names`.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn look_up(&self, from: u64, equipment: &G::Equipment, names: &[String]) -> Result<(), Error> {
        read::<MatchRecord<G>>(&self.journal, |record, line| {
            for &seat in record.alone.iter().filter(|_| record.round >= from) {
                let bot = record.bots.get(seat).and_then(|bot| names.iter().position(|name| name == bot));
                if let (Some(bot), Some(alone)) = (bot, G::alone(equipment, &record.deal, seat)) {
                    let key = Key { bot, round: record.round, place: alone.place };
                    self.is_written(key, (line.offset, seat));
                }
            }
            Ok(())
        })
        .map(drop)
    }

    /// The game with this key: as it was played before, or else from `play`. Whoever asks for a game that is
    /// being played waits for it.
    ///
    /// # Errors
    /// That of `play`, or a journal that cannot be read.
    pub async fn get(
        &self,
        key: Key,
        play: impl AsyncFnOnce() -> Result<GameAlone<G>, Error>,
    ) -> Result<Arc<GameAlone<G>>, Error> {
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

    /// From now on the game can be found there.
    pub(crate) fn is_written(&self, key: Key, written: Written) {
        lock(&self.written).entry(key).or_insert(written);
    }

    /// Nobody will ask for games of rounds before this one.
    pub(crate) fn forget_before(&self, round: u64) {
        lock(&self.written).retain(|key, _| key.round >= round);
    }

    fn cell(&self, key: Key) -> Cell<G> {
        let mut recent = lock(&self.recent);
        let cell = Arc::clone(recent.entry(key.round).or_default().entry(key).or_default());
        while recent.len() > self.rounds_max {
            let earliest = *recent.keys().next().expect("it is not empty");
            // Whoever plays or waits has the cell itself.
            recent.remove(&earliest);
        }
        cell
    }

    fn read(&self, (offset, seat): Written) -> Result<GameAlone<G>, Error> {
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
        Ok(GameAlone::of_seat(record, seat))
    }
}

/// Nothing is left half done while one of these is locked, whatever panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
