//! The page in use: links, keys, playing, and pausing. It is accessible and fits all screens.

use std::path::Path;

use engine::doodle::Doodle;
use engine::patchwork::Patchwork;
use referee::games::GameKind;
use serde_json::json;

use crate::browser::walk::fits;
use crate::browser::{Page, axe, browser};
use crate::program::{scratch, succeed};
use crate::view::matches::{expected, page, page as page_of, record};

/// Returns the number of the current frame.
fn frame(page: &mut Page<'_>) -> i64 {
    let shown = page.evaluate("document.documentElement.dataset.frame");
    shown.as_str().and_then(|text| text.parse().ok()).expect("the page shows a frame")
}

#[test]
fn links_and_keys_lead_to_turns() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let file = page(&record(folder.path(), "doodle", 3, 1));
    let mut page = browser.page(1280, 800, "light");
    page.open(&file, "#turn-13");
    assert_eq!(frame(&mut page), 13, "the beginning is before turn 1");
    assert_eq!(page.evaluate("document.querySelector('.where').innerText"), "Round 2, turn 6\nturn 13 of 19");
    for (key, shown, address) in [
        ("ArrowRight", 14, "#turn-14"),
        ("ArrowLeft", 13, "#turn-13"),
        ("End", 19, "#turn-19"),
        ("ArrowRight", 19, "#turn-19"),
        ("Home", 0, "#turn-start"),
        ("ArrowLeft", 0, "#turn-start"),
    ] {
        page.press(key);
        assert_eq!(frame(&mut page), shown, "{key}");
        page.evaluate("new Promise((done) => { setTimeout(done, 300) })"); // until the address has followed
        assert_eq!(page.evaluate("location.hash"), address, "{key}");
    }
    page.evaluate(
        "new Promise((done) => { addEventListener('hashchange', done); location.hash = '#turn=3' })",
    );
    assert_eq!(frame(&mut page), 4);
    // Links of earlier pages have the id of the record.
    for (address, shown) in [
        ("#turn-999", 19),
        ("#turn-end", 19),
        ("#turn-1", 1),
        ("#turn-x", 19),
        ("#turn=12", 13),
        ("#turn=end", 19),
        ("#other", 19),
        ("", 19),
    ] {
        page.open(std::path::Path::new("/dev/null"), "");
        page.open(&file, address);
        assert_eq!(frame(&mut page), shown, "{address}");
    }
}

#[test]
fn a_match_plays_to_its_end_and_can_be_held() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let file = page(&record(folder.path(), "patchwork", 2, 3));
    let mut page = browser.page(1280, 800, "light");
    page.open(&file, "");
    let label =
        |page: &mut Page<'_>| page.evaluate("document.querySelector('.play').getAttribute('aria-label')");
    assert_eq!(label(&mut page), "Play");
    page.press("Space");
    assert_eq!(label(&mut page), "Pause");
    page.press("Space");
    assert_eq!(label(&mut page), "Play");
    let last = page.evaluate("Number(document.querySelector('input[type=range]').max)").as_i64();
    // Records the frames from four before the end, at the highest speed.
    let seen = page.evaluate(&format!(
        "new Promise((done) => {{
           const seen = [];
           new MutationObserver(() => {{
             const frame = Number(document.documentElement.dataset.frame);
             if (seen.at(-1) !== frame) seen.push(frame);
             if (frame === {last}) done(seen);
           }}).observe(document.documentElement, {{ attributes: true, attributeFilter: ['data-frame'] }});
           const speed = document.querySelector('.speed select');
           speed.value = '8';
           speed.dispatchEvent(new Event('change'));
           const slider = document.querySelector('input[type=range]');
           slider.value = {last} - 4;
           slider.dispatchEvent(new Event('input'));
           document.querySelector('.play').click();
         }})",
        last = last.expect("a last frame")
    ));
    let last = last.expect("a last frame");
    assert_eq!(seen, json!([last - 4, last - 3, last - 2, last - 1, last]));
    assert_eq!(label(&mut page), "Play", "at the end it stops by itself");
}

