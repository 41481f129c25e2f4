//! The picture of a match for previews in chats and feeds: the boards of all seats, as a PNG file.

use std::io::Write;

use engine::bitboard::SIDE;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::{Frames, MatchView};

/// The size of previews in pixels, as sites ask for it.
const WIDTH: usize = 1200;
const HEIGHT: usize = 630;
/// The margin around each board, and the width of the frame around the winner's.
const MARGIN: usize = 24;
const FRAME: usize = 6;
/// Red, green, and blue of the ground, of empty cells, of seams, of the winner's frame, and then of the pieces. They are
/// the colors of the pages in their light theme.
const COLORS: [[u8; 3]; 16] = [
    [0xf4, 0xef, 0xe6],
    [0xff, 0xfd, 0xf9],
    [0x3a, 0x32, 0x2b],
    [0x2f, 0x5d, 0x8a],
    [0xcf, 0x94, 0x90],
    [0x9d, 0xb0, 0x8f],
    [0x8e, 0xa6, 0xc2],
    [0xd9, 0xb8, 0x72],
    [0xa8, 0x8f, 0xb0],
    [0xcc, 0x8f, 0x6e],
    [0x7f, 0xad, 0xa6],
    [0xcd, 0xbb, 0x9a],
    [0x97, 0xa1, 0xb0],
    [0xb0, 0xb0, 0x6c],
    [0xd3, 0xa8, 0xba],
    [0xb3, 0x91, 0x76],
];
const EMPTY: u8 = 1;
const SEAM: u8 = 2;
const WINNER: u8 = 3;
const FIRST_PIECE: u8 = 4;

/// The piece on each cell of a board, counted from 1; 0 for an empty cell.
type Board = Vec<usize>;

/// Returns the picture of the final boards. The boards of the winners have a frame.
pub fn preview<G: Frames>(view: &MatchView<'_, G>) -> Vec<u8> {
    let boards: Vec<Board> = (0..view.bots.len()).map(|seat| board(view, seat)).collect();
    let is_first = |seat: usize| {
        view.result.is_some_and(|result| result.ranks.get(seat) == Some(&1) && result.faults[seat].is_none())
    };
    let mut pixels = vec![0; WIDTH * HEIGHT];
    let (columns, cell, [left, top]) = layout(boards.len());
    let space = cell * usize::from(SIDE) + MARGIN;
    for (seat, board) in boards.iter().enumerate() {
        let corner = (left + seat % columns * space, top + seat / columns * space);
        draw(&mut pixels, corner, cell, board, is_first(seat) && boards.len() > 1);
    }
    png(&pixels)
}

fn board<G: Frames>(view: &MatchView<'_, G>, seat: usize) -> Board {
    let mut board = vec![0; usize::from(SIDE) * usize::from(SIDE)];
    let entries = view.frames.iter().flat_map(|frame| &frame.entries).filter(|entry| entry.seat == seat);
    let pieces = entries.filter_map(|entry| entry.act.as_ref()).flat_map(|act| &act.pieces);
    for (number, piece) in (1..).zip(pieces) {
        piece.cells.iter().for_each(|&cell| board[usize::from(cell)] = number);
    }
    board
}

/// Returns the number of columns for so many boards, the side of a cell in pixels, as large as possible, and the left
/// and top of the first board. If there are too many boards, the picture shows the first ones.
fn layout(boards: usize) -> (usize, usize, [usize; 2]) {
    let cell = |columns: usize| {
        let space = ((WIDTH - MARGIN) / columns).min((HEIGHT - MARGIN) / boards.div_ceil(columns));
        space.saturating_sub(MARGIN) / usize::from(SIDE)
    };
    let best = (1..=boards.max(1)).max_by_key(|&columns| cell(columns)).unwrap_or(1);
    let side = cell(best).max(1);
    let space = side * usize::from(SIDE) + MARGIN;
    let first = |size: usize, number: usize| (size + MARGIN).saturating_sub(number * space) / 2;
    (best, side, [first(WIDTH, best), first(HEIGHT, boards.div_ceil(best))])
}

fn draw(pixels: &mut [u8], (left, top): (usize, usize), cell: usize, board: &Board, is_first: bool) {
    let side = usize::from(SIDE);
    let mut set = |x: usize, y: usize, color: u8| {
        if x < WIDTH && y < HEIGHT {
            pixels[y * WIDTH + x] = color;
        }
    };
    let (width, frame) = (cell * side, if is_first { FRAME } else { 1 });
    for (x, y) in (0..width + 2 * frame).flat_map(|x| (0..width + 2 * frame).map(move |y| (x, y))) {
        set(left + x - frame.min(left), top + y - frame.min(top), if is_first { WINNER } else { SEAM });
    }
    for (x, y) in (0..width).flat_map(|x| (0..width).map(move |y| (x, y))) {
        let piece = |x: usize, y: usize| board[y / cell * side + x / cell];
        let here = piece(x, y);
        let is_seam = (x > 0 && piece(x - 1, y) != here) || (y > 0 && piece(x, y - 1) != here);
        let color = match here {
            _ if is_seam => SEAM,
            0 => EMPTY,
            number => FIRST_PIECE + ((number - 1) % (COLORS.len() - usize::from(FIRST_PIECE))) as u8,
        };
        set(left + x, top + y, color);
    }
}

/// Returns a PNG file of these pixels, which are numbers of colors.
fn png(pixels: &[u8]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8; 4], data: &[u8]| {
        let mut sum = Crc::new();
        sum.update(name);
        sum.update(data);
        file.extend((data.len() as u32).to_be_bytes());
        file.extend(name);
        file.extend(data);
        file.extend(sum.sum().to_be_bytes());
    };
    let size = [WIDTH as u32, HEIGHT as u32].map(u32::to_be_bytes).concat();
    // Eight bits for each pixel, from a palette.
    chunk(b"IHDR", &[&size[..], &[8, 3, 0, 0, 0]].concat());
    chunk(b"PLTE", COLORS.as_flattened());
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::default());
    // Each row begins with the number of its filter: none.
    let written = pixels.chunks(WIDTH).try_for_each(|row| rows.write_all(&[&[0], row].concat()));
    chunk(b"IDAT", &written.and_then(|()| rows.finish()).expect("a vector takes everything"));
    chunk(b"IEND", &[]);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_fit_into_the_picture() {
        for boards in 1..=40 {
            let (columns, cell, _) = layout(boards);
            let space = cell * usize::from(SIDE) + MARGIN;
            assert!(columns * space <= WIDTH && boards.div_ceil(columns) * space <= HEIGHT, "{boards}");
            assert!(cell >= 5, "{boards} boards have cells of {cell} pixels");
        }
        assert_eq!(layout(5_000).2[0], 0, "more boards than fit begin at the edge");
    }
}
