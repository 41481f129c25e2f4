//! Real matches of bundled bots, and the state of the engine after each of their turns.

use std::path::{Path, PathBuf};

use engine::doodle::rectangle_points;
use engine::patchwork::OFFER;
use referee::games::GameKind;
use referee::record::MatchRecord;
use serde_json::{Value, json};
use tournament::replay::Judge;

use crate::program::succeed;

/// The contents that a page must show after a turn.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The cells of each seat. A cell has the ID of its card, `-` if it is covered without a card, or an
    /// empty text if it is free.
    pub(crate) boards: Vec<Vec<String>>,
    /// The score of each seat.
    pub(crate) scores: Vec<i32>,
    /// The contents other than boards and scores; see [`facts`].
    pub(crate) facts: Value,
}

/// Plays a match of bundled bots and returns the file of its record.
pub(crate) fn record(folder: &Path, game: &str, seats: usize, seed: u64) -> PathBuf {
    let file = folder.join(format!("{game}-{seats}-{seed}.json"));
    let bots: Vec<String> = (0..seats)
        .map(|seat| {
            format!(
                "bot{seat}={}",
                if (seat + seed as usize).is_multiple_of(3) { "random" } else { "greedy" }
            )
        })
        .collect();
    let (seed, path) = (seed.to_string(), file.to_str().expect("a plain path"));
    let mut args = vec!["match", "--quiet", "--game", game, "--seed", &seed, "--record", path];
    args.extend(["--startup-time", "60s", "--move-time", "60s"]); // enough on a busy machine
    args.extend(bots.iter().flat_map(|bot| ["--bot", bot]));
    succeed(folder, &args);
    file
}

/// Writes the page of a record to the same folder.
pub(crate) fn page(record: &Path) -> PathBuf {
    let file = record.with_extension("html");
    let [record, page] = [record, &file].map(|path| path.to_str().expect("a plain path"));
    succeed(Path::new("."), &["view", record, "-o", page]);
    file
}

/// Returns the state of the engine at the beginning and after each turn of a record.
pub(crate) fn expected<G: GameKind>(record: &Path) -> Vec<Shown> {
    let line = std::fs::read(record).expect("a record");
    let mut shown: Vec<Shown> = Vec::new();
    let mut before: Option<Value> = None;
    let mut see = |record: &MatchRecord<G>, game: &G, turns: &[&_]| {
        let nothing = || vec![vec![String::new(); 81]; record.bots.len()];
        let mut boards = shown.last().map_or_else(nothing, |last| last.boards.clone());
        for turn in turns {
            let turn = serde_json::to_value(turn).expect("a turn is plain data");
            lay(&turn["move"], &mut boards[turn["seat"].as_u64().expect("a seat") as usize]);
        }
        let after = serde_json::to_value(game.observe(0)).expect("an observation is plain data");
        for (seat, board) in boards.iter().enumerate() {
            assert_eq!(covered(board), cells(&after["players"][seat]["board"]), "what the moves say");
        }
        let facts = facts(before.as_ref().unwrap_or(&after), &after);
        let mut scores = game.outcome().scores;
        // A round runs between its first and its last turn, and its best rectangle counts already.
        let is_over = (0..scores.len()).all(|seat| !game.owes(seat));
        if !is_over && after["turn"].as_u64() > Some(1) {
            for (score, player) in scores.iter_mut().zip(after["players"].as_array().expect("players")) {
                *score += best_rectangle(&cells(&player["board"]));
            }
        }
        shown.push(Shown { boards, scores, facts });
        before = Some(after);
    };
    Judge::<G>::new(None).watched(&line, &mut see).expect("a record that holds");
    shown
}

/// Returns the contents of a page other than boards and scores. The table is from the beginning of the turn,
/// the seats and the track from its end.
fn facts(before: &Value, after: &Value) -> Value {
    let players = || after["players"].as_array().expect("players").iter();
    if after["leather"].is_array() {
        let figures: Vec<Value> =
            players().map(|player| json!([player["buttons"], player["income"], player["space"]])).collect();
        let circle = before["circle"].as_array().expect("a circle");
        let (offer, rest) = circle.split_at(circle.len().min(OFFER));
        return json!({"figures": figures, "leather": after["leather"], "offer": offer, "rest": rest});
    }
    let seats = players().enumerate().map(|(seat, player)| {
        let rounds = player["rounds"].as_array().expect("rounds");
        let is_scored = rounds.len() > before["players"][seat]["rounds"].as_array().map_or(0, Vec::len);
        let scored: Vec<&Value> =
            rounds.last().into_iter().filter(|&points| is_scored && *points != 0).collect();
        json!({"rounds": rounds, "left": player["actions"], "scored": scored})
    });
    let offer = if before["phase"] == "start" { json!([]) } else { sorted(&before["offer"]) };
    json!({"seats": seats.collect::<Vec<_>>(), "ring": sorted(&before["circle"]), "offer": offer})
}

/// Returns the most points of a rectangle of covered cells, by trying all of them.
fn best_rectangle(board: &str) -> i32 {
    let covered = board.as_bytes();
    let is_full = |[top, left, height, width]: [usize; 4]| {
        (top..top + height).all(|row| (left..left + width).all(|col| covered[9 * row + col] == b'#'))
    };
    let sizes = (1..=9).flat_map(|height| (1..=9).map(move |width| (height, width)));
    let places = sizes.flat_map(|(height, width)| {
        (0..=9 - height).flat_map(move |top| (0..=9 - width).map(move |left| [top, left, height, width]))
    });
    let points = |[_, _, height, width]: [usize; 4]| rectangle_points(height as u8, width as u8).into();
    places.filter(|&place| is_full(place)).map(points).max().unwrap_or(0)
}

fn sorted(names: &Value) -> Value {
    let mut names: Vec<&str> = names.as_array().expect("names").iter().filter_map(Value::as_str).collect();
    names.sort_unstable();
    json!(names)
}

/// Places the cells of a move: the cells of its card, and cells without a card.
fn lay(word: &Value, board: &mut [String]) {
    let card = word["card"].as_str().or(word["buy"].as_str()).unwrap_or("-");
    let mut lay = |pair: &Value, card: &str| {
        let [row, col] = [0, 1].map(|axis| pair[axis].as_u64().expect("a number") as usize);
        board[9 * row + col] = card.to_owned();
    };
    word["cells"].as_array().into_iter().flatten().for_each(|pair| lay(pair, card));
    word["singles"].as_array().into_iter().flatten().for_each(|pair| lay(pair, "-"));
    if word["leather"].is_array() {
        lay(&word["leather"], "-");
    }
}

fn covered(board: &[String]) -> String {
    board.iter().map(|cell| if cell.is_empty() { '.' } else { '#' }).collect()
}

fn cells(rows: &Value) -> String {
    rows.as_array().expect("rows").iter().map(|row| row.as_str().expect("a row")).collect()
}
