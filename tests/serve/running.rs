//! Matches that people watch while they are played: `arena tournament --live`.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::browser::{axe, browser};
use crate::program::{scratch, succeed, words};
use crate::serve::AMPLE;
use crate::serve::client::Server;
use crate::serve::pages::{HOSTILE, stays_at_home, texts};

/// The directory of a tournament with one running match, which the test plays step by step.
struct Staged {
    dir: PathBuf,
    /// The remaining lines of the match's live file.
    lines: Vec<String>,
    /// The record that the journal gets at the end.
    record: String,
}

impl Staged {
    fn new(folder: &Path, game: &str) -> Staged {
        let args = "--rounds 1 --seed 4 --jobs 1 --quiet --out t --bot random --bot greedy";
        succeed(folder, &words(&format!("tournament --game {game} {args}")));
        let dir = folder.join("t");
        let journal = fs::read_to_string(dir.join("matches.jsonl")).expect("a journal");
        fs::write(dir.join("matches.jsonl"), "").expect("room on the disk");
        fs::create_dir(dir.join("live")).expect("a folder");
        let record = journal.split_inclusive('\n').next().expect("a match").to_owned();
        let lines = lines(&serde_json::from_str(&record).expect("a record"));
        Staged { dir, lines, record }
    }

    fn file(&self) -> PathBuf {
        self.dir.join("live/0.jsonl")
    }

    /// Writes the next `many` lines.
    fn play(&mut self, many: usize) {
        let next: String = self.lines.drain(..many).collect();
        let file = OpenOptions::new().append(true).create(true).open(self.file());
        file.and_then(|mut file| file.write_all(next.as_bytes())).expect("room on the disk");
    }

    /// Plays the rest of the match.
    fn finish(&mut self) {
        self.play(self.lines.len());
        fs::write(self.dir.join("matches.jsonl"), &self.record).expect("room on the disk");
        fs::remove_file(self.file()).expect("it is there");
    }
}

