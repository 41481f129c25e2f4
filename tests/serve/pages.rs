//! The pages in a real browser.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::browser::walk::walk;
use crate::browser::{Page, browser};
use crate::program::tables::sealed;
use crate::program::{scratch, succeed};
use crate::serve::client::Server;
use crate::serve::links::follow;

/// Hostile texts for fields other than bot names. Names are checked when the arena reads a file.
pub(crate) const HOSTILE: [&str; 2] = ["<img src><b>bold</b>", "</script><script>open()</script>"];

pub(crate) fn texts(page: &mut Page<'_>, what: &str) -> Value {
    page.evaluate(&format!("[...document.querySelectorAll('{what}')].map((element) => element.textContent)"))
}

/// Waits until the tables contain this many matches.
fn wait_for_tables(page: &mut Page<'_>, matches: u64) {
    page.wait_for(&format!("document.documentElement.dataset.matches === '{matches}'"));
}

/// Checks that every request went to this server and that the browser logged no error.
pub(crate) fn stays_at_home(page: &mut Page<'_>, server: &Server) {
    for (method, params) in page.events() {
        if method == "Network.requestWillBeSent" {
            let address = params["request"]["url"].as_str().expect("an address");
            assert!(address.starts_with(&server.link), "{address}");
        }
        let is_complaint = ["Runtime.exceptionThrown", "Log.entryAdded"].contains(&method.as_str());
        assert!(!is_complaint, "{method}: {params}");
    }
}

/// Plays a tournament to its end. All bots with these names are `random`.
pub(crate) fn tournament(folder: &Path, names: &[&str]) {
    let bots: Vec<String> = names.iter().map(|name| format!("{name}=random")).collect();
    let args = ["tournament", "--rounds", "20", "--seed", "4", "--quiet", "--reuse=trusting", "--out", "t"];
    let bots = bots.iter().flat_map(|bot| ["--bot", bot]);
    succeed(folder, &args.into_iter().chain(bots).collect::<Vec<_>>());
}

