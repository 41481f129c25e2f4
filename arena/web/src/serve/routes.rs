//! The routes of a tournament's pages.
//!
//! Answers come from [`Live`]. Their cost does not grow with the number of matches, except for the list of
//! matches, which examines a few bytes of each match.

use std::convert::Infallible;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, Query, RawQuery, Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Redirect, Response, Sse};
use axum::routing::get;
use axum::{Json, Router};
use futures_util::Stream;
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};

use super::costs::costs_of;
use super::desk::Work;
use super::list::{List, PAGE_ROWS, Site};
use super::matches::{ViewForm, line_of, of_line};
use super::{Audience, Desk, Entry, Live, STYLE, TABLES};
use crate::view;
use crate::web::Packed;
use crate::web::answer::{self, Asset};
use referee::error::Error;
use referee::for_game;
use referee::games::{GameKind, GameName};
use tournament::journal::{JOURNAL, results};
use tournament::plan::commitment::Commitment;
use tournament::plan::earlier::earlier_file;
use tournament::replay::selection::Selection;

/// The shortest time between two events about the tournament to a page.
const STATUS_EVERY: Duration = Duration::from_millis(500);
/// The size of one read of the journal, in bytes.
const CHUNK_BYTES: usize = 1 << 16;

/// The page around a module that draws it.
pub(super) const PAGE: &str = include_str!("assets/page.html");
/// The page at an unknown address.
const NOTHING: &str = include_str!("assets/nothing.html");
/// The files that only these pages use.
const ASSETS: [Asset; 13] = [
    ("icon.svg", include_str!("assets/icon.svg")),
    ("running.js", include_str!("assets/running.js")),
    ("hosts.js", include_str!("assets/hosts.js")),
    ("watch.js", include_str!("assets/watch.js")),
    ("matches.js", include_str!("assets/matches.js")),
    ("follow.js", include_str!("assets/follow.js")),
    ("question.js", include_str!("assets/question.js")),
    ("live.js", include_str!("assets/live.js")),
    ("latest.js", include_str!("assets/latest.js")),
    ("bot.js", include_str!("assets/bot.js")),
    ("pair.js", include_str!("assets/pair.js")),
    ("compared.js", include_str!("assets/compared.js")),
    ("record.js", include_str!("assets/record.js")),
];

/// The marks of a page for its server.
#[derive(Clone, Debug)]
struct Marks {
    /// The address at which other machines see the pages, such as `https://arena.example.org`; `None` if it is unknown.
    /// Previews need it, because their pictures have absolute addresses.
    base_url: Option<Arc<str>>,
    takes_records: bool,
}

/// The state that all requests share.
#[derive(Clone, Debug)]
struct Shared {
    live: Arc<Live>,
    marks: Marks,
    audience: Audience,
}

type Here = State<Shared>;

/// Returns all routes of this tournament. `base_url` is the address at which other machines see the pages, without a
/// slash at its end: with it, pages name a picture for previews.
pub fn routes(live: Arc<Live>, base_url: Option<&str>, audience: Audience) -> Router {
    let marks = Marks { base_url: base_url.map(Arc::from), takes_records: audience.is_own };
    Router::new()
        .route("/", get(async |State(here): Here| page(&here.live, &here.marks, "", "live.js")))
        .route("/latest", get(latest))
        .route("/bot/{bot}", get(bot))
        .route("/pair/{bot}/{against}", get(pair))
        .route("/match/{index}", get(matched))
        .route("/match/{index}/events", get(running))
        .route("/beside/{left}/{right}", get(beside))
        .route("/match/{index}/preview.png", get(preview))
        .route("/match/{index}/judge", get(judge).post(judge).delete(judge))
        .route("/bot/{bot}/judge", get(judge).post(judge).delete(judge))
        .route("/preview.png", get(newest_preview))
        .route("/assets/{name}", get(asset))
        .route("/favicon.ico", get(async || asset(Path("icon.svg".to_owned())).await))
        .route("/data/plan", get(plan))
        .route("/data/standings", get(async |State(here): Here| made(here.live.book().tables.clone())))
        .route("/data/notes", get(async |State(here): Here| made(here.live.book().notes.clone())))
        .route("/data/comparison", get(async |State(here): Here| made(here.live.book().comparison.clone())))
        .route("/data/hosts", get(async |State(here): Here| made(here.live.book().hosts.clone())))
        .route("/data/matches", get(matches))
        .route("/data/match/{index}", get(is_recorded))
        .route("/data/view/{index}", get(view))
        .route("/data/record/{index}", get(record))
        .route("/data/journal", get(journal))
        .route("/data/csv", get(csv))
        .route("/events", get(events))
        .fallback(async || nothing())
        .layer(from_fn(framed))
        .with_state(Shared { live, marks, audience })
}

