//! The routes of a contest's door.
//!
//! The link of an author has a token, which moves into a cookie. Forms send it in their address: a page of another site knows
//! no token, and a cookie alone hands nothing in.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Form, Path, Request, State};
use axum::http::header::{ACCEPT, HOST, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::Organiser;
use super::page::{UPLOADS, front, note, own, switching};
use super::upload::{Folder, receive};
use crate::serve::{STYLE, nothing};
use crate::view;
use crate::web::answer::{self, Asset};
use crate::web::{cookies, grant};
use referee::error::{Error, ErrorKind};

/// The path of an author's page.
const OWN: &str = "/own";
/// The time for which a browser keeps the cookie of an author, in seconds.
const COOKIE_SECONDS: u32 = 60 * 24 * 3600;
const ASSETS: [Asset; 2] = [
    ("icon.svg", include_str!("../serve/assets/icon.svg")),
    ("contest.js", include_str!("assets/contest.js")),
];

/// The door of a contest.
#[derive(Clone)]
pub struct Door {
    /// Who runs the contest.
    pub contest: Arc<dyn Organiser>,
    /// The address at which others see the pages, such as `https://arena.example.org`, if a proxy passes requests on.
    pub base_url: Option<String>,
    /// The name of the cookie with the token of an author.
    pub cookie: String,
}

type Here = State<Door>;

/// Returns the routes of the door.
pub fn door_routes(door: Door) -> Router {
    Router::new()
        .route("/", get(async |State(door): Here| answer::html(front(&door.contest.shown()))))
        .route("/in/{token}", get(enter).post(switch))
        .route(OWN, get(own_page))
        .route("/own/match", get(unrated))
        .route(&format!("{UPLOADS}{{token}}"), post(hand_in).layer(DefaultBodyLimit::disable()))
        .route("/try/{token}", post(try_out))
        .route("/assets/{name}", get(asset))
        .route("/favicon.ico", get(async || asset(Path("icon.svg".to_owned())).await))
        .fallback(async || nothing())
        .with_state(door)
}

async fn asset(Path(name): Path<String>) -> Response {
    answer::asset(&name, &[&[view::STYLE, STYLE], &ASSETS])
}

impl Door {
    /// Returns the author whose cookie is in these headers, with the token.
    fn known(&self, headers: &HeaderMap) -> Option<(String, String)> {
        let mut tokens = cookies(headers, &self.cookie);
        tokens.find_map(|token| Some((self.contest.author(token)?, token.to_owned())))
    }

    /// Moves the token of a link into a cookie. It is `Lax`, because a link in an e-mail comes from another site.
    fn welcome(&self, token: &str) -> Response {
        let is_secure = self.base_url.as_ref().is_some_and(|url| url.starts_with("https://"));
        let secure = if is_secure { "; Secure" } else { "" };
        let cookie = format!(
            "{}={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age={COOKIE_SECONDS}{secure}",
            self.cookie
        );
        (StatusCode::SEE_OTHER, [(LOCATION, OWN.to_owned()), (SET_COOKIE, cookie)]).into_response()
    }
}

/// Refuses a token that no author has.
fn stranger() -> Response {
    answer::refusal(StatusCode::FORBIDDEN, "this link is not valid: ask the organiser for a new one")
}

/// Lets an author in, unless the browser is another author's. A page of another site could have opened this link.
async fn enter(State(door): Here, Path(token): Path<String>, headers: HeaderMap) -> Response {
    let Some(author) = door.contest.author(&token) else { return stranger() };
    match door.known(&headers).filter(|(known, _)| *known != author) {
        Some((known, _)) => answer::form_page(switching([&known, &author], &token)),
        None => door.welcome(&token),
    }
}

async fn switch(State(door): Here, Path(token): Path<String>) -> Response {
    door.contest.author(&token).map_or_else(stranger, |_| door.welcome(&token))
}

async fn own_page(State(door): Here, headers: HeaderMap) -> Response {
    let Some((author, token)) = door.known(&headers) else { return unknown() };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let address = door.base_url.unwrap_or_else(|| format!("http://{host}"));
    answer::form_page(own(&door.contest.own(&author), &address, &token))
}

fn unknown() -> Response {
    let line = "This page is for the author of a bot. Open the personal link that the organiser sent you.";
    let page = answer::html(note("Your bot", &[line], ["/", "To the contest"]));
    (StatusCode::FORBIDDEN, page).into_response()
}

async fn unrated(State(door): Here, headers: HeaderMap) -> Response {
    let Some((author, _)) = door.known(&headers) else { return unknown() };
    let page = tokio::task::spawn_blocking(move || door.contest.unrated(&author)).await;
    match page {
        Ok(Some(page)) => answer::private_page(page),
        _ => nothing(),
    }
}

/// Takes a file. Answers that it was received only when it is safe on the disk.
async fn hand_in(State(door): Here, Path(token): Path<String>, request: Request) -> Response {
    let Some(author) = door.contest.author(&token) else { return stranger() };
    grant(&request);
    let headers = request.headers().clone();
    let of_author = author.clone();
    let contest = Arc::clone(&door.contest);
    // The folder goes also if the client leaves meanwhile.
    let begun = tokio::task::spawn_blocking(move || contest.begin(&of_author).map(Folder)).await;
    let folder = match begun.expect("it does not panic") {
        Ok(folder) => folder,
        Err(error) => return told(&headers, &refused(&error)),
    };
    if let Err(refusal) = receive(request, &folder.0).await {
        return told(&headers, &refusal);
    }
    let contest = Arc::clone(&door.contest);
    let bot = author.clone();
    // The folder stays until the file is taken, also if the client has left.
    let taken = tokio::task::spawn_blocking(move || contest.take(&bot, &folder.0)).await;
    match taken.expect("it does not panic") {
        Ok(number) => told(&headers, &(StatusCode::OK, format!("received: version {number} of {author}"))),
        Err(error) => told(&headers, &refused(&error)),
    }
}

#[derive(Deserialize)]
struct Opponent {
    against: String,
}

async fn try_out(
    State(door): Here,
    Path(token): Path<String>,
    headers: HeaderMap,
    Form(Opponent { against }): Form<Opponent>,
) -> Response {
    let Some(author) = door.contest.author(&token) else { return stranger() };
    match door.contest.play(&author, &against) {
        Ok(()) => told(&headers, &(StatusCode::OK, format!("{author} plays against {against}"))),
        Err(error) => told(&headers, &refused(&error)),
    }
}

fn refused(error: &Error) -> (StatusCode, String) {
    let status = match error.kind() {
        ErrorKind::Usage => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    let cure = error.cure().map_or(String::new(), |cure| format!("\n{cure}"));
    (status, format!("{}{cure}", error.message()))
}

/// Answers a form: a browser gets a page, and others get lines of text.
fn told(headers: &HeaderMap, (status, text): &(StatusCode, String)) -> Response {
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    if !accepts.is_some_and(|accept| accept.contains("text/html")) {
        return answer::refusal(*status, text);
    }
    let title = if status.is_success() { "Done" } else { "Not done" };
    let lines: Vec<&str> = text.lines().collect();
    (*status, answer::html(note(title, &lines, [OWN, "To your bot"]))).into_response()
}
