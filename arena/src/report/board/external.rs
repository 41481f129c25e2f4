//! A game of the user's own, as its program writes it.

use engine::game::Seat;
use referee::games::external::External;
use sandbox::text;
use serde_json::Value;

use super::TextBoard;

impl TextBoard for External {
    const HELP: &'static str = "";
    const LEGEND: &'static str = "";

    fn told(&self, _: &External, _: Seat, wire_move: &Value) -> String {
        format!("plays {}", text::line(&wire_move.to_string()))
    }

    fn show(&self, _: &[String], _: Option<&External>, _: Option<usize>) -> String {
        text::lines(&self.board()).into_owned()
    }
}
