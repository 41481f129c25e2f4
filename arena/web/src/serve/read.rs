//! The state of a tournament that is being read: its plan, and the counts so far.

use std::path::Path;

use referee::error::Error;
use referee::games::GameName;
use referee::record::Summary;
use tournament::journal;
use tournament::plan::TournamentHead;
use tournament::plan::hosts::Hosts;
use tournament::report::tables::{Format, notes, render};
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
}

/// A new match: its summary, its bots by number, and the place of its line.
pub(super) type Added = (Summary, Vec<usize>, Place);

impl Read {
    pub(super) fn plan(dir: &Path) -> Result<Read, Error> {
        let head = TournamentHead::read(dir)?;
        let state = State::of(&head)?;
        let game = GameName::named(&head.plan.game).expect("it has a schedule, so the game is known");
        Ok(Read { head, game, state, hosts: Hosts::default() })
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
        let place = Place { source, offset: line.offset, length: line.bytes.len() as u32 };
        Ok(Some((summary, bots, place)))
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
