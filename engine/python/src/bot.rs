//! The bundled bots in this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use bots::{Bundled, Maker, Place, Strategy, find, this_thread_stops_at};
use engine::doodle::{Doodle, Steps};
use engine::game::Game;
use engine::patchwork::{Patchwork, SEATS};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::args::{Arg, Int, Pickled};
use crate::doodle::DoodleState;
use crate::errors::{EVERY, Signals, not_legal};
use crate::patchwork::PatchworkState;

/// The longest time of a decision in milliseconds.
const TIME_MAX_MS: u64 = 3_600_000;

/// The bundled bot with this name.
///
/// # Errors
/// `ValueError` with all names.
pub(crate) fn bundled(argument: &str, name: &str) -> PyResult<&'static Bundled> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = bots::BUNDLED.iter().map(|bot| bot.name).collect();
        PyValueError::new_err(format!("{argument}: {name:?} is not one of {}", names.join(", ")))
    })
}

/// Whether a bot searches. The ones up to `greedy` look one move ahead at most.
pub(crate) fn searches(bot: &Bundled) -> bool {
    bots::BUNDLED.iter().skip_while(|one| one.name != "greedy").skip(1).any(|one| one.name == bot.name)
}

/// A game of the bundled bots.
pub(crate) trait Bundle: Game<Observation: 'static, Action: Send + 'static> {
    /// What makes a bot for the game.
    fn maker(bot: &Bundled) -> Maker<Self>;

    /// The nodes of a bot for a decision, if it has its own number.
    fn nodes(bot: &Bundled) -> Option<u64>;
}

impl Bundle for Doodle {
    fn maker(bot: &Bundled) -> Maker<Doodle> {
        bot.doodle
    }

    fn nodes(bot: &Bundled) -> Option<u64> {
        bot.nodes.map(|[doodle, _]| doodle)
    }
}

impl Bundle for Patchwork {
    fn maker(bot: &Bundled) -> Maker<Patchwork> {
        bot.patchwork
    }

    fn nodes(bot: &Bundled) -> Option<u64> {
        bot.nodes.map(|[_, patchwork]| patchwork)
    }
}

/// A bot with the equipment and seat that it was made for.
pub(crate) struct Seated<G: Game> {
    equipment: Arc<G::Equipment>,
    pub(crate) seat: usize,
    searches: bool,
    strategy: Box<dyn Strategy<G>>,
}

impl<G: Bundle> Seated<G> {
    /// Seats a bot. Without a number of nodes in its place, it has its own.
    pub(crate) fn new(bot: &Bundled, mut place: Place<G>) -> Seated<G> {
        place.nodes = place.nodes.or(G::nodes(bot));
        let (equipment, seat) = (Arc::clone(&place.equipment), place.seat);
        Seated { equipment, seat, searches: searches(bot), strategy: G::maker(bot)(place) }
    }

    /// The bot, and its action. A search runs in a thread of its own, which an interruption ends.
    ///
    /// # Errors
    /// What a signal raises; `RuntimeError` if the search fails.
    pub(crate) fn choose(mut self, seen: G::Observation, time_ms: u64) -> PyResult<(Seated<G>, G::Action)> {
        if !self.searches {
            let action = self.strategy.choose(&seen, time_ms);
            return Ok((self, action));
        }
        let (answer, answers) = mpsc::sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let search = move || {
            this_thread_stops_at(flag);
            let action = self.strategy.choose(&seen, time_ms);
            // After an interruption, the receiver is gone.
            let _ = answer.send((self, action));
        };
        let thread = thread::Builder::new().spawn(search)?;
        let mut signals = Signals::new();
        let chosen = loop {
            match answers.recv_timeout(EVERY) {
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(signal) = signals.check() {
                        stop.store(true, Ordering::Relaxed);
                        break Err(signal);
                    }
                }
                done => break done.map_err(|_| PyRuntimeError::new_err("the search of the bot failed")),
            }
        };
        // It ends at once; a panic in it has been reported.
        let _ = thread.join();
        chosen
    }
}

/// A bundled bot in this process, by its name in the arena; `BOTS` has all names.
///
/// `nodes` is the size of the search of a decision. Without it, `scout` and `planner` have their own number, and `master`
/// uses the time. A bot may use what it found in the same match before; a copy or pickle has its name, seed, and nodes
/// alone. Ctrl-C ends a call and its search within 0.2 s.
///
/// >>> state = PatchworkState(7)
/// >>> state.play(Bot("greedy").choose(state))
#[pyclass(module = "quilt_engine")]
pub(crate) struct Bot {
    bot: &'static Bundled,
    seed: u64,
    nodes: Option<u64>,
    patchwork: [Option<Seated<Patchwork>>; SEATS],
    doodle: Option<Seated<Doodle>>,
}

