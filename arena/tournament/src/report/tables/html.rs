//! Standings as a web page.

use super::block::Block;
use super::columns::useful;
use super::{blocks, first_faults, headline, remarks};
use crate::standings::Standings;
use sandbox::text;

/// Writes all tables as an HTML document.
pub(super) fn html(standings: &Standings) -> String {
    let paragraph = |line: String| format!("<p>{}</p>\n", escape(&line));
    let mut body = String::new();
    for Block { title, cells, answers, .. } in blocks(standings, &useful(standings), usize::MAX) {
        body.push_str(&table(&title, &cells));
        answers.into_iter().for_each(|line| body.push_str(&paragraph(line)));
    }
    let lines = first_faults(standings).into_iter().chain(remarks(standings));
    lines.for_each(|line| body.push_str(&paragraph(line)));
    document(&headline(standings), &(body + &format!("<p>digest <code>{}</code></p>\n", standings.digest)))
}

/// Writes an HTML document with this heading and markup.
pub(in crate::report) fn document(heading: &str, body: &str) -> String {
    let heading = escape(heading);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Quilt Arena standings</title>\n<style>{STYLE}</style>\n<h1>{heading}</h1>\n{body}</html>\n"
    )
}

/// Writes a table whose first row is the head.
pub(in crate::report) fn table(title: &str, cells: &[Vec<String>]) -> String {
    let mut text = format!("<table>\n<caption>{}</caption>\n", escape(title.trim()));
    for (number, row) in cells.iter().enumerate() {
        let tag = if number == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
        text.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    text + "</table>\n"
}

const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse;margin:0 0 2rem}\
caption{text-align:left}th,td{padding:.2rem .8rem;border-bottom:1px solid #8885;text-align:right}\
th:nth-child(-n+3),td:nth-child(-n+3){text-align:left}";

/// Escapes a line of text for HTML.
fn escape(text: &str) -> String {
    text::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
