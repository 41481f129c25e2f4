//! The page on which a person plays: its files, its data, and the moves that it sends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use engine::game::Seat;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::choices::{Choice, Laid};
use super::door::{self, Door, Owed, Room};
use super::person_view::{PersonView, Verdict};
use crate::Pages;
use crate::view::{Frame, Frames, MatchViewBuilder, page};
use crate::web::Token;
use crate::web::answer::{self, Asset};
use referee::record::{MatchRecord, ResultRecord, TurnRecord};

const PAGE: &str = include_str!("assets/play.html");
/// The files that only this page uses.
const ASSETS: [Asset; 9] = [
    ("icon.svg", include_str!("assets/icon.svg")),
    ("play.css", include_str!("assets/play.css")),
    ("ask.js", include_str!("assets/ask.js")),
    ("clock.js", include_str!("assets/clock.js")),
    ("hand.js", include_str!("assets/hand.js")),
    ("leaving.js", include_str!("assets/leaving.js")),
    ("rules.js", include_str!("assets/rules.js")),
    ("tray.js", include_str!("assets/tray.js")),
    ("play.js", include_str!("assets/play.js")),
];

/// The move of a bot and what it said of the move's value, or the reason why there is no move.
pub(super) type Advice<W> = Result<(W, Option<String>), String>;

/// A player who asks what a strong bot would do.
#[derive(Debug)]
pub struct HintWanted<G: Pages> {
    /// The decision that the player owes.
    pub id: u32,
    /// All moves before it.
    pub moves: Vec<(Seat, G::WireMove)>,
    /// The channel for the answer.
    pub answer: oneshot::Sender<Advice<G::WireMove>>,
}

/// A match that a person plays on a page.
#[derive(Debug)]
pub struct Live<G: Pages> {
    view: Arc<PersonView<G>>,
    deal: G::Deal,
    names: Vec<String>,
    door: Door,
    /// Takes the questions of the player.
    hints: UnboundedSender<HintWanted<G>>,
    now: Mutex<Now<G>>,
}

/// The progress of the match.
#[derive(Debug)]
struct Now<G: Pages> {
    builder: MatchViewBuilder<G>,
    /// All moves so far.
    moves: Vec<(Seat, G::WireMove)>,
    /// The decision for which the player got hints, and their number.
    hinted: (u32, u32),
    record: Option<MatchRecord<G>>,
}

/// The match in the form that the page receives.
#[derive(Serialize)]
#[serde(bound = "")]
struct Shown<'a, G: Frames> {
    version: u64,
    game: &'static str,
    seat: Seat,
    bots: &'a [String],
    parts: G::Parts,
    frames: &'a [Frame<G>],
    /// The table of the current decision.
    open: Option<Frame<G>>,
    turn: Option<Turn>,
    result: Option<&'a ResultRecord>,
}

/// The decision that the player owes.
#[derive(Serialize)]
struct Turn {
    id: u32,
    /// The time left for the decision, in milliseconds; `None` without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_ms: Option<u64>,
    /// The name of the move that places nothing.
    nothing: &'static str,
    choices: Vec<Choice>,
    /// The engine's verdict on the move that places nothing.
    verdict: Verdict,
}

/// A move from the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    id: u32,
    laid: Laid,
}

/// The answer to a question for a hint.
#[derive(Default, Serialize)]
struct Hint {
    /// The cells to lay.
    laid: Option<Laid>,
    /// What the move leads to, or the reason why there is no hint.
    words: String,
    /// What the bot said of the move's value, as a sentence that names the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<String>,
}

impl<G: Pages> Live<G> {
    /// Creates the page of a match that has not begun. `per_move` is the time limit of the player for a decision, and
    /// `hints` takes the player's questions.
    pub fn new(
        view: Arc<PersonView<G>>,
        deal: G::Deal,
        names: Vec<String>,
        per_move: Option<Duration>,
        token: Token,
        hints: UnboundedSender<HintWanted<G>>,
    ) -> Live<G> {
        let now =
            Now { builder: MatchViewBuilder::default(), moves: Vec::new(), hinted: (0, 0), record: None };
        Live { view, deal, names, hints, door: Door::new(token, per_move), now: Mutex::new(now) }
    }

    /// Records the match after a decision.
    pub fn see(&self, game: &G, turns: &[TurnRecord<G::WireMove>]) {
        self.view.see(game);
        let turns: Vec<&TurnRecord<G::WireMove>> = turns.iter().collect();
        let moves = turns.iter().filter_map(|turn| Some((turn.seat, turn.wire_move.clone()?)));
        self.change(|now| {
            now.moves.extend(moves);
            now.builder.add(&self.deal, game, &turns);
        });
    }

