//! Names, notes, and faults that try to be more than text.

use std::fs;
use std::path::Path;

use engine::patchwork::Patchwork;
use referee::record::MatchRecord;
use sandbox::text::is_printable;
use serde_json::{Value, json};

use crate::cli::{self, said, typed};
use crate::program::tables::sealed;
use crate::program::{arena, scratch, succeed, words};
use crate::strangers::results::{JOURNAL, PLAN, played, shown, tamper, tamper_lines};

/// Characters that terminals obey, that are invisible, or that formats treat as markup.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{202e}txt\u{2028}\u{e0041}\r\n<img src=x>|`*[a](https://x)\u{3164}";

fn assert_printable(text: &str) {
    let wrong = text.chars().find(|&letter| letter != '\n' && !is_printable(letter));
    assert_eq!(wrong, None, "{text:?}");
}

/// Plays a tournament in which the first decision of each match becomes a fault with this text.
fn with_faults(folder: &Path, detail: &str) {
    let dir = played(folder, "faults");
    tamper_lines(&dir, |record| {
        record["turns"][0]["fault"] = json!({"kind": "malformed", "detail": detail});
        record["result"]["faults"][0] = json!({"kind": "malformed", "id": 0});
    });
    let lines = fs::read_to_string(dir.join(JOURNAL)).expect("it is there");
    fs::write(dir.join(JOURNAL), sealed(&lines)).expect("it can be written");
}

#[test]
fn every_format_of_the_standings_is_printable() {
    let folder = scratch();
    with_faults(folder.path(), HOSTILE);
    for format in ["table", "markdown", "csv", "json", "html"] {
        let text = succeed(folder.path(), &["standings", "faults", "--format", format]);
        assert_printable(&text);
        match format {
            "markdown" => assert!(text.contains(r"\<img src=x\>\|\`\*\[a\](https:\//x)"), "{text}"),
            "html" => assert!(text.contains("&lt;img src=x&gt;"), "{text}"),
            "json" => {
                let standings: Value = serde_json::from_str(&text).expect("it is JSON");
                assert_eq!(standings["rows"][0]["first_fault"]["detail"], HOSTILE);
            }
            _ => {}
        }
    }
}

#[test]
fn names_are_no_markup_and_no_formulas() {
    let folder = scratch();
    // Other names would seat a round robin in another way.
    let plan =
        "tournament --schedule gauntlet --game patchwork --rounds 2 --seed 1 --contain off --quiet --out out";
    typed(folder.path(), &format!("{plan} --bot plus=random --bot under=random"));
    // No new bot gets such names, but directories of others have them.
    let renamed = |file: &str| {
        let text = fs::read_to_string(folder.path().join("out").join(file)).expect("it is there");
        text.replace("\"plus\"", "\"+1+1\"").replace("\"under\"", "\"_a_\"")
    };
    fs::write(folder.path().join("out").join(PLAN), renamed(PLAN)).expect("it can be written");
    let counted = renamed(JOURNAL).replace(",\"us\":", ",\"data\":{\"x\":1},\"us\":");
    fs::write(folder.path().join("out").join(JOURNAL), sealed(&counted)).expect("it can be written");
    let read = |format: &str| succeed(folder.path(), &["standings", "out", "--format", format]);
    let (csv, markdown) = (read("csv"), read("markdown"));
    assert!(markdown.contains(r"| \_a\_ "), "{markdown}");
    let mut cells = csv.lines().skip(1).flat_map(|row| row.split(','));
    assert!(csv.contains(",'+1+1,"), "{csv}");
    let numbers = succeed(folder.path(), &["standings", "out", "--data", "x", "--format", "csv"]);
    assert!(numbers.contains("\n'+1+1,all,"), "{numbers}");
    let is_number = |cell: &&str| cell.starts_with('-') && cell.parse::<f64>().is_ok();
    assert!(cells.any(|cell| is_number(&cell)), "one of both has a negative margin: {csv}");
}

