//! `arena host`: runs a contest. It takes hand-ins, builds and checks them, tells their authors, and plays.
//!
//! A contest is a folder. Others fill `submissions`, and `contest.toml` has the settings. `versions` has a copy of each
//! hand-in, `checks` a text for each author, and `results` the tournament. After a crash, the arena goes on from the journal
//! `contest.jsonl`.

mod closing;
mod contest;
mod door;
mod events;
mod orders;
mod play;
mod staging;
mod version;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;

use self::closing::{FinalArgs, settled};
use self::contest::{Contest, PAUSE_TO_WORK, SUBMISSIONS};
use self::door::DoorArgs;
use self::events::State;
use self::orders::{Order, OrderArgs};
use self::play::SETTINGS;
use self::version::CHECKS;
use crate::report::output::{say, show};
use crate::setup::args::TournamentArgs;
use crate::setup::runtime::block_on;
use referee::error::{Error, ErrorKind};
use sandbox::confine::paths::{CONTEST_MARK, VERSIONS};
use sandbox::cores;
use tournament::journal::claim::Claim;
use tournament::journal::results;
use tournament::run::stop::Level;

/// The settings of a new contest.
const NEW_SETTINGS: &str = include_str!("contest.toml");

/// Arguments of `arena host`.
#[derive(Debug, Args)]
pub(crate) struct HostArgs {
    /// The folder of the contest; made if it is not there
    #[arg(value_name = "CONTEST", value_hint = clap::ValueHint::DirPath)]
    contest: PathBuf,
    /// Take, check, and play what is handed in, then end
    #[arg(long, conflicts_with = "order")]
    once: bool,
    #[command(flatten)]
    order: OrderArgs,
    #[command(flatten)]
    last: FinalArgs,
    #[command(flatten)]
    door: DoorArgs,
}

/// Runs the command. Returns the arguments of the final if that is to be played now.
pub(crate) fn run(args: &HostArgs) -> Result<Option<TournamentArgs>, Error> {
    if let last @ Some(_) = args.last.tournament(&args.contest)? {
        return Ok(last);
    }
    host(args).map(|()| None)
}

fn host(args: &HostArgs) -> Result<(), Error> {
    if let Some(names) = &args.order.invite {
        let (links, order) = args.door.invite(names, &args.contest)?;
        order.send(&args.contest, &[])?;
        return show(&links);
    }
    if let Some(order) = args.order.order() {
        let state = match order {
            Order::Publish => settled(&args.contest)?,
            _ => State::read(&args.contest)?.0,
        };
        let bots: Vec<&str> = state.bots.keys().chain(state.invited.keys()).map(String::as_str).collect();
        return order.send(&args.contest, &bots);
    }
    let folder = prepared(&args.contest)?;
    let _claim = Claim::begun(&folder)?;
    let contest = Arc::new(Contest::open(folder)?);
    contest.clear()?;
    // Before anything is played, what was ordered meanwhile.
    let obeyed = contest.obey();
    contest.queue().troubles.extend(obeyed.err());
    work(&contest, args)
}

/// Makes what a contest needs, and returns its canonical folder.
fn prepared(folder: &Path) -> Result<PathBuf, Error> {
    let unwritable = |error: std::io::Error| Error::unwritable(folder, &error);
    fs::create_dir_all(folder).map_err(unwritable)?;
    let (mark, settings) = (folder.join(CONTEST_MARK), folder.join(SETTINGS));
    let is_empty = fs::read_dir(folder).map_err(unwritable)?.next().is_none();
    if !is_empty && !mark.exists() && !settings.exists() {
        return Err(Error::usage(format!("{} has files, but no {SETTINGS}", folder.display()))
            .hint("name a new folder, or the one of a contest"));
    }
    // The mark comes first: with it, no bot sees the others.
    results::append(&mark).map_err(unwritable)?;
    for name in [SUBMISSIONS, VERSIONS, CHECKS] {
        results::folder(&folder.join(name)).map_err(unwritable)?;
    }
    if !settings.exists() {
        fs::write(&settings, NEW_SETTINGS).map_err(unwritable)?;
        say(&format!("made {}; to change it, edit it and start again", settings.display()));
    }
    folder.canonicalize().map_err(unwritable)
}

/// Takes, checks, and plays until a signal comes, or until nothing is left to do.
fn work(contest: &Arc<Contest>, HostArgs { once, door, .. }: &HostArgs) -> Result<(), Error> {
    let cores = if cores::are_told() { cores::allowed() } else { Vec::new() };
    let rests = || format!("the contest rests; \"arena host {}\" goes on with it", contest.folder.display());
    let is_over = AtomicBool::new(false);
    let workers = cores::given().max(1);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (core, is_over) = (cores.get(worker).copied(), &is_over);
            scope.spawn(move || {
                core.into_iter().for_each(|core| cores::stay_on(&[core]));
                while !is_over.load(Ordering::Relaxed) {
                    // The matches have all cores but the first.
                    let is_free = worker == 0 || !contest.table.is_playing();
                    if !(is_free && contest.perform_next(workers == 1)) {
                        std::thread::sleep(PAUSE_TO_WORK);
                    }
                }
            });
        }
        scope.spawn(|| {
            cores::stay_on(cores.get(1..).filter(|others| !others.is_empty()).unwrap_or(&cores));
            contest.keep_playing(*once, &is_over);
        });
        scope.spawn(|| {
            let served = door.serve(contest, &is_over);
            contest.queue().troubles.extend(served.err());
        });
        let looking = block_on(contest.look(*once));
        is_over.store(true, Ordering::Relaxed);
        contest.table.ask(Level::Now, |_, _| true);
        match looking {
            Ok(result) => result,
            Err(error) if error.kind() == ErrorKind::Evicted => Err(Error::evicted(rests())),
            Err(_) => Err(Error::interrupted(rests())),
        }
    })
}
