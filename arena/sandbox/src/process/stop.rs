//! Ends bots and collects their last output. Join these futures to end many bots at once.

use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::timeout;

use crate::process::BotProcess;
use crate::process::ended::Ended;
use crate::process::refused::refused;
use crate::start::handle::State;

/// The time a supervisor has to kill its processes before it is killed itself.
const SUPERVISOR_WAIT_MAX: Duration = Duration::from_millis(200);
/// The most output that is read at a bot's end, in bytes, plus or minus one read.
const LAST_WORDS_BYTES_MAX: usize = 1024 * 1024;
/// The time to wait for the end after that. Only a process that hangs in the kernel takes longer.
const GONE_WAIT_MAX: Duration = Duration::from_secs(2);

impl BotProcess {
    /// Writes `quit_line` (newline included), closes the bot's stdin, and waits up to `grace` for its exit. Then kills
    /// its remaining processes. The output is discarded; after a mebibyte it is not read any more, so that a flood does
    /// not keep this process busy.
    pub async fn quit(mut self, quit_line: &[u8], grace: Duration) -> Ended {
        self.send(quit_line);
        self.off_turn.wake(&self.handle);
        self.pipes.close_stdin();
        let mut drained = 0;
        let quiet = poll_fn(|cx| self.poll_quiet_end(cx, &mut drained));
        let _ = timeout(grace, quiet).await;
        self.end().await
    }

    /// Writes `lines` and collects the output until it `is_enough`, the bot ends, or `patience` is over.
    pub async fn words(
        &mut self,
        lines: &[u8],
        is_enough: impl Fn(&[u8]) -> bool,
        patience: Duration,
    ) -> Vec<u8> {
        self.hear(lines, false, is_enough, patience).await
    }

    /// Writes `lines`, closes the bot's stdin, and collects the output until the bot ends or `grace` is over. Then
    /// kills its remaining processes. A bot that forgot to flush prints its buffer here.
    pub async fn last_words(mut self, lines: &[u8], grace: Duration) -> (Vec<u8>, Ended) {
        let output = self.hear(lines, true, |_| false, grace).await;
        (output, self.end().await)
    }

    /// Writes `lines`, closes the bot's stdin if `is_all`, and collects the output.
    async fn hear(
        &mut self,
        lines: &[u8],
        is_all: bool,
        is_enough: impl Fn(&[u8]) -> bool,
        patience: Duration,
    ) -> Vec<u8> {
        let mut output = Vec::new();
        self.off_turn.wake(&self.handle);
        let listening = async {
            let mut sent = 0;
            poll_fn(|cx| self.pipes.poll_write(cx, lines, &mut sent)).await;
            if is_all {
                self.pipes.close_stdin();
            }
            while output.len() < LAST_WORDS_BYTES_MAX
                && !is_enough(&output)
                && poll_fn(|cx| self.pipes.poll_read_past_inbox(cx, &mut output)).await > 0
            {}
        };
        let _ = timeout(patience, listening).await;
        output
    }

    /// Waits until the program ends by itself, at most for this time, then kills its remaining processes. Returns how it
    /// ended, without a status if it was killed for its use of memory or disk. Fails if it ran for longer.
    pub async fn outlive(self, limit: Option<Duration>) -> Result<Ended, Ended> {
        let ended = self.handle.wait_for(|state: &State| state.has_ended().then_some(()));
        let in_time = timeout(limit.unwrap_or(Duration::MAX), ended).await;
        let ended = self.end().await;
        if in_time.is_ok() { Ok(ended) } else { Err(ended) }
    }

    /// Kills all its processes at once.
    pub async fn kill(self) -> Ended {
        self.end().await
    }

    /// Drains stdout until the bot has ended. A full pipe could block the bot.
    fn poll_quiet_end(&mut self, cx: &mut Context<'_>, drained: &mut usize) -> Poll<()> {
        while *drained < LAST_WORDS_BYTES_MAX {
            let mut output = Vec::new();
            match self.pipes.poll_read_past_inbox(cx, &mut output) {
                Poll::Ready(count) if count > 0 => *drained += count,
                _ => break,
            }
        }
        self.handle.poll_for(cx, |state: &State| state.has_ended().then_some(()))
    }

    async fn end(mut self) -> Ended {
        self.handle.kill();
        let gone = |state: &State| state.gone.then_some(());
        if timeout(SUPERVISOR_WAIT_MAX, self.handle.wait_for(gone)).await.is_err() {
            self.handle.kill_hard();
            let _ = timeout(GONE_WAIT_MAX, self.handle.wait_for(gone)).await;
        }
        let transcript = std::mem::take(&mut self.transcript).into_lines();
        let log = self.handle.state().failed_calls.take();
        let refused = log.and_then(|mut log| refused(&mut log, &self.command, self.layers, self.is_own));
        let mut state = self.handle.state();
        Ended {
            refused,
            status: state.exit,
            killed: state.killed,
            left_running: state.left_running,
            gone: state.gone,
            containment: self.containment,
            layers: self.layers,
            stderr: state.stderr.take(),
            transcript,
        }
    }
}
