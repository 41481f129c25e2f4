//! The state of a tournament that is being read: its plan, and the counts so far.

use std::path::Path;

use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use referee::record::Summary;
use serde_json::json;
use tournament::comparison::{Comparison, Trial};
use tournament::journal;
use tournament::plan::TournamentHead;
use tournament::plan::hosts::Hosts;
use tournament::report::tables::{Format, notes, render};
use tournament::run::observer::Observer;
use tournament::standings::Row;
use tournament::state::{Applied, State};

use super::Place;
use super::contents::Line;
use super::matches::standings_of;

/// The plan of a tournament, with the counts of all matches read so far.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) head: TournamentHead,
    pub(super) game: GameName,
    pub(super) state: State,
    pub(super) hosts: Hosts,
    /// The question that the tournament answers, and its test so far.
    trial: Option<(Comparison, Trial)>,
}

/// A new match: its summary, its bots by number, and the place of its line.
pub(super) type Added = (Summary, Vec<usize>, Place);

impl Read {
    pub(super) fn plan(dir: &Path) -> Result<Read, Error> {
        let head = TournamentHead::read(dir)?;
        let state = State::of(&head)?;
        let game = GameName::named(&head.plan.game).expect("it has a schedule, so the game is known");
        let trial = Comparison::read(dir).ok().map(|asked| {
            let plan = &head.plan;
            let trial = for_game!(game, G => asked.trial::<G>(plan), plain G => asked.trial::<G>(plan));
            (asked, trial)
        });
        Ok(Read { head, game, state, hosts: Hosts::default(), trial })
    }

    /// Counts a match from the file with this number. Returns `None` if the match was counted before.
    pub(super) fn count(&mut self, source: u32, line: Line<'_>) -> Result<Option<Added>, Error> {
        let summary = journal::line::summary(line.bytes)
            .map_err(|error| Error::usage(format!("this is not a match record: {error}")))?;
        let applied = match line.head {
            Some(head) => head
                .check_match(&self.head.plan_digest, summary.index)
                .and_then(|()| self.state.apply(&summary)),
            None => self.state.apply_of_earlier_plan(&summary),
        };
        let Applied { bots, is_new } = applied?;
        if !is_new {
            return Ok(None);
        }
        if let Some(head) = line.head {
            self.hosts.add(head, &summary, &bots);
        }
        if let Some((_, trial)) = &mut self.trial {
            trial.counted(&summary);
        }
        let place = Place { source, offset: line.offset, length: line.bytes.len() as u32 };
        Ok(Some((summary, bots, place)))
    }

    /// Returns true if the tournament is a comparison whose answer is known.
    pub(super) fn is_decided(&self) -> bool {
        self.trial.as_ref().is_some_and(|(_, trial)| trial.is_decided())
    }

    /// Returns the answer of a comparison so far with the way of its test, as JSON. `null` for another tournament.
    pub(super) fn comparison(&self) -> String {
        let told = self.trial.as_ref().map(|(asked, trial)| {
            let answer = trial.answer();
            let (verdict, estimate) = (asked.verdict(&answer), asked.estimate(&answer));
            json!({"bots": asked.bots, "question": asked.question, "answer": answer, "verdict": verdict, "estimate": estimate, "course": trial.course()})
        });
        json!(told).to_string()
    }

    /// Returns the tables as JSON, the table of all bots as comma-separated values, and what the tables mean as a JSON
    /// list of lines. Also returns the rows of the table.
    pub(super) fn tables(&self) -> ([String; 3], Vec<Row>) {
        let standings = standings_of(&self.state);
        let [json, csv] = [Format::Json, Format::Csv].map(|format| render(&standings, format));
        let notes = serde_json::to_string(&notes(&standings)).expect("lines of text");
        ([json, csv, notes], standings.rows)
    }
}
