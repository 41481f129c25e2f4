//! A seat played with short commands on a terminal, or through a pipe.

pub(crate) mod single_match;

use std::collections::BTreeSet;
use std::io::BufRead;

use engine::bitboard::SIDE;
use engine::cells::Pair;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::report::board::TextBoard;
use crate::report::output::{show, width};
use referee::error::Error;
use referee::seats::human::{Notice, Player};
use tournament::report::layout;
use web::human::{Choice, Hand, Laid, PersonView, QUARTERS, Turning};

/// The width of what a move leads to, which is the same in every terminal and through a pipe.
const COLUMNS: usize = 80;
/// The prompt for a command.
const PROMPT: &str = "your move> ";

/// A parsed command.
enum Typed {
    Help,
    Legal,
    Board,
    Leave,
    Lay(Laid),
}

/// Plays the seat of this view with commands from stdin until the match is over. The player leaves the match
/// at the end of the input.
///
/// # Errors
/// Writing to stdout fails.
pub(crate) async fn sit_down<G: Hand + TextBoard>(
    view: &PersonView<G>,
    names: &[String],
    mut player: Player,
) -> Result<(), Error> {
    let mut lines = typed_lines();
    let voice = player.voice();
    let mut before = None;
    let mut message = player.hear().await;
    while let Some(now) = message {
        match now {
            Notice::Start => voice.ready(),
            Notice::Turn { id } => tokio::select! {
                decided = decide(view, names, &mut before, &mut lines) => match decided? {
                    Some(wire_move) => voice.play(id, wire_move, None),
                    None => return show("\nyou leave the match\n\n"),
                },
                // The time for the move is over, and the match goes on.
                sooner = player.hear() => {
                    message = sooner;
                    continue;
                }
            },
            Notice::Fault { detail } => show(&format!("\nyou are out: {detail}\n\n"))?,
            Notice::End | Notice::Other => {}
        }
        message = player.hear().await;
    }
    Ok(())
}

/// Returns the lines from stdin. A thread reads them, because the read blocks. The thread ends with the
/// program.
fn typed_lines() -> UnboundedReceiver<String> {
    let (sender, lines) = unbounded_channel();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        let mut input = std::io::stdin().lock();
        while input.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
            line.clear();
        }
    });
    lines
}

/// Asks until the player enters a legal move. Returns `None` if the player leaves.
async fn decide<G: Hand + TextBoard>(
    view: &PersonView<G>,
    names: &[String],
    before: &mut Option<G>,
    lines: &mut UnboundedReceiver<String>,
) -> Result<Option<G::WireMove>, Error> {
    let Some(game) = view.game() else { return Ok(None) };
    let choices = game.choices(view.seat);
    // The marks on the boards are of all moves since the last prompt.
    show(&(format!("\n{}", game.show(names, before.as_ref(), width())) + &offered(view, &choices)))?;
    *before = Some(game.clone());
    loop {
        show(PROMPT)?;
        let Some(line) = lines.recv().await else { return Ok(None) };
        let laid = match read::<G>(&line, &choices) {
            Ok(Typed::Leave) => return Ok(None),
            Ok(Typed::Help) => {
                show(&help::<G>())?;
                continue;
            }
            Ok(Typed::Legal) => {
                show(&listed::<G>(view, &choices))?;
                continue;
            }
            Ok(Typed::Board) => {
                show(&(game.show(names, None, width()) + &offered(view, &choices)))?;
                continue;
            }
            Ok(Typed::Lay(laid)) => Ok(laid),
            Err(why) => Err(why),
        };
        match laid.and_then(|laid| Ok((view.wire_move(&laid)?, laid))) {
            Ok((wire_move, laid)) => {
                let effect = layout::hanging("", &view.judge(&laid).effect, Some(COLUMNS));
                show(&format!("{effect}\n"))?;
                return Ok(Some(wire_move));
            }
            Err(why) => show(&format!("no: {why}\n"))?,
        }
    }
}

