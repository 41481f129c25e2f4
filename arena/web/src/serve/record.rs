//! A record from elsewhere: a browser on this machine sends it, the engine verifies it, and the answer is the page of
//! its match. Nothing is stored.

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;

use super::matches::{Audience, view_of};
use super::routes::{PAGE, on_a_thread, taking};
use crate::view;
use crate::web::answer;
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;

/// The path of the page that shows a record, to which it sends the record.
pub const RECORD: &str = "/record";
/// The largest record that this path accepts, in bytes.
pub const RECORD_BYTES_MAX: usize = 4 << 20;
/// The longest reason why a record is refused, in characters. A reason may quote the record.
const REASON_MAX: usize = 300;

/// The field of a record that names its game.
#[derive(Deserialize)]
struct Head {
    game: String,
}

/// Returns the routes that show a record from elsewhere. They are for a server that only this machine reaches.
pub fn record_routes() -> Router {
    let page =
        async || answer::html(taking(view::titled(&PAGE.replace("{{module}}", "record.js"), "A record")));
    // The listener has a limit.
    Router::new().route(RECORD, get(page).post(shown)).layer(DefaultBodyLimit::disable())
}

async fn shown(record: Bytes) -> Response {
    let page = on_a_thread(move || page_of(&record).map(answer::packed_html)).await;
    page.map_or_else(|refusal| refusal, answer::whole_page)
}

/// Returns the page of the match in a record.
///
/// # Errors
/// The record is invalid, is of a game without boards, or differs from the engine's replay.
fn page_of(record: &[u8]) -> Result<String, Error> {
    let head: Head = serde_json::from_slice(record).map_err(|error| refused(&error.to_string()))?;
    let other = || refused("it is of another game than doodle and patchwork");
    let page = for_game!(
        GameName::named(&head.game).map_err(|_| other())?,
        G => view_of::<G, _>(record, None, None, &Audience::default(), |view| view::page(&view.title(), view)),
        plain G => return Err(other())
    );
    page.map_err(|error| refused(error.message()))
}

fn refused(why: &str) -> Error {
    let why: String = sandbox::text::line(why).chars().take(REASON_MAX).collect();
    Error::no(format!("this file is no record that can be shown: {why}"))
}
