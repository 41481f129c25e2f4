//! The text of a check: a line for each finding, and what to mend first.

use anstream::adapter::strip_str;

use crate::check::{Finding, Report, Verdict};
use sandbox::text;
use tournament::report::layout;
use tournament::report::style::Mark;
use tournament::report::words::count;

/// The width of the titles of checks, in columns. A longer title moves its result to the right.
const TITLE_WIDTH: usize = 56;

/// The smallest width of a terminal in which results stand in a column of their own.
const TWO_COLUMNS_WIDTH: usize = 110;
/// The width of the text for an author.
const AUTHOR_WIDTH: usize = 100;
/// The indentation of the second line of a check, in columns.
const HINT_INDENT: usize = 6;

/// Formats a check as a line, followed by its hint unless the check passed or was skipped.
pub(crate) fn line(finding: &Finding, width: Option<usize>) -> String {
    let Finding { title, verdict, detail, hint, .. } = finding;
    let hint = match (verdict, hint) {
        (Verdict::Pass | Verdict::Skip, _) | (_, None) => String::new(),
        (_, Some(hint)) => format!("      {hint}\n"),
    };
    let (word, mark) = verdict_word(*verdict);
    let word = Mark::on_some(mark, &format!("{word:<5}"));
    let is_roomy = width.is_none_or(|columns| columns >= TWO_COLUMNS_WIDTH);
    let first = if is_roomy { format!("{word} {title:<TITLE_WIDTH$}") } else { format!("{word} {title}:") };
    format!("{}\n{hint}", layout::on_one_line(&first, detail, HINT_INDENT, width))
}

/// Returns the whole check as a text for its author.
pub(crate) fn text_of(report: &Report) -> String {
    let lines: String = report.checks.iter().map(|finding| line(finding, Some(AUTHOR_WIDTH))).collect();
    let text = format!("checking {}\n\n{lines}{}", report.command, conclusion(report));
    text::lines(&strip_str(&text).to_string()).into_owned()
}

fn verdict_word(verdict: Verdict) -> (&'static str, Option<Mark>) {
    match verdict {
        Verdict::Pass => ("ok", Some(Mark::Good)),
        Verdict::Note => ("note", Some(Mark::Warning)),
        Verdict::Warn => ("warn", Some(Mark::Warning)),
        Verdict::Fail => ("FAIL", Some(Mark::Bad)),
        Verdict::Skip => ("-", None),
    }
}

/// Returns the last lines: whether the bot is ready, or what to mend first.
pub(crate) fn conclusion(report: &Report) -> String {
    let Report { bot, checks, .. } = report;
    let of = checks.len() - report.count(Verdict::Skip);
    let warned = match report.count(Verdict::Warn) {
        0 => String::new(),
        count => format!(", {count} to look at"),
    };
    match report.first_failure() {
        None => format!(
            "\n{}: {bot} passed {} of {of} checks{warned}\n",
            Mark::Good.on("ready"),
            report.count(Verdict::Pass)
        ),
        Some(Finding { title, hint, .. }) => {
            let failed = report.count(Verdict::Fail);
            let hint = hint.as_ref().map_or(String::new(), |hint| format!("\n  {hint}"));
            let skipped = match report.count(Verdict::Skip) {
                0 => String::new(),
                count => format!(", {count} not made"),
            };
            let failed = count(failed as u64, "check");
            format!("\n{failed} failed{skipped}{warned}. Fix this first:\n  {title}{hint}\n")
        }
    }
}
