//! A walk through the sizes and themes in which a page must be usable.

use super::{Browser, Page, axe};

/// The sizes: two desktops, a tablet, a phone upright and across, and a small window.
pub(crate) const SIZES: [(u32, u32); 6] =
    [(1440, 900), (1920, 1080), (1024, 768), (390, 844), (844, 390), (720, 450)];

/// Opens a page with `open` in light and in dark, and shows it in all sizes: nothing is wider than the window, every
/// control is within it and large enough, and nothing grave is in the way of anybody. `look` checks more.
pub(crate) fn walk(
    browser: &mut Browser,
    open: impl Fn(&mut Page<'_>),
    mut look: impl FnMut(&mut Page<'_>, (u32, u32)),
) {
    let rules = axe::rules();
    for scheme in ["light", "dark"] {
        let mut page = browser.page(SIZES[0].0, SIZES[0].1, scheme);
        open(&mut page);
        for (width, height) in SIZES {
            page.resize(width, height);
            // What depends on the size is drawn before the second frame.
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
            let what = format!("{width}x{height}, {scheme}");
            let wide = page.evaluate("document.documentElement.scrollWidth");
            assert!(wide.as_u64() <= Some(width.into()), "{what}: {wide} wide");
            let outside = page.evaluate(
                "[...document.querySelectorAll('button, select, input, .own .board')].filter((control) => {
                   const { left, right, width } = control.getBoundingClientRect();
                   return width > 0 && (left < 0 || right > innerWidth || width < 12);
                 }).map((control) => control.outerHTML)",
            );
            assert_eq!(outside, serde_json::json!([]), "{what}");
            if let Some(rules) = &rules {
                assert_eq!(axe::complaints(&mut page, rules), [""; 0], "{what}");
            }
            look(&mut page, (width, height));
        }
    }
}
