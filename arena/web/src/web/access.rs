//! Access control: decides which requests get an answer.
//!
//! A page of another site can make a browser send requests to this machine. Two headers reveal such
//! requests. After DNS rebinding, `Host` has the name of the other site. A cross-site request has a foreign
//! `Origin`. On loopback, `Host` must therefore name this machine. `Origin` must always match `Host`. A
//! browser never sends the token's cookie to another host name, so with a token any host is accepted.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Token, answer};

/// The name of the query parameter that has the token.
pub(super) const QUERY: &str = "token";

/// The access control of one listener.
#[derive(Clone, Debug)]
pub struct AccessControl {
    /// The accepted hosts; `None` accepts every host.
    hosts: Option<Vec<String>>,
    /// The address behind which a proxy passes requests on, as a browser sends it in `Origin`.
    public: Option<String>,
    token: Option<Token>,
    /// The name of the cookie. Each port has its own, because browsers share cookies between ports.
    cookie: String,
}

impl AccessControl {
    /// Creates the access control for this address. With a token, only clients that have the token get an
    /// answer.
    pub fn new(at: SocketAddr, token: Option<Token>) -> AccessControl {
        let port = at.port();
        let own = [at.to_string(), format!("localhost:{port}"), format!("127.0.0.1:{port}")];
        let hosts = token.is_none().then(|| own.into());
        AccessControl { hosts, public: None, token, cookie: format!("quilt-{port}") }
    }

    /// Accepts every host, and clients without a token: the routes decide who sees what.
    pub(super) fn open(&mut self) {
        if self.token.take().is_some() {
            self.hosts = None;
        }
    }

    /// Accepts requests to this address too: a scheme and a host.
    pub fn accept(&mut self, base_url: &str) {
        if let (Some(hosts), Some((_, host))) = (&mut self.hosts, base_url.split_once("://")) {
            hosts.push(host.to_owned());
        }
        self.public = Some(base_url.to_owned());
    }

    /// Returns true if a proxy passes requests on.
    pub(super) fn is_proxied(&self) -> bool {
        self.public.is_some()
    }

    /// Returns the token, if there is one.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Returns the reason to refuse a request because of its host or origin, if there is one.
    fn objection(&self, headers: &HeaderMap) -> Option<&'static str> {
        let Some(host) = text(headers, HOST) else { return Some("a request names its host") };
        if self.hosts.as_ref().is_some_and(|own| !own.iter().any(|own| own == host)) {
            return Some("this address is for this machine alone, by its own name");
        }
        let is_public = |origin: &HeaderValue| {
            self.public.as_ref().is_some_and(|public| origin.as_bytes() == public.as_bytes())
        };
        let is_foreign = |origin: &HeaderValue| {
            origin.as_bytes() != format!("http://{host}").as_bytes() && !is_public(origin)
        };
        headers.get(ORIGIN).is_some_and(is_foreign).then_some("pages of other sites are not answered")
    }

    /// Returns true if the request has the cookie with the token.
    fn is_known(&self, headers: &HeaderMap, token: &Token) -> bool {
        cookies(headers, &self.cookie).any(|value| token.is(value))
    }

    /// Returns a refusal or a redirection, or `None` if the request may pass.
    fn own_answer(&self, request: &Request) -> Option<Response> {
        let refuse = |why| Some(answer::refusal(StatusCode::FORBIDDEN, why));
        if let Some(objection) = self.objection(request.headers()) {
            return refuse(objection);
        }
        let token = self.token.as_ref()?;
        let brings =
            |pair: &str| pair.split_once('=').is_some_and(|(name, value)| name == QUERY && token.is(value));
        if request.uri().query().is_some_and(|query| query.split('&').any(brings)) {
            return Some(self.welcome(request.uri(), token));
        }
        if self.is_known(request.headers(), token) {
            return None;
        }
        refuse("open the link with the token that the arena printed")
    }

    /// Accepts a client that has the link. The response moves the token from the URL to a cookie. The
    /// cookie is `Lax`, because a link in an e-mail comes from another site.
    fn welcome(&self, uri: &Uri, token: &Token) -> Response {
        let cookie = format!("{}={}; HttpOnly; SameSite=Lax; Path=/", self.cookie, token.as_str());
        // A path that begins with `//name/` would lead to another site.
        let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
        (StatusCode::SEE_OTHER, [(LOCATION, path), (SET_COOKIE, cookie)]).into_response()
    }
}

/// Passes an allowed request on. Refuses other requests and closes their connections.
pub(super) async fn stand(State(guard): State<AccessControl>, request: Request, next: Next) -> Response {
    let Some(mut answer) = guard.own_answer(&request) else { return next.run(request).await };
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

/// Returns the values of the cookies with this name.
pub(crate) fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|cookie| cookie.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(known, _)| *known == name).map(|(_, value)| value)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
