//! Tables worked by hand, in any order of arrival.

use super::*;
use referee::play::time_control::TimeControl;
use referee::record::{FaultMark, FaultText, ResultRecord, Summary, TurnTime};
use std::time::Duration;

const TIME: TimeControl = TimeControl::new(Duration::from_secs(1), Duration::from_micros(3_500));

fn summary(index: u64, round: u64, bots: [&str; 2], scores: [i32; 2], fault: Option<FaultKind>) -> Summary {
    let merit = if fault.is_some() { [1, 0] } else { scores };
    let rank = |seat: usize| if merit[seat] < merit[1 - seat] { 2 } else { 1 };
    Summary {
        start: None,
        index,
        round,
        seed: 0,
        bots: bots.map(str::to_owned).into(),
        turns: vec![
            TurnTime { us: 100, ..TurnTime::default() },
            TurnTime { seat: 1, us: 3_000, ..TurnTime::default() },
        ],
        result: ResultRecord {
            scores: scores.into(),
            ranks: vec![rank(0), rank(1)],
            rounds: None,
            faults: vec![None, fault.map(|kind| FaultMark { kind, id: 3 })],
        },
        replayed: None,
        limits: Vec::new(),
        off_turn_us: Vec::new(),
        digest: format!("d{index}"),
    }
}

fn results() -> Vec<Summary> {
    vec![
        summary(0, 0, ["a", "b"], [10, 20], None),
        summary(1, 0, ["a", "c"], [12, 12], None),
        summary(2, 0, ["b", "c"], [30, 40], Some(FaultKind::Timeout)),
        summary(3, 1, ["b", "a"], [21, 10], None),
    ]
}

fn tally<'a>(summaries: impl IntoIterator<Item = &'a Summary>) -> Tally {
    let mut tally = Tally::new("doodle", &["a", "b", "c"].map(str::to_owned), vec![TIME; 3]);
    summaries.into_iter().for_each(|summary| tally.add(summary).unwrap());
    tally
}

#[test]
fn a_small_table_worked_by_hand() {
    let standings = tally(&results()).standings();
    let [b, c, a] = &standings.rows[..] else { panic!("three rows") };
    assert_eq!((b.rank, b.bot.as_str(), b.matches, b.won, b.drawn, b.lost), (1, "b", 3, 3, 0, 0));
    assert_eq!((b.points, b.mean_score, b.mean_rank), (100.0, 23.667, 1.0));
    assert_eq!((c.bot.as_str(), c.won, c.drawn, c.lost, c.points), ("c", 0, 1, 1, 25.0));
    assert_eq!((c.faults_total(), c.faults[&FaultKind::Timeout]), (1, 1));
    assert_eq!((a.bot.as_str(), a.drawn, a.lost), ("a", 1, 2));
    assert_eq!([b.ci95, b.next.unwrap().ahead_ci95, c.ci95], [None; 3], "two deals are too few");
    let ab = standings.crosstable.iter().find(|entry| entry.bot == "a" && entry.against == "b").unwrap();
    assert_eq!((ab.matches, ab.lost, ab.mean_margin), (2, 2, -10.5));
    assert_eq!(standings.deals, 2);
    assert_eq!([b.slow_moves, c.slow_moves, a.slow_moves], [1, 2, 1], "3 of 3.5 ms");
}

/// Limits of 3.5 ms.
#[test]
fn moves_after_the_limit_and_timeouts_that_the_kernel_does_not_explain_are_counted() {
    let mut result = summary(0, 0, ["a", "b"], [10, 20], Some(FaultKind::Timeout));
    let turn =
        |us, credit_us, fault| TurnTime { us, credit_us: Some(credit_us), fault, ..TurnTime::default() };
    let timeout = || Some(FaultText { kind: FaultKind::Timeout, detail: "no line".into() });
    result.turns = vec![turn(3_000, 600, None), turn(3_000, 400, None), turn(3_000, 600, timeout())];
    result.turns.push(TurnTime { untold: true, fault: timeout(), ..TurnTime::default() });
    let standings = tally([&result]).standings();
    assert_eq!((standings.credited, standings.untold_timeouts), (1, 1));
    let shown = crate::report::tables::terminal(&standings, &crate::report::tables::View::default());
    assert!(
        shown.contains("Moves after the limit that count, because others had the processors: 1\n"),
        "{shown}"
    );
    assert!(
        shown.contains("Timeouts for which the kernel does not tell who had the processors: 1\n"),
        "{shown}"
    );
}

