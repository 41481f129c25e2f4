//! The seat of a person: other ways to lay, words, hints, and another match.

use serde_json::{Value, json};

use crate::browser::walk::walk;
use crate::browser::{Page, browser};
use crate::play::guests::Served;
use crate::play::hands::{FITTING, TURN, click, count, middle, sit_down, text};
use crate::play::whole::move_once;
use crate::program::succeed;

const BOARD: &str = "document.querySelector('.own .board')";
const IS_OVER: &str = "Boolean(document.querySelector('.result a'))";
const PENDING: &str = "document.querySelector('.pending .cloth').getAttribute('d')";
const HELD: &str = "document.querySelector('.held .cloth').getAttribute('d')";

fn record(served: &Served) -> Value {
    serde_json::from_str(&std::fs::read_to_string(served.record()).expect("a record")).expect("JSON")
}

pub(crate) fn is_over(page: &mut Page<'_>) -> bool {
    page.evaluate(IS_OVER) == true
}

/// Waits for the next turn of the person, or for the end.
pub(crate) fn next_turn(page: &mut Page<'_>, before: &Value) {
    let before = before.as_str().expect("a turn");
    page.wait_for(&format!("({TURN} && {TURN} !== '{before}') || {IS_OVER}"));
}

#[test]
fn both_games_are_played_to_the_end_by_keyboard_alone() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let mut served = Served::start(game, "11");
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        let mut laid = 0;
        while !is_over(&mut page) {
            let turn = page.evaluate(TURN);
            let is_there =
                "document.activeElement.matches('.choice') && !document.activeElement.querySelector('.none')";
            if page.evaluate(is_there) == true {
                page.press("Enter");
                for key in ["l", "r", "l", "r", "l", "r", "l", "f", "l", "r", "l", "r", "l", "r", "l"] {
                    if count(&mut page, ".held.fits") == 1 {
                        break;
                    }
                    page.press(key);
                }
                page.press("Enter");
                page.wait_for("document.activeElement.matches('.keys button:last-child')");
                laid += 1;
            } else {
                // Nothing fits: the button is a few stops away.
                while page.evaluate("document.activeElement.matches('.keys button:last-child')") == false {
                    page.press("Tab");
                }
            }
            page.press("Enter");
            next_turn(&mut page, &turn);
        }
        assert!(laid > 5, "{game}: {laid} patches");
        served.wait_for_the_end();
        succeed(served.folder(), &["replay", "match.json"]);
        assert_eq!(record(&served)["result"]["faults"][0], Value::Null, "{game}");
    }
}

/// Presses the first button of the accessibility tree whose name has these words. Returns false if there is none.
fn press_named(page: &mut Page<'_>, is_wanted: impl Fn(&str) -> bool) -> bool {
    let found = page.accessible().into_iter().find(|(role, name, _)| role == "button" && is_wanted(name));
    found.inspect(|(_, _, node)| page.act(*node)).is_some()
}

#[test]
fn a_game_is_played_through_the_accessibility_tree_alone() {
    let Some(mut browser) = browser() else { return };
    let mut served = Served::start("patchwork", "12");
    let mut page = browser.page(1280, 900, "light");
    sit_down(&mut page, &served);
    let (mut laid, mut told) = (0, 0);
    while !is_over(&mut page) {
        let turn = page.evaluate(TURN);
        let tree = page.accessible();
        let board = tree.iter().find(|(role, _, _)| role == "application").expect("the own board");
        assert!(board.1.contains(" covered, ") && board.1.contains(" empty"), "{}", board.1);
        told +=
            tree.iter().filter(|(role, name, _)| role == "StaticText" && name.starts_with("rival: ")).count();
        // The name of a choice has its shape and its price.
        let fits = |name: &str| {
            (name.contains(" cells, row 1: ") || name.contains(": 1 cell, row 1: 1."))
                && !name.contains("you have")
                && !name.contains("no place")
        };
        if press_named(&mut page, fits) {
            for step in 0..8 {
                if count(&mut page, ".held.fits") == 1 {
                    break;
                }
                press_named(&mut page, |name| name == if step == 4 { "Flip" } else { "Rotate" });
                press_named(&mut page, |name| name == "Next place");
            }
            assert!(press_named(&mut page, |name| name == "Place"));
            page.wait_for("document.querySelector('.pending .patch')");
            let effect = text(&mut page, ".status");
            assert!(effect.contains("you land on space ") || effect.contains("you have "), "{effect}");
            laid += 1;
        }
        assert!(press_named(&mut page, |name| name == "Confirm" || name == "Advance"));
        next_turn(&mut page, &turn);
    }
    assert!(laid > 5 && told > 3, "{laid} patches, {told} sentences about the others");
    served.wait_for_the_end();
    succeed(served.folder(), &["replay", "match.json"]);
}

