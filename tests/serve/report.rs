//! `arena report`: one file to publish, with the contents of the tables and no code that starts by itself.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::browser::walk::walk;
use crate::browser::{axe, browser};
use crate::program::{arena, scratch, succeed, words};
use crate::serve::AMPLE;
use crate::serve::pages::{NAMES, hostile_tournament, texts, tournament};
use crate::serve::running::view;
use crate::serve::shards::with_other_results;

/// Returns the data in a page.
fn data(file: &Path) -> Value {
    let page = fs::read_to_string(file).expect("a page");
    let data = page.split("id=\"report\">").nth(1).and_then(|rest| rest.split("</script>").next());
    serde_json::from_str(data.expect("the data of the page")).expect("it is JSON")
}

#[test]
fn a_report_has_the_tables_the_best_matches_and_the_faults() {
    let folder = scratch();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/journals/doodle");
    let golden = golden.to_str().expect("a plain path");
    let stdout = succeed(folder.path(), &["report", golden, "-o", "page.html"]);
    let report = data(&folder.path().join("page.html"));
    let printed = succeed(folder.path(), &["standings", golden, "--format", "json"]);
    let standings: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(report["standings"], standings);
    assert!(report["notes"].as_array().is_some_and(|notes| !notes.is_empty()));
    assert_eq!(stdout, format!("page.html: {} matches, open it in a browser\n", standings["matches"]));
    let records = fs::read_to_string(format!("{golden}/matches.jsonl")).expect("a journal");
    let scores = |record: Value| record["result"]["scores"].as_array().expect("scores").clone();
    let all = records.lines().flat_map(|line| scores(serde_json::from_str(line).expect("a record")));
    let highest = all.filter_map(|score| score.as_i64()).max();
    let first = &report["best"][0]["matches"][0]["seats"];
    let shown = first.as_array().expect("seats").iter().filter_map(|seat| seat[1].as_i64()).max();
    assert_eq!(shown, highest, "the first of the highest scores is the highest");
    let page = fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("://"), "it names no other place");
}

#[test]
fn the_command_in_a_report_plays_the_same_tournament() {
    let folder = scratch();
    let all = [
        &["--game", "patchwork", "--schedule", "knockout", "--rounds", "2", "--seeding", "draw"][..],
        &["--game", "patchwork", "--schedule", "swiss", "--rounds", "2", "--swiss-rounds", "2"],
        &["--game", "patchwork", "--rounds", "1", "--no-freeze", "--memory", "1GiB"],
        &["--rounds", "2", "--seats", "3", "--start-cards", "shared"],
        &["--rounds", "2", "--seats", "3", "--no-solitary"],
        &["--rounds", "2", "--seats", "all", "--freeze"],
        &["--rounds", "3", "--seats", "1", "--match-time", "90s"],
        &["--rounds", "2", "--schedule", "gauntlet", "--challenger", "greedy", "--bot", "greedy-2=greedy"],
        &["--rounds", "2", "--schedule", "ladder", "--reuse"],
        &["--rounds", "2", "--until-decided", "--max-rounds", "4", "--reuse=trusting"],
        &["--rounds", "2", "--contain", "off"],
        &["--game", "patchwork", "--rounds", "1", "--leather", "revised"],
    ];
    for options in all.into_iter().step_by(needs::sized(2, 2, 1)) {
        let bots = ["--bot", "random", "--bot", "b=random", "--bot", "greedy"];
        let first = ["tournament", "--seed", "4", "--quiet", "--out", "t"];
        succeed(folder.path(), &[&first[..], options, &bots[..], &AMPLE].concat());
        succeed(folder.path(), &["report", "t"]);
        let report = data(&folder.path().join("report.html"));
        let command = report["command"].as_str().expect("a command");
        let words = shell_words::split(command).expect("words of a shell");
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        succeed(folder.path(), &[&words[..], &["--quiet", "--out", "again"]].concat());
        succeed(folder.path(), &["report", "again", "-o", "again.html"]);
        let again = data(&folder.path().join("again.html"));
        assert_eq!(again["standings"]["digest"], report["standings"]["digest"], "{command}");
        assert_eq!(again["plan_digest"], report["plan_digest"], "{command}");
        for dir in ["t", "again"] {
            fs::remove_dir_all(folder.path().join(dir)).expect("a folder");
        }
    }
}

