//! Connections: time limits for requests and for clients that do not read, a bound on all connections, and a
//! bound on the streams of an address. At a bound an old connection makes room, so slow, incomplete, refused,
//! or endless requests never block other clients.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::net::sockopt::set_tcp_user_timeout;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tower_service::Service;
use tracing::debug;

use super::answer;
use referee::error::Error;

/// The time limit for the head of a request, for its body, and for an idle connection.
const QUESTION_TIME: Duration = Duration::from_secs(15);
/// The time limit for a client to take a part of a response.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// The largest body of a request, in bytes. Moves are much smaller.
const BODY_BYTES_MAX: usize = 256 * 1024;
/// The most connections at a time. A browser opens six for a page.
const CONNECTIONS_MAX: u64 = 512;
/// The most streams for an address.
const STREAMS_MAX: usize = 32;
/// A part of a path that is at least this long may be a secret.
const SECRET_BYTES_MIN: usize = 24;
/// The pause after the system refused a descriptor for another connection.
const PAUSE: Duration = Duration::from_millis(20);

/// An open connection. Each request has it as an extension.
struct Caller {
    address: IpAddr,
    /// True if a request succeeded or had a token. Other connections make room first.
    is_granted: AtomicBool,
    /// True if the last response is a stream: a body of unknown length.
    is_stream: AtomicBool,
    /// Ends the connection.
    ends: Notify,
}

/// The open connections of a listener.
struct Callers {
    oldest_first: Mutex<VecDeque<Arc<Caller>>>,
    connections_max: usize,
    /// The most streams for an address.
    streams_max: usize,
    /// True if everybody gets answers, so that an answer grants nothing.
    is_open: bool,
}

/// Accepts connections and answers their requests until the future is dropped, which ends them. All clients of a proxy share
/// its address, so `is_proxied` lifts the bound on the streams of an address. If the listener `is_open` to everybody, only
/// [`grant`] protects a connection.
pub(super) async fn serve(
    listener: &TcpListener,
    routes: Router,
    is_proxied: bool,
    is_open: bool,
) -> Result<(), Error> {
    let callers = Arc::new(Callers {
        oldest_first: Mutex::default(),
        connections_max: connections_max(),
        streams_max: if is_proxied { usize::MAX } else { STREAMS_MAX },
        is_open,
    });
    let mut open = JoinSet::new();
    loop {
        while open.try_join_next().is_some() {}
        let Ok((stream, from)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let caller = callers.add(from.ip());
        open.spawn(attend(stream, ANSWER_TIME, caller, Arc::clone(&callers), routes.clone()));
    }
}

/// Returns the limit on connections: at most half of the process's descriptors, because responses read
/// files.
fn connections_max() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from((files / 2).min(CONNECTIONS_MAX)).expect("it is small")
}

/// Protects the connection of a request that has a token, before its response.
pub(crate) fn grant(request: &Request) {
    if let Some(caller) = request.extensions().get::<Arc<Caller>>() {
        caller.is_granted.store(true, Ordering::Relaxed);
    }
}

impl Callers {
    /// Adds a connection. At the bound, ends the oldest one that is not granted, or the oldest of all.
    fn add(&self, address: IpAddr) -> Arc<Caller> {
        let (is_granted, is_stream) = <(AtomicBool, AtomicBool)>::default();
        let caller = Arc::new(Caller { address, is_granted, is_stream, ends: Notify::new() });
        let mut open = self.lock();
        // The task of a connection shares its caller until the connection ends.
        open.retain(|caller| Arc::strong_count(caller) > 1);
        if open.len() >= self.connections_max {
            let idle = open.iter().position(|caller| !caller.is_granted.load(Ordering::Relaxed));
            end(&mut open, idle.unwrap_or(0));
        }
        open.push_back(Arc::clone(&caller));
        caller
    }

