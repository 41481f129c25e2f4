//! What the user asks for: options over a league file. It becomes a tournament in steps, each a value of its own: the
//! directory is claimed, the game is equipped, the plan is outlined, the bots line up, and the tournament is planned.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::setup::args::{TournamentArgs, TournamentOptions};
use crate::setup::league::League;
use crate::setup::lineup::LineupOptions;
use crate::setup::out::{self, game_in};
use crate::setup::positions::FromOptions;
use crate::setup::times::Times;
use crate::setup::versions::{entrants, version};
use crate::setup::words::seed_of_environment;
use referee::bots::entrants::Entrant;
use referee::bots::identity::Identity;
use referee::bots::preflight::Greetings;
use referee::error::Error;
use referee::games::GameName;
use tournament::journal::claim::Claim;
use tournament::journal::shard::Shard;
use tournament::plan::TOURNAMENT;
use tournament::plan::commitment::check_form;

/// The name of directories for leagues with stages.
const LEAGUE: &str = "league";

/// The options, with missing ones filled in from the league file.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(super) args: TournamentArgs,
    /// The bots. Empty if neither the options nor the league file name one.
    pub(super) entrants: Vec<Entrant>,
    /// The name of a numbered directory for the results, if it is not the name of the game.
    pub(super) name: Option<&'static str>,
    /// The number of deals from positions with something hidden, if there are fewer positions.
    pub(super) rounds_default: u64,
    /// True if more bots will join, also where two bots meet for a start.
    pub(super) grows: bool,
    /// Directories with matches that count too.
    pub(super) joining: Vec<PathBuf>,
    /// The greetings of bots that need no further start.
    pub(super) greeted: Arc<Mutex<Greetings>>,
    /// The directory around the results, if they are those of a stage. All stages share the claim.
    pub(super) league: Option<Arc<Claim>>,
}

/// Settings for a script that plays shards, in addition to the options of the user.
pub(crate) struct InShards {
    /// The drawn seed, or `None` if the options or the league file set one.
    pub(crate) seed: Option<u64>,
    /// True if the options or the league file name a directory.
    pub(crate) out_given: bool,
    /// The directory for all shards.
    pub(crate) out: PathBuf,
    /// The number of cores that the matches of a shard keep busy, or `None` if `jobs` is not set.
    pub(crate) cores: Option<u64>,
}

impl Asked {
    /// Returns what is asked for the only tournament of these arguments.
    ///
    /// # Errors
    /// The arguments or the league file are wrong, or the file has stages.
    pub(crate) fn new(args: TournamentArgs) -> Result<Asked, Error> {
        let mut all = Asked::all(args)?;
        match (all.pop(), all.is_empty()) {
            (Some((_, asked)), true) => Ok(asked),
            _ => Err(Error::usage("a league file with stages is not for a script of shards")
                .hint("use a league file for each stage")),
        }
    }

