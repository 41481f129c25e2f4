//! A bot that answers immediately, so that a benchmark measures the referee. It takes its moves from a
//! prepared file, and reads only the type of each line.
//!
//! The file has a slot for each match and seat. A slot contains one answer per line, in the order of the
//! decisions, and is padded with zeros.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use engine::wire::LINE_BYTES_MAX;

/// The hidden first argument of an `arena` process that is an instant bot. The path of the file follows, and
/// optionally the time to sleep before each move, in milliseconds.
pub const INSTANT_ARG: &str = "__instant";
/// The length of a slot, in bytes.
pub(crate) const SLOT_BYTES: usize = 4_096;
/// The number of seats of a match in the file.
pub(crate) const SEATS: usize = 2;

/// The beginning of every message. The next letter determines the type.
const HEAD: &[u8] = b"{\"type\":\"";

/// Returns at once, unless the arguments start this process as an instant bot. In that case, runs the bot and
/// exits.
pub fn main_if_asked() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_none_or(|first| first != INSTANT_ARG) {
        return;
    }
    let path = args.next();
    let sleep_ms = args.next().and_then(|text| text.to_str()?.parse().ok()).unwrap_or(0);
    let played = path.map(|path| play(Path::new(&path), Duration::from_millis(sleep_ms)));
    std::process::exit(i32::from(!matches!(played, Some(Ok(())))));
}

/// Answers until `quit` or the end of the input.
fn play(path: &Path, sleep: Duration) -> io::Result<()> {
    let file = File::open(path)?;
    let mut line = vec![0; LINE_BYTES_MAX];
    let mut slot = vec![0; SLOT_BYTES];
    let mut answers: Vec<std::ops::Range<usize>> = Vec::new();
    let mut next = 0;
    let mut filled = 0;
    loop {
        match rustix::io::read(rustix::stdio::stdin(), &mut line[filled..])? {
            0 => return Ok(()),
            count => filled += count,
        }
        if line[filled - 1] != b'\n' {
            continue;
        }
        if line[HEAD.len()] == b't' {
            if !sleep.is_zero() {
                std::thread::sleep(sleep);
            }
            say(answers.get(next).map_or(b"no answer\n", |place| &slot[place.clone()]))?;
            next += 1;
            filled = 0;
            continue;
        }
        // Several lines arrive together only if the first ones need no answer.
        for message in line[..filled].split_inclusive(|&byte| byte == b'\n') {
            match message.get(HEAD.len()) {
                Some(b'h') => say(b"{\"type\":\"hello\",\"protocol\":1,\"name\":\"instant\"}\n")?,
                Some(b's') => {
                    let place = number(message, b"\"match\":") * SEATS + number(message, b"\"seat\":");
                    file.read_at(&mut slot, (place * SLOT_BYTES) as u64)?;
                    lines_of(&slot, &mut answers);
                    next = 0;
                    say(b"{\"type\":\"ready\"}\n")?;
                }
                Some(b'q') => return Ok(()),
                _ => {}
            }
        }
        filled = 0;
    }
}

fn say(line: &[u8]) -> io::Result<()> {
    Ok(rustix::io::write(rustix::stdio::stdout(), line).map(|_| ())?)
}

/// Finds the ranges of the lines in a slot, newlines included.
fn lines_of(slot: &[u8], places: &mut Vec<std::ops::Range<usize>>) {
    places.clear();
    let mut begin = 0;
    for (place, _) in slot.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        places.push(begin..place + 1);
        begin = place + 1;
    }
}

/// Returns the number after the first `field`, or 0 without such a field.
fn number(message: &[u8], field: &[u8]) -> usize {
    let begin = message.windows(field.len()).position(|window| window == field);
    let digits = begin.map_or(&[][..], |begin| &message[begin + field.len()..]);
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0'))
}
