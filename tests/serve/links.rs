//! The pages of a tournament link to each other, and addresses keep what a reader chose.

use std::path::Path;

use serde_json::{Value, json};

use crate::browser::{Page, axe, browser};
use crate::matches::BROKEN;
use crate::program::{scratch, succeed};
use crate::serve::client::Server;
use crate::serve::pages::{stays_at_home, texts, tournament};

/// Plays a tournament with faults: `broken` exits in its first turn.
fn with_faults(folder: &Path) {
    let args = ["tournament", "--rounds", "20", "--seed", "4", "--quiet", "--reuse=trusting", "--out", "t"];
    succeed(folder, &[&args[..], &["--bot", "one=random", "--bot", "two=greedy", "--bot", BROKEN]].concat());
}

/// Waits until the page shows its tables, and checks its accessibility and its requests.
pub(super) fn is_sound(page: &mut Page<'_>, server: &Server) {
    page.wait_for("document.querySelector('main table')");
    if let Some(rules) = axe::rules().filter(|_| needs::tries_more()) {
        assert_eq!(axe::complaints(page, &rules), [""; 0]);
    }
    stays_at_home(page, server);
}

/// Follows the link that this expression finds.
pub(super) fn follow(page: &mut Page<'_>, link: &str) {
    page.wait_for(link);
    page.leave(&format!("void {link}.click()"));
}

pub(super) fn path(page: &mut Page<'_>) -> String {
    page.evaluate("location.pathname").as_str().expect("a path").to_owned()
}

#[test]
fn every_page_links_to_the_others() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    with_faults(folder.path());
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    is_sound(&mut page, &server);

    follow(&mut page, "document.querySelector('#bots a[href=\"/bot/broken\"]')");
    page.wait_for(
        "location.pathname === '/bot/broken' && document.querySelector('section[aria-label=Faults]')",
    );
    is_sound(&mut page, &server);
    let titles: Vec<String> = serde_json::from_value(texts(&mut page, "main h2")).expect("texts");
    for title in ["Summary", "Opponents", "Faults"] {
        assert!(titles.iter().any(|known| known == title), "{title} in {titles:?}");
    }
    let fault = texts(&mut page, "section[aria-label=Faults] p")[0].clone();
    assert!(fault.as_str().is_some_and(|text| text.contains("exit")), "the text of the first fault: {fault}");

    // A fault in a list of matches leads to its turn.
    page.wait_for("document.querySelector('section[aria-label=Faults] td.bad a')");
    let turn = page.evaluate("document.querySelector('section[aria-label=Faults] td.bad a').hash");
    assert_eq!(turn, "#turn-1", "broken exits in its first turn");

    page.go(&format!("{}bot/two", server.link));
    page.wait_for("document.querySelector('section[aria-label=\"Best matches\"]')");
    let standings = server.json("/data/standings");
    let pairs = standings["crosstable"].as_array().expect("pairs").iter().filter(|pair| pair["bot"] == "two");
    assert_eq!(
        page.evaluate("document.querySelectorAll('section[aria-label=Opponents] tbody tr').length"),
        pairs.count()
    );
    follow(&mut page, "document.querySelector('a[href=\"/pair/two/one\"]')");
    page.wait_for("location.pathname === '/pair/two/one' && document.querySelector('main table')");
    is_sound(&mut page, &server);
    let pair = server.json("/data/matches?bot=two&against=one&order=deal");
    let shown = page.evaluate("document.querySelectorAll('main table .sat a').length");
    assert_eq!(shown, pair["rows"].as_array().expect("rows").len());

    follow(&mut page, "document.querySelector('main table .sat a')");
    page.wait_for("document.querySelectorAll('.seat').length === 2");
    let here = path(&mut page);
    assert!(here.starts_with("/match/"), "{here}");
    let frame = "Number(document.documentElement.dataset.frame)";
    assert_eq!(page.evaluate(&format!("{frame} > 10")), true, "it opens at its end");
    page.evaluate(
        "history.replaceState(null, '', '#turn-3'), dispatchEvent(new HashChangeEvent('hashchange'))",
    );
    follow(&mut page, "document.querySelector('a[rel=next]')");
    page.wait_for(&format!(
        "location.pathname !== '{here}' && document.querySelectorAll('.seat').length === 2"
    ));
    assert_eq!(page.evaluate(frame), 3, "its neighbor opens at the same turn");
    follow(&mut page, "document.querySelector('a[rel=prev]')");
    page.wait_for(&format!(
        "location.pathname === '{here}' && document.querySelectorAll('.seat').length === 2"
    ));
    assert_eq!(page.evaluate("document.querySelectorAll('.seat h2 a').length"), 2);
    assert_eq!(
        page.evaluate("document.querySelector('a[download=\"match-0.json\"], a[download]') !== null"),
        true
    );
    follow(&mut page, "document.querySelector('nav.site a')");
    page.wait_for("location.pathname === '/'");
    // A point in the plot leads to its bot. Elements of a drawing have no click().
    page.wait_for("document.querySelector('a.bot-point')");
    page.evaluate("void document.querySelector('a.bot-point .point').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
    page.wait_for("location.pathname.startsWith('/bot/')");

    let answer = server.get("/nowhere");
    assert!(answer.status == 404 && answer.body.contains("href=\"/\""), "{}", answer.body);
    for unknown in ["/bot/nobody", "/pair/one/nobody", "/pair/one/one", "/match/100000"] {
        let answer = server.get(unknown);
        assert!(answer.status == 404 && answer.body.contains("href=\"/\""), "{unknown}: {}", answer.body);
    }
}

