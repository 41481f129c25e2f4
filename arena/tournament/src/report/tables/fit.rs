//! Tables that fit the columns of a terminal.

use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Style};

use super::block::{Block, Cells};
use super::columns::{Column, FAULTS, KEY, useful};
use crate::report::layout::{shortened, width};
use crate::report::style::Mark;
use crate::standings::Standings;

/// Terminals narrower than this cut long names.
const ROOMY: usize = 100;
/// The widest name on a narrow terminal, in columns.
const NAME_MAX: usize = 24;
/// The narrowest limit for names, in columns.
const NAME_MIN: usize = 8;
/// The columns of a table's frame: for each cell, and once more for the table.
const FRAME: usize = 3;
const FRAME_ONCE: usize = 1;

/// Returns the default columns that fit, and the hidden ones.
pub(super) fn usual(standings: &Standings, columns: Option<usize>) -> (Vec<Column>, Vec<Column>) {
    let all = useful(standings);
    let Some(columns) = columns else { return (all, Vec::new()) };
    let importance = |column: &Column| (column.shown)(standings).unwrap_or(0);
    let mut shown: Vec<Column> = all.iter().copied().filter(|column| importance(column) > 0).collect();
    let needed = |shown: &[Column]| {
        let cell = |column: &Column| {
            let cells = standings.rows.iter().map(|row| (column.cells)(row).0);
            let widest = cells.chain([column.head.to_owned()]).map(|cell| width(&cell)).max();
            let widest = widest.unwrap_or(0);
            FRAME + if column.name == "bot" { widest.min(name_max(columns)) } else { widest }
        };
        FRAME_ONCE + shown.iter().map(cell).sum::<usize>()
    };
    while needed(&shown) > columns {
        let least = shown.iter().copied().filter(|column| importance(column) < KEY);
        let Some(least) = least.min_by_key(importance) else { break };
        shown.retain(|column| column.name != least.name);
    }
    let is_shown = |column: &Column| shown.iter().any(|other| other.name == column.name);
    let hidden = all.into_iter().filter(|column| !is_shown(column)).collect();
    (shown, hidden)
}

/// Returns the largest width of a name.
fn name_max(columns: usize) -> usize {
    if columns < ROOMY { NAME_MAX.min(columns / 2) } else { columns / 2 }
}

/// Formats a block as text. Columns that do not fit go into further tables below, each with the names.
pub(super) fn drawn(block: &Block, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return table(&block.cells, block.left_columns) };
    let cells = with_short_names(block, columns);
    let groups = side_by_side(&cells, block.key_columns, columns);
    let tables = groups.iter().enumerate().map(|(number, cells)| {
        let is_first = number == 0 || block.left_columns == usize::MAX;
        table(cells, if is_first { block.left_columns } else { block.key_columns })
    });
    tables.collect::<Vec<_>>().join("\n")
}

fn table(cells: &Cells, left_columns: usize) -> String {
    let mut table = Builder::from_iter(cells.iter().cloned()).build();
    table
        .with(Style::sharp())
        .modify(Columns::new(left_columns..), Alignment::right())
        .modify(Rows::first(), Alignment::left())
        .modify(Rows::first(), Mark::Strong.color());
    let head = cells.first().map_or(&[][..], Vec::as_slice);
    for (column, name) in head.iter().enumerate() {
        if name.is_empty() && column == 0 {
            table.modify(Columns::one(column), Mark::Strong.color());
        } else if name == FAULTS {
            let failed = cells.iter().enumerate().skip(1).filter(|(_, row)| row[column] != "0");
            failed.for_each(|(row, _)| {
                table.modify((row, column), Mark::Bad.color());
            });
        }
    }
    table.to_string()
}

/// Returns the cells with the names of bots shortened to their largest width.
fn with_short_names(block: &Block, columns: usize) -> Cells {
    let mut cells = block.cells.clone();
    let most = name_max(columns).max(NAME_MIN);
    for row in &mut cells {
        for cell in row.iter_mut() {
            // No number and no fixed word is this long, so only names are cut.
            if width(cell) > most {
                *cell = shortened(cell, most).into_owned();
            }
        }
    }
    cells
}

/// Splits the columns into groups that fit. Each group begins with the first `key_columns` columns.
fn side_by_side(cells: &Cells, key_columns: usize, columns: usize) -> Vec<Cells> {
    let count = cells.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, column: usize| row.get(column).map_or(0, |cell| width(cell));
    let widths: Vec<usize> = (0..count)
        .map(|column| FRAME + cells.iter().map(|row| cell(row, column)).max().unwrap_or(0))
        .collect();
    let keys: usize = FRAME_ONCE + widths.iter().take(key_columns).sum::<usize>();
    let mut groups: Vec<Vec<usize>> = vec![Vec::new()];
    let mut used = keys;
    for (column, width) in widths.iter().enumerate().skip(key_columns) {
        let group = groups.last_mut().expect("there is always one");
        if used + width > columns && !group.is_empty() {
            groups.push(vec![column]);
            used = keys + width;
        } else {
            group.push(column);
            used += width;
        }
    }
    let picked = |group: &Vec<usize>| {
        let row = |row: &Vec<String>| {
            (0..key_columns)
                .chain(group.iter().copied())
                .filter_map(|column| row.get(column).cloned())
                .collect()
        };
        cells.iter().map(row).collect()
    };
    groups.iter().map(picked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(rows: &[&[&str]]) -> Cells {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn columns_that_do_not_fit_go_below_with_the_names() {
        let wide = cells(&[&["bot", "first", "second"], &["a", "1", "2"]]);
        let apart = [cells(&[&["bot", "first"], &["a", "1"]]), cells(&[&["bot", "second"], &["a", "2"]])];
        assert_eq!(side_by_side(&wide, 1, 20), apart);
        assert_eq!(side_by_side(&wide, 1, 24), [wide]);
    }
}
