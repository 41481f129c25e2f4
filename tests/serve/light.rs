//! Pages are small and do not jump: compressed bodies, no body for a client that has it, and a steady layout.

use std::collections::{BTreeSet, HashMap};

use crate::browser::browser;
use crate::program::scratch;
use crate::serve::client::Server;
use crate::serve::pages::{of_many_bots, tournament};

/// A page of a running tournament gets the tables and the first page of the list every two seconds at most. With this
/// size in bytes it gets less than 30 kB a second.
const EACH_TIME_BYTES_MAX: usize = 60_000;

#[test]
fn tables_of_sixty_bots_are_small_and_are_sent_once() {
    let folder = scratch();
    of_many_bots(folder.path(), 60, "1");
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    let each_time = ["/data/standings", "/data/matches"].map(|path| server.compressed_bytes(path));
    assert!(each_time.iter().sum::<usize>() < EACH_TIME_BYTES_MAX, "{each_time:?}");
    for path in ["/", "/assets/live.js", "/data/standings", "/data/matches", "/match/0"] {
        let first = server.get(path);
        let tag = first.head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag");
        assert!(
            first.head.contains("cache-control: no-cache") && !first.body.is_empty(),
            "{path}: {}",
            first.head
        );
        let host = format!("Host: 127.0.0.1:{}", server.port);
        let known = format!("If-None-Match: \"other\", {}", tag.replacen("w/", "W/", 1));
        let again = server.ask(&format!("GET {path} HTTP/1.1"), &[&host, &known]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let other = server.ask(&format!("GET {path} HTTP/1.1"), &[&host, "If-None-Match: W/\"other\""]);
        assert_eq!((other.status, other.body == first.body), (200, true), "{path}");
        assert!(!other.head.contains("content-encoding"), "{path}: nobody asked for it");
    }
}

#[test]
fn a_browser_that_loads_a_page_again_receives_no_body() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    tournament(folder.path(), &["one", "two"]);
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    let mut page = browser.page(1280, 800, "light");
    // Returns the paths that the browser received with a body.
    let mut load = || {
        page.go(&server.link);
        page.wait_for("document.querySelector('section[aria-label=Standings] th.bot')");
        let (mut paths, mut received) = (HashMap::new(), Vec::new());
        for (method, event) in page.events() {
            let id = event["requestId"].as_str().unwrap_or_default().to_owned();
            match (method.as_str(), event["statusCode"].as_u64()) {
                ("Network.requestWillBeSent", _) => {
                    paths.insert(id, event["request"]["url"].as_str().expect("an address").to_owned());
                }
                ("Network.responseReceivedExtraInfo", Some(200)) => received.push(id),
                _ => {}
            }
        }
        let received = received.iter().map(|id| paths[id].trim_start_matches(&server.link).to_owned());
        received.collect::<BTreeSet<String>>()
    };
    let (first, second) = (load(), load());
    for path in ["", "assets/live.js", "data/standings"] {
        assert!(first.contains(path), "{path}: {first:?}");
    }
    let anew = BTreeSet::from(["data/plan", "events"].map(str::to_owned));
    assert!(second.is_subset(&anew), "{second:?}");
}

#[test]
fn pages_do_not_jump_while_they_load() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    tournament(folder.path(), &["one", "two", "three"]);
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    for width in [390, 1280] {
        let paths = ["", "bot/one", "pair/one/two", "match/3", "beside/0/1"].into_iter().enumerate();
        let half = needs::sized(2, 1, 1);
        for (_, path) in paths.filter(|(place, _)| needs::is_tried(*place, usize::from(width > 390), half)) {
            let mut page = browser.page(width, 800, "light");
            page.go(&format!("{}{path}", server.link));
            page.wait_for("document.querySelector('main table, .seat')");
            let shift = page.evaluate(
                "new Promise((done) => {
                   let sum = 0;
                   new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { sum += value; }))
                     .observe({ type: 'layout-shift', buffered: true });
                   requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum), 100)));
                 })",
            );
            assert!(shift.as_f64().is_some_and(|shift| shift < 0.1), "{path} at {width}: {shift}");
        }
    }
}
