//! Checks one line of a journal against everything that can be computed again.

use std::sync::Arc;

use engine::game::Setup;
use serde::Serialize;
use serde_json::Value;

use super::compare::first_mismatch;
use super::walk::Watch;
use super::{Difference, Place, PlanCheck, walk};
use referee::bots::names::check_name;
use referee::games::GameKind;
use referee::play::{Position, Start};
use referee::record::{MatchRecord, ResultRecord};

/// Judges records. Keeps the equipment of the last record, because all matches of a tournament have the same.
#[derive(Debug)]
pub struct Judge<G: GameKind> {
    plan: Option<PlanCheck>,
    equipped: Option<(G::Setup, Arc<G::Equipment>)>,
}

impl<G: GameKind> Clone for Judge<G> {
    fn clone(&self) -> Judge<G> {
        Judge { plan: self.plan.clone(), equipped: self.equipped.clone() }
    }
}

impl<G: GameKind> Judge<G> {
    /// A judge that also checks records against the plan, if there is one.
    pub fn new(plan: Option<PlanCheck>) -> Judge<G> {
        Judge { plan, equipped: None }
    }

    /// Returns the judge with this equipment for records with its rules. A game that is a program needs it, since records
    /// name no program.
    #[must_use]
    pub fn equipped(self, equipment: Option<Arc<G::Equipment>>) -> Judge<G> {
        let equipped = equipment.map(|equipment| (G::setup(&equipment).portable(), equipment));
        Judge { equipped, ..self }
    }

    /// Judges a line: the record in it, and the check at its end.
    ///
    /// # Errors
    /// Returns the first error in the line.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Difference> {
        self.watched(line, &mut |_, _, _| ()).map(drop)
    }

    /// Judges a line, and calls `watch` for every decision.
    ///
    /// # Errors
    /// Fails like [`line`](Self::line).
    pub fn watched(
        &mut self,
        line: &[u8],
        watch: &mut WatchRecord<'_, G>,
    ) -> Result<MatchRecord<G>, Difference> {
        let read = MatchRecord::<G>::from_line(line);
        let (record, is_sound) = read.map_err(|error| Difference::damaged(line, &error))?;
        self.record(&record, &mut |game, turns| watch(&record, game, turns))?;
        match is_sound {
            true => Ok(record),
            false => Err(Difference::new(&record, Place::default(), CHANGED)),
        }
    }

    /// Judges a record: plan, deal, every decision, result, digest.
    ///
    /// # Errors
    /// Returns the first error in the record.
    pub fn record(&mut self, record: &MatchRecord<G>, watch: &mut Watch<'_, G>) -> Result<(), Difference> {
        let whole = |what: String| Difference::new(record, Place::default(), what);
        let name = G::name(&record.setup);
        if record.game != name {
            return Err(whole(format!("the game is {:?}, and {name:?} before", record.game)));
        }
        let names = record.bots.iter().try_for_each(|name| check_name(name).map(drop));
        names.map_err(|error| whole(error.message().to_owned()))?;
        self.plan.as_ref().map_or(Ok(()), |plan| plan.check(record))?;
        let equipment = self.equipment(record)?;
        check_deal(record, &equipment)?;
        let game = Start::<G>::of(record.deal.clone()).begin(&equipment);
        let game = game.map_err(|error| whole(error.message().to_owned()))?;
        if game.seats() != record.bots.len() {
            return Err(whole(format!("the deal is for {} seats, not {}", game.seats(), record.bots.len())));
        }
        check_result(record, &walk(record, &equipment, game, watch)?)?;
        match record.digest() {
            digest if digest == record.digest => Ok(()),
            digest => {
                Err(whole(format!("the digest is {:?}, what is recorded gives {digest}", record.digest)))
            }
        }
    }

    /// The compiled rules and components of a record.
    ///
    /// # Errors
    /// Fails if the game cannot be played with them.
    pub fn equipment(&mut self, record: &MatchRecord<G>) -> Result<Arc<G::Equipment>, Difference> {
        match &self.equipped {
            Some((setup, equipment)) if *setup == record.setup => Ok(Arc::clone(equipment)),
            _ => {
                let wrong = |error: engine::game::SetupError| {
                    Difference::new(record, Place::default(), format!("rules or components: {error}"))
                };
                let equipment = Arc::new(G::equip(&record.setup).map_err(wrong)?);
                self.equipped = Some((record.setup.clone(), Arc::clone(&equipment)));
                Ok(equipment)
            }
        }
    }
}

/// A callback for each step of a record through the engine.
pub type WatchRecord<'a, G> = dyn FnMut(&MatchRecord<G>, &G, &[&TurnOf<G>]) + 'a;
/// A turn of a record.
type TurnOf<G> = referee::record::TurnRecord<<G as engine::wire::WireFormat>::WireMove>;

/// The error for a line with a correct record and no check, or a wrong one.
const CHANGED: &str = "the line is not as it was written: a time, a note, the wording of a fault, the round, or its check was changed";

/// Checks that the deal is the deal of the seed, or that the seed deals the future of its position.
fn check_deal<G: GameKind>(record: &MatchRecord<G>, equipment: &G::Equipment) -> Result<(), Difference> {
    let whole = |what: String| Difference::new(record, Place::default(), what);
    let dealt = match Position::start_of(record) {
        None => {
            G::deal(equipment, record.bots.len(), record.seed).map_err(|error| whole(error.to_string()))?
        }
        Some(position) => {
            let start = position.start(equipment, record.seed);
            if start.future != record.start.map(|start| start.future) {
                let seed = record.seed;
                return Err(whole(format!("its start does not say where its deal comes from: seed {seed}")));
            }
            start.deal
        }
    };
    if dealt == record.deal {
        return Ok(());
    }
    let found = first_mismatch("deal", &plain(&record.deal), &plain(&dealt));
    Err(whole(match found {
        Some(found) => {
            format!("{} is {}, seed {} deals {}", found.path, found.left, record.seed, found.right)
        }
        None => format!("the deal is not that of seed {}", record.seed),
    }))
}

fn check_result<G: GameKind>(record: &MatchRecord<G>, played: &ResultRecord) -> Result<(), Difference> {
    if *played == record.result {
        return Ok(());
    }
    let Some(found) = first_mismatch("result", &plain(&record.result), &plain(played)) else { return Ok(()) };
    let seat = found.first_index().map_or(Place::default(), |seat| Place::seat(record, seat));
    let last = record.turns.iter().rfind(|turn| Some(turn.seat) == seat.seat).map(|turn| turn.id);
    let what = format!("{} is {}, playing gives {}", found.path, found.left, found.right);
    Err(Difference::new(record, Place { id: last, ..seat }, what))
}

fn plain(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("a record is plain data")
}
