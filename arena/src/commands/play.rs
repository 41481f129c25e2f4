//! `arena play`: plays a match between a person and bots, in a browser or on the terminal.

use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use engine::game::Seat;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::sleep;

use crate::coach::decide::decide;
use crate::report::browser;
use crate::report::output::show;
use crate::report::shown::Shown;
use crate::setup::single_match::{MatchOptions, Person, SingleMatch, report};
use crate::terminal::single_match::run_game;
use referee::bots::entrants::Entrant;
use referee::error::{Error, ErrorKind};
use referee::for_game;
use referee::games::external::External;
use referee::games::{GameKind, GameName};
use referee::play::seeds::position_seed;
use referee::play::time_control::TimeControl;
use referee::play::{MatchPlan, Start, Watch};
use referee::record::{Future, MatchRecord};
use web::human::{Afterwards, Door, HUMAN, HintWanted, HumanSeat, Live, OwnLive, Player, Room, named};
use web::web::{Listener, Token};

/// The default opponent.
const OPPONENT: &str = "greedy";
/// The default opponent in a game of the user's own: it plays a move of a list that the state has.
const ANY_GAME: &str = "random";
/// The bot that gives hints.
const ADVISER: &str = "master";
/// The time for a hint. The bot uses a part of it.
const HINT_TIME: Duration = Duration::from_secs(3);
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
        bots.push(if args.options.own_game.command.is_some() { ANY_GAME } else { OPPONENT }.to_owned());
    }
    if !bots.iter().any(|text| named(text).is_some()) {
        bots.insert(0, HUMAN.to_owned());
    }
    let is_played = Cell::new(false);
    let ended = for_game!(
        args.options.game()?,
        G => {
            if args.terminal {
                return run_game::<G>(&args.options, true, false);
            }
            crate::setup::runtime::block_on(on_page(&args, async |door, single_match, options, token| {
                one_match::<G>(door, single_match, options, token, &is_played).await
            }))
        },
        plain G => {
            if args.terminal {
                return Err(GameName::only_built_in("arena play --terminal"));
            }
            crate::setup::runtime::block_on(on_page(&args, async |door, single_match, options, token| {
                own_match(door, single_match, options, token, &is_played).await
            }))
        }
    );
    match ended {
        // After the match, Ctrl-C is a normal way to close the page.
        Err(error) if is_played.get() && error.kind() == ErrorKind::Interrupted => Ok(()),
        ended => ended?,
    }
}

/// Plays matches on a page, one after the other, until the person closes it.
async fn on_page<G: GameKind>(
    args: &PlayArgs,
    one_match: impl AsyncFn(&Listener, &SingleMatch<G>, &MatchOptions, Token) -> Result<Afterwards, Error>,
) -> Result<(), Error> {
    let mut options = args.options.clone();
    let mut single_match = SingleMatch::<G>::new(&options).await?;
    let door = Listener::open(IpAddr::V4(Ipv4Addr::LOCALHOST), args.port).await?;
    let token = Token::random()?;
    let link = format!("{}{}/", door.link(), token.as_str());
    show(&format!("{}play at {link}\n", heading(&single_match)))?;
    if args.open {
        browser::open(link.as_ref());
    }
    for number in 2.. {
        if one_match(&door, &single_match, &options, token.clone()).await? == Afterwards::Close {
            break;
        }
        options.seed = options.seed.map(|seed| seed.wrapping_add(1));
        options.record = args.options.record.as_ref().map(|path| numbered(path, number));
        single_match = SingleMatch::new(&options).await?;
        show(&heading(&single_match))?;
    }
    Ok(())
}

/// Returns the line about a match that begins.
fn heading<G: GameKind>(single_match: &SingleMatch<G>) -> String {
    let (names, seed) = (single_match.plan.names().join(", "), single_match.plan.seed);
    format!("{} with seed {seed}: {names}\n", single_match.plan.rules.name)
}

/// Returns the path of the record of a later match: `match-2.json` after `match.json`.
fn numbered(path: &Path, number: u64) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map_or(String::new(), |end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{end}"))
}