#[test]
fn wheel_right_click_and_clicks_turn_lay_and_pick_up() {
    let Some(mut browser) = browser() else { return };
    let served = Served::start("patchwork", "4");
    let mut page = browser.page(1440, 900, "light");
    sit_down(&mut page, &served);
    let places = "[...document.querySelectorAll('.tray, .table, .own')].map((part) => part.getBoundingClientRect().top)";
    let before = page.evaluate(places);
    // A click takes a patch, and a click on the board lays it.
    let choice = "document.querySelectorAll('.choice')[1]"; // the first one looks alike however it is turned
    click(&mut page, choice);
    let to = middle(&mut page, BOARD);
    page.mouse("mouseMoved", to);
    let straight = page.evaluate(HELD);
    page.wheel(to);
    page.wait_for(&format!("{HELD} !== '{}'", straight.as_str().expect("a path")));
    let turned = page.evaluate(HELD);
    page.right_click(to);
    page.right_click(to);
    assert_eq!(page.evaluate(HELD), turned, "the mirror image of the mirror image");
    for kind in ["mousePressed", "mouseReleased"] {
        page.mouse(kind, to);
    }
    page.wait_for("document.querySelector('.pending .patch') && document.querySelector('.status').innerText.includes('you land on')");
    assert_eq!(page.evaluate(places), before, "nothing jumps");
    // A click on the laid patch picks it up as it lies, and another one lays it again.
    let patch = middle(&mut page, "document.querySelector('.pending .patch')");
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        page.mouse(kind, patch);
    }
    assert_eq!((count(&mut page, ".held"), count(&mut page, ".pending .patch")), (1, 0));
    assert_eq!(page.evaluate(HELD), turned, "it is turned as it was");
    // It is turned so when it is taken anew, too.
    page.press("Escape");
    page.evaluate(&format!("{choice}.click()"));
    page.mouse("mouseMoved", to);
    assert_eq!(page.evaluate(HELD), turned);
}

#[test]
fn a_tap_on_a_mark_lays_the_piece_and_taps_on_it_pick_it_up_and_lay_it() {
    let Some(mut browser) = browser() else { return };
    let served = Served::start("doodle", "2");
    let mut page = browser.page(390, 844, "light");
    sit_down(&mut page, &served);
    page.evaluate(&format!("{FITTING}.click()"));
    let [x, y] = middle(&mut page, BOARD);
    let before = page.evaluate(HELD);
    let tap = |page: &mut Page<'_>, place| {
        page.touch("touchStart", place);
        page.touch("touchEnd", place);
    };
    tap(&mut page, [x - 100.0, y - 100.0]);
    page.wait_for("document.querySelector('.pending .patch')");
    assert_ne!(page.evaluate(PENDING), before, "it is laid at the mark");
    let laid = middle(&mut page, "document.querySelector('.pending .patch')");
    // The middle of a shape may be empty, so the tap goes to one of its cells.
    let cell = page.evaluate(&format!(
        "(() => {{ const cloth = document.querySelector('.pending .cloth'); const box = cloth.getBoundingClientRect();
           for (let x = box.left + 4; x < box.right; x += 4) for (let y = box.top + 4; y < box.bottom; y += 4)
             if (document.elementsFromPoint(x, y).length && cloth.isPointInFill(new DOMPoint(x, y).matrixTransform(cloth.getScreenCTM().inverse()))) return [x, y];
           return [{}, {}]; }})()", laid[0], laid[1]
    ));
    let cell = [0, 1].map(|axis: usize| cell[axis].as_f64().expect("a place"));
    let before = page.evaluate(PENDING);
    tap(&mut page, cell);
    page.wait_for("document.querySelector('.held.fits') && !document.querySelector('.pending .patch')");
    assert_eq!(page.evaluate(HELD), before, "it is in hand as it lay");
    assert!(text(&mut page, ".status").contains(": fits. Tap it again to lay it"));
    tap(&mut page, cell);
    page.wait_for("document.querySelector('.pending .patch')");
    assert_eq!(page.evaluate(PENDING), before);
}

