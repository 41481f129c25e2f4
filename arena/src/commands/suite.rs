//! `arena suite`: asks bots positions with known values, and tells how many points their answers lose.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use engine::dealer::Dealer;
use engine::game::Game;
use futures_util::StreamExt;
use indicatif::HumanDuration;
use serde::Serialize;
use serde_json::{Value, json};

use crate::coach::analysis::Coached;
use crate::coach::decide::decide;
use crate::coach::suite::{Question, candidates, questions, regrets};
use crate::coach::{mean, with_interval};
use crate::report::out_file;
use crate::report::output::{print, print_json, say, show, width};
use crate::report::progress;
use crate::report::tables::quoted;
use crate::report::turns::move_words;
use crate::setup::judged::Store;
use crate::setup::lineup::LineupOptions;
use crate::setup::positions::Origin;
use crate::setup::runtime::block_on;
use crate::setup::versions::entrants;
use crate::setup::words::word_of;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use referee::play::seeds::position_seed;
use referee::play::{Rules, SeatPlan};
use referee::user_text;
use sandbox::confine::paths::cache;
use sandbox::{Host, cores, text};
use stats::Estimate;
use tournament::journal::results::private_folder;
use tournament::replay::selection::Selection;
use tournament::replay::{Records, Source};
use tournament::report::layout;
use tournament::report::sheet::Sheet;
use tournament::report::tables::Format;
use tournament::report::words::count;

/// The answers that are listed.
const LISTED: usize = 10;
/// The number of positions that `--make` takes.
const MAKE_COUNT: u32 = 300;
/// How many times the coach's budget a position in a suite gets. All bots are measured by it.
const MAKE_TIMES: u64 = 10;
/// How many times the coach's budget a position gets at most. A file of others must not search for days.
const NODES_MAX_TIMES: u64 = 100;
/// The seed of the order in which `--make` looks at positions.
const ORDER_SEED: u64 = 0;

/// The formats of the result.
const FORMATS: [(&str, Format, &str); 3] = [
    ("text", Format::Table, "Tables for people"),
    ("json", Format::Json, "One JSON object"),
    ("csv", Format::Csv, "A row for each answer"),
];

/// Arguments of `arena suite`.
#[derive(Debug, Args)]
pub(crate) struct SuiteArgs {
    /// A file of positions with values
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Ask this bot: NAME=COMMAND, COMMAND, or a bundled bot
    #[arg(long = "bot", value_name = "BOT", required_unless_present = "make")]
    bots: Vec<String>,
    /// Write FILE from the matches of this tournament instead of asking bots
    #[arg(long, value_name = "DIR", conflicts_with = "bots")]
    make: Option<PathBuf>,
    /// Ask the first N positions [default: all]; with --make: take N in which the choice matters [default: 300]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: Option<u32>,
    /// With --make: search N nodes for each position [default: 60000 at doodle, 2000000 at patchwork]
    #[arg(long, value_name = "N", requires = "make", value_parser = clap::value_parser!(u64).range(100..))]
    nodes: Option<u64>,
    /// Ask J questions at the same time [default: as many as the cores can]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Print the result in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "text")]
    format: Format,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    lineup: LineupOptions,
}

/// The answer of a bot to a question.
#[derive(Debug, Serialize)]
struct Answer {
    /// The line of the question, from 1.
    line: usize,
    bot: String,
    phase: String,
    /// The points that it loses. The worst known move stands for a fault.
    regret: f64,
    is_best: bool,
    /// The move; `null` for a fault.
    #[serde(rename = "move")]
    wire_move: Value,
    /// The kind of the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    us: u64,
}

pub(crate) fn run(args: &SuiteArgs) -> Result<(), Error> {
    match &args.make {
        Some(dir) => {
            let source = Source::at(dir);
            for_game!(source.game()?, G => make::<G>(args, &source), plain G => Err(GameName::only_built_in("arena suite")))
        }
        None => {
            let file = Origin::File { path: args.file.clone(), line: None };
            for_game!(file.game()?, G => ask_all::<G>(args), plain G => Err(GameName::only_built_in("arena suite")))
        }
    }
}

fn jobs(args: &SuiteArgs) -> usize {
    args.jobs.map_or_else(cores::given, usize::from)
}

