//! A walk through the sizes and themes in which a page must be usable.

use super::{Browser, Page, axe};

/// The sizes: two desktops, a tablet, a phone upright and across, and a small window.
pub(crate) const SIZES: [(u32, u32); 6] =
    [(1440, 900), (1920, 1080), (1024, 768), (390, 844), (844, 390), (720, 450)];

/// The place of the phone upright in [`SIZES`].
const PHONE: usize = 3;

/// Narrower and wider windows, in which a page must fit too.
const WIDTHS: [u32; 2] = [360, 2560];

/// Checks that nothing is wider than the window, and that every visible control is within it and large enough.
pub(crate) fn fits(page: &mut Page<'_>, width: u32, what: &str) {
    let wide = page.evaluate("document.documentElement.scrollWidth");
    assert!(wide.as_u64() <= Some(width.into()), "{what} at {width}: {wide} wide");
    // A click on the label of a box is a click on the box.
    let outside = page.evaluate(
        "[...document.querySelectorAll('button, select, input, .own .board')].filter((control) => {
           const target = control.type === 'checkbox' ? control.closest('label') : control;
           const { left, right, width } = target.getBoundingClientRect();
           return control.checkVisibility() && (left < 0 || right > innerWidth || width < 20);
         }).map((control) => control.outerHTML)",
    );
    assert_eq!(outside, serde_json::json!([]), "{what} at {width}");
}

/// Opens a page with `open` in light and in dark, and shows it in all sizes: it fits, and nothing grave is in the way of
/// anybody. `look` checks more. Only `.ci/run --full` asks for what is in the way in each size, and shows the dark page in
/// others than the first one.
pub(crate) fn walk(
    browser: &mut Browser,
    open: impl Fn(&mut Page<'_>),
    mut look: impl FnMut(&mut Page<'_>, (u32, u32)),
) {
    let rules = axe::rules();
    for scheme in ["light", "dark"] {
        let mut page = browser.page(SIZES[0].0, SIZES[0].1, scheme);
        open(&mut page);
        for (place, (width, height)) in SIZES.into_iter().enumerate() {
            let is_judged = [0, PHONE].contains(&place) || needs::tries_all();
            if scheme == "dark" && place > 0 && !needs::tries_all() {
                return;
            }
            resize(&mut page, width, height);
            fits(&mut page, width, scheme);
            if let Some(rules) = rules.as_ref().filter(|_| is_judged) {
                assert_eq!(axe::complaints(&mut page, rules), [""; 0], "{width}x{height}, {scheme}");
            }
            look(&mut page, (width, height));
        }
        for width in WIDTHS {
            resize(&mut page, width, 800);
            fits(&mut page, width, scheme);
        }
    }
}

/// Resizes a page, and waits until it is drawn in the new size.
fn resize(page: &mut Page<'_>, width: u32, height: u32) {
    page.resize(width, height);
    page.drawn();
}
