//! The rules of accessibility, as axe-core has them.

use std::path::Path;

use serde_json::Value;

use super::{Page, found};

/// The program that is put into a page; `None` where `npm ci` did not install it, but in CI.
pub(crate) fn rules() -> Option<String> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/browser/node_modules/axe-core/axe.min.js");
    found("axe-core: \"npm ci\" in tests/browser installs it", std::fs::read_to_string(file).ok())
}

/// What is wrong with the page as it stands and would keep somebody from using it, in a line each.
pub(crate) fn complaints(page: &mut Page<'_>, rules: &str) -> Vec<String> {
    if page.evaluate("typeof axe") != "object" {
        page.evaluate(&format!("{rules}\n;0"));
    }
    let found =
        page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)");
    let grave = |rule: &&Value| ["serious", "critical"].iter().any(|impact| rule["impact"] == *impact);
    let told = |rule: &Value| format!("{}: {} {}", rule["id"], rule["help"], rule["nodes"]);
    found.as_array().expect("a list").iter().filter(grave).map(told).collect()
}
