//! A match with real processes: seats the bots, has it refereed, sees everybody off.

use std::time::Duration;

use engine::game::Game;
use futures_util::future::join_all;

use crate::answer::read_hello;
use crate::bot::{BotProcess, Ended, Fault, Host, SpawnError, Started};
use crate::entrants::{Entrant, QUIT_GRACE};
use crate::error::Error;
use crate::record::MatchRecord;
use crate::referee::{MatchPlan, Seated, hello_line, play_match, quit_line};

/// A finished match and what is left of its bots, by seat; `None` for one that never started.
#[derive(Debug)]
pub struct Played<G: Game> {
    /// The record.
    pub record: MatchRecord<G>,
    /// The ends of the processes.
    pub ended: Vec<Option<Ended>>,
}

/// Plays a match with fresh processes and leaves none behind. `watch` sees the game at the
/// beginning and after every decision.
///
/// # Errors
/// Where the machine cannot start processes, or the deal does not fit the equipment; never for
/// what a bot does.
pub async fn play<G: Game>(
    plan: &MatchPlan<G>,
    entrants: &[&Entrant],
    host: &Host,
    watch: &mut dyn FnMut(&G),
) -> Result<Played<G>, Error> {
    let game = G::new(&plan.equipment, &plan.deal).map_err(|error| Error::usage(error.to_string()))?;
    let hello = hello_line();
    let starts = entrants.iter().map(|entrant| seat(entrant, host, &hello, plan.time.startup));
    let mut seats = join_all(starts).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let record = play_match(plan, game, &mut seats, watch).await;
    let farewell = quit_line();
    let ended = join_all(seats.into_iter().map(|seat| see_off(seat, &farewell))).await;
    Ok(Played { record, ended })
}

/// Starts and greets one bot.
async fn seat(
    entrant: &Entrant,
    host: &Host,
    hello: &[u8],
    limit: Duration,
) -> Result<Seated<BotProcess>, Error> {
    let out = |bot, fault| Seated { bot, fault: Some(fault), startup_left: Duration::ZERO };
    match BotProcess::start(&entrant.command, host, hello, limit).await {
        Ok(Started { bot, hello }) => {
            Ok(match hello.and_then(|(line, took)| read_hello(&line).map(|_| took)) {
                Ok(took) => Seated { bot: Some(bot), fault: None, startup_left: limit.saturating_sub(took) },
                Err(fault) => out(Some(bot), late_start(fault)),
            })
        }
        Err(SpawnError::Fault(fault)) => Ok(out(None, fault)),
        Err(SpawnError::Host(error)) => Err(Error::host(error.to_string()).hint(error.hint())),
    }
}

/// Too late for a greeting is too late for the start-up, not for a move.
fn late_start(fault: Fault) -> Fault {
    use engine::wire::FaultKind::{Startup, Timeout};
    Fault { kind: if fault.kind == Timeout { Startup } else { fault.kind }, ..fault }
}

async fn see_off(seat: Seated<BotProcess>, farewell: &[u8]) -> Option<Ended> {
    let bot = seat.bot?;
    Some(if bot.is_usable() { bot.quit(farewell, QUIT_GRACE).await } else { bot.kill().await })
}
