//! Pictures of boards with names and scores: PNG and GIF files for the arena, pixels for the Python package. They need
//! nothing but the size of a board.

use std::io::Write;

use engine::bitboard::SIDE;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use font8x8::{BASIC_FONTS, UnicodeFonts};

/// The number of fabrics. Cards that follow each other have different ones.
const FABRICS: usize = 12;
/// The distance between the fabrics of two cards that follow each other, as on the pages.
const STRIDE: usize = 5;
const COLORS: [[u8; 3]; 24] = [
    [0xf4, 0xef, 0xe6], // the ground
    [0xff, 0xfd, 0xf9], // an empty cell
    [0x3a, 0x32, 0x2b], // seams and letters
    [0x2f, 0x5d, 0x8a], // the frame of a winner
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
    [0x8a, 0x5a, 0x3b], // a cell without a card
    [0xdd, 0xd7, 0xcf], // from the ground to the letters
    [0xc6, 0xc0, 0xb7],
    [0xae, 0xa8, 0xa0],
    [0x97, 0x90, 0x88],
    [0x80, 0x79, 0x71],
    [0x68, 0x61, 0x5a],
    [0x51, 0x4a, 0x42],
];
const GROUND: u8 = 0;
const EMPTY: u8 = 1;
const INK: u8 = 2;
const WINNER: u8 = 3;
const FIRST_FABRIC: u8 = 4;
const LOOSE: u8 = FIRST_FABRIC + FABRICS as u8;
/// The color before the shades between ground and letters, and the number of steps between the two.
const SHADES: u8 = LOOSE;
const STEPS: f32 = 8.0;
/// The space around boards, and the width of a winner's frame, in pixels.
const MARGIN: usize = 24;
const FRAME: usize = 5;
/// The side of a letter at scale 1, and the scales of the title and of names, in pixels. A long title has the scale of
/// names.
const LETTER: usize = 8;
const TITLE: usize = 3;
const NAME: usize = 2;
/// The height of a name with its space, and of the title.
const NAME_HEIGHT: usize = LETTER * NAME + 8;
const TITLE_HEIGHT: usize = LETTER * TITLE + 12;
/// How long a GIF shows a turn, and its end, in hundredths of a second.
#[cfg(feature = "gif")]
const TURN_CS: u16 = 80;
#[cfg(feature = "gif")]
const END_CS: u16 = 300;
const CELLS: usize = SIDE as usize * SIDE as usize;

/// The size of a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// From left to right.
    pub width: usize,
    /// From top to bottom.
    pub height: usize,
}

/// The size that chats and feeds show.
pub const PREVIEW: Size = Size { width: 1200, height: 630 };

/// What a picture shows: a title, a note, and the boards of all seats.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The line above the boards. Characters beyond Latin letters are left out.
    pub title: String,
    /// The words at the right end of that line, such as the turn. A title that is too long ends before them.
    pub note: String,
    /// The boards, by seat.
    pub boards: Vec<Board>,
}

/// A board with the name and the score of its seat.
#[derive(Clone, Debug)]
pub struct Board {
    /// The name of the bot.
    pub name: String,
    /// The score, as it is written.
    pub score: String,
    /// True if the seat has won.
    pub is_first: bool,
    /// For each cell, row by row, what covers it.
    pub cells: Vec<Cover>,
}

/// What covers a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// The number of the piece from 1, so that seams part the pieces; 0 for an empty cell.
    pub piece: usize,
    /// The number of the card among all cards; `None` for a cell without a card.
    pub card: Option<usize>,
}

/// Returns a picture as red, green, and blue of each pixel, row by row.
pub fn rgb(scene: &Scene, size: Size) -> Vec<u8> {
    draw(scene, size).into_iter().flat_map(|color| COLORS[usize::from(color)]).collect()
}

/// Returns a picture as a PNG file.
pub fn png(scene: &Scene, size: Size) -> Vec<u8> {
    let pixels = draw(scene, size);
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
    let sides = [size.width as u32, size.height as u32].map(u32::to_be_bytes).concat();
    // Eight bits for each pixel, from a palette.
    chunk(b"IHDR", &[&sides[..], &[8, 3, 0, 0, 0]].concat());
    chunk(b"PLTE", COLORS.as_flattened());
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::default());
    // Each row begins with the number of its filter: none.
    let written = pixels.chunks(size.width).try_for_each(|row| rows.write_all(&[&[0], row].concat()));
    chunk(b"IDAT", &written.and_then(|()| rows.finish()).expect("a vector takes everything"));
    chunk(b"IEND", &[]);
    file
}

