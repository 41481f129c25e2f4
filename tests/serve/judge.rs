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

    let judged = |index: u64| {
        let view = server.json(&format!("/data/view/{index}"));
        let frames = view["frames"].as_array().expect("frames").clone();
        let entries = frames.iter().flat_map(|frame| frame["entries"].as_array().expect("entries").clone());
        entries.filter(|entry| entry.get("analysis").is_some()).count()
    };
    let until = |what: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !what() {
            assert!(begin.elapsed() < PATIENCE, "it takes too long");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let moves = || {
        let view = server.json("/data/view/0");
        let frames = view["frames"].as_array().expect("frames").clone();
        let entries = frames.iter().flat_map(|frame| frame["entries"].as_array().expect("entries").clone());
        entries.filter(|entry| entry.get("act").is_some()).count()
    };
    let all = moves();
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
    until(&|| judged(0) > 0);
    assert!(is_judging(0), "values appear one after the other");
    assert_eq!(ask("DELETE", &token, "Content-Length: 0"), 200);
    until(&|| !is_judging(0));
    let free = || fs::File::open(dir.join("analysis.jsonl")).expect("a file").try_lock().is_ok();
    until(&free);
    assert!(judged(0) < all, "it was not judged to its end");

    let Some(mut browser) = browser() else { return dies_with(server, &dir, &token, all) };
    let mut page = browser.page(1280, 800, "light");
    page.go(&format!("{}match/0#turn-3", server.link));
    page.wait_for("document.querySelector('.judge')?.textContent === 'Judge this match'");
    let before = judged(0);
    page.evaluate("document.querySelector('.judge').click()");
    page.wait_for("document.querySelector('.judge').textContent === 'Cancel'");
    until(&|| judged(0) > before);
    page.wait_for(&format!(
        "Number.parseInt(document.querySelector('.judge').previousElementSibling.textContent) > {before}"
    ));
    assert_eq!(page.evaluate("location.hash"), "#turn-3");
    page.evaluate("document.querySelector('.judge').click()");
    page.wait_for("document.querySelector('.judge').textContent === 'Judge this match'");
    dies_with(server, &dir, &token, all);
}

/// The process that judges ends with its server, also if that is killed.
fn dies_with(server: Server, dir: &Path, token: &str, all: usize) {
    let file = dir.join("analysis.jsonl");
    let kept = || fs::read_to_string(&file).expect("a file").lines().count();
    let is_free = || fs::File::open(&file).expect("a file").try_lock().is_ok();
    let begin = Instant::now();
    let until = |what: &dyn Fn() -> bool| {
        while !what() {
            assert!(begin.elapsed() < PATIENCE, "it takes too long");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
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