impl Marks {
    /// Adds the marks to a page, with the picture at this path if the address of the pages is known.
    fn mark(&self, page: String, path: &str) -> String {
        let page = if self.takes_records { taking(page) } else { page };
        let Some(base) = &self.base_url else { return page };
        page.replacen("<head>", &format!("<head>\n<meta property=\"og:image\" content=\"{base}{path}\">"), 1)
    }
}

/// Marks a page as one on which a record can be dropped.
pub(super) fn taking(page: String) -> String {
    page.replacen("<html ", "<html data-records ", 1)
}

/// Returns true if a query has this word, with or without a value.
fn has(query: &str, word: &str) -> bool {
    query.split('&').any(|part| part.split('=').next() == Some(word))
}

/// Lets pages of other sites frame a page that is asked for with `?embed`.
async fn framed(request: Request, next: Next) -> Response {
    let is_embedded = request.uri().query().is_some_and(|query| has(query, "embed"));
    let mut response = next.run(request).await;
    if is_embedded {
        answer::let_frame(&mut response);
    }
    response
}

/// Returns a page that this module draws. The title is also the title of a preview in a chat.
fn page(live: &Live, marks: &Marks, title: &str, module: &str) -> Response {
    let given = live.book().head.title.clone();
    let name = given.or_else(|| name(live)).unwrap_or_else(|| live.book().head.plan.game.clone());
    let title = if title.is_empty() { name } else { format!("{title} - {name}") };
    let html = view::titled(&PAGE.replace("{{module}}", module), &title);
    answer::html(marks.mark(html, "/preview.png"))
}

/// Returns the page at an unknown address.
pub(crate) fn nothing() -> Response {
    (StatusCode::NOT_FOUND, answer::html(NOTHING)).into_response()
}

fn name(live: &Live) -> Option<String> {
    live.dir().file_name().map(|name| name.to_string_lossy().into_owned())
}

async fn latest(State(Shared { live, marks, .. }): Here, RawQuery(query): RawQuery) -> Response {
    // The picture for previews shows the result, and so does the page of a game without boards.
    let is_untold = query.as_deref().is_some_and(|query| has(query, "untold"));
    if is_untold && !has_boards(&live) {
        return nothing();
    }
    let marks = if is_untold { Marks { base_url: None, ..marks } } else { marks };
    let newest = live.status().borrow().latest.filter(|_| !has_boards(&live));
    if let Some(newest) = newest {
        return Redirect::temporary(&format!("match/{newest}")).into_response();
    }
    page(&live, &marks, "The newest match", "latest.js")
}

async fn bot(State(Shared { live, marks, .. }): Here, Path(bot): Path<String>) -> Response {
    if !live.book().names.contains(&bot) {
        return nothing();
    }
    page(&live, &marks, &bot, "bot.js")
}

async fn pair(
    State(Shared { live, marks, .. }): Here,
    Path((bot, against)): Path<(String, String)>,
) -> Response {
    let is_known = |bot| live.book().names.contains(bot);
    if bot == against || !is_known(&bot) || !is_known(&against) {
        return nothing();
    }
    page(&live, &marks, &format!("{bot} against {against}"), "pair.js")
}

/// Returns true if matches of the tournament's game can be drawn.
fn has_boards(live: &Live) -> bool {
    GameName::named(&live.book().head.plan.game).is_ok_and(GameName::has_boards)
}

/// Returns true while matches remain of a game whose records may tell what a seat must not know.
fn is_closed(live: &Live) -> bool {
    if live.status().borrow().is_over {
        return false;
    }
    for_game!(
        live.book().game,
        G => false,
        plain G => earlier_file::<G>(live.dir()).ok().flatten().is_none_or(|file| !G::is_open(&file.plan.setup))
    )
}

/// Refuses a record while [`is_closed`].
fn closed() -> Response {
    let why = "records may tell hidden things: they are there when all matches are done";
    answer::refusal(StatusCode::FORBIDDEN, why)
}

