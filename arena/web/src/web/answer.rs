//! HTTP responses: pages, modules, data, and refusals, with the headers that all responses share.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::Packed;

/// A page may load, run, and request only resources of this server. Only pages of this server may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
/// The policy for a self-contained page, which has a policy for loading and running in its head.
const OWN_POLICY: &str = "frame-ancestors 'self'";

const FIXED: [(HeaderName, &str); 4] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Adds the headers that all responses share. Keeps those that the response has.
pub(super) async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";

/// Returns an HTML page that loads its style and modules as `asset`s.
pub fn html(text: impl Into<Bytes>) -> Response {
    packed_html(text).into_response()
}

/// Returns a self-contained page with its own policy, such as the pages of [`view`](crate::view).
pub(crate) fn whole_page(page: Packed) -> Response {
    ([(CONTENT_SECURITY_POLICY, OWN_POLICY)], page).into_response()
}

/// Compresses an HTML page. A large one takes some milliseconds.
pub(crate) fn packed_html(text: impl Into<Bytes>) -> Packed {
    Packed::new(HTML, text)
}

/// Returns a self-contained page for one person, which no browser keeps.
pub(crate) fn private_page(text: impl Into<Bytes>) -> Response {
    ([(CONTENT_SECURITY_POLICY, OWN_POLICY)], typed(HTML, text)).into_response()
}

/// Returns an HTML page with forms for this server, which no browser keeps. Without a referrer a browser would not name its
/// origin either.
pub(crate) fn form_page(text: impl Into<Bytes>) -> Response {
    let policy = HeaderValue::from_str(&POLICY.replace("form-action 'none'", "form-action 'self'"));
    let headers = [
        (CONTENT_SECURITY_POLICY, policy.expect("it is made of such values")),
        (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ];
    (headers, typed(HTML, text)).into_response()
}

/// Returns data that is already JSON.
pub fn json(text: impl Into<Bytes>) -> Response {
    typed(JSON, text)
}

/// Compresses data that is already JSON, for several clients or for a slow one.
pub(crate) fn packed_json(text: impl Into<Bytes>) -> Packed {
    Packed::new(JSON, text)
}

/// Wraps a picture. Its bytes are compressed already, and once more for the sake of the entity tag.
pub(crate) fn packed_png(file: impl Into<Bytes>) -> Packed {
    Packed::new("image/png", file)
}

/// Returns a table of comma-separated values.
pub(crate) fn csv(text: impl Into<Bytes>) -> Response {
    typed("text/csv; charset=utf-8", text)
}

/// Returns lines of JSON.
pub(crate) fn lines(body: Body) -> Response {
    ([(CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

/// Lets pages of every site frame the page in this response.
pub(crate) fn let_frame(response: &mut Response) {
    let policy = response.headers().get(CONTENT_SECURITY_POLICY).and_then(|policy| policy.to_str().ok());
    let policy = policy.unwrap_or(POLICY).replace("; frame-ancestors 'self'", "");
    let policy = policy.replace(OWN_POLICY, "frame-ancestors *");
    let policy = HeaderValue::from_str(&policy).expect("it is made of such values");
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
}

/// A static file of the pages: its name and its text.
pub(crate) type Asset = (&'static str, &'static str);

/// The static files that were asked for, by the place of their text.
static PACKED: LazyLock<Mutex<HashMap<usize, Packed>>> = LazyLock::new(Mutex::default);

/// Returns the file with this name from the lists, or 404. The media type follows from the extension:
/// `.js`, `.css`, or `.svg`.
pub(crate) fn asset(name: &str, lists: &[&[Asset]]) -> Response {
    let mut all = lists.iter().copied().flatten();
    let Some((name, text)) = all.find(|(known, _)| *known == name) else { return nothing() };
    let kind = match name.rsplit_once('.') {
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    let mut known = PACKED.lock().unwrap_or_else(PoisonError::into_inner);
    let packed = known.entry(text.as_ptr() as usize).or_insert_with(|| Packed::new(kind, *text));
    packed.clone().into_response()
}

/// Returns 404.
pub fn nothing() -> Response {
    refusal(StatusCode::NOT_FOUND, "there is nothing here")
}

/// Returns an error status with a line of text that gives the reason.
pub fn refusal(status: StatusCode, why: &str) -> Response {
    (status, typed("text/plain; charset=utf-8", format!("{why}\n"))).into_response()
}

fn typed(kind: &'static str, text: impl Into<Bytes>) -> Response {
    ([(CONTENT_TYPE, kind)], text.into()).into_response()
}
