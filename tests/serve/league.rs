//! A league with several stages: its tables, its pages, and the way from one to the other.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::browser;
use crate::program::{arena, scratch, succeed, words};
use crate::serve::client::{PATIENCE, Server};
use crate::serve::links::{follow, is_sound, path};
use crate::serve::pages::texts;

/// Plays a league of two stages.
fn played(folder: &Path) {
    let league = "[tournament]\nrounds = 9\nseed = 5\nout = \"cup\"\ntitle = \"A cup\"\n\
                  [[stage]]\ngame = \"doodle\"\n[[stage]]\ngame = \"patchwork\"\n";
    fs::write(folder.join("league.toml"), league).expect("a file");
    succeed(folder, &["tournament", "league.toml", "--quiet"]);
}

#[test]
fn the_joint_table_is_stored_and_read_again() {
    let folder = scratch();
    let folder = folder.path();
    played(folder);
    let stored = |name: &str| fs::read_to_string(folder.join("cup").join(name)).expect("a file");
    for (format, name) in [("json", "league.json"), ("csv", "league.csv"), ("markdown", "league.md")] {
        assert_eq!(succeed(folder, &["standings", "cup", "--format", format]), stored(name));
    }
    let joint: Value = serde_json::from_str(&stored("league.json")).expect("JSON");
    assert_eq!(joint["stages"], serde_json::json!(["1-doodle", "2-patchwork"]));
    assert_eq!(joint["rows"][0]["bot"], "greedy");
    let shown = succeed(folder, &["standings", "cup"]);
    for stage in ["1-doodle", "2-patchwork"] {
        let alone = succeed(folder, &["standings", &format!("cup/{stage}")]);
        assert!(shown.contains(&format!("stage {stage}\n{alone}")), "{shown}");
    }
    assert!(shown.contains("all stages\n"), "{shown}");
    let page = succeed(folder, &["standings", "cup", "--format", "html"]);
    assert!(page.contains("<td>greedy</td><td>1.00</td>"));
    // Other commands want one stage.
    // A bot may play in one stage alone.
    let alone = "tournament --rounds 1 --bot solo=random --bot greedy --out cup/3-alone --quiet";
    succeed(folder, &words(alone));
    for (bot, stage) in [("solo", "3-alone"), ("random", "1-doodle")] {
        succeed(folder, &["report", "cup", "--for", bot]);
        assert!(folder.join(bot).join(stage).join("report.html").is_file(), "{bot}");
    }
    let said = arena(folder, &["report", "cup", "--for", "nobody"]);
    assert!(String::from_utf8_lossy(&said.stderr).contains("there are greedy; random; solo"), "{said:?}");
    fs::remove_dir_all(folder.join("cup/3-alone")).expect("it is there");
    for command in [&["matches", "cup"][..], &["replay", "cup", "--all"], &["rerun", "cup", "--match", "0"]] {
        let output = arena(folder, command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("it has several stages: name one, such as cup/1-doodle"), "{said}");
    }
    // A stage that was not reached is missing, and folders that only look like one are none.
    fs::remove_dir_all(folder.join("cup/2-patchwork")).expect("it is there");
    fs::create_dir(folder.join("cup/3-empty")).expect("a folder");
    std::os::unix::fs::symlink("1-doodle", folder.join("cup/4-link")).expect("a link");
    let begun = succeed(folder, &["standings", "cup", "--format", "csv"]);
    assert_eq!(begun.lines().next(), Some("bot,mean rank,1-doodle"));
}

