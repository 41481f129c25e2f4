//! `arena tournament`: plays a tournament from options and a league file, and prints its tables.

mod emit;

use std::path::Path;
use std::time::Instant;

use crate::report::output::{print, say, show};
use crate::report::progress::Progress;
use crate::report::tables::{TableOptions, say_where};
use crate::setup::args::{Every, TournamentArgs};
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

pub(crate) fn run(args: TournamentArgs) -> Result<(), Error> {
    if let Some((engine, shards)) = args.emit.zip(args.shards) {
        return print(&emit::script(engine, shards, args)?);
    }
    let tables = Tables { options: args.tables.clone(), interim: args.interim };
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

/// The tables that a tournament prints.
struct Tables {
    options: TableOptions,
    /// The interval between two interim standings.
    interim: Option<Every>,
}

/// Decides when interim standings are due.
struct Interim {
    every: Every,
    /// The number of matches and the time of the last ones, or of the beginning.
    last: Option<(u64, Instant)>,
}

impl Interim {
    /// Returns true if interim standings are due after this number of matches.
    fn is_due(&mut self, matches: u64, total: u64) -> bool {
        let now = Instant::now();
        let &mut (last_matches, last_time) = self.last.get_or_insert((matches, now));
        let is_due = match self.every {
            Every::Matches(count) => matches >= last_matches + count,
            Every::Time(time) => now >= last_time + time && matches > last_matches,
        };
        if is_due {
            self.last = Some((matches, now));
        }
        is_due && matches < total
    }
}

/// Plays a tournament. Returns its standings, or `None` for a shard.
fn run_game<G: GameKind>(request: Asked, tables: &Tables) -> Result<Option<Standings>, Error> {
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
    tables: &Tables,
) -> Result<Option<Standings>, Error> {
    let out = claim.path();
    let total = tournament.total()?;
    if !quiet {
        say(&headline(tournament, total, concurrency, out));
    }
    let stop = stop_by_signals()?;
    let progress = Progress::new(total, quiet);
    let mut interim = tables.interim.map(|every| Interim { every, last: None });
    let watch = |tally: &Tally, total: u64| {
        progress.show(tally, total);
        if interim.as_mut().is_some_and(|interim| interim.is_due(tally.matches(), total)) {
            let standings = tables.options.text(&tally.standings());
            progress.say_above(&format!("after {} of {total} matches:\n{standings}", tally.matches()));
        }
    };
    let finished = tournament.run(claim, concurrency, &stop, watch);
    progress.clear();
    let Finished { standings, total, left } = finished?;
    let (matches, shown, shard) = (standings.matches, out.display(), tournament.shard);
    if let Some(error) = tournament.changed(out).filter(|_| left > 0) {
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
    tables.options.show(&standings)?;
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
    total: u64,
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
    let each = if plan.schedule.schedule.is_by_pairs() { " each" } else { "" };
    let positions = match plan.positions.len() as u64 {
        0 => String::new(),
        positions => format!(" from {}", count(positions, "position")),
    };
    format!(
        "{}{schedule}: {}, {} of {} on {}{each}{positions}{more}, seed {}, {concurrency}, into {}",
        plan.game,
        count(plan.bots.len() as u64, "bot"),
        count(total, "match"),
        count(plan.seats as u64, "seat"),
        count(plan.rounds, "deal"),
        plan.seed,
        out.display()
    )
}
