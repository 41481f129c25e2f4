//! Looks ahead: the best looking actions are played out on the same possible futures, and the one
//! that ends best on average is taken.
//!
//! As the budget is spent the field narrows: half of the actions drop out at a time, those that did
//! worst, and those that stay share what is left.

use engine::bitboard::Bitboard;
use engine::dealer::Dealer;
use engine::doodle::{Action, Course, Draw, Equipment, Position, Special, State, Timeline, Uses};
use engine::fits::Free;
use engine::patch::Placements;

use super::ahead::{Choice, Turn, singles_to_try, turn_number};
use super::budget::Budget;
use super::future;
use super::outlook::{MATCH_TURNS, Outlook, ROUND_TURNS};

/// Something tunable.
fn tune(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// An action in the race, with what became of it.
struct Runner {
    choice: Choice,
    state: State,
    total: f64,
    count: u32,
}

impl Runner {
    fn mean(&self) -> f64 {
        self.total / f64::from(self.count.max(1))
    }
}

/// The best action for `position`.
pub(crate) fn best(
    equipment: &Equipment,
    position: &Position,
    chance: &mut Dealer,
    mut budget: Budget,
) -> Action {
    let turn = Turn::new(equipment, position);
    let now = turn_number(position);
    let mut choices = turn.choices(tune("QF", 16));
    choices.truncate(tune("QN", 16));
    let decision = position.decision(equipment);
    if now == MATCH_TURNS || choices.len() == 1 {
        return choices[0].action;
    }
    let base = |state: &State| state.sheet.rounds.iter().map(|&points| f64::from(points)).sum::<f64>();
    let mut runners: Vec<Runner> = choices
        .into_iter()
        .map(|choice| {
            let state = State { sheet: decision.applied(&choice.action, choice.uses), turn: now };
            Runner { choice, state, total: 0.0, count: 0 }
        })
        .collect();
    let _ = base;
    let stages = (runners.len() as f64).log2().ceil();
    let field = runners.len();
    let mut policy = Policy::new(equipment);
    let horizon = tune("QH", 6) as u8;
    let mut values = Vec::with_capacity(field);
    for number in 0.. {
        let timeline = future::deal(position, number, chance);
        values.clear();
        for runner in &runners {
            let (value, nodes) = policy.play_out(&timeline, runner.state, horizon);
            values.push(value);
            budget.spend(nodes);
            if budget.share_spent() >= 1.0 {
                break;
            }
        }
        if values.len() == runners.len() || number == 0 {
            for (runner, &value) in runners.iter_mut().zip(&values) {
                runner.total += f64::from(value);
                runner.count += 1;
            }
        }
        let share = budget.share_spent();
        if share >= 1.0 {
            break;
        }
        let keep = (field as f64 / 2f64.powf((share * stages).floor())).ceil() as usize;
        if keep < runners.len() {
            runners.sort_by(|one, other| other.mean().total_cmp(&one.mean()));
            runners.truncate(keep.max(2));
        }
    }
    let best = runners
        .iter()
        .filter(|runner| runner.count > 0)
        .max_by(|one, other| one.mean().total_cmp(&other.mean()));
    best.expect("a turn has an action").choice.action
}

/// Plays quickly: whole patches, judged by the sheet that they leave.
struct Policy<'a> {
    equipment: &'a Equipment,
    outlook: Outlook,
    neighbor_turns: u8,
    single_turns: u8,
    cut_turns: u8,
    finalists: usize,
}

/// A way to go on.
#[derive(Clone, Copy)]
struct Step {
    draw: Option<Draw>,
    board: Bitboard,
    uses: Uses,
    value: f32,
}

impl<'a> Policy<'a> {
    fn new(equipment: &'a Equipment) -> Policy<'a> {
        Policy {
            equipment,
            outlook: Outlook::new(0, Bitboard::EMPTY),
            neighbor_turns: tune("QNB", 1) as u8,
            single_turns: tune("QS", 1) as u8,
            cut_turns: tune("QC", 0) as u8,
            finalists: tune("QPF", 3),
        }
    }

    /// Plays so many turns after the one that `state` is at the end of, and says how good that is.
    fn play_out(&mut self, timeline: &Timeline, mut state: State, horizon: u8) -> (f32, u64) {
        let course = Course { equipment: self.equipment, timeline, seat: 0 };
        let mut nodes = 0;
        let last = (state.turn + horizon).min(MATCH_TURNS);
        // Nothing is added to the sheet, but the turn ends.
        let nothing = Action { draw: None, singles: Bitboard::EMPTY };
        state.apply(timeline, &nothing, Uses::default());
        let mut value = 0.0;
        while state.turn <= last {
            let banked: i32 = state.sheet.rounds.iter().map(|&points| i32::from(points)).sum();
            let step = self.step(course, &state);
            nodes += 1;
            value = banked as f32 + step.value;
            let singles =
                step.board - state.sheet.board - step.draw.map_or(Bitboard::EMPTY, |draw| draw.cells);
            state.apply(timeline, &Action { draw: step.draw, singles }, step.uses);
        }
        if state.is_over() {
            value = state.sheet.score() as f32;
        }
        (value, nodes)
    }

    fn step(&mut self, course: Course<'_>, state: &State) -> Step {
        let (sheet, turn) = (&state.sheet, state.turn);
        self.outlook.look_from(turn, sheet.board);
        let decision = state.decision(course).expect("the match is not over");
        let to_scoring = (ROUND_TURNS - turn % ROUND_TURNS) % ROUND_TURNS;
        let free = Free::new(!sheet.board);
        let outlook = &self.outlook;
        let worth = |uses: Uses| outlook.worth(sheet.specials.after(uses).expect("affordable"));
        let plain = Uses::default();
        let mut steps = vec![Step {
            draw: None,
            board: sheet.board,
            uses: plain,
            value: outlook.value(sheet.board) + worth(plain),
        }];
        for offer in decision.offers() {
            if offer.neighbor && to_scoring >= self.neighbor_turns {
                continue;
            }
            for cuts in 0..=u8::from(to_scoring < self.cut_turns) {
                let uses = Uses { neighbor: offer.neighbor, singles: 0, cuts };
                let Some(left) = sheet.specials.after(uses) else { continue };
                let worth = outlook.worth(left);
                for shapes in self.equipment.patch(offer.card).after_cuts(cuts.into()).chunks(8) {
                    for cells in Placements::new(shapes, &free).iter() {
                        let board = sheet.board | cells;
                        let draw = Some(Draw { card: offer.card, cells });
                        steps.push(Step { draw, board, uses, value: outlook.value(board) + worth });
                    }
                }
            }
        }
        let best = |steps: &[Step]| {
            *steps
                .iter()
                .reduce(|one, other| if other.value > one.value { other } else { one })
                .expect("a pass")
        };
        if to_scoring >= self.single_turns
            || !(sheet.specials.has(Special::Single) || sheet.specials.has(Special::Repeat))
        {
            return best(&steps);
        }
        let count = self.finalists.min(steps.len());
        if count < steps.len() {
            steps.select_nth_unstable_by(count, |one, other| other.value.total_cmp(&one.value));
            steps.truncate(count);
        }
        for number in 0..count {
            let step = steps[number];
            let most = sheet.specials.singles_max(step.uses.neighbor, step.uses.cuts).unwrap_or(0);
            for singles in singles_to_try(outlook, step.board, most.into()) {
                let uses = Uses { singles: singles.len() as u8, ..step.uses };
                let board = step.board | singles;
                steps.push(Step { board, uses, value: outlook.value(board) + worth(uses), ..step });
            }
        }
        best(&steps)
    }
}
