//! What each page of a person at the table has: a link with a token, news, a turn, and a way out.
//!
//! All paths begin with a random token, so that only the opened page can play.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::view;
use crate::web::answer::{self, Asset};
use crate::web::{self, Token};
use referee::seats::human::{Notice, Player, Voice};

/// The longest time that a request for news stays open. Proxies and browsers close connections that are
/// silent for long.
const NEWS_WITHIN: Duration = Duration::from_secs(20);

/// The wish of a person after a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// To end the arena.
    Close,
    /// To play another match.
    Again,
}

/// A decision that the player owes.
#[derive(Debug)]
pub(super) struct Owed {
    pub(super) id: u32,
    since: Instant,
    /// The channel for the answer.
    pub(super) voice: Voice,
}

/// The way in and out of a match that a person plays on a page.
#[derive(Debug)]
pub struct Door {
    token: Token,
    /// The time limit of the player for a decision, if there is one.
    per_move: Option<Duration>,
    news: watch::Sender<u64>,
    /// Signals that a page shows the match.
    opens: Notify,
    /// Signals that the player gives up.
    leaves: Notify,
    /// Signals what the person wants after the match.
    afterwards: watch::Sender<Option<Afterwards>>,
    owed: Mutex<Option<Owed>>,
    is_out: AtomicBool,
}

/// A page of a person at the table.
pub trait Room: Send + Sync + 'static {
    /// The page.
    const PAGE: &'static str;
    /// The files that only this page uses.
    const ASSETS: &'static [Asset];

    /// What each page of a person has.
    fn door(&self) -> &Door;

    /// Returns the match in the form that the page receives. `None` before it has begun.
    fn shown(&self) -> Option<String>;

    /// Returns true once the match is over.
    fn is_over(&self) -> bool;
}

impl Door {
    pub(super) fn new(token: Token, per_move: Option<Duration>) -> Door {
        Door {
            token,
            per_move,
            news: watch::Sender::new(0),
            opens: Notify::new(),
            leaves: Notify::new(),
            afterwards: watch::Sender::new(None),
            owed: Mutex::default(),
            is_out: AtomicBool::new(false),
        }
    }

    /// Notifies all waiting requests.
    pub(super) fn tell(&self) {
        self.news.send_modify(|version| *version += 1);
    }

    pub(super) fn version(&self) -> u64 {
        *self.news.borrow()
    }

    pub(super) fn owed(&self) -> MutexGuard<'_, Option<Owed>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the decision with this number, if the player still owes it.
    pub(super) fn take(&self, id: u32) -> Option<Owed> {
        self.owed().take_if(|owed| owed.id == id)
    }

    /// Returns the time left for a decision, in milliseconds; `None` without a limit.
    pub(super) fn left_ms(&self, owed: &Owed) -> Option<u64> {
        Some(self.per_move?.saturating_sub(owed.since.elapsed()).as_millis() as u64)
    }

    /// Returns true once the player is out.
    pub(super) fn is_out(&self) -> bool {
        self.is_out.load(Ordering::Relaxed)
    }

    fn owe(&self, owed: Option<Owed>) {
        *self.owed() = owed;
        self.tell();
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
                        self.owe(Some(Owed { id, since: Instant::now(), voice: voice.clone() }));
                    }
                    Notice::Fault { .. } => {
                        self.is_out.store(true, Ordering::Relaxed);
                        self.owe(None);
                    }
                    Notice::End | Notice::Other => {}
                }
            }
        };
        tokio::select! {
            () = plays => {}
            () = self.leaves.notified() => self.is_out.store(true, Ordering::Relaxed),
        }
        self.owe(None);
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
}

#[derive(Deserialize)]
struct After {
    after: u64,
}

type Here<R> = State<Arc<R>>;

/// Returns the routes of a page, with its `own` ones.
pub(super) fn routes<R: Room>(room: &Arc<R>, own: Router<Arc<R>>) -> Router {
    own.route("/{token}/", get(async || answer::html(R::PAGE)))
        .route("/{token}/state", get(state::<R>))
        .route("/{token}/leave", post(leave::<R>))
        .route("/{token}/close", post(async |room: Here<R>| wish(&room, Afterwards::Close)))
        .route("/{token}/again", post(async |room: Here<R>| wish(&room, Afterwards::Again)))
        .route("/{token}/{asset}", get(asset::<R>))
        .route_layer(from_fn_with_state(Arc::clone(room), known::<R>))
        .fallback(async || answer::nothing())
        .with_state(Arc::clone(room))
}

/// Answers 404 to requests without the token of this match.
async fn known<R: Room>(State(room): Here<R>, request: Request, next: Next) -> Response {
    let word = request.uri().path().split('/').nth(1).unwrap_or_default();
    if !room.door().token.is(word) {
        return answer::nothing();
    }
    web::grant(&request);
    next.run(request).await
}

async fn asset<R: Room>(Path((_, name)): Path<(String, String)>) -> Response {
    answer::asset(&name, &[&[view::STYLE], &view::MODULES, R::ASSETS])
}

/// Returns the match as soon as its version is newer than the page's.
async fn state<R: Room>(State(room): Here<R>, Query(After { after }): Query<After>) -> Response {
    let door = room.door();
    door.opens.notify_one();
    let mut news = door.news.subscribe();
    // After the time limit, the page gets the same version and asks again.
    // A version of the match before is higher, and no news of this match.
    let is_news = |version: &u64| *version > after || (1..after).contains(version);
    let _ = timeout(NEWS_WITHIN, news.wait_for(is_news)).await;
    match room.shown() {
        Some(shown) => answer::json(shown),
        None => answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "the match has not begun"),
    }
}

/// Takes the player out of the match. The other seats play on.
async fn leave<R: Room>(State(room): Here<R>) -> Response {
    room.door().leaves.notify_one();
    answer::json("true")
}

/// Notes the wish of the person, if the match is over. Answers whether it is.
fn wish<R: Room>(room: &Arc<R>, wish: Afterwards) -> Response {
    let is_over = room.is_over();
    if is_over {
        room.door().afterwards.send_replace(Some(wish));
    }
    answer::json(is_over.to_string())
}
