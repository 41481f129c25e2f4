//! The rules and components of a tournament, and its settings.

use std::sync::Arc;

use super::args::{Seats, TournamentOptions};
use super::asked::Asked;
use super::claimed::Claimed;
use super::lineup::LineupOptions;
use super::positions::Positions;
use super::roster::is_it;
use super::rules::RulesArgs;
use super::trust;
use crate::report::output::say;
use referee::bots::identity::Identity;
use referee::error::Error;
use referee::games::{GameKind, equip, equip_plan};
use referee::play::Position;
use tournament::plan::{TOURNAMENT, TournamentFile};

/// The most bytes of all positions. The file of the tournament has them, and no file of more than 16 MiB is read.
const POSITIONS_BYTES_MAX: usize = 8 << 20;

/// What is asked for, with the rules, and with missing settings filled in from the resumed tournament.
pub(super) struct Equipped<G: GameKind> {
    pub(super) claimed: Claimed<G>,
    pub(super) settings: TournamentOptions,
    pub(super) lineup: LineupOptions,
    pub(super) positions: Vec<Position<G>>,
    pub(super) equipment: Arc<G::Equipment>,
}

impl<G: GameKind> Claimed<G> {
    /// Returns the rules of the positions, of the options, or of the resumed tournament. Nothing starts before the user
    /// grants what its file asks for, except for the program of a game that is trusted.
    pub(super) fn equip(self) -> Result<Equipped<G>, Error> {
        let args = &self.asked.args;
        let positions = self.positions()?;
        let equipment = self.equipment(positions.as_ref())?;
        let (mut settings, mut lineup) = (args.settings.clone(), args.lineup.clone());
        if let Some(positions) = positions.as_ref().filter(|_| args.settings.positions.is_some()) {
            settings = self.fitted(settings, positions)?;
        }
        if let Some(file) = &self.earlier {
            self.check_trust(file)?;
            settings = settings.over(TournamentOptions::of(file));
            lineup = lineup.over(LineupOptions::of(file));
        }
        let positions = positions.map_or(Vec::new(), |positions| positions.positions);
        Ok(Equipped { claimed: self, settings, lineup, positions, equipment })
    }

    /// Returns the positions of the options, or else of the resumed tournament.
    fn positions(&self) -> Result<Option<Positions<G>>, Error> {
        let args = &self.asked.args;
        if let (None, Some(earlier)) = (&args.settings.positions, &self.earlier) {
            return Positions::of_plan(&self.path().join(TOURNAMENT), &earlier.plan);
        }
        if args.settings.positions.is_none() && args.settings.deal_as_recorded {
            return Err(Error::usage("--deal-as-recorded is for --positions").hint("name their file"));
        }
        self.asked.from().read::<G>(&args.rules, args.lineup.containment.contain)
    }

    /// Returns the settings with the numbers of seats and deals of these positions, unless others are asked for.
    fn fitted(
        &self,
        mut settings: TournamentOptions,
        Positions { equipment, positions, seats }: &Positions<G>,
    ) -> Result<TournamentOptions, Error> {
        let bytes: usize = positions.iter().map(|position| position.to_line().len()).sum();
        if bytes > POSITIONS_BYTES_MAX {
            let (count, most) = (positions.len(), POSITIONS_BYTES_MAX >> 20);
            return Err(Error::usage(format!(
                "{count} positions are too many: they take {} MiB",
                bytes >> 20
            ))
            .hint(format!("a tournament's file has room for {most} MiB: split the positions")));
        }
        let asked = *settings.seats.get_or_insert(Seats::Count(*seats));
        if asked != Seats::Count(*seats) {
            return Err(Error::usage(format!("--seats {asked}, and the positions have {seats} seats"))
                .hint("leave out --seats"));
        }
        // Without cards to deal anew, a round repeats the earlier one in its position.
        let repeats = positions.iter().all(|position| position.is_whole(equipment));
        let count = positions.len() as u64;
        let default = if repeats { count } else { count.max(self.asked.rounds_default) };
        let rounds = *settings.rounds.get_or_insert(default);
        if repeats && rounds > count && !self.asked.args.quiet {
            say(
                "note: nothing is dealt anew, so more rounds than positions repeat matches of bots without chance",
            );
        }
        Ok(settings)
    }

    /// Returns the equipment of the positions or of the options. Without such options, a resumed tournament keeps its
    /// equipment.
    fn equipment(&self, positions: Option<&Positions<G>>) -> Result<Arc<G::Equipment>, Error> {
        let args = &self.asked.args;
        let contain = args.lineup.over_tournament(self.earlier.as_ref()).containment.contain;
        match (positions, &self.earlier) {
            (Some(positions), _) => Ok(Arc::clone(&positions.equipment)),
            (None, Some(earlier)) if args.rules == RulesArgs::default() && args.game.command.is_none() => {
                if G::IS_PROGRAM && !self.is_own {
                    return Err(trust::untrusted_game(&earlier.plan.game));
                }
                equip_plan::<G>(&earlier.plan.setup, args.game.run(contain)).map(Arc::new)
            }
            _ => equip::<G>(&args.rules.options(&args.game, contain)).map(Arc::new),
        }
    }

    /// Checks that the user grants all rights beyond the default that the tournament's file requests.
    fn check_trust(&self, file: &TournamentFile<G::Setup>) -> Result<(), Error> {
        let Asked { args, entrants, .. } = &self.asked;
        let returning = file.withdrawn.iter().filter(|bot| args.replace.contains(&bot.name));
        let bots = file.plan.bots.iter().filter(|bot| !args.without.contains(&bot.name));
        let is_named = |bot: &&Identity| entrants.iter().any(|entrant| is_it(&entrant.identity, bot));
        let bots = bots.chain(returning).filter(|bot| !is_named(bot));
        trust::check(file, self.path(), bots, &args.lineup, self.is_own)
    }
}