    /// Returns what is asked for each tournament of these arguments, with the name of its stage. A league file without
    /// stages has one tournament.
    ///
    /// # Errors
    /// The arguments or the league file are wrong.
    pub(crate) fn all(mut args: TournamentArgs) -> Result<Vec<(String, Asked)>, Error> {
        args.settings.seed = args.settings.seed.map_or_else(seed_of_environment, |seed| Ok(Some(seed)))?;
        let (mut league, bots) = args.league.as_deref().map(League::read).transpose()?.unwrap_or_default();
        let stages = std::mem::take(&mut league.stages);
        let stage_limits = std::mem::take(&mut league.stage_limits);
        let (options, lineup) = (args.settings.clone(), args.lineup.clone());
        let is_committed = args.commit.is_some() || args.reveal.is_some();
        if is_committed && args.settings.seed.or(league.tournament.seed).is_some() {
            return Err(Error::usage("a committed seed follows from a secret, and another seed is set")
                .hint("leave out --seed, ARENA_SEED, and the seed of the league file"));
        }
        let mut base = Asked::of(args, league, &bots)?;
        if stages.is_empty() {
            return Ok(vec![(String::new(), base)]);
        }
        if is_committed {
            return Err(Error::usage("a commitment is for one tournament, and the league file has stages")
                .hint("use a league file for each stage"));
        }
        if base.args.shard.is_some() {
            return Err(Error::usage("the stages of a league file cannot be played in shards")
                .hint("use a league file for each stage"));
        }
        let place = match &base.args.settings.out {
            None if base.args.resume => out::resumed(None)?,
            None => base.league.insert(Arc::new(out::fresh(None, LEAGUE)?)).path().to_owned(),
            Some(out) => out.clone(),
        };
        let one = |(number, (stage, of_stage)): (usize, (TournamentOptions, Times))| {
            if stage.out.is_some() {
                return Err(Error::usage(format!("stage {}: out is for the whole league", number + 1))
                    .hint("set out in [tournament]"));
            }
            let mut asked = base.clone();
            // Options are for all stages, and stages come before `[tournament]`.
            asked.args.settings = options.clone().over(stage).over(base.args.settings.clone());
            let of_stage = LineupOptions { times: of_stage, ..LineupOptions::default() };
            asked.args.lineup = lineup.clone().over(of_stage).over(base.args.lineup.clone());
            let settings = &asked.args.settings;
            let seats = settings.seats.map_or(String::new(), |seats| format!("-{seats}"));
            let game = asked.args.game.game(settings.game)?.unwrap_or_default().as_str();
            let name = format!("{}-{game}{seats}", number + 1);
            let out = place.join(&name);
            // A stage that was not reached yet begins.
            asked.args.resume &= out.join(TOURNAMENT).exists();
            asked.args.settings.out = Some(out);
            Ok((name, asked))
        };
        stages.into_iter().zip(stage_limits).enumerate().map(one).collect()
    }

    fn of(args: TournamentArgs, league: League, bots: &[Identity]) -> Result<Asked, Error> {
        let entrants: Result<Vec<Entrant>, Error> = match args.bots.is_empty() {
            false => entrants(&args.bots, &args.lineup.build),
            true => bots.iter().map(|bot| Entrant::new(&version(bot.clone(), &args.lineup.build)?)).collect(),
        };
        let entrants = entrants?;
        let lineup = league.lineup();
        let args = TournamentArgs {
            settings: args.settings.over(league.tournament),
            lineup: args.lineup.over(lineup),
            rules: args.rules.over(league.rules),
            game: args.game.over(league.game),
            // The only shard is the whole tournament.
            shard: args.shard.filter(|&shard| shard != Shard::WHOLE),
            ..args
        };
        Ok(Asked {
            args,
            entrants,
            name: None,
            rounds_default: 1,
            grows: false,
            joining: Vec::new(),
            greeted: Arc::default(),
            league: None,
        })
    }

    /// Gives the directory of the results this name and a number, unless the options name one, and sets the default number
    /// of deals in positions.
    pub(crate) fn named(self, name: &'static str, rounds_default: u64) -> Asked {
        Asked { name: Some(name), rounds_default, ..self }
    }

    /// Returns the same for a tournament that more bots will join, and in which the matches of these directories count. Bots
    /// that have been `greeted` are not started before the first match.
    pub(crate) fn growing(self, joining: Vec<PathBuf>, greeted: Arc<Mutex<Greetings>>) -> Asked {
        Asked { grows: true, joining, greeted, ..self }
    }

    /// Returns the public value of the seed to which the tournament is only to be committed, and its form.
    pub(crate) fn commit(&self) -> Result<Option<(String, String)>, Error> {
        check_form(&self.args.form)?;
        Ok(self.args.commit.clone().map(|source| (source, self.args.form.clone())))
    }

    /// Returns the folder around the results of a stage.
    pub(crate) fn league(&self) -> Option<PathBuf> {
        self.args.settings.out.as_ref()?.parent().map(Path::to_owned)
    }

    pub(crate) fn quiet(&self) -> bool {
        self.args.quiet
    }

    /// Returns the requested game, the game of the tournament to resume, or the default.
    pub(crate) fn game(&self) -> Result<GameName, Error> {
        match (self.args.game.game(self.args.settings.game)?, self.args.resume) {
            (None, true) => game_in(&out::resumed(self.args.settings.out.as_deref())?),
            (asked, _) => self.from().game(asked),
        }
    }

    /// Returns the options for positions.
    pub(super) fn from(&self) -> FromOptions {
        let TournamentOptions { positions, deal_as_recorded, .. } = &self.args.settings;
        FromOptions { from: positions.clone(), deal_as_recorded: *deal_as_recorded, instead: None }
    }
}