/// Returns the page with two matches of one deal.
async fn beside(State(Shared { live, marks, .. }): Here, Path((left, right)): Path<(u64, u64)>) -> Response {
    let [one, other] = [left, right].map(|index| live.book().list.find(index).map(|entry| entry.round));
    if left == right || one.is_none() || one != other || !has_boards(&live) {
        return nothing();
    }
    page(&live, &marks, &format!("Matches {left} and {right}"), "compared.js")
}

pub(super) async fn asset(Path(name): Path<String>) -> Response {
    answer::asset(&name, &[&[view::STYLE, STYLE], &view::MODULES, &TABLES, &ASSETS])
}

async fn plan(State(Shared { live, audience, .. }): Here) -> Json<Value> {
    let desk = audience.desk.filter(|_| has_boards(&live));
    let has_records = !is_closed(&live);
    let (book, name) = (live.book(), name(&live));
    let head = &book.head;
    // The seed reveals all deals, so it stays hidden while matches remain.
    let seed = live.status().borrow().is_over.then(|| head.plan.seed.to_string());
    Json(json!({
        "name": name,
        "title": head.title,
        "text": head.text,
        "dates": head.dates,
        "game": head.plan.game,
        "has_boards": book.game.has_boards(),
        "has_records": has_records,
        "judge": desk.as_ref().map(|desk| desk.token.as_str()),
        "schedule": head.plan.schedule.schedule,
        "seed": seed,
        "rounds": head.plan.rounds,
        "seats": head.plan.seats,
        "move_ms": head.plan.limits.per_move.as_millis() as u64,
        "plan_digest": head.plan_digest,
        "commitment": head.commitment.as_ref().map(Commitment::words),
        "bots": book.names,
        "versions": head.plan.bots.iter().map(|bot| bot.version.as_deref()).collect::<Vec<_>>(),
    }))
}

async fn csv(State(Shared { live, .. }): Here) -> Response {
    let book = live.book();
    if book.csv.is_empty() { made(Packed::default()) } else { answer::csv(book.csv.clone()) }
}

/// Streams the journal. A tournament in shards has none.
async fn journal(State(Shared { live, .. }): Here) -> Response {
    if is_closed(&live) {
        return closed();
    }
    let path = live.dir().join(JOURNAL);
    let opened = tokio::task::spawn_blocking(move || results::open(&path)).await;
    let Ok(Ok(file)) = opened else { return nothing() };
    let chunks = stream::unfold((Arc::new(file), 0_u64), |(file, offset)| async move {
        let reading = Arc::clone(&file);
        let read = tokio::task::spawn_blocking(move || {
            let mut chunk = vec![0; CHUNK_BYTES];
            let length = reading.read_at(&mut chunk, offset)?;
            chunk.truncate(length);
            Ok::<_, std::io::Error>(chunk)
        });
        let chunk = read.await.map_err(std::io::Error::other).flatten();
        let length = chunk.as_ref().map_or(0, Vec::len) as u64;
        let is_end = chunk.as_ref().is_ok_and(Vec::is_empty);
        (!is_end).then_some((chunk, (file, offset + length)))
    });
    answer::lines(Body::from_stream(chunks))
}

/// Returns tables, or status 503 before they are made.
fn made(tables: Packed) -> Response {
    if tables.is_empty() {
        return answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "the tables are not made yet");
    }
    tables.into_response()
}

async fn matches(State(Shared { live, .. }): Here, uri: Uri, Query(asked): Query<Selection>) -> Response {
    let made = live.listed(uri.query().unwrap_or_default(), |book| {
        let chosen = book.list.choose(&asked, &book.names)?;
        let rows = chosen.entries.iter().map(|(entry, margin)| row(&book.list, entry, *margin));
        let rows = rows.collect::<Vec<_>>();
        let pages = chosen.total.div_ceil(PAGE_ROWS);
        let found = json!({"total": chosen.total, "page": asked.page, "pages": pages, "rows": rows});
        Ok(answer::packed_json(found.to_string()))
    });
    made.map_or_else(
        |why: Error| answer::refusal(StatusCode::BAD_REQUEST, why.message()),
        IntoResponse::into_response,
    )
}