/// Lists the patches and cards that fit somewhere in one line, and the move that lays nothing if it is legal.
fn offered<G: Hand>(view: &PersonView<G>, choices: &[Choice]) -> String {
    let fits = |choice: &&Choice| choice.piece == 0 && choice.obstacle.is_none() && choice.fits();
    let words = choices.iter().filter(fits).map(|choice| match choice.costs.as_str() {
        "" => format!("{} {}", name(choice), drawn(choice)),
        costs => format!("{} {} ({costs})", name(choice), drawn(choice)),
    });
    let nothing = view.wire_move(&Laid::default()).is_ok().then(|| G::NOTHING.to_owned());
    let words: Vec<String> = words.chain(nothing).collect();
    format!("to lay: {}; ? for help\n", words.join(", "))
}

fn name(choice: &Choice) -> String {
    choice.card.map_or("leather".to_owned(), |card| card.to_string())
}

/// Returns the rows of the shape in one line, separated by `/`.
fn drawn(choice: &Choice) -> String {
    let rows = serde_json::to_value(&choice.turnings[0].shape).expect("a shape is plain data");
    rows.as_array().into_iter().flatten().filter_map(|row| row.as_str()).collect::<Vec<_>>().join("/")
}

fn help<G: TextBoard>() -> String {
    format!(
        "\
{}
legal    lists where everything can lie
board    shows the table again
quit     leaves the match; so does the end of the input
",
        G::HELP.trim_end()
    )
}

/// Lists all legal places in the syntax of commands.
fn listed<G: Hand>(view: &PersonView<G>, choices: &[Choice]) -> String {
    let mut text = String::new();
    for choice in choices {
        let mut seen = BTreeSet::new();
        for (number, turning) in choice.turnings.iter().enumerate() {
            if !turning.anchors.is_empty() && seen.insert(anchors_and_shape(turning)) {
                let places: Vec<String> = turning
                    .anchors
                    .iter()
                    .map(|anchor| format!("{},{}", anchor / SIDE + 1, anchor % SIDE + 1))
                    .collect();
                text += &format!("{} {}\n", command(choice, number), places.join(" "));
            }
        }
    }
    if view.wire_move(&Laid::default()).is_ok() {
        text += &format!("{}\n", G::NOTHING);
    }
    text
}

/// Returns the beginning of a command for this patch in this orientation.
fn command(choice: &Choice, turning: usize) -> String {
    let piece = (choice.piece > 0).then(|| format!("c{}", choice.piece));
    let flipped = (turning >= QUARTERS).then(|| "f".to_owned());
    let turned = (!turning.is_multiple_of(QUARTERS)).then(|| "r".repeat(turning % QUARTERS));
    let words = [Some(name(choice)), piece, flipped, turned];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Parses a command.
fn read<G: Hand>(line: &str, choices: &[Choice]) -> Result<Typed, String> {
    let mut words = line.split_whitespace();
    match words.next().unwrap_or("?") {
        "?" | "help" => Ok(Typed::Help),
        "legal" => Ok(Typed::Legal),
        "board" => Ok(Typed::Board),
        "quit" => Ok(Typed::Leave),
        word if word == G::NOTHING => laid_beside(words, Laid::default()).map(Typed::Lay),
        word => lay(word, words, choices).map(Typed::Lay),
    }
}

/// Parses a command that places a card or patch.
fn lay<'w>(card: &str, words: impl Iterator<Item = &'w str>, choices: &[Choice]) -> Result<Laid, String> {
    let is_named = |choice: &&Choice| name(choice).eq_ignore_ascii_case(card);
    let whole = choices.iter().find(is_named);
    let whole =
        whole.ok_or_else(|| format!("{card:?} is neither a command nor can it be laid now; ? for help"))?;
    let (mut choice, mut quarters, mut flipped) = (whole, 0, 0);
    let mut words = words.peekable();
    while let Some(word) = words.next_if(|word| word.starts_with(['r', 'f', 'c'])) {
        match word.strip_prefix('c') {
            Some(piece) => {
                let wanted = piece.parse::<usize>().ok();
                choice = choices
                    .iter()
                    .filter(is_named)
                    .find(|choice| Some(choice.piece) == wanted)
                    .ok_or_else(|| format!("there is no piece {word} of {card}; \"legal\" lists them"))?;
            }
            None if word == "f" => flipped = QUARTERS,
            None if word.bytes().all(|letter| letter == b'r') => quarters = word.len() % QUARTERS,
            None => return Err(format!("{word:?}: r, rr or rrr to turn, f to flip, cN for a piece")),
        }
    }
    let place = words.next().ok_or("say where: ROW,COL of the upper left corner, such as 1,5")?;
    let cells = choice.turnings[flipped + quarters].cells_at(cell(place)?);
    laid_beside(words, Laid { card: choice.card.map(|card| card.to_string()), cells, singles: Vec::new() })
}

