//! Proves a whole journal: judges every line, on several threads.
//!
//! The journal is streamed. A thread takes the next lines, judges them, and comes back for more. Lines are
//! handed out in order, so the first wrong line is known once all lines taken so far are judged.

use std::sync::{Mutex, PoisonError};

use super::{Difference, Judge, Lines, Records};
use referee::error::Error;
use referee::games::GameKind;

/// The number of lines that a thread takes at once.
const BATCH: usize = 16;

/// The result of a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The number of correct matches.
    pub matches: u64,
    /// True if the last line is incomplete and was ignored.
    pub torn: bool,
}

/// The work and the results, shared by all threads.
struct Shared {
    lines: Lines,
    matches: u64,
    /// The first wrong line so far.
    first: Option<(u64, Difference)>,
    failed: Option<Error>,
}

/// Judges every line of a source.
///
/// # Errors
/// Returns the first wrong line as the answer "no", or fails if the file cannot be read.
pub fn prove<G: GameKind>(records: &Records<'_, G>, threads: usize) -> Result<Proof, Error> {
    let source = records.source;
    let lines = source.lines()?;
    let shared = Mutex::new(Shared { lines, matches: 0, first: None, failed: None });
    let judge = || records.judge.clone();
    std::thread::scope(|scope| {
        let helpers = (1..threads).map(|_| {
            let judge = judge();
            scope.spawn(|| work(&shared, judge))
        });
        let _helpers: Vec<_> = helpers.collect();
        work(&shared, judge());
    });
    let done = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (done.failed, done.first) {
        (Some(error), _) => Err(error),
        (None, Some((number, difference))) => Err(source.no(number, &difference)),
        (None, None) if done.matches == 0 => Err(source.empty()),
        (None, None) => Ok(Proof { matches: done.matches, torn: done.lines.is_torn() }),
    }
}

/// Judges lines until the end of the file or until a line is wrong.
fn work<G: GameKind>(shared: &Mutex<Shared>, mut judge: Judge<G>) {
    let mut batch = vec![Vec::new(); BATCH];
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let (begin, count) = take(&mut locked(), &mut batch);
        let mut held = 0;
        for (line, number) in batch[..count].iter().zip(begin..) {
            match judge.line(line) {
                Ok(()) => held += 1,
                Err(difference) => {
                    note(&mut locked(), number, difference);
                    break;
                }
            }
        }
        let mut shared = locked();
        shared.matches += held;
        if count == 0 {
            return;
        }
    }
}

/// Fills `batch`. Returns the number of its first line, and the number of lines.
fn take(shared: &mut Shared, batch: &mut [Vec<u8>]) -> (u64, usize) {
    let begin = shared.lines.number() + 1;
    if shared.first.is_some() || shared.failed.is_some() {
        return (begin, 0);
    }
    for (count, line) in batch.iter_mut().enumerate() {
        match shared.lines.read(line) {
            Ok(true) => {}
            Ok(false) => return (begin, count),
            Err(error) => {
                shared.failed = Some(error);
                return (begin, 0);
            }
        }
    }
    (begin, batch.len())
}

fn note(shared: &mut Shared, number: u64, difference: Difference) {
    if shared.first.as_ref().is_none_or(|(first, _)| number < *first) {
        shared.first = Some((number, difference));
    }
}
