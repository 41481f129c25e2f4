//! Where a worker's bots come from: fresh processes, or those that it kept from earlier matches.
//!
//! A kept process is one whose last match went well and that waits in silence; everything else is
//! replaced by a fresh one. It belongs to one worker, whose thread it must not outlive.
//!
//! What a process has seen it may remember. All matches of a round play the same deal, so it plays rounds in ascending
//! order only, each once: it never meets a deal again, in whatever seat and with whomever.

use std::cell::RefCell;
use std::collections::VecDeque;

use futures_util::future::join_all;

use crate::bots::entrants::{Entrant, QUIT_GRACE};
use crate::play::quit_line;
use sandbox::{BotProcess, Host};

/// How many more processes may wait in a pool than can sit at its tables; beyond it those go first that have
/// waited longest.
const SPARE_MAX: usize = 64;

/// A worker's supply of bots.
#[derive(Debug)]
pub struct Pool {
    /// What starts new processes.
    pub host: Host,
    /// How many may wait; none where processes are not kept.
    idle_max: usize,
    /// Whether bots are trusted to forget, so that they may meet a deal again.
    trusting: bool,
    /// Those that wait, each with the round that it played last; the one that came last at the end.
    idle: RefCell<VecDeque<(BotProcess, u64)>>,
}

impl Pool {
    /// A pool that gives a fresh process to each match.
    pub fn fresh(host: &Host) -> Pool {
        Pool { host: host.clone(), idle_max: 0, trusting: false, idle: RefCell::default() }
    }

    /// A pool that keeps processes alive from match to match, for so many seats in all.
    pub fn keeping(host: &Host, seats: usize) -> Pool {
        Pool { idle_max: seats + SPARE_MAX, ..Pool::fresh(host) }
    }

    /// The same with bots that are trusted to forget what they have seen.
    #[must_use]
    pub fn trusting(self, trusting: bool) -> Pool {
        Pool { trusting, ..self }
    }

    /// A process of this bot that was kept and has not met the deal of this round, if there is one in good order.
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

    /// Whether a process goes back into the pool after its match.
    pub(crate) fn wants(&self, bot: &mut BotProcess) -> bool {
        self.idle_max > 0 && bot.is_quiet()
    }

    /// Takes a process back after a match of this round. What comes out is to be seen off: the one that has waited
    /// longest.
    pub(crate) fn give(&self, bot: BotProcess, round: u64) -> Option<BotProcess> {
        let mut idle = self.idle.borrow_mut();
        idle.push_back((bot, round));
        if idle.len() > self.idle_max { idle.pop_front().map(|(oldest, _)| oldest) } else { None }
    }

    /// Quits whatever waits, all at once.
    pub async fn close(&self) {
        let idle = std::mem::take(&mut *self.idle.borrow_mut());
        let farewell = quit_line();
        join_all(idle.into_iter().map(|(bot, _)| bot.quit(&farewell, QUIT_GRACE))).await;
    }
}
