//! Giving up, and the end of the page.

use serde_json::{Value, json};

use crate::browser::{Page, axe, browser};
use crate::play::guests::Served;
use crate::play::hands::{click, sit_down};
use crate::program::succeed;

const LEAVE: &str = "document.querySelector('.leave')";
const IS_ASKED: &str = "document.querySelector('.leaving').open";
const PLAY_ON: &str = "document.querySelector('.leaving .sure')";
const SURE: &str = "document.querySelector('.leaving .grave')";

/// Gives up with the mouse after one canceled attempt.
fn with_the_mouse(page: &mut Page<'_>) {
    click(page, LEAVE);
    assert_eq!(page.evaluate(IS_ASKED), true);
    click(page, PLAY_ON);
    assert_eq!(page.evaluate(IS_ASKED), false);
    click(page, LEAVE);
    click(page, SURE);
}

/// Gives up with keys alone. Escape and the first button keep the match.
fn with_keys(page: &mut Page<'_>) {
    for keeps in ["Escape", "Enter"] {
        page.evaluate(&format!("{LEAVE}.focus()"));
        page.press("Enter");
        assert_eq!(page.evaluate(IS_ASKED), true);
        assert_eq!(page.evaluate("document.activeElement.textContent"), "Play on");
        page.press(keeps);
        page.wait_for(&format!("!{IS_ASKED}"));
        assert_eq!(page.evaluate("document.querySelector('.result').hidden"), true);
    }
    page.evaluate(&format!("{LEAVE}.focus()"));
    page.press("Enter");
    page.press("Tab");
    assert_eq!(page.evaluate("document.activeElement.textContent"), "Give up");
    page.press("Enter");
}

#[test]
fn a_match_is_given_up_and_recorded_and_the_arena_ended_from_the_page() {
    let Some(mut browser) = browser() else { return };
    let ways: [fn(&mut Page<'_>); 2] = [with_the_mouse, with_keys];
    for (game, give_up) in ["doodle", "patchwork"].into_iter().zip(ways) {
        let mut served = Served::start(game, "5");
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        let turn = page.evaluate("document.documentElement.dataset.turn");
        if let Some(rules) = axe::rules() {
            page.evaluate(&format!("{LEAVE}.click()"));
            assert_eq!(axe::complaints(&mut page, &rules), [""; 0], "{game}");
            page.press("Escape");
        }
        give_up(&mut page);
        page.wait_for("document.querySelector('.result a')");
        let heading = page.evaluate("document.querySelector('.result h2').textContent");
        assert_eq!(heading, "You gave up", "{game}");
        assert_eq!(page.evaluate(&format!("{LEAVE}.hidden")), true, "{game}");
        served.wait_for_the_end();
        succeed(served.folder(), &["replay", "match.json"]);
        let text = std::fs::read_to_string(served.record()).expect("a record");
        let record: Value = serde_json::from_str(&text).expect("JSON");
        let fault = &record["result"]["faults"][0];
        assert_eq!(
            (fault["kind"].as_str(), fault["id"].to_string()),
            (Some("exit"), turn.as_str().expect("a turn").to_owned()),
            "{game}"
        );
        assert_eq!(record["result"]["ranks"], json!([2, 1]), "{game}");
        if let Some(rules) = axe::rules() {
            assert_eq!(axe::complaints(&mut page, &rules), [""; 0], "{game}");
        }
        click(&mut page, "document.querySelector('.result .end')");
        page.wait_for("document.querySelector('.result').textContent.includes('has ended')");
        assert!(served.ends_well(), "{game}");
    }
}

#[test]
fn a_match_cannot_be_ended_before_it_is_over() {
    let served = Served::start("doodle", "1");
    assert!(served.post("close").ends_with("\r\n\r\nfalse"));
    assert!(served.post("close").contains("200 OK"), "it is still there");
}
