//! The documents are short enough to be read to the end.

use crate::documents::markdown::{DOCUMENTS, read};

/// The most bytes of a document, by the beginning of its path.
const BYTES_MAX: [(&str, usize); 5] = [
    ("README.md", 9_000),
    ("ARCHITECTURE.md", 10_000),
    ("protocol.md", 30_000),
    ("docs/guide/", 8_000),
    ("docs/decisions/", 2_000),
];

#[test]
fn documents_keep_their_sizes() {
    for (beginning, bytes_max) in BYTES_MAX {
        let those: Vec<&&str> = DOCUMENTS.iter().filter(|document| document.starts_with(beginning)).collect();
        assert!(!those.is_empty(), "there is no {beginning}");
        for document in those {
            let bytes = read(document).len();
            assert!(bytes <= bytes_max, "{document} has {bytes} bytes, at most {bytes_max} are allowed");
        }
    }
}
