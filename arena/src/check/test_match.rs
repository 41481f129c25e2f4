//! Plays prepared matches through the referee.

use engine::wire::WireFormat;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::dealer::Dealer;
use engine::game::{Seat, first_pending};

use super::examiner::Examiner;
use super::scenes::{SEED, Scene, Scenes};
use super::seat::{CHANCE_STREAM, Candidate, CheckSeat, ScriptedOpponent, Table};
use referee::error::Error;
use referee::play::{MatchPlan, Provenance, Rules, SeatPlan, Seated, Start, play_match};
use referee::record::MatchRecord;
use referee::seats::fault::Fault;
use sandbox::DOUBTFUL_TRIES_MAX;

/// The time bank of matches that have one. No correct bot needs this much.
const BANK: Duration = Duration::from_secs(3600);
/// Its increment and its budget.
const INCREMENT: Duration = Duration::from_secs(1);
const BUDGET: u64 = 100;

/// The result of a prepared match.
pub(super) struct TestMatch<G: WireFormat> {
    pub(super) record: MatchRecord<G>,
    pub(super) seat: Seat,
    pub(super) subject: Candidate,
}

impl<G: WireFormat> TestMatch<G> {
    /// Returns the bot's fault with the number of its decision, if there was one.
    pub(super) fn fault(&self) -> Option<(u32, Fault)> {
        let turns = self.record.played().iter().filter(|turn| turn.seat == self.seat);
        turns.into_iter().find_map(|turn| Some((turn.id, turn.to_fault()?)))
    }

    /// Returns the bot's moves with the numbers of their decisions.
    pub(super) fn moves(&self) -> Vec<(u32, &G::WireMove)> {
        let turns = self.record.played().iter().filter(|turn| turn.seat == self.seat);
        turns.filter_map(|turn| Some((turn.id, turn.wire_move.as_ref()?))).collect()
    }
}

impl Examiner<'_> {
    /// Plays a prepared match with a running process.
    pub(super) async fn play<G: Scenes>(
        &mut self,
        scene: &Scene<G>,
        seed: u64,
        mut subject: Candidate,
    ) -> Result<TestMatch<G>, Error> {
        let unplayable = |error: &dyn std::fmt::Display| Error::host(format!("{}: {error}", scene.name));
        let equipment =
            G::equipped(&scene.setup, self.settings.own.as_ref()).map_err(|error| unplayable(&error))?;
        let table: Table<G> = Rc::new(RefCell::new(None));
        subject.variant = scene.variant;
        let mut subject = Some(Box::new(subject));
        let stand_in = |seat, leaves_at| ScriptedOpponent::new(&equipment, &table, seat, leaves_at);
        let mut seats: Vec<Seated<CheckSeat<G>>> = (0..scene.seats)
            .map(|seat| {
                let bot = match subject.take_if(|_| seat == scene.seat) {
                    Some(subject) => CheckSeat::Candidate(subject),
                    None => CheckSeat::Other(Box::new(stand_in(seat, scene.others_leave_at))),
                };
                Seated { bot: Some(bot), fault: None, startup_left: self.settings.time.startup }
            })
            .collect();
        let mut time = self.settings.time;
        if scene.has_bank {
            (time.per_match, time.increment, time.budget) = (Some(BANK), INCREMENT, Some(BUDGET));
        }
        let name = |seat| if seat == scene.seat { "you".to_owned() } else { format!("other-{seat}") };
        let retries = |seat| if seat == scene.seat { self.entrant.identity.retries } else { 0 };
        let player = |seat| SeatPlan { retries: retries(seat), ..SeatPlan::new(&name(seat), time) };
        let players = (0..scene.seats).map(player).collect();
        let plan = MatchPlan::dealt(&Rules::new(Arc::clone(&equipment)), seed, players);
        let mut plan = plan.map_err(|error| unplayable(&error))?;
        let moves = moves_before(&plan.start, &equipment, scene.takes_over_at);
        plan.start.moves = moves.map_err(|error| unplayable(&error))?;
        let watch = &mut |game: &G, _: &[_]| *table.borrow_mut() = Some(game.clone());
        let record = play_match(&plan, Provenance::default(), &mut seats, watch).await?;
        let bot = seats.swap_remove(scene.seat).bot;
        let subject = bot.and_then(CheckSeat::into_subject).expect("it was seated there");
        let test_match = TestMatch { record, seat: scene.seat, subject };
        self.clock::<G>(&test_match);
        Ok(test_match)
    }

    /// Plays a prepared match with a fresh process. Repeats the match if the machine may be to blame for a
    /// time fault.
    pub(super) async fn play_fresh<G: Scenes>(
        &mut self,
        scene: &Scene<G>,
    ) -> Result<Result<TestMatch<G>, Fault>, Error> {
        let mut tries_left = DOUBTFUL_TRIES_MAX;
        loop {
            tries_left -= 1;
            let test_match = match self.start().await? {
                Ok(subject) => self.play(scene, SEED, subject).await?,
                Err(fault) => return Ok(Err(fault)),
            };
            if tries_left == 0 || test_match.record.doubtful_timeout(|_| self.settings.time).is_none() {
                return Ok(Ok(test_match));
            }
            self.note_end(test_match.subject.bot.kill().await);
        }
    }

    /// Collects the times of a match, in microseconds.
    fn clock<G: WireFormat>(&mut self, test_match: &TestMatch<G>) {
        let turns = test_match.record.played().iter();
        let turns = turns.filter(|turn| turn.seat == test_match.seat && turn.wire_move.is_some());
        let turns: Vec<_> = turns.collect();
        self.data_dropped += turns.iter().map(|turn| turn.remarks.data_dropped).sum::<u32>();
        let times = turns.iter().map(|turn| turn.us);
        match self.moves_us.iter_mut().find(|(game, _)| *game == self.game) {
            Some((_, known)) => known.extend(times),
            None => self.moves_us.push((self.game.clone(), times.collect())),
        }
    }
}

/// Returns random moves of all seats before this decision, which always are the same.
fn moves_before<G: Scenes>(
    start: &Start<G>,
    equipment: &Arc<G::Equipment>,
    decision: u32,
) -> Result<Vec<(Seat, G::WireMove)>, Error> {
    let (mut game, mut chance, mut moves) =
        (start.begin(equipment)?, Dealer::new(0, CHANCE_STREAM), Vec::new());
    while game.decision() < decision {
        let Some(seat) = first_pending(&game) else { break };
        let action = game.any_action(seat, &mut chance);
        moves.push((seat, G::write(equipment, &action)));
        game.play(seat, &action).map_err(|error| Error::host(error.to_string()))?;
    }
    Ok(moves)
}
