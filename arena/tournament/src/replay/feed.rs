//! Puts one program in the place of a recorded seat. The program gets exactly the lines that the seat got.
//!
//! The referee itself leads the match and writes all lines. All seats answer from the record. The program
//! gets the questions of its seat; its answers are compared with the record and dropped. It has no time
//! limit.

mod fed;
mod program;
mod recorded;

use engine::wire::{FaultKind, WireFormat};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::game::Seat;

pub use fed::{Differing, Fed, Feed};
pub use program::{Ending, Program};

use fed::Table;
use recorded::RecordedBot;
use referee::error::Error;
use referee::play::{MatchPlan, Provenance, Rules, Seated, play_match};

impl<G: WireFormat> Feed<'_, G> {
    /// Leads the dialogue with a program to its end. If the dialogue ends at `until`, the program may still
    /// run.
    ///
    /// # Errors
    /// Fails if the record's deal cannot be played, or if the program does not answer `hello`.
    pub async fn lead(&self, mut program: Program) -> Result<(Fed, Program), Error> {
        program.greet().map_err(|fault| {
            let error = Error::no(format!("the program does not greet: {fault}"));
            let is_other = fault.kind == FaultKind::Malformed;
            if is_other { error.hint("a debugger needs the terminal: give --debug before --") } else { error }
        })?;
        let plan = MatchPlan::of_record(self.record, Rules::new(Arc::clone(&self.equipment)), &self.limits);
        let game = plan.start.begin(&self.equipment)?;
        let table: Table<G> = Rc::default();
        let mut seats = self.seats(&game, &table, program);
        let watch = &mut |game: &G, _: &[_]| *table.borrow_mut() = Some(game.clone());
        play_match(&plan, Provenance::default(), &mut seats, watch).await?;
        let bot = seats.swap_remove(self.seat).bot;
        bot.and_then(RecordedBot::leave).ok_or_else(|| Error::host("the seat lost its program"))
    }

    /// Creates the recorded seats. The program listens at one of them.
    fn seats(&self, game: &G, table: &Table<G>, program: Program) -> Vec<Seated<RecordedBot<'_, G>>> {
        let mut program = Some(program);
        let seat = |seat: Seat| {
            let listener = if seat == self.seat { program.take() } else { None };
            let bot = RecordedBot::new(self, game, seat, Rc::clone(table), listener);
            Seated { bot: Some(bot), fault: None, startup_left: Duration::ZERO }
        };
        (0..self.record.bots.len()).map(seat).collect()
    }
}
