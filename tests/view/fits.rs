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
    let doodle = (1..=10).step_by(needs::sized(3, 3, 1)).map(|seats| ("doodle", seats));
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
    for &(game, seats) in &all[..needs::sized(2, 2, 3)] {
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

/// Returns where the column of a wide window scrolls to; what scrolls in it, from the column on; the headings that are
/// in sight, from above; and true if the line of the turn is in sight below the chart.
fn column(page: &mut Page<'_>) -> Value {
    page.evaluate(
        "(() => {
           const side = document.querySelector('.side');
           const frame = side.getBoundingClientRect();
           const scrollers = [side, ...side.querySelectorAll('*')].filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight);
           const parts = [...side.children].map((part) => [part.getBoundingClientRect(), part]).filter(([{ top, bottom }]) => top < frame.bottom && bottom > frame.top);
           const chart = side.querySelector('.chart').getBoundingClientRect();
           const row = side.querySelector('[aria-current]')?.getBoundingClientRect();
           return { scrolled: side.scrollTop > 0, scrollers: scrollers.map(({ className }) => className),
             parts: parts.sort(([one], [other]) => Math.max(one.top, frame.top) - Math.max(other.top, frame.top)).map(([, part]) => part.ariaLabel ?? part.querySelector('h2').textContent),
             seen: Boolean(row) && row.top >= chart.bottom - 1 && row.bottom <= frame.bottom + 1 };
         })()",
    )
}

#[test]
fn the_column_beside_the_boards_follows_the_turn_and_leaves_the_page_alone() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    for game in ["patchwork", "doodle"] {
        let file = page(&record(folder.path(), game, 2, 4));
        for (width, height) in [SIZES[0], (1366, 768)] {
            let mut page = browser.page(width, height, "light");
            page.open(&file, "");
            page.wait_for("document.querySelector('.side').scrollTop > 0");
            // At the end nobody takes any more of the table, and the list follows below the chart.
            let end = column(&mut page);
            let wanted = json!({"scrolled": true, "scrollers": ["side"], "parts": ["Score if the match ended now", "List of moves"], "seen": true});
            assert_eq!(end, wanted, "{game} at {width}");
            // During the match the table comes first, until the reader scrolls.
            page.press("ArrowLeft");
            let before = column(&mut page);
            assert!(before["parts"][0] == "The table" && before["scrolled"] == false, "{game}: {before}");
            assert_eq!(before["scrollers"], json!(["side"]), "{game}");
            page.evaluate("document.querySelector('.side').scrollTop = 1");
            page.press("ArrowLeft");
            assert_eq!(column(&mut page)["seen"], true, "{game} at {width}");
            page.press("End");
            assert_eq!(column(&mut page), wanted, "{game} at {width}");
            assert_eq!(page.evaluate("scrollY"), json!(0), "{game} at {width}");
        }
    }
}

#[test]
fn a_low_window_cuts_no_words_and_scrolls_as_a_whole() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    for game in ["patchwork", "doodle"] {
        let file = page(&record(folder.path(), game, 2, 4));
        for (width, height) in [(844, 390), (720, 450), (683, 384)] {
            let mut page = browser.page(width, height, "light");
            for turn in ["#turn-12", "#turn-end"] {
                page.open(std::path::Path::new("/dev/null"), "");
                page.open(&file, turn);
                page.wait_for("document.querySelector('.seats').style.getPropertyValue('--card')");
                let what = format!("{game} at {width}, {turn}");
                // Words end where their box ends, or with three dots.
                let cut = page.evaluate(
                    "[...document.querySelectorAll('.seat *, .offer *, .story')].filter((one) => {
                       if (!one.checkVisibility() || one.closest('svg, .hidden, .told, h2')) return false;
                       const words = [...one.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
                       const box = one.closest('.seat, .offer li, .top').getBoundingClientRect();
                       const edges = words.flatMap((node) => { const range = new Range(); range.selectNode(node); return [...range.getClientRects()]; });
                       return edges.some(({ left, right, bottom }) => left < box.left || right > box.right || bottom > box.bottom);
                     }).map((one) => one.textContent)",
                );
                assert_eq!(cut, json!([]), "{what}");
                let dots = "['.did', '.seat h2'].map((what) => getComputedStyle(document.querySelector(what)).textOverflow)";
                assert_eq!(page.evaluate(dots), json!(["ellipsis", "ellipsis"]), "{what}");
                let lines = page.evaluate(
                    "(() => { const story = document.querySelector('.story'); return story.clientHeight / parseFloat(getComputedStyle(story).lineHeight); })()",
                );
                assert!(lines.as_f64().is_some_and(|lines| lines < 2.1), "{what}: {lines} lines");
                assert!(visible(&mut page, ".jumps a").iter().all(|&share| share == 100), "{what}");
                let scrollers = page.evaluate(
                    "[...document.querySelectorAll('main *')].filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1).map(({ className }) => className)",
                );
                assert_eq!(scrollers, json!([]), "{what}");
                // The page scrolls to the last move, and the boards stay.
                page.evaluate(
                    "document.querySelector('.moves li:last-child').scrollIntoView({ block: 'center' })",
                );
                assert_eq!(visible(&mut page, ".moves li:last-child"), [100], "{what}");
                assert_eq!(visible(&mut page, ".board"), [100, 100], "{what}");
            }
        }
    }
}
