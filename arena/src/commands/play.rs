//! `arena play`: plays a match between a person and bots, in a browser or on the terminal.

use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::time::sleep;

use super::browser;
use super::match_::run_game;
use super::single_match::{MatchOptions, Person, SingleMatch, report};
use crate::report::output::show;
use crate::shown::Shown;
use referee::error::{Error, ErrorKind};
use referee::for_game;
use web::human::{HUMAN, Live, named};
use web::web::{Listener, Token};

/// The default opponent.
const OPPONENT: &str = "greedy";
/// The delay that lets the server answer the page's last request.
const FAREWELL: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) options: MatchOptions,
    /// Play in this terminal instead of a browser
    #[arg(long, conflicts_with_all = ["open", "port"])]
    pub(crate) terminal: bool,
    /// Open the page in your browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Serve the page on this port of this machine [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
}

pub(crate) fn run(mut args: PlayArgs) -> Result<(), Error> {
    let bots = &mut args.options.bots;
    if bots.is_empty() {
        bots.push(OPPONENT.to_owned());
    }
    if !bots.iter().any(|text| named(text).is_some()) {
        bots.insert(0, HUMAN.to_owned());
    }
    for_game!(args.options.game()?, G => run_for::<G>(&args))
}

fn run_for<G: Shown>(args: &PlayArgs) -> Result<(), Error> {
    if args.terminal {
        return run_game::<G>(&args.options, true, false);
    }
    let is_played = Cell::new(false);
    match super::runtime::block_on(on_page::<G>(args, &is_played)) {
        // After the match, Ctrl-C is a normal way to close the page.
        Err(error) if is_played.get() && error.kind() == ErrorKind::Interrupted => Ok(()),
        ended => ended?,
    }
}

async fn on_page<G: Shown>(args: &PlayArgs, is_played: &Cell<bool>) -> Result<(), Error> {
    let single_match = SingleMatch::<G>::new(&args.options).await?;
    let person = single_match.person().expect("a seat is a human's, as was made sure of");
    let door = Listener::open(IpAddr::V4(Ipv4Addr::LOCALHOST), args.port).await?;
    let Person { view, player, human } = person;
    let (deal, names) = (single_match.plan.start.deal.clone(), single_match.plan.names());
    let live = Arc::new(Live::new(view, deal, names, args.options.time, Token::random()?));
    let link = format!("{}{}", door.link(), live.path());
    let (names, seed) = (single_match.plan.names().join(", "), single_match.plan.seed);
    show(&format!("{} with seed {seed}: {names}\nplay at {link}\n", G::NAME))?;
    if args.open {
        browser::open(link.as_ref());
    }
    let playing = async {
        let mut watch = |game: &G, turns: &[_]| live.see(game, turns);
        let opened = live.opened();
        let game = async move {
            // The clocks of the match start when the person sees it.
            opened.await;
            let record = single_match.play(Some(&human), &mut watch).await.map(|(record, _)| record);
            drop(human);
            record
        };
        let (record, ()) = tokio::join!(game, live.sit_down(player));
        let record = record?;
        report(&record, &args.options)?;
        live.end(record);
        is_played.set(true);
        show("the page stays open until you close it there or press Ctrl-C here\n")?;
        live.closed().await;
        sleep(FAREWELL).await;
        Ok(())
    };
    tokio::select! {
        ended = door.serve(live.routes()) => ended,
        ended = playing => ended,
    }
}
