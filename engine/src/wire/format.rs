//! How a game is written on the wire.

use super::scan::Scan;
use crate::game::{Game, Plain, Seat};

/// The wire format of a game: its moves as bots write them, and its values as JSON.
///
/// Only moves need code, in [`read`](WireFormat::read) and [`write`](WireFormat::write). Everything else is
/// written with serde by default. A game may replace a default to save time; the bytes must be the same, which
/// `tests/conformance.rs` checks.
pub trait WireFormat: Game {
    /// A move as written on the wire: parsed but not checked.
    type WireMove: Plain;

    /// Converts a move from its wire form.
    ///
    /// # Errors
    /// `Illegal` if it names things that do not exist, such as a cell outside the board.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, wire::WireFormat, patchwork::{Action, Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// use engine::patchwork::WireMove;
    /// use engine::rule::{Refusal, Rule};
    ///
    /// let word: WireMove = serde_json::from_str(r#"{"advance":true}"#)?;
    /// assert_eq!(Patchwork::read(&equipment, &word), Ok(Action::Advance));
    /// let word: WireMove = serde_json::from_str(r#"{"leather":[9,0]}"#)?;
    /// assert_eq!(Patchwork::read(&equipment, &word).unwrap_err().rule(), Rule::Outside);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn read(equipment: &Self::Equipment, word: &Self::WireMove) -> Result<Self::Action, Self::Illegal>;

    /// Converts a move to its wire form. Each action has exactly one such form.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, wire::WireFormat, patchwork::{Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// use engine::patchwork::WireMove;
    ///
    /// let action = game.legal_actions(0).nth(1).expect("some patch is affordable");
    /// let word = Patchwork::write(&equipment, &action);
    /// assert!(matches!(word, WireMove::Buy(..)));
    /// assert_eq!(Patchwork::read(&equipment, &word), Ok(action));
    /// ```
    fn write(equipment: &Self::Equipment, action: &Self::Action) -> Self::WireMove;

    /// Returns true if two seats that decide together get the same observation.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game, wire::WireFormat};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// // At the start each seat has its own start card.
    /// assert_ne!(game.observe(0).offer, game.observe(1).offer);
    /// assert!(!game.sees_like(0, 1));
    /// ```
    fn sees_like(&self, seat: Seat, other: Seat) -> bool {
        seat == other
    }

    /// Appends the [`observe`](Game::observe) value to a line, as JSON. The bytes are the same as
    /// serde's.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game, wire::WireFormat};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let mut line = Vec::new();
    /// game.write_state(0, &mut line);
    /// assert_eq!(line, serde_json::to_vec(&game.observe(0))?);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn write_state(&self, seat: Seat, line: &mut Vec<u8>) {
        serde_json::to_writer(line, &self.observe(seat)).expect("plain data is JSON");
    }

    /// Parses a move in its usual spelling, in one pass up to the closing brace of the move. Returns
    /// `None` for any other spelling, valid or not; [`read`](Self::read) then parses the move.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, wire::WireFormat, patchwork::{Action, Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// use engine::scan::Scan;
    ///
    /// let mut usual = Scan::new(br#"{"advance":true}"#);
    /// assert_eq!(Patchwork::read_usual(&equipment, &mut usual), Some(Action::Advance));
    /// // Valid JSON, but with a tab.
    /// let mut other = Scan::new(b"{\"advance\":\ttrue}");
    /// assert_eq!(Patchwork::read_usual(&equipment, &mut other), None);
    /// ```
    fn read_usual(_equipment: &Self::Equipment, _scan: &mut Scan<'_>) -> Option<Self::Action> {
        None
    }

    /// Appends a move to a line, as JSON. The bytes are the same as serde's.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, wire::WireFormat, patchwork::{Action, Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// let mut line = Vec::new();
    /// Patchwork::write_word(&Patchwork::write(&equipment, &Action::Advance), &mut line);
    /// assert_eq!(line, br#"{"advance":true}"#);
    /// ```
    fn write_word(word: &Self::WireMove, line: &mut Vec<u8>) {
        serde_json::to_writer(line, word).expect("plain data is JSON");
    }

    /// Appends a deal to a line, as JSON. The bytes are the same as serde's.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, wire::WireFormat, patchwork::{Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// let deal = Patchwork::deal(&equipment, 2, 1).unwrap();
    /// let mut line = Vec::new();
    /// Patchwork::write_deal(&deal, &mut line);
    /// assert_eq!(line, serde_json::to_vec(&deal)?);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn write_deal(deal: &Self::Deal, line: &mut Vec<u8>) {
        serde_json::to_writer(line, deal).expect("plain data is JSON");
    }
}
