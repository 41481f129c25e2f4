//! The matches of a benchmark: deals with moves of both seats, chosen in advance and written into the file of
//! the [instant](super::instant) bots.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use engine::doodle::Doodle;
use engine::game::{Game, first_pending};
use engine::wire::WireFormat;
use engine::wire::{FromBot, MoveLine};
use serde_json::Number;

use crate::instant::{INSTANT_ARG, SEATS, SLOT_BYTES};
use referee::bots::entrants::{Entrant, own_executable};
use referee::bots::identity::Identity;
use referee::error::Error;
use referee::games::RulesOptions;
use referee::play::Rules;
use referee::play::seeds::deal_seed;
use referee::play::time_control::TimeControl;
use sandbox::{Command, Host};
use tournament::journal::shard::Shard;
use tournament::plan::{Plan, TournamentFile};
use tournament::run::tournament::Tournament;
use tournament::schedule::Settings;

/// The seed of every benchmark.
pub const SEED: u64 = 1;
/// The number of decisions of one seat in a match.
pub const DECISIONS: u64 = 19;

/// A file of prepared answers. It is deleted on drop.
#[derive(Debug)]
pub struct Answers {
    path: PathBuf,
    /// The number of matches in the file.
    pub(crate) matches: u64,
}

impl Drop for Answers {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Answers {
    /// Plays the first matches of the benchmark's tournament with arbitrary moves, and writes the moves into
    /// a file in `dir`, each with a note and three numbers if `remarks` is set.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn prepare(dir: &std::path::Path, matches: u64, remarks: bool) -> Result<Answers, Error> {
        let path = dir.join(if remarks { "remarked" } else { "answers" });
        let equipment = Arc::new(referee::games::equip::<Doodle>(&RulesOptions::default())?);
        let write = || {
            let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
            for index in 0..matches {
                answers(&equipment, index, remarks).iter().try_for_each(|slot| file.write_all(slot))?;
            }
            file.flush()
        };
        write().map_err(|error| Error::unwritable(&path, &error))?;
        Ok(Answers { path, matches })
    }

    /// Returns the path of the file, for [`INSTANT_ARG`].
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Creates a tournament of two instant bots that sleep before each move, in milliseconds.
    pub(crate) fn sleeping(&self, host: &Host, sleep_ms: u64) -> Result<Tournament<Doodle>, Error> {
        let mut bots = vec![self.entrant("one")?, self.entrant("two")?];
        bots.iter_mut().for_each(|bot| bot.command.argv.push(sleep_ms.to_string()));
        tournament(host, bots, self.matches, true)
    }

    /// Creates an instant bot with this name.
    pub(crate) fn entrant(&self, name: &str) -> Result<Entrant, Error> {
        let argv = [own_executable()?, INSTANT_ARG.to_owned(), self.path.display().to_string()];
        let command = Command::new(name, argv).expect("a program is named");
        let (name, text) = (name.to_owned(), INSTANT_ARG.to_owned());
        Ok(Entrant {
            identity: Identity { name, command: text, ..Identity::default() },
            command,
            watched: Default::default(),
            is_older: false,
        })
    }

    /// Creates a tournament of two instant bots.
    pub(crate) fn tournament(&self, host: &Host, reuse: bool) -> Result<Tournament<Doodle>, Error> {
        tournament(host, vec![self.entrant("one")?, self.entrant("two")?], self.matches, reuse)
    }
}

/// Creates a tournament of doodle between these bots, with the defaults of the command.
pub(crate) fn tournament(
    host: &Host,
    entrants: Vec<Entrant>,
    rounds: u64,
    reuse: bool,
) -> Result<Tournament<Doodle>, Error> {
    let equipment = Arc::new(referee::games::equip::<Doodle>(&RulesOptions::default())?);
    let plan = Plan {
        game: Doodle::NAME.to_owned(),
        schedule: Settings::default(),
        seed: SEED,
        rounds,
        seats: SEATS,
        own_deals: false,
        deals_by_bots: false,
        seats_by_names: false,
        positions: Vec::new(),
        limits: TimeControl::default(),
        memory_bytes: None,
        freeze: host.freezes(),
        reuse,
        trusting: reuse, // the prepared deals repeat
        bots: entrants.iter().map(|entrant| entrant.identity.clone()).collect(),
        setup: Doodle::setup(&equipment).clone(),
    };
    Ok(Tournament {
        file: TournamentFile::new(plan),
        rules: Rules::new(equipment),
        positions: Vec::new(),
        entrants,
        host: host.clone(),
        is_own: false,
        superseded: Vec::new(),
        joining: Vec::new(),
        keep_stderr: false,
        live: false,
        shard: Shard::WHOLE,
    })
}

/// Plays one match with arbitrary moves, and returns the slots of its seats.
fn answers(equipment: &Arc<<Doodle as Game>::Equipment>, index: u64, remarks: bool) -> [Vec<u8>; SEATS] {
    let seed = deal_seed(SEED, index);
    let deal = Doodle::deal(equipment, SEATS, seed).expect("two can play");
    let mut game = Doodle::new(equipment, &deal).expect("the deal is of these cards");
    let mut slots = [const { Vec::new() }; SEATS];
    let mut places = 1;
    while let Some(seat) = first_pending(&game) {
        // Vary the moves: neither always the first one nor the same in all matches.
        places = (places * 7 + seed % 11) % 13;
        let few: Vec<_> = game.legal_actions(seat).take(places as usize + 1).collect();
        let action = few.last().expect("who is asked can do something");
        let wire_move = Doodle::write(equipment, action);
        let id = u64::from(game.decision());
        let mut line = MoveLine::new(id, wire_move);
        if remarks {
            line.note = Some("the best of all".into());
            let eval = Number::from_f64(-1.5).expect("it is finite");
            let numbers = [("eval", eval), ("nodes", id.into()), ("depth", 7.into())];
            line.data = numbers.map(|(name, number)| (name.to_owned(), number)).into();
        }
        let message = FromBot::Move(line);
        serde_json::to_writer(&mut slots[seat], &message).expect("a message is plain data");
        slots[seat].push(b'\n');
        game.play(seat, action).expect("it is legal");
    }
    for slot in &mut slots {
        assert!(slot.len() <= SLOT_BYTES, "{} bytes", slot.len());
        slot.resize(SLOT_BYTES, 0);
    }
    slots
}
