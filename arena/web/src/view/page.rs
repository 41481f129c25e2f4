//! One HTML file that contains everything: style, program, and data.
//!
//! The assets are separate ES modules, in the form that a server delivers. The file joins them into one
//! module: it concatenates them and removes all lines with `import` and the word `export`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

pub(super) const PAGE: &str = include_str!("assets/page.html");
/// The style of all pages, with its file name on a server.
pub const STYLE: (&str, &str) = ("style.css", include_str!("assets/style.css"));
/// The modules of a match page, with the names under which they import each other. Each module comes after
/// its imports.
pub const MODULES: [(&str, &str); 20] = [
    ("dom.js", include_str!("assets/dom.js")),
    ("fabric.js", include_str!("assets/fabric.js")),
    ("board.js", include_str!("assets/board.js")),
    ("story.js", include_str!("assets/story.js")),
    ("doodle.js", include_str!("assets/doodle.js")),
    ("patchwork.js", include_str!("assets/patchwork.js")),
    ("chart.js", include_str!("assets/chart.js")),
    ("theme.js", include_str!("assets/theme.js")),
    ("drop.js", include_str!("assets/drop.js")),
    ("site.js", include_str!("assets/site.js")),
    ("player.js", include_str!("assets/player.js")),
    ("seat.js", include_str!("assets/seat.js")),
    ("moves.js", include_str!("assets/moves.js")),
    ("fit.js", include_str!("assets/fit.js")),
    ("help.js", include_str!("assets/help.js")),
    ("controls.js", include_str!("assets/controls.js")),
    ("match.js", include_str!("assets/match.js")),
    ("beside.js", include_str!("assets/beside.js")),
    ("judge.js", include_str!("assets/judge.js")),
    ("app.js", include_str!("assets/app.js")),
];

/// Returns the modules that pages without a match need too: elements, themes, and links.
pub(crate) fn shared_modules() -> impl Iterator<Item = (&'static str, &'static str)> {
    MODULES.into_iter().filter(|(name, _)| ["dom.js", "theme.js", "drop.js", "site.js"].contains(name))
}

/// Returns the page for this data, usually a [`MatchView`](super::MatchView).
pub fn page(title: &str, data: &impl Serialize) -> String {
    one_file(PAGE, title, &[STYLE.1], &MODULES, data)
}

/// Returns the page for this data, which may ask its server.
pub(crate) fn asking_page(title: &str, data: &impl Serialize) -> String {
    let page = PAGE.replace("{{policy}}", "{{policy}}; connect-src 'self'");
    one_file(&page, title, &[STYLE.1], &MODULES, data)
}

/// Returns a self-contained page. Replaces the placeholders `{{policy}}`, `{{style}}`, `{{script}}`, `{{title}}`, and
/// `{{data}}`.
pub fn one_file(
    page: &str,
    title: &str,
    styles: &[&str],
    modules: &[(&str, &str)],
    data: &impl Serialize,
) -> String {
    let (style, script) = (styles.concat(), bundle(modules));
    let page = page
        .replace("{{policy}}", &policy(&style, &script))
        .replace("{{style}}", &style)
        .replace("{{script}}", &script);
    // Title and data may have any text, and a placeholder in them stays text.
    let (head, rest) = page.split_once("{{data}}").expect("a page has data");
    [&titled(head, title), &embedded(data), rest].concat()
}

/// Puts the title into the head of a page, in place of each `{{title}}`.
pub(crate) fn titled(head: &str, title: &str) -> String {
    head.replace("{{title}}", &escaped(title))
}

/// Returns a text as text of HTML.
pub(crate) fn escaped(text: &str) -> String {
    let escape = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")];
    escape.iter().fold(text.to_owned(), |text, (letter, entity)| text.replace(letter, entity))
}

/// Joins the modules without imports, exports, and lines of comments.
fn bundle(modules: &[(&str, &str)]) -> String {
    let lines = modules.iter().flat_map(|(_, module)| module.lines());
    let kept = lines.filter(|line| !line.starts_with("import ") && !line.trim_start().starts_with("//"));
    kept.flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"]).collect()
}

/// Returns a policy that allows this style and this script, and no other resource or request.
fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    )
}

/// Returns the data as JSON that cannot close the element around it.
fn embedded(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).expect("a view is plain data");
    json.replace('<', "\\u003c")
}

/// Checks that the joined modules declare each name once, and that no import or export remains.
#[cfg(test)]
pub(crate) fn check_names(modules: &[(&str, &str)]) {
    let script = bundle(modules);
    assert!(!script.contains("\nimport ") && !script.contains("\nexport ") && !script.contains("</script"));
    let mut names = std::collections::BTreeSet::new();
    for line in script.lines() {
        let mut words = line.split([' ', '(', ';', '=', ',']);
        let declares = words.next().is_some_and(|word| ["const", "let", "function", "class"].contains(&word));
        let name = words.next().filter(|_| declares);
        assert!(name.is_none_or(|name| names.insert(name)), "{name:?} is declared twice");
    }
    assert!(names.len() > 20, "{names:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_data_ends_its_element_or_is_taken_for_a_mark() {
        let page = page("<b>{{data}}", &["</script><script>alert(1)</script><!--", "{{data}} {{script}}"]);
        assert!(page.contains(
            r#"["\u003c/script>\u003cscript>alert(1)\u003c/script>\u003c!--","{{data}} {{script}}"]"#
        ));
        assert_eq!(page.matches("</script>").count(), 2, "that of the data and that of the program");
        assert_eq!(page.matches("&lt;b&gt;{{data}}").count(), 2, "the title and its preview");
    }

    #[test]
    fn modules_share_no_names_and_keep_no_imports_and_exports() {
        check_names(&MODULES);
    }

    #[test]
    fn assets_ask_nobody_for_anything_and_make_no_markup_of_text() {
        let forbidden = [
            "fetch(",
            "XMLHttpRequest",
            "WebSocket",
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "eval(",
        ];
        // Only a page that its own machine serves asks for its judgment; the policy of every other page forbids it.
        assert!(!policy("", "").contains("connect-src"));
        let asks = |name: &str, word: &str| name == "judge.js" && word == "fetch(";
        for (name, text) in MODULES.into_iter().chain([("page", PAGE), STYLE]) {
            for word in forbidden.into_iter().chain(["@import", "://"]).filter(|word| !asks(name, word)) {
                assert!(!text.replace("http://www.w3.org/2000/svg", "").contains(word), "{word}");
            }
            assert_eq!(text.matches("url(").count(), text.matches("url(#").count(), "a place elsewhere");
        }
    }
}