#[test]
fn an_interval_worked_by_hand() {
    let again = |time: u64| {
        let later = move |result: Summary| Summary { round: result.round + 2 * time, ..result };
        results().into_iter().map(later)
    };
    let standings = tally(&(0..DEALS_MIN / 2).flat_map(again).collect::<Vec<_>>()).standings();
    let b = &standings.rows[0];
    // The deal means of b are 25 and 21, four times each: standard error sqrt(8 * 4 / 7 / 8), t(0.975; 7) = 2.365.
    let [low, high] = b.ci95.unwrap();
    assert_eq!((b.bot.as_str(), b.mean_score, standings.deals), ("b", 23.667, 8));
    assert!(((high - low) / 2.0 - 2.365 * (4.0_f64 / 7.0).sqrt()).abs() < 0.01, "{low} {high}");
    assert_eq!(standings.rows[1].ci95, None, "c played four deals");
}

#[test]
fn the_order_of_arrival_does_not_matter_and_a_match_counts_once() {
    let results = results();
    let forward = tally(&results).standings();
    let backward = tally(results.iter().rev().chain(&results)).standings();
    assert_eq!(serde_json::to_string(&forward).unwrap(), serde_json::to_string(&backward).unwrap());
}

#[test]
fn ratings_do_not_depend_on_the_order_of_arrival() {
    let names = ["a", "b", "c"];
    let result = |index: u64| {
        let (first, score) = (index as usize % 3, index * index % 31);
        let fault = (index % 17 == 5).then_some(FaultKind::Exit);
        let bots = [names[first], names[(first + 1 + index as usize / 3 % 2) % 3]];
        summary(index, index / 6, bots, [score as i32, 15], fault)
    };
    let results: Vec<Summary> = (0..300).map(result).collect();
    let mixed = (0..300).map(|place| &results[place * 7 % 300]);
    let [straight, mixed] = [tally(&results).standings(), tally(mixed).standings()];
    assert!(straight.rows.iter().all(|row| row.rating_played.is_some()));
    assert_eq!(serde_json::to_string(&straight).unwrap(), serde_json::to_string(&mixed).unwrap());
}

#[test]
fn long_times_are_not_cut() {
    let mut slow = results().swap_remove(0);
    slow.turns[0].us = 10_000_000;
    let times = tally([&slow]).standings().rows.into_iter().find(|row| row.bot == "a").unwrap().time_us;
    assert!((9_990_000..=10_010_000).contains(&times.max), "{times:?}");
    assert_eq!(times.median, times.max);
}

#[test]
fn contradictions_and_strangers_are_refused() {
    let mut tally = tally(&results());
    let other = Summary { digest: "f".into(), ..summary(0, 0, ["a", "b"], [1, 2], None) };
    assert!(tally.add(&other).unwrap_err().to_string().contains("there twice"));
    let stranger = summary(9, 0, ["a", "z"], [1, 2], None);
    assert!(tally.add(&stranger).unwrap_err().to_string().contains("\"z\" does not take part"));
    let mut short = summary(9, 0, ["a", "b"], [1, 2], None);
    short.result.ranks.pop();
    assert!(tally.add(&short).unwrap_err().to_string().contains("one for each seat"));
}

#[test]
fn a_table_without_matches_is_finite() {
    let standings = tally([]).standings();
    assert_eq!(standings.rows.len(), 3);
    assert!(standings.rows.iter().all(|row| row.rank == 1 && row.mean_score == 0.0 && row.ci95.is_none()));
}

/// A match of two bots without faults on a deal of its own.
fn plain(index: u64, bots: [&str; 2], scores: [i32; 2]) -> Summary {
    summary(index, index, bots, scores, None)
}

/// Checks tables of one-sided results.
#[test]
fn lopsided_results_give_sensible_tables() {
    let times = |count: u64, result: fn(u64) -> Summary| (0..count).map(result).collect::<Vec<_>>();
    let never_wins = times(100, |index| plain(index, ["a", "b"], [0, 9]));
    let all_draws = times(100, |index| plain(index, ["a", "b"], [5, 5]));
    let one_match = times(1, |index| plain(index, ["a", "b"], [1, 2]));
    let seven_matches = times(7, |index| plain(index, ["a", "b"], [1, 2]));
    let eight_matches = times(8, |index| plain(index, ["a", "b"], [1, if index % 4 == 0 { 0 } else { 2 }]));
    let faults = times(30, |index| summary(index, index, ["a", "b"], [0, 0], Some(FaultKind::Launch)));
    let both_ways =
        times(40, |index| plain(index, if index % 2 == 0 { ["a", "b"] } else { ["c", "a"] }, [1, 0]));
    let cases =
        [never_wins, all_draws, one_match, seven_matches, eight_matches, faults, both_ways, Vec::new()];
    for results in &cases {
        let standings = tally(results).standings();
        // JSON writes values that are not finite as null, so they do not survive a round trip.
        let json = serde_json::to_string(&standings).unwrap();
        assert_eq!(serde_json::from_str::<Standings>(&json).unwrap(), standings);
        for row in &standings.rows {
            let Some(Rating { elo, ci95 }) = row.rating else { continue };
            assert!(elo.abs() < 1_000.0, "{row:?}");
            assert_eq!(ci95.is_none(), row.matches < DEALS_MIN);
            assert!(
                ci95.is_none_or(|[low, high]| low < elo && elo < high && high - low < 1_000.0),
                "{row:?}"
            );
        }
    }
    let [lost, drawn, single, seven, eight, faults, ..] = cases.map(|results| tally(&results).standings());
    let is_decided = |standings: &Standings| standings.rows[0].next.unwrap().more_deals == Some(0);
    assert_eq!([&lost, &drawn, &seven, &eight, &faults].map(is_decided), [true, false, false, false, true]);
    assert_eq!((lost.rows[1].bot.as_str(), lost.rows[1].tiers), ("a", [2, 2]));
    assert_eq!((drawn.rows[0].rank, drawn.rows[1].rank, drawn.rows[1].tiers), (1, 1, [1, 1]));
    assert_eq!([&single, &seven].map(|few| few.rows[0].next.unwrap().better), [None, None], "too few deals");
    assert!(eight.rows[0].next.unwrap().better.unwrap() < 97.5);
}

