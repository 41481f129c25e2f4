//! Pages in a real browser, for the tests of everything that is shown there.
//!
//! Without a browser these tests do nothing, which `cargo test` lists at its end.

pub(crate) mod axe;
mod devtools;
mod page;

pub(crate) use devtools::Browser;
pub(crate) use page::Page;

/// Starts a browser; `None` on a machine that has none.
///
/// # Panics
/// With `CI` set, where there is none.
pub(crate) fn browser() -> Option<Browser> {
    if needs::BROWSER.is_met() { needs::chromium().map(|program| Browser::start(&program)) } else { None }
}
