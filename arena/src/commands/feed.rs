//! `arena feed`: sends the lines of a recorded seat to a program.

use engine::game::turn_name;
use std::fs::File;
use std::io::IsTerminal;
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::sync::mpsc;

use clap::{Arg, Args};
use tokio::signal::unix::SignalKind;

use crate::report::output::{say, show};
use crate::setup::containment::Containment;
use crate::setup::grants::Grants;
use crate::setup::lineup::LineupOptions;
use crate::setup::program;
use crate::setup::rules::GameArgs;
use crate::setup::runtime::{Acting, block_on, block_on_unasked};
use crate::setup::select::RecordsArgs;
use crate::setup::times::Times;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::for_game;
use referee::games::GameKind;
use referee::seats::solo::record_alone;
use sandbox::Exit;
use tournament::replay::feed::{Differing, Ending, Fed, Feed, Program};
use tournament::replay::{Records, Source};
use tournament::run::stop::Listener;

/// The number of SIGINT, the signal of Ctrl-C.
const INTERRUPT: i32 = 2;
/// The most answers that the list has.
const LISTED_MAX: usize = 20;

#[derive(Debug, Args)]
#[command(mut_args(of_the_sandbox))]
pub(crate) struct FeedArgs {
    #[command(flatten)]
    pub(crate) records: RecordsArgs,
    /// Send the lines of seat S, counted from 0 [default: the seat of the bot of --with]
    #[arg(long, value_name = "S", required_unless_present = "with")]
    pub(crate) seat: Option<usize>,
    /// Stop after the turn with this id, counted from 0. At a terminal the program's stdin stays open, for a debugger
    #[arg(long, value_name = "ID")]
    pub(crate) until: Option<u32>,
    /// Run the program without the sandbox and leave the terminal to it, such as gdb or pdb. QUILT_IN and
    /// QUILT_OUT name the FIFOs of the bot's lines
    #[arg(long)]
    pub(crate) debug: bool,
    #[command(flatten)]
    pub(crate) times: Times,
    #[command(flatten)]
    pub(crate) containment: Containment,
    #[command(flatten)]
    pub(crate) grants: Grants,
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Start the program of the game that the directory names
    #[arg(long)]
    pub(crate) trust: bool,
    /// The program and its arguments, or a bundled bot
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Makes options of the sandbox an error beside a debugger, which runs without it.
fn of_the_sandbox(arg: Arg) -> Arg {
    let limits = ["memory", "processes", "scratch", "open_files"];
    let is_one = arg.get_help_heading() == Some("Sandbox") || limits.contains(&arg.get_id().as_str());
    if is_one { arg.conflicts_with("debug") } else { arg }
}

pub(crate) fn run(args: &FeedArgs) -> Result<ExitCode, Error> {
    let source = args.records.source()?;
    for_game!(source.game()?, G => feed::<G>(args, &source))
}

fn feed<G: GameKind>(args: &FeedArgs, source: &Source) -> Result<ExitCode, Error> {
    let (number, line) = args.records.line(source)?;
    let records = Records::<G>::open(source)?;
    let equipment = args.game.recorded::<G>(source, records.file(), &LineupOptions::default(), args.trust)?;
    let mut records = records.equipped(equipment);
    let (record, equipment) = records.verified(number, &line)?;
    let own = record.bots.iter().position(|bot| Some(bot.as_str()) == args.records.subject());
    let seat = args.seat.or(own).unwrap_or_default();
    if seat >= record.bots.len() {
        return Err(Error::usage(format!("there is no seat {seat} in match {}", record.index))
            .hint(format!("its seats are 0 to {}", record.bots.len() - 1)));
    }
    let limits = args.times.of_seats(&record, records.file());
    // A bot that played the deal alone received the lines of that game, not the lines of the table.
    let alone = record_alone::<G>(&equipment, &record, seat).filter(|_| record.alone.contains(&seat));
    let (record, limits, seat) = match alone {
        Some(alone) => (alone, vec![limits[seat]], 0),
        None => (record, limits, seat),
    };
    let feed = Feed { record: &record, equipment, limits, seat, until: args.until };
    let words = words(&args.command)?;
    let program = if args.debug { debugger(&words)? } else { contained(args, &words)? };
    // In the sandbox a signal ends the program, and this command ends with it. Ctrl-C at a debugger is for the debugger.
    let acting = if args.debug { None } else { Some(Acting::new()?) };
    let fed = block_on_unasked(async {
        let _interrupts = args.debug.then(|| Listener::to(SignalKind::interrupt()));
        let (fed, program) = feed.lead(program).await?;
        let stays_open = args.debug || std::io::stdin().is_terminal();
        if fed.ending == Ending::Held && stays_open {
            let pid = program.pid;
            say(&format!(
                "no more lines follow; waiting for the end of process {pid}, whose input stays open"
            ));
        }
        program.finish(stays_open).map(|status| (fed, status))
    });
    acting.map_or(Ok(()), Acting::ends)?;
    let (fed, status) = fed??;
    report(&fed, status)
}

/// Starts a debugger, which needs the terminal and the rights of its user.
fn debugger(words: &[String]) -> Result<Program, Error> {
    say("note: with --debug the program runs without the sandbox");
    Program::debugger(words)
}

/// Starts a program in the sandbox, as `arena run` does. A thread waits for its end, and ends it at a signal.
fn contained(args: &FeedArgs, words: &[String]) -> Result<Program, Error> {
    let mut entrant = Entrant::parse(&shell_words::join(words))?;
    args.grants.apply(&mut entrant)?;
    entrant.command.growth_bytes = Some(entrant.command.rights.scratch_bytes_max());
    if args.containment.freeze.is_some() || args.containment.no_freeze {
        return Err(Error::usage(
            "arena feed stops no program between its lines: leave out --freeze and --no-freeze",
        ));
    }
    let pipe = || std::io::pipe().map_err(|error| Error::host(format!("cannot make a pipe: {error}")));
    let [(input, to), (from, output)] = [pipe()?, pipe()?];
    let (containment, (started, start)) = (args.containment.clone(), mpsc::channel());
    let ended = std::thread::spawn(move || {
        block_on(async {
            let pipes = Some([input.into(), output.into()]);
            let bot = program::start(&entrant.command, &containment, pipes).await?;
            let _ = started.send(bot.id());
            Ok(bot.outlive(None).await.ok().and_then(|ended| ended.status))
        })?
    });
    match start.recv() {
        Ok(pid) => {
            let pid = pid.and_then(|pid| u32::try_from(pid).ok()).unwrap_or_default();
            Ok(Program::running(pid, [OwnedFd::from(to), from.into()].map(File::from), ended))
        }
        Err(_) => Err(match ended.join() {
            Ok(Err(error)) => error,
            _ => Error::host("the program cannot be started"),
        }),
    }
}

/// Returns the command. The name of a bundled bot becomes its command.
fn words(command: &[String]) -> Result<Vec<String>, Error> {
    match command {
        [name] if bots::find(name).is_some() => Ok(Entrant::parse(name)?.command.argv),
        command => Ok(command.to_vec()),
    }
}

/// Lists the answers that differ, up to [`LISTED_MAX`].
fn listed(differing: &[Differing]) -> String {
    let mut text = String::new();
    for Differing { turn, recorded, answered } in differing.iter().take(LISTED_MAX) {
        let place = turn.map_or_else(|| "start".to_owned(), turn_name);
        text += &format!("{place}\n  record   {recorded}\n  program  {answered}\n");
    }
    if let more @ 1.. = differing.len().saturating_sub(LISTED_MAX) {
        text += &format!("and {more} more\n");
    }
    text
}

/// Prints the comparison. The exit status is 1 if an answer differs.
fn report(fed: &Fed, exit: Option<Exit>) -> Result<ExitCode, Error> {
    let Fed { answers, differing, ending } = fed;
    let is_silent = *ending == Ending::Silent;
    if is_silent && exit == Some(Exit::Signal(INTERRUPT)) {
        return Err(Error::interrupted(format!("the program was interrupted; it gave {answers} answers")));
    }
    if differing.is_empty() {
        show(&format!("all {answers} answers agree\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let end = match exit.filter(|_| is_silent) {
        Some(exit) => format!("; the program {exit}"),
        None if is_silent => "; the program was stopped: it exceeded its memory or disk limit".to_owned(),
        None => String::new(),
    };
    show(&format!("{}{} of {answers} answers differ{end}\n", listed(differing), differing.len()))?;
    Ok(ExitCode::FAILURE)
}
