//! Screenshots of a tournament's page: one for the documents, and one for each width and theme for review.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::browser::{Page, browser};
use crate::program::{scratch, succeed};
use crate::serve::client::Server;

/// Scale of the picture in the documents.
const IN_DOCUMENTS: f64 = 0.7;

fn take(page: &mut Page<'_>, (width, height): (u32, u32), scale: f64) -> Vec<u8> {
    page.resize(width, height);
    page.evaluate("new Promise((done) => setTimeout(done, 500))"); // until the plots have their new width
    BASE64_STANDARD.decode(page.picture(scale)).expect("what the browser sends is Base64")
}

#[test]
#[ignore = "writes the picture of the documents, and others into target/pictures"]
fn pictures() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let looks: PathBuf = top.join("target/pictures");
    fs::create_dir_all(&looks).expect("a folder of pictures");
    let (folder, mut browser) = (scratch(), browser().expect("a browser draws the pictures"));
    let bots = ["--bot", "random", "--bot", "greedy", "--bot", "rival=greedy", "--bot", "lucky=random"];
    let args = ["tournament", "--rounds", "12", "--seed", "1", "--quiet", "--out", "league"];
    succeed(folder.path(), &[&args[..], &bots[..]].concat());
    let server = Server::start(&folder.path().join("league"), &[]);
    // One page for each scheme, because a browser opens few connections to one server.
    for scheme in ["dark", "light"] {
        let mut page = browser.page(1280, 800, scheme);
        page.go(&server.link);
        page.wait_for("document.querySelectorAll('.seated').length === 50");
        for (width, height) in [(360, 2600), (1280, 1500), (2560, 1440)] {
            let picture = take(&mut page, (width, height), 1.0);
            fs::write(looks.join(format!("serve-{width}-{scheme}.png")), picture).expect("a picture");
        }
        for (name, path) in [("bot", "bot/greedy"), ("pair", "pair/greedy/rival"), ("match", "match/7")] {
            page.go(&format!("{}{path}", server.link));
            page.wait_for("document.querySelector('main table, .seat')");
            for width in [390, 1280] {
                let picture = take(&mut page, (width, 900), 1.0);
                fs::write(looks.join(format!("serve-{name}-{width}-{scheme}.png")), picture)
                    .expect("a picture");
            }
        }
        page.go(&server.link);
        page.wait_for("document.querySelectorAll('.seated').length === 50");
        if scheme == "light" {
            let picture = take(&mut page, (1240, 860), IN_DOCUMENTS);
            fs::write(top.join("docs/serve.png"), picture).expect("a picture");
        }
    }
}