#[test]
fn filters_order_page_and_position_survive_a_reload_and_back() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    tournament(folder.path(), &["one", "two", "three", "four"]);
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    let total = "document.querySelector('.turn p').textContent";
    page.wait_for(&format!("{total} === '120 matches, page 1 of 3'"));
    let choose = |page: &mut Page<'_>, number: usize, value: &str| {
        page.evaluate(&format!(
            "(() => {{ const field = document.querySelectorAll('.filters select')[{number}];
               field.value = '{value}'; field.dispatchEvent(new Event('change')); }})()"
        ));
    };
    choose(&mut page, 0, "two");
    choose(&mut page, 4, "widest");
    page.wait_for(&format!("{total} === '60 matches, page 1 of 2'"));
    page.evaluate("document.querySelector('.turn button:last-child').click()");
    page.wait_for(&format!("{total} === '60 matches, page 2 of 2'"));
    assert_eq!(page.evaluate("location.search"), "?bot=two&order=widest&page=2");
    let rows = texts(&mut page, "#matches tbody th");
    page.evaluate("scrollTo(0, 700)");
    page.wait_for("history.state?.scroll > 600");
    let is_back =
        "document.querySelector('.turn p')?.textContent === '60 matches, page 2 of 2' && scrollY > 600";
    page.leave("location.reload()");
    page.wait_for(is_back);
    follow(&mut page, "document.querySelector('#matches tbody a')");
    page.wait_for("document.querySelectorAll('.seat').length === 2");
    page.leave("history.back()");
    page.wait_for(is_back);
    assert_eq!(texts(&mut page, "#matches tbody th"), rows);
    // A link to the list opens the list.
    page.go(&format!("{}?bot=one&against=four#matches", server.link));
    page.wait_for(&format!("{total} === '20 matches, page 1 of 1'"));
}

#[test]
fn a_knockout_is_a_bracket_with_the_ties_to_come() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let bots: Vec<String> = (0..6).map(|number| format!("bot-{number}=random")).collect();
    let args =
        ["tournament", "--schedule", "knockout", "--rounds", "2", "--seed", "4", "--quiet", "--out", "t"];
    succeed(
        folder.path(),
        &args.into_iter().chain(bots.iter().flat_map(|bot| ["--bot", bot])).collect::<Vec<_>>(),
    );
    let journal = folder.path().join("t/matches.jsonl");
    let whole = std::fs::read_to_string(&journal).expect("a journal");
    let first = whole.split_inclusive('\n').take(2).collect::<String>();
    std::fs::write(&journal, first).expect("room on the disk");
    let server = Server::start(&folder.path().join("t"), &[]);
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    page.wait_for("document.querySelector('.bracket')");
    let rounds = json!(["Quarterfinals", "Semifinals", "Final"]);
    assert_eq!(texts(&mut page, ".bracket h3"), rounds);
    assert_eq!(
        page.evaluate("document.querySelectorAll('.tie').length"),
        7,
        "four ties, two of them byes, and three to come"
    );
    assert_eq!(page.evaluate("document.querySelectorAll('.tie.to-come').length"), 3);
    // The two matches count in their ties, which say that they are not over.
    let points: Vec<f64> = serde_json::from_value(page.evaluate(
        "[...document.querySelectorAll('.tie .side :last-child')].map((one) => Number(one.textContent))",
    ))
    .expect("numbers");
    assert_eq!(points.iter().sum::<f64>(), 2.0, "{points:?}");
    assert_eq!(texts(&mut page, ".tie > .quiet"), json!(["so far", "so far"]));
    // Bots that have not played have no results, and the plot has no point for them.
    let standings = server.json("/data/standings");
    let rows = standings["rows"].as_array().expect("rows");
    let played = rows.iter().filter(|row| row["matches"] != 0).count();
    assert_eq!(page.evaluate("document.querySelectorAll('.bot-point').length"), played);
    let lines = texts(&mut page, "#bots tbody tr");
    let idle: Vec<&str> =
        lines.as_array().expect("rows")[played..].iter().filter_map(Value::as_str).collect();
    assert!(!idle.is_empty() && idle.iter().all(|line| !line.contains("0.00")), "{idle:?}");
    std::fs::write(&journal, &whole).expect("room on the disk");
    page.wait_for("document.querySelectorAll('.tie.to-come').length === 0");
    assert_eq!(texts(&mut page, ".bracket h3"), rounds);
    let winner = &server.json("/data/standings")["outcome"]["knockout"]["winner"];
    assert_eq!(&texts(&mut page, ".bracket > li:last-child .won .bot")[0], winner);
    follow(&mut page, "document.querySelector('.bracket > li:last-child a')");
    page.wait_for("location.pathname.startsWith('/pair/') && document.querySelector('main table')");
}

