//! The page on which somebody plays: its files, what it shows, and the moves that it sends.
//!
//! Everything lies below a random word in the address, so that only the page that was opened can move.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use engine::game::Seat;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::choices::{Choice, Laid};
use super::desk::{Desk, Verdict};
use crate::pages::Pages;
use crate::view::{self, Filming, Frame, Pictured, page};
use crate::web::Token;
use crate::web::answer::{self, Asset};
use referee::record::{MatchRecord, ResultRecord, TurnRecord};
use referee::seats::chair::{Player, Told, Voice};

/// How long a question for news may stay open: proxies and browsers close what is silent for long.
const NEWS_WITHIN: Duration = Duration::from_secs(20);

const PAGE: &str = include_str!("assets/play.html");
/// What is of this page alone.
const ASSETS: [Asset; 6] = [
    ("icon.svg", include_str!("assets/icon.svg")),
    ("play.css", include_str!("assets/play.css")),
    ("hand.js", include_str!("assets/hand.js")),
    ("leaving.js", include_str!("assets/leaving.js")),
    ("tray.js", include_str!("assets/tray.js")),
    ("play.js", include_str!("assets/play.js")),
];

/// A match that is shown and played on a page.
#[derive(Debug)]
pub struct Live<G: Pages> {
    desk: Arc<Desk<G>>,
    deal: G::Deal,
    names: Vec<String>,
    token: Token,
    news: watch::Sender<u64>,
    /// The player gives up.
    leaves: Notify,
    /// The page is not needed any more.
    closes: Notify,
    now: Mutex<Now<G>>,
}

/// How far the match is.
#[derive(Debug)]
struct Now<G: Pages> {
    filming: Filming<G>,
    /// The decision that the player owes, and who says it.
    owed: Option<(u32, Voice)>,
    record: Option<MatchRecord<G>>,
}

/// The match as the page gets it.
#[derive(Serialize)]
#[serde(bound = "")]
struct Shown<'a, G: Pictured> {
    version: u64,
    game: &'static str,
    seat: Seat,
    bots: &'a [String],
    parts: G::Parts,
    frames: &'a [Frame<G>],
    /// The table of the decision that is made now.
    open: Option<Frame<G>>,
    turn: Option<Turn>,
    result: Option<&'a ResultRecord>,
}

/// What the player owes.
#[derive(Serialize)]
struct Turn {
    id: u32,
    /// What the move without anything laid is called.
    nothing: &'static str,
    choices: Vec<Choice>,
    /// What the engine says of that move.
    verdict: Verdict,
}

/// A move from the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    id: u32,
    laid: Laid,
}

#[derive(Deserialize)]
struct After {
    after: u64,
}

impl<G: Pages> Live<G> {
    /// A match before its beginning.
    pub fn new(desk: Arc<Desk<G>>, deal: G::Deal, names: Vec<String>, token: Token) -> Live<G> {
        let now = Now { filming: Filming::default(), owed: None, record: None };
        let (news, leaves, closes) = (watch::Sender::new(0), Notify::new(), Notify::new());
        Live { desk, deal, names, token, news, leaves, closes, now: Mutex::new(now) }
    }

    /// The address below that of the door.
    pub fn path(&self) -> String {
        format!("{}/", self.token.as_str())
    }

    /// Looks at the match after a decision.
    pub fn see(&self, game: &G, turns: &[TurnRecord<G::Word>]) {
        self.desk.see(game);
        let turns: Vec<&TurnRecord<G::Word>> = turns.iter().collect();
        self.change(|now| now.filming.add(&self.deal, game, &turns));
    }

    /// Sits at the player's end of the seat until the match is over or the player gives up. Then nobody is there any
    /// more who could answer, which is how the referee knows.
    pub async fn sit_down(&self, mut player: Player) {
        let voice = player.voice();
        let plays = async {
            while let Some(told) = player.hear().await {
                match told {
                    Told::Start => voice.ready(),
                    Told::Turn { id } => self.change(|now| now.owed = Some((id, voice.clone()))),
                    Told::Fault { .. } => self.change(|now| now.owed = None),
                    Told::End | Told::Other => {}
                }
            }
        };
        tokio::select! {
            () = plays => {}
            () = self.leaves.notified() => {}
        }
        self.change(|now| now.owed = None);
    }

    /// Waits until somebody on the page ends it, which can be done after the match.
    pub async fn closed(&self) {
        self.closes.notified().await;
    }

