//! Selects the Patchwork states that become vectors.

use std::sync::Arc;

use bots::Strategy;
use engine::bitboard::Bitboard;
use engine::cells::{Pair, read_cells};
use engine::dealer::Dealer;
use engine::game::{Game, Seat};
use engine::patchwork::{
    Action, Equipment, Leather, Observation, Patchwork, PatchworkSetup, Phase, Rules, WireMove,
};
use serde_json::Value;

use crate::vectors::doodle::any_cells;
use crate::vectors::make::{Maker, Sampled, place};

pub(crate) const TAGS: &str = "turn leather two_leather advance buy income takes_leather takes_bonus \
    few_patches broke same_space to_the_end last_move bent";

/// The last space of the standard track.
const LAST: u8 = 53;
/// The number of leather patches of the standard track.
const LEATHER: usize = 5;

/// Returns the text of the file, with both boards.
pub(crate) fn file() -> String {
    let setup = |leather| PatchworkSetup { rules: Rules { leather }, ..PatchworkSetup::default() };
    let mut first_id = 0;
    [Leather::Original, Leather::Revised]
        .map(|leather| {
            let mut maker = Maker::<Patchwork>::new(&setup(leather), first_id, 20);
            for seed in 0..30 {
                maker.play(2, first_id + seed, seed % 3 == 2);
            }
            let (next_id, text) = maker.finish();
            first_id = next_id;
            text
        })
        .concat()
}

impl Sampled for Patchwork {
    fn any_action(&self, seat: Seat, chance: &mut Dealer) -> Action {
        let moves = self.moves().expect("the seat is asked");
        moves.nth(chance.below(self.legal_count(seat) as u32)).expect("below the count")
    }

    fn greedy_action(&self, seat: Seat, equipment: &Arc<Equipment>) -> Action {
        let greedy = bots::find("greedy").expect("it is bundled");
        let mut bot: Box<dyn Strategy<Patchwork>> = (greedy.patchwork)(place(equipment, seat));
        bot.choose(&self.observe(seat), 0)
    }

    fn tags(seen: &Observation, seat: Seat, count: u64, explained: &Value) -> Vec<&'static str> {
        let [own, other] = [seat, 1 - seat].map(|seat| seen.players[seat].space);
        let is_turn = seen.phase == Phase::Turn;
        let reached = u64::from(own) + explained["spaces"].as_u64().expect("a number");
        let arrives = own < LAST && reached == u64::from(LAST);
        let is_last = reached == u64::from(LAST) && other == LAST && seen.leather_due <= 1;
        let buys = !explained["patch"].is_null();
        let tags = [
            ("turn", is_turn),
            ("leather", !is_turn),
            ("two_leather", seen.leather_due >= 2),
            ("advance", is_turn && !buys),
            ("buy", buys),
            ("income", explained["income"].as_u64() > Some(0)),
            ("takes_leather", explained["leather"] != Value::Array(Vec::new())),
            ("takes_bonus", explained["bonus"] == true),
            ("few_patches", seen.circle.len() < 3),
            ("broke", is_turn && count == 1),
            ("same_space", own == other),
            ("to_the_end", arrives),
            ("last_move", is_last),
        ];
        tags.into_iter().filter(|(_, is)| *is).map(|(tag, _)| tag).collect()
    }

    fn altered(seen: &Observation, seat: Seat) -> Vec<Observation> {
        let with = |change: &dyn Fn(&mut Observation)| {
            let mut altered = seen.clone();
            change(&mut altered);
            altered
        };
        let mut altered = Vec::new();
        if seen.circle.len().is_multiple_of(7) {
            altered.push(with(&|altered| altered.circle.truncate(seen.circle.len() / 7 % 3)));
        }
        if seen.phase == Phase::Leather {
            let board = Bitboard::rectangle(7, 7) - read_cells(&[[3, 5]]).expect("on the board");
            altered.push(with(&|altered| {
                altered.players[seat].board = board;
                altered.bonus = None;
            }));
            if LEATHER - seen.leather.len() >= 2 {
                altered.push(with(&|altered| altered.leather_due = 2));
            }
        }
        if seen.players[1 - seat].space == LAST {
            altered.push(with(&|altered| altered.players[seat].buttons = 99));
        }
        altered
    }

    fn spoilt(word: &WireMove, seen: &Observation, seat: Seat, chance: &mut Dealer) -> Vec<WireMove> {
        let board = seen.players[seat].board;
        let (id, cells) = match word {
            WireMove::Buy(id, cells) => (id.clone(), cells.clone()),
            _ => {
                let next = seen.circle.first().map_or("W02".to_owned(), ToString::to_string);
                (next, any_cells(!board, 3, chance))
            }
        };
        let with = |more: Vec<Pair>| [cells.clone(), more].concat();
        let mut spoilt = vec![
            WireMove::Buy("W99".to_owned(), cells.clone()),
            WireMove::Buy(id.clone(), with(vec![[0, 9]])),
            WireMove::Buy(id.clone(), with(cells.iter().take(1).copied().collect())),
            WireMove::Buy(id.clone(), with(any_cells(board, 2, chance))),
            WireMove::Buy(id.clone(), with(any_cells(!board, 1, chance))),
            WireMove::Buy(id.clone(), cells.iter().skip(1).copied().collect()),
            WireMove::Buy(id, Vec::new()),
            WireMove::Advance,
            WireMove::Leather([-1, 0]),
        ];
        for cells in [board, !board] {
            spoilt.extend(any_cells(cells, 1, chance).into_iter().map(WireMove::Leather));
        }
        spoilt.extend(seen.circle.iter().take(6).map(|id| WireMove::Buy(id.to_string(), cells.clone())));
        spoilt
    }

    /// Returns an action that takes the tile, if there is one.
    fn first_action(
        equipment: &Arc<Equipment>,
        seen: &Observation,
        seat: Seat,
        chance: &mut Dealer,
    ) -> Option<Action> {
        let game = Patchwork::from_observation(equipment, seen, seat).expect("bent, but sound");
        let takes_bonus = |action: &Action| {
            let mut next = game.clone();
            next.play(seat, action).is_ok() && next.state().bonus() != seen.bonus
        };
        let count = game.legal_count(seat) as u32;
        let any = (count > 0).then(|| chance.below(count) as usize)?;
        game.legal_actions(seat).find(takes_bonus).or_else(|| game.legal_actions(seat).nth(any))
    }
}