/// Returns the row of a match in the list. Bots appear as their numbers in the plan.
fn row(list: &List, entry: &Entry, margin: i64) -> Value {
    let seats = list.seat_results(entry).iter();
    let seats = seats
        .map(|seat| json!({"bot": seat.bot, "score": seat.score, "rank": seat.rank, "fault": seat.fault.map(|mark| mark.kind), "fault_id": seat.fault.map(|mark| mark.id)}));
    json!({
        "match": entry.index,
        "round": entry.round,
        "margin": margin,
        "seats": seats.collect::<Vec<_>>(),
    })
}

/// Returns true if this match has a record. A page that waits for a record uses this route, because
/// browsers log each 404 response as an error.
async fn is_recorded(State(Shared { live, .. }): Here, Path(index): Path<u64>) -> Json<bool> {
    Json(live.book().list.find(index).is_some())
}

/// Returns the page of a match. The page waits if the match is planned and has no record yet. A page to save has no
/// stderr, because others may get it.
async fn matched(
    State(Shared { live, marks, audience }): Here,
    RawQuery(query): RawQuery,
    Path(index): Path<u64>,
) -> Response {
    let is_planned = index < live.status().borrow().total;
    let is_to_save = query.as_deref().is_some_and(|query| has(query, "save"));
    let of_match = Marks { takes_records: marks.takes_records && !is_to_save, ..marks.clone() };
    let pack = move |page: Vec<u8>| {
        let page = String::from_utf8(page).expect("a page is text");
        answer::packed_html(of_match.mark(page, &format!("/match/{index}/preview.png")))
    };
    let audience = if is_to_save { Audience::default() } else { audience };
    match view_of_match(&live, index, ViewForm::Page, audience, pack).await {
        Some(Ok(page)) => answer::whole_page(page),
        Some(Err(refusal)) => refusal,
        None if is_planned => page(&live, &marks, &title_of_planned(&live, index), "watch.js"),
        None => nothing(),
    }
}

/// Returns the title of a match without a record. It has the bots, unless they depend on the results of other matches.
fn title_of_planned(live: &Live, index: u64) -> String {
    let book = live.book();
    let pairing = book.head.progress().ok().and_then(|progress| progress.pairing(index));
    let bots = pairing.map(|pairing| {
        let names: Vec<&str> = pairing.bots.iter().map(|&bot| book.names[bot].as_str()).collect();
        format!(": {}", names.join(" against "))
    });
    format!("Match {index}{}", bots.unwrap_or_default())
}

/// Which part of a view is asked for.
#[derive(Deserialize)]
struct Part {
    /// The place of the frame; all of them without it.
    at: Option<usize>,
}

/// Returns the view of a match as JSON.
async fn view(
    State(Shared { live, audience, .. }): Here,
    Path(index): Path<u64>,
    Query(Part { at }): Query<Part>,
) -> Response {
    let form = at.map_or(ViewForm::Json, ViewForm::Frame);
    response_of(view_of_match(&live, index, form, audience, answer::packed_json).await)
}

/// What a page sends to begin judging and to stop it.
#[derive(Deserialize)]
struct Pass {
    token: Option<String>,
}

/// The match or the bot of an address.
#[derive(Deserialize)]
struct Target {
    index: Option<u64>,
    bot: Option<String>,
}

/// Begins some work with `POST`, stops it with `DELETE`, and says how it goes. Of a bot, also says what its moves cost.
async fn judge(
    method: Method,
    State(Shared { live, audience, .. }): Here,
    Path(Target { index, bot }): Path<Target>,
    Query(Pass { token }): Query<Pass>,
) -> Response {
    let work = index.map_or_else(|| Work::Bot(bot.unwrap_or_default()), Work::Match);
    let is_there = match &work {
        Work::Match(index) => live.book().list.find(*index).is_some(),
        Work::Bot(bot) => live.book().names.contains(bot),
    };
    let may = |desk: &Arc<Desk>| method == Method::GET || token.is_some_and(|token| desk.token.is(&token));
    let Some(desk) = audience.desk.filter(|desk| is_there && has_boards(&live) && may(desk)) else {
        return answer::nothing();
    };
    let told = on_a_thread(move || {
        let (costs, first) = match &work {
            Work::Match(_) => (Value::Null, 1),
            Work::Bot(bot) => costs_of(&live, &desk, bot),
        };
        match method {
            Method::POST if !live.may_be_judged() => {
                return Err(Error::no("matches are played here: judge them afterwards"));
            }
            Method::POST => desk.begin(live.dir(), work.clone(), first).map_err(Error::no)?,
            Method::DELETE => desk.cancel(live.dir(), &work),
            _ => {}
        }
        let mut told = desk.state(live.dir(), &work);
        told["costs"] = costs;
        Ok(Json(told))
    });
    told.await.into_response()
}

