//! The parts of a match that a window shows without scrolling.

use serde_json::{Value, json};

use crate::browser::walk::{SIZES, walk};
use crate::browser::{Page, browser};
use crate::program::scratch;
use crate::view::matches::{page, record};

/// Returns the visible share of each element in percent: what is inside of the window and above the controls.
fn visible(page: &mut Page<'_>, what: &str) -> Vec<u64> {
    let shares = page.evaluate(&format!(
        "[...document.querySelectorAll('{what}')].map((element) => {{
           const {{ top, bottom, height }} = element.getBoundingClientRect();
           const edge = document.querySelector('.controls').getBoundingClientRect().top;
           return Math.round(100 * Math.max(Math.min(bottom, edge) - Math.max(top, 0), 0) / height);
         }})"
    ));
    serde_json::from_value(shares).expect("numbers")
}

#[test]
fn all_seats_are_whole_on_a_desktop() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let doodle = (1..=10).step_by(needs::sized(3, 1, 1)).map(|seats| ("doodle", seats));
    for (game, seats) in doodle.chain([("patchwork", 2)]) {
        let file = page(&record(folder.path(), game, seats, 4));
        let mut page = browser.page(SIZES[0].0, SIZES[0].1, "light");
        for turn in ["#turn-7", "#turn-end"] {
            page.open(std::path::Path::new("/dev/null"), "");
            page.open(&file, turn);
            page.wait_for("document.querySelector('.seats').style.getPropertyValue('--card')");
            assert_eq!(visible(&mut page, ".seat"), vec![100; seats], "{game}, {seats} seats, {turn}");
        }
    }
}

#[test]
fn a_match_fits_all_windows() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let all = [("doodle", 10), ("patchwork", 2), ("doodle", 2)];
    for &(game, seats) in &all[..needs::sized(2, 3, 3)] {
        let file = page(&record(folder.path(), game, seats, 4));
        walk(
            &mut browser,
            |page| page.open(&file, "#turn-12"),
            |page, size| {
                let boards = visible(page, ".board");
                let table = visible(page, ".ring, .track");
                let whole = boards.iter().filter(|&&share| share == 100).count();
                assert!(whole >= seats.min(2), "{game}, {seats} seats at {size:?}: {boards:?}");
                assert!(table[0] >= 70, "{game}, {seats} seats at {size:?}: {table:?}");
            },
        );
    }
}

#[test]
fn the_list_of_moves_scrolls_to_the_turn_and_leaves_the_page_alone() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let file = page(&record(folder.path(), "patchwork", 2, 4));
    let mut page = browser.page(SIZES[0].0, SIZES[0].1, "light");
    page.open(&file, "");
    for key in ["Home", "End", "ArrowLeft"] {
        page.press(key);
        let is_seen = page.evaluate(
            "(() => {
               const [row, list] = ['.moves [aria-current]', '.moves'].map((what) => document.querySelector(what)?.getBoundingClientRect());
               return !row || (row.top >= list.top - 1 && row.bottom <= list.bottom + 1);
             })()",
        );
        assert_eq!(is_seen, Value::Bool(true), "{key}");
        assert_eq!(
            page.evaluate("[scrollY, document.querySelector('.side').scrollTop]"),
            json!([0, 0]),
            "{key}"
        );
    }
}