/// Writes a suite from the matches of a tournament.
fn make<G: Coached>(args: &SuiteArgs, source: &Source) -> Result<(), Error> {
    out_file::check(&args.file, "FILE")?;
    let rows = Selection::default().rows(source)?;
    let mut records = Records::<G>::open(source)?;
    let (mut all, mut equipment) = (Vec::new(), None);
    for (number, line) in source.lines_of(&rows)? {
        let (record, own) = records.verified(number, &line)?;
        all.extend(candidates(&record, &own)?);
        equipment = Some(own);
    }
    let equipment = equipment.ok_or_else(|| source.empty())?;
    Dealer::new(ORDER_SEED, 0).shuffle(&mut all);
    let wanted = args.count.unwrap_or(MAKE_COUNT) as usize;
    let bar = progress::bar(wanted, args.quiet);
    let nodes = args.nodes.unwrap_or(MAKE_TIMES * G::NODES);
    if nodes > NODES_MAX_TIMES * G::NODES {
        return Err(Error::usage(format!("--nodes {nodes}: at most {}", NODES_MAX_TIMES * G::NODES)));
    }
    let tell = |found| bar.set_position(found as u64);
    let found = questions(&all, &equipment, wanted, nodes, jobs(args), tell)?;
    bar.finish_and_clear();
    let line = |question: &Question<G>| serde_json::to_string(question).expect("plain data") + "\n";
    out_file::write(&args.file, found.iter().map(line).collect::<String>().as_bytes())?;
    say(&format!("{} of {} are in {}", count(found.len() as u64, "position"), wanted, args.file.display()));
    match found.len() < wanted {
        true => Err(Error::no("the matches have no more positions in which the choice matters")
            .hint("take more matches, or other bots")),
        false => Ok(()),
    }
}

/// A question with its line, from 1.
type Numbered<G> = (usize, Question<G>);
/// The questions of a suite, and the rules of all.
type Suite<G> = (Vec<Numbered<G>>, Arc<<G as Game>::Equipment>);

/// Reads a suite.
fn read<G: Coached>(path: &Path) -> Result<Suite<G>, Error> {
    let text = user_text::read(path)?;
    let mut found: Vec<Numbered<G>> = Vec::new();
    let mut equipment = None;
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = |error: Error| error.at(format!("{} line {}", path.display(), place + 1));
        let question: Question<G> = serde_json::from_str(line)
            .map_err(|error| at(Error::usage(format!("this is no line of a suite: {error}"))))?;
        if question.nodes > NODES_MAX_TIMES * G::NODES {
            let (nodes, most) = (question.nodes, NODES_MAX_TIMES * G::NODES);
            return Err(at(Error::usage(format!("{nodes} nodes: a suite may ask for at most {most}"))));
        }
        let own = match &equipment {
            Some((setup, equipment)) if *setup == question.position.setup => Arc::clone(equipment),
            Some(_) => return Err(at(Error::usage("its rules are not those of the first position"))),
            None => {
                let setup = question.position.setup.clone();
                let own = G::equip(&setup).map_err(|error| at(Error::usage(error.to_string())))?;
                Arc::clone(&equipment.insert((setup, Arc::new(own))).1)
            }
        };
        let position = question.position.checked(&own, false).map_err(at)?;
        let game = position.start(&own, 0).begin(&own)?;
        let is_asked = question.seat < game.seats() && game.owes(question.seat);
        if !is_asked || question.best.is_empty() {
            return Err(at(Error::usage("its seat has no decision there, or it has no best move")));
        }
        for valued in &question.best {
            let action = G::read(&own, &valued.wire_move);
            let played = action.and_then(|action| game.clone().play(question.seat, &action));
            played.map_err(|error| at(Error::usage(format!("one of its best moves: {error}"))))?;
        }
        found.push((place + 1, Question { position, ..question }));
    }
    let (_, equipment) = equipment.ok_or_else(|| {
        Error::usage(format!("{} has no position", path.display())).hint("arena suite --make DIR writes one")
    })?;
    Ok((found, equipment))
}