    /// Takes note of a response. Ends the oldest stream of the address if there are too many.
    fn note(&self, caller: &Caller, response: &Response) {
        let is_answer = response.status().is_success() || response.status().is_redirection();
        if is_answer && !self.is_open {
            caller.is_granted.store(true, Ordering::Relaxed);
        }
        let is_stream = response.body().size_hint().exact().is_none();
        caller.is_stream.store(is_stream, Ordering::Relaxed);
        let mut open = self.lock();
        let is_like =
            |other: &Caller| other.address == caller.address && other.is_stream.load(Ordering::Relaxed);
        let streams = (0..open.len()).filter(|&place| is_like(&open[place])).collect::<Vec<_>>();
        if streams.len() > self.streams_max {
            end(&mut open, streams[0]);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Caller>>> {
        self.oldest_first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the connection at this place, if there is one.
fn end(open: &mut VecDeque<Arc<Caller>>, place: usize) {
    open.remove(place).inspect(|caller| caller.ends.notify_one());
}

/// Serves one connection until it ends. `answer_time` limits the wait for a client that does not read.
async fn attend(
    stream: TcpStream,
    answer_time: Duration,
    caller: Arc<Caller>,
    callers: Arc<Callers>,
    routes: Router,
) {
    // The system ends a connection whose client takes no bytes. It serves even if this limit fails.
    let _ = set_tcp_user_timeout(&stream, answer_time.as_millis() as u32);
    let service = service_fn(|mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(Arc::clone(&caller));
        let (method, path) = (request.method().clone(), without_secrets(request.uri().path()));
        let answer = routes.clone().call(request.map(Body::new));
        let (caller, callers) = (&caller, &callers);
        async move {
            let response = answer.await?;
            debug!(%method, path, status = response.status().as_u16(), "request");
            callers.note(caller, &response);
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(QUESTION_TIME)
        .serve_connection(TokioIo::new(stream), service);
    // A client that hangs up gets no response. Nothing else depends on the connection.
    tokio::select! {
        ended = connection => drop(ended),
        () = caller.ends.notified() => {}
    }
}

/// Returns a path for the log. Parts as long as a token are left out, because the page of a person has its token in
/// the path.
fn without_secrets(path: &str) -> String {
    let part = |part: &str| if part.len() >= SECRET_BYTES_MIN { "*".to_owned() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// The paths whose bodies are not like others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bodies {
    /// A path that takes larger bodies, and their largest size in bytes.
    pub(super) larger: Option<(&'static str, usize)>,
    /// The beginning of paths whose routes read the bodies themselves.
    pub(super) streamed: Option<&'static str>,
}

/// Reads the whole body of a request before the routes see it.
pub(super) async fn hear_out(State(bodies): State<Bodies>, request: Request, next: Next) -> Response {
    if bodies.streamed.is_some_and(|path| request.uri().path().starts_with(path)) {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let larger = bodies.larger.filter(|(path, _)| head.uri.path() == *path);
    let bytes_max = larger.map_or(BODY_BYTES_MAX, |(_, bytes_max)| bytes_max);
    match timeout(QUESTION_TIME, to_bytes(body, bytes_max)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, Body::from(body))).await,
        Ok(Err(_)) => {
            let why = format!("this request is too large: at most {} KiB are taken", bytes_max / 1024);
            answer::refusal(StatusCode::PAYLOAD_TOO_LARGE, &why)
        }
        Err(_) => answer::refusal(StatusCode::REQUEST_TIMEOUT, "this request does not come to its end"),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::body::Bytes;
    use axum::routing::get;
    use futures_util::stream;
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    /// The test hangs without the limit, so that a busy machine cannot make it fail.
    #[tokio::test]
    async fn a_client_that_never_reads_loses_its_connection() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let mut client = TcpStream::connect(at).await.expect("it listens");
        client.write_all(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n").await.expect("it takes some bytes");
        let (stream, from) = listener.accept().await.expect("a client");
        let endless =
            || Body::from_stream(stream::repeat(Ok::<_, Infallible>(Bytes::from_static(&[0; 4096]))));
        let routes = Router::new().route("/", get(async move || endless()));
        let callers =
            Callers { oldest_first: Mutex::default(), connections_max: 1, streams_max: 1, is_open: false };
        let caller = callers.add(from.ip());
        attend(stream, Duration::from_millis(1), Arc::clone(&caller), Arc::new(callers), routes).await;
        assert!(caller.is_stream.load(Ordering::Relaxed), "the response had begun");
    }
}
