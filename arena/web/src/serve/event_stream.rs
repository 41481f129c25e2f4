//! A running match as a stream of events for pages.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::Event;
use engine::game::Game;
use futures_util::{Stream, stream};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::Pages;
use crate::view::MatchView;
use tournament::run::live::LiveHead;

/// The shortest time between two events to a page.
pub(super) const EVENTS_EVERY: Duration = Duration::from_millis(250);

/// A running match.
#[derive(Debug)]
pub struct Running {
    /// The index of the match in its tournament.
    pub index: u64,
    round: u64,
    bots: Vec<String>,
    /// The view without its frames, as JSON.
    view: String,
    reel: watch::Sender<EventStream>,
}

/// The frames of a running match so far.
#[derive(Debug, Default)]
pub(super) struct EventStream {
    /// The frames, as JSON.
    pub(super) frames: Vec<String>,
    /// The frame of the current decision, as JSON; `None` if no seat owes a decision.
    pub(super) open: Option<String>,
    /// True if the match has ended or was interrupted.
    pub(super) is_over: bool,
}

/// A running match in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunningRow {
    /// The index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round.
    pub round: u64,
    /// The names of the bots, by seat.
    pub bots: Vec<String>,
    /// The number of decisions so far.
    pub turns: usize,
}

impl Running {
    /// Creates a match at its start position.
    pub(super) fn new<G: Pages>(head: &LiveHead<G>, game: &G) -> Running {
        let view = MatchView::<G> {
            game: <G as Game>::NAME,
            index: head.index,
            round: head.round,
            seed: head.seed.to_string(),
            bots: &head.bots,
            digest: None,
            replayed: None,
            result: None,
            from: None,
            given: 0,
            limits_us: Vec::new(),
            parts: game.parts(),
            frames: &[],
        };
        let view = serde_json::to_string(&view).expect("a view is plain data");
        let (index, round, bots) = (head.index, head.round, head.bots.clone());
        Running { index, round, bots, view, reel: watch::Sender::default() }
    }

    /// Returns the frames so far.
    pub(super) fn reel(&self) -> watch::Ref<'_, EventStream> {
        self.reel.borrow()
    }

    /// Changes the frames, and notifies the pages if `change` returns true.
    pub(super) fn change(&self, change: impl FnOnce(&mut EventStream) -> bool) {
        self.reel.send_if_modified(change);
    }

    /// Returns the row of the match in a list.
    pub(super) fn row(&self) -> RunningRow {
        let turns = self.reel().frames.len().saturating_sub(1);
        RunningRow { index: self.index, round: self.round, bots: self.bots.clone(), turns }
    }

    /// Returns a stream with the match so far, and then all changes until its end.
    pub(super) fn events(&self) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
        let mut reel = self.reel.subscribe();
        reel.mark_changed();
        let received = Told { reel, view: Some(self.view.clone()), frames: 0, is_over: false };
        stream::unfold(received, |mut received| async move { Some((Ok(received.next().await?), received)) })
    }
}

/// The part of a match that one page has received.
struct Told {
    reel: watch::Receiver<EventStream>,
    /// The content of the first event; `None` after it was sent.
    view: Option<String>,
    frames: usize,
    is_over: bool,
}

impl Told {
    /// Returns the next event, or `None` after the end.
    async fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        if self.view.is_none() {
            sleep(EVENTS_EVERY).await;
        }
        self.reel.changed().await.ok()?;
        let reel = self.reel.borrow_and_update();
        let view = self.view.take().map_or(String::new(), |view| format!(r#""view":{view},"#));
        let frames = reel.frames[self.frames..].join(",");
        let open = reel.open.as_deref().unwrap_or("null");
        let text = format!(r#"{{{view}"frames":[{frames}],"open":{open},"is_over":{}}}"#, reel.is_over);
        (self.frames, self.is_over) = (reel.frames.len(), reel.is_over);
        Some(Event::default().data(text))
    }
}