/// Plays a match on the page. Returns what the person wants afterwards.
async fn one_match<G: Shown>(
    door: &Listener,
    single_match: &SingleMatch<G>,
    options: &MatchOptions,
    token: Token,
    is_played: &Cell<bool>,
) -> Result<Afterwards, Error> {
    let Person { view, player, human } =
        single_match.person().expect("a seat is a human's, as was made sure of");
    let (deal, names, seat) = (single_match.plan.start.deal.clone(), single_match.plan.names(), view.seat);
    let (hints, mut wanted) = unbounded_channel();
    let live = Arc::new(Live::new(view, deal, names, options.time, token, hints));
    let playing = async {
        let mut watch = |game: &G, turns: &[_]| live.see(game, turns);
        live.end(played(live.door(), single_match, options, (human, player), &mut watch).await?);
        is_played.set(true);
        wish(live.door()).await
    };
    let hinting = async {
        while let Some(HintWanted { id, moves, answer }) = wanted.recv().await {
            let hint = hint(&single_match.plan, id, moves, seat, options).await;
            // A player who no longer waits needs no hint.
            let _ = answer.send(hint.map_err(|error| error.message().to_owned()));
        }
        std::future::pending::<Error>().await
    };
    tokio::select! {
        ended = door.serve(live.routes()) => ended.map(|()| Afterwards::Close),
        ended = playing => ended,
        error = hinting => Err(error),
    }
}

/// Plays a match of the user's own game on the page, as [`one_match`] does.
async fn own_match(
    door: &Listener,
    single_match: &SingleMatch<External>,
    options: &MatchOptions,
    token: Token,
    is_played: &Cell<bool>,
) -> Result<Afterwards, Error> {
    let seat = single_match.seat_of_person().expect("a seat is a human's, as was made sure of");
    let live = Arc::new(OwnLive::new(seat, single_match.plan.names(), options.time, token));
    let (human, player) = HumanSeat::new();
    let playing = async {
        let mut watch = |game: &External, _: &[_]| live.see(game);
        live.end(played(live.door(), single_match, options, (human, player), &mut watch).await?.result);
        is_played.set(true);
        wish(live.door()).await
    };
    tokio::select! {
        ended = door.serve(live.routes()) => ended.map(|()| Afterwards::Close),
        ended = playing => ended,
    }
}

/// Plays a match once its page is open, and reports its result.
async fn played<G: GameKind>(
    door: &Door,
    single_match: &SingleMatch<G>,
    options: &MatchOptions,
    (human, player): (HumanSeat, Player),
    watch: &mut Watch<'_, G>,
) -> Result<MatchRecord<G>, Error> {
    let game = async move {
        // The clocks of the match start when the person sees it.
        door.opened().await;
        let record = single_match.play(Some(&human), watch).await.map(|(record, _)| record);
        drop(human);
        record
    };
    let (record, ()) = tokio::join!(game, door.sit_down(player));
    let record = record?;
    report(&record, options)?;
    Ok(record)
}

/// Waits for what the person wants after a match.
async fn wish(door: &Door) -> Result<Afterwards, Error> {
    show("the page stays open until you close it there or press Ctrl-C here\n")?;
    let wish = door.afterwards().await;
    sleep(FAREWELL).await;
    Ok(wish)
}

/// Asks a strong bot for a move in the sandbox. It sees what the player sees: cards and rolls that are hidden are dealt
/// anew. Returns the move, and the bot's note or `eval` on it as a sentence.
async fn hint<G: Shown>(
    plan: &MatchPlan<G>,
    id: u32,
    moves: Vec<(Seat, G::WireMove)>,
    seat: Seat,
    options: &MatchOptions,
) -> Result<(G::WireMove, Option<String>), Error> {
    let equipment = &*plan.rules.equipment;
    let seed = position_seed(id.into(), ADVISER, 0);
    let deal = G::redeal(equipment, &G::revealed(&plan.start.deal, id), seed);
    let start = Start { deal, moves, future: Some(Future::Seed(seed)) };
    let (start, seat) = match start.alone(equipment, seat) {
        Some((_, alone)) => (alone, 0),
        None => (start, seat),
    };
    let mut adviser = [Entrant::parse(ADVISER)?];
    let host = options.lineup.ready(&mut adviser, G::SIMULTANEOUS, true).await?;
    let time = TimeControl { per_move: HINT_TIME, per_match: None, ..options.lineup.times.time_control() };
    let own = adviser[0].seat(0, time);
    let turn = decide((start, seed), seat, &plan.rules, (&adviser[0], &own), &host).await?;
    let eval = turn.remarks.data.get("eval").map(|eval| format!("eval {eval}"));
    let said = turn.remarks.note.or(eval).map(|said| format!("{ADVISER} says: {said}."));
    let wire_move = turn.wire_move.ok_or_else(|| Error::host(format!("{ADVISER} gave no answer")))?;
    Ok((wire_move, said))
}
