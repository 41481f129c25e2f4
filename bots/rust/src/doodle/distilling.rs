//! Learns how sheets look at a [glance](super::glance) by distillation: on sheets that come up in play, what sets each place of a
//! patch apart from the others in the [outlook](Outlook) is put into the windows alone.

use engine::bitboard::Bitboard;
use engine::doodle::{Course, Equipment, State, Uses};

use super::ahead::Turn;
use super::glance;
use super::learned::Learned;
use super::learned::MATCH_TURNS;
use super::outlook::Outlook;
use super::steps::WEIGHED_MIN;
use super::training::FINALISTS;
use super::{timeline, windows};

/// One who learns to judge at a glance as the bundled bots do when they weigh a sheet.
#[derive(Debug)]
pub struct Distiller<'e> {
    equipment: &'e Equipment,
    /// By turn and number of the window, in points.
    turns: Vec<Vec<f32>>,
}

/// A sheet with what it is worth and what it looks to be, in points.
#[derive(Clone, Copy)]
struct Sheet {
    board: Bitboard,
    value: f32,
    look: f32,
}

impl<'e> Distiller<'e> {
    /// One who sees in each window what it adds in the outlook.
    pub fn new(equipment: &'e Equipment) -> Distiller<'e> {
        let turns = Learned::bundled().stages.iter().map(|stage| stage.windows.clone()).collect();
        Distiller { equipment, turns }
    }

    /// What it has learned, as the bots read it.
    pub fn to_bytes(&self) -> Vec<u8> {
        glance::to_bytes(&self.turns)
    }

    /// Plays the deal of this seed as `greedy` does, and learns from all places of the cards on the way. `pace` is the
    /// share of an error by which the windows of a sheet are moved, taken together. Says how many points a turn the best
    /// of the sheets that look best is worse than the best of all.
    pub fn study(&mut self, seed: u64, pace: f32) -> f32 {
        let timeline = timeline(self.equipment, seed);
        let course = Course { equipment: self.equipment, timeline: &timeline, seat: 0 };
        let (mut state, mut missed) = (State::NEW, 0.0);
        while state.turn < MATCH_TURNS {
            let turn = Turn::in_course(course, &state, Learned::bundled()).expect("the match is not over");
            let decision = state.decision(course).expect("the match is not over");
            for (offer, _) in decision.ways().filter(|&(_, cuts)| cuts == 0) {
                let uses = Uses { neighbor: offer.neighbor, ..Uses::default() };
                let places = decision.places(offer.card, 0).flat_map(|places| places.iter());
                missed += self.compare(&state, uses, places, pace);
            }
            let choice = turn.choices(FINALISTS)[0];
            state.apply(&timeline, &choice.action, choice.uses);
        }
        missed / f32::from(MATCH_TURNS)
    }

    /// Learns from the places of one card; what is missed there.
    fn compare(
        &mut self,
        state: &State,
        uses: Uses,
        places: impl Iterator<Item = Bitboard>,
        pace: f32,
    ) -> f32 {
        let outlook = Outlook::new(Learned::bundled(), state.turn);
        let specials = state.sheet.specials.after(uses).expect("only affordable actions are tried");
        let weights = &mut self.turns[usize::from(state.turn)];
        let sheet = |cells: Bitboard| {
            let board = state.sheet.board | cells;
            Sheet { board, value: outlook.value(board, specials), look: windows::sum(weights, board) }
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
