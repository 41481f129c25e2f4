//! Where a worker's bots come from: fresh processes, or those that it kept from earlier matches.
//!
//! A kept process is one whose last match went well and that waits in silence; everything else is
//! replaced by a fresh one. It belongs to one worker, whose thread it must not outlive.

use std::cell::RefCell;
use std::collections::VecDeque;

use futures_util::future::join_all;

use crate::bot::{BotProcess, Host};
use crate::entrants::{Entrant, QUIT_GRACE};
use crate::referee::quit_line;

/// How many more processes may wait in a pool than can sit at its tables; beyond it those go first that have
/// waited longest.
const SPARE_MAX: usize = 64;

/// A worker's supply of bots.
#[derive(Debug)]
pub struct Pool {
    pub(crate) host: Host,
    /// How many may wait; none where processes are not kept.
    idle_max: usize,
    /// Those that wait, the one that came last at the end.
    idle: RefCell<VecDeque<BotProcess>>,
}

impl Pool {
    /// A pool that gives a fresh process to each match.
    pub fn fresh(host: &Host) -> Pool {
        Pool { host: host.clone(), idle_max: 0, idle: RefCell::default() }
    }

    /// A pool that keeps processes alive from match to match, for so many seats in all.
    pub fn keeping(host: &Host, seats: usize) -> Pool {
        Pool { idle_max: seats + SPARE_MAX, ..Pool::fresh(host) }
    }

    /// A process of this bot that was kept, if there is one in good order.
    pub(crate) fn take(&self, entrant: &Entrant) -> Option<BotProcess> {
        let mut idle = self.idle.borrow_mut();
        loop {
            let place = idle.iter().rposition(|bot| bot.name() == entrant.command.name)?;
            let mut bot = idle.remove(place)?;
            if bot.is_quiet() {
                return Some(bot);
            }
        }
    }

    /// Whether a process goes back into the pool after its match.
    pub(crate) fn wants(&self, bot: &mut BotProcess) -> bool {
        self.idle_max > 0 && bot.is_quiet()
    }

    /// Takes a process back. What comes out is to be seen off: the one that has waited longest.
    pub(crate) fn give(&self, bot: BotProcess) -> Option<BotProcess> {
        let mut idle = self.idle.borrow_mut();
        idle.push_back(bot);
        if idle.len() > self.idle_max { idle.pop_front() } else { None }
    }

    /// Quits whatever waits, all at once.
    pub async fn close(&self) {
        let idle = std::mem::take(&mut *self.idle.borrow_mut());
        let farewell = quit_line();
        join_all(idle.into_iter().map(|bot| bot.quit(&farewell, QUIT_GRACE))).await;
    }
}
