//! The command: its files, the input that it refuses, and the maximum size of a page.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{arena, scratch, succeed};
use crate::view::matches::{page, record};

/// Maximum size in bytes of the page of a match with ten seats.
const BYTES_MAX: usize = 400 * 1024;

#[test]
fn a_page_of_ten_seats_is_small_and_names_no_other_place() {
    let folder = scratch();
    let text = fs::read_to_string(page(&record(folder.path(), "doodle", 10, 3))).expect("a page");
    assert!(text.len() < BYTES_MAX, "{} bytes", text.len());
    let addresses = text.replace("http://www.w3.org/2000/svg", "");
    assert!(!addresses.contains("://") && !text.contains("{{"), "an address or a mark is left");
    let data = text.split("id=\"view\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let view: Value = serde_json::from_str(data.expect("the data of the page")).expect("it is JSON");
    assert_eq!(view["frames"].as_array().map(Vec::len), Some(20));
}

#[test]
fn matches_of_a_tournament_are_found_by_number_and_pages_are_replaced() {
    let folder = scratch();
    succeed(folder.path(), &["tournament", "--rounds", "3", "--seed", "4", "--quiet", "--out", "t"]);
    let stdout = succeed(folder.path(), &["view", "t", "--match", "2"]);
    assert_eq!(stdout, "match-2.html: 19 turns, open it in a browser\n");
    let first = fs::read(folder.path().join("match-2.html")).expect("a page");
    succeed(folder.path(), &["view", "t/matches.jsonl", "--match", "1", "--out", "match-2.html"]);
    let second = fs::read(folder.path().join("match-2.html")).expect("a page");
    assert_ne!(first, second, "as other commands do, it replaces a file that it is told to write");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing else is left");
}

fn refused(folder: &Path, args: &[&str], status: i32, message: &str) {
    let before = fs::read_dir(folder).expect("a folder").count();
    let output = arena(folder, args);
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {text}");
    assert!(text.contains(message) && text.lines().count() <= 2, "{args:?}: {text}");
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), before, "{args:?} left something");
}

#[test]
fn what_cannot_be_shown_is_told_in_a_line_or_two() {
    let folder = scratch();
    let at = folder.path();
    succeed(at, &["tournament", "--rounds", "2", "--seed", "4", "--quiet", "--out", "t"]);
    let journal = fs::read_to_string(at.join("t/matches.jsonl")).expect("a journal");
    let line = journal.lines().next().expect("a record");
    let moved = line.replacen("\"cells\":[[", "\"cells\":[[1", 1);
    assert_ne!(moved, line);
    fs::write(at.join("moved.json"), moved).expect("a scratch file");
    fs::write(at.join("text.json"), "a text\n").expect("a scratch file");
    fs::write(at.join("empty.json"), "").expect("a scratch file");
    refused(at, &["view", "nothing"], 2, "cannot read nothing");
    refused(at, &["view", "t"], 2, "say which with --match N");
    refused(at, &["view", "t", "--match", "9"], 2, "there is no match 9");
    refused(at, &["view", "text.json"], 2, "is not a file of match records");
    refused(at, &["view", "empty.json"], 2, "has no whole record");
    refused(at, &["view", "moved.json"], 1, "line 1");
    refused(at, &["view", "t", "--match", "0", "-o", "t"], 2, "t is a folder");
    refused(at, &["view", "t", "--match", "0", "-o", "no/page.html"], 2, "there is no folder no");
}

#[test]
fn a_match_becomes_a_picture_and_a_moving_picture() {
    let folder = scratch();
    let path = folder.path();
    for game in ["doodle", "patchwork"] {
        let record = crate::view::matches::record(path, game, 2, 5);
        let record = record.to_str().expect("a plain path");
        let made = |option: &str, file: &str| {
            succeed(path, &["view", record, option, "-o", file]);
            std::fs::read(path.join(file)).expect("a picture")
        };
        let (end, early) = (made("--image", "end.png"), made("--image=3", "early.png"));
        assert!(end.starts_with(b"\x89PNG") && early.starts_with(b"\x89PNG"), "{game}");
        assert_ne!(end, early, "{game}: the third turn is not the end");
        let moving = made("--gif", "match.gif");
        assert!(moving.starts_with(b"GIF89a") && moving.ends_with(b";"), "{game}");
        assert!(moving.len() > 2 * end.len(), "{game}: {} bytes for all turns", moving.len());
        let wrong = crate::program::arena(path, &["view", record, "--image=last"]);
        let stderr = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert!(wrong.status.code() == Some(2) && stderr.contains("such as --image=13"), "{stderr}");
    }
}