#[test]
fn a_running_tournament_is_followed_to_its_end_and_a_match_opened() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let mut playing = crate::program::command()
        .current_dir(folder.path())
        .args(["tournament", "--rounds", "60", "--seed", "4", "--jobs", "1", "--quiet", "--out", "t"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the arena starts");
    let plan = folder.path().join("t/tournament.json");
    while !plan.exists() && playing.try_wait().expect("its status").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let server = Server::start(&folder.path().join("t"), &[]);
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    page.evaluate("window.mark = 'the page of the beginning'");
    wait_for_tables(&mut page, 60);
    page.wait_for("document.querySelector('[role=status]').textContent === 'finished'");
    assert!(playing.wait().expect("it ends").success());
    assert_eq!(page.evaluate("window.mark"), "the page of the beginning", "it was never loaded again");
    let printed = succeed(folder.path(), &["standings", "t", "--format", "json"]);
    let standings: Value = serde_json::from_str(&printed).expect("JSON");
    let names: Vec<&Value> =
        standings["rows"].as_array().expect("rows").iter().map(|row| &row["bot"]).collect();
    assert_eq!(texts(&mut page, "section[aria-label=Standings] th.bot"), json!(names));
    assert_distribution(&mut page, &standings);
    page.wait_for("document.querySelector('.turn p').textContent === '60 matches, page 1 of 2'");
    stays_at_home(&mut page, &server);
    page.evaluate("document.querySelector('a[href=\"/match/59\"]').click()");
    page.wait_for("document.querySelectorAll('.seat h2').length === 2");
    assert_eq!(page.evaluate("location.pathname"), "/match/59");
    stays_at_home(&mut page, &server);
    page.go(&format!("{}latest", server.link));
    page.wait_for("document.querySelectorAll('.seat').length === 2");
    assert_eq!(page.evaluate("document.querySelectorAll('h1').length"), 1, "one heading");
    assert_eq!(page.evaluate("document.querySelectorAll('.theme select').length"), 1, "one theme");
    assert_eq!(
        page.evaluate("document.querySelector('[role=status]').textContent"),
        "The newest match, number 59"
    );
    page.wait_for("Number(document.documentElement.dataset.frame) > 1");
    assert_eq!(server.get("/favicon.ico").status, 200);
    stays_at_home(&mut page, &server);
}

/// Checks the bars of all bots and the one axis below them.
fn assert_distribution(page: &mut Page<'_>, standings: &Value) {
    let number = |field: &str| standings["about"]["classes"][field].as_i64().expect("a number");
    let (low, width) = (number("low"), number("width"));
    let signed = |number: i64| number.to_string().replace('-', "\u{2212}");
    let rows = standings["rows"].as_array().expect("rows");
    let classes = rows[0]["scores"].as_array().expect("counts").len();
    assert!((15..=25).contains(&classes), "{classes}");
    let ticks = texts(page, ".spread .axis:last-child div span");
    let step = classes.div_ceil(5);
    let wanted: Vec<String> = (0..classes)
        .step_by(step)
        .filter(|&class| 10 * class < 9 * classes)
        .map(|class| signed(low + class as i64 * width))
        .collect();
    assert!(wanted.len() > 2 && ticks == json!(wanted), "{ticks}");
    assert_eq!(page.evaluate("document.querySelectorAll('.axis').length"), 1, "it is there once");
    let bars = texts(page, ".spread li:first-child .bar title");
    let wanted: Vec<String> = (0..)
        .zip(rows[0]["scores"].as_array().expect("counts"))
        .filter(|(_, times)| **times != 0)
        .map(|(class, times)| {
            let (from, to) = (low + class * width, low + (class + 1) * width - 1);
            match class as usize {
                0 => format!("{} or less: {times}", signed(to)),
                class if class + 1 == classes => format!("{} or more: {times}", signed(from)),
                _ => format!("{} to {}: {times}", signed(from), signed(to)),
            }
        })
        .collect();
    assert_eq!(bars, json!(wanted));
}

/// The bots of [`hostile_tournament`].
pub(crate) const NAMES: [&str; 2] = ["hostile-0", "hostile-1"];

/// Plays a tournament and puts hostile texts into its notes and the bots' commands.
pub(crate) fn hostile_tournament(folder: &Path) {
    tournament(folder, &NAMES);
    let change = |file: &str, change: &dyn Fn(String) -> String| {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).expect("a file of the tournament");
        std::fs::write(&path, change(text)).expect("room on the disk");
    };
    let note = format!("\"turns\":[{{\"note\":{},", json!(HOSTILE[0]));
    change("t/matches.jsonl", &|text| sealed(&text.replace("\"turns\":[{", &note)));
    change("t/tournament.json", &|text| {
        let mut file: Value = serde_json::from_str(&text).expect("it is JSON");
        file["bots"].as_array_mut().expect("a list").iter_mut().zip(HOSTILE).for_each(|(bot, hostile)| {
            (bot["command"], bot["version"]) = (json!(hostile), json!(hostile));
        });
        file.to_string()
    });
}

#[test]
fn names_are_nothing_but_text_in_tables_plots_and_lists() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    hostile_tournament(folder.path());
    let server = Server::start(&folder.path().join("t"), &[]);
    let mut page = browser.page(1280, 800, "dark");
    page.go(&server.link);
    wait_for_tables(&mut page, 20);
    page.wait_for("document.querySelectorAll('.seated').length === 20");
    for place in ["section[aria-label=Standings] th.bot", ".cross tbody th", ".spread .bot"] {
        let mut shown: Vec<String> = serde_json::from_value(texts(&mut page, place)).expect("texts");
        shown.sort();
        assert_eq!(shown, NAMES, "{place}");
    }
    assert_eq!(page.evaluate("document.querySelectorAll('img, main script, .bot b, .label b').length"), 0);
    stays_at_home(&mut page, &server);
}

