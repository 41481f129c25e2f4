//! Numbers that bots send with their moves.

use std::path::Path;

use serde_json::Value;

use crate::program::{arena, scratch, succeed};

fn played(folder: &Path, game: &str) {
    let args = [
        "tournament",
        "--game",
        game,
        "--rounds",
        "4",
        "--seed",
        "3",
        "--budget",
        "40",
        "--move-time",
        "10m",
    ];
    let bots = ["--bot", "planner", "--bot", "greedy", "--quiet", "--out", "t"];
    succeed(folder, &[&args[..], &bots].concat());
}

#[test]
fn lists_and_tables_have_the_numbers_of_bots() {
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        played(folder.path(), game);
        let list =
            |options: &[&str]| succeed(folder.path(), &[&["matches", "t", "--decisions"], options].concat());
        let rows: Vec<Value> = serde_json::from_str(&list(&["--format", "json"])).expect("JSON");
        let searched = |row: &&Value| row["bot"] == "planner" && row["data"]["nodes"].as_u64() >= Some(1);
        assert!(rows.iter().any(|row| searched(&row)), "{game}");
        assert!(
            rows.iter().filter(|row| row["bot"] == "greedy").all(|row| row["data"] == serde_json::json!({}))
        );
        let csv = list(&["--format", "csv"]);
        assert!(
            csv.starts_with("match,deal,id,seat,bot,time_us,fault,data.depth,data.eval,data.nodes\n"),
            "{csv}"
        );
        let table = |options: &[&str]| {
            succeed(folder.path(), &[&["standings", "t", "--data", "nodes"], options].concat())
        };
        let sums: Vec<Value> = serde_json::from_str(&table(&["--format", "json"])).expect("JSON");
        let all = &sums[0];
        assert_eq!((&all["bot"], &all["matches"]), (&"planner".into(), &"all".into()));
        let nodes = rows.iter().filter(searched).map(|row| row["data"]["nodes"].as_f64().expect("a number"));
        let (count, sum) = nodes.fold((0, 0.0), |(count, sum), nodes| (count + 1, sum + nodes));
        assert_eq!(all["decisions"], count);
        assert!((all["mean"].as_f64().expect("a mean") - sum / f64::from(count)).abs() < 1e-4, "{all}");
        assert!(
            table(&["--format", "csv"])
                .starts_with("bot,matches,decisions,mean,p10,median,p90\nplanner,all,")
        );
        assert!(table(&[]).contains("│ planner │ all "));
        let replay = succeed(folder.path(), &["replay", "t", "--match", "0"]);
        assert!(replay.contains("\n    data: depth "), "{replay}");
        let wrong = arena(folder.path(), &["standings", "t", "--data", "node"]);
        let wrong = String::from_utf8(wrong.stderr).expect("UTF-8");
        assert!(wrong.contains("no move has a number \"node\"\n  hint: did you mean nodes?"), "{wrong}");
    }
}
