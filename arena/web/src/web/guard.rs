//! Who is answered.
//!
//! A page of another site can make a browser ask this machine. It cannot do so under our name: by DNS
//! rebinding its own name leads here, which the `Host` then says; and what it sends across sites has an
//! `Origin`. So on loopback the host must be this machine's own, and everywhere the origin ours. A token
//! is never sent to another name, so with one any host will do.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::header::{COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Token, answer};

/// The word in a link behind which the token stands.
pub(super) const QUERY: &str = "token";

/// Whom a door lets in.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The hosts that lead here, where only those will do.
    hosts: Option<Vec<String>>,
    token: Option<Token>,
    /// A name for each port: browsers do not tell cookies of ports apart.
    cookie: String,
}

impl Guard {
    /// The guard of this address; with a token, for whoever has it.
    pub fn new(at: SocketAddr, token: Option<Token>) -> Guard {
        let port = at.port();
        let own = [at.to_string(), format!("localhost:{port}"), format!("127.0.0.1:{port}")];
        let hosts = token.is_none().then(|| own.into());
        Guard { hosts, token, cookie: format!("quilt-{port}") }
    }

    /// The token, where there is one.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// What is wrong with a request, if anything.
    fn objection(&self, headers: &HeaderMap) -> Option<&'static str> {
        let Some(host) = text(headers, HOST) else { return Some("a request names its host") };
        if self.hosts.as_ref().is_some_and(|own| !own.iter().any(|own| own == host)) {
            return Some("this address is for this machine alone, by its own name");
        }
        let is_foreign = |origin: &HeaderValue| origin.as_bytes() != format!("http://{host}").as_bytes();
        headers.get(ORIGIN).is_some_and(is_foreign).then_some("pages of other sites are not answered")
    }

    /// Whether the request brings the cookie with the token.
    fn is_known(&self, headers: &HeaderMap, token: &Token) -> bool {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|cookie| cookie.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && token.is(value))
    }

    /// Lets somebody in who has the link: the token goes into a cookie and out of the address. `Lax`,
    /// because a link in a letter comes from another site.
    fn welcome(&self, uri: &Uri, token: &Token) -> Response {
        let cookie = format!("{}={}; HttpOnly; SameSite=Lax; Path=/", self.cookie, token.as_str());
        (StatusCode::SEE_OTHER, [(LOCATION, uri.path().to_owned()), (SET_COOKIE, cookie)]).into_response()
    }
}

/// Hands a request on, or refuses it.
pub(super) async fn stand(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if let Some(objection) = guard.objection(request.headers()) {
        return answer::refusal(StatusCode::FORBIDDEN, objection);
    }
    let Some(token) = &guard.token else { return next.run(request).await };
    let brings =
        |pair: &str| pair.split_once('=').is_some_and(|(name, said)| name == QUERY && token.is(said));
    if request.uri().query().is_some_and(|query| query.split('&').any(brings)) {
        return guard.welcome(request.uri(), token);
    }
    if guard.is_known(request.headers(), token) {
        return next.run(request).await;
    }
    answer::refusal(StatusCode::FORBIDDEN, "open the link with the token that the arena printed")
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