impl Bot {
    /// The bot in this seat: the old one, unless it was made for another seat or equipment.
    fn seated<G: Bundle>(
        &self,
        old: Option<Seated<G>>,
        equipment: &Arc<G::Equipment>,
        seat: usize,
        seats: usize,
    ) -> Seated<G> {
        let old = old.filter(|bot| Arc::ptr_eq(&bot.equipment, equipment) && bot.seat == seat);
        let (seed, nodes) = (self.seed, self.nodes);
        let place = || Place { equipment: Arc::clone(equipment), seat, seats, seed, nodes };
        old.unwrap_or_else(|| Seated::new(self.bot, place()))
    }
}

#[pymethods]
impl Bot {
    #[new]
    #[pyo3(signature = (name, seed = Int::ZERO, nodes = None), text_signature = "(name, seed=0, nodes=None)")]
    fn new(name: Arg<String>, seed: Int, nodes: Option<Int>) -> PyResult<Bot> {
        Ok(Bot {
            bot: bundled("name", &name.named("name")?)?,
            seed: seed.seed()?,
            nodes: nodes.map(|nodes| nodes.within("nodes", 1..=u64::MAX)).transpose()?,
            patchwork: [None, None],
            doodle: None,
        })
    }

    /// The name.
    #[getter]
    fn name(&self) -> &'static str {
        self.bot.name
    }

    /// The number of the move that the bot plays in a `PatchworkState`. Bots that search by the clock take up to
    /// `time_ms` milliseconds.
    #[pyo3(signature = (state, time_ms = Int::TIME), text_signature = "($self, state, time_ms=1000)")]
    fn choose(&mut self, py: Python<'_>, state: &Bound<'_, PyAny>, time_ms: Int) -> PyResult<usize> {
        let time_ms = time_ms.within("time_ms", 1..=TIME_MAX_MS)?;
        let state = state.cast::<PatchworkState>().map_err(|_| {
            PyTypeError::new_err("state: not a PatchworkState; choose_steps takes a DoodleState and a seat")
        })?;
        let game = state.try_borrow()?.game.clone();
        let seat = game.to_move().ok_or_else(|| not_legal(py, "state: the match is over".to_owned()))?;
        let old = self.patchwork[seat].take();
        let bot = self.seated(old, game.equipment(), seat, SEATS);
        let (bot, action) = py.detach(|| bot.choose(game.observe(seat), time_ms))?;
        self.patchwork[seat] = Some(bot);
        let number = game.state().number(game.table(), &action);
        number.ok_or_else(|| not_legal(py, "state: the move has no number".to_owned()))
    }

    /// The numbers of the move that the bot plays for `seat` in a `DoodleState`.
    #[pyo3(signature = (state, seat = Int::ZERO, time_ms = Int::TIME), text_signature = "($self, state, seat=0, time_ms=1000)")]
    fn choose_steps(
        &mut self,
        py: Python<'_>,
        state: Arg<Bound<'_, DoodleState>>,
        seat: Int,
        time_ms: Int,
    ) -> PyResult<Vec<usize>> {
        let time_ms = time_ms.within("time_ms", 1..=TIME_MAX_MS)?;
        let game = state.named("state")?.try_borrow()?.game.clone();
        let seat = seat.seat(game.seats())?;
        let Some(moves) = game.moves(seat) else {
            return Err(not_legal(py, format!("state: seat {seat} owes no move")));
        };
        let old = self.doodle.take();
        let bot = self.seated(old, game.equipment(), seat, game.seats());
        let (bot, action) = py.detach(|| bot.choose(game.observe(seat), time_ms))?;
        self.doodle = Some(bot);
        Steps::of(&moves, &action).ok_or_else(|| not_legal(py, "state: the move has no numbers".to_owned()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (&'static str, u64, Option<u64>)> {
        let bot = slf.try_borrow()?;
        Ok((slf.get_type().into_any(), (bot.bot.name, bot.seed, bot.nodes)))
    }

    fn __repr__(&self) -> String {
        format!("<Bot {}>", self.bot.name)
    }
}
