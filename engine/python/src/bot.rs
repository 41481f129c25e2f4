//! The bundled bots in this process.

use std::sync::Arc;

use bots::{Bundled, Place, Strategy, find};
use engine::doodle::{Doodle, Steps};
use engine::game::Game;
use engine::patchwork::{Patchwork, SEATS};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::args::Int;
use crate::doodle::DoodleState;
use crate::errors::not_legal;
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

/// A bot with the equipment and seat that it was made for.
struct Seated<G: Game> {
    equipment: Arc<G::Equipment>,
    seat: usize,
    strategy: Box<dyn Strategy<G>>,
}

/// A bundled bot in this process, by its name in the arena; `BOTS` has all names.
///
/// `nodes` is the size of the search of a decision. Without it, `scout` and `planner` have their own number, and `master`
/// uses the time. A bot may use what it found in
/// the same match before.
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

/// Returns the bot that sits there already, or another one.
fn seated<G: Game>(
    slot: &mut Option<Seated<G>>,
    place: Place<G>,
    maker: bots::Maker<G>,
) -> &mut Box<dyn Strategy<G>> {
    let is_same = |it: &Seated<G>| Arc::ptr_eq(&it.equipment, &place.equipment) && it.seat == place.seat;
    let old = slot.take().filter(is_same);
    let equipment = Arc::clone(&place.equipment);
    let seat = place.seat;
    &mut slot.insert(old.unwrap_or_else(|| Seated { equipment, seat, strategy: maker(place) })).strategy
}

#[pymethods]
impl Bot {
    #[new]
    #[pyo3(signature = (name, seed = Int::ZERO, nodes = None), text_signature = "(name, seed=0, nodes=None)")]
    fn new(name: &str, seed: Int, nodes: Option<Int>) -> PyResult<Bot> {
        Ok(Bot {
            bot: bundled("name", name)?,
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
        let (seed, nodes) = (self.seed, self.nodes.or(self.bot.nodes.map(|[_, patchwork]| patchwork)));
        let place = Place { equipment: Arc::clone(game.equipment()), seat, seats: SEATS, seed, nodes };
        let bot = seated(&mut self.patchwork[seat], place, self.bot.patchwork);
        let action = py.detach(|| bot.choose(&game.observe(seat), time_ms));
        let number = game.state().number(game.table(), &action);
        number.ok_or_else(|| not_legal(py, "state: the move has no number".to_owned()))
    }

    /// The numbers of the move that the bot plays for `seat` in a `DoodleState`.
    #[pyo3(signature = (state, seat = Int::ZERO, time_ms = Int::TIME), text_signature = "($self, state, seat=0, time_ms=1000)")]
    fn choose_steps(
        &mut self,
        py: Python<'_>,
        state: &Bound<'_, DoodleState>,
        seat: Int,
        time_ms: Int,
    ) -> PyResult<Vec<usize>> {
        let time_ms = time_ms.within("time_ms", 1..=TIME_MAX_MS)?;
        let game = state.try_borrow()?.game.clone();
        let seat = seat.seat(game.seats())?;
        let Some(moves) = game.moves(seat) else {
            return Err(not_legal(py, format!("state: seat {seat} owes no move")));
        };
        let nodes = self.nodes.or(self.bot.nodes.map(|[doodle, _]| doodle));
        let (seed, seats) = (self.seed, game.seats());
        let place = Place { equipment: Arc::clone(game.equipment()), seat, seats, seed, nodes };
        let bot = seated(&mut self.doodle, place, self.bot.doodle);
        let action = py.detach(|| bot.choose(&game.observe(seat), time_ms));
        Steps::of(&moves, &action).ok_or_else(|| not_legal(py, "state: the move has no numbers".to_owned()))
    }

    fn __repr__(&self) -> String {
        format!("<Bot {}>", self.bot.name)
    }
}
