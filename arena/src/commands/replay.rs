//! `arena replay`: replays records through the engine without bots, and shows or verifies them.

use engine::game::{Setup, turn_name};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::report::output::{offer_shown, say, show, width};
use crate::report::shown::Drawn;
use crate::report::turns::turn_time;
use crate::setup::lineup::LineupOptions;
use crate::setup::rules::GameArgs;
use crate::setup::select::RecordsArgs;
use referee::error::Error;
use referee::for_game;
use referee::record::{MatchRecord, Refused, TurnRecord};
use referee::user_text;
use sandbox::cores;
use sandbox::text::line;
use tournament::plan::TournamentFile;
use tournament::replay::selection::deal_number;
use tournament::replay::{Records, Source, prove};
use tournament::report::layout;
use tournament::report::style::Mark;
use tournament::run::fault_reports::{StderrLine, StderrTime, stderr_of};

/// The note for a journal with an incomplete last line.
const TORN: &str = "note: the last line is incomplete and was ignored";

/// The beginning of a line of stderr below a turn.
const STDERR: &str = "    stderr: ";

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) records: RecordsArgs,
    /// Show all matches; with --quiet, verify them and print one line
    #[arg(long, conflicts_with_all = ["matched", "with", "fault", "deal", "slow", "sort", "first"])]
    pub(crate) all: bool,
    /// With --all: compare the commitment to the seed with the published lines in FILE
    #[arg(long, value_name = "FILE", requires = "all")]
    pub(crate) committed: Option<PathBuf>,
    /// Print neither boards nor moves
    #[arg(long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Start the program of a game of your own that the directory names
    #[arg(long, help_heading = "Your own game", hide_short_help = true)]
    pub(crate) trust: bool,
}

pub(crate) fn run(args: &ReplayArgs) -> Result<(), Error> {
    let source = args.records.source()?;
    for_game!(source.game()?, G => replay::<G>(args, &source))
}

/// Shows the selected matches, or the match of a file with one record. Without a selection, verifies a
/// journal, or shows all its matches with `--all`.
fn replay<G: Drawn>(args: &ReplayArgs, source: &Source) -> Result<(), Error> {
    let select = &args.records;
    let mut records = Records::<G>::open(source)?;
    let equipment = args.game.recorded::<G>(source, records.file(), &LineupOptions::default(), args.trust)?;
    let name = equipment.as_ref().map(|equipment| G::name(G::setup(equipment)).into_owned());
    records = records.equipped(equipment);
    if select.select.matched.is_some() || select.selects() || !(args.all || source.is_journal()?) {
        for (number, line) in select.lines(source)? {
            if !one(&mut records, source, (number, &line), args.quiet)? {
                break; // the reader has closed the pipe
            }
        }
        return Ok(());
    }
    match args.all && !args.quiet {
        true => {
            all::<G>(source, &mut records)?;
            committed(records.file(), args.committed.as_deref())
        }
        false => {
            proof(&records, name.as_deref().unwrap_or(G::NAME))?;
            committed(records.file(), args.committed.as_deref())?;
            if !args.all && !args.quiet {
                say("add --match N to see one match, --all to see all");
            }
            Ok(())
        }
    }
}

/// Shows every match.
fn all<G: Drawn>(source: &Source, records: &mut Records<'_, G>) -> Result<(), Error> {
    let (mut lines, mut line) = (source.lines()?, Vec::new());
    while lines.read(&mut line)? {
        if !one(records, source, (lines.number(), &line), false)? {
            return Ok(()); // the reader has closed the pipe
        }
    }
    if lines.is_torn() {
        say(TORN);
    }
    Ok(())
}

/// Replays and shows one match; with `quiet`, only its result. Returns false if the reader has closed the
/// pipe.
fn one<G: Drawn>(
    records: &mut Records<'_, G>,
    source: &Source,
    (number, line): (u64, &[u8]),
    quiet: bool,
) -> Result<bool, Error> {
    let mut screen =
        Screen { before: None, results: source.results(), stderr: Vec::new(), is_read: Ok(true) };
    let record = records.watched(number, line, &mut |record, game, turns| {
        if !quiet {
            screen.show(record, game, turns);
        }
    })?;
    Ok(screen.is_read? && offer_shown(&(outcome(&record) + if quiet { "" } else { "\n" }))?)
}

/// The state of the display of one match.
struct Screen<'a, G> {
    before: Option<G>,
    /// The directory of the tournament, if the records belong to one.
    results: Option<&'a Path>,
    /// The stderr of the bot of each seat.
    stderr: Vec<Vec<StderrLine>>,
    is_read: Result<bool, Error>,
}