#[test]
fn faults_are_losses_and_left_out_of_the_other_rating() {
    // In matches without faults, b wins three of four. But b fails every other time, and then a wins.
    let result = |index: u64| match index % 8 {
        0 => plain(index, ["a", "b"], [2, 1]),
        1..4 => plain(index, ["a", "b"], [1, 2]),
        _ => summary(index, index, ["a", "b"], [0, 9], Some(FaultKind::Timeout)),
    };
    let standings = tally(&(0..400).map(result).collect::<Vec<_>>()).standings();
    let [a, b] = &standings.rows[..2] else { panic!("two rows") };
    assert_eq!((a.bot.as_str(), b.bot.as_str()), ("a", "b"));
    let elo = |rating: Option<Rating>| rating.unwrap().elo;
    // A share of 5 of 8 is 88.7 Elo for a; 3 of 4 is 190.8 Elo for b.
    assert!((elo(a.rating) - elo(b.rating) - 88.7).abs() < 2.0, "{standings:?}");
    assert!((elo(b.rating_played) - elo(a.rating_played) - 190.8).abs() < 4.0, "{standings:?}");
    assert_eq!(tally(&results()[..2]).standings().rows[0].rating_played, None, "nobody failed");
}

#[test]
fn bots_that_sit_alone_are_compared_on_the_same_deals() {
    let alone = |index: u64, bot: &str, score: i32| {
        let mut summary = summary(index, index / 2, [bot, bot], [score; 2], None);
        summary.bots.truncate(1);
        let result = &mut summary.result;
        result.scores.truncate(1);
        result.ranks.truncate(1);
        result.faults.truncate(1);
        summary
    };
    // On each of 20 deals a has 2 or 4 points more; the deals are far apart.
    let of_deal = |deal: u64| {
        let luck = (deal as i32 * 37) % 100;
        [alone(2 * deal, "a", luck + 2 + 2 * (deal as i32 % 2)), alone(2 * deal + 1, "b", luck)]
    };
    let standings = tally(&(0..20).flat_map(of_deal).collect::<Vec<_>>()).standings();
    let [a, b] = &standings.rows[..2] else { panic!("two rows") };
    assert_eq!((a.bot.as_str(), a.tiers, b.tiers), ("a", [1, 1], [2, 2]));
    let Next { ahead, better, .. } = a.next.unwrap();
    assert_eq!((ahead, better), (3.0, Some(100.0)));
    assert!(a.ci95.unwrap()[0] < b.ci95.unwrap()[1], "their means alone tell nothing");
    assert!(standings.pairing.unwrap() > 100.0, "{:?}", standings.pairing);
    assert_eq!((standings.seats, standings.deals, &standings.first_seat), (1, 20, &None));
}

/// Data that grow with the square of the bots are omitted from large tournaments.
#[test]
fn large_tournaments_have_no_matrix_of_all_bots() {
    let names: Vec<String> = (0..70).map(|bot| format!("b{bot}")).collect();
    let of = |bots: usize, opponents: usize| {
        let mut tally = Tally::new("doodle", &names[..bots], vec![TIME; bots]);
        let pairs =
            (0..bots).flat_map(|one| (one + 1..bots.min(one + 1 + opponents)).map(move |other| (one, other)));
        for (index, (one, other)) in pairs.enumerate() {
            let bots = [names[one].as_str(), names[other].as_str()];
            tally.add(&summary(index as u64, 0, bots, [10, 20], None)).unwrap();
        }
        let standings = tally.standings();
        (standings.rows.len(), standings.better.len(), standings.crosstable.len())
    };
    assert_eq!(of(64, 64), (64, 64, 64 * 63));
    assert_eq!(of(65, 1), (65, 0, 2 * 64), "few have met");
    assert_eq!(of(65, 65), (65, 0, 0));
}
