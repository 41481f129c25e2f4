//! The routes of a tournament's pages.
//!
//! Answers come from [`Live`]. Their cost does not grow with the number of matches, except for the list of
//! matches, which examines a few bytes of each match.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use axum::routing::get;
use axum::{Json, Router};
use futures_util::Stream;
use futures_util::stream;
use serde_json::{Value, json};

use super::event_stream::EVENTS_EVERY;
use super::list::{Choice, List, PAGE_ROWS};
use super::matches::{Filmed, line_of, of_line};
use super::{Entry, Live, STYLE, TABLES};
use crate::view;
use crate::web::answer::{self, Asset};

const PAGE: &str = include_str!("assets/live.html");
const RUNNING: &str = include_str!("assets/running.html");
const LATEST: &str = include_str!("assets/latest.html");
/// The files that only these pages use.
const ASSETS: [Asset; 8] = [
    ("icon.svg", include_str!("assets/icon.svg")),
    ("running.js", include_str!("assets/running.js")),
    ("hosts.js", include_str!("assets/hosts.js")),
    ("watch.js", include_str!("assets/watch.js")),
    ("matches.js", include_str!("assets/matches.js")),
    ("follow.js", include_str!("assets/follow.js")),
    ("live.js", include_str!("assets/live.js")),
    ("latest.js", include_str!("assets/latest.js")),
];

/// Returns all routes of this tournament.
pub fn routes(live: Arc<Live>) -> Router {
    Router::new()
        .route("/", get(async || answer::html(PAGE)))
        .route("/latest", get(async || answer::html(LATEST)))
        .route("/match/{index}", get(matched))
        .route("/match/{index}/events", get(running))
        .route("/assets/{name}", get(asset))
        .route("/favicon.ico", get(async || asset(Path("icon.svg".to_owned())).await))
        .route("/data/plan", get(plan))
        .route("/data/standings", get(standings))
        .route("/data/hosts", get(hosts))
        .route("/data/matches", get(matches))
        .route("/data/match/{index}", get(is_recorded))
        .route("/data/film/{index}", get(film))
        .route("/events", get(events))
        .fallback(async || answer::nothing())
        .with_state(live)
}

async fn asset(Path(name): Path<String>) -> Response {
    answer::asset(&name, &[&[view::STYLE, STYLE], &view::MODULES, &TABLES, &ASSETS])
}

async fn plan(State(live): State<Arc<Live>>) -> Json<Value> {
    let book = live.book();
    let name = live.dir().file_name().map(|name| name.to_string_lossy().into_owned());
    let head = &book.head;
    // The seed reveals all deals, so it stays hidden while matches remain.
    let seed = live.status().borrow().is_over.then(|| head.seed.to_string());
    Json(json!({
        "name": name,
        "game": head.game,
        "schedule": head.schedule.schedule,
        "seed": seed,
        "rounds": head.rounds,
        "seats": head.seats,
        "move_ms": head.limits.per_move.as_millis() as u64,
        "plan_digest": head.plan_digest,
        "bots": book.names,
    }))
}

async fn standings(State(live): State<Arc<Live>>) -> Response {
    made(live.book().tables.clone())
}

async fn hosts(State(live): State<Arc<Live>>) -> Response {
    made(live.book().hosts.clone())
}

/// Returns tables, or status 503 before they are made.
fn made(tables: Bytes) -> Response {
    if tables.is_empty() {
        return answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "the tables are not made yet");
    }
    answer::json(tables)
}

async fn matches(State(live): State<Arc<Live>>, Query(choice): Query<Choice>) -> Response {
    let book = live.book();
    let number = |name: &str| book.names.iter().position(|known| known == name);
    match book.list.choose(&choice, number) {
        Err(why) => answer::refusal(StatusCode::BAD_REQUEST, &why),
        Ok(chosen) => {
            let rows = chosen.entries.iter().map(|entry| row(&book.list, entry)).collect::<Vec<_>>();
            let pages = chosen.total.div_ceil(PAGE_ROWS);
            Json(json!({"total": chosen.total, "page": choice.page, "pages": pages, "rows": rows}))
                .into_response()
        }
    }
}

/// Returns the row of a match in the list. Bots appear as their numbers in the plan.
fn row(list: &List, entry: &Entry) -> Value {
    let seats = list.sittings(entry).iter();
    let seats = seats
        .map(|seat| json!({"bot": seat.bot, "score": seat.score, "rank": seat.rank, "fault": seat.fault}));
    json!({
        "match": entry.index,
        "round": entry.round,
        "margin": entry.margin,
        "seats": seats.collect::<Vec<_>>(),
    })
}

/// Returns true if this match has a record. A page that waits for a record uses this route, because
/// browsers log each 404 response as an error.
async fn is_recorded(State(live): State<Arc<Live>>, Path(index): Path<u64>) -> Json<bool> {
    Json(live.book().list.find(index).is_some())
}

/// Returns the page of a match. The page waits if the match is planned and has no record yet.
async fn matched(State(live): State<Arc<Live>>, Path(index): Path<u64>) -> Response {
    let is_planned = index < live.status().borrow().total;
    match filmed(live, index, Filmed::Page).await {
        Some(Ok(page)) => answer::whole_page(page),
        Some(Err(refusal)) => refusal,
        None if is_planned => answer::html(RUNNING),
        None => answer::nothing(),
    }
}

/// Returns the film of a match as JSON.
async fn film(State(live): State<Arc<Live>>, Path(index): Path<u64>) -> Response {
    match filmed(live, index, Filmed::Json).await {
        Some(Ok(film)) => answer::json(film),
        Some(Err(refusal)) => refusal,
        None => answer::nothing(),
    }
}

/// Returns the film of a match in this form, or a refusal; `None` if the match has no record.
async fn filmed(live: Arc<Live>, index: u64, form: Filmed) -> Option<Result<String, Response>> {
    let (game, entry, file) = {
        let book = live.book();
        let entry = book.list.find(index)?;
        (book.game, entry, book.files.get(entry.place.source as usize)?.clone())
    };
    // Reading and judging a record takes some milliseconds. A separate thread keeps other requests
    // responsive.
    let make = move || of_line(game, live.dir(), &line_of(live.dir(), &file, &entry)?, form);
    let made = tokio::task::spawn_blocking(make).await;
    Some(match made {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(error)) => Err(answer::refusal(StatusCode::CONFLICT, error.message())),
        Err(_) => Err(answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, "the match could not be shown")),
    })
}

/// Streams a running match: first the match so far, then changes.
async fn running(State(live): State<Arc<Live>>, Path(index): Path<u64>) -> Response {
    match live.book().running(index) {
        Some(running) => Sse::new(running.events()).keep_alive(KeepAlive::default()).into_response(),
        None => answer::nothing(),
    }
}

/// Streams the progress of the tournament: first the current state, then every change.
async fn events(State(live): State<Arc<Live>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut status = live.status();
    status.mark_changed();
    drop(live);
    let told = stream::unfold(status, |mut status| async move {
        status.changed().await.ok()?;
        let event = Event::default().json_data(&*status.borrow_and_update());
        tokio::time::sleep(EVENTS_EVERY).await;
        Some((Ok(event.expect("a status is plain data")), status))
    });
    Sse::new(told).keep_alive(KeepAlive::default())
}
