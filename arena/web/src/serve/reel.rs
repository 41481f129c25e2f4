//! A match that is being played, as pages follow it.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::Event;
use engine::game::Game;
use futures_util::{Stream, stream};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::pages::Pages;
use crate::view::Film;
use tournament::run::live::LiveHead;

/// A page hears of changes no more often than this.
pub(super) const EVENTS_EVERY: Duration = Duration::from_millis(250);

/// A match that is being played.
#[derive(Debug)]
pub struct Running {
    /// Index of the match in its tournament.
    pub index: u64,
    round: u64,
    bots: Vec<String>,
    /// The film without its frames, as JSON.
    film: String,
    reel: watch::Sender<Reel>,
}

/// What was played of it so far.
#[derive(Debug, Default)]
pub(super) struct Reel {
    /// The frames, as JSON.
    pub(super) frames: Vec<String>,
    /// The frame of the decision that is asked for, if one is.
    pub(super) open: Option<String>,
    /// Whether it is not played any more.
    pub(super) is_over: bool,
}

/// A match that is being played, in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunningRow {
    /// Index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round.
    pub round: u64,
    /// Names of the bots by seat.
    pub bots: Vec<String>,
    /// Decisions so far.
    pub turns: usize,
}

impl Running {
    /// A match at its beginning.
    pub(super) fn new<G: Pages>(head: &LiveHead<G>, game: &G) -> Running {
        let film = Film::<G> {
            game: <G as Game>::NAME,
            index: head.index,
            round: head.round,
            seed: head.seed.to_string(),
            bots: &head.bots,
            digest: None,
            replayed: None,
            result: None,
            parts: game.parts(),
            frames: &[],
        };
        let film = serde_json::to_string(&film).expect("a film is plain data");
        let (index, round, bots) = (head.index, head.round, head.bots.clone());
        Running { index, round, bots, film, reel: watch::Sender::default() }
    }

    /// What was played so far.
    pub(super) fn reel(&self) -> watch::Ref<'_, Reel> {
        self.reel.borrow()
    }

    /// Changes it, and tells the pages if `change` says that it did.
    pub(super) fn change(&self, change: impl FnOnce(&mut Reel) -> bool) {
        self.reel.send_if_modified(change);
    }

    /// How it stands in a list.
    pub(super) fn row(&self) -> RunningRow {
        let turns = self.reel().frames.len().saturating_sub(1);
        RunningRow { index: self.index, round: self.round, bots: self.bots.clone(), turns }
    }

    /// The match so far, then what is new, to its end.
    pub(super) fn events(&self) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
        let mut reel = self.reel.subscribe();
        reel.mark_changed();
        let told = Told { reel, film: Some(self.film.clone()), frames: 0, is_over: false };
        stream::unfold(told, |mut told| async move { Some((Ok(told.next().await?), told)) })
    }
}

/// How much of a match a page was told.
struct Told {
    reel: watch::Receiver<Reel>,
    /// Told first.
    film: Option<String>,
    frames: usize,
    is_over: bool,
}

impl Told {
    /// The next event; `None` after the end.
    async fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        if self.film.is_none() {
            sleep(EVENTS_EVERY).await;
        }
        self.reel.changed().await.ok()?;
        let reel = self.reel.borrow_and_update();
        let film = self.film.take().map_or(String::new(), |film| format!(r#""film":{film},"#));
        let frames = reel.frames[self.frames..].join(",");
        let open = reel.open.as_deref().unwrap_or("null");
        let text = format!(r#"{{{film}"frames":[{frames}],"open":{open},"is_over":{}}}"#, reel.is_over);
        (self.frames, self.is_over) = (reel.frames.len(), reel.is_over);
        Some(Event::default().data(text))
    }
}
