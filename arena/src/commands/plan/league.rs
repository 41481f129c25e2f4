//! `arena plan --league`: plays a few matches of a league, and tells how many deals fit into a time.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use stats::planning::{Design, Question};

use super::{PlanArgs, finding};
use crate::report::output::{print_json, show};
use crate::report::progress::Progress;
use crate::setup::args::{TournamentArgs, TournamentOptions};
use crate::setup::asked::Asked;
use crate::setup::containment::Containment;
use crate::setup::lineup::LineupOptions;
use crate::setup::runtime::{Acting, stop_by_signals};
use referee::error::Error;
use referee::for_game;
use referee::games::GameKind;
use referee::record::Summary;
use tournament::journal::claim::Claim;
use tournament::journal::shard::Shard;
use tournament::plan::Plan;
use tournament::report::tables::Format;
use tournament::report::words::count;
use tournament::run::observer::Observer;
use tournament::run::owner::Finished;
use tournament::schedule::ScheduleName;
use tournament::standings::{Basis, DEALS_MIN, Tally};

/// On each deal of the sample, a bot plays about this many matches if it has so many.
const MATCHES_EACH: usize = 2;
/// The arena plays larger and larger samples, until one takes at least this long, has [`MATCHES_AT_A_TIME`], and lets each
/// bot play.
const SAMPLE_TIME: Duration = Duration::from_secs(2);
/// The minimum number of matches in a sample for each match that runs at a time.
const MATCHES_AT_A_TIME: u64 = 4;
/// Maximum number of deals in a sample, as a multiple of the sample before.
const GROWTH_MAX: f64 = 8.0;

/// The number of deals of a draw in which meetings are counted. More deals have as many in proportion.
const COUNTED_MAX: u64 = 500;

/// The deals of a stage of a league that fit into its time.
#[derive(Debug, Serialize)]
struct Fit {
    /// The name of the stage; empty without stages.
    #[serde(skip_serializing_if = "String::is_empty")]
    stage: String,
    bots: usize,
    seats: usize,
    /// The number of matches for each deal.
    matches_each_deal: u64,
    /// The matches that were played, and how long they took, in seconds.
    sample: u64,
    sample_s: f64,
    /// How long the matches of one deal take, in seconds, if each bot plays equally often.
    deal_s: f64,
    /// The number of matches at a time.
    jobs: usize,
    /// The number of deals that fit.
    deals: u64,
    /// The least and the most matches of a bot, on all deals that fit.
    matches_each_bot: [u64; 2],
    /// The least and the most meetings of two bots that meet, on all deals that fit.
    meetings: [u64; 2],
    /// True if tables are drawn.
    #[serde(skip)]
    is_drawn: bool,
    /// The difference that this number of deals finds, in Elo. `None` if no reference league tells it.
    gap_elo: Option<f64>,
}

/// The matches of a sample.
struct Played {
    progress: Progress,
    wanted: u64,
    /// For each bot, the number of its matches, and the sum of their think times, in seconds.
    of_bots: BTreeMap<String, (u64, f64)>,
}

