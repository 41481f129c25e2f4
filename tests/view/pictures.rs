//! Screenshots of pages: some for the documents, and one of each kind for people who change the style.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::browser::{Page, browser};
use crate::program::{scratch, succeed};
use crate::view::matches::{page as html, record};

/// Scale of a picture in the documents.
const IN_DOCUMENTS: f64 = 0.7;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Plays a match between two good bots and returns its record.
fn duel(folder: &Path, game: &str) -> PathBuf {
    let file = folder.join(format!("{game}.json"));
    let path = file.to_str().expect("a plain path");
    let bots = ["--bot", "greedy", "--bot", "rival=greedy"];
    succeed(
        folder,
        &[&["match", "--quiet", "--game", game, "--seed", "1", "--record", path], &bots[..]].concat(),
    );
    file
}

/// Takes a screenshot of a turn.
fn take(page: &mut Page<'_>, file: &Path, turn: &str, scale: f64) -> Vec<u8> {
    page.open(file, turn);
    page.evaluate("new Promise((done) => setTimeout(done, 400))"); // until placed patches have appeared
    BASE64_STANDARD.decode(page.picture(scale)).expect("what the browser sends is Base64")
}

#[test]
#[ignore = "writes the pictures of the documents, and others into target/pictures"]
fn pictures() {
    let mut browser = browser().expect("a browser draws the pictures");
    let (scratch, looks) = (scratch(), top().join("target/pictures"));
    fs::create_dir_all(&looks).expect("a folder of pictures");
    for (game, seats, turn) in
        [("doodle", 2, "#turn=12"), ("patchwork", 2, "#turn=25"), ("doodle", 10, "#turn=end")]
    {
        let file = match seats {
            2 => html(&duel(scratch.path(), game)),
            _ => html(&record(scratch.path(), game, seats, 1)),
        };
        for (width, height) in [(360, 1500), (1280, 800), (2560, 1440)] {
            for scheme in ["light", "dark"] {
                let picture = take(&mut browser.page(width, height, scheme), &file, turn, 1.0);
                let name = format!("{game}-{seats}-{width}-{scheme}.png");
                fs::write(looks.join(name), picture).expect("a picture");
            }
        }
        if seats == 2 {
            let picture = take(&mut browser.page(1120, 700, "light"), &file, turn, IN_DOCUMENTS);
            fs::write(top().join(format!("docs/view-{game}.png")), picture).expect("a picture");
        }
    }
}
