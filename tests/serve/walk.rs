//! A walk along the links of all pages: each leads to a page with words, and no page has an error.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::browser::{Lent, Page, browser};
use crate::matches::BROKEN;
use crate::own::copy;
use crate::program::{scratch, succeed, words};
use crate::serve::client::Server;

/// Bots whose names have a digit, so that [`kind_of`] takes them for one.
const TWO: &str = "--bot b1=random --bot b2=greedy";
const TWO_RANDOM: &str = "--bot b1=random --bot b2=random";
const FOUR: &str = "--bot b1=random --bot b2=greedy --bot b3=random --bot b4=random";
/// The kinds of pages of every tournament.
const PAGES: &[&str] = &["", "?*", "latest", "bot/b*", "pair/b*/b*", "match/*", "match/*?save"];
/// The kind of pages that only a game with boards has.
const BOARDS: &[&str] = &["latest?untold"];
/// The page of two matches of one deal.
const BESIDE: &[&str] = &["beside/*/*"];
const DOWNLOADS: &[&str] = &["data/record/*", "data/journal", "data/csv", "data/standings"];

/// Pages that link to each other: those of a server, or files in a folder.
struct Site<'a> {
    server: Option<&'a Server>,
    folder: &'a Path,
    root: String,
}

impl Site<'_> {
    /// Asks for a file that a link downloads, and returns it.
    fn download(&self, path: &str) -> String {
        let Some(server) = self.server else {
            return fs::read_to_string(self.folder.join(path))
                .unwrap_or_else(|error| panic!("{path}: {error}"));
        };
        let answer = server.get(&format!("/{path}"));
        assert!(answer.status == 200 && !answer.body.is_empty(), "{path}: {} {}", answer.status, answer.body);
        answer.body
    }

    /// Opens a page, which must have words and no error. Returns its links, with a `+` before those of downloads, and the
    /// names of its parts.
    fn open(&self, page: &mut Page<'_>, path: &str) -> [Vec<String>; 2] {
        assert!(self.server.is_some() || self.folder.join(path).is_file(), "{path}");
        page.go(&format!("{}{path}", self.root));
        refuse_errors(page, path); // a page with an error may never be ready
        page.wait_for(READY);
        refuse_errors(page, path);
        serde_json::from_value(page.evaluate(LINKS)).expect("addresses")
    }

    /// Walks breadth first along all links from this page, at most `max` pages of a kind. Returns the kinds.
    fn walk(&self, page: &mut Page<'_>, start: &str, max: usize) -> BTreeSet<String> {
        let (mut seen, mut kinds) = (BTreeSet::new(), BTreeMap::<_, usize>::new());
        let (mut parts, mut wanted_parts) = (BTreeMap::new(), BTreeSet::new());
        let mut next = VecDeque::from([start.to_owned()]);
        while let Some(link) = next.pop_front() {
            let path = link.trim_start_matches('+');
            let count = kinds.entry(kind_of(path)).or_default();
            if *count >= max || !seen.insert(path.to_owned()) {
                continue;
            }
            *count += 1;
            if link.starts_with('+') || self.server.is_none() && !path.ends_with(".html") {
                let body = self.download(path);
                if path.ends_with("?save") {
                    fs::write(self.folder.join("saved.html"), body).expect("a file");
                    walk_files(page, self.folder, &["saved.html"]);
                }
                continue;
            }
            let [links, names] = self.open(page, path);
            parts.insert(path.to_owned(), names);
            for link in links {
                let mark = if link.starts_with('+') { "+" } else { "" };
                let within = link.trim_start_matches('+').strip_prefix(&self.root);
                let within = within.unwrap_or_else(|| panic!("{path} leads to {link}"));
                let (to, part) = within.split_once('#').unwrap_or((within, ""));
                next.push_back(format!("{mark}{to}"));
                // Turns are no parts of a page.
                if !part.is_empty() && !part.starts_with("turn-") {
                    wanted_parts.insert((to.to_owned(), part.to_owned()));
                }
            }
        }
        for (path, part) in wanted_parts {
            assert!(parts.get(&path).is_none_or(|names| names.contains(&part)), "{path} has no part {part}");
        }
        kinds.into_keys().collect()
    }
}