#[test]
fn pages_can_be_shared_saved_and_embedded() {
    let folder = scratch();
    tournament(folder.path(), &["one", "two"]);
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    for (path, title) in [
        ("/", "t"),
        ("/match/3", "Doodle: "),
        ("/bot/one", "one - t"),
        ("/pair/one/two", "one against two - t"),
        ("/latest", "The newest match - t"),
    ] {
        let answer = server.get(path);
        let preview = format!("<meta property=\"og:title\" content=\"{title}");
        assert!(answer.body.contains(&preview), "{path}");
        assert!(answer.head.contains("frame-ancestors 'self'"), "{path}: {}", answer.head);
        let embedded = server.get(&format!("{path}?embed"));
        assert!(!embedded.head.contains("frame-ancestors 'self'"), "{path}: {}", embedded.head);
    }
    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    for (path, content) in
        [("", "#matches td.seated"), ("bot/one", "main table"), ("pair/one/two", "main table")]
    {
        page.go(&format!("{}{path}?embed", server.link));
        page.wait_for(&format!("document.querySelector('{content}')"));
        assert_eq!(page.evaluate("document.querySelectorAll('nav.site, .share').length"), 0, "{path}");
    }
    page.go(&format!("{}match/3?embed", server.link));
    page.wait_for("document.querySelectorAll('.seat').length === 2");
    assert_eq!(
        page.evaluate("document.querySelector('base').target"),
        "_blank",
        "no link opens in the frame"
    );
    assert_eq!(page.evaluate("document.querySelectorAll('nav.site, .share').length"), 0);
    // A page that was saved has no links to the server.
    let saved = folder.path().join("saved.html");
    std::fs::write(&saved, server.get("/match/3").body).expect("a file");
    page.open(&saved, "");
    assert_eq!(page.evaluate("document.querySelectorAll('.seat').length"), 2);
    assert_eq!(page.evaluate("document.querySelectorAll('a[href^=\"/\"]').length"), 0);
    page.go(&format!("{}match/3", server.link));
    page.wait_for("document.querySelector('.share')");
    let downloads: Value =
        page.evaluate("[...document.querySelectorAll('a[download]')].map((link) => link.download)");
    assert_eq!(downloads, json!(["match-3.html", "match-3.json"]));
    page.go(&server.link);
    page.wait_for("document.querySelector('.downloads')");
    let downloads: Value =
        page.evaluate("[...document.querySelectorAll('a[download]')].map((link) => link.download)");
    assert_eq!(downloads, json!(["standings.csv", "standings.json", "matches.jsonl"]));
}

#[test]
fn a_match_to_come_is_named_by_its_bots() {
    let folder = scratch();
    tournament(folder.path(), &["one", "two"]);
    let journal = folder.path().join("t/matches.jsonl");
    let whole = std::fs::read_to_string(&journal).expect("a journal");
    // Several matches are played at a time, so the last line may be of any of them.
    let (rest, line) = whole.trim_end().rsplit_once('\n').expect("two lines");
    let last = serde_json::from_str::<Value>(line).expect("a record")["match"].clone();
    std::fs::write(&journal, format!("{rest}\n")).expect("it is ours");
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["matches"] == rest.lines().count());
    let answer = server.get(&format!("/match/{last}"));
    let is_named = ["one against two", "two against one"]
        .iter()
        .any(|bots| answer.body.contains(&format!("<title>Match {last}: {bots} - t</title>")));
    assert!(answer.status == 200 && is_named, "{}", answer.body);
    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    page.go(&format!("{}match/{last}", server.link));
    page.wait_for("document.querySelector('h1')?.textContent.includes(' against ')");
    // The match is played at last.
    std::fs::write(&journal, &whole).expect("it is ours");
    page.wait_for("document.querySelectorAll('.seat').length === 2");
}

