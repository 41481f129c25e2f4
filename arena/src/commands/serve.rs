//! `arena serve DIR`: shows a tournament in a browser, live or finished.

use std::collections::HashMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use tokio::process::Command;
use tokio::time::sleep;

use crate::report::output::{say, show};
use crate::setup::judged::{Known, Store};
use crate::setup::out::league_or_newest;
use crate::setup::runtime::block_on;
use crate::setup::words::base_url;
use referee::error::{Error, ErrorKind};
use referee::for_game;
use referee::games::GameName;
use tournament::plan::TOURNAMENT;
use tournament::plan::stages::stages_in;
use web::serve::{
    Audience, Coach, Desk, Judged, RECORD, RECORD_BYTES_MAX, Work, follow_stages, league_routes,
    record_routes, routes,
};
use web::web::{Listener, changing};

/// The interval between two checks for the start of a tournament.
const PAUSE: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// A tournament directory, opened read-only but for what "Judge this match" finds [default: the newest in results]
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
    /// Serve on this port; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 8687)]
    pub(crate) port: u16,
    /// Listen on this address, such as 0.0.0.0; only the printed link lets others in
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(crate) listen: IpAddr,
    /// Name the address that others see, such as https://arena.example.org; pages then have preview pictures
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub(crate) base_url: Option<String>,
    /// Show what bots wrote to stderr, also with --listen or --base-url
    #[arg(long)]
    pub(crate) show_stderr: bool,
}

pub(crate) fn run(args: &ServeArgs) -> Result<(), Error> {
    match block_on(serve(args)) {
        // A signal is the normal end of the server.
        Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::Evicted) => Ok(()),
        other => other?,
    }
}

async fn serve(args: &ServeArgs) -> Result<(), Error> {
    let dir = league_or_newest(args.dir.as_deref())?;
    if is_to_come(&dir) {
        say(&format!("there is no tournament in {} yet; waiting for it (Ctrl-C ends it)", dir.display()));
        while is_to_come(&dir) {
            sleep(PAUSE).await;
        }
    }
    let mut door = Listener::open(args.listen, args.port).await?;
    let base_url = args.base_url.as_deref();
    if let Some(base) = base_url {
        door.accept(base);
    }
    let is_own = args.listen.is_loopback() && base_url.is_none();
    if is_own {
        door.accept_larger(RECORD, RECORD_BYTES_MAX);
    }
    let desk = if is_own { Some(Arc::new(Desk::new(Box::new(Analyst::default()))?)) } else { None };
    let audience = Audience { is_own, sees_stderr: is_own || args.show_stderr, desk };
    let is_league = !stages_in(&dir).is_empty();
    let begun = || if is_league { stages_in(&dir) } else { vec![(String::new(), dir.clone())] };
    let (pages, now) = changing();
    let mut is_shown = false;
    let follow = follow_stages(begun, |stages| {
        let routes = match &stages[..] {
            [(_, live)] if !is_league => routes(Arc::clone(live), base_url, audience.clone()),
            _ => league_routes(&dir, stages, base_url, audience.clone()),
        };
        let routes = if is_own { routes.merge(record_routes()) } else { routes };
        drop(pages.send_replace(routes));
        if std::mem::replace(&mut is_shown, true) {
            return Ok(());
        }
        show(&format!("{} (Ctrl-C ends it)\n", door.link()))
    });
    tokio::select! {
        served = door.serve(now) => served,
        followed = follow => match followed? {},
    }
}

/// `arena analyze`, for pages.
#[derive(Debug, Default)]
struct Analyst {
    /// What was read of each directory.
    known: Mutex<HashMap<PathBuf, Known>>,
}

impl Analyst {
    /// Passes what a directory has by now to `see`.
    fn with<T>(&self, dir: &Path, see: impl FnOnce(&Known) -> T) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(dir.to_owned()).or_default();
        // A file that cannot be read says no more than it did.
        let _ = known.read(dir);
        see(known)
    }
}

impl Coach for Analyst {
    fn known(&self, game: GameName, dir: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Judged> {
        let least = for_game!(game, G => <G as bots::Coach>::NODES, plain G => return Vec::new());
        self.with(dir, |known| {
            let wanted = known.matches.keys().filter(|digest| is_wanted(digest));
            let all = wanted
                .flat_map(|digest| known.deepest(digest, least).into_iter().map(move |one| (digest, one)));
            all.map(|(digest, one)| (digest.clone(), one.id, one.seat, one.in_words())).collect()
        })
    }

    fn values(&self, dir: &Path) -> usize {
        self.with(dir, |known| known.matches.values().map(HashMap::len).sum())
    }

    fn command(&self, dir: &Path, work: &Work, first: usize) -> Result<Command, Error> {
        Store::check(dir)?;
        let own = std::env::current_exe().map_err(|error| Error::host(format!("no program: {error}")))?;
        let mut command = Command::new(own);
        command.arg("analyze").arg(dir);
        match work {
            Work::Match(index) => command.args(["--match", &index.to_string()]),
            Work::Bot(bot) => {
                command.args([format!("--with={bot}"), format!("--bot={bot}"), format!("--worst={first}")])
            }
        };
        command.args(["--format", "jsonl", "--quiet", "--tied"]);
        Ok(command)
    }
}

/// Returns true if the directory exists but has no tournament yet: its job may wait in the queue of a
/// cluster. Returns false for a directory of tournaments.
fn is_to_come(dir: &Path) -> bool {
    let has_plan = |dir: &Path| dir.join(TOURNAMENT).exists();
    let Ok(entries) = fs::read_dir(dir) else { return false };
    !has_plan(dir) && !entries.flatten().any(|entry| has_plan(&entry.path()))
}
