//! Tests of the referee with scripted bots: no processes and no clock.

use std::sync::Arc;
use std::time::Duration;

use engine::doodle::{Doodle, Equipment};
use engine::patchwork::{self, Patchwork};
use engine::wire::WireFormat;

use crate::play::time_control::TimeControl;
use crate::play::*;
use crate::record::{Future, StartRecord};
use crate::seats::bot::scripted::{Answer as Scripted, ScriptedBot};
use sandbox::Timing;

const TIME: TimeControl = TimeControl::new(Duration::from_secs(1), Duration::from_secs(1));

/// Returns a bundled bot that runs without a process. `spoil` may replace its answers, counted from 0 with
/// the answer to `start`.
fn bundled<W>(
    name: &'static str,
    mut spoil: impl FnMut(usize, String) -> Scripted + 'static,
) -> ScriptedBot<W> {
    let (mut heard, mut answers) = (Vec::new(), 0);
    ScriptedBot::new(move |line| {
        heard.extend_from_slice(line);
        let mut output = Vec::new();
        let bot = bots::find(name).expect("a bundled bot");
        bots::run(bot, None, &heard[..], &mut output).expect("memory does not break");
        let last = String::from_utf8(output).expect("JSON").lines().last().expect("an answer").to_owned();
        answers += 1;
        spoil(answers - 1, last)
    })
}

fn sound<W>(name: &'static str) -> ScriptedBot<W> {
    bundled(name, |_, line| Scripted::line(line))
}

/// Returns a bot that replaces its answer of this number with `line`.
fn spoilt<W>(number: usize, line: &'static str) -> ScriptedBot<W> {
    bundled("random", move |count, sound| {
        Scripted::line(if count == number { line.to_owned() } else { sound })
    })
}

fn seated<W>(bot: ScriptedBot<W>) -> Seated<ScriptedBot<W>> {
    Seated { bot: Some(bot), fault: None, startup_left: Duration::from_secs(1) }
}

async fn play<G: WireFormat>(
    equipment: G::Equipment,
    time: TimeControl,
    bots: Vec<ScriptedBot<G::WireMove>>,
) -> (MatchRecord<G>, Vec<ScriptedBot<G::WireMove>>) {
    let seat = |seat| SeatPlan::new(&format!("b{seat}"), time);
    let plan = MatchPlan::dealt(&Rules::new(Arc::new(equipment)), 5, (0..bots.len()).map(seat).collect());
    let plan = MatchPlan::<G> { index: 3, round: 1, ..plan.expect("so many can play") };
    let mut seats: Vec<_> = bots.into_iter().map(seated).collect();
    let record = play_match(&plan, Provenance::default(), &mut seats, &mut |_: &G, _: &[_]| ()).await;
    (record.expect("a fresh deal"), seats.into_iter().filter_map(|seat| seat.bot).collect())
}

async fn doodle(
    bots: Vec<ScriptedBot<<Doodle as WireFormat>::WireMove>>,
) -> (MatchRecord<Doodle>, Vec<ScriptedBot<<Doodle as WireFormat>::WireMove>>) {
    play(Equipment::standard(), TIME, bots).await
}

fn texts(lines: &[Vec<u8>]) -> Vec<&str> {
    lines.iter().map(|line| std::str::from_utf8(line).expect("JSON")).collect()
}

