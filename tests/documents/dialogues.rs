//! The dialogues in the documents are real. The referee plays them again with bots that give the written
//! answers. It must send the same lines, byte for byte.
//!
//! The block of a dialogue has the info string `text dialogue GAME seed=N`. Its lines are
//! `arena -> SEAT LINE`, `arena <- SEAT LINE`, and comments that begin with `#`. A last line `...` means that
//! the match continues.

use std::sync::Arc;
use std::time::Duration;

use engine::doodle::Doodle;
use engine::game::Setup;
use engine::patchwork::Patchwork;
use engine::wire::{FaultKind, Start, ToBot, WireFormat};
use referee::play::answer::read_hello;
use referee::play::time_control::TimeControl;
use referee::play::{MatchPlan, Provenance, Rules, SeatPlan, Seated, hello_line, play_match, quit_line};
use referee::seats::bot::scripted::{Answer, ScriptedBot};

use crate::documents::markdown::{Block, DOCUMENTS, blocks};

const MARK: &str = "text dialogue ";
const CUT: &str = "...\n";

pub(crate) fn is_dialogue(block: &Block) -> bool {
    block.info.starts_with(MARK)
}

#[test]
fn the_dialogues_are_what_the_referee_says() {
    let all = DOCUMENTS.iter().flat_map(|document| blocks(document));
    let dialogues: Vec<Block> = all.filter(is_dialogue).collect();
    for game in ["doodle", "patchwork"] {
        let mark = format!("{MARK}{game} ");
        assert!(dialogues.iter().any(|block| block.info.starts_with(&mark)), "no dialogue of {game}");
    }
    for block in dialogues {
        let played = refreshed(&block);
        for (number, (documented, actual)) in block.text.lines().zip(played.lines()).enumerate() {
            assert_eq!(documented, actual, "{}: line {} of the dialogue", block.place, number + 1);
        }
        assert_eq!(block.text, played, "{}", block.place);
    }
}

/// Returns the dialogue with the current lines of the arena.
pub(crate) fn refreshed(block: &Block) -> String {
    let words: Vec<&str> = block.info.split(' ').collect();
    let [_, _, game, seed] = words[..] else { panic!("{}: GAME and seed=N are missing", block.place) };
    let seed = seed.strip_prefix("seed=").and_then(|seed| seed.parse().ok()).expect("seed=N");
    match game {
        "doodle" => played::<Doodle>(block, seed),
        "patchwork" => played::<Patchwork>(block, seed),
        other => panic!("{}: there is no game {other}", block.place),
    }
}