#[test]
fn what_cannot_be_reported_is_told_in_a_line_or_two() {
    let folder = scratch();
    tournament(folder.path(), &["one", "two"]);
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    for (args, message) in [
        (&["report", "nothing"][..], "cannot read nothing"),
        (&["report", "empty"], "cannot read empty"),
        (&["report", "t", "-o", "t"], "t is a folder"),
        (&["report", "t", "-o", "no/page.html"], "there is no folder no"),
    ] {
        let output = arena(folder.path(), args);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(message) && text.lines().count() <= 2, "{args:?}: {text}");
        assert!(!folder.path().join("report.html").exists(), "{args:?}");
    }
}

#[test]
fn a_report_is_drawn_from_the_file_alone_and_names_in_it_are_text() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    hostile_tournament(folder.path());
    let journal = folder.path().join("t/matches.jsonl");
    let text = std::fs::read_to_string(&journal).expect("a journal");
    std::fs::write(&journal, with_other_results(&text)).expect("a file");
    let output = arena(folder.path(), &["report", "t"]);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success() && stderr.contains("left out of the viewer: match "), "{stderr}");
    let file = folder.path().join("report.html");
    let mut page = browser.page(1280, 800, "light");
    page.open(&file, "");
    page.wait_for("document.querySelectorAll('.bot-point').length === 2");
    let mut shown: Vec<String> =
        serde_json::from_value(texts(&mut page, "section[aria-label=Standings] th.bot")).expect("texts");
    shown.sort();
    assert_eq!(shown, NAMES);
    assert_eq!(page.evaluate("document.querySelectorAll('img, main script, .bot b').length"), 0);
    for (method, params) in page.events() {
        let is_request = method == "Network.requestWillBeSent" && params["type"] != "Document";
        let is_complaint = ["Runtime.exceptionThrown", "Log.entryAdded"].contains(&method.as_str());
        assert!(!is_request && !is_complaint, "{method}: {params}");
    }
    let blocked = page.evaluate(
        "(async () => {
           const blocked = [];
           addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective));
           await fetch('http://127.0.0.1:9/').catch(() => {});
           const script = document.createElement('script');
           script.textContent = 'document.title = \"broken\"';
           document.body.append(script);
           for (let wait = 0; wait < 100 && blocked.length < 2; wait += 1) await new Promise((done) => setTimeout(done, 50));
           return blocked.sort();
         })()",
    );
    assert_eq!(blocked, json!(["connect-src", "script-src-elem"]));
}

/// The bots of these rows.
fn listed(rows: &[Value]) -> Vec<String> {
    rows.iter().filter_map(|row| row["bot"].as_str().map(str::to_owned)).collect()
}

