//! A game that the program does not know: the crates below the program play it from its rules alone.

mod game;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use engine::game::Game;
use game::{Nim, NimSetup};
use referee::bots::entrants::Entrant;
use referee::bots::held::Guard;
use referee::bots::preflight::{Greetings, preflight};
use referee::error::Error;
use referee::play::Rules;
use referee::play::time_control::TimeControl;
use sandbox::{Host, SandboxLevel};
use tempfile::TempDir;
use tournament::journal::claim::Claim;
use tournament::journal::shard::Shard;
use tournament::plan::{Plan, TournamentFile};
use tournament::replay::{Records, Source, prove};
use tournament::report::tables::{View, terminal};
use tournament::run::concurrency::Concurrency;
use tournament::run::owner::Finished;
use tournament::run::stop::Stop;
use tournament::run::tournament::Tournament;
use tournament::schedule::Settings;
use tournament::standings::Tally;

use crate::documents::markdown::{read, top};
use crate::program::scratch;

/// A bot for Nim in a shell. `$take` is an expression for the number of stones that it takes.
const BOT: &str = r#"while read -r line; do case $line in
*'"type":"hello"'*) echo '{"type":"hello","protocol":1,"name":"nim"}' ;;
*'"type":"start"'*) echo '{"type":"ready"}' ;;
*'"type":"turn"'*)
    id=${line#*'"id":'} id=${id%%,*} n=${line#*'"stones":'} n=${n%%\}*}
    echo "{\"type\":\"move\",\"id\":$id,\"move\":{\"take\":$((TAKE))}}" ;;
esac; done
"#;
/// Leaves a multiple of four stones, which wins.
const BEST: &str = "n % 4 ? n % 4 : 1";
const DEALS: u64 = 6;

/// Plays a round robin of these bots, each with a name and its expression.
fn play(dir: &Path, setup: &NimSetup, bots: &[(&str, &str)]) -> Result<Finished, Error> {
    let mut entrants: Vec<Entrant> = bots
        .iter()
        .map(|(name, take)| {
            let file = dir.join(format!("{name}.sh"));
            std::fs::write(&file, BOT.replace("TAKE", take)).expect("a file");
            Entrant::parse(&format!("{name}=sh '{}'", file.display())).expect("a bot")
        })
        .collect();
    let host = Host::with_supervisor(env!("CARGO_BIN_EXE_arena")).contain(SandboxLevel::Off);
    let limits = TimeControl::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for greeted in
        runtime.block_on(preflight(&mut entrants, &host, limits, &[], &Guard::Named, &mut Greetings::new()))
    {
        greeted.expect("it introduces itself");
    }
    let equipment = Arc::new(Nim::equip(setup).expect("playable rules"));
    let plan = Plan {
        game: Nim::NAME.to_owned(),
        schedule: Settings::default(),
        seed: 7,
        rounds: DEALS,
        seats: 2,
        own_deals: false,
        deals_by_bots: false,
        seats_by_names: false,
        positions: Vec::new(),
        limits,
        memory_bytes: None,
        freeze: false,
        reuse: true,
        trusting: true,
        bots: entrants.iter().map(|entrant| entrant.identity.clone()).collect(),
        setup: Nim::setup(&equipment).clone(),
    };
    let tournament = Tournament::<Nim> {
        file: TournamentFile::new(plan),
        rules: Rules::new(equipment),
        positions: Vec::new(),
        entrants,
        host,
        is_own: false,
        superseded: Vec::new(),
        joining: Vec::new(),
        keep_stderr: false,
        live: false,
        shard: Shard::WHOLE,
    };
    let out = Claim::fresh(&dir.join("out"), false).expect("a folder");
    let concurrency = Concurrency::new(Some(2), 2, false);
    tournament.run(&out, concurrency, &Stop::default(), &mut |_: &Tally, _| {})
}

/// The last arm of `for_game!`.
const EXTERNAL: &str = "            $crate::games::GameName::External => $crate::with_type!($plain, $crate::games::external::External, $other),";

/// The existing lines that a further game without pictures changes, each with the line that takes its place. The guide
/// lists them.
const LINES: [(&str, &str, &str); 5] = [
    ("arena/referee/src/games/mod.rs", "mod patchwork;", "pub mod nim;\nmod patchwork;"),
    ("arena/referee/src/games/mod.rs", "    External,", "    External,\n    /// Nim.\n    Nim,"),
    (
        "arena/referee/src/games/mod.rs",
        "    pub const ALL: [GameName; 2] = [GameName::Doodle, GameName::Patchwork];",
        "    pub const ALL: [GameName; 3] = [GameName::Doodle, GameName::Patchwork, GameName::Nim];",
    ),
    (
        "arena/referee/src/games/mod.rs",
        EXTERNAL,
        concat!(
            "            $crate::games::GameName::Nim => $crate::with_type!($plain, $crate::games::nim::Nim, $other),\n",
            "            $crate::games::GameName::External => $crate::with_type!($plain, $crate::games::external::External, $other),",
        ),
    ),
    ("arena/src/report/board/mod.rs", "mod patchwork;", "mod nim;\nmod patchwork;"),
];

/// Adds the game to a copy of the arena as the guide says, and plays a match of it. Building the copy takes minutes.
#[test]
fn a_further_game_changes_few_lines() {
    let guide = read("docs/guide/add-a-game.md");
    assert!(LINES.iter().all(|(file, _, _)| guide.contains(file)), "the guide names the files");
    let rules = include_str!("nim/game.rs").replace("pub(super)", "pub");
    for (file, before, _) in LINES {
        assert_eq!(
            read(file).lines().filter(|line| *line == before).count(),
            1,
            "{file} has the line {before:?}"
        );
    }
    if !needs::tries_all() {
        return;
    }
    let copy = scratch();
    let at = |path: &str| copy.path().join(path);
    for name in
        ["Cargo.toml", "Cargo.lock", "arena", "engine", "bots", "tests", "docs", "protocol.md", "README.md"]
    {
        let done = Command::new("cp").arg("-r").arg(top().join(name)).arg(at(name)).status();
        assert!(done.expect("cp").success(), "{name}");
    }
    for (file, before, after) in LINES {
        let text = std::fs::read_to_string(at(file)).expect("a file");
        let lines: Vec<&str> = text.lines().map(|line| if line == before { after } else { line }).collect();
        std::fs::write(at(file), lines.join("\n") + "\n").expect("a file");
    }
    let rules = rules
        .replace("use referee::error", "use crate::error")
        .replace("use referee::games", "use crate::games");
    let allowed = format!("#![allow(missing_docs, unreachable_pub, clippy::all)]\n{rules}");
    std::fs::write(at("arena/referee/src/games/nim.rs"), allowed).expect("a file");
    let drawing = "use referee::games::nim::Nim;\n\nuse super::TextBoard;\n\nimpl TextBoard for Nim {}\n";
    std::fs::write(at("arena/src/report/board/nim.rs"), drawing).expect("a file");
    for (name, take) in [("best", BEST), ("one", "1")] {
        std::fs::write(at(&format!("{name}.sh")), BOT.replace("TAKE", take)).expect("a file");
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "run", "--locked", "--bin", "arena", "--", "match", "--game", "nim", "--seed", "3", "--boards",
    ]);
    cargo.args(["--bot", "best=sh best.sh", "--bot", "one=sh one.sh"]);
    let target = top().join("target/further-game");
    let output = cargo.current_dir(copy.path()).env("CARGO_TARGET_DIR", target).output().expect("cargo runs");
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success() && stdout.contains("best: {\"stones\":"), "{stdout}{stderr}");
}

