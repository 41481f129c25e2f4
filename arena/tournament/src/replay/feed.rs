//! One program in the place of a recorded seat: it hears exactly what that seat heard.
//!
//! The referee itself leads the match, so that every line is the one it would write. All seats
//! answer from the record; the program only hears the questions of its seat, and what it answers is
//! compared and thrown away. It has all the time it wants.

mod fed;
mod program;
mod recorded;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::game::{Game, Seat};

pub use fed::{Fed, Feed};
pub use program::{Ending, Program};

use super::compare::shown;
use super::{Difference, Place};
use fed::Table;
use recorded::RecordedBot;
use referee::error::Error;
use referee::play::{MatchPlan, Seated, SetupWords, play_match};
use referee::seats::fault::Fault;

impl<G: Game> Feed<'_, G> {
    /// Leads the dialogue with a program to its end. The program is still there when it ends at
    /// `until`.
    ///
    /// # Errors
    /// Where the deal of the record cannot be played, or the program does not greet.
    pub async fn lead(&self, mut program: Program) -> Result<(Fed, Program), Error> {
        program.greet().map_err(|fault| Error::no(format!("the program does not greet: {fault}")))?;
        let (record, equipment) = (self.record, Arc::clone(&self.equipment));
        let (index, round, seed, bots) = (record.index, record.round, record.seed, record.bots.clone());
        let deal = record.deal.clone();
        let plan = MatchPlan {
            index,
            round,
            seed,
            bots,
            setup: SetupWords::<G>::new(&equipment),
            equipment,
            deal,
            time: self.time,
        };
        let game = G::new(&plan.equipment, &plan.deal).map_err(|error| Error::usage(error.to_string()))?;
        let table: Table<G> = Rc::default();
        let mut seats = self.seats(&game, &table, program);
        play_match(&plan, game, &mut seats, &mut |game: &G, _: &[_]| {
            *table.borrow_mut() = Some(game.clone())
        })
        .await;
        let bot = seats.swap_remove(self.seat).bot;
        bot.and_then(RecordedBot::leave).ok_or_else(|| Error::host("the seat lost its program"))
    }

    /// Every seat from the record, one of them with the program as its listener.
    fn seats(&self, game: &G, table: &Table<G>, program: Program) -> Vec<Seated<RecordedBot<'_, G>>> {
        let mut program = Some(program);
        let seat = |seat: Seat| {
            let listener = if seat == self.seat { program.take() } else { None };
            let bot = RecordedBot::new(self, game, seat, Rc::clone(table), listener);
            Seated { bot: Some(bot), fault: None, startup_left: Duration::ZERO }
        };
        (0..self.record.bots.len()).map(seat).collect()
    }

    /// A decision that the record has otherwise.
    fn difference(&self, id: u32, recorded: &str, answered: &Result<G::Word, Fault>) -> Difference {
        let answered = match answered {
            Ok(word) => shown(&serde_json::to_value(word).expect("a move is plain data")),
            Err(fault) => format!("a fault, {fault}"),
        };
        let what = format!("the record has {recorded}, the program answers {answered}");
        Difference::new(self.record, Place::turn(self.record, id, self.seat), what)
    }
}
