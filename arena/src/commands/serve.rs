//! `arena serve DIR`: shows a tournament in a browser, live or finished.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use tokio::time::sleep;

use super::runtime::block_on;
use crate::report::output::{say, show};
use referee::error::{Error, ErrorKind};
use tournament::plan::TOURNAMENT;
use web::serve::{Follower, routes};
use web::web::Listener;

/// The interval between two checks for the start of a tournament.
const PAUSE: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// A tournament directory, opened read-only
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
    /// Serve on this port; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 8687)]
    pub(crate) port: u16,
    /// Listen on this address, such as 0.0.0.0; only the printed link lets others in
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(crate) listen: IpAddr,
}

pub(crate) fn run(args: &ServeArgs) -> Result<(), Error> {
    match block_on(serve(args)) {
        // A signal is the normal end of the server.
        Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::Evicted) => Ok(()),
        other => other?,
    }
}

async fn serve(args: &ServeArgs) -> Result<(), Error> {
    if is_to_come(&args.dir) {
        say(&format!(
            "there is no tournament in {} yet; waiting for it (Ctrl-C ends it)",
            args.dir.display()
        ));
        while is_to_come(&args.dir) {
            sleep(PAUSE).await;
        }
    }
    let (follower, live) = Follower::new(&args.dir)?;
    let door = Listener::open(args.listen, args.port).await?;
    follower.start()?;
    show(&format!("{} (Ctrl-C ends it)\n", door.link()))?;
    door.serve(routes(live)).await
}

/// Returns true if the directory exists but has no tournament yet: its job may wait in the queue of a
/// cluster. Returns false for a directory of tournaments.
fn is_to_come(dir: &Path) -> bool {
    let has_plan = |dir: &Path| dir.join(TOURNAMENT).exists();
    let Ok(entries) = fs::read_dir(dir) else { return false };
    !has_plan(dir) && !entries.flatten().any(|entry| has_plan(&entry.path()))
}