/// Asks every bot every question.
fn ask_all<G: Coached>(args: &SuiteArgs) -> Result<(), Error> {
    let (mut asked, equipment) = read::<G>(&args.file)?;
    asked.truncate(args.count.map_or(usize::MAX, |count| count as usize));
    let mut entrants = entrants(&args.bots, &args.lineup.build)?;
    let host = block_on(args.lineup.ready(&mut entrants, G::SIMULTANEOUS, args.quiet))??;
    let time = args.lineup.times.time_control();
    let rules = Rules::<G>::new(Arc::clone(&equipment));
    let mut answers = Vec::new();
    if !args.quiet {
        let most = time.per_move * (asked.len() * entrants.len()).div_ceil(jobs(args)) as u32;
        let [bots, positions] =
            [(entrants.len(), "bot"), (asked.len(), "position")].map(|(n, what)| count(n as u64, what));
        say(&format!("{bots}, {positions}: {} if each answer takes all of its time", HumanDuration(most)));
    }
    let bar = progress::bar(asked.len() * entrants.len(), args.quiet);
    for entrant in &entrants {
        let own = entrant.seat(0, time);
        let all = asked.iter().enumerate().map(|(place, one)| ask(place, one, &rules, entrant, &own, &host));
        let all = futures_util::stream::iter(all).buffer_unordered(jobs(args)).inspect(|_| bar.inc(1));
        let all = block_on(all.collect::<Vec<_>>())?;
        let mut all = all.into_iter().collect::<Result<Vec<_>, Error>>()?;
        all.sort_unstable_by_key(|(place, _)| *place);
        answers.extend(all);
    }
    bar.finish_and_clear();
    score(&asked, &mut answers, &equipment, args)?;
    let answers: Vec<Answer> = answers.into_iter().map(|(_, answer)| answer).collect();
    let names: Vec<&str> = entrants.iter().map(|entrant| entrant.identity.name.as_str()).collect();
    match args.format {
        Format::Csv => print(&csv(&answers)),
        Format::Json => {
            let rows = rows(&names, &answers);
            print_json(&rows.iter().zip(&names).map(|(row, bot)| row.to_json(bot)).collect::<Vec<_>>())
        }
        _ => show(&(table::<G>(&names, &answers, &asked) + &worst(&answers, &args.file, &asked))),
    }
}

/// Asks one bot the question at this place. The match ends after its answer.
async fn ask<G: Coached>(
    place: usize,
    (line, question): &Numbered<G>,
    rules: &Arc<Rules<G>>,
    entrant: &Entrant,
    own: &SeatPlan,
    host: &Host,
) -> Result<(usize, Answer), Error> {
    let seed = position_seed(0, &question.position.digest(), 0);
    let start = question.position.start(&rules.equipment, seed);
    let turn = decide((start, seed), question.seat, rules, (entrant, own), host).await?;
    let answer = Answer {
        line: *line,
        bot: own.name.clone(),
        phase: question.phase.clone(),
        regret: 0.0,
        is_best: false,
        wire_move: serde_json::to_value(&turn.wire_move).expect("a move is plain data"),
        fault: turn.fault.map(|fault| fault.kind.to_string()),
        us: turn.us,
    };
    Ok((place, answer))
}

/// Sets the regret of each answer, which comes with the place of its question.
fn score<G: Coached>(
    asked: &[Numbered<G>],
    answers: &mut [(usize, Answer)],
    equipment: &Arc<G::Equipment>,
    args: &SuiteArgs,
) -> Result<(), Error> {
    let moves: Vec<Option<G::WireMove>> =
        answers.iter().map(|(_, answer)| serde_json::from_value(answer.wire_move.clone()).ok()).collect();
    let moved = answers
        .iter()
        .zip(&moves)
        .filter_map(|((place, _), moved)| Some((&asked[*place].1, moved.as_ref()?)));
    let moved: Vec<_> = moved.collect();
    let others = moved.iter().filter(|(question, moved)| question.known(moved).is_none()).count();
    if let Some((question, _)) = moved.first().filter(|_| others > 0 && !args.quiet) {
        let (answers, nodes) = (count(others as u64, "answer"), question.nodes);
        say(&format!(
            "{answers} are not in the suite: a search of {nodes} nodes for each that is not known yet"
        ));
    }
    // Without a folder for caches each value is searched anew.
    let folder = cache().filter(|folder| private_folder(folder).is_ok());
    let store = folder.and_then(|folder| Store::open(folder).ok()).unwrap_or_default();
    let bar = progress::bar(moved.len(), args.quiet);
    let mut found = regrets(&store, &moved, equipment, jobs(args), || bar.inc(1))?.into_iter();
    bar.finish_and_clear();
    for ((place, answer), moved) in answers.iter_mut().zip(&moves) {
        let best = &asked[*place].1.best;
        answer.regret = match moved {
            Some(_) => found.next().expect("one for each move"),
            None => best[0].value - best[best.len() - 1].value,
        };
        answer.regret = (answer.regret * 100.0).round() / 100.0;
        answer.is_best = moved.as_ref().is_some_and(|moved| best[0].wire_move == *moved);
    }
    Ok(())
}

/// The result of a bot.
#[derive(Default)]
struct Row {
    regrets: Vec<f64>,
    best: usize,
    faults: usize,
    /// The sum of the regrets and the number of answers by phase.
    phases: BTreeMap<String, (f64, u64)>,
}

impl Row {
    fn mean(&self) -> Estimate {
        mean(self.regrets.iter().copied())
    }

    /// Returns the mean regret of each phase.
    fn of_phases(&self) -> impl Iterator<Item = (&str, f64)> {
        self.phases.iter().map(|(phase, (sum, number))| (phase.as_str(), sum / *number as f64))
    }

