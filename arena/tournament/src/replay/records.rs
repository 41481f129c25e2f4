//! The verified matches of a source.

use std::sync::Arc;

use super::{Judge, PlanCheck, Source, WatchRecord};
use crate::plan::TournamentFile;
use referee::error::Error;
use referee::games::GameKind;
use referee::record::MatchRecord;

/// The matches of a source, each checked against the rules, and against the plan of its tournament if there is one.
#[derive(Debug)]
pub struct Records<'a, G: GameKind> {
    pub(super) source: &'a Source,
    file: Option<TournamentFile<G::Setup>>,
    pub(super) judge: Judge<G>,
}

/// A match and its rules.
pub type Verified<G> = (MatchRecord<G>, Arc<<G as engine::game::Game>::Equipment>);

impl<'a, G: GameKind> Records<'a, G> {
    /// Opens the source of matches of this game.
    ///
    /// # Errors
    /// The file of the tournament cannot be read, or its schedule cannot be played.
    pub fn open(source: &'a Source) -> Result<Records<'a, G>, Error> {
        let file = source.tournament::<G>()?;
        let plan = file.as_ref().map(|file| PlanCheck::new::<G>(file, source.lines()?)).transpose()?;
        Ok(Records { source, file, judge: Judge::new(plan) })
    }

    /// Returns the matches with this equipment, as [`Judge::equipped`].
    #[must_use]
    pub fn equipped(self, equipment: Option<Arc<G::Equipment>>) -> Records<'a, G> {
        Records { judge: self.judge.equipped(equipment), ..self }
    }

    /// The file of the tournament, if the matches are those of one.
    pub fn file(&self) -> Option<&TournamentFile<G::Setup>> {
        self.file.as_ref()
    }

    /// Returns the match of a line, which has this number.
    ///
    /// # Errors
    /// The answer "no" if the match does not hold.
    pub fn verified(&mut self, number: u64, line: &[u8]) -> Result<Verified<G>, Error> {
        let record = self.watched(number, line, &mut |_, _, _| ())?;
        let equipment = self.equipment(number, &record)?;
        Ok((record, equipment))
    }

    /// Returns the rules and components of a match.
    ///
    /// # Errors
    /// The answer "no" if they do not fit each other.
    pub fn equipment(&mut self, number: u64, record: &MatchRecord<G>) -> Result<Arc<G::Equipment>, Error> {
        self.judge.equipment(record).map_err(|difference| self.source.no(number, &difference))
    }

    /// Returns the match of a line, and calls `watch` for each decision.
    ///
    /// # Errors
    /// As [`verified`](Self::verified).
    pub fn watched(
        &mut self,
        number: u64,
        line: &[u8],
        watch: &mut WatchRecord<'_, G>,
    ) -> Result<MatchRecord<G>, Error> {
        self.judge.watched(line, watch).map_err(|difference| self.source.no(number, &difference))
    }
}