/// True when a page shows what it loads: tables with matches, a frame, or data in the page.
const READY: &str = "document.querySelector('main')?.innerText.trim()
    && (document.documentElement.dataset.matches ?? document.documentElement.dataset.frame ?? document.querySelector('#report'))";
const LINKS: &str = "[
    [...document.querySelectorAll('a[href]')].filter((link) => !link.closest('[hidden]')).map((link) =>
        (link.hasAttribute('download') ? '+' : '') + new URL(link.getAttribute('href'), document.baseURI).href),
    [...document.querySelectorAll('[id]')].map(({ id }) => id)]";

/// Returns a path without what tells pages of a kind apart: numbers, and the choices in a query.
fn kind_of(path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut kind = String::new();
    for letter in path.chars().map(|letter| if letter.is_ascii_digit() { '*' } else { letter }) {
        if letter != '*' || !kind.ends_with('*') {
            kind.push(letter);
        }
    }
    match query {
        "" => kind,
        query if query.contains('=') => kind + "?*",
        query => kind + "?" + query,
    }
}

/// Panics if a page asked in vain, threw, or wrote to the console.
fn refuse_errors(page: &mut Page<'_>, path: &str) {
    for (method, params) in page.events() {
        let is_error = match method.as_str() {
            "Network.responseReceived" => params["response"]["status"].as_u64() >= Some(400),
            method => {
                ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"].contains(&method)
            }
        };
        assert!(!is_error, "{path}: {method}: {params}");
    }
}

/// Walks from these files in a folder. Returns the kinds.
fn walk_files(page: &mut Page<'_>, folder: &Path, files: &[&str]) -> BTreeSet<String> {
    let folder = folder.canonicalize().expect("a folder");
    let site = Site { server: None, folder: &folder, root: format!("file://{}/", folder.display()) };
    files.iter().flat_map(|file| site.walk(page, file, most())).collect()
}

/// The most pages of a kind that a walk opens.
fn most() -> usize {
    needs::sized(1, 1, 4)
}

/// Serves a directory and walks its pages, which are those of these stages. Returns the kinds.
fn walk_served(browser: &mut Lent, folder: &Path, dir: &str, stages: &[&str]) -> BTreeSet<String> {
    let server = Server::start(&folder.join(dir), &[]);
    for stage in stages {
        let is_read = |status: &Value| status["tables"] != 0 && status["read"] == 100;
        assert!(server.events_of(&format!("{stage}/events")).any(|status| is_read(&status)), "{dir}{stage}");
    }
    let mut page = browser.page(1280, 800, "light");
    Site { server: Some(&server), folder, root: server.link.clone() }.walk(&mut page, "", most())
}

/// Expects these kinds of pages, and none of the others.
fn expect(found: &BTreeSet<String>, kinds: &[&[&str]], others: &[&str]) {
    for kind in kinds.iter().copied().flatten() {
        assert!(found.contains(*kind), "no {kind} in {found:?}");
    }
    assert!(!others.iter().any(|kind| found.contains(*kind)), "{others:?} in {found:?}");
}

/// Plays a tournament in which a bot exits in its first turn.
fn play(folder: &Path, options: &str) {
    let command = format!("tournament --seed 4 --quiet --out t {options}");
    succeed(folder, &[&words(&command)[..], &["--bot", &BROKEN.replace("broken", "b9")]].concat());
}

#[test]
fn no_link_of_a_tournament_is_dead() {
    let Some(mut browser) = browser() else { return };
    let kinds = [PAGES, BOARDS, DOWNLOADS];
    for (options, more) in [
        (format!("--rounds 2 {TWO}"), &[][..]),
        (format!("--rounds 1 --game patchwork --schedule knockout {FOUR}"), BESIDE),
        (format!("--rounds 1 --seats 4 {FOUR}"), &[]),
        (format!("--rounds 1 --game patchwork {TWO}"), BESIDE),
    ]
    .iter()
    .take(needs::sized(1, 1, 4))
    {
        let folder = scratch();
        play(folder.path(), options);
        let found = walk_served(&mut browser, folder.path(), "t", &[""]);
        expect(&found, &[&kinds[..], &[more]].concat(), &[]);
        if options.contains("--rounds 2") {
            let line = succeed(folder.path(), &words("matches t --match 0 --position 4"));
            fs::write(folder.path().join("positions.jsonl"), line).expect("a file");
            let again = "tournament --seed 4 --quiet --out again --positions positions.jsonl --rounds 2";
            succeed(folder.path(), &words(&format!("{again} {TWO}")));
            expect(&walk_served(&mut browser, folder.path(), "again", &[""]), &kinds, &[]);
        }
    }
}

