//! The page in use: a user places a patch with the mouse or with keys alone. Moves are refused, taken back,
//! and confirmed.

use serde_json::Value;

use crate::browser::walk::fits;
use crate::browser::{Page, axe, browser};
use crate::play::guests::Served;

/// Opens the match and waits for a turn of the person.
pub(crate) fn sit_down(page: &mut Page<'_>, served: &Served) {
    page.go(&served.link);
    page.wait_for("document.documentElement.dataset.turn");
}

pub(crate) fn count(page: &mut Page<'_>, selector: &str) -> i64 {
    page.evaluate(&format!("document.querySelectorAll('{selector}').length")).as_i64().expect("a number")
}

pub(crate) fn text(page: &mut Page<'_>, selector: &str) -> String {
    let text = page.evaluate(&format!("document.querySelector('{selector}').innerText"));
    text.as_str().expect("a text").to_owned()
}

/// Returns the center of the element that this expression finds.
pub(crate) fn middle(page: &mut Page<'_>, element: &str) -> [f64; 2] {
    let place = page.evaluate(&format!(
        "(() => {{ const {{ x, y, width, height }} = {element}.getBoundingClientRect(); return [x + width / 2, y + height / 2] }})()"
    ));
    [0, 1].map(|axis: usize| place[axis].as_f64().expect("a place"))
}

pub(crate) fn click(page: &mut Page<'_>, element: &str) {
    page.evaluate(&format!("{element}.scrollIntoView({{ block: 'center' }})"));
    let place = middle(page, element);
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        page.mouse(kind, place);
    }
}

/// A choice that fits somewhere.
pub(crate) const FITTING: &str =
    "[...document.querySelectorAll('.choice')].find((choice) => !choice.querySelector('.none'))";
const CONFIRM: &str = "document.querySelector('.keys button:last-child')";
pub(crate) const TURN: &str = "document.documentElement.dataset.turn";

/// Confirms with the mouse and waits for the person's next turn, which may be a leather patch.
fn confirmed(page: &mut Page<'_>) {
    let turn = page.evaluate(TURN);
    click(page, CONFIRM);
    page.wait_for(&format!("{TURN} && {TURN} !== '{}'", turn.as_str().expect("a turn")));
}

#[test]
fn a_patch_is_dragged_to_its_place_and_taken_back_and_laid() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let served = Served::start(game, "2");
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        for is_kept in [false, true] {
            let from = middle(&mut page, FITTING);
            page.mouse("mouseMoved", from);
            page.mouse("mousePressed", from);
            let to = middle(&mut page, "document.querySelector('.own .board')");
            page.mouse("mouseMoved", to);
            assert_eq!(count(&mut page, ".hand .held.fits"), 1, "{game}");
            assert!(count(&mut page, ".hand .place") > 20, "{game}: an empty board has many places");
            page.mouse("mouseReleased", to);
            page.wait_for("document.querySelector('.pending .patch')");
            assert_eq!(count(&mut page, ".hand .held"), 0, "{game}");
            if !is_kept {
                page.press("Escape");
                page.wait_for("!document.querySelector('.pending .patch')");
            }
        }
        assert_eq!(count(&mut page, ".own .board [data-patch]"), 0, "{game}: nothing is played yet");
        confirmed(&mut page);
        assert!(count(&mut page, ".own .board [data-patch]") >= 1, "{game}");
    }
}

#[test]
fn a_finger_drags_a_patch_and_a_button_places_it() {
    let Some(mut browser) = browser() else { return };
    let served = Served::start("doodle", "2");
    let mut page = browser.page(360, 1100, "light");
    sit_down(&mut page, &served);
    let choice = middle(&mut page, &format!("{FITTING}.querySelector('.picture')"));
    page.touch("touchStart", choice);
    let to = middle(&mut page, "document.querySelector('.own .board')");
    let first = text(&mut page, ".status");
    for share in [0.3, 0.6, 1.0] {
        page.touch(
            "touchMove",
            [0, 1].map(|axis: usize| choice[axis] + share * (to[axis] - 40.0 - choice[axis])),
        );
    }
    page.wait_for(&format!("document.querySelector('.status').innerText !== '{first}'"));
    page.touch("touchEnd", to);
    assert_eq!(count(&mut page, ".hand .held.fits"), 1, "lifting the finger places nothing");
    click(&mut page, "document.querySelector('.keys button:nth-child(6)')");
    page.wait_for("document.querySelector('.pending .patch')");
}

