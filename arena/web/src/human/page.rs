//! The page on which a person plays: its files, its data, and the moves that it sends.
//!
//! All paths begin with a random token, so that only the opened page can play.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use engine::game::Seat;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::timeout;

use super::choices::{Choice, Laid};
use super::person_view::{PersonView, Verdict};
use crate::Pages;
use crate::view::{self, Frame, Frames, MatchViewBuilder, page};
use crate::web::answer::{self, Asset};
use crate::web::{self, Token};
use referee::record::{MatchRecord, ResultRecord, TurnRecord};
use referee::seats::human::{Notice, Player, Voice};

/// The longest time that a request for news stays open. Proxies and browsers close connections that are
/// silent for long.
const NEWS_WITHIN: Duration = Duration::from_secs(20);

const PAGE: &str = include_str!("assets/play.html");
/// The files that only this page uses.
const ASSETS: [Asset; 8] = [
    ("icon.svg", include_str!("assets/icon.svg")),
    ("play.css", include_str!("assets/play.css")),
    ("clock.js", include_str!("assets/clock.js")),
    ("hand.js", include_str!("assets/hand.js")),
    ("leaving.js", include_str!("assets/leaving.js")),
    ("rules.js", include_str!("assets/rules.js")),
    ("tray.js", include_str!("assets/tray.js")),
    ("play.js", include_str!("assets/play.js")),
];

/// A player who asks what a strong bot would do.
#[derive(Debug)]
pub struct HintWanted<G: Pages> {
    /// The decision that the player owes.
    pub id: u32,
    /// All moves before it.
    pub moves: Vec<(Seat, G::WireMove)>,
    /// The channel for the move, or for the reason why there is none.
    pub answer: oneshot::Sender<Result<G::WireMove, String>>,
}

/// The wish of a person after a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// To end the arena.
    Close,
    /// To play another match.
    Again,
}

/// A match that a person plays on a page.
#[derive(Debug)]
pub struct Live<G: Pages> {
    view: Arc<PersonView<G>>,
    deal: G::Deal,
    names: Vec<String>,
    /// The time limit of the player for a decision, if there is one.
    per_move: Option<Duration>,
    token: Token,
    news: watch::Sender<u64>,
    /// Signals that a page shows the match.
    opens: Notify,
    /// Signals that the player gives up.
    leaves: Notify,
    /// Signals what the person wants after the match.
    afterwards: watch::Sender<Option<Afterwards>>,
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
    owed: Option<Owed>,
    record: Option<MatchRecord<G>>,
}

/// A decision that the player owes.
#[derive(Debug)]
struct Owed {
    id: u32,
    since: Instant,
    /// The number of hints that the player got.
    hints: u32,
    /// The channel for the answer.
    voice: Voice,
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
}

#[derive(Deserialize)]
struct After {
    after: u64,
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
        let now = Now { builder: MatchViewBuilder::default(), moves: Vec::new(), owed: None, record: None };
        Live {
            view,
            deal,
            names,
            per_move,
            token,
            hints,
            news: watch::Sender::new(0),
            opens: Notify::new(),
            leaves: Notify::new(),
            afterwards: watch::Sender::new(None),
            now: Mutex::new(now),
        }
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

    /// Plays the seat until the match is over or the player gives up. Then drops the player's channel, and
    /// the referee sees that the seat no longer answers.
    pub async fn sit_down(&self, mut player: Player) {
        let voice = player.voice();
        let plays = async {
            while let Some(message) = player.hear().await {
                match message {
                    Notice::Start => voice.ready(),
                    Notice::Turn { id } => {
                        let owed = Owed { id, since: Instant::now(), hints: 0, voice: voice.clone() };
                        self.change(|now| now.owed = Some(owed));
                    }
                    Notice::Fault { .. } => self.change(|now| now.owed = None),
                    Notice::End | Notice::Other => {}
                }
            }
        };
        tokio::select! {
            () = plays => {}
            () = self.leaves.notified() => {}
        }
        self.change(|now| now.owed = None);
    }

    /// Waits until a page has asked for the match. No time of the player passes before.
    pub async fn opened(&self) {
        self.opens.notified().await;
    }

    /// Waits until the person says what comes after the match.
    pub async fn afterwards(&self) -> Afterwards {
        let mut wish = self.afterwards.subscribe();
        // The sender lives as long as the page.
        wish.wait_for(Option::is_some).await.ok().and_then(|wish| *wish).unwrap_or(Afterwards::Close)
    }

    /// Records the end of the match.
    pub fn end(&self, record: MatchRecord<G>) {
        self.change(|now| now.record = Some(record));
    }

