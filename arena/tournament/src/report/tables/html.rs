//! Standings as a web page.

use super::block::Block;
use super::columns::useful;
use super::{blocks, first_faults, headline, remarks};
use crate::standings::Standings;
use sandbox::text;

/// Writes all tables as an HTML document.
pub(super) fn html(standings: &Standings) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Quilt Arena standings</title>\n<style>{STYLE}</style>\n<h1>{}</h1>\n",
        escape(&headline(standings))
    );
    let paragraph = |line: String| format!("<p>{}</p>\n", escape(&line));
    for Block { title, cells, answers, .. } in blocks(standings, &useful(standings), usize::MAX) {
        page.push_str(&format!("<table>\n<caption>{}</caption>\n", escape(title.trim())));
        for (number, row) in cells.iter().enumerate() {
            let tag = if number == 0 { "th" } else { "td" };
            let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            page.push_str(&format!("<tr>{cells}</tr>\n"));
        }
        page.push_str("</table>\n");
        answers.into_iter().for_each(|line| page.push_str(&paragraph(line)));
    }
    let lines = first_faults(standings).into_iter().chain(remarks(standings));
    lines.for_each(|line| page.push_str(&paragraph(line)));
    page + &format!("<p>digest <code>{}</code></p>\n</html>\n", standings.digest)
}

const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse;margin:0 0 2rem}\
caption{text-align:left}th,td{padding:.2rem .8rem;border-bottom:1px solid #8885;text-align:right}\
th:nth-child(-n+3),td:nth-child(-n+3){text-align:left}";

/// Escapes a line of text for HTML.
fn escape(text: &str) -> String {
    text::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
