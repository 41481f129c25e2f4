//! Access control: the requests that the server answers, and the files that it never sends.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::matches::BROKEN;
use crate::program::{scratch, succeed};
use crate::serve::client::{PATIENCE, Server};

fn tournament() -> tempfile::TempDir {
    let folder = scratch();
    succeed(folder.path(), &["tournament", "--rounds", "1", "--seed", "4", "--quiet", "--out", "t"]);
    folder
}

#[test]
fn on_this_machine_only_its_own_names_are_answered() {
    let folder = tournament();
    let server = Server::start(&folder.path().join("t"), &[]);
    assert_eq!(server.link, format!("http://127.0.0.1:{}/", server.port), "loopback unless asked");
    let status = |headers: &[&str]| server.ask("GET /data/plan HTTP/1.1", headers).status;
    let port = server.port;
    for own in ["127.0.0.1", "localhost"] {
        assert_eq!(status(&[&format!("Host: {own}:{port}")]), 200);
    }
    for foreign in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1:1", ""] {
        assert_eq!(status(&[&format!("Host: {foreign}")]), 403, "{foreign}");
    }
    let own = format!("Host: 127.0.0.1:{port}");
    assert_eq!(status(&[&own, &format!("Origin: http://127.0.0.1:{port}")]), 200);
    assert_eq!(status(&[&own, "Origin: http://evil.example"]), 403);
    assert_eq!(status(&[&own, "Origin: null"]), 403);
}

#[test]
fn elsewhere_nobody_gets_in_without_the_token() {
    let folder = tournament();
    let server = Server::start(&folder.path().join("t"), &["--listen", "0.0.0.0"]);
    let host = format!("Host: any.example:{}", server.port);
    let token = server.link.split("?token=").nth(1).expect("a token in the link");
    assert!(token.len() >= 32, "{token}");
    let wrong = token.chars().rev().collect::<String>();
    for path in
        ["/", "/events", "/data/plan", "/match/0", "/assets/live.js", &format!("/?token={wrong}"), "/?token="]
    {
        let answer = server.ask(&format!("GET {path} HTTP/1.1"), &[&host]);
        assert_eq!(answer.status, 403, "{path}");
        assert!(!answer.body.contains(token) && !answer.head.contains(token), "{path}");
    }
    let welcome = server.ask(&format!("GET /?token={token} HTTP/1.1"), &[&host]);
    assert_eq!(welcome.status, 303);
    let line = |name: &str| {
        let head = welcome.head.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        head.unwrap_or_else(|| panic!("{name} in {}", welcome.head))
    };
    assert_eq!(line("location: "), "/", "the token leaves the address");
    let cookie = line("set-cookie: ");
    assert!(cookie.contains("httponly") && cookie.contains("samesite=lax"), "{cookie}");
    let cookie = format!("Cookie: other=1; {}", cookie.split(';').next().expect("a cookie"));
    assert_eq!(server.ask("GET /data/plan HTTP/1.1", &[&host, &cookie]).status, 200);
    let changed = cookie.replace(token, &wrong);
    assert_eq!(server.ask("GET /data/plan HTTP/1.1", &[&host, &changed]).status, 403);
    assert_eq!(
        server.ask("GET /data/plan HTTP/1.1", &[&host, &cookie, "Origin: http://evil.example"]).status,
        403
    );
}

#[test]
fn no_path_leads_out_of_what_is_served() {
    let folder = tournament();
    let server = Server::start(&folder.path().join("t"), &[]);
    for path in [
        "/../t/tournament.json",
        "/assets/../../t/tournament.json",
        "/assets/..%2f..%2ft%2ftournament.json",
        "/assets/%2e%2e/%2e%2e/tournament.json",
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/tournament.json",
        "/tournament.json",
        "/match/..%2f..%2fmatches.jsonl",
        "//etc/passwd",
    ] {
        let answer = server.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {}", answer.status);
        assert!(!answer.body.contains("plan_digest") && !answer.body.contains("root:"), "{path}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        let host = format!("Host: 127.0.0.1:{}", server.port);
        let answer = server.ask(&format!("{method} /data/plan HTTP/1.1"), &[&host, "Content-Length: 0"]);
        assert_eq!(answer.status, 405, "{method}: it only reads");
    }
}

#[test]
fn every_answer_says_what_may_be_loaded() {
    let folder = tournament();
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["matches"] == 1);
    for path in ["/", "/latest", "/match/0", "/data/plan", "/assets/dom.js", "/assets/style.css", "/nothing"]
    {
        let answer = server.get(path);
        assert!(answer.head.contains("x-content-type-options: nosniff"), "{path}: {}", answer.head);
        assert!(answer.head.contains("referrer-policy: no-referrer"), "{path}: {}", answer.head);
        let policy = answer.head.lines().find(|line| line.starts_with("content-security-policy: "));
        let policy = policy.unwrap_or_else(|| panic!("{path}: {}", answer.head));
        assert!(policy.contains("frame-ancestors 'self'") && !policy.contains("unsafe"), "{path}: {policy}");
        let is_own = path == "/match/0" && answer.body.contains("default-src 'none'");
        assert!(is_own || policy.contains("default-src 'none'"), "{path}: {policy}");
    }
}

