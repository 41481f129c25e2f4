//! `arena feed`: sends the lines of a recorded seat to a program.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::rerun::limits;
use super::select::SelectOptions;
use crate::commands::limits::LimitOptions;
use crate::report::output::{say, show};
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::for_game;
use referee::games::GameKind;
use referee::seats::solo::record_alone;
use tournament::replay::feed::{Ending, Fed, Feed, Program};
use tournament::replay::{Difference, Judge, Source};

/// The number of SIGINT, the signal of Ctrl-C.
const INTERRUPT: i32 = 2;
/// The most decisions that the answer lists.
const LISTED_MAX: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct FeedArgs {
    /// A tournament directory, its matches.jsonl, or a record of "arena match --record"
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) select: SelectOptions,
    /// Send the lines of seat S, counted from 0 [default: the seat of the bot of --with]
    #[arg(long, value_name = "S", required_unless_present = "with")]
    pub(crate) seat: Option<usize>,
    /// Stop after this turn, and leave the program's stdin open
    #[arg(long, value_name = "ID")]
    pub(crate) until: Option<u32>,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    /// The program and its arguments, or a bundled bot
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

pub(crate) fn run(args: &FeedArgs) -> Result<(), Error> {
    let source = Source::at(&args.file);
    for_game!(source.game()?, G => feed::<G>(args, &source))
}

fn feed<G: GameKind>(args: &FeedArgs, source: &Source) -> Result<(), Error> {
    let file = source.tournament::<G>()?;
    let (number, line) = args.select.line(source)?;
    let mut judge = Judge::<G>::new(source.plan_check::<G>()?);
    let no = |difference: Difference| source.no(number, &difference);
    let (record, _) = judge.watched(&line, &mut |_, _, _| ()).map_err(no)?;
    let own = record.bots.iter().position(|bot| Some(bot.as_str()) == args.select.subject());
    let seat = args.seat.or(own).unwrap_or_default();
    if seat >= record.bots.len() {
        return Err(Error::usage(format!("there is no seat {seat} in match {}", record.index))
            .hint(format!("its seats are 0 to {}", record.bots.len() - 1)));
    }
    let equipment = judge.equipment(&record).map_err(no)?;
    let time = limits(&args.limits, file.as_ref()).time_control();
    // A bot that played the deal alone received the lines of that game, not the lines of the table.
    let alone = record_alone::<G>(&equipment, &record, seat).filter(|_| record.alone.contains(&seat));
    let (record, seat) = alone.map_or((record, seat), |alone| (alone, 0));
    let feed = Feed { record: &record, equipment, time, seat, until: args.until };
    let program = Program::start(&words(&args.command)?)?;
    let fed = super::runtime::block_on(async {
        // Ctrl-C is for the program, which may be a debugger. This command ends with the program.
        let _interrupts = signal(SignalKind::interrupt());
        let (fed, program) = feed.lead(program).await?;
        if fed.ending == Ending::Held {
            say("no more lines follow; waiting for the program to end, its stdin is open");
        }
        program.finish().map(|status| (fed, status))
    })?;
    let (fed, status) = fed?;
    report(fed, status)
}

/// Returns the command. The name of a bundled bot becomes its command.
fn words(command: &[String]) -> Result<Vec<String>, Error> {
    match command {
        [name] if bots::find(name).is_some() => Ok(Entrant::parse(name)?.command.argv),
        command => Ok(command.to_vec()),
    }
}

/// Formats the number of answers that differ, and their decisions.
fn differing_of(ids: &[u32], answers: u32) -> String {
    let listed: Vec<String> = ids.iter().take(LISTED_MAX).map(u32::to_string).collect();
    let more = if ids.len() > LISTED_MAX { ", ..." } else { "" };
    let decisions = if ids.len() == 1 { "decision" } else { "decisions" };
    format!("{} of {answers} answers differ: {decisions} {}{more}", ids.len(), listed.join(", "))
}

fn report(fed: Fed, status: ExitStatus) -> Result<(), Error> {
    let Fed { answers, differing, first, ending } = fed;
    match first {
        _ if ending == Ending::Silent && status.signal() == Some(INTERRUPT) => {
            Err(Error::interrupted(format!("the program was interrupted; it gave {answers} answers")))
        }
        None => show(&format!("all {answers} answers agree\n")),
        Some(first) => {
            let end = match ending {
                Ending::Silent => format!("the program ended with {status}; "),
                _ => String::new(),
            };
            Err(Error::no(first.to_string()).hint(end + &differing_of(&differing, answers)))
        }
    }
}
