//! Rows of cells in every format.

use serde::Serialize;
use tabled::builder::Builder;
use tabled::settings::Style;

use super::tables::{Format, html};
use sandbox::text;

/// Rows of cells, the first of them the heads of the columns.
#[derive(Clone, Debug, Default)]
pub struct Sheet(Vec<Vec<String>>);

impl Sheet {
    /// Returns a sheet of these rows.
    pub fn new<R: IntoIterator<Item = C>, C: Into<String>>(rows: impl IntoIterator<Item = R>) -> Sheet {
        Sheet(rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()).collect())
    }

    /// Returns a sheet of plain rows, with the names of their fields as heads.
    pub fn of(rows: impl IntoIterator<Item = impl Serialize>) -> Sheet {
        let mut writer = csv::Writer::from_writer(Vec::new());
        rows.into_iter().for_each(|row| writer.serialize(row).expect("plain data"));
        let bytes = writer.into_inner().expect("memory takes it");
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&*bytes);
        let records = reader.records().map(|record| record.expect("it was written just now"));
        Sheet(records.map(|record| record.iter().map(str::to_owned).collect()).collect())
    }

    /// Returns comma-separated values. No program reads a cell as a formula; numbers stay as they are.
    pub fn csv(&self) -> String {
        let guarded = |cell: &String| match cell.parse::<f64>() {
            Ok(_) => cell.clone(),
            Err(_) => text::spreadsheet(cell),
        };
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in &self.0 {
            writer.write_record(row.iter().map(guarded)).expect("every row has the same columns");
        }
        String::from_utf8(writer.into_inner().expect("memory takes it")).expect("cells are text")
    }

    /// Returns the sheet in this format, with this title where there is a place for one. JSON is not made of cells.
    pub fn render(&self, title: &str, format: Format) -> String {
        let escaped = |escape: fn(&str) -> String| {
            let row = |row: &Vec<String>| row.iter().map(|cell| escape(cell)).collect::<Vec<_>>();
            Builder::from_iter(self.0.iter().map(row)).build()
        };
        match format {
            Format::Csv => self.csv(),
            Format::Html => html::document(title, &html::table("", &self.0)),
            Format::Markdown => format!("{}\n", escaped(text::markdown).with(Style::markdown())),
            _ => format!("{title}\n{}\n", Builder::from_iter(self.0.clone()).build().with(Style::sharp())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_numbers_keep_their_signs() {
        #[derive(Serialize)]
        struct Row {
            bot: &'static str,
            margin: f64,
            fault: Option<u32>,
        }
        let rows = [("=HYPERLINK(1)", -4.5, None), ("+x", 3.0, Some(7))];
        let sheet = Sheet::of(rows.map(|(bot, margin, fault)| Row { bot, margin, fault }));
        assert_eq!(sheet.csv(), "bot,margin,fault\n'=HYPERLINK(1),-4.5,\n'+x,3.0,7\n");
        assert_eq!(Sheet::new([["-4", "-a"]]).csv(), "-4,'-a\n");
    }
}
