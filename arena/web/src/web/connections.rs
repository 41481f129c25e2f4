//! Connections: a deadline for each request, and a bound on their number. At the bound, the oldest
//! connection without an accepted request makes room for a new one, so slow, incomplete, or refused
//! requests never block other clients.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tower_service::Service;
use tracing::debug;

use super::answer;
use referee::error::Error;

/// The time limit for the head of a request, for its body, and for an idle connection.
const QUESTION_TIME: Duration = Duration::from_secs(15);
/// The largest body of a request, in bytes. Moves are much smaller.
const BODY_BYTES_MAX: usize = 256 * 1024;
/// The most connections at a time. A browser opens six for a page.
const CONNECTIONS_MAX: u64 = 512;
/// A part of a path that is at least this long may be a secret.
const SECRET_BYTES_MIN: usize = 24;
/// The pause after the system refused a descriptor for another connection.
const PAUSE: Duration = Duration::from_millis(20);

/// A flag for the connection of a request, which protects it from eviction. Each request has it as an
/// extension.
#[derive(Clone)]
pub(super) struct Acceptance(Arc<AtomicBool>);

impl Acceptance {
    /// Marks the connection as accepted. Access control calls this for each request that it lets through.
    pub(super) fn grant(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An open connection.
struct Caller {
    task: JoinHandle<()>,
    /// True if access control has let a request of this connection through.
    is_accepted: Arc<AtomicBool>,
}

/// Accepts connections and answers their requests until the future is dropped.
pub(super) async fn serve(listener: &TcpListener, routes: Router) -> Result<(), Error> {
    let most = connections_max();
    let mut callers: VecDeque<Caller> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        callers.retain(|caller| !caller.task.is_finished());
        if callers.len() < most || make_room(&mut callers) {
            callers.push_back(attend(stream, routes.clone()));
        }
    }
}

/// Returns the limit on connections: at most half of the process's descriptors, because responses read
/// files.
fn connections_max() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from((files / 2).min(CONNECTIONS_MAX)).expect("it is small")
}

/// Ends the oldest connection without an accepted request. Returns false if there is none.
fn make_room(callers: &mut VecDeque<Caller>) -> bool {
    let idle = callers.iter().position(|caller| !caller.is_accepted.load(Ordering::Relaxed));
    let idle = idle.and_then(|place| callers.remove(place));
    idle.as_ref().inspect(|caller| caller.task.abort()).is_some()
}

/// Serves one connection on its own task.
fn attend(stream: TcpStream, routes: Router) -> Caller {
    let is_accepted = Arc::new(AtomicBool::new(false));
    let acceptance = Acceptance(Arc::clone(&is_accepted));
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(acceptance.clone());
        let (method, path) = (request.method().clone(), without_secrets(request.uri().path()));
        let answer = routes.clone().call(request.map(Body::new));
        async move {
            let response = answer.await?;
            debug!(%method, path, status = response.status().as_u16(), "request");
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(QUESTION_TIME)
        .serve_connection(TokioIo::new(stream), service);
    // A client that hangs up gets no response. Nothing else depends on the connection.
    let task = tokio::spawn(async move { drop(connection.await) });
    Caller { task, is_accepted }
}

/// Returns a path for the log. Parts as long as a token are left out, because the page of a person has its token in
/// the path.
fn without_secrets(path: &str) -> String {
    let part = |part: &str| if part.len() >= SECRET_BYTES_MIN { "*".to_owned() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Reads the whole body of a request before the routes see it.
pub(super) async fn hear_out(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match timeout(QUESTION_TIME, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, Body::from(body))).await,
        Ok(Err(_)) => answer::refusal(StatusCode::PAYLOAD_TOO_LARGE, "this request is too large"),
        Err(_) => answer::refusal(StatusCode::REQUEST_TIMEOUT, "this request does not come to its end"),
    }
}
