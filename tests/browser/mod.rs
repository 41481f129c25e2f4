//! Pages in a real browser, for the tests of everything that is shown there.
//!
//! A machine without Chromium skips these tests and says so; in CI it must be there. So must axe-core, the
//! rules of accessibility, which `npm ci` installs in this folder.

pub(crate) mod axe;
mod devtools;
mod page;

use std::path::PathBuf;

pub(crate) use devtools::Browser;
pub(crate) use page::Page;

/// What Chromium is called.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A browser; `None` on a machine that has none, but in CI.
pub(crate) fn browser() -> Option<Browser> {
    found("Chromium", program()).map(|program| Browser::start(&program))
}

fn program() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let at = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file());
    PROGRAMS.into_iter().find_map(at)
}

/// What a test needs, if the machine has it; in CI it must.
fn found<T>(what: &str, thing: Option<T>) -> Option<T> {
    assert!(thing.is_some() || std::env::var_os("CI").is_none(), "there is no {what}");
    if thing.is_none() {
        println!("skipped: there is no {what}");
    }
    thing
}
