//! Whole matches by touch on a small phone: each next step is a visible control or a mark, and all of them are in the window.

use serde_json::json;

use crate::browser::{Page, browser};
use crate::play::guests::Served;
use crate::play::hands::{TURN, count, middle, sit_down, text};
use crate::play::teaches::{is_over, next_turn};
use crate::program::succeed;

/// What can change by a tap: the board, the held piece, the words, and the offered buttons.
const SEEN: &str = "[...document.querySelectorAll('.own .board, .status, .why, .keys, .result')].map((one) => one.outerHTML).join()";
/// The visible parts that are not whole in the window, with the tray's cards and the visible buttons among them.
const OUTSIDE: &str = "[...document.querySelectorAll('.own .board, .tray .choice, .status, .keys button')].filter((one) => {
    if (!one.checkVisibility()) return false;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const limits = one.closest('.hand-bar') ? innerHeight : document.querySelector('.hand-bar').getBoundingClientRect().top;
    return left < 0 || top < 0 || right > innerWidth || bottom > limits + 1;
}).map((one) => one.outerHTML)";
/// The first card that can be laid somewhere.
const CARD: &str = "[...document.querySelectorAll('.tray > .choices .choice')].find((one) => one.checkVisibility() && !one.querySelector('.none'))";

/// The visible button of the bar with this label, as an expression.
fn button(label: &str) -> String {
    format!(
        "[...document.querySelectorAll('.keys button')].find((one) => one.checkVisibility() && one.firstChild.textContent === '{label}')"
    )
}

fn is_there(page: &mut Page<'_>, element: &str) -> bool {
    page.evaluate(&format!("Boolean({element})")) == true
}

/// Taps the middle of an element. The tap must change something that the player sees.
fn tap(page: &mut Page<'_>, element: &str) {
    assert_eq!(page.evaluate(OUTSIDE), json!([]), "without scrolling");
    page.evaluate(&format!("window.before = {SEEN}"));
    let place = middle(page, element);
    page.touch("touchStart", place);
    page.touch("touchEnd", place);
    page.wait_for(&format!("window.before !== {SEEN}"));
}

/// Takes a card, and lays it on a mark or where the status says. Returns false if no card fits.
fn lay(page: &mut Page<'_>) -> bool {
    if !is_there(page, CARD) {
        return false;
    }
    tap(page, CARD);
    let status = text(page, ".status");
    if status.contains("takes it back") {
        panic!("a card without a refusal fits: {status}");
    }
    if status.contains("Next place finds a place")
        || status.contains(": Rotate.")
        || status.contains(": Flip.")
    {
        tap(page, &button("Next place"));
    }
    let status = text(page, ".status");
    assert!(status.contains("ap a mark to lay it there"), "{status}");
    assert!(!is_there(page, &button("Confirm")), "nothing is laid");
    tap(page, "document.querySelector('.hand .place:last-of-type')");
    page.wait_for("document.querySelector('.pending .patch')");
    true
}

#[test]
fn both_games_are_played_to_the_end_by_touch_on_a_small_phone() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let mut served = Served::start(game, "14");
        let mut page = browser.page(360, 640, "light");
        sit_down(&mut page, &served);
        let start = if game == "doodle" { "0 points" } else { "5 buttons" };
        assert_eq!(text(&mut page, ".so-far"), format!("{start} so far, 81 empty cells"));
        assert!(text(&mut page, ".status").contains("Your move."), "{game}");
        let mut laid = 0;
        while !is_over(&mut page) {
            let turn = page.evaluate(TURN);
            let status = text(&mut page, ".status");
            assert!(laid == 0 || status.contains("Your move: tap what you want to lay."), "{game}: {status}");
            let lit = if lay(&mut page) {
                laid += 1;
                "Confirm"
            } else if game == "doodle" {
                "Pass"
            } else {
                "Advance"
            };
            tap(&mut page, &button(lit));
            next_turn(&mut page, &turn);
        }
        assert!(laid > 5, "{game}: {laid}");
        let words = text(&mut page, ".result h2");
        assert!(words.contains(" wins ") && words.contains(". Its points: "), "{game}: {words}");
        served.wait_for_the_end();
        succeed(served.folder(), &["replay", "match.json"]);
        assert_eq!(page.evaluate("document.querySelector('.tray').checkVisibility()"), false, "{game}");
    }
}

#[test]
fn a_tap_beside_all_marks_moves_the_piece_and_says_what_to_do() {
    let Some(mut browser) = browser() else { return };
    let served = Served::start("doodle", "2");
    let mut page = browser.page(360, 640, "light");
    sit_down(&mut page, &served);
    assert!(
        !is_there(&mut page, &button("Confirm")) && !is_there(&mut page, &button("Pass")),
        "the start patch is a must"
    );
    lay(&mut page);
    tap(&mut page, &button("Confirm"));
    page.wait_for(&format!("{TURN} === '1'"));
    tap(&mut page, CARD);
    let far = "[...document.querySelectorAll('.own .board [data-patch] .cloth')].at(0)";
    tap(&mut page, far);
    let status = text(&mut page, ".status");
    assert!(status.ends_with(" does not fit here. Tap a mark to lay it there."), "{status}");
    assert_eq!((count(&mut page, ".held.misfit"), count(&mut page, ".pending .patch")), (1, 0));
}
