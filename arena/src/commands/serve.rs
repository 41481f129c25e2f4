//! `arena serve DIR`: a tournament in a browser, as it runs or after.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;

use super::block_on;
use crate::error::{Error, ErrorKind};
use crate::report::output::print;
use crate::serve::{Follower, routes};
use crate::web::Door;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The directory of a tournament; it is only read
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// The port; 0 is a free one
    #[arg(long, value_name = "PORT", default_value_t = 8687)]
    pub(crate) port: u16,
    /// Listen on this address, such as 0.0.0.0, for others too: whoever has the link that is printed
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(crate) listen: IpAddr,
}

pub(super) fn run(args: &ServeArgs) -> Result<(), Error> {
    let (follower, live) = Follower::new(&args.dir)?;
    let served = block_on(async {
        let door = Door::open(args.listen, args.port).await?;
        follower.start()?;
        print(&format!("{} (Ctrl-C ends it)\n", door.link()))?;
        door.serve(routes(live)).await
    });
    match served {
        // Being asked to end is how it ends.
        Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::Evicted) => Ok(()),
        other => other?,
    }
}
