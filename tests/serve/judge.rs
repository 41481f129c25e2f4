//! Matches that are judged on the request of their page.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::browser::browser;
use crate::program::{scratch, succeed};
use crate::serve::client::{PATIENCE, Server};

/// On the own machine a page has its match judged: the values appear one after the other, and Cancel ends the process.
#[test]
fn a_page_has_its_match_judged() {
    let folder = scratch();
    let path = folder.path();
    let args = ["tournament", "--rounds", "2", "--seed", "6", "--quiet", "--out", "m"];
    succeed(path, &[&args[..], &["--bot", "one=random", "--bot", "two=random"]].concat());
    let dir = path.join("m");
    let server = Server::start(&dir, &[]);
    server.wait(|status| status["is_over"] == true);
    let token = server.json("/data/view/0")["site"]["judge"].as_str().expect("a token").to_owned();
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let ask = |method: &str, query: &str, origin: &str| {
        server.ask(&format!("{method} /match/0/judge{query} HTTP/1.1"), &[&host, origin]).status
    };
    // Only a page of this server knows the token, and pages of other sites are not answered.
    assert_eq!(ask("POST", "", "Content-Length: 0"), 400);
    assert_eq!(ask("POST", "?token=0", "Content-Length: 0"), 404);
    assert_eq!(ask("POST", &format!("?token={token}"), "Origin: https://example.org"), 403);
    assert!(!dir.join("analysis.jsonl").exists(), "nothing was judged");
    let public = Server::start(&dir, &["--base-url", "https://arena.example.org"]);
    public.wait(|status| status["is_over"] == true);
    assert!(public.json("/data/view/0")["site"].get("judge").is_none());
    assert_eq!(public.get("/match/0/judge").status, 404);
    assert!(!public.get("/match/0").body.contains("connect-src"));

    let judged = || count(&server, "analysis");
    let all = count(&server, "act");
    let is_judging = |index: u64| server.json(&format!("/match/{index}/judge"))["is_judging"] == true;
    let token = format!("?token={token}");
    // Another analysis of the folder has the file, so this one waits.
    let held =
        fs::File::options().create(true).append(true).open(dir.join("analysis.jsonl")).expect("a file");
    held.lock().expect("nobody else has it");
    assert_eq!(ask("POST", &token, "Content-Length: 0"), 200);
    assert!(is_judging(0) && !is_judging(1), "one at a time");
    assert_eq!(ask("POST", &token, "Content-Length: 0"), 409);
    drop(held);
    until(&|| judged() > 0);
    assert!(is_judging(0), "values appear one after the other");
    assert_eq!(ask("DELETE", &token, "Content-Length: 0"), 200);
    until(&|| !is_judging(0));
    until(&|| is_free(&dir));
    assert!(judged() < all, "it was not judged to its end");

    let Some(mut browser) = browser() else { return dies_with(server, &dir, &token, all) };
    let mut page = browser.page(1280, 800, "light");
    page.go(&format!("{}match/0#turn-3", server.link));
    page.wait_for("document.querySelector('.judge')?.textContent === 'Judge this match'");
    let before = judged();
    page.evaluate("document.querySelector('.judge').click()");
    page.wait_for("document.querySelector('.judge').textContent === 'Cancel'");
    until(&|| judged() > before);
    page.wait_for(&format!(
        "Number.parseInt(document.querySelector('.judge').previousElementSibling.textContent) > {before}"
    ));
    assert_eq!(page.evaluate("location.hash"), "#turn-3");
    page.evaluate("document.querySelector('.judge').click()");
    page.wait_for("document.querySelector('.judge').textContent === 'Judge this match'");
    dies_with(server, &dir, &token, all);
}

/// Returns how many moves of the first match have this field.
fn count(server: &Server, field: &str) -> usize {
    let view = server.json("/data/view/0");
    let frames = view["frames"].as_array().expect("frames").iter();
    let entries = frames.flat_map(|frame| frame["entries"].as_array().expect("entries"));
    entries.filter(|entry| entry.get(field).is_some()).count()
}

/// Waits until something holds.
fn until(what: &dyn Fn() -> bool) {
    let begin = Instant::now();
    while !what() {
        assert!(begin.elapsed() < PATIENCE, "it takes too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns true if no process adds values to a directory.
fn is_free(dir: &Path) -> bool {
    fs::File::open(dir.join("analysis.jsonl")).expect("a file").try_lock().is_ok()
}

/// The process that judges ends with its server, also if that is killed.
fn dies_with(server: Server, dir: &Path, token: &str, all: usize) {
    let file = dir.join("analysis.jsonl");
    let kept = || fs::read_to_string(&file).expect("a file").lines().count();
    let is_free = || is_free(dir);
    until(&is_free);
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let line = format!("POST /match/1/judge{token} HTTP/1.1");
    let before = kept();
    assert_eq!(server.ask(&line, &[&host, "Content-Length: 0"]).status, 200);
    until(&|| kept() > before);
    let id = rustix::process::Pid::from_raw(server.id().try_into().expect("an id")).expect("an id");
    rustix::process::kill_process(id, rustix::process::Signal::KILL).expect("it runs");
    until(&is_free);
    assert!(kept() - before < all, "it was not judged to its end");
}
