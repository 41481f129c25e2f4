//! The page on which a person plays a user's own game: what the seat may see, and its legal moves. The page knows no rules,
//! and gets nothing that other seats see.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use axum::{Json, Router};
use engine::game::{Game, Seat};
use engine::wire::WireFormat;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::door::{self, Door, Room};
use crate::web::Token;
use crate::web::answer::{self, Asset};
use referee::games::Board;
use referee::games::external::{Ability, External};
use referee::record::ResultRecord;

const PAGE: &str = include_str!("assets/own.html");
/// The files that only this page uses.
const ASSETS: [Asset; 8] = [
    ("icon.svg", include_str!("assets/icon.svg")),
    ("cells.js", include_str!("../view/assets/cells.js")),
    ("play.css", include_str!("assets/play.css")),
    ("own.css", include_str!("assets/own.css")),
    ("ask.js", include_str!("assets/ask.js")),
    ("clock.js", include_str!("assets/clock.js")),
    ("leaving.js", include_str!("assets/leaving.js")),
    ("own.js", include_str!("assets/own.js")),
];
/// The longest move that a page may send, in bytes. A line to the referee has room for it.
const MOVE_BYTES_MAX: usize = 60_000;

/// A match of a user's own game that a person plays on a page.
#[derive(Debug)]
pub struct OwnLive {
    seat: Seat,
    names: Vec<String>,
    door: Door,
    now: Mutex<(Option<External>, Option<ResultRecord>)>,
}

/// The match in the form that the page receives.
#[derive(Serialize)]
struct Shown<'a> {
    version: u64,
    game: &'a str,
    seat: Seat,
    bots: &'a [String],
    board: Option<&'a Board>,
    text: Option<String>,
    observation: Value,
    turn: Option<Turn>,
    out: bool,
    result: Option<&'a ResultRecord>,
}

/// The decision that the player owes.
#[derive(Serialize)]
struct Turn {
    id: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_ms: Option<u64>,
    /// All legal moves.
    moves: Vec<Box<RawValue>>,
    /// True if the game does not list them, so that the person types one.
    typed: bool,
}

/// A move from the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    id: u32,
    #[serde(rename = "move")]
    wire_move: Map<String, Value>,
}

impl OwnLive {
    /// Creates the page of a match that has not begun, for the person in this seat. `per_move` is the limit of a decision.
    pub fn new(seat: Seat, names: Vec<String>, per_move: Option<Duration>, token: Token) -> OwnLive {
        OwnLive { seat, names, door: Door::new(token, per_move), now: Mutex::default() }
    }

    /// Records the match after a decision.
    pub fn see(&self, game: &External) {
        self.now().0 = Some(game.clone());
        self.door.tell();
    }

    /// Records the end of the match.
    pub fn end(&self, result: ResultRecord) {
        self.now().1 = Some(result);
        self.door.tell();
    }

    /// Returns the routes of the page.
    pub fn routes(self: &Arc<Self>) -> Router {
        door::routes(self, Router::new().route("/{token}/move", post(play)))
    }

    fn now(&self) -> MutexGuard<'_, (Option<External>, Option<ResultRecord>)> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays a move if the seat owes it and the game accepts it.
    fn play(&self, Move { id, wire_move }: Move) -> Result<(), String> {
        let wire_move = Value::Object(wire_move);
        let text = wire_move.to_string();
        if text.len() > MOVE_BYTES_MAX {
            return Err(format!("a move has at most {MOVE_BYTES_MAX} bytes"));
        }
        let mut game = self.now().0.clone().ok_or("the match has not begun")?;
        game.play(self.seat, &text).map_err(|why| why.to_string())?;
        let owed = self.door.take(id).ok_or("this turn is over")?;
        owed.voice.play(id, wire_move, None);
        self.door.tell();
        Ok(())
    }
}

impl Room for OwnLive {
    const PAGE: &'static str = PAGE;
    const ASSETS: &'static [Asset] = &ASSETS;

    fn door(&self) -> &Door {
        &self.door
    }

    fn is_over(&self) -> bool {
        self.now().1.is_some()
    }

    fn shown(&self) -> Option<String> {
        let version = self.door.version();
        let now = self.now();
        let (Some(game), result) = &*now else { return None };
        let setup = External::setup(game.equipment());
        let turn = self.door.owed().as_ref().map(|owed| Turn {
            id: owed.id,
            left_ms: self.door.left_ms(owed),
            // A game that fails here fails at the table, too, where it is told.
            moves: game
                .legal(self.seat)
                .into_iter()
                .flatten()
                .filter_map(|text| RawValue::from_string(text).ok())
                .collect(),
            typed: !setup.can(Ability::Legal),
        });
        let shown = Shown {
            version,
            game: &External::name(setup),
            seat: self.seat,
            bots: &self.names,
            board: setup.game.board.as_ref(),
            text: game.text_for(self.seat).ok().flatten(),
            observation: game.sight(self.seat),
            turn,
            out: self.door.is_out(),
            result: result.as_ref(),
        };
        Some(serde_json::to_string(&shown).expect("what is shown is plain data"))
    }
}

async fn play(State(live): State<Arc<OwnLive>>, Json(decided): Json<Move>) -> Response {
    let why = live.play(decided).err();
    answer::json(json!({ "legal": why.is_none(), "why": why.unwrap_or_default() }).to_string())
}
