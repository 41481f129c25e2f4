//! The listener of the HTTP server.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::Method;
use axum::http::header::CONTENT_LENGTH;
use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_service::Service;

use super::access::{self, AccessControl};
use super::connections::Bodies;
use super::{Token, answer, connections, packed};
use referee::error::Error;

/// Returns routes that pass each request on to those that were sent last, at first to none, so that no request is lost when
/// pages change.
pub fn changing() -> (watch::Sender<Router>, Router) {
    let (pages, now) = watch::channel(Router::new());
    let routes = Router::new().fallback(async move |mut request: Request| {
        // The body of an answer has its length; these routes leave it out.
        if request.method() == Method::HEAD {
            *request.method_mut() = Method::GET;
        }
        let mut routes = now.borrow().clone();
        routes.call(request).await.map(|mut response| {
            // A packed body is still to come.
            response.headers_mut().remove(CONTENT_LENGTH);
            response
        })
    });
    (pages, routes)
}

/// Returns an address for a browser: the name of this machine in place of all of its addresses.
pub fn host(address: IpAddr, port: u16) -> String {
    if address.is_unspecified() {
        format!("{}:{port}", rustix::system::uname().nodename().to_string_lossy())
    } else {
        SocketAddr::new(address, port).to_string()
    }
}

/// A listener: a socket for browsers, with its access control.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    guard: AccessControl,
    at: SocketAddr,
    bodies: connections::Bodies,
}

impl Listener {
    /// Opens a listener. Port 0 selects a free port. For an address that other machines can reach, creates
    /// a token that every client must have.
    ///
    /// # Errors
    /// Fails if this machine does not have the address, or if the port is in use.
    pub async fn open(address: IpAddr, port: u16) -> Result<Listener, Error> {
        let wrong = |error: std::io::Error| {
            let place = SocketAddr::new(address, port);
            Error::usage(format!("cannot listen on {place}: {error}"))
                .hint("take another port with --port, such as 0 for a free one")
        };
        let listener = TcpListener::bind((address, port)).await.map_err(wrong)?;
        let at = listener.local_addr().map_err(wrong)?;
        let token = if address.is_loopback() { None } else { Some(Token::random()?) };
        Ok(Listener { listener, guard: AccessControl::new(at, token), at, bodies: Bodies::default() })
    }

    /// Returns the URL for a browser, with the token if there is one.
    pub fn link(&self) -> String {
        let host = host(self.at.ip(), self.at.port());
        match self.guard.token() {
            Some(token) => format!("http://{host}/?{}={}", access::QUERY, token.as_str()),
            None => format!("http://{host}/"),
        }
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.at.port()
    }

    /// Accepts requests to this address too, which a proxy passes on: a scheme and a host.
    pub fn accept(&mut self, base_url: &str) {
        self.guard.accept(base_url);
    }

    /// Accepts bodies of this size, in bytes, at this path. They are larger than those that other paths accept.
    pub fn accept_larger(&mut self, path: &'static str, bytes_max: usize) {
        self.bodies.larger = Some((path, bytes_max));
    }

    /// Lets everybody in, and leaves bodies at paths that begin like this to their routes.
    pub fn open_to_all(&mut self, streamed: &'static str) {
        self.guard.open();
        self.bodies.streamed = Some(streamed);
    }

    /// Serves requests until the future is dropped. Each request passes access control, and each response
    /// gets the shared headers.
    ///
    /// # Errors
    /// Never fails at present. If the system cannot accept a connection, the server pauses and accepts the
    /// next one.
    pub async fn serve(&self, routes: Router) -> Result<(), Error> {
        let is_proxied = self.guard.is_proxied();
        let routes = routes
            .layer(middleware::from_fn(packed::negotiate))
            .layer(middleware::from_fn_with_state(self.bodies, connections::hear_out))
            .layer(middleware::from_fn_with_state(self.guard.clone(), access::stand))
            .layer(middleware::map_response(answer::with_headers));
        connections::serve(&self.listener, routes, is_proxied, self.bodies.streamed.is_some()).await
    }
}