#[test]
fn no_link_of_a_comparison_or_a_league_is_dead() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let folder = folder.path();
    succeed(folder, &words("compare b1=greedy b2=random --seed 1 --quiet --out c"));
    expect(&walk_served(&mut browser, folder, "c", &[""]), &[PAGES, BOARDS, DOWNLOADS], &[]);
    let stages = "[[stage]]\ngame = \"doodle\"\n[[stage]]\ngame = \"patchwork\"\n";
    let bots = "[[bot]]\nname = \"b1\"\ncommand = \"greedy\"\n[[bot]]\nname = \"b2\"\ncommand = \"random\"\n";
    let league = format!("[tournament]\nrounds = 1\nseed = 5\nout = \"cup\"\n{stages}{bots}");
    fs::write(folder.join("league.toml"), league).expect("a file");
    succeed(folder, &words("tournament league.toml --quiet"));
    let found = walk_served(&mut browser, folder, "cup", &["/1-doodle", "/2-patchwork"]);
    let all = [PAGES, BOARDS, DOWNLOADS].concat();
    let of_stage = |stage| all.iter().map(move |kind| format!("{stage}{kind}"));
    let kinds: Vec<String> = ["*-doodle/", "*-patchwork/"].into_iter().flat_map(of_stage).collect();
    expect(&found, &[&kinds.iter().map(String::as_str).collect::<Vec<_>>()], &[]);
}

/// A game of one's own has no boards. While matches remain, it has no records either if they may tell hidden things.
#[test]
fn no_link_of_a_game_of_ones_own_is_dead() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let folder = folder.path();
    copy(folder, &["wrong.py"]);
    let fixed = format!("tournament --quiet --seed 1 --rounds 2 --out over {TWO_RANDOM}");
    let boards = [BOARDS, BESIDE].concat();
    succeed(folder, &[&words(&fixed)[..], &["--game-command", "python3 wrong.py"]].concat());
    expect(&walk_served(&mut browser, folder, "over", &[""]), &[PAGES, DOWNLOADS], &boards);
    succeed(folder, &words("report over --out report.html"));
    succeed(folder, &words("report over --for b1 --out b1"));
    succeed(folder, &words("view over --match 0 --out match.html"));
    let mut page = browser.page(1280, 800, "light");
    walk_files(&mut page, folder, &["report.html", "b1/report.html", "match.html"]);
    // Without its last match the tournament is not over.
    let journal = folder.join("over/matches.jsonl");
    let whole = fs::read_to_string(&journal).expect("a journal");
    let (rest, _) = whole.trim_end().rsplit_once('\n').expect("two lines");
    fs::write(&journal, format!("{rest}\n")).expect("it is ours");
    let records = ["data/record/*", "data/journal"];
    let found = walk_served(&mut browser, folder, "over", &[""]);
    expect(&found, &[PAGES], &[&boards[..], &records].concat());
    assert_eq!(Server::start(&folder.join("over"), &[]).get("/data/journal").status, 403);
}

#[test]
fn no_link_of_a_file_is_dead() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let folder = folder.path();
    play(folder, &format!("--rounds 2 --keep-stderr {TWO}"));
    for command in [
        "report t --out report.html",
        "report t --for b9 --out author",
        "view t --match 0 --out match.html",
        "view t --match 0 --beside 1 --out beside.html",
    ] {
        succeed(folder, &words(command));
    }
    let mut page = browser.page(1280, 800, "light");
    let found =
        walk_files(&mut page, folder, &["report.html", "author/report.html", "match.html", "beside.html"]);
    expect(&found, &[&["author/lost/match-*.html", "author/faults/*-b*/fault.txt"]], &[]);
}