/// Returns the picture of a match.
async fn preview(State(Shared { live, .. }): Here, Path(index): Path<u64>) -> Response {
    response_of(view_of_match(&live, index, ViewForm::Preview, Audience::default(), answer::packed_png).await)
}

/// Returns the picture of the newest match.
async fn newest_preview(here: Here) -> Response {
    let newest = here.live.status().borrow().latest;
    match newest {
        Some(index) => preview(here, Path(index)).await,
        None => answer::nothing(),
    }
}

fn response_of(of_match: Option<Result<impl IntoResponse, Response>>) -> Response {
    of_match.map_or_else(answer::nothing, IntoResponse::into_response)
}

/// Returns the view of a match in this form, wrapped by `pack`, or a refusal; `None` if the match has no record.
async fn view_of_match(
    live: &Arc<Live>,
    index: u64,
    form: ViewForm,
    audience: Audience,
    pack: impl FnOnce(Vec<u8>) -> Packed + Send + 'static,
) -> Option<Result<Packed, Response>> {
    of_record(live, index, move |live, entry, line| {
        // Both look into the book, which no thread may open twice.
        let (has_boards, has_records) = (has_boards(live), !is_closed(live));
        let (game, site, per_move) = {
            let book = live.book();
            let is_over = live.status().borrow().is_over;
            let judge = audience.desk.as_ref().filter(|_| has_boards && live.may_be_judged());
            let judge = judge.map(|desk| desk.token.as_str().to_owned());
            let site = book.list.site(entry);
            let site = Site { name: name(live), has_boards, has_records, is_over, judge, ..site };
            (book.game, site, book.head.plan.limits.per_move)
        };
        of_line(game, live.dir(), line, &site, form, per_move, &audience).map(pack)
    })
    .await
}

/// Returns the record of a match, as the line of its file.
async fn record(State(Shared { live, .. }): Here, Path(index): Path<u64>) -> Response {
    if is_closed(&live) {
        return closed();
    }
    response_of(of_record(&live, index, |_, _, line| Ok(answer::json(line.to_vec()))).await)
}

/// Reads the line of a match's record and passes it to `make`. Returns a refusal if one of the two fails, and `None` if
/// the match has no record.
async fn of_record<T: Send + 'static>(
    live: &Arc<Live>,
    index: u64,
    make: impl FnOnce(&Live, &Entry, &[u8]) -> Result<T, Error> + Send + 'static,
) -> Option<Result<T, Response>> {
    let (entry, file) = {
        let book = live.book();
        let entry = book.list.find(index)?;
        (entry, book.files.get(entry.place.source as usize)?.clone())
    };
    let live = Arc::clone(live);
    Some(on_a_thread(move || make(&live, &entry, &line_of(live.dir(), &file, &entry)?)).await)
}

/// Reads and judges a record on a thread of its own. That takes some milliseconds, in which other requests get their
/// answers. Returns a refusal if it fails.
pub(super) async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Response> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(made)) => Ok(made),
        Ok(Err(error)) => Err(answer::refusal(StatusCode::CONFLICT, error.message())),
        Err(_) => Err(answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, "the match could not be shown")),
    }
}

/// Streams a running match: first the match so far, then changes.
async fn running(State(Shared { live, .. }): Here, Path(index): Path<u64>) -> Response {
    match live.book().running(index) {
        Some(running) => Sse::new(running.events()).keep_alive(KeepAlive::default()).into_response(),
        None => answer::nothing(),
    }
}

/// Streams the progress of the tournament: first the current state, then every change.
async fn events(State(Shared { live, .. }): Here) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut status = live.status();
    status.mark_changed();
    drop(live);
    let changes = stream::unfold(status, |mut status| async move {
        status.changed().await.ok()?;
        let event = Event::default().json_data(&*status.borrow_and_update());
        tokio::time::sleep(STATUS_EVERY).await;
        Some((Ok(event.expect("a status is plain data")), status))
    });
    Sse::new(changes).keep_alive(KeepAlive::default())
}