    /// Returns the routes of the page.
    pub fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/{token}/", get(async || answer::html(PAGE)))
            .route("/{token}/state", get(state::<G>))
            .route("/{token}/judge", post(judge::<G>))
            .route("/{token}/move", post(play::<G>))
            .route("/{token}/leave", post(leave::<G>))
            .route("/{token}/hint", post(hint::<G>))
            .route("/{token}/close", post(close::<G>))
            .route("/{token}/again", post(again::<G>))
            .route("/{token}/replay", get(replay::<G>))
            .route("/{token}/{asset}", get(asset))
            .route_layer(from_fn_with_state(Arc::clone(self), known::<G>))
            .fallback(async || answer::nothing())
            .with_state(Arc::clone(self))
    }

    /// Changes the progress of the match and notifies all waiting requests.
    fn change(&self, change: impl FnOnce(&mut Now<G>)) {
        change(&mut self.now());
        self.news.send_modify(|version| *version += 1);
    }

    fn now(&self) -> MutexGuard<'_, Now<G>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self) -> Option<String> {
        let version = *self.news.borrow();
        let now = self.now();
        let game = self.view.game()?;
        let left = |owed: &Owed| Some(self.per_move?.saturating_sub(owed.since.elapsed()).as_millis() as u64);
        let turn = now.owed.as_ref().map(|owed| Turn {
            id: owed.id,
            left_ms: left(owed),
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

    /// Plays a move if the seat owes it and the engine accepts it.
    fn play(&self, Move { id, laid }: &Move) -> Verdict {
        let verdict = self.view.judge(laid);
        let refused = |why: String| Verdict { legal: false, why, effect: String::new(), singles: Vec::new() };
        let wire_move = match self.view.wire_move(laid) {
            Ok(wire_move) => wire_move,
            Err(why) => return refused(why),
        };
        let owed = self.now().owed.take_if(|owed| owed.id == *id);
        let Some(Owed { id, voice, hints, .. }) = owed else {
            return refused("this turn is over".to_owned());
        };
        let note = (hints > 0).then(|| format!("{hints} hint{}", if hints == 1 { "" } else { "s" }));
        voice.play(id, wire_move, note.as_deref());
        self.change(|_| ());
        verdict
    }

    /// Asks for a hint for the decision that the player owes.
    async fn hint(&self) -> Hint {
        let none = |why: &str| Hint { laid: None, words: why.to_owned() };
        let (answer, made) = oneshot::channel();
        let (id, moves) = {
            let now = self.now();
            let Some(owed) = &now.owed else { return none("it is not your turn") };
            (owed.id, now.moves.clone())
        };
        if self.hints.send(HintWanted { id, moves, answer }).is_err() {
            return none("there are no hints here");
        }
        match made.await {
            Ok(Ok(wire_move)) => {
                self.now().owed.iter_mut().filter(|owed| owed.id == id).for_each(|owed| owed.hints += 1);
                let laid = G::laid(&wire_move);
                Hint { words: self.view.judge(&laid).effect, laid: Some(laid) }
            }
            Ok(Err(why)) => none(&why),
            Err(_) => none("the turn is over"),
        }
    }

    /// Notes the wish of the person, if the match is over. Returns true if it is.
    fn wish(&self, wish: Afterwards) -> bool {
        let is_over = self.now().record.is_some();
        if is_over {
            self.afterwards.send_replace(Some(wish));
        }
        is_over
    }

    fn replay(&self) -> Option<String> {
        let now = self.now();
        let view = now.builder.view(now.record.as_ref()?)?;
        Some(page(&view.title(), &view))
    }
}

type Here<G> = State<Arc<Live<G>>>;

/// Answers 404 to requests without the token of this match.
async fn known<G: Pages>(State(live): Here<G>, request: Request, next: Next) -> Response {
    let word = request.uri().path().split('/').nth(1).unwrap_or_default();
    if !live.token.is(word) {
        return answer::nothing();
    }
    web::grant(&request);
    next.run(request).await
}

async fn asset(Path((_, name)): Path<(String, String)>) -> Response {
    answer::asset(&name, &[&[view::STYLE], &view::MODULES, &ASSETS])
}

/// Returns the match as soon as its version is newer than the page's.
async fn state<G: Pages>(State(live): Here<G>, Query(After { after }): Query<After>) -> Response {
    live.opens.notify_one();
    let mut news = live.news.subscribe();
    // After the time limit, the page gets the same version and asks again.
    // A version of the match before is higher, and no news of this match.
    let is_news = |version: &u64| *version > after || (1..after).contains(version);
    let _ = timeout(NEWS_WITHIN, news.wait_for(is_news)).await;
    match live.shown() {
        Some(shown) => answer::json(shown),
        None => answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "the match has not begun"),
    }
}

async fn judge<G: Pages>(State(live): Here<G>, Json(laid): Json<Laid>) -> Response {
    verdict_json(&live.view.judge(&laid))
}

async fn play<G: Pages>(State(live): Here<G>, Json(decided): Json<Move>) -> Response {
    verdict_json(&live.play(&decided))
}

/// Takes the player out of the match. The other seats play on.
async fn leave<G: Pages>(State(live): Here<G>) -> Response {
    live.leaves.notify_one();
    answer::json("true")
}

/// Closes the page, if the match is over.
async fn close<G: Pages>(State(live): Here<G>) -> Response {
    answer::json(live.wish(Afterwards::Close).to_string())
}

/// Begins another match, if this one is over.
async fn again<G: Pages>(State(live): Here<G>) -> Response {
    answer::json(live.wish(Afterwards::Again).to_string())
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
