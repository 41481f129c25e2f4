//! A person's seat. The referee holds one end, which acts as a bot; the user interface holds the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::wire::{FaultKind, FromBot, MoveLine, Ready};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::play::time_control::TimeControl;
use crate::seats::bot::{Answered, Message, SeatAnswer};
use crate::seats::fault::{Fault, Owed};
use sandbox::Timing;

/// The time for a person's move unless one is set. No time limit can be longer.
const PATIENCE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The referee's end of a person's seat. Clones share the seat.
#[derive(Clone, Debug)]
pub struct HumanSeat {
    to_player: UnboundedSender<Vec<u8>>,
    from_player: Arc<Mutex<UnboundedReceiver<Vec<u8>>>>,
    line: Vec<u8>,
}

/// The person's end of the seat. Dropping it and all its voices leaves the match.
#[derive(Debug)]
pub struct Player {
    from_referee: UnboundedReceiver<Vec<u8>>,
    voice: Voice,
}

/// A handle that sends a player's answers. The player is present as long as a handle exists.
#[derive(Clone, Debug)]
pub struct Voice(UnboundedSender<Vec<u8>>);

/// A line to the player, reduced to the fields that the user interface needs. The match itself reaches the
/// page or terminal another way.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Notice {
    /// The match begins.
    Start,
    /// The player owes a move.
    Turn {
        /// The number of the decision.
        id: u32,
    },
    /// The seat is out.
    Fault {
        /// The explanation.
        detail: String,
    },
    /// The match is over.
    End,
    /// Anything else.
    #[serde(other)]
    Other,
}

impl HumanSeat {
    /// Returns the time limits of a person at a table of bots with these limits. `per_move` is the time for a
    /// decision, 30 days if not set.
    pub fn limits(per_move: Option<Duration>, table: TimeControl) -> TimeControl {
        TimeControl { per_move: per_move.unwrap_or(PATIENCE), per_match: None, ..table }
    }

    /// Creates both ends of a seat.
    pub fn new() -> (HumanSeat, Player) {
        let ((to_player, from_referee), (to_referee, from_player)) =
            (unbounded_channel(), unbounded_channel());
        let from_player = Arc::new(Mutex::new(from_player));
        let human = HumanSeat { to_player, from_player, line: Vec::new() };
        (human, Player { from_referee, voice: Voice(to_referee) })
    }

    /// Sends a line to the player. Ignores a player who has left.
    pub(crate) fn pass_on(&self, line: &[u8]) {
        let _ = self.to_player.send(line.to_vec());
    }
}

impl Player {
    /// Waits for the next line to the player. Returns `None` after the referee's end is dropped.
    pub async fn hear(&mut self) -> Option<Notice> {
        let line = self.from_referee.recv().await?;
        Some(serde_json::from_slice(&line).expect("the referee writes JSON"))
    }

    /// Returns another handle for the answers of this player.
    pub fn voice(&self) -> Voice {
        self.voice.clone()
    }
}

impl Voice {
    /// Sends `ready`, so that the match may begin.
    pub fn ready(&self) {
        self.say(&FromBot::<()>::Ready(Ready {}));
    }

    /// Sends a move as the answer to the decision `id`, with a note for the record if there is one.
    pub fn play<W: Serialize>(&self, id: u32, wire_move: W, note: Option<&str>) {
        let note = note.map(Into::into);
        self.say(&FromBot::Move(MoveLine { note, ..MoveLine::new(id.into(), wire_move) }));
    }

    fn say<W: Serialize>(&self, message: &FromBot<'_, W>) {
        // The referee's end is gone and needs no more answers.
        let _ = self.0.send(serde_json::to_vec(message).expect("a message is plain data"));
    }
}

impl HumanSeat {
    /// Passes the line on to the player and waits for the answer, at most for `limit`.
    ///
    /// # Errors
    /// The player has left, or did not decide in time.
    pub(crate) async fn ask<W: 'static>(
        &mut self,
        line: &[u8],
        owed: Owed,
        limit: Duration,
    ) -> Answered<'_, W> {
        let asked = Instant::now();
        self.pass_on(line);
        let answer = timeout(limit, async { self.from_player.lock().await.recv().await }).await;
        let timing = Timing::of(asked.elapsed());
        let fault = |kind, detail: &str| Fault { timing: Box::new(timing), ..Fault::new(kind, detail) };
        match answer {
            Ok(Some(line)) => self.line = line,
            Ok(None) => return Err(fault(FaultKind::Exit, "the player has left the table")),
            Err(_) => return Err(fault(owed.late(), "the player did not decide in time")),
        }
        let message = Message::Line { line: &self.line, early: false };
        Ok(SeatAnswer { message, timing })
    }
}

/// The command for a person's seat, and the default name of the person.
pub const HUMAN: &str = "human";

/// Returns the name of the person in `human` or `NAME=human`. Returns `None` for a bot.
pub fn named(text: &str) -> Option<&str> {
    match text.split_once('=') {
        Some((name, HUMAN)) => Some(name),
        None if text == HUMAN => Some(HUMAN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_player_hears_and_answers_and_leaves() {
        let (mut human, mut player) = HumanSeat::new();
        player.voice().ready();
        let ready = human
            .ask::<()>(b"{\"type\":\"start\"}\n", Owed::Greeting, PATIENCE)
            .await
            .expect("an answer")
            .message;
        assert!(matches!(ready, Message::Line { line: br#"{"type":"ready"}"#, early: false }));
        assert_eq!(player.hear().await, Some(Notice::Start));
        drop(player);
        let fault = human
            .ask::<()>(b"{\"type\":\"turn\",\"id\":1}\n", Owed::Move, PATIENCE)
            .await
            .expect_err("nobody is there");
        assert_eq!(fault.kind, FaultKind::Exit);
    }

    #[tokio::test]
    async fn a_limit_that_was_set_is_kept() {
        let (mut human, _player) = HumanSeat::new();
        let limit = HumanSeat::limits(Some(Duration::from_millis(5)), TimeControl::default()).per_move;
        let fault =
            human.ask::<()>(b"{\"type\":\"turn\",\"id\":1}\n", Owed::Move, limit).await.expect_err("late");
        assert_eq!(fault.kind, FaultKind::Timeout);
    }

    #[test]
    fn a_person_is_told_from_a_program() {
        for (text, name) in
            [("human", Some("human")), ("me=human", Some("me")), ("./human", None), ("human=greedy", None)]
        {
            assert_eq!(named(text), name, "{text}");
        }
    }
}
