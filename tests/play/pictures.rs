//! Screenshots of the page: one for the documents, others for review.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::browser::browser;
use crate::play::guests::Served;
use crate::play::hands::{FITTING, sit_down};
use crate::play::whole::move_once;

/// Scale of the picture in the documents.
const IN_DOCUMENTS: f64 = 0.7;
/// Number of moves before the screenshot.
const MOVES: usize = 6;

#[test]
#[ignore = "writes the picture of the documents, and others into target/pictures"]
fn pictures() {
    let mut browser = browser().expect("a browser draws the pictures");
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let looks = top.join("target/pictures");
    fs::create_dir_all(&looks).expect("a folder of pictures");
    for game in ["doodle", "patchwork"] {
        for (width, height, scheme) in [(1120, 860, "light"), (360, 1500, "dark"), (2560, 1440, "dark")] {
            let served = Served::start(game, "7");
            let mut page = browser.page(width, height, scheme);
            sit_down(&mut page, &served);
            (0..MOVES).for_each(|_| move_once(&mut page));
            sit_down(&mut page, &served);
            page.evaluate(&format!("{FITTING}.click()"));
            let mut take = |scale| BASE64_STANDARD.decode(page.picture(scale)).expect("Base64");
            fs::write(looks.join(format!("play-{game}-{width}.png")), take(1.0)).expect("a picture");
            if (game, width) == ("doodle", 1120) {
                fs::write(top.join("docs/play.png"), take(IN_DOCUMENTS)).expect("a picture");
            }
        }
    }
}
