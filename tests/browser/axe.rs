//! Accessibility checks with axe-core.

use serde_json::Value;

use super::Page;

/// Returns the axe-core script, or `None` if `npm ci` has not installed it.
///
/// # Panics
/// If `CI` is set and the script is missing.
pub(crate) fn rules() -> Option<String> {
    if !needs::AXE.is_met() {
        return None;
    }
    Some(std::fs::read_to_string(needs::axe()).expect("it was found"))
}

/// Returns the accessibility violations of the page, best practices included, one per line. Waits until the page shows
/// its content: while it loads, it may be hidden.
pub(crate) fn complaints(page: &mut Page<'_>, rules: &str) -> Vec<String> {
    page.wait_for("document.querySelector('main')?.checkVisibility({ checkVisibilityCSS: true })");
    if page.evaluate("typeof axe") != "object" {
        page.evaluate(&format!("{rules}\n;0"));
    }
    let found =
        page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)");
    let describe = |rule: &Value| format!("{}: {} {}", rule["id"], rule["help"], rule["nodes"]);
    found.as_array().expect("a list").iter().map(describe).collect()
}
