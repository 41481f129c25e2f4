//! Notes and faults that try to be more than text, and a page that sends no requests.

use std::fs;
use std::path::{Path, PathBuf};

use engine::doodle::Doodle;
use engine::wire::FaultKind;
use referee::record::{FaultText, MatchRecord};
use serde_json::{Value, json};

use crate::browser::{Page, browser};
use crate::program::scratch;
use crate::view::matches::{page, record};

/// Texts of an attack.
const HOSTILE: [&str; 4] = [
    "<img src=x onerror=\"document.title='broken'\">",
    "</script><script>document.title='broken'</script>",
    "<!--<script>{{data}}{{script}}\u{2028}\"'\\",
    "javascript:document.title='broken'",
];

/// Returns a match with these notes and such a fault of the last seat, and the name of its bot. A record
/// cannot have such names.
fn hostile_record(folder: &Path) -> (PathBuf, String) {
    let file = record(folder, "doodle", HOSTILE.len(), 7);
    let line = fs::read(&file).expect("a record");
    let (mut record, _) = MatchRecord::<Doodle>::from_line(&line).expect("a record of doodle");
    for turn in &mut record.turns {
        turn.remarks.note = Some(HOSTILE[turn.seat].to_owned());
        turn.remarks.data = [(HOSTILE[turn.seat].to_owned(), turn.id.into())].into();
    }
    // Seat 3 fails in the last turn, so that the rest of the match stays valid.
    let last = record.turns.last_mut().expect("a match has turns");
    last.wire_move = None;
    last.fault = Some(FaultText { kind: FaultKind::Malformed, detail: HOSTILE[0].to_owned() });
    reckoned(&mut record);
    let last_bot = record.bots[HOSTILE.len() - 1].clone();
    fs::write(&file, record.sealed().to_line()).expect("a scratch file");
    (file, last_bot)
}

/// Replaces the result by the result of a replay of the record.
fn reckoned(record: &mut MatchRecord<Doodle>) {
    use std::sync::Arc;

    use engine::game::Game;
    let equipment = Arc::new(Doodle::equip(&record.setup).expect("the standard cards"));
    let game = Doodle::new(&equipment, &record.deal).expect("a deal");
    record.result =
        tournament::replay::walk(record, &equipment, game, &mut |_, _| ()).expect("it can be played");
}

/// Returns every request of the page, except for the file itself.
fn requests(page: &mut Page<'_>) -> Vec<Value> {
    let events = page.events();
    let is_request =
        |method: &str| method == "Network.requestWillBeSent" || method == "Network.webSocketCreated";
    let asked =
        events.into_iter().filter(|(method, params)| is_request(method) && params["type"] != "Document");
    asked.map(|(_, params)| params["request"]["url"].clone()).collect()
}

#[test]
fn names_and_notes_are_nothing_but_text() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let (file, last) = hostile_record(folder.path());
    let mut page = browser.page(1280, 800, "light");
    page.open(&crate::view::matches::page(&file), "#turn=end");
    let texts = |page: &mut Page<'_>, what: &str| {
        page.evaluate(&format!(
            "[...document.querySelectorAll('{what}')].map((element) => element.textContent)"
        ))
    };
    assert_eq!(texts(&mut page, ".note"), json!(HOSTILE));
    assert_eq!(texts(&mut page, ".jumps .bad"), json!([format!("{last}: malformed in turn 19")]));
    let fault = texts(&mut page, ".fault:not([hidden])");
    assert_eq!(fault, json!([format!("Fault in turn 19: malformed. {}", HOSTILE[0])]));
    // Each name of a number is in the list, and the chart of the selected one has a line.
    assert_eq!(texts(&mut page, "select[aria-label=Number] option"), json!(HOSTILE));
    let drawn = "(() => {
           const list = document.querySelector('select[aria-label=Number]');
           list.selectedIndex = 1;
           list.dispatchEvent(new Event('change'));
           const chart = list.closest('.chart').querySelector('svg');
           return [chart.getAttribute('aria-label'), chart.querySelector('.line.seat-1').getAttribute('points') !== ''];
         })()";
    let summary = page.evaluate(drawn);
    let last = format!("Last {}: ", HOSTILE[1]);
    assert!(
        summary[0].as_str().is_some_and(|words| words.starts_with(&last)) && summary[1] == true,
        "{summary}"
    );
    assert_ne!(page.evaluate("document.title"), "broken");
    assert_eq!(page.evaluate("document.querySelectorAll('img').length"), 0);
    assert_eq!(page.evaluate("document.querySelectorAll('script').length"), 2);
    let red = page.evaluate("getComputedStyle(document.querySelector('.fault:not([hidden])')).color");
    assert_eq!(red, "rgb(163, 32, 29)");
    assert_eq!(requests(&mut page), [Value::Null; 0]);
}

#[test]
fn no_request_leaves_the_page_not_even_one_that_is_tried() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    for (game, seats) in [("doodle", 10), ("patchwork", 2)] {
        let file = page(&record(folder.path(), game, seats, 8));
        let mut page = browser.page(1280, 800, "light");
        page.open(&file, "#turn=5");
        for key in ["ArrowRight", "End", "Home"] {
            page.press(key);
        }
        let events = page.events();
        let messages: Vec<_> = events
            .iter()
            .filter(|(method, _)| {
                ["Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"]
                    .contains(&method.as_str())
            })
            .collect();
        assert!(messages.is_empty(), "{messages:?}");
        // Code that gets into the page in spite of this cannot send anything out.
        let blocked = page.evaluate(
            "(async () => {
               const blocked = [];
               addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective));
               await fetch('http://127.0.0.1:9/').catch(() => {});
               document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }));
               const script = document.createElement('script');
               script.textContent = 'document.title = \"broken\"';
               document.body.append(script);
               const frame = document.createElement('iframe');
               frame.src = 'http://127.0.0.1:9/';
               document.body.append(frame);
               // Refusals are told a little later; four are waited for, and a moment longer for one too many.
               for (let wait = 0; wait < 100 && blocked.length < 4; wait += 1) await new Promise((done) => setTimeout(done, 50));
               await new Promise((done) => setTimeout(done, 300));
               return blocked.sort();
             })()",
        );
        assert_eq!(blocked, json!(["connect-src", "frame-src", "img-src", "script-src-elem"]), "{game}");
        assert_ne!(page.evaluate("document.title"), "broken");
    }
}
