//! The clock of a person with a time limit, and the price of a patch.

use crate::browser::browser;
use crate::play::guests::Served;
use crate::play::hands::sit_down;
use crate::play::whole::move_once;

#[test]
fn a_time_limit_has_a_clock_and_the_page_tells_that_the_time_ran_out() {
    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 900, "light");
    let clock = "document.querySelector('.clock')";
    let served = Served::start("doodle", "5");
    sit_down(&mut page, &served);
    assert_eq!(page.evaluate(&format!("{clock}.hidden")), true, "no limit, no clock");
    let served = Served::start_with("doodle", "5", &["--time", "10m"]);
    sit_down(&mut page, &served);
    let shown = page.evaluate(&format!("{clock}.innerText"));
    let shown = shown.as_str().expect("a text");
    assert!(shown.starts_with("9:") || shown.starts_with("10:00"), "{shown}");
    let warned = page.evaluate(
        "import('./clock.js').then(({ Clock }) => {
           const [short, long] = [new Clock(), new Clock()];
           short.show(5000);
           long.show(70_000);
           return [short, long].map(({ node }) => [node.className, node.querySelector('[role=alert]').textContent]);
         })",
    );
    assert_eq!(warned, serde_json::json!([["clock short", "5 seconds left"], ["clock", ""]]));
    for game in ["doodle", "patchwork"] {
        let served = Served::start_with(game, "5", &["--time", "2s"]);
        page.go(&served.link);
        page.wait_for("document.querySelector('.result a')");
        let heading = page.evaluate("document.querySelector('.result h2').textContent");
        assert_eq!(heading, "Your time ran out", "{game}");
    }
}

#[test]
fn a_patch_that_is_too_expensive_says_what_it_costs() {
    let Some(mut browser) = browser() else { return };
    let served = Served::start("patchwork", "7");
    let mut page = browser.page(1280, 900, "light");
    sit_down(&mut page, &served);
    let dear = "document.querySelector('.choice:has(.none)')";
    while page.evaluate(&format!("Boolean({dear})")) == false {
        move_once(&mut page);
    }
    // The quilt has a few patches at most, so only the price is in the way.
    let words = page.evaluate(&format!("{dear}.querySelector('.none').textContent"));
    let words = words.as_str().expect("a text").to_owned();
    assert!(words.starts_with("costs ") && words.contains("you have "), "{words}");
    page.evaluate(&format!("{dear}.click()"));
    let status = page.evaluate("document.querySelector('.status').textContent");
    assert!(status.as_str().expect("a text").ends_with(&format!(": {words}.")), "{status}");
}
