//! Matches that are judged on the request of their page.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use bots::Coach;
use engine::doodle::Doodle;
use serde_json::Value;

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
    assert_eq!(ask("POST", "", "Content-Length: 0"), 404);
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

/// The page of a bot lists its costliest moves, says how many of its matches are judged, and has the next worst ones judged.
/// Three clicks lead from the first page to the costliest move.
#[test]
fn a_page_of_a_bot_has_its_worst_matches_judged() {
    let folder = scratch();
    let path = folder.path();
    let args = ["tournament", "--rounds", "14", "--seed", "6", "--quiet", "--out", "m"];
    succeed(path, &[&args[..], &["--bot", "one=random", "--bot", "two=random"]].concat());
    let (dir, file) = (path.join("m"), path.join("m/analysis.jsonl"));
    let worst = ["--with", "one", "--worst"];
    succeed(
        path,
        &[&["analyze", "m", "--nodes", "60", "--bot", "one", "--quiet"][..], &worst, &["2"]].concat(),
    );
    let text = fs::read_to_string(&file).expect("it is kept");
    let lines = |text: &str| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
    };
    // The ones that were judged again count for no more than the others.
    let known: String =
        text.lines().filter(|line| line.contains("\"nodes\":60,")).fold(String::new(), |all, line| {
            all + &line.replace("\"nodes\":60,", &format!("\"nodes\":{},", Doodle::NODES)) + "\n"
        });
    fs::write(&file, &known).expect("a file");
    let most =
        lines(&known).iter().filter_map(|line| line["decisions"][0]["loss"].as_f64()).fold(0.0, f64::max);

    let server = Server::start(&dir, &[]);
    server.wait(|status| status["is_over"] == true);
    let told = || server.json("/bot/one/judge");
    let costs = told()["costs"].clone();
    let counts = ["judged", "matches", "next"].map(|name| costs[name].as_u64());
    assert_eq!(counts, [Some(2), Some(14), Some(10)]);
    assert_eq!(costs["seconds"], Value::Null, "nothing says how long it takes");
    let moves = costs["moves"].as_array().expect("moves");
    let losses: Vec<f64> = moves.iter().filter_map(|one| one["analysis"]["loss"].as_f64()).collect();
    assert!(losses[0] == most && losses.is_sorted_by(|one, other| one >= other), "{losses:?}");
    assert_eq!(server.json("/bot/two/judge")["costs"]["judged"], 0, "its moves are not judged");
    assert_eq!(server.get("/bot/nobody/judge").status, 404);
    let public = Server::start(&dir, &["--base-url", "https://arena.example.org"]);
    public.wait(|status| status["is_over"] == true);
    assert_eq!(public.json("/data/plan")["judge"], Value::Null);
    assert_eq!(public.get("/bot/one/judge").status, 404);

    // The next ones are judged, the worst of them first.
    let token = server.json("/data/plan")["judge"].as_str().expect("a token").to_owned();
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let ask = |method: &str, page: &str| {
        let line = format!("{method} {page}/judge?token={token} HTTP/1.1");
        server.ask(&line, &[&host, "Content-Length: 0"])
    };
    assert_eq!(ask("POST", "/bot/one").status, 200);
    assert_eq!(told()["is_judging"], true);
    let refused = ask("POST", "/match/0");
    assert!(
        refused.status == 409 && refused.body.contains("matches of one are being judged"),
        "{}",
        refused.body
    );
    let kept = || lines(&fs::read_to_string(&file).expect("it is kept"));
    until(&|| kept().len() > known.lines().count());
    assert_eq!(ask("DELETE", "/bot/one").status, 200);
    until(&|| is_free(&dir));
    let rows = succeed(path, &[&["matches", "m", "--format", "jsonl"][..], &worst, &["3"]].concat());
    assert_eq!(kept()[known.lines().count()]["match"], lines(&rows)[2]["match"]);
    until(&|| told()["costs"]["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert_eq!(told()["is_judging"], false);

    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    let link = "[...document.querySelectorAll('main a')].find((link) => link.textContent === 'one')";
    page.wait_for(&format!("{link} !== undefined"));
    page.evaluate(&format!("{link}.click()"));
    let panel = "document.querySelector('[aria-label=\"Costliest moves\"]')";
    page.wait_for(&format!(
        "{panel}?.querySelector('td') && {panel}.textContent.includes('2 of 14 matches are judged')"
    ));
    page.wait_for(&format!(
        "/^Judge the next worst 10 matches, about \\d+ (s|min)$/.test({panel}.querySelector('.judge').textContent)"
    ));
    page.evaluate(&format!("{panel}.querySelector('td').closest('tr').querySelector('a').click()"));
    let turn = moves[0]["id"].as_u64().expect("an id") + 1;
    page.wait_for(&format!(
        "location.pathname === '/match/{}' && document.documentElement.dataset.frame === '{turn}'",
        moves[0]["match"]
    ));
    assert_eq!(page.evaluate("location.hash"), format!("#turn-{turn}"));
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
