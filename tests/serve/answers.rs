//! Responses: the tables of `arena standings`, filtered lists, and pages of matches.

use std::cmp::Ordering;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::tables::records;
use crate::program::{arena, scratch, succeed, words};
use crate::serve::client::{Answer, Server};
use crate::serve::running::view;

/// Plays a tournament with three bots.
fn tournament(folder: &Path, game: &str) {
    let bots = "--bot random --bot greedy --bot third=random";
    let args = format!("tournament --game {game} --rounds 4 --seed 4 --quiet --out t {bots}");
    succeed(folder, &words(&args));
}

#[test]
fn the_tables_are_those_of_standings() {
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        tournament(folder.path(), game);
        let server = Server::start(&folder.path().join("t"), &[]);
        server.wait(|status| status["tables"] != 0 && status["read"] == 100);
        let printed = succeed(folder.path(), &["standings", "t", "--format", "json"]);
        assert_eq!(server.get("/data/standings").body, printed);
        // The page has the same words as the terminal.
        let details = succeed(folder.path(), &["standings", "t", "--details", "--width", "1000"]);
        let notes = server.json("/data/notes");
        let notes = notes.as_array().expect("lines");
        assert!(!notes.is_empty());
        for note in notes {
            let note = note.as_str().expect("a line");
            assert!(details.lines().any(|line| line == note), "{note:?} in {details}");
        }
        assert_eq!(server.interrupt(), Some(0), "Ctrl-C is how it ends");
    }
}

/// Returns the sorted indices of these matches.
fn indices<'a>(matches: impl Iterator<Item = &'a Value>) -> Vec<u64> {
    let mut indices: Vec<u64> = matches.map(|one| one["match"].as_u64().expect("an index")).collect();
    indices.sort_unstable();
    indices
}

#[test]
fn lists_are_what_their_filters_say() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/journals/doodle");
    let records = records(&golden);
    let server = Server::start(&golden, &[]);
    server.wait(|status| status["read"] == 100 && status["matches"] == records.len());
    let listed = |query: &str| -> Vec<u64> {
        let found = server.json(&format!("/data/matches?{query}"));
        let listed = indices(found["rows"].as_array().expect("rows").iter());
        assert_eq!(found["total"], listed.len(), "all of them are on one page");
        listed
    };
    let expected = |holds: &dyn Fn(&Value) -> bool| indices(records.iter().filter(|record| holds(record)));
    let margins = |query: &str| -> Vec<i64> {
        let found = server.json(&format!("/data/matches?{query}"));
        let rows = found["rows"].as_array().expect("rows").iter();
        rows.filter_map(|row| row["margin"].as_i64()).collect()
    };
    let sits =
        |record: &Value, bot: &str| record["bots"].as_array().expect("bots").iter().any(|name| name == bot);
    let kinds = |record: &Value| -> Vec<String> {
        let faults = record["result"]["faults"].as_array().expect("faults").iter();
        faults.filter_map(|fault| fault["kind"].as_str().map(str::to_owned)).collect()
    };
    // A head says the length of the body that it leaves out.
    let length = |answer: Answer| {
        let mut lines = answer.head.lines();
        lines.find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())
    };
    for path in ["/data/csv", "/data/plan"] {
        let host = format!("Host: 127.0.0.1:{}", server.port);
        let head = server.ask(&format!("HEAD {path} HTTP/1.1"), &[&host]);
        let whole = server.get(path);
        assert!(head.body.is_empty() && !whole.body.is_empty(), "{path}: {}", head.body);
        let bytes = Some(whole.body.len());
        assert_eq!([length(head), length(whole)], [bytes; 2], "{path}");
    }
    assert_eq!(listed(""), expected(&|_| true));
    assert_eq!(listed("bot=hangs"), expected(&|record| sits(record, "hangs")));
    let both = |record: &Value| sits(record, "hangs") && sits(record, "greedy");
    assert_eq!(listed("bot=hangs&against=greedy"), expected(&both));
    for (result, wanted) in [("won", Ordering::Less), ("drawn", Ordering::Equal), ("lost", Ordering::Greater)]
    {
        let rank = |record: &Value, own: bool| {
            let seat = record["bots"].as_array()?.iter().position(|name| (name == "greedy") == own)?;
            record["result"]["ranks"][seat].as_u64()
        };
        let is_result =
            |record: &Value| sits(record, "greedy") && rank(record, true).cmp(&rank(record, false)) == wanted;
        assert_eq!(listed(&format!("bot=greedy&{result}=true")), expected(&is_result), "{result}");
    }
    // With a bot, margins are its own: those that it lost are below zero, and the worst come first.
    let own = margins("bot=hangs&order=worst&fault=none");
    assert!(own.is_sorted(), "{own:?}");
    let behind = server.json("/data/matches?bot=hangs&margin_max=-1&fault=none");
    assert_eq!(behind["total"], own.iter().filter(|&&margin| margin < 0).count());
    assert_eq!(listed("fault=none"), expected(&|record| kinds(record).is_empty()));
    assert_eq!(listed("fault=any"), expected(&|record| !kinds(record).is_empty()));
    let is_late = |record: &Value| kinds(record).iter().any(|kind| kind == "timeout");
    assert_eq!(listed("fault=timeout"), expected(&is_late));
    assert!(!listed("fault=timeout").is_empty(), "there is something to be told apart");
    let margins = margins("order=widest");
    assert!(margins.is_sorted_by(|one, other| one.abs() >= other.abs()), "{margins:?}");
    let least = margins[margins.len() / 2];
    let above = server.json(&format!("/data/matches?margin_min={least}"));
    assert_eq!(above["total"], margins.iter().filter(|&&margin| margin >= least).count());
    assert_eq!(server.json("/data/matches?page=9")["rows"], json!([]));
    let odd =
        "lost=true order=worst bot=greedy&result=odd bot=nobody fault=sleepy page=-1 order=odd colour=red";
    for wrong in words(odd) {
        let answer = server.get(&format!("/data/matches?{wrong}"));
        assert_eq!((answer.status, answer.body.lines().count()), (400, 1), "{wrong}: {}", answer.body);
    }
}