/// Returns the lines that the arena writes during such a match. The match must have no faults.
fn lines(record: &Value) -> Vec<String> {
    let mut head = record.clone();
    let of_head = ["match", "round", "seed", "bots", "deal"];
    head.as_object_mut().expect("an object").retain(|field, _| of_head.contains(&field.as_str()));
    let turns = record["turns"].as_array().expect("turns");
    let decisions = turns.chunk_by(|one, other| one["id"] == other["id"]);
    let lines = [head, json!([])].into_iter().chain(decisions.map(|decision| json!(decision)));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Returns the frames and facts in the page of a match.
pub(crate) fn view(page: &str) -> Value {
    let data = page.split("id=\"view\">").nth(1).and_then(|rest| rest.split("</script>").next());
    serde_json::from_str(data.expect("the data of the page")).expect("it is JSON")
}

/// Starts a tournament that waits until [`go`] is called: before its match, and again after the first turns.
fn slow_tournament(folder: &Path, game: &str) -> Child {
    let arena = env!("CARGO_BIN_EXE_arena");
    // The greeting comes before the first match.
    let script = format!(
        "{{
            IFS= read -r line; printf '%s\\n' \"$line\"
            until [ -e '{}' ]; do sleep 0.05; done
            for turn in start 1 2 3; do IFS= read -r line; printf '%s\\n' \"$line\"; done
            until [ -e '{}' ]; do sleep 0.05; done
            cat
        }} | '{arena}' bot random\n",
        folder.join(GATES[0]).display(),
        folder.join(GATES[1]).display(),
    );
    // The bot's own folder would be held.
    fs::create_dir_all(folder.join("slow")).expect("room on the disk");
    fs::create_dir_all(folder.join("gates")).expect("room on the disk");
    fs::write(folder.join("slow/slow.sh"), script).expect("room on the disk");
    let args = format!("tournament --live --game {game} --rounds 1 --seed 4 --jobs 1 --out t");
    let mut command = Command::new(arena);
    command.current_dir(folder).args(words(&args)).args(AMPLE);
    command.args(["--bot", "one=sh slow/slow.sh", "--bot", "two=sh slow/slow.sh", "--read", "gates"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the arena starts")
}

/// Files that the tournament waits for.
const GATES: [&str; 2] = ["gates/go", "gates/go-on"];

/// Lets the tournament continue after this gate.
fn go(folder: &Path, gate: &str) {
    fs::write(folder.join(gate), "").expect("room on the disk");
}

/// Makes the file look an hour old.
fn make_old(file: &Path) {
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    File::options().append(true).open(file).and_then(|file| file.set_modified(long_ago)).expect("a time");
}

/// Waits until the folder of running matches contains a file.
fn wait_for_a_match(folder: &Path) -> PathBuf {
    loop {
        let found = fs::read_dir(folder.join("t/live")).ok().and_then(|mut files| files.next());
        match found {
            Some(file) => return file.expect("a folder").path(),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[test]
fn a_match_is_watched_turn_by_turn_and_nothing_comes_out_otherwise() {
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        let mut playing = slow_tournament(folder.path(), game);
        wait_for_a_match(folder.path());
        let server = Server::start(&folder.path().join("t"), &[]);
        let status = server.wait(|status| status["running"][0]["match"] == 0);
        assert_eq!(status["running"][0]["bots"], json!(["one", "two"]), "{game}");
        let mut stream = server.events_of("/match/0/events");
        let mut events = vec![stream.next().expect("its beginning")];
        go(folder.path(), GATES[0]);
        while frames(&events).as_array().map_or(0, Vec::len) < 3 {
            events.push(stream.next().expect("its first turns"));
        }
        assert!(events.iter().all(|event| event["is_over"] == false), "{game}: turn by turn, not at the end");
        go(folder.path(), GATES[1]);
        events.extend(stream);
        assert_eq!(events[0]["view"]["game"], game);
        assert_eq!(events.last().map(|event| &event["is_over"]), Some(&json!(true)), "{game}");
        server.wait(|status| status["matches"] != 0);
        assert!(frames(&events) == view(&server.get("/match/0").body)["frames"], "{game}: other frames");
        assert!(playing.wait().expect("it ends").success());
        assert!(!folder.path().join("t/live").exists(), "{game}");

        let bots = "--bot one=random --bot two=random";
        let plain = format!("tournament --game {game} --rounds 1 --seed 4 --quiet --out plain {bots}");
        succeed(folder.path(), &[&words(&plain)[..], &AMPLE].concat());
        assert!(!folder.path().join("plain/live").exists(), "{game}");
        let digest = |dir: &str| -> Value {
            let printed = succeed(folder.path(), &["standings", dir, "--format", "json"]);
            serde_json::from_str::<Value>(&printed).expect("JSON")["digest"].clone()
        };
        assert_eq!(digest("t"), digest("plain"), "{game}");
    }
}

/// Returns all frames in the events of a match.
fn frames(events: &[Value]) -> Value {
    events.iter().flat_map(|event| event["frames"].as_array().expect("frames").clone()).collect()
}

#[test]
fn what_was_played_last_is_shown_though_its_file_is_gone_at_once() {
    let folder = scratch();
    let mut staged = Staged::new(folder.path(), "patchwork");
    staged.play(4);
    let server = Server::start(&staged.dir, &[]);
    server.wait(|status| status["running"] != json!([]));
    let mut events = server.events_of("/match/0/events");
    let beginning = events.next().expect("what is there");
    staged.finish();
    let events: Vec<Value> = [beginning].into_iter().chain(events).collect();
    server.wait(|status| status["matches"] == 1);
    assert!(frames(&events) == view(&server.get("/match/0").body)["frames"], "other frames");
}

#[test]
fn what_a_killed_arena_left_is_not_shown_for_ever_and_goes_with_the_next_one() {
    let folder = scratch();
    let mut playing = slow_tournament(folder.path(), "doodle");
    let left = wait_for_a_match(folder.path());
    playing.kill().and_then(|()| playing.wait()).expect("it was there");
    assert!(left.exists());
    make_old(&left);
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["read"] == 100 && status["tables"] != 0);
    assert_eq!(server.wait(|_| true)["running"], json!([]));
    assert_eq!(server.get("/match/0/events").status, 404);
    let silent = server.wait(|status| !status["silent_since"].is_null())["silent_since"].as_u64();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a date").as_millis() as u64;
    assert!(silent.is_some_and(|since| since <= now && now - since < 3_600_000), "{silent:?}, {now}");
    GATES.iter().for_each(|gate| go(folder.path(), gate));
    succeed(folder.path(), &["tournament", "--resume", "--trust", "--quiet", "--out", "t"]);
    assert!(!left.exists() && !folder.path().join("t/live").exists());
    assert!(server.wait(|status| status["is_over"] == true)["silent_since"].is_null());
}

#[test]
fn a_page_left_open_tells_that_the_arena_is_gone_and_goes_on_after_a_resume() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let mut playing = slow_tournament(folder.path(), "doodle");
    wait_for_a_match(folder.path());
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["running"][0]["match"] == 0);
    go(folder.path(), GATES[0]);
    let mut page = browser.page(1280, 800, "light");
    page.go(&format!("{}match/0", server.link));
    page.wait_for("document.querySelectorAll('.seat').length === 2");
    playing.kill().and_then(|()| playing.wait()).expect("it was there");
    // The arena had no time to remove it.
    fs::remove_dir_all(folder.path().join("t/live")).expect("a folder");
    page.wait_for("document.querySelector('[role=status]').textContent.startsWith('The match was broken off: no sign of the arena since ')");
    page.evaluate("window.mark = true");
    go(folder.path(), GATES[1]);
    succeed(folder.path(), &["tournament", "--resume", "--trust", "--quiet", "--out", "t"]);
    page.wait_for("!window.mark && document.getElementById('view')");
    let mut overview = browser.page(1280, 800, "light");
    overview.go(&server.link);
    overview.wait_for("document.querySelector('[role=status]').textContent === 'finished'");
}

