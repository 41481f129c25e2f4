//! A match of a game without pictures as a page: what its record says, without its rules.

use engine::wire::WireFormat;
use referee::games::{Board, GameKind};
use referee::record::{MatchRecord, ResultRecord, TurnRecord};
use serde::Serialize;

use super::page::{MODULES, PAGE, STYLE, one_file, shared_modules};

const OWN_MODULES: [(&str, &str); 2] =
    [("cells.js", include_str!("assets/cells.js")), ("plain.js", include_str!("assets/plain.js"))];

/// A match as its record tells it.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub struct PlainView<'a, G: WireFormat> {
    game: &'a str,
    #[serde(rename = "match")]
    index: u64,
    round: u64,
    seed: String,
    bots: &'a [String],
    turns: &'a [TurnRecord<G::WireMove>],
    result: &'a ResultRecord,
    /// How the text of the board is drawn, if the game says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<&'a Board>,
}

impl<'a, G: GameKind> PlainView<'a, G> {
    /// Returns the view of a record in a tournament with these rules, if it is known.
    pub fn of(record: &'a MatchRecord<G>, tournament: Option<&'a G::Setup>) -> PlainView<'a, G> {
        let board = tournament.and_then(G::board);
        let MatchRecord { game, index, round, seed, bots, turns, result, .. } = record;
        PlainView { game, index: *index, round: *round, seed: seed.to_string(), bots, turns, result, board }
    }

    /// Returns the title of its page.
    pub fn title(&self) -> String {
        format!("{}: {}, match {}", self.game, self.bots.join(" against "), self.index)
    }
}

/// Returns the page for this data, usually a [`PlainView`].
pub fn plain_page(title: &str, data: &impl Serialize) -> String {
    let is_of_turns = |name: &str| ["player.js", "help.js", "controls.js"].contains(&name);
    let of_turns = MODULES.into_iter().filter(|(name, _)| is_of_turns(name));
    let modules: Vec<_> = shared_modules().chain(of_turns).chain(OWN_MODULES).collect();
    one_file(PAGE, title, &[STYLE.1], &modules, data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_module_makes_no_markup_of_text_and_asks_nobody() {
        let page = plain_page("<b>", &["</script>"]);
        assert_eq!(page.matches("</script>").count(), 2, "that of the data and that of the program");
        for word in ["fetch(", "innerHTML", "://", "\nimport ", "\nexport "] {
            assert!(!page.replace("http://www.w3.org/2000/svg", "").contains(word), "{word}");
        }
    }
}
