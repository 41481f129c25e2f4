//! Pieces that fit only when turned or nowhere, and keys that can do nothing: the page says which, and why.

use std::collections::HashSet;

use crate::browser::{Page, browser};
use crate::play::guests::Served;
use crate::play::hands::{FITTING, count, sit_down, text};
use crate::play::whole::move_once;

/// For each whole piece without an obstacle: its place in the tray, and the number of ways to lay it.
const WAYS: &str = "fetch('state?after=0').then((answer) => answer.json()).then(({ turn }) => turn.choices
    .filter(({ piece }) => piece === 0).map(({ turnings, obstacle }, place) => [place, obstacle ? -1
      : new Set(turnings.flatMap(({ shape, anchors }) => anchors.map((anchor) => `${shape} ${anchor}`))).size]))";
const HELD: &str = "document.querySelector('.held .cloth').getAttribute('d')";

/// Takes this choice of the tray in hand.
fn take(page: &mut Page<'_>, place: u64) {
    page.evaluate(&format!("document.querySelectorAll('.tray > .choices .choice')[{place}].click()"));
}

/// Finds all ways to lay the held piece with the key for the next place alone.
fn seek_all(page: &mut Page<'_>, ways: usize, game: &str) {
    let status = text(page, ".status");
    let helps = ["fits when turned: R.", "fits when flipped: F.", "as it is turned; L finds a place."];
    assert!(helps.iter().any(|words| status.ends_with(words)), "{game}: {status}");
    let mut seek = || {
        page.press("l");
        assert_eq!(count(page, ".held.fits"), 1, "{game}");
        page.evaluate(HELD)
    };
    let first = seek();
    let mut all: HashSet<_> = (1..ways).map(|_| seek()).collect();
    all.insert(first.clone());
    assert_eq!(all.len(), ways, "{game}: every place is found once");
    assert_eq!(seek(), first, "{game}: after the last one comes the first");
}

#[test]
fn the_next_place_is_found_however_a_piece_is_turned() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let served = Served::start(game, "2");
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        let (mut turned, mut nowhere) = (false, false);
        while !(turned && nowhere) {
            let pieces = page.evaluate(WAYS);
            for piece in pieces.as_array().expect("pieces") {
                let (place, ways) = (piece[0].as_u64().expect("a place"), piece[1].as_i64());
                take(&mut page, place);
                if ways == Some(0) {
                    for key in ["l", "r", "f"] {
                        let status = text(&mut page, ".status");
                        assert!(status.ends_with(" fits nowhere; Escape takes it back."), "{game}: {status}");
                        page.press(key);
                    }
                    nowhere = true;
                } else if ways > Some(0) && count(&mut page, ".hand .place") == 0 {
                    seek_all(&mut page, ways.expect("a number") as usize, game);
                    turned = true;
                }
                page.press("Escape");
                assert_eq!(count(&mut page, ".held"), 0, "{game}");
            }
            move_once(&mut page);
        }
    }
}

#[test]
fn a_key_that_does_nothing_says_why() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let served = Served::start(game, "4");
        let mut page = browser.page(1280, 900, "light");
        sit_down(&mut page, &served);
        for (key, why) in [
            ("r", "Nothing is in hand: take something first."),
            ("s", "No single cell can be shaded now."),
            ("f", "Nothing is in hand: take something first."),
            ("Escape", "Nothing is in hand, and nothing is laid."),
            ("l", "Nothing is in hand: take something first."),
            ("c", "Nothing is in hand: take something first."),
            ("Escape", "Nothing is in hand, and nothing is laid."),
            ("ArrowLeft", "Nothing is in hand: take something first."),
        ] {
            page.press(key);
            assert_eq!(text(&mut page, ".status"), why, "{game}: {key}");
        }
        page.evaluate(&format!("{FITTING}.click()"));
        (0..9).for_each(|_| page.press("ArrowLeft"));
        assert_eq!(text(&mut page, ".status"), "The edge of the board is in the way.", "{game}");
        page.press("c");
        let why = text(&mut page, ".status");
        assert!(why.starts_with("No cut of ") && why.ends_with(" can be laid now."), "{game}: {why}");
    }
}
