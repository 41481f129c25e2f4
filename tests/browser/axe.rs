//! The rules of accessibility, as axe-core has them.

use serde_json::Value;

use super::Page;

/// Returns the program that is put into a page; `None` where `npm ci` did not install it.
///
/// # Panics
/// With `CI` set, where it is missing.
pub(crate) fn rules() -> Option<String> {
    if !needs::AXE.is_met() {
        return None;
    }
    Some(std::fs::read_to_string(needs::axe()).expect("it was found"))
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
