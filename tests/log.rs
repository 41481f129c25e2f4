//! The log that the variable `ARENA_LOG` asks for.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::program::scratch;
use crate::serve::client::Server;

fn logged(folder: &Path, file: &str, args: &[&str]) -> Output {
    let mut command = crate::program::command();
    command.current_dir(folder).env("ARENA_LOG", file).args(args).stdin(Stdio::null());
    command.output().expect("the arena starts")
}

#[test]
fn a_log_has_starts_matches_faults_and_requests() {
    let folder = scratch();
    // It greets and gets ready, and then leaves.
    let leaver = r#"leaver=sh -c 'read a; echo "{\"type\":\"hello\",\"protocol\":1}"; read a; echo "{\"type\":\"ready\"}"'"#;
    let args = ["tournament", "--bot", "random", "--bot", leaver, "--rounds", "1", "--seed", "1", "--quiet"];
    let output = logged(folder.path(), "log", &[&args[..], &["--out", "t"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let plain = logged(folder.path(), "", &[&args[..], &["--out", "u"]].concat());
    assert_eq!(output.stderr, plain.stderr, "the log is not on stderr");

    let mut command = crate::program::command();
    command.env("ARENA_LOG", folder.path().join("log"));
    let server = Server::launch(command, &folder.path().join("t"), &["--listen", "0.0.0.0"]);
    let token = server.link.split("token=").nth(1).expect("a token in the link").to_owned();
    let host = format!("Host: any.example:{}", server.port);
    assert_eq!(server.ask(&format!("GET /?token={token} HTTP/1.1"), &[&host]).status, 303);

    let log = fs::read_to_string(folder.path().join("log")).expect("a log");
    for event in ["bot started", "match begins", "fault", "match over", "request", "status=303"] {
        assert!(log.contains(event), "no {event:?} in {log}");
    }
    assert!(!log.contains(&token), "the token is secret");
}

#[test]
fn a_log_that_cannot_be_written_is_a_usage_error() {
    let folder = scratch();
    let output = logged(folder.path(), "no/such/folder/log", &["bots"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && error.contains("ARENA_LOG=no/such/folder/log"), "{error}");
}

#[test]
fn a_log_does_not_have_the_token_of_a_persons_page() {
    let folder = scratch();
    let mut command = crate::program::command();
    command.current_dir(folder.path()).env("ARENA_LOG", "log").args(["play", "--port", "0"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut arena = command.spawn().expect("the arena starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(arena.stdout.take().expect("a pipe"));
    while !line.contains("http://") {
        line.clear();
        assert!(stdout.read_line(&mut line).expect("text") > 0, "it prints a link");
    }
    let link = &line[line.find("http://").expect("a link")..];
    let link = link.split_whitespace().next().expect("a link").trim_start_matches("http://");
    let (host, path) = link.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("it reads");
    stream.read_to_end(&mut Vec::new()).expect("an answer");
    arena.kill().and_then(|()| arena.wait()).expect("it runs");
    let log = fs::read_to_string(folder.path().join("log")).expect("a log");
    let token = path.split('/').next().expect("a token");
    assert!(token.len() >= 24 && log.contains("request") && !log.contains(token), "{token} in {log}");
    let mode = fs::metadata(folder.path().join("log")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