#[test]
fn schedules_with_a_table_of_their_own_have_it_in_the_report() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let bots = ["--bot", "random", "--bot", "b=random", "--bot", "greedy"];
    let mut page = browser.page(1280, 800, "dark");
    for (schedule, kind, seats, field) in [
        ("swiss", "swiss", "2", "table"),
        ("swiss", "swiss_tables", "3", "table"),
        ("knockout", "knockout", "2", "rounds"),
        ("ladder", "ladder", "2", ""),
    ] {
        let first = [
            "tournament",
            "--schedule",
            schedule,
            "--rounds",
            "2",
            "--seats",
            seats,
            "--seed",
            "4",
            "--quiet",
        ];
        let (dir, file) = (folder.path().join(kind), folder.path().join(kind).join("report.html"));
        let at = dir.to_str().expect("a plain path");
        succeed(folder.path(), &[&first[..], &["--out", at], &bots[..]].concat());
        succeed(folder.path(), &["report", at, "-o", file.to_str().expect("a plain path")]);
        page.open(&file, "");
        let report = data(&file);
        let (shown, command) = (texts(&mut page, "pre"), report["command"].as_str().expect("a command"));
        assert!(shown[0].as_str().is_some_and(|text| text.starts_with(command)), "{shown} for {command}");
        let outcome = &report["standings"]["outcome"][kind];
        let rows = if field.is_empty() { outcome } else { &outcome[field] };
        let expected: Vec<String> = match schedule {
            "knockout" => ["Semifinals", "Final"].map(str::to_owned).to_vec(),
            _ => listed(rows.as_array().expect("rows")),
        };
        let place = if schedule == "knockout" { "h3" } else { "table:first-child tbody th" };
        assert_eq!(
            texts(&mut page, &format!("section[aria-label=Schedule] {place}")),
            json!(expected),
            "{kind}"
        );
        if kind == "swiss_tables" {
            let places = outcome["rounds"][0][0].as_array().expect("bots");
            let points =
                places.iter().map(|place| format!("{:.2}", place["points"].as_f64().expect("points")));
            let points = points.collect::<Vec<_>>().join(" : ");
            let shown = texts(
                &mut page,
                "section[aria-label=Schedule] table:last-child tbody:nth-child(2) tr:nth-child(2) > *",
            );
            assert_eq!(shown, json!([points, listed(places).join(", ")]));
        }
        if schedule == "ladder" {
            let met = rows
                .as_array()
                .expect("rows")
                .iter()
                .flat_map(|row| row["climb"].as_array().expect("meetings"));
            let met: Vec<String> = met
                .map(|tie| {
                    format!("{} against {}", tie["bot"].as_str().unwrap(), tie["against"].as_str().unwrap())
                })
                .collect();
            assert!(met.len() >= 2, "each bot but the first meets another: {met:?}");
            let shown = "section[aria-label=Schedule] table:not(:first-child) th[scope=row]";
            assert_eq!(texts(&mut page, shown), json!(met));
        }
    }
}

#[test]
fn a_report_fits_all_windows() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/journals/doodle");
    succeed(folder.path(), &["report", golden.to_str().expect("a plain path")]);
    let file = folder.path().join("report.html");
    walk(&mut browser, |page| page.open(&file, ""), |_, _| {});
}

#[test]
fn a_swiss_at_tables_of_four_fits_all_windows() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let bots = (0..6).map(|bot| format!(" --bot a-bot-with-a-long-name-{bot}=random")).collect::<String>();
    let plan = "tournament --schedule swiss --seats 4 --rounds 1 --seed 4 --quiet --out t";
    succeed(folder.path(), &words(&format!("{plan}{bots}")));
    succeed(folder.path(), &["report", "t"]);
    let file = folder.path().join("report.html");
    walk(&mut browser, |page| page.open(&file, ""), |_, _| {});
}

