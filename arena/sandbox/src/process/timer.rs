//! One timer for all deadlines of a bot, registered anew as rarely as possible.
//!
//! Deadlines move forward with every question, and nearly all questions are answered long before.
//! The timer therefore stays set to an old moment. If it fires too early, it is set again. A bot that
//! answers at once costs a timer operation every `SLOW_AFTER`, not one a question.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::time::Sleep;

/// The timer.
#[derive(Debug)]
pub(crate) struct LazyTimer {
    sleep: Pin<Box<Sleep>>,
}

impl LazyTimer {
    /// A timer set to now. Needs a runtime.
    pub(crate) fn new() -> Self {
        LazyTimer { sleep: Box::pin(tokio::time::sleep_until(tokio::time::Instant::now())) }
    }

    /// Ready once `due` has passed; until then the task is woken at `due` or somewhat later.
    pub(crate) fn poll_until(&mut self, cx: &mut Context<'_>, due: Instant) -> Poll<()> {
        let due = tokio::time::Instant::from_std(due);
        if self.sleep.deadline() > due {
            self.sleep.as_mut().reset(due);
        }
        while self.sleep.as_mut().poll(cx).is_ready() {
            if self.sleep.deadline() >= due {
                return Poll::Ready(());
            }
            self.sleep.as_mut().reset(due);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn later_and_earlier_deadlines_are_both_kept() {
        let mut timer = LazyTimer::new();
        for wait_ms in [30, 5, 60, 1] {
            let begin = Instant::now();
            let due = begin + Duration::from_millis(wait_ms);
            std::future::poll_fn(|cx| timer.poll_until(cx, due)).await;
            assert!(begin.elapsed() >= Duration::from_millis(wait_ms));
        }
    }
}