#[test]
fn a_bot_that_plays_alone_is_ordered_by_its_score() {
    let folder = scratch();
    let args = words("tournament --seats 1 --rounds 8 --seed 4 --quiet --out t --bot random");
    succeed(folder.path(), &args);
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["read"] == 100 && status["matches"] != 0);
    for (order, sign) in [("best", -1), ("worst", 1)] {
        let found = server.json(&format!("/data/matches?bot=random&order={order}"));
        let rows = found["rows"].as_array().expect("rows").iter();
        let scores: Vec<i64> =
            rows.map(|row| sign * row["seats"][0]["score"].as_i64().expect("a score")).collect();
        assert!(scores.len() == 8 && scores.is_sorted() && scores[0] != scores[7], "{order}: {scores:?}");
    }
}

#[test]
fn a_match_opens_as_the_page_that_view_writes() {
    let folder = scratch();
    tournament(folder.path(), "doodle");
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["read"] == 100 && status["matches"] != 0);
    succeed(folder.path(), &["view", "t", "--match", "5", "-o", "page.html"]);
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    let mut served = view(&server.get("/match/5").body);
    let mut shown = view(&page);
    let [site, from] = ["site", "from"].map(|field| served.as_object_mut().expect("a view").remove(field));
    let path = folder.path().join("t");
    assert_eq!(from, Some(json!(format!("{}#5@", path.display()))), "as the server got it");
    assert_eq!(shown.as_object_mut().expect("a view").remove("from"), Some(json!("t#5@")));
    assert!(served == shown, "the view of the viewer");
    let site = site.expect("links to other matches");
    assert_eq!((&site["name"], &site["previous"], &site["next"]), (&json!("t"), &json!(4), &json!(6)));
    let same = site["same"].as_array().expect("a list");
    assert!(same.iter().all(|other| other != 5), "{site}");
    let record = server.json("/data/record/5");
    assert_eq!(record["match"], 5);
    assert_eq!(server.json("/data/view/5")["digest"], record["digest"]);
    let journal = server.get("/data/journal");
    let written = std::fs::read_to_string(folder.path().join("t/matches.jsonl")).expect("a journal");
    assert!(journal.status == 200 && journal.body.contains(written.lines().last().expect("a line")));
    let csv = server.get("/data/csv");
    assert!(csv.head.contains("text/csv"), "{}", csv.head);
    assert_eq!(csv.body, succeed(folder.path(), &["standings", "t", "--format", "csv"]));
    assert_eq!(server.get("/match/12").status, 404);
    let is_there = [5, 12].map(|index| server.json(&format!("/data/match/{index}")));
    assert_eq!(is_there, [json!(true), json!(false)]);
    assert_eq!(server.get("/match/x").status, 400);
    // Lines for a terminal are for who has the program and the folder, and stay out of saved pages.
    let public = Server::start(&folder.path().join("t"), &["--base-url", "https://arena.example.org"]);
    public.wait(|status| status["read"] == 100 && status["matches"] != 0);
    for (server, path) in [(&public, "/match/5"), (&server, "/match/5?save")] {
        assert!(view(&server.get(path).body).get("from").is_none(), "{path}");
    }
}

#[test]
fn what_cannot_be_served_is_told_in_a_line_or_two() {
    let folder = scratch();
    tournament(folder.path(), "doodle");
    let server = Server::start(&folder.path().join("t"), &[]);
    let taken = server.port.to_string();
    let cases: [(&[&str], &str); 4] = [
        (&["serve", "nothing"], "cannot read nothing"),
        (&["serve", "t/standings.json"], "cannot read"),
        (&["serve", "t", "--port", &taken], "--port"),
        (&["serve", "t", "--listen", "203.0.113.7"], "cannot listen on 203.0.113.7"),
    ];
    for (args, message) in cases {
        let output = arena(folder.path(), args);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(message) && text.lines().count() <= 2, "{args:?}: {text}");
    }
}
