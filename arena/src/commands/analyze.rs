//! `arena analyze`: names the decisions of recorded matches that cost the most points.

use std::collections::{BTreeMap, HashSet};

use clap::Args;
use indicatif::ProgressBar;
use serde_json::Value;

use crate::coach::analysis::{Coached, Judged, MatchAnalysis, Store, analyzed, kept_or_analyzed};
use crate::coach::{mean, with_interval};
use crate::report::output::{print, show, width};
use crate::report::tables::{quoted, say_next};
use crate::report::turns::move_words;
use crate::setup::select::{RecordsArgs, check_bot};
use crate::setup::words::word_of;
use engine::game::turn_name;
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use sandbox::{cores, text};
use stats::Estimate;
use tournament::replay::{Records, Source};
use tournament::report::layout;
use tournament::report::tables::Format;
use tournament::report::words::count;

/// The decisions that are listed.
const LISTED: usize = 10;

/// The formats of the result.
const FORMATS: [(&str, Format, &str); 2] = [
    ("text", Format::Table, "Tables for people"),
    ("jsonl", Format::Jsonl, "A JSON object for each match, a line each"),
];

/// Arguments of `arena analyze`.
#[derive(Debug, Args)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    records: RecordsArgs,
    /// Judge only the decisions of this bot
    #[arg(long, value_name = "BOT")]
    bot: Option<String>,
    /// Search N nodes for each decision [default: 6000 at doodle, 200000 at patchwork]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(10..))]
    nodes: Option<u64>,
    /// Judge J decisions at the same time; the result is the same [default: as many as the cores can]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Print the result in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "text")]
    format: Format,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
}

/// A match with its bots.
struct Analyzed {
    bots: Vec<String>,
    moves: Vec<Value>,
    analysis: MatchAnalysis,
}

pub(crate) fn run(args: &AnalyzeArgs) -> Result<(), Error> {
    let source = args.records.source()?;
    for_game!(source.game()?, G => analyze::<G>(args, &source), plain G => Err(GameName::only_built_in("arena analyze")))
}

fn analyze<G: Coached>(args: &AnalyzeArgs, source: &Source) -> Result<(), Error> {
    let rows = args.records.rows(source)?;
    if rows.is_empty() {
        return Err(Error::usage("the options select no match"));
    }
    check_bot(&rows, args.bot.as_deref())?;
    let threads = args.jobs.map_or_else(cores::given, usize::from);
    let nodes = args.nodes.unwrap_or(G::NODES);
    let mut records = Records::<G>::open(source)?;
    let mut store = match source.results() {
        Some(dir) => Some(Store::open(dir)?),
        None => None,
    };
    let bar = if args.quiet { ProgressBar::hidden() } else { ProgressBar::new(rows.len() as u64) };
    let mut all = Vec::new();
    for (number, line) in source.lines_of(&rows)? {
        let (record, equipment) = records.verified(number, &line)?;
        let analysis = match &args.bot {
            // The values of one bot alone are no whole analysis.
            Some(bot) => analyzed(&record, &equipment, nodes, Some(bot), threads)?,
            None => kept_or_analyzed(store.as_mut(), &record, &equipment, nodes, threads)?,
        };
        let played = |judged: &Judged| {
            let mut turns = record.played().iter();
            let turn = turns.find(|turn| (turn.id, turn.seat) == (judged.id, judged.seat));
            serde_json::to_value(turn.and_then(|turn| turn.wire_move.as_ref())).expect("plain data")
        };
        let moves = analysis.decisions.iter().map(played).collect();
        all.push(Analyzed { bots: record.bots, moves, analysis });
        bar.inc(1);
    }
    bar.finish_and_clear();
    match args.format {
        Format::Jsonl => {
            let line = |one: &Analyzed| serde_json::to_string(&one.analysis).expect("plain data") + "\n";
            print(&all.iter().map(line).collect::<String>())
        }
        _ => {
            show(&(losses(&all) + "\n" + &costliest(&all, source.named())))?;
            let worst = all.iter().max_by(|one, other| most(one).total_cmp(&most(other)));
            if let Some(worst) = worst {
                let (file, index) = (quoted(source.named()), worst.analysis.index);
                say_next(&format!("arena view {file} --match {index} --analyze --open"));
            }
            Ok(())
        }
    }
}

fn most(one: &Analyzed) -> f64 {
    one.analysis
        .decisions
        .iter()
        .filter(|judged| judged.is_named())
        .map(|judged| judged.loss)
        .fold(0.0, f64::max)
}

