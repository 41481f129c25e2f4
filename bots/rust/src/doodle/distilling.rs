//! Learns the fast evaluation [`glance`](super::glance) by distillation. The teacher is the [`Evaluator`]. On
//! sheets from self-play, the window weights learn how the evaluator ranks the placements of a patch.

use engine::bitboard::Bitboard;
use engine::doodle::{Equipment, State, Table, Uses};

use super::ahead::Turn;
use super::evaluator::Evaluator;
use super::glance;
use super::learned::Learned;
use super::learned::MATCH_TURNS;
use super::steps::WEIGHED_MIN;
use super::timeline;
use super::training::FINALISTS;
use crate::windows;

/// Learns window weights that approximate the evaluation of the bundled bots.
#[derive(Debug)]
pub struct Distiller<'e> {
    equipment: &'e Equipment,
    /// The weights in points, by turn and window number.
    turns: Vec<Vec<f32>>,
}

/// A sheet with its full evaluation `value` and its fast evaluation `look`, in points.
#[derive(Clone, Copy)]
struct Sheet {
    board: Bitboard,
    value: f32,
    look: f32,
}

impl<'e> Distiller<'e> {
    /// Makes a distiller that starts with the window weights of the evaluator.
    pub fn new(equipment: &'e Equipment) -> Distiller<'e> {
        let turns = Learned::bundled().stages.iter().map(|stage| stage.windows.clone()).collect();
        Distiller { equipment, turns }
    }

    /// Serializes the weights in the format that the bots read.
    pub fn to_bytes(&self) -> Vec<u8> {
        glance::to_bytes(&self.turns)
    }

    /// Plays the deal of this seed with the policy of `greedy`, and learns from all placements of the offered
    /// cards. `pace` is the learning rate: the share of the error that one update corrects, spread over the
    /// windows of a sheet. Returns the mean loss per turn in points: the best of all sheets minus the best
    /// among the sheets preferred at a glance.
    pub fn study(&mut self, seed: u64, pace: f32) -> f32 {
        let timeline = timeline(self.equipment, seed);
        let table = Table { equipment: self.equipment, timeline: &timeline, seat: 0 };
        let (mut state, mut missed) = (State::NEW, 0.0);
        while state.turn < MATCH_TURNS {
            let turn = Turn::on_table(table, &state, Learned::bundled()).expect("the match is not over");
            let moves = state.moves(table).expect("the match is not over");
            for (offer, _) in moves.ways().filter(|&(_, cuts)| cuts == 0) {
                let uses = Uses { neighbor: offer.neighbor, ..Uses::default() };
                let places = moves.places(offer.card, 0).flat_map(|places| places.iter());
                missed += self.compare(&state, uses, places, pace);
            }
            let choice = turn.choices(FINALISTS)[0];
            state.apply(&timeline, &choice.action, choice.uses);
        }
        missed / f32::from(MATCH_TURNS)
    }

    /// Learns from the placements of one card. Returns the loss in points.
    fn compare(
        &mut self,
        state: &State,
        uses: Uses,
        places: impl Iterator<Item = Bitboard>,
        pace: f32,
    ) -> f32 {
        let evaluator = Evaluator::new(Learned::bundled(), state.turn);
        let specials = state.sheet.specials.after(uses).expect("only affordable actions are tried");
        let weights = &mut self.turns[usize::from(state.turn)];
        let sheet = |cells: Bitboard| {
            let board = state.sheet.board | cells;
            Sheet { board, value: evaluator.value(board, specials), look: windows::sum(weights, board) }
        };
        let mut sheets: Vec<Sheet> = places.map(sheet).collect();
        let mean = |of: fn(&Sheet) -> f32| sheets.iter().map(of).sum::<f32>() / sheets.len().max(1) as f32;
        let apart = mean(|sheet| sheet.value - sheet.look);
        for sheet in &sheets {
            let error = sheet.value - sheet.look - apart;
            windows::correct(weights, sheet.board, pace * error);
        }
        sheets.sort_by(|one, other| other.look.total_cmp(&one.look));
        let best = |sheets: &[Sheet]| sheets.iter().map(|sheet| sheet.value).reduce(f32::max).unwrap_or(0.0);
        best(&sheets) - best(&sheets[..WEIGHED_MIN.min(sheets.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_studies_misses_less_and_the_same_every_time() {
        let equipment = Equipment::standard();
        let studied = || {
            let mut distiller = Distiller::new(&equipment);
            let missed: Vec<f32> = (0..60).map(|seed| distiller.study(seed, 0.05)).collect();
            (missed, distiller.to_bytes())
        };
        let (missed, bytes) = studied();
        let [before, after] = [&missed[..20], &missed[40..]].map(|missed| missed.iter().sum::<f32>());
        assert!(after < before / 2.0, "{before} before, {after} after");
        assert_eq!(studied(), (missed, bytes));
    }
}