#[test]
fn a_match_tells_its_story() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let mut fabrics = std::collections::BTreeMap::new();
    for (game, seats, seed) in [("doodle", 2, 1), ("doodle", 10, 2), ("patchwork", 2, 1), ("patchwork", 2, 2)]
    {
        let record = record(folder.path(), game, seats, seed);
        let result: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&record).expect("a record")).expect("JSON");
        let ranks = result["result"]["ranks"].as_array().expect("ranks");
        let first = ranks.iter().position(|rank| *rank == 1).expect("a winner");
        let points = result["result"]["scores"][first].to_string().replace('-', "\u{2212}");
        let mut page = browser.page(1280, 800, "light");
        page.open(&page_of(&record), "");
        let story = page.evaluate("document.querySelector('.story').textContent");
        let story = story.as_str().expect("a text");
        assert!(story.starts_with(&format!("bot{first} ")) && story.contains(&points), "{game}: {story}");
        // Each row of the list leads to its turn.
        let rows = page.evaluate("document.querySelectorAll('.moves li').length").as_u64().expect("rows");
        let turns = result["turns"].as_array().expect("turns");
        let wanted = if seats == 2 { turns.len() } else { turns.len() / seats };
        assert_eq!(rows as usize, wanted, "{game}, {seats} seats");
        page.evaluate("document.querySelectorAll('.moves a')[7].click()");
        let at = page.evaluate("Number(document.querySelectorAll('.moves a')[7].dataset.at)");
        assert_eq!(json!(frame(&mut page)), at);
        assert_eq!(
            page.evaluate("document.querySelector('.moves [aria-current]').dataset.at"),
            at.to_string()
        );
        // J visits the events in order, and a link does the same.
        let events = page.evaluate("document.querySelectorAll('.jumps a').length").as_i64().expect("events");
        page.press("Home");
        let mut before = 0;
        for _ in 0..2 {
            page.press("j");
            assert!(frame(&mut page) > before, "{game}");
            before = frame(&mut page);
        }
        page.evaluate("[...document.querySelectorAll('.jumps a')].at(-1).click()");
        assert!(events >= 3 && frame(&mut page) >= before, "{game}: {events}");
        page.press("?");
        assert_eq!(page.evaluate("document.querySelector('dialog[open] dl').children.length > 8"), true);
        page.press("Escape");
        assert_eq!(page.evaluate("document.querySelector('dialog[open]')"), serde_json::Value::Null);
        // A patch looks alike in all matches.
        let looks = page.evaluate(
            "[...document.querySelectorAll('.board [data-card]')].map(({ dataset, classList }) =>
               [dataset.card, [...classList].filter((name) => /fabric|weave/.test(name)).join(' ')])",
        );
        for look in looks.as_array().expect("patches") {
            let fabric = fabrics.entry((game, look[0].to_string())).or_insert_with(|| look[1].clone());
            assert_eq!(*fabric, look[1], "{game}: {look}");
        }
    }
}

#[test]
fn jumps_name_their_turns_and_join_what_comes_often() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let record = record(folder.path(), "patchwork", 2, 1);
    let text = std::fs::read_to_string(&record).expect("a record");
    let record_of_it: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let turns = record_of_it["turns"].as_array().expect("turns");
    let mut page = browser.page(360, 640, "light");
    page.open(&page_of(&record), "");
    let jumps = page.evaluate(
        "[...document.querySelectorAll('.jumps a')].map((link) => [link.textContent, link.hash.replace('#turn-', '')])",
    );
    let jumps: Vec<(String, String)> = serde_json::from_value(jumps).expect("texts");
    for (words, turn) in &jumps {
        assert!(words.ends_with(&format!(" in turn {turn}")), "{words}: {turn}");
    }
    let mut most = 0;
    for seat in 0..2 {
        let is_leather =
            |turn: &&serde_json::Value| turn["seat"] == seat && turn["move"]["leather"].is_array();
        let ids: Vec<u64> = turns.iter().filter(is_leather).filter_map(|turn| turn["id"].as_u64()).collect();
        most = most.max(ids.len());
        let wanted = match ids[..] {
            [] => continue,
            [id] => format!("bot{seat}: leather in turn {}", id + 1),
            [id, ..] => format!("bot{seat}: leather {} times, first in turn {}", ids.len(), id + 1),
        };
        let found: Vec<_> =
            jumps.iter().map(|(words, _)| words).filter(|words| words.contains("leather")).collect();
        assert_eq!(found.iter().filter(|words| ***words == wanted).count(), 1, "{wanted} in {found:?}");
    }
    assert!(most > 1, "a seat places leather more than once");
    // The row fades out where it goes on, and its last link can be scrolled out of the fade.
    let ends = page.evaluate(
        "(() => {
           const row = document.querySelector('.jumps');
           const isLonger = row.scrollWidth > row.clientWidth;
           row.scrollLeft = row.scrollWidth;
           const fade = parseFloat(getComputedStyle(row).paddingRight);
           const free = row.getBoundingClientRect().right - row.lastElementChild.getBoundingClientRect().right;
           return [isLonger, getComputedStyle(row).maskImage.includes('gradient'), fade > 20 && free >= fade - 1];
         })()",
    );
    assert_eq!(ends, json!([true, true, true]));
}

