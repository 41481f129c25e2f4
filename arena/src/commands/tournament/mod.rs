//! `arena tournament`: plays a tournament from options and a league file, and prints its tables.

mod emit;

use std::io::{IsTerminal, stderr, stdin};
use std::path::Path;

use bytesize::ByteSize;

use crate::report::output::{print, say, show};
use crate::report::progress::Progress;
use crate::report::tables::{TableOptions, say_where};
use crate::setup::args::TournamentArgs;
use crate::setup::asked::Asked;
use crate::setup::containment::caption;
use crate::setup::roster::bound;
use crate::setup::runtime::stop_by_signals;
use referee::error::Error;
use referee::for_game;
use referee::games::GameKind;
use tournament::journal::claim::Claim;
use tournament::journal::shard::Shard;
use tournament::plan::commitment::Commitment;
use tournament::report::joint::Joint;
use tournament::report::tables::Format;
use tournament::report::words::count;
use tournament::run::concurrency::Concurrency;
use tournament::run::owner::Finished;
use tournament::run::shard;
use tournament::run::tournament::Tournament;
use tournament::schedule::ScheduleName;
use tournament::standings::{Standings, Tally};

/// The bytes of a match in a journal for each seat: about 1,800 at doodle, 1,760 at patchwork.
const SEAT_BYTES: u64 = 1_800;
/// A tournament that takes more bytes than this begins only if the user says so.
const LARGE_BYTES: u64 = 10_000_000_000;

pub(crate) fn run(args: TournamentArgs) -> Result<(), Error> {
    if let Some((engine, shards)) = args.emit.zip(args.shards) {
        return print(&emit::script(engine, shards, args)?);
    }
    let tables = args.tables.clone();
    let (mut stages, mut league) = (Vec::new(), None);
    for (name, request) in Asked::all(args)? {
        if !name.is_empty() {
            show(&format!("stage {name}\n"))?;
            league = request.league();
        }
        let standings = for_game!(request.game()?, G => run_game::<G>(request, &tables))?;
        stages.extend(standings.map(|standings| (name, standings.rows)));
    }
    let Some(league) = league else { return Ok(()) };
    let joint = Joint::of(&stages);
    joint.write(&league)?;
    if stages.len() > 1 { show(&joint.render(Format::Table)) } else { Ok(()) }
}

/// Plays a tournament. Returns its standings, or `None` for a shard.
fn run_game<G: GameKind>(request: Asked, tables: &TableOptions) -> Result<Option<Standings>, Error> {
    let (quiet, commit) = (request.quiet(), request.commit()?);
    let (tournament, out, concurrency) = request.prepare::<G>()?;
    if let Some((source, form)) = commit {
        let mode = tournament.file.containment.as_ref().map(|contained| contained.mode);
        let bound = bound(&tournament.entrants, mode.unwrap_or_default())?;
        let planned = tournament.file.plan.unseeded_digest();
        show(&Commitment::make(out.path(), &planned, &source, &form, bound)?.lines())?;
        let again = format!("--reveal VALUE --out {}", out.path().display());
        say(&format!(
            "publish these lines before the value is known; then play with the same options and {again}"
        ));
        return Ok(None);
    }
    let shard = tournament.shard;
    if shard != Shard::WHOLE
        && let Some(matches) = shard::done_in(out.path(), shard, &tournament.file.plan_digest)?
    {
        say(&done(shard, matches, tournament.total()?, out.path()));
        return Ok(None);
    }
    play(&tournament, &out, concurrency, quiet, tables)
}

/// Formats the message for a finished shard.
fn done(Shard { part, of }: Shard, matches: u64, total: u64, out: &Path) -> String {
    format!("shard {part}/{of} is done: {matches} of {} are in {}", count(total, "match"), out.display())
}

fn play<G: GameKind>(
    tournament: &Tournament<G>,
    claim: &Claim,
    concurrency: Concurrency,
    quiet: bool,
    tables: &TableOptions,
) -> Result<Option<Standings>, Error> {
    let out = claim.path();
    let total = tournament.total()?;
    tournament.older("tournament", out).iter().for_each(|line| say(line));
    let bytes = total.saturating_mul(SEAT_BYTES * tournament.file.plan.seats as u64);
    if !quiet {
        say(&headline(tournament, (total, bytes), concurrency, out));
    }
    if bytes > LARGE_BYTES {
        say(&format!("note: this takes about {:.0} of the disk", ByteSize(bytes).display().si()));
        if stdin().is_terminal() && stderr().is_terminal() {
            say("press Enter to play it, or Ctrl-C to leave");
            stdin().read_line(&mut String::new()).map_err(|error| Error::host(error.to_string()))?;
        }
    }
    let stop = stop_by_signals()?;
    let progress = Progress::new(total, quiet);
    let finished =
        tournament.run(claim, concurrency, &stop, &mut |tally: &Tally, total| progress.show(tally, total));
    progress.clear();
    let Finished { standings, total, left } =
        finished.map_err(|error| tournament.told("tournament", out, error))?;
    let (matches, shown, shard) = (standings.matches, out.display(), tournament.shard);
    if let Some(error) = tournament.changed("tournament", out).filter(|_| left > 0) {
        return Err(error);
    }
    if left > 0 {
        let hint = match shard {
            Shard::WHOLE => format!("continue with: {}", tournament.resume("tournament", out)),
            Shard { part, of } => format!("continue with shard {part}/{of} by the same command"),
        };
        let played = format!("{matches} of {} are in {shown}", count(total, "match"));
        return Err(stop.error(played).hint(hint));
    }
    if shard != Shard::WHOLE {
        say(&done(shard, matches, total, out));
        return Ok(None);
    }
    tables.show(&standings)?;
    if let Some(caption) = tournament.file.containment.as_ref().and_then(caption) {
        show(caption)?;
    }
    if !quiet {
        say_where(out, &standings);
    }
    Ok(Some(standings))
}

/// Formats the plan of a tournament in one line.
fn headline<G: GameKind>(
    tournament: &Tournament<G>,
    (total, bytes): (u64, u64),
    concurrency: Concurrency,
    out: &Path,
) -> String {
    let plan = &tournament.file.plan;
    let (schedule, more) = match (plan.schedule.schedule, plan.schedule.max_rounds) {
        (ScheduleName::RoundRobin, None) => (String::new(), String::new()),
        (schedule, None) => (format!(" {}", schedule.as_str()), String::new()),
        (schedule, Some(most)) => {
            (format!(" {}", schedule.as_str()), format!(" and up to {most} until decided"))
        }
    };
    let each = match plan.schedule.schedule {
        ScheduleName::Draw if plan.every_seat_each_deal::<G>() => " in every seat",
        schedule if schedule.is_by_results() => " each",
        _ => "",
    };
    let positions = match plan.positions.len() as u64 {
        0 => String::new(),
        positions => format!(" from {}", count(positions, "position")),
    };
    format!(
        "{}{schedule}: {}, {} of {} on {}{each}{positions}{more}, seed {}, {concurrency}, about {:.0} into {}",
        plan.game,
        count(plan.bots.len() as u64, "bot"),
        count(total, "match"),
        count(plan.seats as u64, "seat"),
        count(plan.rounds, "deal"),
        plan.seed,
        ByteSize(bytes).display().si(),
        out.display()
    )
}