    /// The match is over.
    pub fn end(&self, record: MatchRecord<G>) {
        self.change(|now| now.record = Some(record));
    }

    /// What is answered under which address.
    pub fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/{token}/", get(async || answer::html(PAGE)))
            .route("/{token}/state", get(state::<G>))
            .route("/{token}/judge", post(judge::<G>))
            .route("/{token}/move", post(play::<G>))
            .route("/{token}/leave", post(leave::<G>))
            .route("/{token}/close", post(close::<G>))
            .route("/{token}/replay", get(replay::<G>))
            .route("/{token}/{asset}", get(asset))
            .route_layer(from_fn_with_state(Arc::clone(self), known::<G>))
            .fallback(async || answer::nothing())
            .with_state(Arc::clone(self))
    }

    /// Changes how far the match is, and tells whoever waits for that.
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
        let game = self.desk.game()?;
        let turn = now.owed.as_ref().map(|(id, _)| Turn {
            id: *id,
            nothing: G::NOTHING,
            choices: game.choices(self.desk.seat),
            verdict: self.desk.judge(&Laid::default()),
        });
        let shown = Shown::<G> {
            version,
            game: G::NAME,
            seat: self.desk.seat,
            bots: &self.names,
            parts: game.parts(),
            frames: now.filming.frames(),
            open: now.filming.open(&self.deal),
            turn,
            result: now.record.as_ref().map(|record| &record.result),
        };
        Some(serde_json::to_string(&shown).expect("what is shown is plain data"))
    }

    /// Plays a move if it is owed and the engine takes it.
    fn play(&self, Move { id, laid }: &Move) -> Verdict {
        let verdict = self.desk.judge(laid);
        let refused = |why: String| Verdict { legal: false, why, singles: Vec::new() };
        let word = match self.desk.word(laid) {
            Ok(word) => word,
            Err(why) => return refused(why),
        };
        let owed = self.now().owed.take_if(|(owed, _)| owed == id);
        let Some((id, voice)) = owed else { return refused("this turn is over".to_owned()) };
        voice.play(id, word);
        self.change(|_| ());
        verdict
    }

    fn replay(&self) -> Option<String> {
        let now = self.now();
        Some(page(&now.filming.film(now.record.as_ref()?)?))
    }
}

type Here<G> = State<Arc<Live<G>>>;

/// Answers nothing to whoever does not have the word of this match.
async fn known<G: Pages>(State(live): Here<G>, request: Request, next: Next) -> Response {
    let word = request.uri().path().split('/').nth(1).unwrap_or_default();
    if live.token.is(word) { next.run(request).await } else { answer::nothing() }
}

async fn asset(Path((_, name)): Path<(String, String)>) -> Response {
    answer::asset(&name, &[&[view::STYLE], &view::MODULES, &ASSETS])
}

/// The match, once it is another one than the page has.
async fn state<G: Pages>(State(live): Here<G>, Query(After { after }): Query<After>) -> Response {
    let mut news = live.news.subscribe();
    // Without news the page gets what it has and asks again.
    let _ = timeout(NEWS_WITHIN, news.wait_for(|version| *version > after)).await;
    match live.shown() {
        Some(shown) => answer::json(shown),
        None => answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "the match has not begun"),
    }
}

async fn judge<G: Pages>(State(live): Here<G>, Json(laid): Json<Laid>) -> Response {
    told(&live.desk.judge(&laid))
}

async fn play<G: Pages>(State(live): Here<G>, Json(decided): Json<Move>) -> Response {
    told(&live.play(&decided))
}

/// The player gives up: the seat is out, and the others play on.
async fn leave<G: Pages>(State(live): Here<G>) -> Response {
    live.leaves.notify_one();
    answer::json("true")
}

/// The page is not needed any more; during the match it is.
async fn close<G: Pages>(State(live): Here<G>) -> Response {
    let is_over = live.now().record.is_some();
    if is_over {
        live.closes.notify_one();
    }
    answer::json(is_over.to_string())
}

async fn replay<G: Pages>(State(live): Here<G>) -> Response {
    match live.replay() {
        Some(page) => answer::whole_page(page),
        None => answer::nothing(),
    }
}

fn told(verdict: &Verdict) -> Response {
    answer::json(serde_json::to_string(verdict).expect("a verdict is plain data"))
}