/// A line of a dialogue.
enum Line<'a> {
    ToBot(usize),
    FromBot(usize, &'a str),
    Comment(&'a str),
}

fn parse<'a>(block: &'a Block, line: &'a str) -> Line<'a> {
    let mut words = line.splitn(4, ' ');
    let parts = [words.next(), words.next(), words.next(), words.next()];
    let seat = |text: &str| text.parse().unwrap_or_else(|_| panic!("{}: no seat {text:?}", block.place));
    match parts {
        [Some("#"), ..] => Line::Comment(line),
        [Some("arena"), Some("->"), Some(number), Some(_)] => Line::ToBot(seat(number)),
        [Some("arena"), Some("<-"), Some(number), Some(text)] => Line::FromBot(seat(number), text),
        _ => panic!("{}: not a line of a dialogue: {line}", block.place),
    }
}

/// Returns the first `start` message. It has the names and limits, which the engine does not know.
fn first_start<G: WireFormat>(block: &Block) -> Start<G::Setup> {
    let mut starts = block.text.lines().filter_map(|line| {
        let message: ToBot<G::Setup, G::Observation> = serde_json::from_str(&line[line.find('{')?..]).ok()?;
        if let ToBot::Start(start) = message { Some(start) } else { None }
    });
    starts.next().unwrap_or_else(|| panic!("{}: no start message can be read", block.place))
}

/// Plays the dialogue again and writes it in the order of the block.
fn played<G: WireFormat>(block: &Block, seed: u64) -> String {
    let body = block.text.strip_suffix(CUT).unwrap_or(&block.text);
    let (cut, start) = (body != block.text, first_start::<G>(block));
    let lines: Vec<Line<'_>> = body.lines().map(|line| parse(block, line)).collect();
    let mut messages = arena_lines::<G>(block, seed, &start, &lines, cut);
    let mut text = String::new();
    for line in &lines {
        match line {
            Line::Comment(comment) => text.push_str(&format!("{comment}\n")),
            Line::FromBot(seat, line) => text.push_str(&format!("arena <- {seat} {line}\n")),
            Line::ToBot(seat) if messages[*seat].is_empty() => {
                panic!("{}: the arena says less to seat {seat}", block.place)
            }
            Line::ToBot(seat) => text.push_str(&format!("arena -> {seat} {}", messages[*seat].remove(0))),
        }
    }
    assert!(cut || messages.iter().all(Vec::is_empty), "{}: the arena says more: {messages:?}", block.place);
    if cut { text + CUT } else { text }
}

/// Returns every line of the arena, by seat, if the bots answer with their lines.
fn arena_lines<G: WireFormat>(
    block: &Block,
    seed: u64,
    start: &Start<G::Setup>,
    lines: &[Line<'_>],
    cut: bool,
) -> Vec<Vec<String>> {
    let answers = |seat: usize| {
        lines.iter().filter_map(move |line| match line {
            Line::FromBot(from, text) if *from == seat => Some(*text),
            _ => None,
        })
    };
    let seats: Vec<Seated<ScriptedBot<G::WireMove>>> = (0..start.seats)
        .map(|seat| {
            let greeting = answers(seat).next().unwrap_or_else(|| panic!("{}: no hello", block.place));
            read_hello(greeting.as_bytes()).unwrap_or_else(|fault| panic!("{}: {fault}", block.place));
            let bot = ScriptedBot::reading(answers(seat).skip(1).map(Answer::line));
            Seated { bot: Some(bot), fault: None, startup_left: Duration::from_secs(1) }
        })
        .collect();
    let seats = refereed::<G>(block, seed, start, seats, cut);
    seats.into_iter().map(|seat| heard(seat.bot.expect("put there above"))).collect()
}

/// Plays the match with the real referee. Only a cut dialogue may end in a fault.
fn refereed<G: WireFormat>(
    block: &Block,
    seed: u64,
    start: &Start<G::Setup>,
    mut seats: Vec<Seated<ScriptedBot<G::WireMove>>>,
    cut: bool,
) -> Vec<Seated<ScriptedBot<G::WireMove>>> {
    let setup = start.setup.in_full();
    let equipment = Arc::new(G::equip(&setup).expect("the components of the dialogue"));
    let time = TimeControl::from(start.limits);
    let players = start.players.iter().map(|name| SeatPlan::new(name, time)).collect();
    let plan = MatchPlan::dealt(&Rules::new(equipment), seed, players).expect("the seats of the dialogue");
    let plan = MatchPlan::<G> { index: start.match_index, ..plan };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let record = runtime.block_on(play_match(&plan, Provenance::default(), &mut seats, &mut |_, _| ()));
    let record = record.expect("a fresh deal");
    for turn in &record.turns {
        if let Some(fault) = &turn.fault {
            let end_of_script = cut && fault.kind == FaultKind::Exit;
            assert!(end_of_script, "{}: decision {}: {fault:?}", block.place, turn.id);
        }
    }
    seats
}

/// Returns every line that a bot received, from the greeting to the farewell.
fn heard<W>(bot: ScriptedBot<W>) -> Vec<String> {
    let all = [vec![hello_line()], bot.asked, bot.told, vec![quit_line()]].concat();
    all.into_iter().map(|line| String::from_utf8(line).expect("the arena writes UTF-8")).collect()
}
