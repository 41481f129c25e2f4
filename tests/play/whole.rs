//! Whole matches with the controls of the page. The arena records them, the records replay, and the page
//! contacts no other server.

use crate::browser::{Page, axe, browser};
use crate::play::guests::Served;
use crate::play::hands::sit_down;
use crate::program::succeed;

/// Plays one move: takes the first choice that fits, turns it until it fits, and places it where the page
/// proposes. Without such a choice, plays the move that places nothing.
const MOVE: &str = "(async () => {
    const key = (name) => document.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
    const until = async (condition) => { while (!condition()) await new Promise((done) => { setTimeout(done, 10); }); };
    const { turn } = document.documentElement.dataset;
    const choice = [...document.querySelectorAll('.tray > .choices .choice')].find((one) => !one.querySelector('.none'));
    if (choice) {
      choice.click();
      for (let tries = 0; tries < 8 && !document.querySelector('.held.fits'); tries += 1) {
        key('l');
        if (!document.querySelector('.held.fits')) key(tries === 3 ? 'f' : 'r');
      }
      key('Enter');
      await until(() => document.querySelector('.pending .patch'));
    }
    document.querySelector('.keys button:last-child').click();
    await until(() => document.documentElement.dataset.turn !== turn || document.querySelector('.result a'));
    return document.querySelector('.why').innerText;
})()";

/// Plays one move and waits for the person's next turn or the end of the match.
pub(crate) fn move_once(page: &mut Page<'_>) {
    assert_eq!(page.evaluate(MOVE), "", "nothing is refused");
    page.wait_for("document.documentElement.dataset.turn || document.querySelector('.result a')");
}

/// Plays to the end and returns the number of moves.
fn play(page: &mut Page<'_>) -> usize {
    let mut moves = 0;
    while page.evaluate("Boolean(document.querySelector('.result a'))") == false {
        move_once(page);
        moves += 1;
    }
    moves
}

#[test]
fn a_whole_match_is_played_and_recorded_and_seen_again() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let mut served = Served::start(game, "7");
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        let moves = play(&mut page);
        served.wait_for_the_end();
        let stdout = succeed(served.folder(), &["replay", "match.json"]);
        let text = std::fs::read_to_string(served.record()).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert!(stdout.contains(record["digest"].as_str().expect("a digest")), "{game}: {stdout}");
        let mine = record["turns"].as_array().expect("turns").iter().filter(|turn| turn["seat"] == 0).count();
        assert_eq!((mine, &record["result"]["faults"][0]), (moves, &serde_json::Value::Null), "{game}");
        let shown = page.evaluate("document.querySelector('.result').innerText");
        let score = record["result"]["scores"][0].to_string().replace('-', "\u{2212}");
        assert!(shown.as_str().expect("a result").contains(&format!("me {score} points")), "{game}: {shown}");
        if let Some(rules) = axe::rules() {
            assert_eq!(axe::complaints(&mut page, &rules), [""; 0], "{game}");
        }
        let address = page.evaluate("document.querySelector('.result a').href");
        let events = page.events();
        let asked: Vec<&str> = events
            .iter()
            .filter(|(method, _)| method == "Network.requestWillBeSent")
            .filter_map(|(_, params)| params["request"]["url"].as_str())
            .collect();
        assert!(
            asked.len() > moves && asked.iter().all(|url| url.starts_with(&served.link)),
            "{game}: {asked:?}"
        );
        let complaints = events
            .iter()
            .filter(|(method, _)| method == "Log.entryAdded" || method == "Runtime.exceptionThrown");
        assert_eq!(complaints.map(|(_, params)| params.to_string()).collect::<Vec<_>>(), [""; 0], "{game}");
        page.go(address.as_str().expect("a link"));
        let frames = page.evaluate("JSON.parse(document.getElementById('view').textContent).frames.length");
        assert!(frames.as_u64() > Some(moves as u64), "{game}");
        assert_eq!(page.evaluate("document.querySelectorAll('.seat').length"), 2, "{game}");
    }
}