impl Played {
    /// Returns how much longer a match thinks if each bot plays equally often, in seconds.
    fn lacking_s(&self) -> f64 {
        let (count, sum) = self.of_bots.values().fold((0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        let means: f64 = self.of_bots.values().map(|(count, sum)| sum / *count as f64).sum();
        means / self.of_bots.len() as f64 - sum / count as f64
    }
}

impl Observer for Played {
    fn counted(&mut self, summary: &Summary) {
        // Seats with the same decision think at the same time.
        let mut turns = BTreeMap::<u32, u64>::new();
        summary.played().for_each(|turn| {
            let longest = turns.entry(turn.id).or_default();
            *longest = turn.us.max(*longest);
        });
        let think_s = turns.values().sum::<u64>() as f64 / 1e6;
        for bot in &summary.bots {
            let own = self.of_bots.entry(bot.clone()).or_default();
            *own = (own.0 + 1, own.1 + think_s);
        }
    }

    fn is_enough(&mut self, tally: &Tally, _: u64) -> bool {
        self.progress.show(tally, self.wanted);
        false
    }
}

pub(crate) fn run(args: &PlanArgs, league: &Path) -> Result<(), Error> {
    let acting = Acting::new()?; // a signal that ends the program at once would leave the folder
    let place = std::env::temp_dir();
    let own = Permissions::from_mode(0o700); // other users cannot read the results
    let scratch = tempfile::Builder::new().prefix("arena-plan-").permissions(own).tempdir_in(&place);
    let scratch = scratch.map_err(|error| Error::unwritable(&place, &error))?;
    let time = args.time.unwrap_or_default();
    let mut fits = Vec::new();
    for (stage, request) in Asked::all(request(args, league, scratch.path()))? {
        let (fit, questions, counts) = for_game!(request.game()?, G => sample::<G>(request, league))?;
        fits.push((Fit { stage, ..fit }, questions, counts));
    }
    drop(scratch);
    acting.ends()?;
    // Stages share the time, and have the same number of deals.
    let each: f64 = fits.iter().map(|(fit, ..)| fit.deal_s).sum();
    let deals = (time.as_secs_f64() / each) as u64;
    for (fit, question, counts) in &mut fits {
        let gaps =
            question.iter().filter(|_| deals >= DEALS_MIN).map(|question| question.gap(deals, args.power));
        (fit.deals, fit.gap_elo) = (deals, gaps.max_by(f64::total_cmp));
        [fit.matches_each_bot, fit.meetings] = counts(deals)?;
    }
    let fits: Vec<Fit> = fits.into_iter().map(|(fit, ..)| fit).collect();
    match args.format {
        Format::Json => print_json(&fits),
        _ => show(&text(&fits, time, args.power)),
    }
}

/// Returns the arguments of the tournament that is played in this directory.
fn request(args: &PlanArgs, league: &Path, out: &Path) -> TournamentArgs {
    TournamentArgs {
        league: Some(league.to_owned()),
        settings: TournamentOptions {
            rounds: Some(1),
            out: Some(out.to_owned()),
            ..TournamentOptions::default()
        },
        lineup: LineupOptions {
            containment: Containment { contain: args.contain, ..Containment::default() },
            ..LineupOptions::default()
        },
        skip_broken: true,
        quiet: true,
        ..TournamentArgs::default()
    }
}

/// Returns the matches of a bot and the meetings of two bots on so many deals: the least and the most of each.
type Counts = Box<dyn Fn(u64) -> Result<[[u64; 2]; 2], Error>>;

/// Counts the matches of the bots and the meetings of pairs in this plan, if it has so many deals.
fn counts<G: GameKind>(plan: &Plan<G::Setup>, deals: u64) -> Result<[[u64; 2]; 2], Error> {
    // Each deal of a draw has other tables.
    let rounds = if plan.schedule.schedule == ScheduleName::Draw { deals.clamp(1, COUNTED_MAX) } else { 1 };
    let progress = Plan { rounds, ..plan.clone() }.progress(G::EVERY_SEAT_EACH_DEAL)?;
    let (mut matches, mut meetings) = (BTreeMap::<usize, u64>::new(), BTreeMap::<(usize, usize), u64>::new());
    for pairing in (0..progress.total()).filter_map(|index| progress.pairing(index)) {
        for &bot in &pairing.bots {
            *matches.entry(bot).or_default() += 1;
            let others = pairing.bots.iter().filter(|&&other| other > bot);
            others.for_each(|&other| *meetings.entry((bot, other)).or_default() += 1);
        }
    }
    let ends = |counts: Vec<u64>| {
        let all = |count: Option<&u64>| count.map_or(0, |count| count.saturating_mul(deals));
        [all(counts.iter().min()) / rounds, all(counts.iter().max()).div_ceil(rounds)]
    };
    Ok([ends(matches.into_values().collect()), ends(meetings.into_values().collect())])
}

/// Plays matches that are spread over all tables, and measures them. Returns the questions for what the deals decide, and
/// the counts of its plan.
fn sample<G: GameKind>(request: Asked, league: &Path) -> Result<(Fit, Vec<Question>, Counts), Error> {
    let (mut tournament, claim, concurrency) = request.prepare::<G>()?;
    let plan = &tournament.file.plan;
    let begun = plan.clone();
    let (bots, seats, schedule) = (plan.bots.len(), plan.seats, &plan.schedule);
    if schedule.is_adaptive() {
        let name = schedule.schedule.as_str();
        return Err(Error::usage(format!(
            "{}: the matches of a {name} depend on their results",
            league.display()
        ))
        .hint("plan a round robin, a gauntlet, or a draw"));
    }
    let design = match (seats, schedule.schedule) {
        (1, _) => Design::Solo,
        (_, ScheduleName::Gauntlet) => Design::Gauntlet,
        _ => Design::RoundRobin,
    };
    let is_drawn = schedule.schedule == ScheduleName::Draw;
    let (matches_each_deal, jobs) = (tournament.total()?, concurrency.jobs);
    // A shard has every N-th match. Where N shares no factor with the matches of a deal, each deal has other tables.
    let fits = matches_each_deal / (MATCHES_EACH * bots / seats) as u64;
    let shares_none = |of: &u64| {
        !(2..=*of).any(|factor| of.is_multiple_of(factor) && matches_each_deal.is_multiple_of(factor))
    };
    let of = (fits.max(1)..).find(shares_none).expect("a prime number is one");
    tournament.shard = Shard { part: 0, of };
    let stop = stop_by_signals()?;
    let (played, sample_s) = loop {
        let wanted = tournament.shard.share_of(tournament.total()?);
        let place = claim.path().join(tournament.file.plan.rounds.to_string());
        let begin = Instant::now();
        let mut played = Played { progress: Progress::new(wanted, false), wanted, of_bots: BTreeMap::new() };
        let finished = tournament.run(&Claim::fresh(&place, false)?, concurrency, &stop, &mut played);
        played.progress.clear();
        let Finished { standings, left, .. } = finished?;
        if left > 0 {
            return Err(stop.error(format!("{} were played", count(standings.matches, "match"))));
        }
        let took = begin.elapsed();
        let is_enough = wanted >= MATCHES_AT_A_TIME * jobs as u64 && played.of_bots.len() == bots;
        if took >= SAMPLE_TIME && is_enough {
            break (played, took.as_secs_f64());
        }
        tournament.file.plan.rounds *=
            (SAMPLE_TIME.div_duration_f64(took) + 1.0).clamp(2.0, GROWTH_MAX) as u64;
    };
    let sample = played.wanted;
    let match_s = sample_s / sample as f64 + played.lacking_s() / jobs as f64;
    let bases = if seats == 2 && !is_drawn { G::LEAGUES } else { &[] };
    let question = |basis: Basis| Question { design, bots, difference: 0.0, variation: basis.variation };
    let questions = bases.iter().map(|league| question(Basis::reference(league))).collect();
    let fit = Fit {
        stage: String::new(),
        bots,
        seats,
        matches_each_deal,
        sample,
        sample_s,
        deal_s: match_s * matches_each_deal as f64,
        jobs,
        deals: 0,
        matches_each_bot: [0; 2],
        meetings: [0; 2],
        is_drawn,
        gap_elo: None,
    };
    Ok((fit, questions, Box::new(move |deals| counts::<G>(&begun, deals))))
}

/// Formats a number from the least to the most.
fn range([least, most]: [u64; 2], noun: &str) -> String {
    let from = if least == most { String::new() } else { format!("{least} to ") };
    from + &count(most, noun)
}

/// Formats the plan: what was measured in each stage, and what fits.
fn text(fits: &[Fit], time: Duration, power: f64) -> String {
    let stage =
        |fit: &Fit| if fit.stage.is_empty() { String::new() } else { format!("stage {}\n", fit.stage) };
    let mut text = String::new();
    for fit in fits {
        let Fit { bots, seats, matches_each_deal, sample, sample_s, deal_s, jobs, .. } = fit;
        let [bots, seats] =
            [(*bots, "bot"), (*seats, "seat")].map(|(number, noun)| count(number as u64, noun));
        let [each, sample] = [matches_each_deal, sample].map(|number| count(*number, "match"));
        text += &format!(
            "{}{bots}, {each} of {seats} for each deal\n\
             {sample} took {sample_s:.1} s, {jobs} at a time: a deal takes {deal_s:.2} s\n",
            stage(fit)
        );
    }
    let deals = fits.first().map_or(0, |fit| fit.deals);
    let all = deals * fits.iter().map(|fit| fit.matches_each_deal).sum::<u64>();
    let each = if fits.len() > 1 { " in each stage" } else { "" };
    let (time, shown) = (humantime::format_duration(time), count(deals, "deal"));
    text += &format!("\n{time}: {shown}{each}, {}\n", count(all, "match"));
    for fit in fits {
        text += &stage(fit);
        let seats = fit.seats as u64;
        let of_bot = range(fit.matches_each_bot, "match");
        let in_each = range(fit.matches_each_bot.map(|matches| matches / seats), "time");
        text += &match fit.meetings {
            [_, 0] => format!("Each bot plays {of_bot}.\n"),
            met => format!(
                "Each bot plays {of_bot}, about {in_each} in each seat.\nTwo bots meet {}.\n",
                range(met, "time")
            ),
        };
        text += &match fit.gap_elo {
            Some(gap) => finding(fit.bots, &format!("{gap:.0} Elo"), power),
            None if deals < DEALS_MIN => format!("The table needs {DEALS_MIN} deals to tell bots apart.\n"),
            None if fit.seats > 2 || fit.is_drawn => {
                "Which differences they find is not known for draws and for more than two seats.\n".to_owned()
            }
            None => {
                "Play some deals: arena plan DIR then tells which differences more of them find.\n".to_owned()
            }
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_deals_find_is_said_only_where_it_is_known() {
        let fit = |seats, deals, gap_elo| Fit {
            stage: String::new(),
            bots: 4,
            seats,
            matches_each_deal: 6,
            sample: 12,
            sample_s: 3.0,
            deal_s: 1.5,
            jobs: 2,
            deals,
            matches_each_bot: [3 * deals; 2],
            meetings: [deals; 2],
            is_drawn: false,
            gap_elo,
        };
        for (fit, words) in [
            (fit(2, 100, Some(20.0)), "If one of 4 bots is 20 Elo better than all others,"),
            (fit(2, 3, None), "The table needs 8 deals"),
            (fit(4, 100, None), "is not known for draws and for more than two seats."),
            (fit(1, 100, None), "arena plan DIR then tells"),
        ] {
            let text = text(&[fit], Duration::from_secs(5400), 0.8);
            assert!(text.contains(words) && text.contains("\n1h 30m: "), "{text}");
        }
    }
}