#[test]
fn keys_alone_lay_a_patch_and_hear_why_not() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let served = Served::start(game, "4");
        let mut page = browser.page(1280, 900, "dark");
        sit_down(&mut page, &served);
        let focused = |page: &mut Page<'_>| {
            page.evaluate("document.activeElement.className.baseVal ?? document.activeElement.className")
        };
        assert_eq!(focused(&mut page), "choice", "{game}: what can be taken is where the keys are");
        while page.evaluate("Boolean(document.activeElement.querySelector('.none'))") == true {
            page.press("Tab");
        }
        page.press("Enter");
        assert_eq!(focused(&mut page), "board", "{game}");
        let held = |page: &mut Page<'_>| text(page, ".status");
        let first = held(&mut page);
        assert!(first.contains("at row") && first.contains("fits"), "{game}: {first}");
        page.press("ArrowLeft");
        page.press("ArrowUp");
        assert_ne!(held(&mut page), first, "{game}");
        let outline =
            |page: &mut Page<'_>| page.evaluate("document.querySelector('.held .cloth').getAttribute('d')");
        let before = outline(&mut page);
        page.press("r");
        let rotated = outline(&mut page);
        for key in ["r", "r", "r"] {
            page.press(key);
        }
        page.press("f");
        page.press("f");
        assert_eq!(
            outline(&mut page),
            before,
            "{game}: four quarters, and the mirror image of the mirror image"
        );
        assert!(rotated.is_string(), "{game}");
        page.press("Enter");
        page.wait_for("document.querySelector('.pending .patch')");
        page.press("Escape");
        page.wait_for(
            "!document.querySelector('.pending .patch') && document.activeElement.matches('.choice')",
        );
        page.evaluate(&format!("{FITTING}.focus()"));
        page.press("Enter");
        page.press("Enter");
        page.wait_for("document.querySelector('.pending .patch') && document.activeElement.matches('.keys button:last-child')",
        );
        let turn = page.evaluate(TURN);
        page.press("Enter");
        page.wait_for(&format!("{TURN} && {TURN} !== '{}'", turn.as_str().expect("a turn")));
        refused_on_what_is_covered(&mut page, game);
    }
}

#[test]
fn no_key_gives_a_turn_away() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let served = Served::start(game, "4");
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        let turn = page.evaluate(TURN);
        for key in ["Escape", "r", "f", "l"] {
            page.press(key);
            let is_kept = page.evaluate("document.activeElement.matches('.choice')");
            assert_eq!(is_kept, true, "{game}: {key} leaves the focus where it was");
        }
        // Enter takes the first choice, and places and confirms nothing however long it is held.
        page.press("Enter");
        for _ in 0..20 {
            page.hold("Enter", "\r");
        }
        assert_eq!((page.evaluate(TURN), count(&mut page, ".held")), (turn.clone(), 1), "{game}");
        // Nothing is laid: the first Enter asks, the second one answers.
        page.press("Escape");
        page.evaluate("document.activeElement.blur()");
        page.press("Enter");
        if game == "doodle" {
            nothing_to_confirm(&mut page);
            page.press("Enter");
            assert_eq!(page.evaluate(TURN), turn);
        } else {
            assert!(text(&mut page, ".why").starts_with("Nothing is laid. Press Enter again to "));
            page.hold("Enter", "\r");
            assert_eq!(page.evaluate(TURN), turn);
            page.press("Enter");
            page.wait_for(&format!("{TURN} !== '{}'", turn.as_str().expect("a turn")));
        }
    }
}

