//! A table with its title and its remarks.

use super::columns::{Column, KEY};
use crate::standings::Standings;

/// The cells of a table; the first row is the head.
pub(super) type Cells = Vec<Vec<String>>;

/// A table with the text above and below it.
pub(super) struct Block {
    pub(super) title: String,
    pub(super) cells: Cells,
    /// The number of left-aligned columns. The columns after them are aligned right.
    pub(super) left_columns: usize,
    /// The number of key columns, which name the row. They come first.
    pub(super) key_columns: usize,
    /// The lines below the table, for example on significance.
    pub(super) answers: Vec<String>,
}

impl Block {
    pub(super) fn new(title: &str, cells: Cells, left_columns: usize, key_columns: usize) -> Block {
        Block { title: title.to_owned(), cells, left_columns, key_columns, answers: Vec::new() }
    }

    /// Creates the table of all bots with these columns.
    pub(super) fn of_all(title: &str, standings: &Standings, columns: &[Column]) -> Block {
        let is_key = |column: &&Column| (column.shown)(standings) == Some(KEY);
        let is_left = |column: &&Column| is_key(column) || column.name == "tier";
        // The key columns come first.
        let (keys, others): (Vec<&Column>, Vec<&Column>) = columns.iter().partition(is_key);
        let columns: Vec<&Column> = keys.iter().chain(&others).copied().collect();
        let mut cells = vec![columns.iter().map(|column| column.head.to_owned()).collect::<Vec<_>>()];
        let rows = standings.rows.iter();
        cells.extend(rows.map(|row| columns.iter().map(|column| (column.cells)(row).0).collect()));
        let left = columns.iter().copied().take_while(is_left).count();
        Block::new(title, cells, left, keys.len())
    }
}
