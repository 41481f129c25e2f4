//! The picture of the standings in the README.

use std::path::PathBuf;

use super::screen;
use crate::program::scratch;

/// The command line in the picture.
pub(super) const COMMAND: &str = "$ arena tournament --seed 1";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/standings.svg")
}

/// Returns the picture in the documents.
pub(super) fn standings() -> String {
    std::fs::read_to_string(path()).expect("the picture is there")
}

/// Returns the text between the tags of a picture, line by line.
pub(super) fn text(picture: &str) -> String {
    let (_, drawn) = picture.split_once("</style>").expect("a picture has a style");
    let mut text = String::new();
    for line in drawn.lines().filter(|line| line.contains("<tspan")) {
        let parts = line.split('<').filter_map(|part| part.split_once('>')).map(|(_, part)| part);
        let line: String = parts.collect();
        if line.trim().is_empty() {
            continue; // the end of the last line
        }
        text.push_str(
            &(line.trim_end().replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&") + "\n"),
        );
    }
    text
}

/// Redraws the picture: `cargo test -p quilt-arena --test integration screens::pictures -- --ignored`.
#[test]
#[ignore = "rewrites docs/standings.svg"]
fn draw_standings() {
    let output = screen(scratch().path(), 80, "always", &["tournament", "--seed", "1"]);
    let picture = anstyle_svg::Term::new().render_svg(&format!("{COMMAND}\n{output}"));
    std::fs::write(path(), picture).expect("the documents can be written");
}