#[test]
fn a_replay_shows_notes_as_text() {
    let folder = scratch();
    let dir = played(folder.path(), "notes");
    let lines = fs::read_to_string(dir.join(JOURNAL)).expect("it is there");
    let noted = lines.lines().map(|line| {
        let read = MatchRecord::<Patchwork>::from_line(line.as_bytes());
        let (mut record, _) = read.expect("a record of patchwork");
        record.turns[0].remarks.note = Some(HOSTILE.to_owned());
        record.turns[0].remarks.data.insert(HOSTILE.to_owned(), 1.into());
        String::from_utf8(record.to_line()).expect("JSON is UTF-8")
    });
    fs::write(dir.join(JOURNAL), noted.collect::<String>()).expect("it can be written");
    let text = succeed(folder.path(), &["replay", "notes", "--match", "0"]);
    assert_printable(&text);
    assert!(text.contains(r"data: \u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{202e}txt"), "{text}");
    for options in [&["matches", "notes", "--decisions"][..], &["standings", "notes", "--data", HOSTILE]] {
        assert_printable(&succeed(folder.path(), options));
    }
    assert!(text.contains(r"note: \u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{202e}txt"), "{text}");
}

#[test]
fn directories_with_names_that_no_bot_can_have_are_refused() {
    let folder = scratch();
    played(folder.path(), "sound");
    for (number, name) in [HOSTILE, "<b>", "../x", "-rf", "one\u{3164}", "", "two"].into_iter().enumerate() {
        let dirs = ["plan", "records"].map(|what| format!("{what}-{number}"));
        let [plan, records] = dirs.each_ref().map(|dir| played(folder.path(), dir));
        tamper(&plan, PLAN, |file| file["bots"][0]["name"] = name.into());
        tamper_lines(&records, |record| record["bots"][0] = name.into());
        fs::remove_file(records.join(PLAN)).expect("it is there");
        let [plan, records] = &dirs;
        let of_plan = [
            "standings DIR",
            "replay DIR",
            "view DIR --match 0",
            "rerun DIR --match 0",
            "report DIR",
            "merge DIR --out merged",
            "tournament --resume --out DIR",
        ];
        let of_records = ["replay DIR", "view DIR --match 0", "rerun DIR --match 0", "diff DIR sound"];
        let of_records = of_records.iter().filter(|_| name != "two"); // "two" makes a valid record
        let of_records = of_records.map(|line| line.replace("DIR", records));
        for args in of_plan.map(|line| line.replace("DIR", plan)).into_iter().chain(of_records) {
            let text = shown(folder.path(), &words(&args));
            assert_printable(&text);
            assert!(text.starts_with("error: ") && text.lines().count() <= 2, "{args:?}: {text}");
            let whys = ["cannot be the name of a bot", "two bots are named"];
            assert!(whys.iter().any(|why| text.contains(why)), "{args:?}: {text}");
        }
    }
}

#[test]
fn a_comparison_with_such_names_is_refused() {
    let folder = scratch();
    fs::create_dir(folder.path().join("out")).expect("it is new");
    let question = json!({"metric": "points", "h0": 0.0, "h1": 2.0, "alpha": 0.05, "beta": 0.05});
    let file = json!({"format": 1, "bots": ["a", HOSTILE], "question": question});
    fs::write(folder.path().join("out/compare.json"), file.to_string()).expect("it can be written");
    let text = shown(folder.path(), &["compare", "random", "random", "--resume", "--out", "out"]);
    assert_printable(&text);
    assert!(text.contains("cannot be the name of a bot"), "{text}");
}

