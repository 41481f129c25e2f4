//! The tests parse every example in the documents with the type that the program itself uses.

use engine::doodle::{self, CardFile, Doodle, DoodleSetup};
use engine::patchwork::{self, Patchwork, PatchworkSetup};
use engine::wire::{FaultKind, FromBot, LINE_BYTES_MAX, NOTE_BYTES_MAX, NUMBER_MAX, ToBot, WireFormat};
use referee::play::seeds::{bot_seed, deal_seed, lot, table_number};
use referee::record::MatchRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tournament::standings::Standings;

use crate::documents::markdown::{Block, DOCUMENTS, blocks, read};
use crate::documents::{dialogues, oracle};

/// Info strings of blocks that other files check, or that need no check.
const OTHER_BLOCKS: &[&str] = &["python", "python torch", "toml", "sh", "text", "text screen", "json game"];

#[test]
fn every_example_is_read_by_the_program() {
    let mut examples = 0;
    for block in DOCUMENTS.iter().flat_map(|document| blocks(document)) {
        let is_elsewhere = dialogues::is_dialogue(&block) || oracle::task(&block).is_some();
        if OTHER_BLOCKS.contains(&block.info.as_str()) || is_elsewhere {
            continue;
        }
        let Some(mark) = block.info.strip_prefix("json ") else {
            panic!("{}: no test knows blocks marked {:?}", block.place, block.info);
        };
        examples += check(mark, &block).unwrap_or_else(|why| panic!("{}: {why}", block.place));
    }
    assert!(examples > 20, "only {examples} examples were found");
}

/// Checks a block and returns the number of its examples. Each line is an example, unless the block is a
/// whole file.
fn check(mark: &str, block: &Block) -> Result<usize, String> {
    let each = |one: fn(&str) -> Result<(), String>| {
        let lines = block.text.lines().map(|line| one(line).map_err(|why| format!("{why}: {line}")));
        lines.collect::<Result<Vec<()>, String>>().map(|lines| lines.len())
    };
    match mark {
        "doodle arena" => each(same::<ToBot<DoodleSetup, doodle::Observation>>),
        "doodle bot" => each(same_answer::<doodle::WireMove>),
        "doodle move" => each(same::<doodle::WireMove>),
        "doodle state" => each(same::<doodle::Observation>),
        "doodle wrong move" => each(refused::<doodle::WireMove>),
        "doodle cards" => card_file(&block.text),
        "doodle record" => each(record::<Doodle>),
        "patchwork arena" => each(same::<ToBot<PatchworkSetup, patchwork::Observation>>),
        "patchwork bot" => each(same_answer::<patchwork::WireMove>),
        "patchwork move" => each(same::<patchwork::WireMove>),
        "patchwork state" => each(same::<patchwork::Observation>),
        "patchwork wrong move" => each(refused::<patchwork::WireMove>),
        "patchwork record" => each(record::<Patchwork>),
        "standings" => same::<Standings>(&block.text).map(|()| 1),
        other => Err(format!("no test knows examples marked {other:?}")),
    }
}

/// Parses the text and serializes it again. Both must have exactly the same fields.
fn same<T: DeserializeOwned + Serialize>(text: &str) -> Result<(), String> {
    let read: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    compare(text, &read)
}

/// Does the same for messages of bots, which borrow from the line.
fn same_answer<M: DeserializeOwned + Serialize>(line: &str) -> Result<(), String> {
    let read: FromBot<'_, M> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    compare(line, &read)
}

fn compare(text: &str, read: &impl Serialize) -> Result<(), String> {
    let written = serde_json::to_value(read).expect("plain data");
    let given: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if written == given { Ok(()) } else { Err(format!("the program would write {written}")) }
}

fn refused<M: DeserializeOwned>(text: &str) -> Result<(), String> {
    serde_json::from_str::<M>(text).map_or(Ok(()), |_| Err("the program takes this".to_owned()))
}

fn card_file(text: &str) -> Result<usize, String> {
    let file = CardFile::from_json(text).map_err(|error| error.to_string())?;
    file.starts.iter().chain(&file.patches).try_for_each(|card| {
        card.cells.cells().map(|_| ()).map_err(|error| format!("card {}: {error}", card.id))
    })?;
    Ok(1)
}

/// Checks in addition that a record has its own digest.
fn record<G: WireFormat>(line: &str) -> Result<(), String> {
    let record: MatchRecord<G> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let digest = record.digest.clone();
    match record.sealed().digest == digest {
        true => same::<MatchRecord<G>>(line),
        false => Err(format!("the digest is not {digest}")),
    }
}

#[test]
fn the_protocol_names_every_fault_and_limit() {
    let text = read("protocol.md");
    for kind in FaultKind::ALL {
        assert!(text.contains(&format!("\n| `{kind}` |")), "no row for the fault {kind}");
    }
    for (bytes, written) in [(LINE_BYTES_MAX as u64, "65,536"), (NOTE_BYTES_MAX as u64, "1,024")] {
        assert_eq!(written.replace(',', ""), bytes.to_string());
        assert!(text.contains(written), "the limit {written} is not told");
    }
    assert!(NUMBER_MAX == 1 << 53 && text.contains("2^53"));
}

/// Checks rows of `docs/reference/seeds.md` such as ``| `quilt-arena deal 1 0` | 3375995367096404 |``.
#[test]
fn the_published_seeds_are_right() {
    let text = read("docs/reference/seeds.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `quilt-arena "));
    let mut count = 0;
    for row in rows {
        let words: Vec<&str> = row.split(['`', '|', ' ']).filter(|word| !word.is_empty()).collect();
        let number = |text: &str| text.parse::<u64>().expect("a whole number");
        let (derived, seed) = match words[..] {
            ["deal", a, b, seed] => (deal_seed(number(a), number(b)), seed),
            ["bot", a, b, seed] => (bot_seed(number(a), number(b) as usize, 0), seed),
            ["bot", a, b, copy, seed] => (bot_seed(number(a), number(b) as usize, number(copy) as u32), seed),
            ["table", seed, ref names @ .., number_of] => (table_number(number(seed), names), number_of),
            ["lot", a, name, seed] => (lot(number(a), name), seed),
            _ => panic!("not a row of seeds: {row}"),
        };
        assert_eq!(derived, number(seed), "{row}");
        count += 1;
    }
    assert!(count >= 6, "only {count} seeds are published");
}

/// Checks the table of rectangles in the rules of doodle, with rows such as `| 3 x 8 | 14 |`.
#[test]
fn the_rectangles_in_the_rules_score_as_told() {
    let text = read("docs/rules-doodle.md");
    let mut count = 0;
    for row in text.lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, size, points, _] = cells[..] else { continue };
        let Some((height, width)) = size.split_once(" x ") else { continue };
        let number = |text: &str| text.parse::<u8>().unwrap_or_else(|_| panic!("no number: {row}"));
        assert_eq!(doodle::rectangle_points(number(height), number(width)), number(points), "{row}");
        count += 1;
    }
    assert!(count >= 5, "only {count} rectangles are shown");
}

/// Checks the spaces of the track in the rules of patchwork.
#[test]
fn the_track_in_the_rules_is_the_standard_one() {
    let text = read("docs/rules-patchwork.md");
    let track = patchwork::PatchFile::standard().track;
    let listed = |spaces: &[u32]| spaces.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    for spaces in [&track.income, &track.leather.original, &track.leather.revised] {
        assert!(text.contains(&listed(spaces)), "the spaces {} are not told", listed(spaces));
    }
}
