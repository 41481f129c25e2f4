//! A worker's supply of bots: fresh processes, or processes kept from earlier matches.
//!
//! The pool keeps a process if its last match went well and it wrote nothing since. A process belongs to one
//! worker and must not outlive its thread.
//!
//! A process may remember a deal. All matches of a round play the same deal, so a kept process plays rounds
//! in ascending order only, and each round once. It never meets a deal twice.

use std::cell::RefCell;
use std::collections::VecDeque;

use futures_util::future::join_all;

use crate::bots::entrants::Entrant;
use crate::bots::preflight::QUIT_GRACE;
use crate::play::quit_line;
use sandbox::{BotProcess, Host};

/// A pool may hold this many more processes than its tables have seats. Beyond that, the process that has
/// waited longest goes first.
pub const SPARE_MAX: usize = 64;

/// A worker's supply of bots.
#[derive(Debug)]
pub struct Pool {
    /// The host that starts new processes.
    pub host: Host,
    /// The most processes that may wait; 0 if none are kept.
    idle_max: usize,
    /// True if a process may meet a deal twice, because its owner trusts it to forget.
    trusting: bool,
    /// The waiting processes, each with the last round that it played. The newest is at the end.
    idle: RefCell<VecDeque<(BotProcess, u64)>>,
}

impl Pool {
    /// Returns a pool that gives each match fresh processes.
    pub fn fresh(host: &Host) -> Pool {
        Pool { host: host.clone(), idle_max: 0, trusting: false, idle: RefCell::default() }
    }

    /// Returns a pool that keeps processes from match to match, for this number of seats in all.
    pub fn keeping(host: &Host, seats: usize) -> Pool {
        Pool { idle_max: seats + SPARE_MAX, ..Pool::fresh(host) }
    }

    /// Sets whether processes may meet a deal twice.
    #[must_use]
    pub fn trusting(self, trusting: bool) -> Pool {
        Pool { trusting, ..self }
    }

    /// Takes a usable process of this bot that has not met the deal of this round.
    pub(crate) fn take(&self, entrant: &Entrant, round: u64) -> Option<BotProcess> {
        let mut idle = self.idle.borrow_mut();
        let suits = |(bot, last): &(BotProcess, u64)| {
            bot.name() == entrant.command.name && (self.trusting || *last < round)
        };
        loop {
            let place = idle.iter().rposition(suits)?;
            let (mut bot, _) = idle.remove(place)?;
            if bot.is_quiet() {
                return Some(bot);
            }
        }
    }

    /// Returns true if a process can go back into the pool after its match.
    pub(crate) fn wants(&self, bot: &mut BotProcess) -> bool {
        self.idle_max > 0 && bot.is_quiet()
    }

    /// Takes a process back after a match of this round. If the pool is full, returns the process that has
    /// waited longest; the caller ends it.
    pub(crate) fn give(&self, bot: BotProcess, round: u64) -> Option<BotProcess> {
        let mut idle = self.idle.borrow_mut();
        idle.push_back((bot, round));
        if idle.len() > self.idle_max { idle.pop_front().map(|(oldest, _)| oldest) } else { None }
    }

    /// Ends all waiting processes at once.
    pub async fn close(&self) {
        let idle = std::mem::take(&mut *self.idle.borrow_mut());
        let quit = quit_line();
        join_all(idle.into_iter().map(|(bot, _)| bot.quit(&quit, QUIT_GRACE))).await;
    }
}
