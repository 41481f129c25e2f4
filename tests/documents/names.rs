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

/// Returns true for a name of at least four words, such as the tests have.
fn is_name_of_a_test(span: &str) -> bool {
    let plain = span.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    plain && span.matches('_').count() >= 3
}

fn is_path(span: &str) -> bool {
    let plain = span.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
    plain && span.contains('/') && EXTENSIONS.iter().any(|extension| span.ends_with(extension))
}

#[test]
fn tests_that_are_named_exist() {
    let mut text = String::new();
    SOURCES.iter().for_each(|folder| sources(&top().join(folder), &mut text));
    let mut count = 0;
    for document in DOCUMENTS {
        for span in code_spans(document).iter().filter(|span| is_name_of_a_test(span)) {
            assert!(text.contains(&format!("fn {span}(")), "{document}: there is no test {span}");
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