#[test]
fn a_hint_is_laid_and_counted_in_the_record() {
    let Some(mut browser) = browser() else { return };
    for (game, seed) in [("doodle", "8"), ("patchwork", "14")] {
        let mut served = Served::start(game, seed);
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        page.press("h");
        page.wait_for("document.querySelector('.status').innerText.startsWith('The hint: ')");
        let piece = text(&mut page, ".choice.hinted b");
        let said = text(&mut page, ".status");
        assert!(
            said.starts_with(&format!("The hint: {piece}.")) && !said.contains(" row "),
            "{game}: {said}"
        );
        assert_eq!(count(&mut page, ".hint .patch, .pending .patch"), 0, "{game}: the place is not told");
        page.press("h");
        let said = text(&mut page, ".status");
        assert!(said.contains(" master says: eval "), "{game}: {said}");
        assert!(said.starts_with(&format!("The hint: {piece} at row ")), "{game}: {said}");
        assert_eq!(said.contains("It spends no special action."), game == "doodle", "{game}: {said}");
        let outline = page.evaluate("document.querySelector('.hint .cloth').getAttribute('d')");
        assert_eq!(count(&mut page, ".pending .patch"), 0, "{game}: nothing is laid unasked");
        page.press(if game == "doodle" { "Enter" } else { "h" });
        page.wait_for("document.querySelector('.pending .patch') && document.activeElement.matches('.keys button:last-child')");
        assert_eq!(
            page.evaluate("document.querySelector('.pending .cloth').getAttribute('d')"),
            outline,
            "{game}"
        );
        let turn = page.evaluate(TURN);
        page.press("Enter");
        next_turn(&mut page, &turn);
        page.evaluate("document.querySelector('.leave').click()");
        click(&mut page, "document.querySelector('.leaving .grave')");
        served.wait_for_the_end();
        let turns = record(&served)["turns"].clone();
        let mut own = turns.as_array().expect("turns").iter().filter(|turn| turn["seat"] == 0);
        assert_eq!(own.next().expect("a move")["note"], "1 hint", "{game}");
        assert_eq!(own.next().expect("a fault")["note"], Value::Null, "{game}");
    }
}

#[test]
fn another_match_begins_on_the_same_page_with_the_next_seed() {
    let Some(mut browser) = browser() else { return };
    let mut served = Served::start("patchwork", "20");
    let mut page = browser.page(1280, 900, "light");
    sit_down(&mut page, &served);
    move_once(&mut page);
    page.evaluate("document.querySelector('.leave').click()");
    click(&mut page, "document.querySelector('.leaving .grave')");
    served.wait_for_the_end();
    page.wait_for(IS_OVER);
    click(&mut page, "document.querySelector('.result .again')");
    page.wait_for(&format!("{TURN} === '0' && document.querySelector('.result').hidden"));
    assert_eq!(count(&mut page, ".own .board [data-patch]"), 0, "it is another match");
    page.evaluate("document.querySelector('.leave').click()");
    click(&mut page, "document.querySelector('.leaving .grave')");
    served.wait_for_the_end();
    let seeds = ["match.json", "match-2.json"].map(|name| {
        let text = std::fs::read_to_string(served.folder().join(name)).expect("a record");
        serde_json::from_str::<Value>(&text).expect("JSON")["seed"].clone()
    });
    assert_eq!(seeds, [json!(20), json!(21)]);
    page.wait_for(IS_OVER);
    click(&mut page, "document.querySelector('.result .end')");
    assert!(served.ends_well());
}

#[test]
fn the_help_has_the_rules_of_the_game() {
    let Some(mut browser) = browser() else { return };
    for (game, word) in [("doodle", "Neighbor"), ("patchwork", "income")] {
        let served = Served::start(game, "4");
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        page.press("?");
        let help = text(&mut page, "dialog[open]");
        assert!(help.contains(word) && help.contains("the next place where it fits"), "{game}: {help}");
        page.press("Escape");
        page.wait_for("!document.querySelector('dialog[open]')");
        assert_eq!(count(&mut page, ".held, .pending .patch"), 0, "{game}");
    }
}

#[test]
fn the_seat_fits_all_windows() {
    let Some(mut browser) = browser() else { return };
    for (game, more) in [("patchwork", &[][..]), ("doodle", &["--bot", "b=greedy", "--bot", "c=greedy"])] {
        let served = Served::start_with(game, "3", more);
        let open = |page: &mut Page<'_>| {
            sit_down(page, &served);
            page.evaluate(&format!("{FITTING}.click()"));
        };
        walk(&mut browser, open, |page, size| {
            let share = |what: &str| {
                format!(
                    "(() => {{ const {{ top, bottom, height }} = document.querySelector('{what}').getBoundingClientRect();
                       const edge = document.querySelector('.hand-bar').getBoundingClientRect().top;
                       return Math.round(100 * (Math.min(bottom, edge) - Math.max(top, 0)) / height); }})()"
                )
            };
            for (what, least) in [(".own .board", 100), (".tray .choices", 80)] {
                let seen = page.evaluate(&share(what));
                assert!(seen.as_i64() >= Some(least), "{game}: {what} at {size:?}: {seen} %");
            }
            let lines = "new Set([...document.querySelectorAll('.keys button:not([hidden])')].map((key) => key.offsetTop)).size";
            assert!(size != (844, 390) || page.evaluate(lines) == 1, "{game}: the keys are in one line");
        });
    }
}