/// The start patch must be drawn: the page says so, and has no button to confirm.
fn nothing_to_confirm(page: &mut Page<'_>) {
    let why = text(page, ".status");
    assert!(
        why.starts_with("There is nothing to confirm: ") && why.contains("start patch must be drawn"),
        "{why}"
    );
    assert_eq!(page.evaluate(&format!("{CONFIRM}.checkVisibility()")), false);
}

/// Holds a patch over covered cells until it does not fit. The page must say why it cannot be placed.
fn refused_on_what_is_covered(page: &mut Page<'_>, game: &str) {
    page.evaluate("document.querySelector('.choice').focus()");
    page.press("Enter");
    let over = "(() => { const first = document.querySelector('.own .board [data-patch] .cloth').getBoundingClientRect();
        return [first.x + first.width / 2, first.y + first.height / 2] })()";
    let place: Value = page.evaluate(over);
    page.mouse("mouseMoved", [0, 1].map(|axis: usize| place[axis].as_f64().expect("a place")));
    for key in ["ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight"] {
        if count(page, ".held.misfit") == 0 {
            page.press(key);
        }
    }
    assert_eq!(count(page, ".held.misfit"), 1, "{game}");
    page.press("Enter");
    page.wait_for("document.querySelector('.why').innerText");
    let why = text(page, ".why");
    assert!(why.contains("already covered") || why.contains("buttons, you have"), "{game}: {why}");
    assert_eq!(count(page, ".held"), 1, "{game}: it stays in hand");
    page.press("Escape");
    assert_eq!((count(page, ".held"), text(page, ".why")), (0, String::new()), "{game}");
}

#[test]
fn a_cut_piece_and_single_cells_are_laid() {
    let Some(mut browser) = browser() else { return };
    let served = Served::start("doodle", "6");
    let mut page = browser.page(1280, 900, "light");
    sit_down(&mut page, &served);
    // The first move places the start patch. The engine refuses a move without it.
    page.evaluate("document.activeElement.blur()");
    page.press("Enter");
    nothing_to_confirm(&mut page);
    page.evaluate(&format!("{FITTING}.click()"));
    page.press("Enter");
    page.wait_for("document.querySelector('.pending .patch')");
    confirmed(&mut page);
    page.evaluate(&format!("{FITTING}.click()"));
    assert!(count(&mut page, ".cut:not([hidden]) .choice") > 0, "the pieces of the card in hand");
    page.press("c");
    assert_eq!(page.evaluate("document.querySelector('.choice[aria-pressed=true]').dataset.piece"), "1");
    page.press("l");
    page.press("Enter");
    page.wait_for("document.querySelectorAll('.pending .patch').length === 1");
    page.press("s");
    page.press("Enter");
    page.wait_for("document.querySelectorAll('.pending .patch').length === 2");
    confirmed(&mut page);
    assert!(text(&mut page, ".own .did").contains("using"), "special actions were used");
    assert_eq!(count(&mut page, ".own .special.used, .own .special.just-used"), 2);
}

#[test]
fn it_is_within_reach_and_nothing_grave_keeps_anybody_from_it() {
    let Some(mut browser) = browser() else { return };
    let rules = axe::rules();
    for game in ["doodle", "patchwork"] {
        let served = Served::start(game, "3");
        let windows = [(360, "light"), (800, "dark"), (1280, "dark"), (2560, "light")];
        for (width, scheme) in windows.into_iter().step_by(needs::sized(2, 2, 1)) {
            let mut page = browser.page(width, 800, scheme);
            sit_down(&mut page, &served);
            page.evaluate(&format!("{FITTING}.click()"));
            fits(&mut page, width, game);
            if let Some(rules) = &rules {
                assert_eq!(axe::complaints(&mut page, rules), [""; 0], "{game} at {width}, {scheme}");
            }
        }
    }
}
