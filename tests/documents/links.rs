//! Every link between the documents has a target, and every document is linked.

use std::process::Command;

use crate::documents::markdown::{DOCUMENTS, path, prose, top};
use crate::program::scratch;

/// Returns the targets of links, without links to other sites.
fn links(document: &str) -> Vec<String> {
    let text = prose(document);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// Returns the anchors of a document's headings.
fn anchors(document: &str) -> Vec<String> {
    let anchor = |heading: &str| -> String {
        let kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
        heading.trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    let text = prose(document);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

/// In packages, links between documents lead somewhere, and so do all links of the first page but those to schemas and
/// pictures.
#[test]
fn packages_have_the_documents() {
    let folder = scratch();
    let script = top().join(".ci/documents");
    assert!(Command::new(script).arg(folder.path()).status().expect("it starts").success());
    for document in DOCUMENTS {
        let place = folder.path().join(document);
        assert!(place.is_file(), "{document} is not in packages");
        for link in links(document).iter().filter(|link| !link.starts_with('#')) {
            let file = link.split('#').next().unwrap_or_default();
            let is_left_out = [".json", ".png", ".svg"].iter().any(|end| file.ends_with(end));
            if !is_left_out && (*document == "README.md" || file.ends_with(".md")) {
                let target = place.parent().expect("a document has a folder").join(file);
                assert!(target.exists(), "in packages, {document} links to {file}");
            }
        }
    }
}

/// Returns all pages below a folder of the project.
fn pages(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(path(folder)).expect("a folder").flatten();
    let names = entries.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()));
    let below = |name: String| if path(&name).is_dir() { pages(&name) } else { vec![name] };
    names.flat_map(below).filter(|name| name.ends_with(".md")).collect()
}

#[test]
fn every_page_is_a_document_that_is_checked() {
    let missing: Vec<String> =
        pages("docs").into_iter().filter(|page| !DOCUMENTS.contains(&page.as_str())).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn links_lead_to_files_and_headings() {
    for document in DOCUMENTS {
        for link in links(document) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let own = path(document);
            let target = if file.is_empty() { own } else { own.with_file_name(file) };
            let target = target.canonicalize().unwrap_or_else(|_| panic!("{document} links to {link}"));
            if !anchor.is_empty() {
                let top = top().canonicalize().expect("the project is there");
                let name = target.strip_prefix(top).expect("within the project").to_string_lossy();
                assert!(anchors(&name).iter().any(|known| known == anchor), "{document}: no heading {link}");
            }
        }
    }
}

/// The pages that list other pages, and the folders of their links.
const INDEXES: [(&str, &str); 5] = [
    ("README.md", ""),
    ("docs/guide/SUMMARY.md", "docs/guide/"),
    ("docs/decisions/README.md", "docs/decisions/"),
    ("docs/notes/README.md", "docs/notes/"),
    ("docs/reference/README.md", "docs/reference/"),
];

#[test]
fn every_document_is_linked_from_the_readme_or_an_index() {
    let of_index = |(index, folder): (&'static str, &'static str)| {
        links(index).into_iter().map(move |page| format!("{folder}{page}"))
    };
    let links: Vec<String> = INDEXES.into_iter().flat_map(of_index).collect();
    for document in DOCUMENTS.iter().filter(|document| **document != "README.md") {
        let is_linked = links.iter().any(|link| link.split('#').next() == Some(document));
        assert!(is_linked, "neither README.md nor an index links to {document}");
    }
}
