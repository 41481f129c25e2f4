//! `arena rerun`: plays a recorded match again, with the same bots on the same deal.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::report::output::{say, show};
use crate::setup::lineup::LineupOptions;
use crate::setup::positions::Origin;
use crate::setup::rules::GameArgs;
use crate::setup::select::RecordsArgs;
use crate::setup::trust;
use crate::setup::versions;
use referee::bots::entrants::{Entrant, keep_apart};
use referee::bots::identity::Identity;
use referee::error::Error;
use referee::for_game;
use referee::games::GameKind;
use referee::play::{MatchPlan, Position, Rules};
use referee::record::MatchRecord;
use referee::seats::pool::Pool;
use referee::seats::solo::SoloGame;
use referee::seats::table::{Played, SeatSource, play, play_together};
use sandbox::text;
use tournament::plan::TournamentFile;
use tournament::replay::compare::{first_decision, first_reproduced};
use tournament::replay::{Difference, Place, Records, Source};

#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    #[command(flatten)]
    pub(crate) records: RecordsArgs,
    /// Let the bots take over in this position, on the recorded deal: DIR#MATCH@TURN or RECORD@TURN
    #[arg(long, value_name = "POSITION", conflicts_with_all = ["file", "matched", "with", "fault", "deal", "slow", "sort", "first"])]
    pub(crate) from: Option<Origin>,
    /// Start a bot of the match as NAME=COMMAND [default: as the tournament did]
    #[arg(long = "bot", value_name = "BOT")]
    pub(crate) bots: Vec<String>,
    #[command(flatten)]
    pub(crate) lineup: LineupOptions,
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Grant the files and network access that the directory asks for
    #[arg(long)]
    pub(crate) trust: bool,
}

pub(crate) fn run(mut args: RerunArgs) -> Result<(), Error> {
    match &args.from {
        None => {}
        Some(Origin::Record { source, index, .. }) => {
            args.records = RecordsArgs::of(source.named(), *index);
        }
        Some(Origin::File { .. }) => {
            return Err(Error::usage("a file of positions has no bots")
                .hint("name the turn of a record: --from DIR#MATCH@TURN"));
        }
    }
    let (args, source) = (&args, &args.records.source()?);
    for_game!(source.game()?, G => rerun::<G>(args, source))
}

fn rerun<G: GameKind>(args: &RerunArgs, source: &Source) -> Result<(), Error> {
    let mut records = Records::<G>::open(source)?;
    let equipment = args.game.recorded::<G>(source, records.file(), &args.lineup, args.trust)?;
    records = records.equipped(equipment);
    let mut seen = BTreeSet::new();
    let mut differences = Vec::new();
    let is_own = |file| trust::is_own(file, source.dir(), &args.lineup);
    let is_trusted = args.trust || records.file().map(is_own).transpose()?.unwrap_or_default();
    // Nobody else's results choose the folder of a bot.
    let above = source.dir().canonicalize().unwrap_or_default();
    let folders = above.ancestors().skip(1).map(PathBuf::from).chain([PathBuf::new()]);
    let folders: Vec<PathBuf> = folders.filter(|_| is_trusted).collect();
    for (number, line) in args.records.lines(source)? {
        let (record, equipment) = records.verified(number, &line)?;
        let recorded = (source, records.file(), is_trusted, &folders[..]);
        differences.extend(rerun_one(args, recorded, &record, equipment, &mut seen)?);
    }
    // The last one is the error of the command.
    match differences.pop() {
        None => Ok(()),
        Some(last) => {
            differences.iter().for_each(|difference| say(&difference.to_string()));
            Err(Error::no(last.to_string()))
        }
    }
}

/// Plays a match again. Returns its difference from the record, if there is one. The file of the tournament comes with
/// true if its bots are trusted, and with the folders in which their files are sought. `seen` has the bots whose files were compared.
fn rerun_one<G: GameKind>(
    args: &RerunArgs,
    (source, file, is_trusted, folders): (&Source, Option<&TournamentFile<G::Setup>>, bool, &[PathBuf]),
    record: &MatchRecord<G>,
    equipment: Arc<G::Equipment>,
    seen: &mut BTreeSet<String>,
) -> Result<Option<Difference>, Error> {
    if let Some(file) = file {
        let is_started = |bot: &&Identity| record.bots.contains(&bot.name) && !is_named(args, &bot.name);
        trust::check(file, source.dir(), file.plan.bots.iter().filter(is_started), &args.lineup, is_trusted)?;
    }
    let lineup = args.lineup.over_tournament(file);
    let mut entrants = entrants(record, args, file, (is_trusted, folders))?;
    lineup.equip(&mut entrants, &[], true)?;
    crate::setup::runtime::block_on(say_changes(&entrants, args, file, seen))??;
    let mut plan =
        MatchPlan::of_record(record, Rules::new(equipment), &args.lineup.times.of_seats(record, file));
    if let Some(Origin::Record { turn, .. }) = args.from {
        plan.start = Position::of_record(record, turn, true)?.start(&plan.rules.equipment, record.seed);
    }
    plan.seats.iter_mut().zip(&entrants).for_each(|(seat, bot)| seat.retries = bot.identity.retries);
    let (host, _) = crate::setup::runtime::block_on(lineup.host(
        &entrants,
        &[G::is_simultaneous(&record.setup)],
        false,
    ))??;
    keep_apart(&mut entrants, &[]);
    let again =
        crate::setup::runtime::block_on(play_again(&plan, &entrants, &record.alone, &Pool::fresh(&host)))??;
    // The match is the same whether its first moves were given or played.
    let again = MatchRecord { start: record.start, ..again }.sealed();
    let difference = difference(record, &again);
    if difference.is_none() {
        show(&format!(
            "match {}: all {} decisions agree, digest {}\n",
            record.index,
            record.turns.len(),
            record.digest
        ))?;
    }
    Ok(difference)
}

