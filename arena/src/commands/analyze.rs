//! `arena analyze`: names the decisions of recorded matches that cost the most points.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::exit;
use std::{io, thread};

use clap::Args;
use serde_json::Value;

use crate::coach::analysis::{Coached, analyzed};
use crate::coach::{mean, with_interval};
use crate::report::output::{print, show, width};
use crate::report::progress;
use crate::report::tables::{quoted, say_next};
use crate::report::turns::{move_words, places};
use crate::setup::judged::{Judged, MatchAnalysis, Store};
use crate::setup::select::{RecordsArgs, check_bots};
use crate::setup::words::word_of;
use engine::game::{Seat, turn_name};
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use sandbox::{cores, text};
use stats::Estimate;
use tournament::replay::{Records, Source};
use tournament::report::layout;
use tournament::report::tables::Format;
use tournament::report::words::count;

/// The listed decisions are valued again with this multiple of the budget, since the largest of many estimates are usually too large.
const AGAIN: u64 = 8;

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
    /// Judge only the decisions of this bot; two of them stand side by side
    #[arg(long = "bot", value_name = "BOT")]
    bots: Vec<String>,
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
    /// Wait for another analysis of the directory, and end when stdin does: for pages
    #[arg(long, hide = true)]
    tied: bool,
}

/// A match with its bots.
struct Analyzed {
    /// Its line with the number of the line.
    line: (u64, Vec<u8>),
    bots: Vec<String>,
    /// The number of its last turn.
    last: u32,
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
    check_bots(&rows, &args.bots)?;
    let threads = args.jobs.map_or_else(cores::given, usize::from);
    let nodes = args.nodes.unwrap_or(G::NODES);
    let mut records = Records::<G>::open(source)?;
    if args.tied {
        thread::spawn(|| {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            exit(Error::interrupted("stdin ended").exit_status().into());
        });
    }
    let store = source.results().map_or_else(|| Ok(Store::default()), |dir| Store::opened(dir, args.tied))?;
    let bar = progress::bar(rows.len(), args.quiet);
    let mut all = Vec::new();
    for line in source.lines_of(&rows)? {
        let (record, equipment) = records.verified(line.0, &line.1)?;
        let is_asked = |_, seat: Seat| args.bots.is_empty() || args.bots.contains(&record.bots[seat]);
        let analysis = analyzed(&store, &record, &equipment, nodes, is_asked, threads)?;
        let played = |judged: &Judged| {
            let mut turns = record.played().iter();
            let turn = turns.find(|turn| (turn.id, turn.seat) == (judged.id, judged.seat));
            serde_json::to_value(turn.and_then(|turn| turn.wire_move.as_ref())).expect("plain data")
        };
        let moves = analysis.decisions.iter().map(played).collect();
        let last = record.turns.last().map_or(0, |turn| turn.id);
        all.push(Analyzed { line, bots: record.bots, last, moves, analysis });
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.format == Format::Jsonl {
        let line = |one: &Analyzed| serde_json::to_string(&one.analysis).expect("plain data") + "\n";
        return print(&all.iter().map(line).collect::<String>());
    }
    let mut costly = costliest(&all);
    for one in &all {
        let mut own: Vec<_> = costly.iter_mut().filter(|costly| std::ptr::eq(costly.of, one)).collect();
        if own.is_empty() {
            continue;
        }
        let (record, equipment) = records.verified(one.line.0, &one.line.1)?;
        let is_it = |costly: &Costly<'_>, id, seat| (costly.judged.id, costly.judged.seat) == (id, seat);
        let is_asked = |id, seat| own.iter().any(|costly| is_it(costly, id, seat));
        let again = analyzed(&store, &record, &equipment, nodes.saturating_mul(AGAIN), is_asked, threads)?;
        for judged in again.decisions {
            let place = own.iter().position(|costly| is_it(costly, judged.id, judged.seat));
            own[place.expect("it was asked for")].judged = judged;
        }
    }
    costly.retain(|costly| costly.judged.is_named());
    costly.sort_by(|one, other| other.judged.loss.total_cmp(&one.judged.loss));
    show(&(losses(&all) + "\n" + &told(&costly, source.named(), source.results().is_some())))?;
    let worst = costly.first().map_or(&all[0], |costly| costly.of);
    let (file, index) = (quoted(source.named()), worst.analysis.index);
    say_next(&format!("arena view {file} --match {index} --analyze --open"));
    Ok(())
}

/// Returns the losses of each bot: the mean of all decisions, and the named ones by phase and kind. Two bots stand side by
/// side.
fn losses(all: &[Analyzed]) -> String {
    let mut of_bots: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    for one in all {
        for judged in &one.analysis.decisions {
            of_bots.entry(&one.bots[judged.seat]).or_default().push(judged);
        }
    }
    let mean = |judged: &[&Judged]| mean(judged.iter().map(|judged| judged.loss));
    let rows = of_bots.into_iter().map(|(bot, judged)| (bot, mean(&judged), judged));
    let mut rows: Vec<(&str, Estimate, Vec<&Judged>)> = rows.collect();
    rows.sort_by(|(_, one, _), (_, other, _)| one.value.total_cmp(&other.value));
    let row = |(bot, mean, judged): &(&str, Estimate, Vec<&Judged>)| {
        let decisions = count(judged.len() as u64, "decision");
        let head =
            format!("{}: {} points lost a decision, in {decisions}\n", text::line(bot), with_interval(mean));
        let group = |(title, name): Group| {
            // The named losses of each kind: their number and their sum.
            let mut parts: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
            for judged in judged.iter().filter(|judged| judged.is_named()) {
                let (number, sum) = parts.entry(name(judged)).or_default();
                (*number, *sum) = (*number + 1, *sum + judged.loss);
            }
            let mut parts: Vec<_> = parts.into_iter().collect();
            parts.sort_by(|one, other| other.1.1.total_cmp(&one.1.1));
            list(
                title,
                parts
                    .iter()
                    .map(|(name, (number, sum))| format!("{} {sum:.0} in {number}", text::line(name))),
            )
        };
        match judged.iter().any(|judged| judged.is_named()) {
            false => head + "  no decision lost a point for sure\n",
            true => head + &GROUPS.map(group).concat(),
        }
    };
    let mut told: String = rows.iter().map(row).collect();
    if let [better, worse] = &rows[..] {
        told += &side_by_side((worse.0, &worse.2), (better.0, &better.2));
    }
    told
}

/// A grouping of decisions: its title, and the group of a decision.
type Group = (&'static str, fn(&Judged) -> &str);
const GROUPS: [Group; 2] =
    [("  by kind:  ", |judged| &judged.slip), ("  by phase: ", |judged| &judged.phase)];

fn list(title: &str, parts: impl Iterator<Item = String>) -> String {
    layout::hanging(title, &parts.collect::<Vec<_>>().join(", "), width()) + "\n"
}

/// Returns how much more a bot loses a decision than another one: in all, and what each group has of it.
fn side_by_side((bot, own): (&str, &[&Judged]), (other_bot, other): (&str, &[&Judged])) -> String {
    let more = |is_in: &dyn Fn(&Judged) -> bool| {
        let losses = |all: &[&Judged]| mean(all.iter().map(|one| if is_in(one) { one.loss } else { 0.0 }));
        let [own, other] = [own, other].map(losses);
        let half = own.half_width().zip(other.half_width()).map(|(own, other)| own.hypot(other));
        format!(
            "{:+.2}{}",
            own.value - other.value,
            half.map_or(String::new(), |half| format!(" ± {half:.2}"))
        )
    };
    let [bot, other_bot] = [bot, other_bot].map(|name| text::line(name));
    let head = format!("{bot} against {other_bot}: {} points more lost a decision\n", more(&|_| true));
    let group = |(title, name): Group| {
        let names: BTreeSet<&str> =
            own.iter().chain(other).map(|one| name(one)).filter(|name| !name.is_empty()).collect();
        list(
            title,
            names.into_iter().map(|part| format!("{} {}", text::line(part), more(&|one| name(one) == part))),
        )
    };
    head + &GROUPS.map(group).concat()
}

/// A decision that cost points.
struct Costly<'a> {
    of: &'a Analyzed,
    judged: Judged,
    /// The move that was played.
    played: &'a Value,
}

/// Returns the decisions that cost the most.
fn costliest(all: &[Analyzed]) -> Vec<Costly<'_>> {
    let decisions = all.iter().flat_map(|of| {
        let named = of.analysis.decisions.iter().zip(&of.moves).filter(|(judged, _)| judged.is_named());
        named.map(move |(judged, played)| Costly { of, judged: judged.clone(), played })
    });
    let mistake = |Costly { of, judged, played }: &Costly<'_>| {
        format!("{} {} {} {} {played}", of.bots[judged.seat], judged.id, judged.value, judged.best)
    };
    web::serve::costliest(decisions.collect(), |one| one.judged.loss, mistake)
}