/// Returns pictures as a GIF file that shows one after the other, without end.
///
/// # Errors
/// The encoder refuses the size.
#[cfg(feature = "gif")]
pub fn gif(scenes: &[Scene], size: Size) -> std::io::Result<Vec<u8>> {
    use std::io;

    let mut file = Vec::new();
    let [width, height] = [size.width, size.height].map(|side| side as u16);
    let mut encoder =
        ::gif::Encoder::new(&mut file, width, height, COLORS.as_flattened()).map_err(io::Error::other)?;
    encoder.set_repeat(::gif::Repeat::Infinite).map_err(io::Error::other)?;
    for (number, scene) in scenes.iter().enumerate() {
        let is_end = number + 1 == scenes.len();
        let mut frame = ::gif::Frame::from_indexed_pixels(width, height, draw(scene, size), None);
        frame.delay = if is_end { END_CS } else { TURN_CS };
        encoder.write_frame(&frame).map_err(io::Error::other)?;
    }
    drop(encoder);
    Ok(file)
}

/// Returns the pixels row by row, as numbers of colors.
fn draw(scene: &Scene, size: Size) -> Vec<u8> {
    let mut sheet = Sheet { size, pixels: vec![GROUND; size.width * size.height] };
    let [title, note] = [&scene.title, &scene.note].map(|text| text.chars().count());
    let letters = |scale: usize| (size.width - 2 * MARGIN) / (LETTER * scale);
    let scale = if title + 1 + note <= letters(TITLE) { TITLE } else { NAME };
    let note_left = size.width.saturating_sub(MARGIN + note * LETTER * scale);
    sheet.write(&scene.title, (MARGIN, MARGIN / 2), scale, letters(scale).saturating_sub(note + 1));
    sheet.write(&scene.note, (note_left.max(MARGIN), MARGIN / 2), scale, letters(scale));
    let (columns, cell, [left, top]) = layout(scene.boards.len(), size);
    let side = cell * usize::from(SIDE);
    for (seat, board) in scene.boards.iter().enumerate() {
        let (x, y) = (
            left + seat % columns * (side + MARGIN),
            top + seat / columns * (side + NAME_HEIGHT + MARGIN) + NAME_HEIGHT,
        );
        let letters = side / (LETTER * NAME);
        let name_letters = letters.saturating_sub(board.score.chars().count() + 1);
        sheet.write(&board.name, (x, y - NAME_HEIGHT), NAME, name_letters);
        let score_width = board.score.chars().count() * LETTER * NAME;
        sheet.write(&board.score, (x + side.saturating_sub(score_width), y - NAME_HEIGHT), NAME, letters);
        sheet.board(board, (x, y), cell);
    }
    sheet.pixels
}

/// Returns the number of columns, the size of a cell, and the corner of the first board with its name, for the largest
/// cells.
fn layout(boards: usize, size: Size) -> (usize, usize, [usize; 2]) {
    let rows = |columns: usize| boards.div_ceil(columns).max(1);
    let cell = |columns: usize| {
        let across = (size.width - MARGIN) / columns;
        let down = (size.height - TITLE_HEIGHT - MARGIN) / rows(columns);
        across.min(down.saturating_sub(NAME_HEIGHT)).saturating_sub(MARGIN) / usize::from(SIDE)
    };
    let best = (1..=boards.max(1)).max_by_key(|&columns| cell(columns)).unwrap_or(1);
    let side = cell(best).max(1);
    let first = |whole: usize, number: usize, each: usize| (whole + MARGIN).saturating_sub(number * each) / 2;
    let board = side * usize::from(SIDE) + MARGIN;
    let left = first(size.width, best, board);
    let top = TITLE_HEIGHT + first(size.height - TITLE_HEIGHT, rows(best), board + NAME_HEIGHT);
    (best, side, [left, top])
}

struct Sheet {
    size: Size,
    pixels: Vec<u8>,
}

impl Sheet {
    fn set(&mut self, x: usize, y: usize, color: u8) {
        if x < self.size.width && y < self.size.height {
            self.pixels[y * self.size.width + x] = color;
        }
    }

    fn fill(&mut self, (left, top): (usize, usize), (width, height): (usize, usize), color: u8) {
        for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
            self.set(left + x, top + y, color);
        }
    }

    /// Writes at most so many letters of a text.
    fn write(&mut self, text: &str, (left, top): (usize, usize), scale: usize, letters: usize) {
        let text = text.replace('\u{2212}', "-");
        let known = text.chars().filter_map(|letter| BASIC_FONTS.get(letter)).take(letters);
        for (number, rows) in known.enumerate() {
            let side = LETTER * scale;
            for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
                let color = shade(&rows, (x, y), scale);
                if color != GROUND {
                    self.set(left + number * side + x, top + y, color);
                }
            }
        }
    }

    fn board(&mut self, board: &Board, (left, top): (usize, usize), cell: usize) {
        let side = usize::from(SIDE);
        let frame = if board.is_first { FRAME } else { 1 };
        let color = if board.is_first { WINNER } else { INK };
        let around = side * cell + 2 * frame;
        self.fill((left.saturating_sub(frame), top.saturating_sub(frame)), (around, around), color);
        let cover = |x: usize, y: usize| board.cells[y / cell * side + x / cell];
        for (x, y) in (0..side * cell).flat_map(|x| (0..side * cell).map(move |y| (x, y))) {
            let here = cover(x, y);
            let is_other = |other: Cover| other.piece != here.piece;
            let is_seam = (x > 0 && is_other(cover(x - 1, y))) || (y > 0 && is_other(cover(x, y - 1)));
            let color = match here {
                _ if is_seam => INK,
                Cover { piece: 0, .. } => EMPTY,
                Cover { card: Some(card), .. } => FIRST_FABRIC + (card * STRIDE % FABRICS) as u8,
                Cover { card: None, .. } => LOOSE,
            };
            self.set(left + x, top + y, color);
        }
    }
}