#[test]
fn the_best_matches_open_in_the_report_and_close_again() {
    let Some(mut browser) = browser() else { return };
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        let args = ["tournament", "--game", game, "--rounds", "3", "--seed", "4", "--quiet", "--out", "t"];
        succeed(folder.path(), &[&args[..], &["--bot", "random", "--bot", "greedy"]].concat());
        succeed(folder.path(), &["report", "t"]);
        let file = folder.path().join("report.html");
        let best = data(&file)["best"][0]["matches"][0].clone();
        let index = best["match"].to_string();
        succeed(folder.path(), &["view", "t", "--match", &index, "-o", "match.html"]);
        let mut view = view(&fs::read_to_string(folder.path().join("match.html")).expect("a page"));
        // A report does not know where its tournament lies.
        view.as_object_mut().expect("a view").remove("from");
        assert_eq!(data(&file)["views"][&index], view, "{game}: it is the view of the viewer");

        let mut page = browser.page(1280, 900, "light");
        page.open(&file, "");
        page.wait_for("document.querySelector('.best button')");
        page.evaluate("document.querySelector('.best button').focus()");
        page.press("Enter");
        page.wait_for("document.querySelectorAll('.theatre .seat').length === 2");
        let turns = view["frames"].as_array().expect("frames").len() - 1;
        assert_eq!(page.evaluate("document.documentElement.dataset.frame"), turns.to_string(), "{game}");
        page.press("ArrowLeft");
        let before = (turns - 1).to_string();
        assert_eq!(page.evaluate("document.documentElement.dataset.frame"), before, "{game}");
        page.press("End");
        assert_eq!(page.evaluate("document.documentElement.dataset.frame"), turns.to_string(), "{game}");
        let shown = page.evaluate("[...document.querySelectorAll('.theatre .score')].map((score) => Number(score.firstChild.data.replace('\u{2212}', '-')))");
        let scores: Vec<&Value> =
            best["seats"].as_array().expect("seats").iter().map(|seat| &seat[1]).collect();
        assert_eq!(shown, json!(scores), "{game}");
        if let Some(rules) = axe::rules() {
            assert_eq!(axe::complaints(&mut page, &rules), [""; 0], "{game}");
        }
        for width in [360, 2560] {
            page.resize(width, 800);
            let wide = page.evaluate(
                "[document.documentElement.scrollWidth, document.querySelector('.theatre').scrollWidth]",
            );
            assert!(
                (0..2).all(|part| wide[part].as_u64() <= Some(width.into())),
                "{game} at {width}: {wide}"
            );
        }
        page.press("Escape");
        page.wait_for("!document.querySelector('.theatre .seat')");
        page.press("Home");
        assert_eq!(
            page.evaluate("document.documentElement.dataset.frame"),
            turns.to_string(),
            "{game}: its keys are gone"
        );
        page.evaluate("document.querySelectorAll('.best button')[1].click()");
        assert_eq!(page.evaluate("document.querySelectorAll('.theatre .seat').length"), 2, "{game}");
        assert_eq!(page.evaluate("location.hash"), "", "{game}");
        page.evaluate("document.querySelector('.theatre .close').click()");
        page.wait_for("!document.querySelector('.theatre').open");
        let is_asked = |(method, params): &(String, Value)| {
            method == "Network.requestWillBeSent" && params["type"] != "Document"
        };
        assert!(!page.events().iter().any(is_asked), "{game}");
    }
}

/// An author's report begins with the bot, and each of its links leads to a file beside it.
#[test]
fn the_report_of_an_author_leads_to_the_lost_matches() {
    let folder = scratch();
    for game in ["doodle", "patchwork"] {
        let plan = "tournament --rounds 3 --seed 4 --quiet --keep-stderr --bot greedy --bot loser=random";
        succeed(folder.path(), &words(&format!("{plan} --game {game} --out t-{game}")));
        succeed(folder.path(), &["report", &format!("t-{game}"), "--for", "loser", "-o", game]);
        let file = folder.path().join(game).join("report.html");
        let author = data(&file)["author"].clone();
        let lost = author["lost"].as_array().expect("matches").len();
        assert!(author["bot"] == "loser" && lost > 0, "{author}");
        let margins = author["lost"].as_array().expect("matches").iter().map(|one| one["margin"].as_i64());
        assert!(margins.is_sorted(), "the worst comes first: {author}");
        let Some(mut browser) = browser() else { continue };
        let mut page = browser.page(1280, 900, "light");
        page.open(&file, "");
        page.wait_for("document.querySelector('section[aria-label=loser]')");
        assert_eq!(texts(&mut page, "h1"), json!([format!("loser in {game}: t-{game}")]));
        assert_eq!(texts(&mut page, "main h2")[0], "loser");
        let links = page
            .evaluate("[...document.querySelectorAll('main a')].map((link) => link.getAttribute('href'))");
        let links: Vec<String> = serde_json::from_value(links).expect("texts");
        assert_eq!(links.iter().filter(|link| link.starts_with("lost/")).count(), lost);
        assert!(links.iter().all(|link| folder.path().join(game).join(link).is_file()), "{links:?}");
        page.leave("document.querySelector('main a').click()");
        page.wait_for("document.querySelectorAll('.seat').length === 2");
        assert_eq!(data_of_everyone(folder.path(), game), Value::Null);
    }
}

/// Returns whose report everyone's report is.
fn data_of_everyone(folder: &Path, game: &str) -> Value {
    succeed(folder, &["report", &format!("t-{game}"), "-o", "all.html"]);
    data(&folder.join("all.html"))["author"].clone()
}
