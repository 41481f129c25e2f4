//! The pages of a contest, as text that needs no JavaScript.

use std::fmt::Display;

use super::{Own, OwnVersion, Shown, ShownRow, ShownVersion};
use crate::view::{escaped, titled};

/// The beginning of the paths at which files are handed in. The token follows.
pub const UPLOADS: &str = "/hand-in/";
/// The page around what a page has of its own.
const PAGE: &str = include_str!("assets/page.html");

/// Returns a page with this title.
pub(super) fn page(title: &str, main: &str) -> String {
    // A title may have any text, and a placeholder in it stays text.
    let (head, rest) = PAGE.split_once("{{main}}").expect("a page has a main part");
    [&titled(head, title), main, rest].concat()
}

/// Returns a page that says something, with a link to another one.
pub(super) fn note(title: &str, lines: &[&str], [to, name]: [&str; 2]) -> String {
    let lines: String = lines.iter().map(|line| paragraph(line)).collect();
    page(title, &panel("news", title, &format!("{lines}<p><a href=\"{to}\">{name}</a></p>")))
}

/// Returns a page that asks whether a browser is no longer the first author's, but the second one's.
pub(super) fn switching([from, to]: [&str; 2], token: &str) -> String {
    let [from, to] = [from, to].map(escaped);
    let form = format!(
        "<p>This browser has the link of {from}.</p><form method=\"post\" action=\"/in/{token}\">\
         <p><button>Go on as {to}</button></p></form><p><a href=\"/own\">Stay {from}</a></p>"
    );
    page("Another author", &panel("news", "Another author", &form))
}

/// Returns the first page of a contest.
pub(super) fn front(Shown { title, text, state, rows, versions }: &Shown) -> String {
    let said: String =
        text.iter().map(|line| format!("<p class=\"announced\">{}</p>", escaped(line))).collect();
    let state: String = state.iter().map(|line| paragraph(line)).collect();
    let titles = ["Place", "Bot", "Version", "Points", "Elo", "Matches", "Faults"];
    let rows = rows.iter().map(|row| {
        let ShownRow { rank, bot, version, elo, points, matches, faults } = row;
        let faults: Vec<String> =
            faults.iter().map(|(kind, count)| format!("{} {count}", kind.as_str())).collect();
        let elo = elo.map(|(elo, half)| format!("{} \u{b1} {half:.0}", signed(elo)));
        let cells = [
            shown(version.as_ref()),
            format!("{points:.1} %"),
            shown(elo.as_ref()),
            matches.to_string(),
            if faults.is_empty() { "0".to_owned() } else { faults.join(", ") },
        ];
        (vec![rank.to_string()], bot.clone(), cells.to_vec())
    });
    let table = table("Table", &titles, rows);
    let versions = versions.iter().map(|ShownVersion { bot, version, elo, matches }| {
        (vec![], bot.clone(), vec![version.to_string(), signed(*elo), matches.to_string()])
    });
    let versions = self::table("All versions", &["Bot", "Version", "Elo", "Matches"], versions);
    let scale = paragraph(
        "Elo 0 is the mean of all versions that have played; in the table above, of the bots that play.",
    );
    let own = "<p><a href=\"/own\">To your own bot</a>, for which you need your personal link.</p>";
    page(
        title,
        &format!(
            "{}{}{}",
            panel("news", "The contest", &(said + &state + own)),
            panel("table", "Table", &table),
            panel("versions", "All versions", &(scale + &versions))
        ),
    )
}