impl<G: Drawn> Screen<'_, G> {
    /// Shows the answers of a decision, and the boards after it.
    fn show(&mut self, record: &MatchRecord<G>, game: &G, turns: &[&TurnRecord<G::WireMove>]) {
        if self.is_read != Ok(true) {
            return;
        }
        let mut text = String::new();
        if self.before.is_none() {
            let bots = record.bots.iter().enumerate();
            let stderr = |(seat, bot): (usize, &String)| {
                self.results.map(|dir| stderr_of(dir, bot, record.index, seat)).unwrap_or_default()
            };
            self.stderr = bots.map(stderr).collect();
            text = format!("{}{}\n", heading(record), G::LEGEND);
            for (seat, bot) in record.bots.iter().enumerate() {
                text += &self.stderr_text(seat, StderrTime::Start, &format!("{}: ", line(bot)));
            }
        }
        for turn in turns {
            text += &entry(record, turn);
            text += &self.stderr_text(turn.seat, StderrTime::Turn(turn.id), STDERR);
            if turn.fault.is_some() {
                text += &self.stderr_text(turn.seat, StderrTime::Unknown, STDERR);
            }
        }
        let names: Vec<String> = record.bots.iter().map(|name| line(name).into_owned()).collect();
        text += &format!("\n{}\n", game.show(&names, self.before.as_ref(), width()));
        self.is_read = offer_shown(&text);
        self.before = Some(game.clone());
    }
}

impl<G> Screen<'_, G> {
    /// Returns the stderr of a seat's bot in a turn, or before the first turn if `id` is `None`. Each line
    /// starts with `prefix`.
    fn stderr_text(&self, seat: usize, time: StderrTime, prefix: &str) -> String {
        let lines = self.stderr[seat].iter().filter(|(written, _)| *written == time);
        lines.map(|(_, text)| layout::hanging(prefix, &line(text), width()) + "\n").collect()
    }
}

fn heading<G: Drawn>(record: &MatchRecord<G>) -> String {
    let bots: Vec<String> = record.bots.iter().map(|name| line(name).into_owned()).collect();
    let (index, deal, seed) = (record.index, deal_number(record.round), record.seed);
    format!("match {index}, deal {deal}: {} with seed {seed}: {}\n", line(&record.game), bots.join(", "))
}

/// Formats the decision of one seat: the move or fault, the time, and the bot's remarks.
fn entry<G: Drawn>(record: &MatchRecord<G>, turn: &TurnRecord<G::WireMove>) -> String {
    let what = match (&turn.fault, &turn.wire_move) {
        (Some(fault), _) => Mark::Bad.on(&format!("fault {}: {}", fault.kind, line(&fault.detail))),
        (None, wire_move) => spaced(&serde_json::to_string(wire_move).expect("a move is plain data")),
    };
    let note = turn.remarks.note.as_ref().map_or(String::new(), |note| format!("\n    note: {}", line(note)));
    let data = turn.remarks.data.iter().map(|(name, number)| format!("{name} {number}")).collect::<Vec<_>>();
    let data =
        if data.is_empty() { String::new() } else { format!("\n    data: {}", line(&data.join(", "))) };
    let refused = turn.remarks.refused.iter().map(|Refused { why, line: said }| {
        format!("\n    asked again: {} was {}: {}", line(said), why.kind, line(&why.detail))
    });
    let refused: String = refused.collect();
    let (id, seat) = (turn.id, turn.seat);
    let (turn, time) = (turn_name(id), turn_time(record, turn));
    format!("{turn}, seat {seat} ({}): {what}, {time}{refused}{note}{data}\n", line(&record.bots[seat]))
}

/// Adds spaces between the elements of JSON, so that long lines can wrap.
fn spaced(json: &str) -> String {
    json.replace("],[", "], [").replace(",\"", ", \"")
}

/// Formats the result, one line for each seat, the best first.
fn outcome<G: Drawn>(record: &MatchRecord<G>) -> String {
    let result = &record.result;
    let of_seat = |seat: usize| {
        let fault = result.faults[seat].map_or(String::new(), |mark| format!("  out by {}", mark.kind));
        let (rank, name, score) = (result.ranks[seat], line(&record.bots[seat]), result.scores[seat]);
        format!("{rank:>2}. {name:<20} {score:>5} points{fault}\n")
    };
    let mut seats: Vec<usize> = (0..record.bots.len()).collect();
    seats.sort_by_key(|&seat| result.ranks[seat]);
    let lines: String = seats.into_iter().map(of_seat).collect();
    format!("{lines}match {} holds, digest {}\n", record.index, record.digest)
}

/// Verifies every match of a journal, and prints one line.
fn proof<G: Drawn>(records: &Records<'_, G>, name: &str) -> Result<(), Error> {
    let proof = prove(records, cores::given())?;
    if proof.torn {
        say(TORN);
    }
    let matches =
        if proof.matches == 1 { "1 match".to_owned() } else { format!("{} matches", proof.matches) };
    show(&format!("{matches} of {name} replayed: deals, moves, scores, ranks and digests hold\n"))
}

/// Verifies the commitment to the seed, if there is one, also against the published lines.
fn committed<S: Setup>(file: Option<&TournamentFile<S>>, published: Option<&Path>) -> Result<(), Error> {
    let Some((file, commitment)) = file.and_then(|file| Some((file, file.commitment.as_ref()?))) else {
        let none = || Err(Error::no("--committed: the seed was not committed"));
        return published.map_or(Ok(()), |_| none());
    };
    if let Some(path) = published {
        commitment.compare(&user_text::read(path)?)?;
    }
    show(&format!("{}\n", line(&commitment.prove(&file.plan.unseeded_digest(), file.plan.seed)?)))
}