#[test]
fn a_league_has_a_page_with_links_to_its_stages() {
    let folder = scratch();
    let folder = folder.path();
    played(folder);
    // The folder may be a stranger's, and its names are no patterns of addresses.
    fs::create_dir(folder.join("cup/3-{x}")).expect("a folder");
    fs::copy(folder.join("cup/1-doodle/tournament.json"), folder.join("cup/3-{x}/tournament.json"))
        .expect("a file");
    succeed(folder, &["report", "cup", "-o", "page.html"]);
    let page = fs::read_to_string(folder.join("page.html")).expect("a page");
    for stage in ["1-doodle", "2-patchwork"] {
        let file = format!("page-{stage}.html");
        assert!(page.contains(&format!("\"{file}\"")) && folder.join(&file).is_file(), "{file}");
    }
    let server = Server::start(&folder.join("cup"), &[]);
    assert!(server.get("/").body.contains("A cup"));
    for (path, status) in [
        ("/1-doodle/", 200),
        ("/1-doodle", 308),
        ("/2-patchwork/match/0", 200),
        ("/2-patchwork/data/record/0", 200),
        ("/1-doodle/nothing", 404),
        ("/data/plan", 404),
        ("/3-%7Bx%7D/", 404),
    ] {
        assert_eq!(server.get(path).status, status, "{path}");
    }
    begun_later(folder, &server);
    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    let in_a_match =
        "location.pathname.startsWith('/2-patchwork/match/') && document.querySelector('nav.site')";
    page.go(&server.link);
    is_sound(&mut page, &server);
    assert_eq!(texts(&mut page, ".story"), json!([]), "matches remain");
    follow(&mut page, "document.querySelector('a[href=\"/2-patchwork/bot/greedy\"]')");
    page.wait_for("location.pathname === '/2-patchwork/bot/greedy' && document.querySelector('main table')");
    page.go(&server.link);
    follow(&mut page, "document.querySelector('a[href=\"/2-patchwork/\"]')");
    page.wait_for("location.pathname === '/2-patchwork/' && document.querySelector('#bots table a')");
    is_sound(&mut page, &server);
    follow(&mut page, "document.querySelector('#bots a[href=\"/2-patchwork/bot/greedy\"]')");
    page.wait_for("location.pathname === '/2-patchwork/bot/greedy'");
    is_sound(&mut page, &server);
    follow(&mut page, "document.querySelector('main a[href^=\"/2-patchwork/match/\"]')");
    page.wait_for(in_a_match);
    assert!(texts(&mut page, "nav.site a").to_string().contains("All stages"));
    follow(&mut page, "document.querySelector('nav.site a[rel=prev], nav.site a[rel=next]')");
    page.wait_for(in_a_match);
    follow(&mut page, "document.querySelector('nav.site a[href=\"/\"]')");
    page.wait_for("location.pathname === '/' && document.querySelector('main table')");
    assert_eq!(path(&mut page), "/");
    // The report is the same page, without a server.
    page.go(&format!("file://{}", folder.join("page.html").display()));
    page.wait_for("document.querySelector('.story')");
    assert_eq!(texts(&mut page, ".story"), json!(["greedy wins all 2 stages."]));
    assert_eq!(texts(&mut page, "main table a"), json!([]), "a file has no page of a bot");
    follow(&mut page, "document.querySelector('a[href=\"page-1-doodle.html\"]')");
    page.wait_for(
        "location.pathname.endsWith('/page-1-doodle.html') && document.querySelector('main table')",
    );
}

/// Plays a further stage while the league is shown, and waits for its page.
fn begun_later(folder: &Path, server: &Server) {
    assert_eq!(server.get("/3-doodle-1/").status, 404);
    // Stages may also appear before others.
    let [one, other] = ["cup/1-doodle", "cup/0-doodle"].map(|path| folder.join(path).join("tournament.json"));
    fs::create_dir(folder.join("cup/0-doodle")).expect("a folder");
    fs::copy(one, other).expect("a plan");
    let league = fs::read_to_string(folder.join("league.toml")).expect("a file");
    let later = "[[stage]]\ngame = \"doodle\"\nseats = 1\n";
    fs::write(folder.join("league.toml"), league + later).expect("a file");
    succeed(folder, &["tournament", "league.toml", "--quiet", "--resume"]);
    let begin = Instant::now();
    while ["/0-doodle/", "/3-doodle-1/"].iter().any(|path| server.get(path).status != 200) {
        assert!(begin.elapsed() < PATIENCE, "a new stage gets a page");
        std::thread::sleep(Duration::from_millis(50));
    }
}