/// Slow or incomplete requests never block other clients, however many there are.
#[test]
fn half_of_a_request_three_hundred_times_keeps_nobody_out() {
    let folder = tournament();
    let server = Server::start_with_files(&folder.path().join("t"), 256, &[]);
    let halves: Vec<TcpStream> = (0..300)
        .map(|number| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
            let half: &[u8] = if number % 2 == 0 { b"GET / HTTP/1.1\r\nHost: 127" } else { b"" };
            stream.write_all(half).expect("a connection takes some bytes");
            stream
        })
        .collect();
    for path in ["/", "/data/plan", "/match/0"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    drop(halves);
    assert_eq!(server.get("/").status, 200);
}

/// A request that never ends keeps its connection, so the server ends the oldest. The bound on streams of an
/// address does not hold for the address of a proxy.
#[test]
fn streams_of_one_address_never_keep_the_owner_out() {
    let folder = tournament();
    for (more, kept) in [(&[][..], 32), (&["--base-url", "http://any.example"], 128)] {
        let server = Server::start_with_files(&folder.path().join("t"), 256, more);
        let mut streams: Vec<TcpStream> = (0..600).map(|_| stream_of_events(&server)).collect();
        let ended = streams.len() - kept;
        for stream in &mut streams[..ended] {
            ends(stream);
        }
        streams[ended].set_nonblocking(true).expect("it is a socket");
        let waits = streams[ended].read_to_end(&mut Vec::new());
        assert_eq!(waits.expect_err("a stream goes on").kind(), ErrorKind::WouldBlock, "{more:?}");
        assert_eq!(server.get("/").status, 200, "{more:?}");
        server.wait(|status| status["matches"] == 1);
    }
}

/// The server drops refused connections first when it needs room for others.
#[test]
fn refused_requests_never_keep_the_owner_out() {
    let folder = tournament();
    let server = Server::start_with_files(&folder.path().join("t"), 256, &["--listen", "0.0.0.0"]);
    let token = server.link.split("?token=").nth(1).expect("a token in the link");
    let host = format!("Host: any.example:{}", server.port);
    let refused = format!("GET / HTTP/1.1\r\n{host}\r\n\r\n");
    let connections: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
            stream.write_all(refused.as_bytes()).expect("a connection takes some bytes");
            stream
        })
        .collect();
    assert_eq!(server.ask(&format!("GET /?token={token} HTTP/1.1"), &[&host]).status, 303);
    // Each refused connection ends. It gets a response, or none if it made room for another one.
    connections.into_iter().for_each(|mut stream| ends(&mut stream));
}

