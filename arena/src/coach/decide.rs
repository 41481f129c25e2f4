//! One decision of a bot in a position: for suites of positions, and for the hints of a person.

use std::sync::Arc;

use engine::game::Seat;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::games::GameKind;
use referee::play::{MatchPlan, Rules, SeatPlan, Start};
use referee::record::TurnRecord;
use referee::seats::pool::Pool;
use referee::seats::solo::SoloGame;
use referee::seats::table::{Played, SeatSource, play};
use sandbox::Host;

/// Starts a bot as this seat in a position, asks it for one decision, and ends the match.
///
/// # Errors
/// The position cannot be played, or the machine cannot start the bot. A fault of the bot is no error.
pub(crate) async fn decide<G: GameKind>(
    (start, seed): (Start<G>, u64),
    seat: Seat,
    rules: &Arc<Rules<G>>,
    (entrant, own): (&Entrant, &SeatPlan),
    host: &Host,
) -> Result<TurnRecord<G::WireMove>, Error> {
    let seats = start.begin(&rules.equipment)?.seats();
    let other = |other: usize| SeatPlan::new(&format!("other{other}"), own.time);
    let plans = (0..seats).map(|one| if one == seat { own.clone() } else { other(one) });
    let plan = MatchPlan { decisions: Some(1), ..MatchPlan::new(rules, seed, start, plans.collect()) };
    let source = |one| match one == seat {
        true => SeatSource::Process(entrant),
        false => SeatSource::Alone(Arc::new(SoloGame::absent())),
    };
    let sources: Vec<_> = (0..seats).map(source).collect();
    let Played { record, .. } = play(&plan, &sources, &Pool::fresh(host), None, &mut |_, _| ()).await?;
    let turn = record.played().iter().find(|turn| turn.seat == seat).cloned();
    turn.ok_or_else(|| Error::host("the match ended before the bot was asked"))
}