#[test]
fn a_match_is_shown_while_its_file_grows_and_not_beyond_what_cannot_be() {
    let folder = scratch();
    let mut staged = Staged::new(folder.path(), "patchwork");
    staged.play(4);
    make_old(&staged.file());
    fs::write(staged.dir.join("live/7.jsonl"), "no match\n").expect("room on the disk");
    let server = Server::start(&staged.dir, &[]);
    server.wait(|status| status["tables"] != 0);
    assert_eq!(server.wait(|_| true)["running"], json!([]), "nobody has written for an hour");
    staged.play(1);
    let status = server.wait(|status| status["running"] != json!([]));
    let expected = json!([{"match": 0, "round": 0, "bots": ["greedy", "random"], "turns": 3}]);
    assert_eq!(status["running"], expected);
    // A second move of the other seat.
    let wrong = format!("{}\n", json!([{"id": 9, "seat": 7, "move": {"advance": true}, "us": 1}]));
    staged.lines.insert(0, wrong);
    staged.play(1);
    server.wait(|status| status["running"] == json!([]));
    assert_eq!(server.events_of("/match/0/events").count(), 0);
}

#[test]
fn the_page_of_a_running_match_grows_and_becomes_that_of_its_record() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        let mut staged = Staged::new(folder.path(), game);
        let last = staged.lines.len() - 2;
        staged.play(5);
        let server = Server::start(&staged.dir, &[]);
        let mut page = browser.page(1280, 900, "light");
        page.go(&server.link);
        page.wait_for("document.querySelector('.running a')");
        assert_eq!(texts(&mut page, ".running li"), json!(["match 0: greedy, random, 3 turns"]), "{game}");
        if let Some(rules) = axe::rules() {
            assert_eq!(axe::complaints(&mut page, &rules), [""; 0], "{game}");
        }
        stays_at_home(&mut page, &server);
        page.evaluate("document.querySelector('.running a').click()");
        page.wait_for("document.documentElement.dataset.frames === '4' && document.querySelectorAll('.seat').length === 2");
        assert_eq!(page.evaluate(FRAME), "3", "{game}: it opens at the newest turn");
        staged.play(1);
        page.wait_for("document.documentElement.dataset.frame === '4'");
        let words = page.evaluate("document.querySelector('[role=status]').textContent");
        assert!(words.as_str().expect("words").starts_with("Live, now: "), "{game}: {words}");
        page.press("ArrowLeft");
        page.press("ArrowLeft");
        staged.play(2);
        page.wait_for("document.documentElement.dataset.frames === '7'");
        assert_eq!(page.evaluate(FRAME), "2", "{game}: who looks back stays there");
        assert_eq!(page.evaluate("document.querySelector('input[type=range]').max"), "6", "{game}");
        page.press("End");
        staged.play(1);
        page.wait_for("document.documentElement.dataset.frame === '7'");
        let shown = page.evaluate(DRAWN);
        if let Some(rules) = axe::rules() {
            assert_eq!(axe::complaints(&mut page, &rules), [""; 0], "{game}");
        }
        stays_at_home(&mut page, &server);
        page.press("ArrowLeft");
        page.press("ArrowRight");
        page.wait_for("location.hash !== ''");
        page.press("End");
        staged.finish();
        page.wait_for("document.getElementById('view')");
        page.wait_for(&format!("document.documentElement.dataset.frame === '{last}'"));
        page.evaluate("document.querySelector('input[type=range]').value = 7");
        page.evaluate("document.querySelector('input[type=range]').dispatchEvent(new Event('input'))");
        assert_eq!(page.evaluate(DRAWN), shown, "{game}: the record is drawn as the running match was");
        stays_at_home(&mut page, &server);
    }
}