/// Prints a note for each file of a recorded bot that has changed since the record.
async fn say_changes<S>(
    entrants: &[Entrant],
    args: &RerunArgs,
    file: Option<&TournamentFile<S>>,
    seen: &mut BTreeSet<String>,
) -> Result<(), Error> {
    for bot in file.iter().flat_map(|file| &file.plan.bots) {
        let is_it = |entrant: &&Entrant| entrant.identity.name == bot.name && !is_named(args, &bot.name);
        let Some(entrant) = entrants.iter().find(is_it).filter(|_| seen.insert(bot.name.clone())) else {
            continue;
        };
        for path in entrant.changed_files(bot).await? {
            say(&format!("note: {} of {} has changed since the record", text::path(&path), bot.name));
        }
    }
    Ok(())
}

/// Returns true if an option says how to start this bot.
fn is_named(args: &RerunArgs, name: &str) -> bool {
    args.bots.iter().any(|text| text.split_once('=').is_some_and(|(own, _)| own == name))
}

/// Plays the match again, and returns its record. The bots in the seats of `alone` play the deal alone.
async fn play_again<G: GameKind>(
    plan: &MatchPlan<G>,
    entrants: &[Entrant],
    alone: &[usize],
    pool: &Pool,
) -> Result<MatchRecord<G>, Error> {
    let mut sources = Vec::new();
    for (seat, entrant) in entrants.iter().enumerate() {
        sources.push(match alone.contains(&seat).then(|| plan.alone(seat)).flatten() {
            None => SeatSource::Process(entrant),
            Some((_, plan)) => {
                let Played { record, .. } = play_together(&plan, &[entrant], pool, &mut |_, _| ()).await?;
                SeatSource::Alone(Arc::new(SoloGame::new(record, None)))
            }
        });
    }
    play(plan, &sources, pool, None, &mut |_, _| ()).await.map(|played| played.record)
}

/// Returns the bot of each seat: from an option, otherwise from the tournament's file, with its files in one of these folders.
fn entrants<G: GameKind>(
    record: &MatchRecord<G>,
    args: &RerunArgs,
    file: Option<&TournamentFile<G::Setup>>,
    (is_trusted, folders): (bool, &[PathBuf]),
) -> Result<Vec<Entrant>, Error> {
    let named = versions::entrants(&args.bots, &args.lineup.build)?;
    if let Some(foreign) = named.iter().find(|entrant| !record.bots.contains(&entrant.identity.name)) {
        let bots = record.bots.join(", ");
        return Err(Error::usage(format!(
            "no bot of this match is named {:?}: it has {bots}",
            foreign.identity.name
        ))
        .hint("name it as the record does: --bot NAME=COMMAND"));
    }
    let entrant = |name: &String| {
        let identity = || file?.plan.bots.iter().find(|bot| bot.name == *name);
        match (named.iter().find(|entrant| entrant.identity.name == *name), identity()) {
            (Some(entrant), _) => Ok(entrant.clone()),
            (None, Some(identity)) => Entrant::of_results(identity, is_trusted, folders),
            (None, None) => Err(Error::usage(format!("the record has no command for {name:?}"))
                .hint(format!("set it with --bot {name}=COMMAND"))),
        }
    };
    record.bots.iter().map(entrant).collect()
}

/// Returns the first different decision with both answers, or the first other difference. Returns `None` if
/// the digests are the same.
fn difference<G: GameKind>(record: &MatchRecord<G>, again: &MatchRecord<G>) -> Option<Difference> {
    if record.digest == again.digest {
        return None;
    }
    let plain = |record| serde_json::to_value(record).expect("a record is plain data");
    let (old, new) = (plain(record), plain(again));
    Some(match (first_decision(&old, &new), first_reproduced(&old, &new)) {
        (Some(found), _) => {
            let id = u32::try_from(found.id).unwrap_or(u32::MAX);
            let what = format!("the record has {}, now it is {}", found.left, found.right);
            Difference::new(record, Place::turn(record, id, found.seat), what)
        }
        (None, found) => {
            let what = found.map_or("the digest differs".to_owned(), |found| {
                format!("{} is {} in the record and {} now", found.path, found.left, found.right)
            });
            Difference::new(record, Place::default(), what)
        }
    })
}