#[tokio::test]
async fn a_sound_match_is_recorded_whole_and_the_bots_hear_the_end() {
    let (record, bots) = doodle(vec![sound("random"), sound("greedy")]).await;
    assert_eq!(record.turns.len(), 2 * 19);
    assert!(record.turns.iter().all(|turn| turn.wire_move.is_some()));
    assert_eq!(record.digest, record.digest());
    assert_eq!(record.result.ranks, [2, 1]);
    for bot in &bots {
        assert_eq!(bot.asked.len(), 1 + 19);
        assert!(texts(&bot.told)[0].starts_with(r#"{"type":"end","scores":["#));
    }
    let again = doodle(vec![sound("random"), sound("greedy")]).await.0;
    assert_eq!(again.digest, record.digest);
}

#[tokio::test]
async fn a_fault_puts_one_seat_out_and_the_others_play_as_if_nothing_had_happened() {
    let undisturbed = doodle(vec![sound("greedy"), sound("random"), sound("random")]).await.0;
    for (number, line, kind) in [
        (0, "nonsense", FaultKind::Malformed),
        (0, r#"{"type":"hello","protocol":1}"#, FaultKind::Malformed),
        (1, r#"{"type":"move","id":0,"move":{"pass":true}}"#, FaultKind::Illegal),
        (5, r#"{"type":"move","id":3,"move":{"pass":true}}"#, FaultKind::Id),
        (5, r#"{"type":"move","id":4,"move":{"pass":true,"singles":[[9,0]]}}"#, FaultKind::Illegal),
        (5, r#"{"type":"move","id":4,"move":{"card":"P99","cells":[[0,0]]}}"#, FaultKind::Illegal),
        (5, r#"{"type":"move","id":4,"move":{}}"#, FaultKind::Malformed),
        (5, "", FaultKind::Malformed),
    ] {
        let (record, bots) = doodle(vec![sound("greedy"), spoilt(number, line), sound("random")]).await;
        let id = number.saturating_sub(1) as u32;
        assert_eq!(record.result.faults, [None, Some(FaultMark { kind, id }), None], "{line}");
        assert_eq!(record.result.ranks[1], 3, "{line}");
        for seat in [0, 2] {
            assert_eq!(record.result.scores[seat], undisturbed.result.scores[seat]);
            let moves = |record: &MatchRecord<Doodle>| -> Vec<_> {
                record
                    .turns
                    .iter()
                    .filter(|turn| turn.seat == seat)
                    .map(|turn| turn.wire_move.clone())
                    .collect()
            };
            assert_eq!(moves(&record), moves(&undisturbed), "{line}");
        }
        let last = record.turns.iter().rfind(|turn| turn.seat == 1).expect("a fault");
        assert_eq!((last.id, last.fault.as_ref().map(|fault| fault.kind)), (id, Some(kind)));
        let sent = texts(&bots[1].told);
        assert_eq!(sent.len(), 1, "only the fault, not the end");
        assert!(
            sent[0].starts_with(&format!(r#"{{"type":"fault","id":{id},"kind":"{kind}""#)),
            "{}",
            sent[0]
        );
    }
}

#[tokio::test]
async fn an_answer_that_was_there_before_the_question_is_none() {
    let ahead = bundled("random", |count, line| match count {
        4 => Scripted::Early(line.into_bytes()),
        _ => Scripted::line(line),
    });
    let record = doodle(vec![ahead]).await.0;
    assert_eq!(record.result.faults, [Some(FaultMark { kind: FaultKind::Id, id: 3 })]);
}

#[tokio::test]
async fn a_fault_at_patchwork_ends_the_match_and_the_other_seat_wins() {
    let bots = vec![spoilt(3, "nonsense"), sound("random")];
    let record = play::<Patchwork>(patchwork::Equipment::standard(), TIME, bots).await.0;
    assert_eq!(record.result.ranks, [2, 1]);
    assert!(record.result.faults[0].is_some() && record.result.faults[1].is_none());
    let last = record.turns.last().expect("a fault");
    assert!(last.fault.is_some() && last.seat == 0, "nothing is asked after it");
}

#[tokio::test]
async fn when_every_seat_faults_all_share_the_first_rank() {
    let record = doodle(vec![spoilt(0, "x"), spoilt(2, "x")]).await.0;
    assert_eq!(record.result.ranks, [1, 1]);
    assert_eq!(record.result.faults.iter().flatten().count(), 2);
}

#[tokio::test]
async fn the_bank_runs_down_by_the_time_that_moves_take() {
    let slow = bundled("random", |_, line| Scripted::Measured {
        line: line.into_bytes(),
        timing: Timing::of(Duration::from_millis(60)),
    });
    let time = TimeControl { per_match: Some(Duration::from_millis(1_100)), ..TIME };
    let (record, bots) = play::<Doodle>(Equipment::standard(), time, vec![slow]).await;
    let budget = |line: &Vec<u8>| -> u64 {
        let turn: serde_json::Value = serde_json::from_slice(line).expect("JSON");
        turn["time_ms"].as_u64().expect("a time")
    };
    let budgets: Vec<u64> = bots[0].asked[1..].iter().map(budget).collect();
    assert_eq!(budgets[..3], [1000, 1000, 980]);
    assert_eq!(budgets.last(), Some(&20));
    assert!(record.turns.iter().all(|turn| turn.us == 60_000));
}

#[tokio::test]
async fn with_an_empty_bank_nothing_is_asked_any_more() {
    let slow = bundled("random", |_, line| Scripted::Measured {
        line: line.into_bytes(),
        timing: Timing::of(Duration::from_millis(60)),
    });
    let time = TimeControl { per_match: Some(Duration::from_millis(180)), ..TIME };
    let (record, bots) = play::<Doodle>(Equipment::standard(), time, vec![slow]).await;
    assert_eq!(bots[0].asked.len(), 1 + 3, "start and three decisions");
    assert_eq!(record.result.faults, [Some(FaultMark { kind: FaultKind::Timeout, id: 3 })]);
}

/// Checks that a match that starts after the moves of a record's first decisions ends as the record does.
async fn goes_on_from_every_decision<G: WireFormat>(equipment: G::Equipment, seats: usize) {
    let rules = Rules::<G>::new(Arc::new(equipment));
    let seat = |seat| SeatPlan::new(&format!("b{seat}"), TIME);
    let plan = MatchPlan::dealt(&rules, 5, (0..seats).map(seat).collect()).expect("so many can play");
    let (mut game, mut moves) = (plan.start.begin(&rules.equipment).expect("a fresh deal"), Vec::new());
    while let Some(seat) = first_pending(&game) {
        let (id, action) = (game.decision(), game.legal_actions(seat).next().expect("a legal move"));
        moves.push((id, seat, G::write(&rules.equipment, &action)));
        game.play(seat, &action).expect("a legal move");
    }
    let play_from = async |from: u32| {
        let given = moves.iter().filter(|(id, ..)| *id < from);
        let given = given.map(|(_, seat, wire_move)| (*seat, wire_move.clone())).collect();
        let start = Start { moves: given, ..plan.start.clone() };
        let answers = |seat| {
            let later = moves.iter().filter(move |(id, owner, _)| *id >= from && *owner == seat);
            let line = |(id, _, wire_move): &(u32, Seat, G::WireMove)| {
                serde_json::json!({"type": "move", "id": id, "move": wire_move}).to_string()
            };
            let ready = std::iter::once(r#"{"type":"ready"}"#.to_owned());
            ready.chain(later.map(line)).map(Scripted::line).collect::<Vec<_>>()
        };
        let bots = (0..seats).map(|seat| seated(ScriptedBot::reading(answers(seat))));
        let plan = MatchPlan { start, ..plan.clone() };
        let mut bots: Vec<_> = bots.collect();
        // Who watches sees every decision once, with the game after it.
        let (mut ids, mut shown) = (Vec::new(), Vec::new());
        let watch = &mut |game: &G, turns: &[TurnRecord<G::WireMove>]| {
            ids.push(game.decision());
            shown.extend_from_slice(turns);
        };
        let record = play_match(&plan, Provenance::default(), &mut bots, watch).await.expect("a sound start");
        assert_eq!((ids[0], &shown), (0, &record.turns));
        assert!(ids.is_sorted_by(|one, other| one < other), "{ids:?}");
        record
    };
    let whole = play_from(0).await;
    assert_eq!(whole.turns.len(), moves.len());
    for from in 1..=moves.last().expect("a match has moves").0 {
        let rest = play_from(from).await;
        assert_eq!(rest.result, whole.result, "from decision {from}");
        assert!(rest.played().first().is_some_and(|turn| turn.id >= from), "from decision {from}");
        let moves = |record: &MatchRecord<G>| -> Vec<_> {
            record.turns.iter().map(|turn| (turn.id, turn.seat, turn.wire_move.clone())).collect()
        };
        assert_eq!(moves(&rest), moves(&whole), "from decision {from}");
        let given = moves(&rest).iter().filter(|(id, ..)| *id < from).count();
        assert_eq!(rest.start, Some(StartRecord { turns: given, future: Future::Recorded }));
    }
    let twice = vec![(moves[0].1, moves[0].2.clone()); 2];
    let wrong = Start::<G> { moves: twice, ..plan.start.clone() };
    let error = wrong.begin(&rules.equipment).map(drop).expect_err("a move cannot be made twice");
    assert!(error.message().starts_with("move 1, of seat "), "{}", error.message());
}

#[tokio::test]
async fn a_match_goes_on_from_every_decision_of_another() {
    goes_on_from_every_decision::<Doodle>(Equipment::standard(), 2).await;
    goes_on_from_every_decision::<Patchwork>(patchwork::Equipment::standard(), 2).await;
}
