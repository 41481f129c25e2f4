//! Two matches of one deal side by side.

use std::fs;

use bots::Coach;
use engine::doodle::Doodle;
use engine::patchwork::Patchwork;
use referee::games::GameKind;
use serde_json::{Value, json};

use crate::analysis::judge_quickly;
use crate::browser::browser;
use crate::program::{arena, scratch, succeed};
use crate::serve::client::Server;

/// The first turn, from 1, in which a seat did something else in the two records, and that seat.
fn first_difference(records: &[Value]) -> Option<(u64, u64)> {
    let turns = |record: &Value| record["turns"].as_array().expect("turns").clone();
    let (left, right) = (turns(&records[0]), turns(&records[1]));
    let mut differs = left.iter().filter_map(|turn| {
        let same = right.iter().find(|other| other["id"] == turn["id"] && other["seat"] == turn["seat"])?;
        (same["move"] != turn["move"])
            .then(|| (turn["id"].as_u64().expect("an id") + 1, turn["seat"].as_u64().expect("a seat")))
    });
    differs.next()
}

#[test]
fn two_matches_of_one_deal_are_shown_in_step_and_where_they_part() {
    fn check<G: GameKind + Coach>() {
        let (folder, game) = (scratch(), G::NAME);
        let path = folder.path();
        let plan = ["tournament", "--game", game, "--rounds", "2", "--seed", "3", "--quiet", "--no-solitary"];
        let bots = ["--out", game, "--bot", "greedy", "--bot", "random", "--bot", "other=random"];
        succeed(path, &[&plan[..], &bots].concat());
        judge_quickly::<G>(path, game);
        let journal = fs::read_to_string(path.join(game).join("matches.jsonl")).expect("a journal");
        let mut records: Vec<Value> =
            journal.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        records.sort_by_key(|record| record["match"].as_u64());
        let deal = |record: &Value| record["round"].clone();
        let other =
            records.iter().skip(1).find(|record| deal(record) == deal(&records[0])).expect("the same deal");
        let (left, right) = (records[0]["match"].to_string(), other["match"].to_string());
        let (turn, seat) = first_difference(&[records[0].clone(), other.clone()]).expect("random is random");
        let both = ["view", game, "--match", &left, "--beside", &right, "--analyze", "-o", "both.html"];
        succeed(path, &both);
        let apart = records.iter().find(|record| deal(record) != deal(&records[0])).expect("another deal");
        for (number, why) in
            [(apart["match"].to_string(), "have different deals"), ("9999".to_owned(), "no match 9999")]
        {
            let said = arena(path, &["view", game, "--match", &left, "--beside", &number]);
            let stderr = String::from_utf8_lossy(&said.stderr).into_owned();
            assert!(said.status.code() == Some(2) && stderr.contains(why), "{stderr}");
        }
        let server = Server::start(&path.join(game), &[]);
        server.wait(|status| status["is_over"] == true && status["tables"] != 0);
        for wrong in [format!("/beside/{left}/{left}"), format!("/beside/{left}/9999")] {
            assert_eq!(server.get(&wrong).status, 404, "{wrong}");
        }
        let Some(mut browser) = browser() else { return };
        let mut page = browser.page(1440, 900, "light");
        let address = format!("{}beside/{left}/{right}", server.link);
        for is_file in [true, false] {
            match is_file {
                true => page.open(&path.join("both.html"), ""),
                false => page.go(&address),
            }
            page.wait_for("document.querySelectorAll('.seat').length === 4");
            page.evaluate("document.querySelector('.moves a').click()");
            assert_eq!(page.evaluate("document.documentElement.dataset.frame"), turn.to_string(), "{game}");
            assert_eq!(
                page.evaluate("document.querySelector('.moves .dot text').textContent"),
                (seat + 1).to_string(),
                "{game}"
            );
            let losses = page.evaluate("document.querySelector('.moves').innerText.includes(', lost ')");
            // On the own machine the server's pages have it, too.
            assert_eq!(losses, true, "{game}: what a move cost, where an analysis says so");
            page.press("End");
            let scores = page.evaluate("[...document.querySelectorAll('.score')].map((score) => Number(score.firstChild.data.replace('\u{2212}', '-')))");
            let wanted: Vec<Value> = [&records[0], other]
                .iter()
                .flat_map(|record| record["result"]["scores"].as_array().expect("scores").clone())
                .collect();
            assert_eq!(scores, json!(wanted), "{game}");
        }
    }
    check::<Doodle>();
    check::<Patchwork>();
}