#[test]
fn filters_and_pages_of_the_list_work_with_keys() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    tournament(folder.path(), &["one", "two", "three"]);
    let server = Server::start(&folder.path().join("t"), &[]);
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    wait_for_tables(&mut page, 60);
    page.wait_for("document.querySelector('.turn p').textContent === '60 matches, page 1 of 2'");
    let mut reached = Vec::new();
    for _ in 0..48 {
        page.press("Tab");
        let name = "(({ tagName, ariaLabel, parentElement }) => ariaLabel ?? `${tagName} ${parentElement.innerText.split('\\n')[0]}`)(document.activeElement)";
        reached.push(page.evaluate(name).as_str().expect("a name").to_owned());
    }
    for wanted in ["SELECT Theme", "Standings", "Crosstable", "SELECT bot", "SELECT order", "Matches"] {
        assert!(reached.iter().any(|name| name == wanted), "{wanted} in {reached:?}");
    }
    page.evaluate("document.activeElement.blur()");
    page.evaluate(
        "(() => { const field = [...document.querySelectorAll('.filters select')][0];
           field.value = 'two'; field.dispatchEvent(new Event('change')); })()",
    );
    page.wait_for("document.querySelector('.turn p').textContent === '40 matches, page 1 of 1'");
    page.evaluate(
        "(() => { const field = [...document.querySelectorAll('.filters select')][0];
           field.value = ''; field.dispatchEvent(new Event('change')); })()",
    );
    page.wait_for("document.querySelector('.turn p').textContent === '60 matches, page 1 of 2'");
    page.evaluate("document.querySelector('.turn button:last-child').click()");
    page.wait_for("document.querySelector('.turn p').textContent === '60 matches, page 2 of 2'");
    assert_eq!(page.evaluate("document.querySelectorAll('.seated').length"), 10);
}

#[test]
fn every_page_of_a_tournament_fits_all_windows() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    tournament(folder.path(), &["one", "two", "a-name-of-the-forty-letters-that-it-may-"]);
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    let pages = [
        ("", "document.querySelectorAll('.seated').length === 50"),
        ("bot/one", "document.querySelector('.seated')"),
        ("pair/one/two", "document.querySelector('.seated')"),
        ("match/3", "document.querySelector('.seat')"),
        ("latest", "document.querySelector('.seat')"),
        ("beside/0/1", "document.querySelectorAll('.seat').length === 4"),
    ];
    for (path, content) in pages.into_iter().step_by(needs::sized(3, 3, 1)) {
        let open = |page: &mut Page<'_>| {
            page.go(&format!("{}{path}", server.link));
            page.wait_for(content);
        };
        walk(&mut browser, open, |_, _| {});
    }
}

/// Plays a tournament of so many bots on so many deals.
pub(crate) fn of_many_bots(folder: &Path, bots: usize, deals: &str) {
    let bots: Vec<String> =
        (0..bots).map(|number| format!("bot-{number}={}", ["random", "greedy"][number % 2])).collect();
    let args = ["tournament", "--rounds", deals, "--seed", "4", "--quiet", "--reuse=trusting", "--out", "t"];
    let bots = bots.iter().flat_map(|bot| ["--bot", bot]);
    succeed(folder, &args.into_iter().chain(bots).collect::<Vec<_>>());
}

#[test]
fn names_in_the_plot_stay_beside_their_points_and_many_become_a_list() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    of_many_bots(folder.path(), 10, "4");
    let server = Server::start(&folder.path().join("t"), &[]);
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    page.wait_for("document.querySelectorAll('.bot-point').length === 10");
    // The distance of each name from the nearest point, and the overlaps of names.
    let found = page.evaluate(
        "(() => {
           const box = (element) => element.getBoundingClientRect();
           const points = [...document.querySelectorAll('.plot.still .point')].map(box);
           const names = [...document.querySelectorAll('.plot.still .label')].map(box);
           const gap = (name, { x, y, width, height }) => Math.hypot(
             Math.max(name.left - (x + width), x - name.right, 0), Math.max(name.top - (y + height), y - name.bottom, 0));
           const away = names.map((name) => Math.min(...points.map((point) => gap(name, point))));
           const meet = (one, other) => one !== other && one.left < other.right - 1 && other.left < one.right - 1
             && one.top < other.bottom - 4 && other.top < one.bottom - 4;
           const plot = box(document.querySelector('.plot.still'));
           const outside = names.filter((name) => name.bottom > plot.bottom || name.top < plot.top - 1 || name.right > plot.right + 1).length;
           return [Math.max(...away), names.filter((one) => names.some((other) => meet(one, other))).length, outside,
             names.length + document.querySelectorAll('.point-list:not([hidden]) li').length];
         })()",
    );
    assert!(found[0].as_f64().is_some_and(|away| away < 12.0), "{found}");
    assert_eq!((&found[1], &found[2]), (&json!(0), &json!(0)), "{found}");
    assert!(found[3].as_u64() >= Some(10), "each bot has its name in the plot or in the list: {found}");

    let folder = scratch();
    of_many_bots(folder.path(), 24, "1");
    let server = Server::start(&folder.path().join("t"), &[]);
    page.go(&server.link);
    page.wait_for("document.querySelectorAll('.bot-point').length === 24");
    assert_eq!(page.evaluate("document.querySelectorAll('.plot.still .label').length"), 0);
    assert_eq!(page.evaluate("document.querySelectorAll('.point-list li').length"), 24);
    assert_eq!(page.evaluate("document.querySelectorAll('.bot-point title').length"), 24);
    page.evaluate(
        "document.querySelector('.point-list li:nth-child(3)').dispatchEvent(new Event('pointerenter'))",
    );
    assert_eq!(page.evaluate("document.querySelector('.lit').dataset.point"), "2");
}

