//! Schedules, league files, and copies of bots, through the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use referee::play::seeds::deal_seed;
use serde_json::Value;
use tournament::plan::TournamentHead;
use tournament::schedule::{Field, Pairing, Results, Settings};

use crate::cli::{json, refused, stderr, typed};
use crate::program::executable;
use crate::program::tables::{records, standings};
use crate::program::{arena, scratch, succeed, words};
use crate::replay::run;

const BOTS: &str = "--bot greedy --bot random --bot b=random --bot c=random --bot g=greedy";
const THREE: &str = "--bot greedy --bot random --bot b=random";

/// Returns the index, round, and bots of each match in a journal, in order of the index.
fn matches(dir: &Path) -> Vec<(u64, u64, Vec<String>)> {
    let read = |record: &Value| {
        let bots = record["bots"].as_array().expect("names").iter();
        let bots = bots.map(|name| name.as_str().expect("a name").to_owned()).collect();
        (record["match"].as_u64().expect("an index"), record["round"].as_u64().expect("a round"), bots)
    };
    records(dir).iter().map(read).collect()
}

/// Plays with one job and with four, replays the journal, and rebuilds the tables. Returns the tables.
fn play(folder: &Path, plan: &str) -> Value {
    let mut printed = String::new();
    for (out, jobs) in [("one", "1"), ("four", "4")] {
        printed = typed(folder, &format!("tournament {plan} --seed 3 --out {out} --jobs {jobs} --quiet"));
    }
    let tables = standings(&folder.join("one"));
    assert_eq!(tables, standings(&folder.join("four")), "{plan:?}");
    assert_eq!(matches(&folder.join("one")), matches(&folder.join("four")), "{plan:?}");
    succeed(folder, &["replay", "four", "--all", "--quiet"]);
    assert_eq!(succeed(folder, &["standings", "four"]), printed);
    // Resuming plays the matches that are missing at the end of a journal, and no others.
    let journal = folder.join("four/matches.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    let kept: Vec<&str> = text.lines().take(text.lines().count() / 2).collect();
    fs::write(&journal, kept.join("\n") + "\n").expect("a file");
    succeed(folder, &["tournament", "--resume", "--out", "four", "--quiet"]);
    assert_eq!(tables, standings(&folder.join("four")), "{plan:?} resumed");
    succeed(folder, &["merge", "one", "four", "--out", "both"]);
    assert_eq!(tables, standings(&folder.join("both")), "{plan:?} merged");
    tables
}

#[test]
fn a_gauntlet_is_one_bot_against_all_others() {
    let folder = scratch();
    let tables = play(folder.path(), &format!("--schedule gauntlet --challenger b --rounds 2 {BOTS}"));
    assert_eq!(tables["matches"], 8);
    assert!(matches(&folder.path().join("one")).iter().all(|(_, _, bots)| bots.contains(&"b".to_owned())));
    succeed(folder.path(), &["tournament", "--resume", "--rounds", "3", "--out", "one", "--quiet"]);
    assert_eq!(standings(&folder.path().join("one"))["matches"], 12, "more rounds extend it");
}

#[test]
fn a_swiss_tournament_has_a_table_of_points() {
    let folder = scratch();
    let tables = play(folder.path(), &format!("--schedule swiss --rounds 2 {BOTS}"));
    let swiss = &tables["outcome"]["swiss"];
    assert_eq!(swiss["rounds"].as_array().map(Vec::len), Some(3), "as many as a knockout of 5");
    let rows = swiss["table"].as_array().expect("rows");
    let points: f64 = rows.iter().map(|row| row["points"].as_f64().expect("points")).sum();
    assert_eq!((rows.len(), points), (5, 9.0), "two meetings and a bye in each round");
    assert!(rows.iter().all(|row| row["byes"].as_u64() <= Some(1)), "{rows:?}");
    refused(folder.path(), &words("tournament --resume --out one --rounds 4"), "4 rounds instead of 2");
}

#[test]
fn a_swiss_at_tables_of_four_has_points_of_tables_and_byes() {
    let folder = scratch();
    let tables =
        play(folder.path(), &format!("--schedule swiss --seats 4 --rounds 4 --swiss-rounds 3 {BOTS}"));
    let swiss = &tables["outcome"]["swiss_tables"];
    let rows = swiss["table"].as_array().expect("rows");
    let points: f64 = rows.iter().map(|row| row["points"].as_f64().expect("points")).sum();
    assert!((points - 7.5).abs() < 0.01, "two for a table, and a half for a bye, in each round: {points}");
    for round in swiss["rounds"].as_array().expect("three rounds") {
        let sizes =
            round.as_array().expect("tables").iter().map(|table| table.as_array().map_or(0, Vec::len));
        assert_eq!(sizes.collect::<Vec<_>>(), [4, 1], "a table and a bye");
    }
}

#[test]
fn a_knockout_has_a_bracket() {
    let folder = scratch();
    let tables = play(folder.path(), &format!("--game patchwork --schedule knockout --rounds 2 {BOTS}"));
    let rounds = tables["outcome"]["knockout"]["rounds"].as_array().expect("rounds");
    let sizes: Vec<usize> = rounds.iter().map(|round| round.as_array().expect("ties").len()).collect();
    assert_eq!(sizes, [4, 2, 1]);
    let byes = rounds[0].as_array().expect("ties").iter().filter(|tie| tie["against"].is_null()).count();
    assert_eq!(byes, 3, "five bots on eight places");
    let winner = tables["outcome"]["knockout"]["winner"].as_str().expect("a winner");
    assert!(["greedy", "g"].contains(&winner), "{winner}");
    let drawn = "tournament --schedule knockout --seeding draw --rounds 1 --seed 2 --out drawn --quiet";
    typed(folder.path(), &format!("{drawn} {BOTS}"));
    let file = json(&folder.path().join("drawn/tournament.json"));
    assert_eq!((&file["schedule"], &file["seeding"]), (&"knockout".into(), &"draw".into()));
}

#[test]
fn a_bot_that_is_added_climbs_the_ladder() {
    let folder = scratch();
    let path = folder.path();
    play(path, "--schedule ladder --rounds 2 --bot random --bot b=random");
    let before = matches(&path.join("one"));
    typed(path, "tournament --resume --out one --bot top=greedy --quiet");
    let ladder = standings(&path.join("one"))["outcome"]["ladder"].clone();
    assert_eq!((&ladder[0]["bot"], &ladder[0]["passed"]), (&"top".into(), &2.into()));
    let climb = ladder[0]["climb"].as_array().expect("its meetings");
    assert!(climb.len() == 2 && climb.iter().all(|tie| tie["winner"] == "top"), "{climb:?}");
    let after = matches(&path.join("one"));
    assert_eq!((&after[..before.len()], after.len()), (&before[..], before.len() + 4));
}

#[test]
fn until_decided_plays_on_where_the_order_is_open() {
    let folder = scratch();
    let path = folder.path();
    let tables = play(path, &format!("--rounds 4 --until-decided --max-rounds 9 {THREE}"));
    let pairs = tables["outcome"]["until_decided"].as_array().expect("pairs").clone();
    assert_eq!(pairs.len(), 2);
    for pair in &pairs {
        let deals = pair["deals"].as_u64().expect("deals");
        assert!(pair["decided"] == true || deals == 9, "{pair}");
        assert!((4..=9).contains(&deals), "{pair}");
    }
    // A finished round robin continues in the same way.
    typed(path, &format!("tournament --rounds 4 --seed 3 --out late --quiet {THREE}"));
    typed(path, "tournament --resume --until-decided --max-rounds 9 --out late --quiet");
    assert_eq!(standings(&path.join("late")), tables);
}

#[test]
fn a_plan_needs_a_finished_round_robin_of_similar_bots() {
    let folder = scratch();
    let path = folder.path();
    let plan = |args: &[&str]| arena(path, &[&["plan"], args].concat());
    let refused = |args: &[&str], why: &str| {
        let output = plan(args);
        let error = stderr(&output);
        assert!(output.status.code() == Some(2) && error.contains(why), "{args:?}: {error}");
        assert!(error.lines().count() <= 2, "{error}");
    };
    for bots in [
        "similar --bot random --bot b=random --bot c=random",
        "apart --bot random --bot greedy",
        "swiss --schedule swiss --bot random --bot greedy",
        "alike --bot greedy --bot b=greedy",
    ] {
        let play = "tournament --game patchwork --rounds 20 --seed 1 --quiet --out";
        typed(path, &format!("{play} {bots}"));
    }
    typed(path, "compare --game patchwork --seed 1 --quiet --out compared greedy random");
    let json = plan(&words("similar --bots 4 --difference 3points --format json"));
    let answer: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let sizes = answer["sizes"].as_array().expect("a list");
    assert!(sizes.len() == 2 && sizes[0]["schedule"] == "round robin", "{answer}");
    let [deals, matches] = ["deals", "matches"].map(|field| sizes[0][field].as_u64().expect("a number"));
    assert!(deals >= 8 && matches == deals * 12, "six pairs in both seats: {answer}");
    refused(&["similar", "--game", "doodle"], "similar is a tournament of patchwork");
    refused(&["apart"], "apart: no two of its bots are similar");
    refused(&["alike"], "alike: its bots play alike");
    refused(&["swiss"], "swiss is no round robin");
    refused(&["compared"], "compared is no round robin");
    let journal = fs::read_to_string(path.join("similar/matches.jsonl")).expect("a journal");
    let most = journal.split_inclusive('\n').take(30).collect::<String>();
    fs::write(path.join("similar/matches.jsonl"), most).expect("it is writable");
    refused(&["similar"], "similar is unfinished");
}

#[test]
fn copies_of_a_bot_have_seeds_of_their_own() {
    let folder = scratch();
    let path = folder.path();
    let play =
        |more: &str| typed(path, &format!("tournament --game patchwork --rounds 8 --seed 1 --quiet {more}"));
    let text = play("--bot random --bot random-2=random --out t");
    assert!(text.contains("random and its copy random-2 differ by"), "{text}");
    let played = records(&path.join("t"));
    assert!(played.iter().all(|record| record["copies"]
        == serde_json::json!(match record["bots"][0].as_str() {
            Some("random") => [0, 1],
            _ => [1, 0],
        })));
    let scores =
        |record: &Value| [0, 1].map(|seat| record["result"]["scores"][seat].as_i64().expect("points"));
    let as_equals = |pair: &[Value]| scores(&pair[0]) == scores(&pair[1]);
    assert!(!played.chunks(2).all(as_equals), "each deal is played in both seats, and not the same way");
    succeed(path, &["rerun", "t", "--match", "1"]);

    // Of many copies, the first five have a line each.
    let copies: String = (1..=7).map(|number| format!("--bot c{number}=random ")).collect();
    let text = play(&format!("{copies} --out many"));
    assert_eq!(text.matches("c1 and its copy c").count(), 5, "{text}");
    assert!(text.contains("For 1 more pair of copies, see standings.json."), "{text}");

    // A bot that has played stays the copy that it was.
    play("--bot a=random --bot greedy --out more");
    typed(path, "tournament --resume --out more --quiet --bot b=random --bot a=random --bot greedy");
    let names = |key: &str| -> Vec<Value> {
        let plan = json(&path.join("more/tournament.json"));
        plan["bots"].as_array().expect("bots").iter().map(|bot| bot[key].clone()).collect()
    };
    assert_eq!(names("name"), ["a", "b", "greedy"]);
    assert_eq!(names("copy"), [Value::Null, Value::Null, Value::Null], "the order says it");
}

/// The programs and folders of a league file are relative to its folder, not to the arena's working
/// directory.
#[test]
fn a_league_file_is_played_from_anywhere() {
    let folder = scratch();
    let path = folder.path();
    fs::create_dir_all(path.join("league/bots")).expect("a folder");
    fs::create_dir(path.join("elsewhere")).expect("a folder");
    let script = path.join("league/bots/mine");
    let text =
        format!("#!/bin/sh\ntest -f here || exit 1\nexec {} bot random\n", env!("CARGO_BIN_EXE_arena"));
    executable::write(&script, text, "755");
    fs::write(path.join("league/bots/here"), "").expect("a file");
    let league = r#"
        [tournament]
        schedule = "gauntlet"
        challenger = "mine"
        rounds = 1
        seed = 2

        [[bot]]
        command = "greedy"

        [[bot]]
        name = "greedy-2"
        command = "greedy"

        [[bot]]
        name = "mine"
        command = "bots/mine"
        dir = "bots"
    "#;
    fs::write(path.join("league/league.toml"), league).expect("a file");
    typed(&path.join("elsewhere"), "tournament ../league/league.toml --out played --quiet");
    assert_eq!(matches(&path.join("elsewhere/played")).len(), 2);
    succeed(path, &["tournament", "--resume", "--rounds", "2", "--out", "elsewhere/played", "--quiet"]);
    assert_eq!(matches(&path.join("elsewhere/played")).len(), 4);
}

/// The arena hashes the program that the bot's own search path finds.
#[test]
fn the_program_is_looked_for_where_the_bot_finds_it() {
    let folder = scratch();
    let path = folder.path();
    fs::create_dir(path.join("own")).expect("a folder");
    let script = format!("#!/bin/sh\nexec {} bot random\n", env!("CARGO_BIN_EXE_arena"));
    executable::write(&path.join("own/mybot"), script, "755");
    let league = format!(
        "[[bot]]\ncommand = \"greedy\"\n[[bot]]\nname = \"mine\"\ncommand = \"mybot\"\nenv = {{ PATH = \"{}/own:/bin\" }}\n",
        path.display()
    );
    fs::write(path.join("league.toml"), league).expect("a file");
    succeed(path, &["tournament", "league.toml", "--rounds", "1", "--out", "t", "--quiet"]);
    let file = json(&path.join("t/tournament.json"));
    let found = file["bots"][1]["files"][0]["path"].as_str().expect("the program");
    assert!(found.ends_with("own/mybot"), "{found}");
}

#[test]
fn the_example_of_a_league_file_is_played() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/league.toml");
    let folder = scratch();
    succeed(folder.path(), &["tournament", example, "--rounds", "1", "--out", "played", "--quiet"]);
    let swiss = &standings(&folder.path().join("played"))["outcome"]["swiss"];
    assert_eq!(swiss["table"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_league_file_plays_several_stages_and_a_summary() {
    let folder = scratch();
    let league = "[tournament]\nseed = 5\nrounds = 4\nout = \"t\"\n\
                  [[stage]]\ngame = \"doodle\"\n[[stage]]\ngame = \"patchwork\"\nrounds = 2\n[[stage]]\nseats = 3\n\
                  [[bot]]\ncommand = \"greedy\"\n[[bot]]\ncommand = \"random\"\n[[bot]]\nname = \"b\"\ncommand = \"random\"\n";
    fs::write(folder.path().join("league.toml"), league).expect("a file");
    let stdout = succeed(folder.path(), &["tournament", "league.toml", "--quiet"]);
    let stages = ["1-doodle", "2-patchwork", "3-doodle-3"];
    let plan = |stage: &str| json(&folder.path().join("t").join(stage).join("tournament.json"));
    for (stage, expected) in stages.into_iter().zip([("doodle", 4, 2), ("patchwork", 2, 2), ("doodle", 4, 3)])
    {
        let [game, rounds, seats] = ["game", "rounds", "seats"].map(|field| plan(stage)[field].clone());
        assert_eq!((game, rounds, seats), (expected.0.into(), expected.1.into(), expected.2.into()));
    }
    let (_, summary) = stdout.split_once("all stages\n").expect("there is a summary");
    let head = summary.lines().nth(1).expect("a head");
    assert!(stages.iter().all(|stage| head.contains(stage)), "{summary}");
    let first = summary.lines().nth(3).expect("a row");
    assert!(first.contains("greedy") && first.contains("1.00"), "{summary}");
    // The same as the tournament alone.
    let alone = "tournament --game patchwork --seed 5 --rounds 2 --out alone --quiet";
    typed(folder.path(), &format!("{alone} {THREE}"));
    let digest = |out: &str| standings(&folder.path().join(out))["digest"].clone();
    assert_eq!(digest("alone"), digest("t/2-patchwork"));
    // A league that was stopped after its first stage goes on.
    fs::remove_dir_all(folder.path().join("t/3-doodle-3")).expect("it is ours");
    let again = typed(folder.path(), "tournament league.toml --quiet --resume");
    assert_eq!(again.split_once("all stages\n").map(|(_, summary)| summary), Some(summary));
    let shard = words("tournament league.toml --shard 0/2 --out x");
    refused(folder.path(), &shard, "cannot be played in shards");
}

#[test]
fn tables_say_what_is_so_for_the_bot_and_the_pair() {
    let folder = scratch();
    let plan = "tournament --rounds 12 --seed 1 --out t --quiet --details";
    let shown = typed(folder.path(), &format!("{plan} --bot greedy --bot g2=greedy --bot random"));
    let row = shown.lines().find(|line| line.contains("│ random")).expect("a row");
    assert!(row.contains("lost all") && !row.contains('±'), "{row}");
    let csv = fs::read_to_string(folder.path().join("t/standings.csv")).expect("a table");
    assert!(!csv.contains("lost all"), "{csv}");
    let tables = standings(&folder.path().join("t"));
    for pair in tables["crosstable"].as_array().expect("pairs") {
        let [ahead, margin] = ["ahead", "mean_margin"].map(|name| pair[name].as_f64().expect("a number"));
        assert!(margin == 0.0 || (ahead > 50.0) == (margin > 0.0), "{pair}");
    }
}

#[test]
fn a_swiss_with_more_rounds_than_pairs_says_so() {
    for (bots, last) in [(3, 3), (4, 3), (5, 5)] {
        let folder = scratch();
        let names: String = (0..bots).map(|bot| format!(" --bot b{bot}=random")).collect();
        let play = |rounds: i32| {
            let plan = "tournament --schedule swiss --rounds 1 --quiet --swiss-rounds";
            run(folder.path(), &words(&format!("{plan} {rounds}{names}")), 0)
        };
        let (table, said) = play(last + 1);
        assert_eq!(said, format!("note: all pairs have met after round {last}; later rounds repeat pairs\n"));
        assert!(table.contains(&format!("\nRound {} and later repeat pairs.\n", last + 1)), "{table}");
        let (table, said) = play(last);
        assert!(said.is_empty() && !table.contains("repeat pairs"), "{table}{said}");
    }
}

/// Processors of other kinds have no such instructions, so their bots play as these.
#[test]
fn bundled_bots_play_alike_without_vector_instructions() {
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        let digest = |portable: &str| {
            let program = env!("CARGO_BIN_EXE_arena");
            let bot = |name: &str| format!("{name}={program} bot {name} --nodes 200{portable}");
            let bots = ["greedy", "planner", "master"].map(bot);
            let bots: Vec<&str> = bots.iter().flat_map(|bot| ["--bot", bot]).collect();
            let out = format!("t{portable}");
            let plan = ["tournament", "--game", game, "--rounds", "2", "--seed", "3", "--move-time", "5m"];
            succeed(folder.path(), &[&plan[..], &["--quiet", "--out", &out], &bots].concat());
            standings(&folder.path().join(out))["digest"].clone()
        };
        assert_eq!(digest(""), digest(" --portable"), "{game}");
    }
}

/// The number of matches of each bot.
fn played(matches: &[(u64, u64, Vec<String>)]) -> BTreeMap<&String, u64> {
    let mut played = BTreeMap::new();
    for bot in matches.iter().flat_map(|(.., bots)| bots) {
        *played.entry(bot).or_default() += 1;
    }
    played
}

#[test]
fn a_draw_seats_all_bots_in_each_round_and_goes_on_with_others() {
    let folder = scratch();
    let path = folder.path();
    let plan =
        format!("--schedule draw --seats 4 --rounds 6 {BOTS} --bot d=random --bot h=greedy --bot i=greedy");
    assert_eq!(play(path, &plan)["matches"], 12);
    for part in ["0/3", "1/3", "2/3"] {
        typed(path, &format!("tournament {plan} --seed 3 --shard {part} --out parts --quiet"));
    }
    typed(path, "merge parts --out whole");
    assert_eq!(standings(&path.join("whole")), standings(&path.join("one")));
    // A bot joins from the next round on, and extra tables make up for the rounds that it missed.
    let resumed = |options: &str| {
        typed(path, &format!("tournament --resume --out one --quiet {options}"));
        let all = matches(&path.join("one"));
        let counts = played(&all);
        let (least, most) = (counts.values().min(), counts.values().max());
        assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{options}: {counts:?}");
        all
    };
    let known = |all: &[(u64, u64, Vec<String>)]| -> BTreeSet<(u64, Vec<String>)> {
        all.iter().map(|(_, round, bots)| (*round, bots.clone())).collect()
    };
    let before = known(&matches(&path.join("one")));
    let joined = known(&resumed("--rounds 8 --bot new=random"));
    assert!(joined.is_superset(&before));
    assert!(joined.difference(&before).all(|(round, _)| *round >= 6));
    // A new version plays the same tables.
    assert_eq!(known(&resumed("--replace new --bot new=greedy")), joined);
    // The tables of a bot that left count for nobody, and the others keep theirs.
    let left = known(&resumed("--without d"));
    let is_kept = |table: &&(u64, Vec<String>)| !table.1.contains(&"d".to_owned());
    assert!(
        joined.iter().filter(is_kept).all(|table| left.contains(table))
            && left.iter().all(|table| is_kept(&table))
    );
    // Changes without a round between them keep the tables that were played, and a bot may return.
    let mut before = left;
    for options in ["--bot late=random", "--bot later=greedy", "--replace d --bot d=random"] {
        let now = known(&resumed(options));
        assert!(now.is_superset(&before), "{options}");
        before = now;
    }
    typed(path, "replay one --all --quiet");
    // With fewer bots than seats there is no table.
    let refusal = "a draw is for tables of at least 2 seats";
    refused(path, &words("tournament --schedule draw --seats 1 --bot greedy"), refusal);
}

/// The order of the bots on the command line or in a file decides nothing where it has no meaning.
#[test]
fn any_order_of_the_bots_gives_the_same_results() {
    let folder = scratch();
    let path = folder.path();
    // Two copies of a bot, so that their seeds follow from the names too.
    let bots = ["greedy", "a=random", "z=random", "novice", "m=novice"];
    let file = |order: &[&str]| {
        let entry = |bot: &&str| {
            let (name, command) = bot.split_once('=').unwrap_or((bot, bot));
            format!("[[bot]]\nname = \"{name}\"\ncommand = \"{command}\"\n")
        };
        order.iter().map(entry).collect::<String>()
    };
    fs::write(path.join("one.toml"), file(&bots)).expect("a file");
    fs::write(path.join("two.toml"), file(&[bots[3], bots[2], bots[4], bots[0], bots[1]])).expect("a file");
    let played = |league: &str, plan: &str| {
        typed(path, &format!("tournament {league}.toml {plan} --seed 3 --rounds 2 --quiet --out {league}"));
        let (plan, table) = (json(&path.join(league).join("tournament.json")), standings(&path.join(league)));
        fs::remove_dir_all(path.join(league)).expect("it is ours");
        (plan["plan_digest"].clone(), table["digest"].clone(), plan["seats_by_names"] == true)
    };
    for (plan, is_by_names) in [
        ("", true),
        ("--seats 4", true),
        ("--game patchwork", true),
        ("--schedule gauntlet --challenger m", true),
        ("--schedule draw", true),
        ("--schedule draw --seats 4", true),
        ("--schedule draw --game patchwork", true),
        ("--schedule swiss", true),
        ("--schedule swiss --seats 4", true),
        ("--schedule knockout --seeding draw", true),
        ("--schedule knockout", false),
        ("--schedule ladder", false),
        ("--schedule gauntlet", false),
    ] {
        let [one, two] = ["one", "two"].map(|league| played(league, plan));
        assert_eq!((one == two, one.2), (is_by_names, is_by_names), "{plan}: {one:?} {two:?}");
    }
}

/// Plans that were begun before seats followed from names keep their seats.
#[test]
fn older_plans_keep_the_seats_of_their_matches() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/journals");
    for game in ["doodle", "patchwork"] {
        let plan = TournamentHead::read(&golden.join(game)).expect("a plan");
        assert!(!plan.plan.seats_by_names);
        let (progress, names) = (plan.progress().expect("a schedule"), plan.plan.names());
        for (index, round, bots) in matches(&golden.join(game)) {
            let pairing = progress.pairing(index).expect("a match of the plan");
            let seated: Vec<&String> = pairing.bots.iter().map(|&bot| &names[bot]).collect();
            assert_eq!((pairing.round, seated), (round, bots.iter().collect()), "{game} {index}");
        }
    }
}

/// Of 200 equal bots, two deals tell nothing about their order on the command line. On each deal one seat is better.
#[test]
fn equal_bots_do_not_rank_in_the_order_of_the_command_line() {
    const BOTS: usize = 200;
    let names: Vec<String> = (0..BOTS).map(|place| format!("bot-{place:03}")).collect();
    let field = Field { bots: BOTS, seats: 2, rounds: 2, every_seat_each_deal: false };
    let correlation = |seed: u64, by_names: bool| {
        let schedule = Settings::default().schedule(field, &names, seed, by_names).expect("a round robin");
        let stage = schedule.stage(0, &Results::default()).expect("a stage");
        let mut points = vec![0_f64; BOTS];
        for place in 0..stage.total() {
            let Pairing { round, bots } = stage.pairing(place);
            points[bots[(deal_seed(seed, round) % 2) as usize]] += 1.0;
        }
        // Spearman's coefficient: the correlation of ranks, where equal bots share one.
        let rank = |bot: usize| {
            let above = points.iter().filter(|&&other| other > points[bot]).count();
            let equal = points.iter().filter(|&&other| other == points[bot]).count();
            above as f64 + equal as f64 / 2.0
        };
        let middle = BOTS as f64 / 2.0;
        let pairs: Vec<(f64, f64)> =
            (0..BOTS).map(|bot| (bot as f64 + 0.5 - middle, rank(bot) - middle)).collect();
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
        let spread = sum(&|pair| pair.0 * pair.0) * sum(&|pair| pair.1 * pair.1);
        if spread == 0.0 { 0.0 } else { sum(&|pair| pair.0 * pair.1) / spread.sqrt() }
    };
    let by_names = (0..20).map(|seed| correlation(seed, true)).sum::<f64>() / 20.0;
    let by_order = (0..20).map(|seed| correlation(seed, false).abs());
    println!("by names {by_names:.3}, by order {:.3}", by_order.clone().sum::<f64>() / 20.0);
    assert!(by_names.abs() < 0.05, "{by_names}");
    assert!(by_order.sum::<f64>() > 5.0, "the measure sees the fault of the old rule");
}
