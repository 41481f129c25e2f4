//! `arena serve DIR`: a tournament in a browser, as it runs or after.

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
use web::web::Door;

/// How long until a directory without a tournament is looked at again.
const PAUSE: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// A tournament directory; it is only read
    #[arg(value_name = "DIR")]
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
        // Being asked to end is how it ends.
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
    let door = Door::open(args.listen, args.port).await?;
    follower.start()?;
    show(&format!("{} (Ctrl-C ends it)\n", door.link()))?;
    door.serve(routes(live)).await
}

/// Whether a tournament is still to come to this directory: it may wait in the queue of a cluster. A directory of
/// tournaments is none of them.
fn is_to_come(dir: &Path) -> bool {
    let has_plan = |dir: &Path| dir.join(TOURNAMENT).exists();
    let Ok(entries) = fs::read_dir(dir) else { return false };
    !has_plan(dir) && !entries.flatten().any(|entry| has_plan(&entry.path()))
}
