//! Changes random bytes of a journal, one at a time. `QUILT_FLIPS` sets the number of changes per game
//! (default 300).

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use engine::dealer::Dealer;
use engine::doodle::Doodle;
use engine::patchwork::Patchwork;
use referee::games::GameKind;
use referee::record::MatchRecord;
use tournament::replay::{Records, Source, prove};

use crate::replay::{copied, golden_dir};

/// One of this many flips is also tried on a file.
const ON_FILE_EVERY: usize = 25;

#[test]
fn no_flipped_byte_is_accepted_as_another_valid_result() {
    flip::<Doodle>();
    flip::<Patchwork>();
}

fn flips() -> usize {
    std::env::var("QUILT_FLIPS").map_or(300, |text| text.parse().expect("a number of flips"))
}

fn flip<G: GameKind>() {
    let journal = fs::read(golden_dir(G::NAME).join("matches.jsonl")).expect("a journal");
    let source = Source::at(&golden_dir(G::NAME));
    let mut records = Records::<G>::open(&source).expect("a tournament");
    let mut chance = Dealer::new(20_261_121, 0);
    let folder = copied(G::NAME);
    let mut harmless = 0;
    for number in 0..flips() {
        let place = chance.below(journal.len() as u32) as usize;
        let byte = match chance.below(2) {
            0 => journal[place] ^ (1 << chance.below(8)),
            _ => chance.below(256) as u8,
        };
        let mut flipped = journal.clone();
        flipped[place] = byte;
        let what =
            format!("{} byte {place}: {:?} to {:?}", G::NAME, char::from(journal[place]), char::from(byte));
        let judged = catch_unwind(AssertUnwindSafe(|| is_noticed(&mut records, &journal, &flipped)));
        let judged = judged.unwrap_or_else(|_| panic!("{what}: a panic"));
        let noticed = judged.unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
        harmless += usize::from(!noticed);
        if number % ON_FILE_EVERY == 0 {
            fs::write(folder.path().join("matches.jsonl"), &flipped).expect("a journal");
            let source = Source::at(folder.path());
            let proof = Records::<G>::open(&source).and_then(|records| prove(&records, 2));
            let seen = proof.as_ref().map_or(true, |proof| proof.torn);
            assert!(seen || !noticed, "{what}: {proof:?}");
        }
    }
    println!("{}: {harmless} of {} flips changed nothing that a record says", G::NAME, flips());
}

/// Returns true if the judge notices the change of the journal. Returns an error if it accepts a journal
/// whose contents differ from the original.
fn is_noticed<G: GameKind>(
    records: &mut Records<'_, G>,
    journal: &[u8],
    flipped: &[u8],
) -> Result<bool, String> {
    if !flipped.ends_with(b"\n") {
        return Ok(true); // a torn line is reported
    }
    let split =
        |bytes: &[u8]| bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (before, after) = (split(journal), split(flipped));
    for (number, line) in after.iter().enumerate() {
        if before.get(number) == Some(line) {
            continue;
        }
        let Ok((record, _)) = records.verified(1, line) else { return Ok(true) };
        let (old, _) = MatchRecord::<G>::from_line(&before[number]).expect("a golden line");
        if plain(&record) != plain(&old) {
            return Err(format!("match {} is accepted and says something else", old.index));
        }
    }
    if before.len() == after.len() { Ok(false) } else { Err("another number of lines".to_owned()) }
}

/// Returns all fields of a record.
fn plain<G: GameKind>(record: &MatchRecord<G>) -> serde_json::Value {
    serde_json::to_value(record).expect("a record is plain data")
}
