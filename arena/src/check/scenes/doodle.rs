//! Prepared matches of doodle.

use engine::bitboard::Bitboard;
use engine::dealer::Dealer;
use engine::doodle::{Action, CardFile, CardText, Doodle, DoodleSetup, Draw, Drawing, Rules, StartCards};
use engine::game::Seat;
use engine::patch::ShapeText;

use super::{Own, Scene, Scenes};

/// The number of patch cards in the large deck. A deck has at most 256 cards in all.
const MANY: usize = 240;

impl Scenes for Doodle {
    fn scenes(_: Option<&Own>) -> Vec<Scene<Doodle>> {
        let last_of_ten = Scene { seat: 9, ..Scene::ordinary("ten-seats", "the last of ten seats", 10) };
        let mut scenes = vec![
            Scene::ordinary("two-seats", "a match of two", 2),
            Scene::ordinary("alone", "alone at the table", 1),
            Scene { hint: "your sheet is players[seat], with the seat of the start message", ..last_of_ten },
            Scene {
                hint: "\"limits\" may have more fields, and \"match_ms\" is null or a number; all seats may have the same start card",
                setup: shared(None),
                seat: 1,
                has_bank: true,
                ..Scene::ordinary("shared-start", "one start card for all, and a bank of time", 2)
            },
            Scene {
                hint: "take shapes and ids from the start message: users play with decks of their own",
                setup: shared(Some(other_deck())),
                ..Scene::ordinary("other-cards", "a deck of other cards", 2)
            },
            Scene {
                hint: "read a line up to its newline however long it is; a start message may have 40 kB",
                setup: shared(Some(large_deck())),
                ..Scene::ordinary("many-cards", "a deck of 241 cards, a long start message", 2)
            },
            Scene {
                hint: "where no card on offer can be drawn, answer {\"pass\":true}",
                setup: shared(Some(deck_after(&comb()))),
                ..Scene::ordinary("nothing-fits", "nothing fits from the first turn on", 2)
            },
            Scene {
                hint: "a full board is legal: answer {\"pass\":true} until the match ends",
                setup: shared(Some(deck_after(&["XXXXXXXXX"; 9].map(str::to_owned)))),
                ..Scene::ordinary("full-board", "a full board", 2)
            },
        ];
        scenes.extend(Scene::common("a match taken over, all special actions used"));
        scenes
    }

    fn any_action(&self, seat: Seat, chance: &mut Dealer) -> Action {
        let moves = self.moves(seat).expect("it owes a move");
        let mut drawings: Vec<Drawing> = moves.drawings().collect();
        if drawings.iter().any(|drawing| drawing.neighbor) {
            drawings.retain(|drawing| drawing.neighbor);
        }
        let drawing = match drawings.len() {
            0 => None,
            count => Some(drawings[chance.below(count as u32) as usize]),
        };
        let taken = self.sheet(seat).board | drawing.map_or(Bitboard::EMPTY, |drawing| drawing.draw.cells);
        let singles = moves.singles_max(drawing.as_ref());
        let singles = (!taken).iter().take(singles.into()).collect();
        let draw: Option<Draw> = drawing.map(|drawing| drawing.draw);
        Action { draw, singles }
    }
}

fn shared(cards: Option<CardFile>) -> DoodleSetup {
    DoodleSetup { rules: Rules { start_cards: StartCards::Shared }, cards }
}

fn card(id: String, rows: &[&str]) -> CardText {
    CardText { id, cells: ShapeText(rows.iter().map(|&row| row.to_owned()).collect()) }
}

/// Returns a deck with ids and shapes that the standard deck does not have.
fn other_deck() -> CardFile {
    let shapes: [&[&str]; 5] = [
        &["XXXXXXX"],
        &["X.X", "X.X", "XXX"],
        &["XX", "XX", "XX", "X."],
        &[".X.", "XXX", ".XX", "..X"],
        &["X", "X", "X"],
    ];
    let patches = (0..25).map(|number| card(format!("my_{number}-card"), shapes[number % shapes.len()]));
    CardFile {
        name: None,
        starts: vec![card("begin".to_owned(), &["XXXXX", "X...X", "X...."])],
        patches: patches.collect(),
    }
}

/// Returns a deck of many cards, half of them with shapes as large as the board.
fn large_deck() -> CardFile {
    let rows = [
        "X........",
        "X........",
        "XXXXXXXXX",
        "........X",
        "........X",
        "........X",
        "........X",
        "........X",
        "........X",
    ];
    let patch = |number| match number % 2 {
        0 => card(format!("wide-{number}"), &rows),
        _ => card(format!("small-{number}"), &["XX.......", ".X.......", ".XX......"]),
    };
    CardFile {
        name: Some("many".to_owned()),
        starts: vec![card("first".to_owned(), &["X"])],
        patches: (0..MANY).map(patch).collect(),
    }
}

/// Returns a deck with a start card of these rows, and the standard patches of two or more cells.
fn deck_after(rows: &[String]) -> CardFile {
    let patches = CardFile::standard().patches.into_iter().filter(|patch| patch.id != "P01");
    let cells = ShapeText(rows.to_vec());
    CardFile {
        name: None,
        starts: vec![CardText { id: "S01".to_owned(), cells }],
        patches: patches.collect(),
    }
}

/// Returns all cells except those in odd rows and odd columns, from 0. No two of the empty cells are
/// adjacent.
fn comb() -> [String; 9] {
    std::array::from_fn(|row| if row % 2 == 0 { "XXXXXXXXX" } else { "X.X.X.X.X" }.to_owned())
}
