//! Who is answered.
//!
//! A page of another site can make a browser ask this machine. It cannot do so under our name: by DNS
//! rebinding its own name leads here, which the `Host` then says; and what it sends across sites has an
//! `Origin`. So on loopback the host must be this machine's own, and everywhere the origin ours. A token
//! is never sent to another name, so with one any host will do.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::crowd::Acceptance;
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

    /// Returns the guard's own answer to a request, a refusal or a redirection; none if the request may pass.
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

    /// Lets somebody in who has the link: the token goes into a cookie and out of the address. `Lax`,
    /// because a link in a letter comes from another site.
    fn welcome(&self, uri: &Uri, token: &Token) -> Response {
        let cookie = format!("{}={}; HttpOnly; SameSite=Lax; Path=/", self.cookie, token.as_str());
        // `//name/` at the beginning would lead to another site.
        let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
        (StatusCode::SEE_OTHER, [(LOCATION, path), (SET_COOKIE, cookie)]).into_response()
    }
}

/// Lets a request through and marks its connection as accepted, or refuses it and closes the connection.
pub(super) async fn stand(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    match guard.own_answer(&request) {
        None => {
            if let Some(acceptance) = request.extensions_mut().remove::<Acceptance>() {
                acceptance.grant();
            }
            next.run(request).await
        }
        Some(mut answer) => {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            answer
        }
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
