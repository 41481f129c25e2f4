//! Refusals in words for a person, who counts rows and columns from 1. The engine's own messages refer to JSON
//! fields, for authors of bots.

use engine::bitboard::Cell;
use engine::cells::BadCells;

/// Describes an error in the cells of a move.
pub(super) fn cells(bad: &BadCells) -> String {
    let place = |cell: &Cell| format!("row {}, column {}", cell.row() + 1, cell.col() + 1);
    match bad {
        BadCells::Outside(row, col) => {
            let [row, col] = [row, col].map(|index| index.saturating_add(1));
            format!("row {row}, column {col} is outside the board: rows and columns are 1 to 9")
        }
        BadCells::Twice(cell) => format!("{} is taken twice", place(cell)),
        BadCells::Covered(cells) => {
            let first = cells.first().map_or_else(|| "a cell".to_owned(), |cell| place(&cell));
            format!("{first} is already covered")
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::bitboard::Bitboard;
    use engine::doodle::{Doodle, Illegal as NoDrawing, Specials, Uses};
    use engine::patchwork::{Illegal as NoMove, Patchwork};
    use engine::wire::name::CardName;

    use super::*;
    use crate::human::Hand;

    fn bad() -> [BadCells; 3] {
        let cell = Cell::new(2, 3).unwrap();
        [BadCells::Outside(9, -1), BadCells::Twice(cell), BadCells::Covered(Bitboard::from_iter([cell]))]
    }

    #[test]
    fn no_refusal_speaks_of_messages() {
        let name = || "P07".parse::<CardName>().unwrap();
        let drawings = [
            NoDrawing::NotAsked,
            NoDrawing::NoSuchCard("P99".to_owned()),
            NoDrawing::NotOffered { card: "P07".to_owned(), offered: "P08".to_owned() },
            NoDrawing::NoCells,
            NoDrawing::NotThePatch("P07".to_owned()),
            NoDrawing::StartPass("S01".to_owned()),
            NoDrawing::StartSpecial,
            NoDrawing::Singles(3),
            NoDrawing::Unaffordable { uses: Uses::default(), left: Specials::NONE },
        ];
        let moves = [
            NoMove::NotAsked,
            NoMove::NoSuchPatch("P99".to_owned()),
            NoMove::NotOffered { patch: name(), offer: vec![name()] },
            NoMove::TooExpensive { patch: name(), cost: 7, buttons: 5 },
            NoMove::NoCells,
            NoMove::NotThePatch(name()),
            NoMove::LeatherFirst,
            NoMove::NoLeather,
        ];
        let drawings =
            drawings.into_iter().chain(bad().map(NoDrawing::Cells)).map(|why| Doodle::refused(&why));
        let moves = moves.into_iter().chain(bad().map(NoMove::Cells)).map(|why| Patchwork::refused(&why));
        for text in drawings.chain(moves) {
            let is_wire = |word: &&str| text.contains(*word);
            let found = ["{", "}", "[", "]", "\"cells\"", "cells are", "send", "seat", "JSON"]
                .iter()
                .find(|word| is_wire(word));
            assert_eq!(found, None, "{text}");
        }
    }

    #[test]
    fn cells_are_told_by_row_and_column() {
        let texts = bad().map(|bad| cells(&bad));
        assert_eq!(texts[0], "row 10, column 0 is outside the board: rows and columns are 1 to 9");
        assert_eq!(texts[1], "row 3, column 4 is taken twice");
        assert_eq!(texts[2], "row 3, column 4 is already covered");
    }
}
