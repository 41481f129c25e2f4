//! Checks that files and tests exist if a document names them.

use std::fs;
use std::path::Path;

use crate::documents::markdown::{DOCUMENTS, code_spans, top};

/// Folders of source files.
const SOURCES: [&str; 4] = ["engine", "arena", "bots/rust", "tests"];
/// Endings of paths of files and folders.
const EXTENSIONS: [&str; 7] = [".rs", ".md", ".json", ".toml", ".txt", ".sh", "/"];

/// Appends all Rust source files below a folder to `text`.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        // Build folders and virtual environments have sources of others.
        if path.is_dir() && !["target", ".venv"].iter().any(|name| path.ends_with(name)) {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).expect("sources are text"));
        }
    }
}

/// Returns true if there is a test or function of this name.
pub(crate) fn is_there(test: &str) -> bool {
    let mut text = String::new();
    SOURCES.iter().for_each(|folder| sources(&top().join(folder), &mut text));
    text.contains(&format!("fn {test}("))
}

/// Returns true for a name of at least four words, such as the tests have.
fn is_name_of_a_test(span: &str) -> bool {
    let plain = span.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    plain && span.matches('_').count() >= 3
}

fn is_path(span: &str) -> bool {
    let plain = span.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
    plain && span.contains('/') && EXTENSIONS.iter().any(|extension| span.ends_with(extension))
}

/// Returns why `cargo test` does not run the test of a promise. `before` and `after` are the sources around its name.
fn why_not_run(before: &str, after: &str) -> Option<&'static str> {
    let attributes = before.rsplit("\n\n").next().unwrap_or_default();
    let body = after.split("#[test]").next().unwrap_or_default();
    let is_left_out = |size: &str| body.contains(&format!("if !needs::{size}() {{\n        return"));
    match () {
        () if !attributes.contains("#[test]") && !attributes.contains("#[tokio::test") => Some("is no test"),
        () if attributes.contains("#[ignore") => Some("is ignored"),
        () if is_left_out("tries_more") || is_left_out("tries_all") => Some("runs with a variable alone"),
        () => None,
    }
}

/// The tests of promises run in `cargo test`, if only in small.
#[test]
fn tests_that_are_named_exist() {
    let mut text = String::new();
    SOURCES.iter().for_each(|folder| sources(&top().join(folder), &mut text));
    let mut count = 0;
    for document in DOCUMENTS {
        for span in code_spans(document).iter().filter(|span| is_name_of_a_test(span)) {
            let found = text.split_once(&format!("fn {span}("));
            let (before, after) = found.unwrap_or_else(|| panic!("{document}: there is no test {span}"));
            if *document == "docs/invariants.md" {
                assert_eq!(why_not_run(before, after), None, "{document}: {span}");
            }
            count += 1;
        }
    }
    assert!(count > 20, "only {count} tests are named");
}

#[test]
fn files_that_are_named_exist() {
    for document in DOCUMENTS {
        for span in code_spans(document).iter().filter(|span| is_path(span)) {
            assert!(top().join(span).exists(), "{document}: there is no file {span}");
        }
    }
}