#[test]
fn a_page_of_200_bots_has_at_most_6000_elements() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let bots: Vec<String> = (0..200).map(|number| format!("--bot=bot-{number}=random")).collect();
    let args = ["tournament", "--schedule=swiss", "--rounds=1", "--swiss-rounds=2", "--seed=4", "--quiet"];
    let more = ["--game=patchwork", "--reuse=trusting", "--out=t"];
    let bots = bots.iter().map(String::as_str);
    succeed(folder.path(), &args.into_iter().chain(more).chain(bots).collect::<Vec<_>>());
    let server = Server::start(&folder.path().join("t"), &[]);
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    page.wait_for("document.querySelectorAll('.bot-point').length === 200");
    page.wait_for("document.querySelectorAll('#matches td').length > 0");
    let elements = page.evaluate("document.querySelectorAll('*').length");
    assert!((3_000..=6_000).contains(&elements.as_u64().expect("a number")), "{elements}");
}

#[test]
fn the_table_that_decides_comes_first_and_people_count_from_one() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let args = ["tournament", "--schedule", "swiss", "--rounds", "2", "--seed", "4", "--quiet", "--out", "t"];
    let bots = ["--bot", "random", "--bot", "b=random", "--bot", "greedy"];
    succeed(folder.path(), &[&args[..], &bots[..]].concat());
    let server = Server::start(&folder.path().join("t"), &[]);
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    wait_for_tables(&mut page, server.json("/data/matches")["total"].as_u64().expect("a number"));
    page.wait_for("document.querySelector('td.seated')");
    assert_eq!(server.get("/data/comparison").body, "null");
    assert_eq!(
        page.evaluate("[...document.querySelectorAll('main > section:not([hidden]) > h2')].map((title) => title.textContent).slice(0, 2)"),
        json!(["Schedule", "Rating"])
    );
    let heads = texts(&mut page, "th[scope=col]");
    let heads: Vec<&str> = heads.as_array().expect("heads").iter().filter_map(Value::as_str).collect();
    assert_eq!(heads.iter().filter(|head| ["rank", "ranks"].contains(head)).count(), 1, "{heads:?}");
    assert!(!heads.contains(&"round") && heads.contains(&"deal"), "{heads:?}");
    let deals = texts(&mut page, "section[aria-label=Matches] tbody td:nth-child(2)");
    let mut deals: Vec<u64> =
        deals.as_array().expect("deals").iter().filter_map(|deal| deal.as_str()?.parse().ok()).collect();
    deals.sort_unstable();
    assert_eq!(deals.first(), Some(&1));
    page.go(&format!("{}match/0", server.link));
    page.wait_for("document.querySelectorAll('.seat').length === 2");
    page.press("End");
    page.wait_for("/^.*turn (\\d+) of \\1$/s.test(document.querySelector('.where').innerText)");
    assert_eq!(texts(&mut page, ".seat .dot text"), json!(["1", "2"]));
    assert!(texts(&mut page, ".facts")[0].as_str().expect("facts").starts_with("match 0 \u{b7} deal 1"));
}