    /// Records the end of the match.
    pub fn end(&self, record: MatchRecord<G>) {
        self.change(|now| now.record = Some(record));
    }

    /// Returns the routes of the page.
    pub fn routes(self: &Arc<Self>) -> Router {
        let own = Router::new()
            .route("/{token}/judge", post(judge::<G>))
            .route("/{token}/move", post(play::<G>))
            .route("/{token}/hint", post(hint::<G>))
            .route("/{token}/replay", get(replay::<G>));
        door::routes(self, own)
    }

    /// Changes the progress of the match and notifies all waiting requests.
    fn change(&self, change: impl FnOnce(&mut Now<G>)) {
        change(&mut self.now());
        self.door.tell();
    }

    fn now(&self) -> MutexGuard<'_, Now<G>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays a move if the seat owes it and the engine accepts it.
    fn play(&self, Move { id, laid }: &Move) -> Verdict {
        let verdict = self.view.judge(laid);
        let refused = |why: String| Verdict { legal: false, why, effect: String::new(), singles: Vec::new() };
        let wire_move = match self.view.wire_move(laid) {
            Ok(wire_move) => wire_move,
            Err(why) => return refused(why),
        };
        let Some(Owed { id, voice, .. }) = self.door.take(*id) else {
            return refused("this turn is over".to_owned());
        };
        let hints = Some(self.now().hinted).filter(|(of, _)| *of == id).map_or(0, |(_, hints)| hints);
        let note = (hints > 0).then(|| format!("{hints} hint{}", if hints == 1 { "" } else { "s" }));
        voice.play(id, wire_move, note.as_deref());
        self.door.tell();
        verdict
    }

    /// Asks for a hint for the decision that the player owes.
    async fn hint(&self) -> Hint {
        let none = |why: &str| Hint { words: why.to_owned(), ..Hint::default() };
        let (answer, made) = oneshot::channel();
        let Some(id) = self.door.owed().as_ref().map(|owed| owed.id) else {
            return none("it is not your turn");
        };
        let moves = self.now().moves.clone();
        if self.hints.send(HintWanted { id, moves, answer }).is_err() {
            return none("there are no hints here");
        }
        match made.await {
            Ok(Ok((wire_move, said))) => {
                let hinted = &mut self.now().hinted;
                *hinted = (id, if hinted.0 == id { hinted.1 + 1 } else { 1 });
                let laid = G::laid(&wire_move);
                Hint { words: self.view.judge(&laid).effect, laid: Some(laid), said }
            }
            Ok(Err(why)) => none(&why),
            Err(_) => none("the turn is over"),
        }
    }

    fn replay(&self) -> Option<String> {
        let now = self.now();
        let view = now.builder.view(now.record.as_ref()?)?;
        Some(page(&view.title(), &view))
    }
}

type Here<G> = State<Arc<Live<G>>>;

impl<G: Pages> Room for Live<G> {
    const PAGE: &'static str = PAGE;
    const ASSETS: &'static [Asset] = &ASSETS;

    fn door(&self) -> &Door {
        &self.door
    }

    fn is_over(&self) -> bool {
        self.now().record.is_some()
    }

    fn shown(&self) -> Option<String> {
        let version = self.door.version();
        let now = self.now();
        let game = self.view.game()?;
        let turn = self.door.owed().as_ref().map(|owed| Turn {
            id: owed.id,
            left_ms: self.door.left_ms(owed),
            nothing: G::NOTHING,
            choices: game.choices(self.view.seat),
            verdict: self.view.judge(&Laid::default()),
        });
        let shown = Shown::<G> {
            version,
            game: G::NAME,
            seat: self.view.seat,
            bots: &self.names,
            parts: game.parts(),
            frames: now.builder.frames(),
            open: now.builder.open(&self.deal),
            turn,
            result: now.record.as_ref().map(|record| &record.result),
        };
        Some(serde_json::to_string(&shown).expect("what is shown is plain data"))
    }
}

async fn judge<G: Pages>(State(live): Here<G>, Json(laid): Json<Laid>) -> Response {
    verdict_json(&live.view.judge(&laid))
}

async fn play<G: Pages>(State(live): Here<G>, Json(decided): Json<Move>) -> Response {
    verdict_json(&live.play(&decided))
}

async fn hint<G: Pages>(State(live): Here<G>) -> Response {
    answer::json(serde_json::to_string(&live.hint().await).expect("a hint is plain data"))
}

async fn replay<G: Pages>(State(live): Here<G>) -> Response {
    match live.replay() {
        Some(page) => answer::whole_page(answer::packed_html(page)),
        None => answer::nothing(),
    }
}

fn verdict_json(verdict: &Verdict) -> Response {
    answer::json(serde_json::to_string(verdict).expect("a verdict is plain data"))
}