    fn to_json(&self, bot: &str) -> Value {
        let mean = self.mean();
        json!({
            "bot": bot,
            "regret": mean.value,
            "ci95": mean.half_width(),
            "best": self.best,
            "answers": self.regrets.len(),
            "faults": self.faults,
            "phases": self.of_phases().collect::<BTreeMap<_, _>>(),
        })
    }
}

fn rows(names: &[&str], answers: &[Answer]) -> Vec<Row> {
    let row = |bot: &&str| {
        let mut row = Row::default();
        for answer in answers.iter().filter(|answer| answer.bot == *bot) {
            row.regrets.push(answer.regret);
            row.best += usize::from(answer.is_best);
            row.faults += usize::from(answer.fault.is_some());
            let phase = row.phases.entry(answer.phase.clone()).or_default();
            *phase = (phase.0 + answer.regret, phase.1 + 1);
        }
        row
    };
    names.iter().map(row).collect()
}

/// Returns the results of all bots, and the differences between neighbours.
fn table<G: Coached>(names: &[&str], answers: &[Answer], asked: &[Numbered<G>]) -> String {
    let all = rows(names, answers);
    let mut sorted: Vec<(&str, &Row)> = names.iter().copied().zip(&all).collect();
    sorted.sort_by(|one, other| one.1.mean().value.total_cmp(&other.1.mean().value));
    let positions = count(asked.len() as u64, "position");
    let (evaluator, nodes) = asked.first().map_or(("", 0), |(_, first)| (&first.evaluator, first.nodes));
    let mut told =
        format!("{positions} of {}, evaluated by {} with {nodes} nodes\n", G::NAME, text::line(evaluator));
    for (bot, row) in &sorted {
        let answers = row.regrets.len().max(1);
        let faults = if row.faults > 0 { format!(", {} faults", row.faults) } else { String::new() };
        let first = format!(
            "{}: {} points lost a position, {:.0} % best moves{faults}\n",
            text::line(bot),
            with_interval(&row.mean()),
            100.0 * row.best as f64 / answers as f64
        );
        let phase = |(phase, mean)| format!("{} {mean:.2}", text::line(phase));
        let phases = row.of_phases().map(phase).collect::<Vec<_>>().join(", ");
        told += &(first + &layout::hanging("  ", &phases, width()) + "\n");
    }
    for pair in sorted.windows(2) {
        let [(better, own), (worse, other)] = pair else { continue };
        let difference = mean(own.regrets.iter().zip(&other.regrets).map(|(own, other)| other - own));
        let is_sure = difference.half_width().is_some_and(|half| difference.value > half);
        let verdict = if is_sure { "" } else { ", which may be chance" };
        let [better, worse] = [better, worse].map(|bot| text::line(bot));
        told += &format!("{better} loses {} less than {worse}{verdict}\n", with_interval(&difference));
    }
    told
}

/// Returns the answers that lose the most, with the places of their positions.
fn worst<G: Coached>(answers: &[Answer], file: &Path, asked: &[Numbered<G>]) -> String {
    let mut sorted: Vec<&Answer> = answers.iter().filter(|answer| answer.regret > 0.0).collect();
    sorted.sort_by(|one, other| other.regret.total_cmp(&one.regret));
    let line = |answer: &&Answer| {
        let (_, question) = asked.iter().find(|(line, _)| *line == answer.line).expect("it was asked");
        let best = serde_json::to_value(&question.best[0].wire_move).expect("a move is plain data");
        let own = answer.fault.clone().unwrap_or_else(|| move_words(&answer.wire_move));
        let place = PathBuf::from(format!("{}:{}", file.display(), answer.line));
        let words = format!(
            "{}: {own}; best was {}\narena match --boards --from {}",
            text::line(&answer.bot),
            move_words(&best),
            quoted(&place)
        );
        layout::hanging(&format!("{:>6.1} ", answer.regret), &words, width()) + "\n"
    };
    let lines: String = sorted.iter().take(LISTED).map(line).collect();
    if lines.is_empty() { lines } else { format!("\nThe costliest answers, in points\n{lines}") }
}

/// Returns the answers as CSV.
fn csv(answers: &[Answer]) -> String {
    let head = ["line", "bot", "phase", "regret", "best", "move", "fault", "us"].map(str::to_owned);
    let row = |answer: &Answer| {
        [
            answer.line.to_string(),
            answer.bot.clone(),
            answer.phase.clone(),
            answer.regret.to_string(),
            answer.is_best.to_string(),
            answer.wire_move.to_string(),
            answer.fault.clone().unwrap_or_default(),
            answer.us.to_string(),
        ]
    };
    Sheet::new([head].into_iter().chain(answers.iter().map(row))).csv()
}
