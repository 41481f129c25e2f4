//! Selects the doodle states that become vectors.

use std::sync::Arc;

use bots::Strategy;
use engine::bitboard::Bitboard;
use engine::cells::{Pair, write_cells};
use engine::dealer::Dealer;
use engine::doodle::{
    Action, Doodle, DoodleSetup, Drawing, Equipment, Moves, Observation, SeatTurn, Specials, WireMove,
};
use engine::game::Seat;
use serde_json::Value;

use crate::vectors::make::{Maker, Sampled, place};

pub(crate) const TAGS: &str =
    "start draw final scoring pass nothing_fits neighbor single cut repeat full bent";

/// Returns the text of the file.
pub(crate) fn file() -> String {
    let mut maker = Maker::<Doodle>::new(&DoodleSetup::default(), 0, 45);
    for seed in 0..40 {
        maker.play(1 + seed as usize % 2, seed, seed % 3 == 2);
    }
    maker.finish().1
}

impl Sampled for Doodle {
    fn any_action(&self, seat: Seat, chance: &mut Dealer) -> Action {
        chosen(&self.moves(seat).expect("the seat is asked"), self.sheet(seat).board, chance)
    }

    fn greedy_action(&self, seat: Seat, equipment: &Arc<Equipment>) -> Action {
        use engine::game::Game;
        let greedy = bots::find("greedy").expect("it is bundled");
        let mut bot: Box<dyn Strategy<Doodle>> = (greedy.doodle)(place(equipment, seat));
        bot.choose(&self.observe(seat), 0)
    }

    fn tags(seen: &Observation, seat: Seat, count: u64, explained: &Value) -> Vec<&'static str> {
        let drew = !explained["card"].is_null();
        let is_full = seen.players[seat].board == Bitboard::FULL;
        let spends =
            |name: &str| explained["uses"].as_array().expect("a list").iter().any(|used| used == name);
        let mut tags = vec![seen.phase.as_str()];
        let others = [
            ("scoring", seen.turn == 6),
            ("pass", !drew),
            ("nothing_fits", count == 1 && !is_full),
            ("neighbor", explained["neighbor"] == true),
            ("single", explained["singles"] != 0),
            ("cut", explained["cuts"] != 0),
            ("repeat", spends("repeat")),
            ("full", is_full),
        ];
        tags.extend(others.into_iter().filter(|(_, is)| *is).map(|(tag, _)| tag));
        tags
    }

    fn altered(seen: &Observation, seat: Seat) -> Vec<Observation> {
        let with = |board: Bitboard, actions: Specials| {
            let mut altered = seen.clone();
            altered.players[seat].board = board;
            altered.players[seat].actions = actions;
            altered
        };
        let board = seen.players[seat].board;
        match (seen.round, seen.turn) {
            // A full sheet, a sheet with one empty cell, and all special actions with few empty cells.
            (3, 5) => vec![with(Bitboard::FULL, Specials::ALL), with(all_but_the_middle(), Specials::ALL)],
            (3, 6) => vec![with(Bitboard::FULL, Specials::NONE), with(board, Specials::ALL)],
            (2, 4..) if (!board).len() < 24 => vec![with(board, Specials::ALL)],
            _ => Vec::new(),
        }
    }

    fn spoilt(word: &WireMove, seen: &Observation, seat: Seat, chance: &mut Dealer) -> Vec<WireMove> {
        let board = seen.players[seat].board;
        let free = any_cells(!board, 3, chance);
        let card = word.draw.as_ref().map_or_else(|| seen.offer[0].to_string(), |(card, _)| card.clone());
        let cells = word.draw.as_ref().map_or_else(|| free.clone(), |(_, cells)| cells.clone());
        let draw = |card: &str, cells: Vec<Pair>| WireMove {
            draw: Some((card.to_owned(), cells)),
            singles: word.singles.clone(),
        };
        let with = |more: Vec<Pair>| [cells.clone(), more].concat();
        let alone = |singles: Vec<Pair>| WireMove { draw: None, singles };
        let beside = |singles: Vec<Pair>| WireMove { draw: word.draw.clone(), singles };
        let other = seen.circle[seen.circle.len() / 2].to_string();
        let mut spoilt = vec![
            draw("X99", cells.clone()),
            draw(&card, with(vec![[9, 4]])),
            draw(&card, with(vec![[3, -1]])),
            draw(&card, with(cells.iter().take(1).copied().collect())),
            draw(&card, with(any_cells(board, 2, chance))),
            draw(&card, with(any_cells(!board, 1, chance))),
            draw(&card, cells.iter().skip(1).copied().collect()),
            draw(&card, Vec::new()),
            alone(Vec::new()),
            alone(free.iter().take(2).copied().collect()),
            beside(free.clone()),
            beside(free.iter().take(1).copied().collect()),
            beside(cells.iter().take(1).copied().collect()),
        ];
        let is_offered = seen.offer.iter().any(|card| card.as_str() == other);
        spoilt.extend((!is_offered).then(|| draw(&other, cells.clone())));
        spoilt
    }

    fn first_action(
        equipment: &Arc<Equipment>,
        seen: &Observation,
        seat: Seat,
        chance: &mut Dealer,
    ) -> Option<Action> {
        let position = SeatTurn::from_observation(equipment, seen, seat).expect("bent, but sound");
        Some(chosen(&position.moves(equipment), position.sheet.board, chance))
    }
}

/// Returns a random legal action: few single cells, and whole patches as often as pieces. Uniform choice
/// among all actions would hardly produce these kinds.
fn chosen(moves: &Moves<'_>, board: Bitboard, chance: &mut Dealer) -> Action {
    let drawings: Vec<Drawing> = moves.drawings().collect();
    let wanted_cuts = chance.below(3) as u8;
    let cut: Vec<Drawing> = drawings.iter().copied().filter(|drawing| drawing.cuts == wanted_cuts).collect();
    let pool = if cut.is_empty() { &drawings } else { &cut };
    let passes = pool.is_empty() || moves.may_pass() && chance.below(12) == 0;
    let drawing = (!passes).then(|| pool[chance.below(pool.len() as u32) as usize]);
    let draw = drawing.map(|drawing| drawing.draw);
    let free = !board - draw.map_or(Bitboard::EMPTY, |draw| draw.cells);
    let wanted = chance.below(8).saturating_sub(5).min(moves.singles_max(drawing.as_ref()).into());
    let singles = engine::cells::read_cells(&any_cells(free, wanted, chance)).expect("cells of the board");
    Action { draw, singles }
}

fn all_but_the_middle() -> Bitboard {
    !engine::cells::read_cells(&[[4, 4]]).expect("on the board")
}

/// Returns `count` random cells of the set, or all if there are fewer.
pub(crate) fn any_cells(cells: Bitboard, count: u32, chance: &mut Dealer) -> Vec<Pair> {
    let mut pairs = write_cells(cells);
    chance.shuffle(&mut pairs);
    pairs.truncate(count as usize);
    pairs
}