/// Returns the color of a pixel of an enlarged letter with smooth edges: the dots around it weigh by their distance, and
/// the edge is where they weigh half.
fn shade(rows: &[u8; LETTER], (x, y): (usize, usize), scale: usize) -> u8 {
    // Half a dot is added, so that no index is below 0.
    let at = |pixel: usize| (pixel as f32 + 0.5) / scale as f32 + 0.5;
    let dot = |column: f32, row: f32| {
        let is_inside = [column, row].iter().all(|&index| (1.0..=LETTER as f32).contains(&index));
        f32::from(is_inside && rows[row as usize - 1] >> (column as usize - 1) & 1 == 1)
    };
    let (column, row) = (at(x), at(y));
    let (right, down) = (column.fract(), row.fract());
    let across = |row: f32| dot(column.floor(), row) * (1.0 - right) + dot(column.floor() + 1.0, row) * right;
    let weight = across(row.floor()) * (1.0 - down) + across(row.floor() + 1.0) * down;
    let ink = ((weight - 0.5) * scale as f32 + 0.5).clamp(0.0, 1.0);
    match (ink * STEPS).round() as u8 {
        0 => GROUND,
        step if f32::from(step) >= STEPS => INK,
        step => SHADES + step,
    }
}

impl Board {
    /// Creates an empty board.
    pub fn new(name: &str) -> Board {
        Board {
            name: name.to_owned(),
            score: String::new(),
            is_first: false,
            cells: vec![Cover::default(); CELLS],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_fit_into_the_picture() {
        for boards in 1..=40 {
            let (columns, cell, _) = layout(boards, PREVIEW);
            let space = cell * usize::from(SIDE) + MARGIN;
            let down = TITLE_HEIGHT + boards.div_ceil(columns) * (space + NAME_HEIGHT);
            assert!(columns * space <= PREVIEW.width && down <= PREVIEW.height, "{boards}");
            assert!(cell >= 4, "{boards} boards have cells of {cell} pixels");
        }
        assert_eq!(layout(5_000, PREVIEW).2[0], 0, "more boards than fit begin at the edge");
    }

    #[cfg(feature = "gif")]
    #[test]
    fn a_gif_has_all_pictures_and_a_name_is_in_them() {
        let scene = |name: &str| Scene {
            title: "a match".to_owned(),
            note: String::new(),
            boards: vec![Board::new(name)],
        };
        let [named, nameless] = ["name", ""].map(|name| draw(&scene(name), PREVIEW));
        assert_ne!(named, nameless);
        let file = gif(&[scene("one"), scene("two")], PREVIEW).expect("a GIF");
        let mut decoder = ::gif::Decoder::new(&file[..]).expect("a GIF");
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            assert_eq!((frame.width, frame.height), (1200, 630));
            delays.push(frame.delay);
        }
        assert_eq!(delays, [TURN_CS, 300], "the end stays for three seconds");
    }

    #[test]
    fn letters_have_smooth_edges_and_a_note_is_whole_beside_any_title() {
        let drawn = |title: &str, note: &str| {
            draw(&Scene { title: title.to_owned(), note: note.to_owned(), boards: Vec::new() }, PREVIEW)
        };
        let letters = drawn("S4/x&", "");
        let all: std::collections::BTreeSet<u8> = letters.iter().copied().collect();
        assert!(all.contains(&INK) && all.iter().filter(|&&color| color > SHADES).count() >= 2, "{all:?}");
        let edge = PREVIEW.width - MARGIN - "turn 7".len() * LETTER * NAME;
        let note = |pixels: &[u8]| -> Vec<u8> {
            pixels.chunks(PREVIEW.width).take(TITLE_HEIGHT).flat_map(|row| row[edge..].to_vec()).collect()
        };
        let [long, longer] = [60, 600].map(|length| drawn(&"W".repeat(length), "turn 7"));
        assert_eq!(note(&long), note(&longer));
        assert_ne!(note(&long), note(&drawn(&"W".repeat(60), "turn 8")));
    }
}