/// The number of the current frame.
const FRAME: &str = "document.documentElement.dataset.frame";
/// Returns the boards, scores, and texts of the seats in the current frame.
const DRAWN: &str = "[...document.querySelectorAll('.seat')].map((seat) => [
    [...seat.querySelectorAll('.patch:not(.absent) .cloth')].map((cloth) => cloth.getAttribute('d')),
    ...['.score', '.did', '.holding'].map((part) => seat.querySelector(part).textContent),
])";

#[test]
fn names_in_a_running_match_are_text_and_a_match_that_was_broken_off_is_told() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let mut staged = Staged::new(folder.path(), "doodle");
    for (plain, hostile) in ["greedy", "random"].iter().zip(HOSTILE) {
        staged.lines[0] = staged.lines[0].replace(&format!("\"{plain}\""), &json!(hostile).to_string());
    }
    staged.play(3);
    let server = Server::start(&staged.dir, &[]);
    let mut page = browser.page(1280, 800, "dark");
    page.go(&server.link);
    page.wait_for("document.querySelector('.running a')");
    assert_eq!(texts(&mut page, ".running li"), json!([format!("match 0: {}, 1 turn", HOSTILE.join(", "))]));
    page.go(&format!("{}match/0", server.link));
    page.wait_for("document.querySelectorAll('.seat').length === 2");
    let mut shown: Vec<String> = serde_json::from_value(texts(&mut page, ".seat h2")).expect("texts");
    shown.sort();
    let mut expected = HOSTILE.to_vec();
    expected.sort_unstable();
    assert_eq!(shown, expected);
    assert_eq!(page.evaluate("document.querySelectorAll('img, h1 b, h2 b, body script').length"), 0);
    fs::remove_file(staged.file()).expect("it is there");
    page.wait_for("document.querySelector('[role=status]').textContent.includes('broken off')");
}