/// Text as a page shows it, with a true minus sign.
fn shown(number: i64) -> String {
    number.to_string().replace('-', "\u{2212}")
}

/// Checks the figure of each move, the largest one, and the lead after each turn. The figure is what a move did to the
/// points of its own seat if `is_own` is set, else what it did to the lead of its seat.
fn figures_follow<G: GameKind>(page: &mut Page<'_>, folder: &Path, is_own: bool) {
    let record = record(folder, G::NAME, 2, 0);
    let after = expected::<G>(&record);
    let score = |frame: usize, seat: usize| i64::from(after[frame].scores[seat]);
    // A rectangle that was just scored is no merit of the next move.
    let scored =
        |frame: usize, seat: usize| after[frame].facts["seats"][seat]["scored"][0].as_i64().unwrap_or(0);
    let won =
        |frame: usize, seat: usize| score(frame, seat) - score(frame - 1, seat) - scored(frame - 1, seat);
    let figure = |frame: usize, seat: usize| match is_own {
        true => won(frame, seat),
        false => won(frame, seat) - won(frame, 1 - seat),
    };
    let signed = |number: i64| if number > 0 { format!("+{number}") } else { shown(number) };
    page.open(&page_of(&record), "");
    let rows = page.evaluate(
        "[...document.querySelectorAll('.moves a')].map((row) =>
           [Number(row.dataset.at), Number(row.querySelector('.dot').textContent) - 1, row.querySelector('.swing').textContent])",
    );
    let (mut most, mut words, mut apart) = (0, String::new(), 0);
    for row in rows.as_array().expect("rows") {
        let [frame, seat] = [0, 1].map(|place| row[place].as_u64().expect("a number") as usize);
        let figure = figure(frame, seat);
        let wanted = if figure == 0 { String::new() } else { signed(figure) };
        assert_eq!(row[2], wanted, "{}: seat {seat} in turn {frame}", G::NAME);
        apart += usize::from(won(frame, 1 - seat) != 0);
        if figure.abs() > most {
            (most, words) =
                (figure.abs(), format!("largest swing: bot{seat} {} in turn {frame}", signed(figure)));
        }
    }
    // A move at Patchwork rarely changes the points of the other seat.
    assert!(apart > 3 || !is_own, "{}: the two figures differ", G::NAME);
    let jumps = page.evaluate("[...document.querySelectorAll('.jumps a')].map((link) => link.textContent)");
    assert!(jumps.as_array().expect("jumps").contains(&json!(words)), "{}: {words} in {jumps}", G::NAME);
    for frame in [after.len() - 1, 7] {
        page.evaluate(&format!("document.querySelector('.moves a[data-at=\"{frame}\"]').click()"));
        let ahead = score(frame, 0) - score(frame, 1);
        assert_ne!(ahead, 0);
        let leader = usize::from(ahead < 0);
        let wanted = format!("After turn {frame}, bot{leader} leads by {}.", ahead.abs());
        assert_eq!(
            page.evaluate("document.querySelector('.chart .facts').textContent"),
            wanted,
            "{}",
            G::NAME
        );
    }
}

#[test]
fn a_move_is_measured_by_what_it_can_change() {
    let Some(mut browser) = browser() else { return };
    let (folder, mut page) = (scratch(), browser.page(1280, 800, "light"));
    figures_follow::<Doodle>(&mut page, folder.path(), true);
    figures_follow::<Patchwork>(&mut page, folder.path(), false);
}

