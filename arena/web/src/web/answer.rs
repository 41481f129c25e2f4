//! Answers: pages, modules, data, refusals, and the headers that all of them have.

use axum::body::Bytes;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

/// Nothing but what this program serves is loaded, run or asked; only its own pages may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
/// For a page that is whole in itself and says in its head what may be loaded and run.
const OWN_POLICY: &str = "frame-ancestors 'self'";

const FIXED: [(HeaderName, &str); 4] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Adds what every answer has; what an answer says of caching and policy itself stays.
pub(super) async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// A page whose style and modules are `asset`s.
pub fn html(text: impl Into<Bytes>) -> Response {
    typed("text/html; charset=utf-8", text)
}

/// A page that is whole in itself and carries its own policy, as those of [`view`](crate::view) are.
pub(crate) fn whole_page(text: impl Into<Bytes>) -> Response {
    ([(CONTENT_SECURITY_POLICY, OWN_POLICY)], html(text)).into_response()
}

/// Data that is JSON already.
pub fn json(text: impl Into<Bytes>) -> Response {
    typed("application/json", text)
}

/// A file of the pages: its name and its text.
pub(crate) type Asset = (&'static str, &'static str);

/// One of the files in these lists; nothing else can be asked for. What it is its name tells: `.js`,
/// `.css` or `.svg`.
pub(crate) fn asset(name: &str, lists: &[&[Asset]]) -> Response {
    let mut all = lists.iter().copied().flatten();
    let Some((name, text)) = all.find(|(known, _)| *known == name) else { return nothing() };
    let kind = match name.rsplit_once('.') {
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    typed(kind, *text)
}

/// There is no such thing.
pub fn nothing() -> Response {
    refusal(StatusCode::NOT_FOUND, "there is nothing here")
}

/// A line of text that says why not.
pub fn refusal(status: StatusCode, why: &str) -> Response {
    (status, typed("text/plain; charset=utf-8", format!("{why}\n"))).into_response()
}

fn typed(kind: &'static str, text: impl Into<Bytes>) -> Response {
    ([(CONTENT_TYPE, kind)], text.into()).into_response()
}