#[test]
fn a_league_file_says_what_the_pages_are_about() {
    let folder = scratch();
    let path = folder.path();
    let league = |title: &str| {
        format!(
            "[tournament]\nrounds = 1\nseed = 4\ntitle = \"{title}\"\ntext = \"All <b>bots</b>\\nare welcome\"\ndates = \"1 to 5 May\"\n\n[[bot]]\nname = \"one\"\ncommand = \"greedy\"\n[[bot]]\nname = \"two\"\ncommand = \"random\"\n"
        )
    };
    std::fs::write(path.join("league.toml"), league("Spring Cup")).expect("a league");
    succeed(path, &["tournament", "league.toml", "--quiet", "--out", "t"]);
    succeed(
        path,
        &[
            "tournament",
            "--rounds",
            "1",
            "--seed",
            "4",
            "--quiet",
            "--out",
            "plain",
            "--bot",
            "one=greedy",
            "--bot",
            "two=random",
        ],
    );
    let digest = |dir: &str| {
        let text = std::fs::read_to_string(path.join(dir).join("tournament.json")).expect("a tournament");
        serde_json::from_str::<Value>(&text).expect("JSON")["plan_digest"].clone()
    };
    assert_eq!(digest("t"), digest("plain"), "words are no part of the plan");
    std::fs::write(path.join("long.toml"), league(&"x".repeat(4097))).expect("a league");
    let said = crate::program::arena(path, &["tournament", "long.toml", "--quiet", "--out", "long"]);
    let stderr = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.code() == Some(2) && stderr.contains("at most 4096 are allowed"), "{stderr}");
    succeed(path, &["report", "t", "-o", "report.html"]);
    let server = Server::start(&path.join("t"), &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    assert!(server.get("/").body.contains("<title>Spring Cup</title>"));
    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    for is_served in [true, false] {
        match is_served {
            true => page.go(&server.link),
            false => page.open(&path.join("report.html"), ""),
        }
        page.wait_for("document.querySelectorAll('.announced').length === 2");
        assert_eq!(page.evaluate("document.querySelector('h1').textContent"), "Spring Cup");
        let words = texts(&mut page, ".announced");
        assert!(words[0].as_str().expect("dates").contains("1 to 5 May"), "{words}");
        assert_eq!(words[1], "All <b>bots</b>\nare welcome");
    }
}

#[test]
fn with_a_base_url_pages_name_a_picture_for_previews() {
    let folder = scratch();
    tournament(folder.path(), &["one", "two"]);
    let public = "https://arena.example.org";
    let server = Server::start(&folder.path().join("t"), &["--base-url", &format!("{public}/")]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    for (path, picture) in [
        ("/", "/preview.png"),
        ("/bot/one", "/preview.png"),
        ("/pair/one/two", "/preview.png"),
        ("/match/3", "/match/3/preview.png"),
    ] {
        let named = format!("<meta property=\"og:image\" content=\"{public}{picture}\">");
        assert!(server.get(path).body.contains(&named), "{path}");
    }
    // A proxy passes requests on, with the host of the public address or with its own.
    let status = |headers: &[&str]| server.ask("GET /data/plan HTTP/1.1", headers).status;
    let own = format!("Host: 127.0.0.1:{}", server.port);
    assert_eq!(status(&["Host: arena.example.org", &format!("Origin: {public}")]), 200);
    assert_eq!(status(&[&own, &format!("Origin: {public}")]), 200);
    for headers in [["Host: other.example.org", ""], [&own, "Origin: https://other.example.org"]] {
        assert_eq!(status(&headers), 403, "{headers:?}");
    }
    let plain = Server::start(&folder.path().join("t"), &[]);
    plain.wait(|status| status["is_over"] == true);
    assert!(!plain.get("/match/3").body.contains("og:image"), "relative addresses are of no use to others");
    assert_eq!(
        plain
            .ask("GET /match/100000/preview.png HTTP/1.1", &[&format!("Host: 127.0.0.1:{}", plain.port)])
            .status,
        404
    );

    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    for picture in ["/preview.png", "/match/3/preview.png"] {
        let size = page.evaluate(&format!(
            "new Promise((done) => {{
               const picture = new Image();
               picture.addEventListener('load', () => done([picture.naturalWidth, picture.naturalHeight]));
               picture.addEventListener('error', () => done('broken'));
               picture.src = '{picture}';
             }})"
        ));
        assert_eq!(size, json!([1200, 630]), "{picture}");
    }
}