#[test]
fn given_turns_are_told_from_those_that_bots_played() {
    let folder = scratch();
    let whole = record(folder.path(), "doodle", 2, 0);
    let given = 7;
    let from = format!("{}@{given}", whole.display());
    let late = folder.path().join("late.json");
    let out = ["--record", late.to_str().expect("a path"), "--bot", "bot0=random", "--bot", "bot1=greedy"];
    let limits = ["--quiet", "--startup-time", "60s", "--move-time", "60s"];
    succeed(folder.path(), &[&["match", "--from", &from][..], &limits, &out].concat());
    let ordinary = std::fs::read_to_string(page_of(&whole)).expect("a page");
    assert!(!ordinary.contains("\"given\":"), "no turn was given");
    let file = page_of(&late);
    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    page.open(&file, "");
    let heading = page.evaluate("document.querySelector('header .again').textContent");
    assert_eq!(heading, "From turn 8; the turns before were given.");
    // Only given moves are grey, and no jump leads to them.
    let rows = page.evaluate(
        "[...document.querySelectorAll('.moves a')].map((row) => [Number(row.dataset.at), Boolean(row.querySelector('.given'))])",
    );
    let rows: Vec<(usize, bool)> = serde_json::from_value(rows).expect("rows");
    assert!(rows.iter().all(|&(at, is_grey)| is_grey == (at <= given)), "{rows:?}");
    let jumps = page.evaluate(
        "[...document.querySelectorAll('.jumps a')].map((link) => Number(link.hash.replace('#turn-', '')))",
    );
    let jumps: Vec<usize> = serde_json::from_value(jumps).expect("turns");
    assert!(jumps.len() > 3 && jumps.iter().all(|&turn| turn > given), "{jumps:?}");
    let after = expected::<Doodle>(&late);
    assert!(after[given..].iter().all(|one| one.scores[1] > one.scores[0]), "greedy leads from there on");
    let story = page.evaluate("document.querySelector('.story').textContent");
    assert!(
        story.as_str().is_some_and(|story| story.ends_with(" It led from the given position on.")),
        "{story}"
    );
    page.evaluate("location.hash = '#turn-7'");
    page.wait_for("[...document.querySelectorAll('.time')].every((time) => time.textContent === 'given')");
}

#[test]
fn nothing_grave_keeps_anybody_from_using_it() {
    let (Some(mut browser), Some(rules)) = (browser(), axe::rules()) else { return };
    let folder = scratch();
    for (game, seats) in [("doodle", 10), ("doodle", 2), ("patchwork", 2)] {
        let file = page(&record(folder.path(), game, seats, 2));
        for (number, scheme) in ["light", "dark"].into_iter().enumerate() {
            let mut page = browser.page(1280, 800, scheme);
            let turns = ["#turn=start", "#turn=12", "#turn=end"].into_iter().enumerate();
            for (_, turn) in
                turns.filter(|(place, _)| needs::is_tried(*place, number + seats, needs::sized(3, 3, 1)))
            {
                page.open(std::path::Path::new("/dev/null"), "");
                page.open(&file, turn);
                assert_eq!(axe::complaints(&mut page, &rules), [""; 0], "{game}, {scheme}, {turn}");
            }
        }
    }
}

#[test]
fn everything_is_within_reach_on_small_and_large_screens() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    for (game, seats) in [("doodle", 10), ("patchwork", 2)] {
        let file = page(&record(folder.path(), game, seats, 4));
        for width in [360, 800, 1280, 2560] {
            let mut page = browser.page(width, 800, "light");
            page.open(&file, "#turn=12");
            fits(&mut page, width, game);
        }
    }
}

#[test]
fn keys_reach_every_control_and_the_theme_can_be_chosen() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let file = page(&record(folder.path(), "doodle", 2, 6));
    let mut page = browser.page(1280, 800, "light");
    page.open(&file, "");
    let mut reached: Vec<String> = Vec::new();
    while reached.last().is_none_or(|name| name != "Speed") {
        page.press("Tab");
        let control = "(({ tagName, ariaLabel, parentElement }) => ariaLabel ?? parentElement.innerText.split('\\n')[0] ?? tagName)(document.activeElement)";
        reached.push(page.evaluate(control).as_str().expect("a name").to_owned());
    }
    let jumps = reached.iter().position(|name| name.starts_with("match 0")).expect("the facts");
    // Each jump has the name of the first one here. On a busy machine, a bot thinks long before the first round ends.
    let is_event =
        |name: &String| name.starts_with("round 1 ends in turn ") || name.starts_with("longest thought: ");
    assert!(jumps > 0 && reached[..jumps].iter().all(is_event), "the events: {reached:?}");
    let last = [
        "Theme",
        "Moves",
        "Turn",
        "To the beginning",
        "One turn back",
        "Play",
        "One turn on",
        "To the end",
        "Speed",
    ];
    assert_eq!(reached[jumps + 1..], last);
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = page.evaluate(ground);
    let choose = |theme: &str| {
        format!(
            "(() => {{ const select = document.querySelector('.theme select'); select.value = '{theme}';
                select.dispatchEvent(new Event('change')); return {ground}; }})()"
        )
    };
    assert_ne!(page.evaluate(&choose("dark")), light);
    assert_eq!(page.evaluate(&choose("system")), light);
}