/// Returns the page of an author, who hands in to this address.
pub(super) fn own(own: &Own, address: &str, token: &str) -> String {
    let Own { title, bot, versions, check, opponents, unrated, has_unrated } = own;
    let form = format!(
        "<form method=\"post\" action=\"{UPLOADS}{token}\" enctype=\"multipart/form-data\">\
         <p><label>A .zip, a .tar.gz, or a single file of at most 32 MiB <input type=\"file\" name=\"file\" required></label></p>\
         <p><button>Hand in</button></p></form><p>From a terminal:</p>\
         <pre>curl -F file=@bot.zip {}{UPLOADS}{token}</pre>",
        escaped(address)
    );
    let rows = versions.iter().map(|OwnVersion { number, received, state, result }| {
        let [elo, matches] = match result {
            Some((elo, matches)) => [signed(*elo), matches.to_string()],
            None => [shown::<u8>(None), "0".to_owned()],
        };
        (vec![], number.to_string(), vec![received.clone(), state.clone(), elo, matches])
    });
    let versions = table("Versions", &["Version", "Handed in (UTC)", "State", "Elo", "Matches"], rows);
    let check = if check.is_empty() {
        paragraph("Nothing is checked yet.")
    } else {
        format!("<pre>{}</pre>", escaped(check))
    };
    let options: String = opponents.iter().map(|name| format!("<option>{name}</option>")).collect();
    let last = if *has_unrated { "<p><a href=\"/own/match\">To the last one</a></p>" } else { "" };
    let try_out = format!(
        "<form method=\"post\" action=\"/try/{token}\"><p><label>Against <select name=\"against\">{options}</select></label> \
         <button>Play</button></p></form>{}{last}",
        paragraph(unrated)
    );
    let back = format!("<p><a href=\"/\">{}</a></p>", escaped(title));
    let panels = [
        panel("hand-in", "Hand in", &form),
        panel("versions", "Your versions", &versions),
        panel("check", "The last check", &check),
        panel("unrated", "A match that does not count", &try_out),
    ];
    page(&format!("{bot} - {title}"), &(back + &panels.concat()))
}

/// Returns a rating as a whole number with its sign. A small one is +0, also below zero.
fn signed(elo: f64) -> String {
    format!("{:+.0}", elo.round() + 0.0)
}

/// Returns a value, or a dash.
fn shown<T: Display>(value: Option<&T>) -> String {
    value.map_or("\u{2013}".to_owned(), ToString::to_string)
}

fn paragraph(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<p>{}</p>", escaped(text)) }
}

fn panel(id: &str, title: &str, inner: &str) -> String {
    format!(
        "<section class=\"panel wide\" id=\"{id}\" aria-label=\"{0}\"><h2>{0}</h2>{inner}</section>",
        escaped(title)
    )
}

/// Returns a table. Each row has the cells before its name, its name, and the cells after it.
fn table(
    label: &str,
    titles: &[&str],
    rows: impl Iterator<Item = (Vec<String>, String, Vec<String>)>,
) -> String {
    let cells =
        |cells: &[String]| cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect::<String>();
    let rows: String = rows
        .map(|(before, name, after)| {
            format!("<tr>{}<th scope=\"row\">{}</th>{}</tr>", cells(&before), escaped(&name), cells(&after))
        })
        .collect();
    let titles: String = titles.iter().map(|title| format!("<th scope=\"col\">{title}</th>")).collect();
    if rows.is_empty() {
        return paragraph("There is nothing yet.");
    }
    format!(
        "<div class=\"frame\" role=\"group\" tabindex=\"0\" aria-label=\"{label}\"><table><thead><tr>{titles}</tr></thead>\
         <tbody>{rows}</tbody></table></div>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_around_zero_have_one_form() {
        assert_eq!([0.4, -0.4, -0.6, 12.5].map(signed), ["+0", "+0", "-1", "+13"]);
    }

    #[test]
    fn words_of_authors_are_text() {
        let text = "<script>alert(1)</script>&\"";
        let version = OwnVersion { number: 1, received: text.into(), state: text.into(), result: None };
        let versions = vec![ShownVersion { bot: text.into(), version: 1, elo: 0.0, matches: 1 }];
        let of_author = Own {
            title: text.into(),
            bot: text.into(),
            versions: vec![version],
            check: text.into(),
            ..Own::default()
        };
        let shown = Shown {
            title: text.into(),
            text: vec![text.into()],
            state: vec![text.into()],
            versions,
            ..Shown::default()
        };
        for page in [front(&shown), own(&of_author, text, "0"), note(text, &[text], ["/", "Back"])] {
            assert!(page.contains("&lt;script&gt;") && !page.contains("<script>alert"), "{page}");
        }
    }
}
