//! Pages in a real browser, for the tests of everything that the arena shows there.
//!
//! Without a browser these tests do nothing. `cargo test` lists them at its end.

pub(crate) mod axe;
mod devtools;
mod page;
pub(crate) mod walk;

pub(crate) use devtools::{Browser, Lent};
pub(crate) use page::Page;

/// Returns a browser of its own for a test. Returns `None` on a machine without one.
///
/// # Panics
/// If `CI` is set and there is no browser.
pub(crate) fn browser() -> Option<Lent> {
    if needs::BROWSER.is_met() { needs::chromium().map(|program| Browser::lend(&program)) } else { None }
}
