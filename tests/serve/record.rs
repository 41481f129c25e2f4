//! A record that is dropped on a page: verified, shown from memory, and refused in a line.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::browser::walk::fits;
use crate::browser::{Page, browser};
use crate::program::{scratch, succeed, words};
use crate::serve::client::Server;
use crate::serve::running::view;

const MIB: usize = 1 << 20;

/// Plays a match and returns its record.
fn record(folder: &Path, game: &str) -> String {
    succeed(
        folder,
        &words(&format!(
            "match --game {game} --seed 3 --quiet --record {game}.json --bot one=random --bot two=greedy"
        )),
    );
    fs::read_to_string(folder.join(format!("{game}.json"))).expect("a record")
}

/// Returns the record with another score, and all that tells it.
fn with_another_score(record: &str) -> String {
    let mut record: Value = serde_json::from_str(record).expect("JSON");
    let score = &mut record["result"]["scores"][0];
    *score = json!(score.as_i64().expect("a score") + 1);
    record.to_string()
}

/// Plays a tournament and serves it.
fn served(folder: &Path, more: &[&str]) -> Server {
    if !folder.join("t").exists() {
        succeed(
            folder,
            &words("tournament --rounds 1 --seed 4 --quiet --out t --bot b1=random --bot b2=random"),
        );
    }
    let server = Server::start(&folder.join("t"), more);
    server.wait(|status| status["tables"] != 0 && status["read"] == 100);
    server
}

#[test]
fn a_record_from_elsewhere_is_verified_and_nothing_is_stored() {
    let folder = scratch();
    let folder = folder.path();
    let server = served(folder, &[]);
    let [doodle, patchwork] = ["doodle", "patchwork"].map(|game| record(folder, game));
    let files = || {
        let all = ["", "t"].iter().flat_map(|dir| fs::read_dir(folder.join(dir)).expect("a folder"));
        all.map(|entry| entry.expect("a file").path()).collect::<Vec<_>>()
    };
    let before = files();
    // White space makes a record larger than other requests may be.
    let spaced = doodle.clone() + &" ".repeat(MIB);
    for sound in [&doodle, &patchwork, &spaced] {
        let answer = server.post("/record", &[], sound.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.body);
        let expected: Value = serde_json::from_str(sound).expect("JSON");
        let shown = view(&answer.body);
        assert_eq!((&shown["digest"], &shown["bots"]), (&expected["digest"], &expected["bots"]));
        assert!(shown["from"].is_null() && shown["site"].is_null());
    }
    let changed = with_another_score(&doodle);
    let digest = serde_json::from_str::<Value>(&doodle).expect("JSON")["digest"].clone();
    let digest = digest.as_str().expect("a digest");
    let own = doodle.replace("\"game\":\"doodle\"", "\"game\":\"five 1\"");
    for (wrong, reason) in [
        (changed.as_bytes(), "score"),
        (&doodle.as_bytes()[..doodle.len() / 2], "EOF"),
        (b"", "EOF"),
        (b"no record", "expected"),
        (b"[]", "expected"),
        (b"{\"game\":\"doodle\"}", "missing field"),
        (b"\xff\xfe", "expected"),
        (own.as_bytes(), "another game"),
        (doodle.replace(digest, &"x".repeat(MIB)).as_bytes(), "digest"),
        ("[".repeat(MIB).as_bytes(), "string"),
        ("{\"game\":".repeat(MIB / 8).as_bytes(), "string"),
    ] {
        let answer = server.post("/record", &[], wrong);
        let is_line =
            answer.body.ends_with('\n') && answer.body.lines().count() == 1 && answer.body.len() < 500;
        assert!(
            answer.status == 409 && is_line && answer.body.contains(reason),
            "{reason}: {} {}",
            answer.status,
            answer.body
        );
    }
    for (path, mib) in [("/record", 5), ("/data/plan", 1)] {
        let answer = server.post(path, &[], &vec![b' '; mib * MIB]);
        assert!(answer.status == 413 && answer.body.contains("too large"), "{path}: {}", answer.body);
    }
    let foreign = server.post("/record", &["Origin: http://example.org"], doodle.as_bytes());
    assert_eq!(foreign.status, 403, "{}", foreign.body);
    assert_eq!(files(), before, "nothing is written");
    // For other people there is no such page.
    let public = served(folder, &["--base-url", "https://arena.example.org"]);
    assert_eq!(public.post("/record", &[], doodle.as_bytes()).status, 404);
    assert_eq!(public.get("/record").status, 404);
    assert_eq!(public.post("/record", &[], &vec![b' '; MIB]).status, 413, "the limit is that of all paths");
}