#[test]
fn a_comparison_begins_with_its_answer() {
    let folder = scratch();
    let args = ["compare", "greedy", "amateur", "--seed", "2", "--quiet", "--out", "t"];
    let said = succeed(folder.path(), &args);
    let server = Server::start(&folder.path().join("t"), &[]);
    let status = server.wait(|status| status["is_over"] == true && status["tables"] != 0);
    assert_eq!(status["matches"], status["total"], "nothing is missing from an answer");
    let told = server.json("/data/comparison");
    let file = fs::read_to_string(folder.path().join("t/compare.json")).expect("the comparison");
    let file: Value = serde_json::from_str(&file).expect("JSON");
    assert_eq!([&told["answer"], &told["question"]], [&file["answer"], &file["question"]]);
    for words in ["verdict", "estimate"] {
        let line = told[words].as_str().expect("words");
        assert!(said.lines().any(|printed| printed == line), "{line:?} is in {said}");
    }
    let path = told["course"]["path"].as_array().expect("a path");
    let [_, .., last] = &path[..] else { panic!("a path: {path:?}") };
    assert_eq!(
        json!([last[0], last[1], last[2]]),
        json!([file["answer"]["deals"], file["answer"]["llr"], file["answer"]["bounds"]])
    );
    let parted = told["course"]["parted"].as_array().expect("deals");
    let leads: Vec<f64> = parted.iter().filter_map(|deal| deal["lead"].as_f64()).map(f64::abs).collect();
    assert!(leads.len() > 1 && leads.is_sorted_by(|one, other| one >= other), "{leads:?}");
    // The lead of a deal is the mean of its matches.
    for deal in parted {
        let matches = deal["matches"].as_array().expect("matches").iter();
        let margin = |index: &Value| {
            let record = server.json(&format!("/data/record/{index}"));
            let seat = record["bots"].as_array().expect("bots").iter().position(|bot| bot == "greedy");
            let scores = [0, 1].map(|seat| record["result"]["scores"][seat].as_f64().expect("a score"));
            assert_eq!(record["round"], deal["round"]);
            scores[seat.expect("a seat")] - scores[1 - seat.expect("a seat")]
        };
        let margins: Vec<f64> = matches.map(margin).collect();
        assert_eq!(deal["lead"], margins.iter().sum::<f64>() / margins.len() as f64);
    }

    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    page.go(&server.link);
    page.wait_for("document.querySelector('section[aria-label=Question] .test')");
    assert_eq!(texts(&mut page, "main > section:not([hidden]) > h2")[0], told["verdict"]);
    stays_at_home(&mut page, &server);
    follow(&mut page, "document.querySelector('section[aria-label=Question] a')");
    page.wait_for("document.querySelectorAll('.seat').length === 2");
}

#[test]
fn the_newest_match_is_shown_without_its_result() {
    let folder = scratch();
    for game in ["doodle", "patchwork"] {
        let args = ["tournament", "--game", game, "--rounds", "1", "--seed", "4", "--quiet", "--out", game];
        succeed(folder.path(), &[&args[..], &["--bot", "one=random", "--bot", "two=greedy"]].concat());
        let public = ["--base-url", "https://arena.example.org"];
        let server = Server::start(&folder.path().join(game), &public);
        let newest = server.wait(|status| status["is_over"] == true)["latest"].to_string();
        assert!(!server.get("/latest?untold").body.contains("preview.png"), "the picture shows the end");
        let whole = server.json(&format!("/data/view/{newest}"));
        let frames = whole["frames"].as_array().expect("frames");
        for (at, frame) in frames.iter().enumerate() {
            let part = server.json(&format!("/data/view/{newest}?at={at}"));
            assert_eq!(part["frames"], json!([frame]), "{game}, frame {at}");
            let is_last = at + 1 == frames.len();
            for field in ["result", "digest"] {
                assert_eq!(part[field] == whole[field], is_last, "{game}, frame {at}: {field}");
                assert!(is_last || part[field].is_null(), "{game}, frame {at}: {field}");
            }
        }

        let Some(mut browser) = browser() else { continue };
        let mut page = browser.page(1280, 800, "light");
        page.go(&format!("{}latest?untold", server.link));
        page.wait_for("document.documentElement.dataset.frame === '1'");
        assert_eq!(page.evaluate("document.querySelector('.story')"), Value::Null);
        let shown = page.evaluate("document.documentElement.outerHTML + document.title").to_string();
        assert!(!shown.contains("wins") && !shown.contains("digest"), "{game}: {shown}");
        let asked: Vec<String> = page
            .events()
            .iter()
            .filter(|(method, _)| method == "Network.requestWillBeSent")
            .filter_map(|(_, params)| {
                params["request"]["url"].as_str()?.strip_prefix(&server.link).map(str::to_owned)
            })
            .filter(|path| !path.starts_with("assets/"))
            .collect();
        let may_be_asked = |path: &String| {
            ["latest?untold", "events"].contains(&path.as_str())
                || path.starts_with(&format!("data/view/{newest}?at="))
        };
        assert!(asked.len() > 2 && asked.iter().all(may_be_asked), "{asked:?}");
    }
}
