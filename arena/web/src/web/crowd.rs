//! Many connections at once, some of them of people who mean no good: each has a time for its question, and there is a
//! bound for all of them, at which those go first that have asked nothing yet.

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

/// A connection.
struct Caller {
    task: JoinHandle<()>,
    /// Whether a whole request came over it.
    has_asked: Arc<AtomicBool>,
}

/// Answers all who come, until it is dropped.
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

/// Ends the connection that has been there longest without a question; false if all have asked.
fn make_room(callers: &mut VecDeque<Caller>) -> bool {
    let silent = callers.iter().position(|caller| !caller.has_asked.load(Ordering::Relaxed));
    let silent = silent.and_then(|place| callers.remove(place));
    silent.as_ref().inspect(|caller| caller.task.abort()).is_some()
}

/// Hears and answers one connection on a task of its own.
fn attend(stream: TcpStream, routes: Router) -> Caller {
    let has_asked = Arc::new(AtomicBool::new(false));
    let asks = Arc::clone(&has_asked);
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        asks.store(true, Ordering::Relaxed);
        routes.clone().call(request.map(Body::new))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(QUESTION_TIME)
        .serve_connection(TokioIo::new(stream), service);
    // Whoever hangs up gets no answer, and that is all.
    let task = tokio::spawn(async move { drop(connection.await) });
    Caller { task, has_asked }
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