/// Parses the single cells after a move, and adds them to it.
fn laid_beside<'w>(words: impl Iterator<Item = &'w str>, laid: Laid) -> Result<Laid, String> {
    let single = |word: &str| {
        let text = word.strip_prefix('+');
        text.ok_or_else(|| format!("{word:?} is not understood: a single cell is +ROW,COL")).and_then(cell)
    };
    Ok(Laid { singles: words.map(single).collect::<Result<_, _>>()?, ..laid })
}

/// Parses a cell. A person counts rows and columns from 1, and the game from 0.
fn cell(text: &str) -> Result<Pair, String> {
    let pair = text.split_once(',').and_then(|(row, col)| Some([row.parse().ok()?, col.parse().ok()?]));
    // The bound prevents overflow in later sums. All such cells are off the board anyway.
    pair.filter(|pair: &Pair| pair.iter().all(|number| number.unsigned_abs() < 1000))
        .map(|pair| pair.map(|number| number - 1))
        .ok_or_else(|| format!("{text:?} is not a cell: write ROW,COL, such as 1,5"))
}

/// Returns the key by which equal orientations are recognized.
fn anchors_and_shape(turning: &Turning) -> (Vec<u8>, u128) {
    (turning.anchors.clone(), turning.shape.cells().unwrap_or_default().bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::doodle::Doodle;
    use engine::game::Game;

    fn choices() -> Vec<Choice> {
        let equipment = std::sync::Arc::new(engine::doodle::Equipment::standard());
        let deal = Doodle::deal(&equipment, 1, 7).unwrap();
        Doodle::new(&equipment, &deal).unwrap().choices(0)
    }

    #[test]
    fn commands_name_card_turn_place_and_single_cells() {
        let choices = choices();
        let card = choices[0].card.unwrap().to_string();
        let Ok(Typed::Lay(laid)) = read::<Doodle>(&format!("{card} f rr 3,4 +9,9"), &choices) else {
            panic!("it is understood")
        };
        assert_eq!(laid.cells, choices[0].turnings[6].cells_at([2, 3]));
        assert_eq!((laid.card, laid.singles), (Some(card), vec![[8, 8]]));
        let Ok(Typed::Lay(nothing)) = read::<Doodle>("pass +2,3", &choices) else {
            panic!("it is understood")
        };
        assert_eq!((nothing.card, nothing.singles), (None, vec![[1, 2]]));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let choices = choices();
        let card = choices[0].card.unwrap().to_string();
        for (line, expected) in [
            ("X99 0,0".to_owned(), "neither a command"),
            (card.clone(), "say where"),
            (format!("{card} 0"), "not a cell"),
            (format!("{card} 0,99999999999999999999"), "not a cell"),
            (format!("{card} c77 0,0"), "no piece"),
            (format!("{card} rx 0,0"), "to turn"),
            (format!("{card} 0,0 1,1"), "+ROW,COL"),
        ] {
            let why = read::<Doodle>(&line, &choices).err().expect("it is not understood");
            assert!(why.contains(expected), "{line}: {why}");
        }
    }
}
