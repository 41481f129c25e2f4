//! The documents as text: fenced blocks, inline code, headings and links.

use std::path::{Path, PathBuf};

/// Every document of the project, relative to its top folder.
pub(crate) const DOCUMENTS: &[&str] = &[
    "README.md",
    "protocol.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/rules-doodle.md",
    "docs/rules-patchwork.md",
    "results/README.md",
    "bots/README.md",
];

/// A fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    /// Where it stands, for messages.
    pub(crate) place: String,
    /// The words after the opening fence.
    pub(crate) info: String,
    /// Its lines, each with its newline.
    pub(crate) text: String,
}

/// The project's top folder.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

pub(crate) fn path(document: &str) -> PathBuf {
    top().join(document)
}

pub(crate) fn read(document: &str) -> String {
    std::fs::read_to_string(path(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// The fenced blocks of a document, in order.
pub(crate) fn blocks(document: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(read(document).lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let place = format!("{document} line {number}");
                open = Some(Block { place, info: info.trim().to_owned(), text: String::new() });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => block.text.push_str(&(line.to_owned() + "\n")),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{document}: a fenced block is not closed");
    found
}

/// The first block of README.md with this info string.
pub(crate) fn readme_block(info: &str) -> Block {
    blocks("README.md").into_iter().find(|block| block.info == info).expect("README.md has such a block")
}

/// The text outside of fenced blocks.
pub(crate) fn prose(document: &str) -> String {
    let mut fenced = false;
    let text = read(document);
    let outside = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    });
    outside.collect::<Vec<_>>().join("\n")
}

/// The pieces of inline code.
pub(crate) fn code_spans(document: &str) -> Vec<String> {
    prose(document).split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The targets of links, without those to other sites.
fn links(document: &str) -> Vec<String> {
    let text = prose(document);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// The anchors of a document's headings.
fn anchors(document: &str) -> Vec<String> {
    let anchor = |heading: &str| -> String {
        let kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
        heading.trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    let text = prose(document);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    for document in DOCUMENTS {
        for link in links(document) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => path(document),
                file => path(document).parent().expect("a document has a folder").join(file),
            };
            let target = target.canonicalize().unwrap_or_else(|_| panic!("{document} links to {link}"));
            if !anchor.is_empty() {
                let top = top().canonicalize().expect("the project is there");
                let name = target.strip_prefix(top).expect("within the project").to_string_lossy();
                assert!(anchors(&name).iter().any(|known| known == anchor), "{document}: no heading {link}");
            }
        }
    }
}

#[test]
fn every_document_is_linked_from_the_readme() {
    let links = links("README.md");
    for document in DOCUMENTS.iter().filter(|document| **document != "README.md") {
        assert!(links.iter().any(|link| link == document), "README.md does not link to {document}");
    }
}