/// Returns decisions in words, with the places where they are.
fn told(decisions: &[Costly<'_>], file: &Path, is_kept: bool) -> String {
    if decisions.is_empty() {
        return "No decision lost a point for sure.\n".to_owned();
    }
    let line = |Costly { of, judged, played }: &Costly<'_>| {
        let (bot, index) = (text::line(&of.bots[judged.seat]), of.analysis.index);
        let first = format!("{:>5.1} ± {:<4.1} ", judged.loss, judged.margin());
        let words = format!(
            "match {index}, {}, {bot}: {}; best was {}",
            turn_name(judged.id),
            move_words(played),
            best_words(played, &judged.best),
        );
        let place = |turn| quoted(Path::new(&format!("{}#{index}@{turn}", file.display())));
        // Nothing follows the last turn, and a single record has no folder for the best moves.
        let play_on = match judged.id < of.last && is_kept {
            false => format!("  arena play --from {}\n", place(judged.id)),
            // The same seed deals the same after both moves.
            true => format!(
                "  arena match --seed 1 --from {}\n  arena match --seed 1 --from {} --instead {}=best\n",
                place(judged.id + 1),
                place(judged.id),
                quoted(Path::new(&of.bots[judged.seat]))
            ),
        };
        layout::hanging(&first, &words, width()) + "\n" + &play_on
    };
    let lines: String = decisions.iter().map(line).collect();
    format!("The costliest decisions, in points with their 95 % intervals\n{lines}")
}

/// Returns the best move in a few words, or with all of its cells if the few words do not tell it from the other move.
fn best_words(played: &Value, best: &Value) -> String {
    match move_words(best) {
        words if words == move_words(played) => format!("the same on {}", places(&best["cells"])),
        words => words,
    }
}
