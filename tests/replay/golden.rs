//! Golden journals of this version. They must stay valid in every later version.
//!
//! `cargo test -p quilt-arena --test integration replay::golden -- --ignored` rewrites them. Only use it for
//! a new record format.

use std::fs;
use std::path::Path;

use engine::doodle::Doodle;
use engine::patchwork::Patchwork;
use referee::games::GameKind;
use referee::record::MatchRecord;
use tournament::plan::{HostInfo, TournamentFile};

use crate::program::tables::records;
use crate::program::{scratch, words};
use crate::replay::{golden_dir, lines, run};

/// The bots of the golden tournaments: sound ones, and some that fail in different places.
const DOODLE: &[&str] = &["greedy", "random", "answers-twice", "exits-at-start", "hangs"];
const PATCHWORK: &[&str] = &["greedy", "random", "exits-3", "exits-at-start"];

#[test]
fn golden_journals_hold() {
    for (game, matches) in [("doodle", 10), ("patchwork", 12)] {
        let (stdout, stderr) = run(&golden_dir(game), &["replay", ".", "--all", "--quiet"], 0);
        let hold = "replayed: deals, moves, scores, ranks and digests hold\n";
        assert_eq!((stdout, stderr), (format!("{matches} matches of {game} {hold}"), String::new()));
        let records = records(&golden_dir(game));
        let faults = records.iter().filter(|record| record.to_string().contains("\"fault\"")).count();
        assert!(faults > 3, "{faults} matches of {game} have faults");
    }
}

#[test]
fn golden_lines_are_written_as_they_stand() {
    fn check<G: GameKind>() {
        for line in lines(&golden_dir(G::NAME)) {
            let (record, is_sound) = MatchRecord::<G>::from_line(line.as_bytes()).expect("a record");
            assert!(is_sound);
            assert_eq!(String::from_utf8(record.to_line()).expect("JSON"), line + "\n");
        }
    }
    check::<Doodle>();
    check::<Patchwork>();
}

#[test]
#[ignore = "writes the golden journals"]
fn write_golden_journals() {
    write::<Doodle>(DOODLE, "3");
    write::<Patchwork>(PATCHWORK, "2");
}

/// Plays a tournament and keeps it without the data of this machine.
fn write<G: GameKind>(bots: &[&str], seats: &str) {
    let misbehave = std::env::current_exe().expect("a test has a file");
    let misbehave = misbehave.parent().expect("a folder").with_file_name("examples").join("misbehave");
    let folder = scratch();
    let plan = "tournament --out t --quiet --rounds 1 --seed 12 --move-time 300ms";
    let plan = format!("{plan} --game {} --seats {seats}", G::NAME);
    let bots = bots.iter().map(|name| match bots::find(name) {
        Some(_) => (*name).to_owned(),
        None => format!("{name}={} {name}", misbehave.display()),
    });
    let bots: Vec<String> = bots.flat_map(|bot| ["--bot".to_owned(), bot]).collect();
    let bots = bots.iter().map(String::as_str);
    run(folder.path(), &words(&plan).into_iter().chain(bots).collect::<Vec<_>>(), 0);
    keep::<G>(&folder.path().join("t"), &golden_dir(G::NAME));
}

fn keep<G: GameKind>(from: &Path, to: &Path) {
    let text = fs::read_to_string(from.join("tournament.json")).expect("a tournament");
    let file: TournamentFile<G::Setup> = serde_json::from_str(&text).expect("a tournament");
    let mut plan = file.plan;
    for bot in &mut plan.bots {
        bot.files.clear();
        bot.command.clone_from(&bot.name);
    }
    let mut file = TournamentFile::new(plan);
    let (arena, name) = (file.host.arena, "golden".to_owned());
    file.host = HostInfo { arena, name, system: "Linux".to_owned(), cores: 1, cpu: String::new() };
    fs::create_dir_all(to).expect("a folder");
    let text = serde_json::to_string_pretty(&file).expect("plain data") + "\n";
    fs::write(to.join("tournament.json"), text).expect("a file");
    let line = |line: String| MatchRecord::<G>::from_line(line.as_bytes()).expect("a record").0;
    let mut records: Vec<MatchRecord<G>> = lines(from).into_iter().map(line).collect();
    records.sort_by_key(|record| record.index);
    let bytes: Vec<u8> = records.iter().flat_map(MatchRecord::to_line).collect();
    fs::write(to.join("matches.jsonl"), bytes).expect("a file");
}