#[test]
fn a_game_of_its_own_is_played_journaled_and_ranked() {
    let dir = TempDir::new().expect("a folder");
    let bots = [("best", BEST), ("one", "1"), ("cheat", "n + 1")];
    let finished = play(dir.path(), &NimSetup::default(), &bots).expect("it is played");
    let standings = finished.standings;
    assert_eq!((finished.total, finished.left, standings.matches), (36, 0, 36));
    let names: Vec<&str> = standings.rows.iter().map(|row| row.bot.as_str()).collect();
    assert_eq!(names, ["best", "one", "cheat"]);
    // The cheat takes more stones than there are in its first turn of each match.
    assert_eq!(standings.rows.iter().map(|row| row.faults_total()).collect::<Vec<_>>(), [0, 0, 24]);
    let table = terminal(&standings, &View::default());
    assert!(table.contains("best") && table.contains("illegal"), "{table}");
    // The engine finds the same decisions, points, and ranks in the journal.
    let source = Source::at(&dir.path().join("out"));
    let records = Records::<Nim>::open(&source).expect("a tournament");
    assert_eq!(prove(&records, 2).expect("all records agree").matches, 36);
}

/// Matches that end before the game fails count. The one in which it fails does not, and no bot has a fault.
#[test]
fn a_game_that_fails_stops_the_tournament_and_blames_no_bot() {
    let dir = TempDir::new().expect("a folder");
    let setup = NimSetup { fails_at: Some(3), ..NimSetup::default() };
    let bots = [("one", "1"), ("other", "1"), ("cheat", "n + 1")];
    let failed = play(dir.path(), &setup, &bots).expect_err("the game fails");
    assert_eq!(failed.kind(), Error::host("").kind());
    let said = failed.message();
    assert!(
        said.starts_with("the game nim failed in match ") && said.contains("its program hangs"),
        "{said}"
    );
    let journal = std::fs::read_to_string(dir.path().join("out/matches.jsonl")).expect("a journal");
    assert!(
        journal.lines().all(|line| line.contains("\"kind\":\"illegal\"")),
        "the cheat ends its matches early"
    );
}
