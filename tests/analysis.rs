//! The coach: it finds what was done wrong on purpose, and says the same on every way to ask.

use std::fs;
use std::path::{Path, PathBuf};

use bots::{Coach, Compared};
use engine::doodle::Doodle;
use engine::game::first_pending;
use engine::patchwork::Patchwork;
use referee::games::{GameKind, RulesOptions, equip};
use referee::play::Position;
use referee::record::MatchRecord;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::browser::{Page, browser};
use crate::program::{arena, scratch, succeed};

/// The loss of a planted blunder, in points, by a search that is larger than that of the coach.
const BLUNDER: f64 = 8.0;

/// The budget of the coach in nodes: its default in `.ci/run --full`, or a part of it.
fn budget<G: Coach>() -> u64 {
    needs::sized(G::NODES / 12, G::NODES / 4, G::NODES)
}

/// Judges all matches in a directory with a small budget, and keeps the answers as those of the default budget.
pub(crate) fn judge_quickly<G: Coach>(folder: &Path, dir: &str) {
    succeed(folder, &["analyze", dir, "--nodes", "100", "--quiet"]);
    let kept = folder.join(dir).join("analysis.jsonl");
    let text = fs::read_to_string(&kept).expect("it is kept");
    let [small, default] = [100, G::NODES].map(|nodes| format!("\"nodes\":{nodes},"));
    assert!(text.contains(&small), "{text}");
    fs::write(kept, text.replace(&small, &default)).expect("a file");
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

fn decisions(analysis: &Value) -> Vec<Value> {
    analysis["decisions"].as_array().expect("decisions").clone()
}

/// Records a match of `greedy` in which seat 0 makes one move that costs [`BLUNDER`] points or more. Returns its file, and the
/// decision.
fn blunder<G: GameKind + Coach>(folder: &Path, seed: u64) -> (PathBuf, u32) {
    let plain = folder.join(format!("plain-{seed}.json"));
    let plain_text = plain.to_str().expect("a plain path");
    let bots = ["--game", G::NAME, "--bot", "one=greedy", "--bot", "two=greedy"];
    let seed_text = seed.to_string();
    succeed(
        folder,
        &[&["match", "--quiet", "--seed", &seed_text, "--record", plain_text][..], &bots].concat(),
    );
    let line = fs::read(&plain).expect("a record");
    let (record, _) = MatchRecord::<G>::from_line(&line).expect("a record");
    let equipment = Arc::new(equip::<G>(&RulesOptions::default()).expect("the standard rules"));
    let asked: Vec<u32> = record.turns.iter().filter(|turn| turn.seat == 0).map(|turn| turn.id).collect();
    // The search for a blunder begins at another decision in each match.
    for step in 0..asked.len() {
        let id = asked[(step * 7 + seed as usize * 5 + 2) % asked.len()];
        let position = Position::of_record(&record, id, true).expect("no bot fails");
        let game = position.start(&equipment, 0).begin(&equipment).expect("it can be played");
        let actions: Vec<G::Action> = game.legal_actions(0).collect();
        let bad = (0..actions.len()).step_by(actions.len().div_ceil(6)).find(|&place| {
            let seen = game.observe(0);
            let (_, Compared { loss, error, .. }) =
                G::advise(&equipment, &seen, 0, &actions[place], 3 * budget::<G>(), seed + 77);
            loss - 2.0 * error >= BLUNDER
        });
        let Some(action) = bad.map(|place| &actions[place]) else { continue };
        // The other seats of the decision move as recorded, and the match goes on by itself.
        let mut moves = position.moves.clone();
        let others = record.turns.iter().filter(|turn| turn.id == id && turn.seat != 0);
        moves.push((0, G::write(&equipment, action)));
        moves.extend(others.filter_map(|turn| Some((turn.seat, turn.wire_move.clone()?))));
        let planted = Position { moves, ..position };
        let start = planted.start(&equipment, 0).begin(&equipment).expect("legal moves");
        if first_pending(&start).is_none() {
            continue;
        }
        let file = folder.join(format!("position-{seed}.jsonl"));
        fs::write(&file, planted.to_line() + "\n").expect("a file");
        let [file, out] = [file, folder.join(format!("blunder-{seed}.json"))];
        let options = ["match", "--quiet", "--deal-as-recorded", "--from"];
        let files = [file.to_str().expect("a path"), "--record", out.to_str().expect("a path")];
        succeed(folder, &[&options[..], &files, &bots].concat());
        // As if the match had been played from its beginning.
        let (played, _) = MatchRecord::<G>::from_line(&fs::read(&out).expect("a record")).expect("a record");
        let whole = MatchRecord { start: None, seed: record.seed, ..played }.sealed();
        fs::write(&out, whole.to_line()).expect("a file");
        return (out, id);
    }
    panic!("no move of match {seed} is bad enough");
}

#[test]
fn a_planted_blunder_is_among_the_three_costliest_decisions() {
    fn check<G: GameKind + Coach>() {
        let (count, nodes) = (needs::sized(1, 1, 12), budget::<G>().to_string());
        let folder = scratch();
        let found = (0..count).filter(|&seed| {
            let (file, id) = blunder::<G>(folder.path(), seed);
            let args = [
                "analyze",
                file.to_str().expect("a path"),
                "--bot",
                "one",
                "--nodes",
                &nodes,
                "--format",
                "jsonl",
            ];
            let analysis = lines(&succeed(folder.path(), &args)).swap_remove(0);
            let mut decisions = decisions(&analysis);
            let loss = |decision: &Value| decision["loss"].as_f64().expect("a number");
            decisions.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
            let is_found = decisions[..3].iter().any(|decision| decision["id"] == id);
            println!("{} {seed}: turn {id}, {is_found}, {:?}", G::NAME, &decisions[..3]);
            is_found
        });
        let found = found.count() as u64;
        assert!(found + count / 12 >= count, "{}: {found} of {count}", G::NAME);
    }
    check::<Doodle>();
    check::<Patchwork>();
}

#[test]
fn no_decision_is_searched_twice_and_one_process_adds_lines() {
    let folder = scratch();
    let path = folder.path();
    let bots = ["--bot", "mine=novice", "--bot", "old=random", "--bot", "greedy"];
    for game in ["doodle", "patchwork"] {
        let begin = ["tournament", "--game", game, "--rounds", "1", "--seed", "6", "--quiet", "--out", game];
        succeed(path, &[&begin[..], &bots].concat());
        let file = path.join(game).join("analysis.jsonl");
        let kept = || fs::read_to_string(&file).expect("it is kept").lines().count();
        let default = if game == "doodle" { Doodle::NODES } else { Patchwork::NODES };
        let analyze = |more: &[&str]| {
            let args = ["analyze", game, "--nodes", "60", "--format", "jsonl", "--quiet", "--with", "mine"];
            lines(&succeed(path, &[&args[..], more].concat()))
        };
        // What the guide does: the worst matches, then one of them on a page.
        let mine = analyze(&["--worst", "2", "--bot", "mine"]);
        let searched: usize = mine.iter().map(|one| decisions(one).len()).sum();
        assert_eq!(kept(), searched);
        assert_eq!(analyze(&["--worst", "2", "--bot", "mine"]), mine);
        assert_eq!(kept(), searched);
        let text = fs::read_to_string(&file).expect("it is kept");
        fs::write(&file, text.replace("\"nodes\":60,", &format!("\"nodes\":{default},"))).expect("a file");
        let page = ["view", game, "--with", "mine", "--worst", "1", "--analyze", "--out", "page.html"];
        if game == "patchwork" {
            // A search of the default budget takes minutes here, so the other seat's is given.
            let other = analyze(&["--worst", "1"]);
            let text = fs::read_to_string(&file).expect("it is kept");
            fs::write(&file, text.replace("\"nodes\":60,", &format!("\"nodes\":{default},")))
                .expect("a file");
            assert_eq!(kept(), searched + decisions(&other[0]).len());
        }
        let before = kept();
        succeed(path, &page);
        let others = kept() - before;
        succeed(path, &page);
        assert_eq!(kept() - before, others, "the page searches nothing again");
        // Another process holds the file: values are judged and not kept.
        let held = fs::File::open(&file).expect("a file");
        held.lock().expect("nobody else has it");
        let args = ["analyze", game, "--nodes", "70", "--quiet", "--match", "0"];
        let said = arena(path, &args);
        assert!(said.status.success());
        assert!(String::from_utf8_lossy(&said.stderr).contains("is in use"), "{said:?}");
        assert_eq!(kept() - before, others);
        drop(held);
        let said = arena(path, &args);
        assert!(!String::from_utf8_lossy(&said.stderr).contains("is in use"), "{said:?}");
        assert!(kept() - before > others);
    }
}

#[test]
fn the_costliest_decisions_are_valued_again_and_listed_by_that() {
    let folder = scratch();
    let path = folder.path();
    for game in ["doodle", "patchwork"] {
        let begin = ["tournament", "--game", game, "--rounds", "1", "--seed", "6", "--quiet", "--out", game];
        succeed(path, &[&begin[..], &["--bot", "one=random", "--bot", "two=random"]].concat());
        let said = succeed(path, &["analyze", game, "--nodes", "60", "--quiet", "--width", "200"]);
        let kept = lines(&fs::read_to_string(path.join(game).join("analysis.jsonl")).expect("it is kept"));
        let of = |nodes: u64| {
            let lines = kept.iter().filter(move |line| line["nodes"] == nodes);
            lines.flat_map(|line| decisions(line).into_iter().map(|one| (line["match"].clone(), one)))
        };
        let loss = |one: &Value| one["loss"].as_f64().expect("a number");
        let is_named =
            |one: &Value| loss(one) >= 1.0 && loss(one) > 2.0 * one["error"].as_f64().expect("a number");
        let named = of(60).filter(|(_, one)| is_named(one)).count();
        assert_eq!(of(480).count(), named.min(10), "{game}: {said}");
        let mut again: Vec<(Value, Value)> = of(480).filter(|(_, one)| is_named(one)).collect();
        again.sort_by(|(_, one), (_, other)| loss(other).total_cmp(&loss(one)));
        let listed: Vec<&str> = said.lines().filter(|line| line.contains("; best was ")).collect();
        assert_eq!(listed.len(), again.len(), "{game}: {said}");
        for (line, (index, one)) in listed.iter().zip(again) {
            let place = format!("match {index}, turn {},", one["id"].as_u64().expect("a turn") + 1);
            let begins = format!("{:>5.1} ± ", loss(&one));
            assert!(line.starts_with(&begins) && line.contains(&place), "{begins:?} {place:?}: {line}");
        }
    }
}

#[test]
fn two_versions_stand_side_by_side_and_either_move_is_played_on() {
    let folder = scratch();
    let path = folder.path();
    let bots = ["--bot", "new=greedy", "--bot", "old=random", "--bot", "third=random"];
    for game in ["doodle", "patchwork"] {
        let begin = ["tournament", "--game", game, "--rounds", "1", "--seed", "6", "--quiet", "--out", game];
        succeed(path, &[&begin[..], &bots].concat());
        let args = ["analyze", game, "--nodes", "300", "--quiet", "--width", "80"];
        let all = succeed(path, &args);
        assert!(!all.contains(" against "), "three bots do not stand side by side: {all}");
        let said = succeed(path, &[&args[..], &["--bot", "old", "--bot", "new"]].concat());
        let (_, sides) = said.split_once("old against new: +").unwrap_or_else(|| panic!("{said}"));
        assert!(sides.contains(" points more lost a decision\n  by kind: "), "{said}");
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        let mut commands = said.lines().filter_map(|line| line.strip_prefix("  arena match "));
        let [played, best] = [(); 2].map(|()| commands.next().expect("a command"));
        assert!(best.contains("--instead old=best") && !played.contains("--instead"), "{said}");
        let ends = [played, best].map(|command| {
            let words = command.split(' ').map(|word| word.trim_matches('\'')).chain(["--quiet"]);
            let words: Vec<&str> = ["match"].into_iter().chain(words).collect();
            succeed(path, &words)
        });
        assert_ne!(ends[0], ends[1], "the moves differ");
        let mut words: Vec<&str> = best.split(' ').map(|word| word.trim_matches('\'')).collect();
        let last = words.len() - 1;
        for (instead, why) in [
            ("old", "no \"=\" after the name"),
            ("nobody=best", "\"nobody\" has no move in turn"),
            ("old={}", "no move of"),
            ("old=[", "EOF"),
        ] {
            words[last] = instead;
            let said = arena(path, &[&["match"][..], &words].concat());
            let stderr = String::from_utf8_lossy(&said.stderr);
            assert_eq!(said.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains(why) && stderr.lines().count() <= 2, "{stderr}");
        }
        words[last] = "old=best";
        fs::remove_file(path.join(game).join("analysis.jsonl")).expect("it is kept");
        let said = arena(path, &[&["match"][..], &words].concat());
        assert!(
            String::from_utf8_lossy(&said.stderr).contains("the coach has not judged that turn"),
            "{said:?}"
        );
    }
}

/// Bundled bots, weakest first.
const BOTS: [&str; 4] = ["random", "novice", "greedy", "planner"];

#[test]
fn better_bots_lose_less() {
    let folder = scratch();
    let rounds = needs::sized("1", "2", "12");
    let budgets = needs::sized(["150", "1500"], ["300", "3000"], ["600", "6000"]);
    for (game, nodes) in ["doodle", "patchwork"].into_iter().zip(budgets) {
        // One round is too short to tell the best two apart.
        let bots = needs::sized(&["random", "novice", "planner"][..], &BOTS, &BOTS);
        let args: Vec<&str> = bots.iter().flat_map(|bot| ["--bot", bot]).collect();
        let options =
            ["tournament", "--game", game, "--rounds", rounds, "--seed", "6", "--quiet", "--out", game];
        succeed(folder.path(), &[&options[..], &["--move-time", "1m"], &args].concat());
        let said = succeed(folder.path(), &["analyze", game, "--nodes", nodes, "--quiet", "--width", "80"]);
        let heads =
            said.lines().filter_map(|line| Some(line.split_once(": ")?.0).filter(|bot| bots.contains(bot)));
        assert!(heads.eq(bots.iter().rev().copied()), "{said}");
        assert!(said.contains("The costliest decisions"), "{said}");
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        let command = said
            .lines()
            .find_map(|line| line.trim().strip_prefix("arena match --seed 1 --from "))
            .expect("a place");
        let place = command.trim_matches('\'');
        succeed(folder.path(), &["match", "--from", place, "--quiet", "--bot", "random", "--bot", "greedy"]);
    }
}

#[test]
fn any_number_of_jobs_and_any_interruption_give_the_same_bytes() {
    let folder = scratch();
    let path = folder.path();
    let begin =
        ["tournament", "--rounds", "3", "--seed", "6", "--quiet", "--bot", "random", "--bot", "greedy"];
    for out in ["one", "two"] {
        succeed(path, &[&begin[..], &["--out", out]].concat());
    }
    let analyze = |out: &str, jobs: &str| {
        let args = ["analyze", out, "--nodes", "60", "--jobs", jobs, "--quiet", "--format", "jsonl"];
        succeed(path, &args)
    };
    let whole = analyze("one", "1");
    assert_eq!(analyze("two", "3"), whole);
    // The file has a line for each decision, in the order in which they were judged.
    let [first, second] = ["one", "two"].map(|out| path.join(out).join("analysis.jsonl"));
    let sorted = |file: &Path| {
        let text = fs::read_to_string(file).expect("it is kept");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let kept = sorted(&first);
    assert_eq!(sorted(&second), kept);
    let all: usize = lines(&whole).iter().map(|analysis| decisions(analysis).len()).sum();
    assert!(kept.len() == all && kept.windows(2).all(|pair| pair[0] != pair[1]), "{} of {all}", kept.len());
    // Stopped in the middle of a line.
    let text = fs::read_to_string(&first).expect("it is kept");
    let places: Vec<usize> = text.match_indices('\n').map(|(place, _)| place).collect();
    fs::write(&second, &text[..places[all / 2] + 50]).expect("a file");
    assert_eq!(analyze("two", "2"), whole);
    assert_eq!(sorted(&second), kept);
    // A line of another match, another search, another budget, or without any meaning is no answer.
    let forged = |name: &str, value: Value| {
        let change = |(place, line): (usize, &String)| {
            let mut line: Value = serde_json::from_str(line).expect("a line");
            line["decisions"][0]["value"] = 1000.into();
            line[name] = value.clone();
            format!("{line}\n{}", ["{\n", "\n", "null\n", "\u{fffd}\n"][place % 4])
        };
        kept.iter().enumerate().map(change).collect::<String>()
    };
    for (name, value) in [
        ("digest", "0".repeat(32).into()),
        ("nodes", 61.into()),
        ("evaluator", "0".repeat(16).into()),
        ("evaluator", Value::Null),
        ("evaluator", "".into()),
    ] {
        fs::write(&second, forged(name, value)).expect("a file");
        assert_eq!(analyze("two", "2"), whole, "{name}");
    }
    let link = path.join("two/analysis.jsonl");
    fs::remove_file(&link).expect("it is ours");
    fs::write(path.join("precious"), "mine").expect("a file");
    std::os::unix::fs::symlink(path.join("precious"), &link).expect("a link");
    assert!(!arena(path, &["analyze", "two", "--quiet"]).status.success(), "no link is followed");
    assert_eq!(fs::read_to_string(path.join("precious")).expect("a file"), "mine");
    for (args, why) in [
        (&["analyze", "one", "--match", "900"][..], "there is no match 900"),
        (&["analyze", "one", "--bot", "nobody"], "no selected match has a bot named \"nobody\""),
        (&["analyze", "nowhere"], "cannot read"),
    ] {
        let said = arena(path, args);
        assert_eq!(said.status.code(), Some(2));
        let stderr = String::from_utf8_lossy(&said.stderr);
        assert!(stderr.contains(why) && stderr.lines().count() <= 2, "{stderr}");
    }
}

#[test]
fn a_page_shows_the_best_moves_and_leads_to_the_costly_ones() {
    let folder = scratch();
    let path = folder.path();
    let bots = ["--bot", "random", "--bot", "greedy"];
    succeed(
        path,
        &[&["tournament", "--rounds", "1", "--seed", "6", "--quiet", "--out", "m"][..], &bots].concat(),
    );
    judge_quickly::<Doodle>(path, "m");
    succeed(path, &["view", "m", "--match", "0", "--analyze", "--out", "m.html"]);
    let kept = lines(&fs::read_to_string(path.join("m/analysis.jsonl")).expect("it is kept"));
    // The last turns alone, as one record without a folder.
    let late = [&["match", "--from", "m#0@17", "--quiet", "--record", "late.json"][..], &bots].concat();
    succeed(path, &late);
    succeed(path, &["view", "late.json", "--analyze", "--out", "late.html"]);
    assert!(fs::read_to_string(path.join("late.html")).expect("a page").contains("\"loss\":"));
    let is_named = |decision: &&Value| {
        let number = |name: &str| decision[name].as_f64().expect("a number");
        number("loss") >= 1.0 && number("loss") > 2.0 * number("error")
    };
    // The costliest ones were judged once more, by a smaller search than the default, so the page does not have that.
    let is_shown = |line: &&Value| line["match"] == 0 && line["nodes"] == Doodle::NODES;
    let all: Vec<Value> = kept.iter().filter(is_shown).flat_map(decisions).collect();
    let mut costly: Vec<u64> =
        all.iter().filter(is_named).map(|decision| decision["id"].as_u64().expect("an id")).collect();
    costly.sort_unstable();
    costly.dedup();
    assert!(costly.len() > 3, "random is no master");
    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 900, "light");
    page.open(&path.join("m.html"), "#turn-start");
    for id in &costly {
        page.press("n");
        assert_eq!(page.evaluate("document.documentElement.dataset.frame"), (id + 1).to_string());
        let said = page.evaluate(
            "[...document.querySelectorAll('.advice:not([hidden])')].map((node) => node.innerText)",
        );
        let said: Vec<String> = serde_json::from_value(said).expect("texts");
        assert!(
            !said.is_empty() && said.iter().all(|text| text.contains("points lost; best was ")),
            "{said:?}"
        );
        let drawn = page.evaluate(
            "[...document.querySelectorAll('.board .best')].filter((node) => node.getAttribute('d')).length",
        );
        assert!(drawn.as_u64().is_some_and(|drawn| drawn as usize <= said.len()), "{drawn}");
        let command = page.evaluate("document.querySelector('.again code').innerText");
        assert_eq!(command, format!("arena play --from 'm@{id}'"));
    }
    page.press("n");
    assert_eq!(page.evaluate("document.documentElement.dataset.frame"), (costly[0] + 1).to_string());
    assert_losses_are_listed(&mut page, all.iter().filter(is_named).collect());
}

/// Checks the totals, the losses beside the moves, and the list of the worst moves on the page of a match of `random`
/// (seat 0 or 1) against `greedy`. `named` has the decisions that lost points.
fn assert_losses_are_listed(page: &mut Page<'_>, mut named: Vec<&Value>) {
    let loss = |decision: &Value| decision["loss"].as_f64().expect("a number");
    let at = |decision: &Value| {
        (decision["id"].as_u64().expect("an id") + 1, decision["seat"].as_u64().expect("a seat"))
    };
    // Rust and JavaScript round halves in different ways.
    let digits = |page: &mut Page<'_>, number: f64| {
        page.evaluate(&format!("({number}).toFixed(1)")).as_str().expect("digits").to_owned()
    };
    let mark = |loss: f64| {
        if loss >= 8.0 {
            "??"
        } else if loss >= 3.0 {
            "?"
        } else {
            "?!"
        }
    };
    let row = |page: &mut Page<'_>, decision: &Value| {
        json!([at(decision), format!("{} {}", digits(page, loss(decision)), mark(loss(decision)))])
    };
    let rows = |page: &mut Page<'_>, list: &str| {
        page.evaluate(&format!(
            "[...document.querySelectorAll('{list} a')].map((row) => [
               [Number(row.hash.replace('#turn-', '')), Number(row.querySelector('.dot').textContent) - 1],
               row.querySelector('.swing').textContent]).filter(([, words]) => words !== '')"
        ))
    };
    named.sort_by_key(|decision| at(decision));
    let wanted: Vec<Value> = named.iter().map(|decision| row(page, decision)).collect();
    assert_eq!(rows(page, "[aria-label=\"List of moves\"]"), json!(wanted));
    let story = page
        .evaluate("[...document.querySelectorAll('header .again')].map((node) => node.textContent).join()");
    let bots = page.evaluate("[...document.querySelectorAll('.seat h2')].map((node) => node.textContent)");
    for seat in 0..2 {
        let own: Vec<f64> = named.iter().filter(|one| one["seat"] == seat).map(|one| loss(one)).collect();
        let bot = bots[seat as usize].as_str().expect("a name");
        let moves = if own.len() == 1 { "move" } else { "moves" };
        let total = digits(page, own.iter().sum());
        let total = format!("{bot} lost {total} points in {} {moves}", own.len());
        assert!(story.as_str().is_some_and(|story| story.contains(&total)), "{total}: {story}");
    }
    named.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
    let worst: Vec<Value> = named.iter().take(10).map(|decision| row(page, decision)).collect();
    assert_eq!(rows(page, "[aria-label=\"Worst moves\"]"), json!(worst));
    page.evaluate("document.querySelector('[aria-label=\"Worst moves\"] a').click()");
    assert_eq!(page.evaluate("document.documentElement.dataset.frame"), at(named[0]).0.to_string());
    // The record counts rows and columns from 0, and people count them from 1.
    let first = &named.iter().find(|one| one["best"]["cells"].is_array()).expect("a best move with cells");
    page.evaluate(&format!("location.hash = '#turn-{}'", at(first).0));
    let [line, column] = [0, 1].map(|axis| first["best"]["cells"][0][axis].as_u64().expect("a number") + 1);
    let cells = first["best"]["cells"].as_array().expect("cells").len();
    let words = format!(", {cells} cells from row {line}, column {column}");
    page.wait_for(&format!(
        "document.querySelector('[data-seat=\"{}\"] .advice').textContent.includes('{words}')",
        at(first).1
    ));
}
