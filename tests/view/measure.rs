//! Prints the size of a page with ten seats, and the time until it is drawn. The test asserts no bounds.

use crate::browser::browser;
use crate::program::scratch;
use crate::view::matches::{page, record};

/// How often the test opens the page.
const TIMES: usize = 5;

#[test]
#[ignore = "prints size and times of a page"]
fn measure() {
    let mut browser = browser().expect("a browser opens the page");
    let folder = scratch();
    let file = page(&record(folder.path(), "doodle", 10, 3));
    println!("{} bytes", std::fs::metadata(&file).expect("a page").len());
    for _ in 0..TIMES {
        let mut page = browser.page(1280, 800, "light");
        page.open(&file, "#turn=12");
        let times = page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
               const { domInteractive, loadEventEnd } = performance.getEntriesByType('navigation')[0];
               done([domInteractive, loadEventEnd, performance.now()].map(Math.round).join(', '));
             })))",
        );
        println!("ms until read, until built, until drawn: {}", times.as_str().expect("three times"));
    }
}