/// Opens a stream of events and waits for its first bytes.
fn stream_of_events(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("it is a socket");
    let request = format!("GET /events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
    stream.write_all(request.as_bytes()).expect("a connection takes some bytes");
    assert_ne!(stream.read(&mut [0; 9]).expect("a response"), 0, "the server lets it in");
    stream
}

/// Waits until the server ends this connection.
fn ends(stream: &mut TcpStream) {
    stream.set_read_timeout(Some(PATIENCE)).expect("it is a socket");
    if let Err(error) = stream.read_to_end(&mut Vec::new()) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
}

#[test]
fn a_link_with_the_token_leads_to_this_site_alone() {
    let folder = tournament();
    let server = Server::start(&folder.path().join("t"), &["--listen", "0.0.0.0"]);
    let token = server.link.split("?token=").nth(1).expect("a token in the link");
    for (path, place) in [("/match/0", "/match/0"), ("//evil.example/x", "/evil.example/x"), ("///x", "/x")] {
        let host = format!("Host: any.example:{}", server.port);
        let answer = server.ask(&format!("GET {path}?token={token} HTTP/1.1"), &[&host]);
        let line = format!("location: {place}");
        assert_eq!(answer.status, 303, "{path}");
        assert!(answer.head.lines().any(|found| found == line), "{path}: {}", answer.head);
    }
}

/// The seed determines all deals, including future ones.
#[test]
fn the_seed_is_shown_when_the_tournament_is_over() {
    let folder = scratch();
    succeed(folder.path(), &["tournament", "--rounds", "2", "--seed", "4", "--quiet", "--out", "t"]);
    let dir = folder.path().join("t");
    let journal = dir.join("matches.jsonl");
    let records = fs::read_to_string(&journal).expect("a journal");
    let (first, _) = records.split_once('\n').expect("more than one record");
    fs::write(&journal, format!("{first}\n")).expect("a file");
    let server = Server::start(&dir, &[]);
    let seed = || {
        let plan: Value = serde_json::from_str(&server.get("/data/plan").body).expect("JSON");
        plan["seed"].clone()
    };
    server.wait(|status| status["matches"] == 1);
    assert_eq!(seed(), Value::Null);
    fs::write(&journal, records).expect("a file");
    server.wait(|status| status["is_over"] == true);
    assert_eq!(seed(), "4");
}

/// The server closes a connection whose request stays incomplete.
/// A bot that names a folder of this machine on stderr, and exits.
const TALKS: &str = "talks=sh -c 'read a; printf \"{\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":1}\\n\"; read b; printf \"{\\\"type\\\":\\\"ready\\\"}\\n\"; read c; echo \"File \\\"/srv/contest/bots/talks.py\\\", line 3: a/b 1/2 /x\" >&2; exit 3'";

#[test]
fn what_bots_write_to_stderr_is_for_the_owner_alone() {
    let folder = scratch();
    let args = ["tournament", "--rounds", "1", "--quiet", "--out", "t", "--bot", TALKS, "--bot", BROKEN];
    succeed(folder.path(), &args);
    let dir = folder.path().join("t");
    let told = |more: &[&str], path: &str| {
        let server = Server::start(&dir, more);
        server.wait(|status| status["is_over"] == true && status["tables"] != 0);
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.body.contains("/srv/contest"), "{path}: a folder of this machine");
        answer.body.contains("\"stderr\":") && answer.body.contains("talks.py")
    };
    let public = ["--base-url", "https://arena.example.org"];
    let shown = ["--base-url", "https://arena.example.org", "--show-stderr"];
    for path in ["/match/0", "/data/view/0"] {
        assert!(told(&[], path) && told(&shown, path) && !told(&public, path), "{path}");
    }
    assert!(!told(&[], "/match/0?save"), "a page to save has none");
    let server = Server::start(&dir, &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    let view = server.json("/data/view/0").to_string();
    assert!(view.contains("\u{2026}/talks.py\\\", line 3: a/b 1/2 /x"), "{view}");
    succeed(folder.path(), &["report", "t", "-o", "report.html"]);
    let report = fs::read_to_string(folder.path().join("report.html")).expect("a report");
    assert!(!report.contains("\"stderr\":"), "a report has none");
    let faults = report.split("\"first_fault\":{").skip(1).map(|rest| rest.split('}').next().unwrap_or(rest));
    assert_eq!(faults.filter(|fault| fault.contains("/srv/contest")).count(), 0, "folders in the report");
    assert!(!server.get("/data/standings").body.contains("/srv/contest"), "the first faults");
    // Where all failed, nobody is marked as the winner.
    let Some(mut browser) = crate::browser::browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    page.wait_for("document.querySelector('#matches .sat')");
    assert_eq!(page.evaluate("document.querySelectorAll('#matches .sat.first').length"), 0);
    assert_eq!(page.evaluate("document.querySelectorAll('#bots .meanings dt').length > 2"), true);
    page.go(&format!("{}latest", server.link));
    page.wait_for("document.querySelectorAll('main').length === 1");
    assert_eq!(page.evaluate("document.body.innerText.includes('No match')"), false);
}

#[test]
fn half_of_a_request_is_hung_up_on() {
    let folder = tournament();
    let server = Server::start(&folder.path().join("t"), &[]);
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let halves = [
        format!("GET / HTTP/1.1\r\n{host}"),
        format!("POST / HTTP/1.1\r\n{host}\r\nContent-Length: 9\r\n\r\nx"),
    ];
    let streams = halves.map(|half| {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it is a socket");
        stream.write_all(half.as_bytes()).expect("a connection takes some bytes");
        stream
    });
    for mut stream in streams {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the end comes before patience does");
    }
}