/// Drops a file on the page. Returns true if the page took it.
fn dropped(page: &mut Page<'_>, text: &str) -> bool {
    page.evaluate("window.mark = 'the page before'");
    let drop = format!(
        "(() => {{
           const dataTransfer = new DataTransfer();
           dataTransfer.items.add(new File([{}], 'match.json'));
           return !document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer, bubbles: true, cancelable: true }}));
         }})()",
        json!(text)
    );
    page.evaluate(&drop) == true
}

/// Waits until the page of the record is there.
fn wait_for_it(page: &mut Page<'_>, what: &str) {
    page.wait_for(&format!(
        "!window.mark && location.pathname === '/record' && document.querySelector('{what}')"
    ));
}

#[test]
fn a_record_that_is_dropped_on_any_page_is_shown() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let folder = folder.path();
    let server = served(folder, &[]);
    let [doodle, patchwork] = ["doodle", "patchwork"].map(|game| record(folder, game));
    fs::write(folder.join("saved.html"), server.get("/match/0?save").body).expect("a file");
    fs::write(folder.join("kept.html"), server.get("/match/0").body).expect("a file");
    for (scheme, width) in [("light", 1440), ("dark", 360)] {
        let mut page = browser.page(width, 800, scheme);
        for (path, text, bots) in [
            ("", &doodle, "one against two"),
            ("match/0", &patchwork, "one against two"),
            ("record", &doodle, "one against two"),
        ] {
            page.go(&format!("{}{path}", server.link));
            page.wait_for("document.querySelector('main')");
            assert!(dropped(&mut page, text), "{path}");
            wait_for_it(&mut page, ".seat");
            let heading = page.evaluate("document.querySelector('h1').textContent");
            assert!(heading.as_str().is_some_and(|text| text.contains(bots)), "{path}: {heading}");
            let digest = serde_json::from_str::<Value>(text).expect("JSON")["digest"].clone();
            let facts = page.evaluate("document.querySelector('.facts p').textContent");
            assert!(
                facts.as_str().expect("text").contains(digest.as_str().expect("text")),
                "{path}: {facts}"
            );
            assert_eq!(
                page.evaluate(
                    "[...document.querySelectorAll('a[href^=\"/\"]')].map((link) => link.pathname)"
                ),
                json!(["/"])
            );
            fits(&mut page, width, "a record");
        }
        for (wrong, reason) in [
            (with_another_score(&doodle), "score"),
            ("no".to_owned(), "no record"),
            (" ".repeat(4 * MIB + 1), "at most 4 MiB"),
        ] {
            assert!(dropped(&mut page, &wrong));
            wait_for_it(&mut page, "[role=alert]");
            let said = page.evaluate("document.querySelector('[role=alert]').textContent");
            assert!(said.as_str().is_some_and(|said| said.contains(reason)), "{said}");
            fits(&mut page, width, "a refusal");
        }
    }
    // Neither files nor the pages for other people take one.
    let public = served(folder, &["--base-url", "https://arena.example.org"]);
    let mut page = browser.page(1440, 900, "light");
    for file in ["saved.html", "kept.html"] {
        page.open(&folder.join(file), "");
        page.wait_for("document.querySelector('.seat')");
        assert!(!dropped(&mut page, &doodle), "{file}");
    }
    for path in ["", "match/0"] {
        page.go(&format!("{}{path}", public.link));
        page.wait_for("document.querySelector('main table, .seat')");
        assert!(!dropped(&mut page, &doodle), "{path}");
    }
}
