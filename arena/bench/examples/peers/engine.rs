//! A scripted UCI engine that replies at once: it knows one game by heart, and no chess.

use std::io::{self, Read, Write};

/// Plays the game over UCI until `quit` or the end of the input.
///
/// # Errors
/// An I/O error, for example if the runner has closed a pipe.
pub(crate) fn play() -> io::Result<()> {
    let answers: Vec<String> = moves().iter().map(|one| format!("bestmove {one}\n")).collect();
    let mut input = io::stdin().lock();
    let (mut lines, mut filled, mut ply) = (vec![0; 1 << 16], 0, 0);
    loop {
        match input.read(&mut lines[filled..])? {
            0 => return Ok(()),
            count => filled += count,
        }
        if lines[filled - 1] != b'\n' {
            continue;
        }
        for line in lines[..filled].split_inclusive(|&byte| byte == b'\n') {
            match line {
                b"uci\n" => say("id name instant\nuciok\n")?,
                b"isready\n" => say("readyok\n")?,
                b"quit\n" => return Ok(()),
                [b'p', ..] => ply = ply_of(&String::from_utf8_lossy(line)),
                [b'g', ..] => say(answers.get(ply).map_or("bestmove 0000\n", |answer| answer))?,
                _ => {}
            }
        }
        filled = 0;
    }
}

/// Returns the number of moves before a position, which is given by moves from the start or from a later position
/// (`fen`, which ends with the side to move, three more fields, and the number of the move).
fn ply_of(line: &str) -> usize {
    let (position, moves) = line.split_once(" moves").unwrap_or((line, ""));
    let after = moves.split_whitespace().count();
    let mut fen = position.split_whitespace().skip_while(|word| *word != "fen").skip(2);
    let Some(side) = fen.next() else { return after };
    let number: usize = fen.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
    2 * (number - 1) + usize::from(side == "b") + after
}

fn say(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())
}

/// Returns as many legal moves as a match of the arena's benchmark has. Both sides push each pawn twice, then
/// develop.
fn moves() -> Vec<String> {
    let mut moves = Vec::new();
    for [white, black] in [["23", "76"], ["34", "65"]] {
        for file in 'a'..='h' {
            moves.extend([white, black].map(|ranks| format!("{file}{}{file}{}", &ranks[..1], &ranks[1..])));
        }
    }
    moves.extend(["b1a3", "b8a6", "g1h3", "g8h6", "c1b2", "c8b7"].map(str::to_owned));
    moves
}