/// What a bot lost.
#[derive(Default)]
struct Losses {
    all: Vec<f64>,
    /// The named losses by phase, and by slip: their number and their sum.
    by_phase: BTreeMap<String, (u64, f64)>,
    by_slip: BTreeMap<String, (u64, f64)>,
}

/// Returns the losses of each bot: the mean of all decisions, and the named ones by phase and kind.
fn losses(all: &[Analyzed]) -> String {
    let mut of_bots: BTreeMap<&str, Losses> = BTreeMap::new();
    for one in all {
        for judged in &one.analysis.decisions {
            let losses = of_bots.entry(&one.bots[judged.seat]).or_default();
            losses.all.push(judged.loss);
            if judged.is_named() {
                for (name, group) in
                    [(&judged.phase, &mut losses.by_phase), (&judged.slip, &mut losses.by_slip)]
                {
                    let (number, sum) = group.entry(name.clone()).or_default();
                    (*number, *sum) = (*number + 1, *sum + judged.loss);
                }
            }
        }
    }
    let rows = of_bots.into_iter().map(|(bot, losses)| (bot, mean(losses.all.iter().copied()), losses));
    let mut rows: Vec<(&str, Estimate, Losses)> = rows.collect();
    rows.sort_by(|(_, one, _), (_, other, _)| one.value.total_cmp(&other.value));
    let row = |(bot, mean, losses): &(&str, Estimate, Losses)| {
        let (bot, mean) = (text::line(bot), with_interval(mean));
        let decisions = count(losses.all.len() as u64, "decision");
        let head = format!("{bot}: {mean} points lost a decision, in {decisions}\n");
        let group = |title: &str, group: &BTreeMap<String, (u64, f64)>| {
            let mut parts: Vec<_> = group.iter().collect();
            parts.sort_by(|one, other| other.1.1.total_cmp(&one.1.1));
            let part =
                |(name, (number, sum)): &(&String, &(u64, f64))| format!("{name} {sum:.0} in {number}");
            let parts = parts.iter().map(part).collect::<Vec<_>>().join(", ");
            layout::hanging(&format!("  {title}"), &parts, width()) + "\n"
        };
        match losses.by_slip.is_empty() {
            true => head + "  no decision lost a point for sure\n",
            false => head + &group("by kind:  ", &losses.by_slip) + &group("by phase: ", &losses.by_phase),
        }
    };
    rows.iter().map(row).collect()
}

/// Returns the decisions that cost the most, with the places where they are.
fn costliest(all: &[Analyzed], file: &std::path::Path) -> String {
    let decisions = all.iter().flat_map(|one| {
        let named = one.analysis.decisions.iter().zip(&one.moves).filter(|(judged, _)| judged.is_named());
        named.map(move |(judged, played)| (one, judged, played))
    });
    let mut decisions: Vec<_> = decisions.collect();
    decisions.sort_by(|one, other| other.1.loss.total_cmp(&one.1.loss));
    // A bot that plays the same at several tables of a deal makes the same mistake once.
    let mut seen = HashSet::new();
    decisions.retain(|(one, judged, played)| {
        let bot = &one.bots[judged.seat];
        seen.insert(format!("{bot} {} {} {} {played}", judged.id, judged.value, judged.best))
    });
    if decisions.is_empty() {
        return "No decision lost a point for sure.\n".to_owned();
    }
    let line = |(one, judged, played): &(&Analyzed, &Judged, &Value)| {
        let (bot, index) = (text::line(&one.bots[judged.seat]), one.analysis.index);
        let first = format!("{:>5.1} ± {:<4.1} ", judged.loss, judged.margin());
        let words = format!(
            "match {index}, {}, {bot}: {}; best was {}\narena play --from {}",
            turn_name(judged.id),
            move_words(played),
            best_words(played, &judged.best),
            quoted(std::path::Path::new(&format!("{}#{index}@{}", file.display(), judged.id))),
        );
        layout::hanging(&first, &words, width()) + "\n"
    };
    let lines: String = decisions.iter().take(LISTED).map(line).collect();
    format!("The costliest decisions, in points with their 95 % intervals\n{lines}")
}

/// Returns the best move in a few words, or with all of its cells if the few words do not tell it from the other move.
fn best_words(played: &Value, best: &Value) -> String {
    match move_words(best) {
        words if words == move_words(played) => format!("the same on {}", best["cells"]),
        words => words,
    }
}
