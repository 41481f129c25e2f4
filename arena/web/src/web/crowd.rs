//! Connections: a deadline for each request, and a bound on their number. At the bound, the oldest connection without an
//! accepted request makes room for a new one, so slow, incomplete, or refused requests never block other clients.

use std::collections::VecDeque;
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

use super::answer;
use referee::error::Error;

/// How long the head of a request may take, or its body; and how long a connection may be idle.
const QUESTION_TIME: Duration = Duration::from_secs(15);
/// The largest body of a request, in bytes: moves are much smaller.
const BODY_BYTES_MAX: usize = 256 * 1024;
/// The most connections at a time: browsers take six for a page.
const CONNECTIONS_MAX: u64 = 512;
/// The pause after the system has no descriptor for another connection.
const PAUSE: Duration = Duration::from_millis(20);

/// Marks the connection of a request as one that may stay; an extension of each request.
#[derive(Clone)]
pub(super) struct Acceptance(Arc<AtomicBool>);

impl Acceptance {
    /// Called by the guard for a request that it lets through.
    pub(super) fn grant(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A connection.
struct Caller {
    task: JoinHandle<()>,
    /// Whether the guard has let a request of this connection through.
    is_accepted: Arc<AtomicBool>,
}

/// Answers requests until it is dropped.
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

/// Half of the descriptors that this process may have: files are read for the answers.
fn connections_max() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from((files / 2).min(CONNECTIONS_MAX)).expect("it is small")
}

/// Ends the oldest connection without an accepted request; false if there is none.
fn make_room(callers: &mut VecDeque<Caller>) -> bool {
    let idle = callers.iter().position(|caller| !caller.is_accepted.load(Ordering::Relaxed));
    let idle = idle.and_then(|place| callers.remove(place));
    idle.as_ref().inspect(|caller| caller.task.abort()).is_some()
}

/// Serves one connection on a task of its own.
fn attend(stream: TcpStream, routes: Router) -> Caller {
    let is_accepted = Arc::new(AtomicBool::new(false));
    let acceptance = Acceptance(Arc::clone(&is_accepted));
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(acceptance.clone());
        routes.clone().call(request.map(Body::new))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(QUESTION_TIME)
        .serve_connection(TokioIo::new(stream), service);
    // A client that hangs up gets no answer; nothing else depends on it.
    let task = tokio::spawn(async move { drop(connection.await) });
    Caller { task, is_accepted }
}

/// Takes the whole of a request before it is handed on.
pub(super) async fn hear_out(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match timeout(QUESTION_TIME, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, Body::from(body))).await,
        Ok(Err(_)) => answer::refusal(StatusCode::PAYLOAD_TOO_LARGE, "this request is too large"),
        Err(_) => answer::refusal(StatusCode::REQUEST_TIMEOUT, "this request does not come to its end"),
    }
}