#[test]
fn two_names_that_look_alike_are_refused_with_a_hint() {
    let folder = scratch();
    let tournament = |other: &str| {
        let other = format!("{other}=random");
        let args = ["--bot", "greedy", "--bot", &other, "--game", "patchwork", "--contain", "off"];
        arena(folder.path(), &[&["tournament", "--rounds", "1", "--quiet"], &args[..]].concat())
    };
    let refused = tournament("gr\u{435}edy");
    let text = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains(r"look alike: greedy, gr\u{435}edy") && text.contains("hint: "), "{text}");
    assert!(!tournament("greedy\u{3164}").status.success(), "a letter that nobody sees");
    for honest in ["Größe", "大", "שלום"] {
        let output = tournament(honest);
        assert!(output.status.success(), "{honest}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A bot that chooses its name cannot pass for another one, and its version cannot pass for a row of a table.
#[test]
fn a_bot_that_names_itself_like_another_one_is_refused() {
    let folder = scratch();
    let bot = |name: &str| {
        let script = format!("read -r l; echo '{}'; read -r l", hello(name, "1. greedy 100-0-0 winner"));
        fs::write(folder.path().join("bot.sh"), script).expect("a file");
    };
    let args = words("tournament --game patchwork --rounds 1 --quiet --contain off --out out --bot greedy");
    let args = [&args[..], &["--bot", "sh bot.sh"]].concat();
    for name in ["GREEDY", "greedy-", "greedy_", "Greedy\u{200b}", "gr\u{435}edy"] {
        bot(name);
        let stderr = said(folder.path(), &args, 2);
        let is_named = stderr.contains("names itself ") && stderr.contains("like \"greedy\"\n  hint: ");
        assert!(is_named, "{name}: {stderr}");
    }
    bot("greedier");
    succeed(folder.path(), &args);
    let plan = cli::json(&folder.path().join("out").join(PLAN));
    let [name, version] = ["name", "version"].map(|field| &plan["bots"][0][field]);
    assert_eq!([name, version], ["greedier", "1.-greedy-100-0-0-winner"]);
}

fn hello(name: &str, version: &str) -> String {
    json!({"type": "hello", "protocol": 1, "name": name, "version": version}).to_string()
}

#[test]
fn errors_quote_nothing_that_a_terminal_obeys() {
    let folder = scratch();
    for args in [&["standings", HOSTILE][..], &[HOSTILE], &["check", HOSTILE], &["standings", "x", HOSTILE]] {
        assert_printable(&shown(folder.path(), args));
    }
    let dir = played(folder.path(), "game");
    tamper(&dir, PLAN, |file| file["schedule"] = HOSTILE.into());
    let text = shown(folder.path(), &["standings", "game"]);
    assert_printable(&text);
    assert_eq!(text.lines().count(), 1, "{text}");
}

/// People print these files on terminals.
#[test]
fn the_files_about_a_fault_are_printable() {
    let folder = scratch();
    let bot = r#"read -r hello; printf '\033]0;owned\007\ttab\377\n' >&2
        echo '{"type":"hello","protocol":1}'; read -r start; echo '{"type":"ready"}'
        read -r turn; printf '\033[2Jno \202 json\n'; read -r more"#;
    fs::write(folder.path().join("bot.sh"), bot).expect("a file");
    let bots = ["--bot", "own=sh bot.sh", "--bot", "greedy", "--keep-stderr"];
    let rest = ["--game", "patchwork", "--rounds", "1", "--seed", "1", "--quiet", "--out", "out"];
    succeed(folder.path(), &[&["tournament"], &bots[..], &rest].concat());
    let read = |file: &str| fs::read_to_string(folder.path().join("out").join(file)).expect("UTF-8");
    let files = ["fault.txt", "last-lines.txt", "stderr.txt"].map(|file| format!("faults/0-own/{file}"));
    let texts: Vec<String> = files.iter().map(String::as_str).chain(["stderr/own.log"]).map(read).collect();
    texts.iter().for_each(|text| assert_printable(&text.replace('\t', "")));
    assert!(texts[1].contains(r"< \u{1b}[2Jno \x82 json"), "{}", texts[1]);
    assert_eq!(texts[2], "\\u{1b}]0;owned\\u{7}\ttab\\xff\n");
}
