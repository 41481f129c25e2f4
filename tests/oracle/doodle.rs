//! Patchwork Doodle: compares the engine with the naive rules.

use std::sync::Arc;

use engine::bitboard::{Bitboard, Cell};
use engine::dealer::Dealer;
use engine::doodle::{
    Action, Deal, Doodle, DoodleSetup, Drawing, Equipment, Rules, StartCards, State, Table, Uses,
};
use engine::game::{Game, first_pending};

use crate::oracle::naive::doodle as naive;
use crate::oracle::naive::shapes::Board;

const CARDS: &str = include_str!("../../engine/data/doodle-standard.json");
/// The most legal moves of a turn that are compared one by one.
const LISTED_MOVES_MAX: u64 = 3_000;

#[test]
fn engine_and_naive_rules_agree_on_random_games() {
    let cards = naive::Cards::parse(CARDS).expect("the standard deck");
    let equipment = |start_cards| {
        let setup = DoodleSetup { rules: Rules { start_cards }, cards: None };
        Arc::new(Equipment::new(&setup).expect("the standard deck"))
    };
    let dealt = equipment(StartCards::Dealt);
    let shared = equipment(StartCards::Shared);
    crate::oracle::on_all_cores(|game| {
        let equipment = if game % 5 == 4 { &shared } else { &dealt };
        Duel::new(equipment, &cards, game).play();
    });
}

/// One game played by both implementations.
struct Duel<'a> {
    game: Doodle,
    /// The same match for each seat alone, as a search plays it.
    states: Vec<State>,
    naive: naive::State<'a>,
    chance: Dealer,
    number: u64,
}

impl<'a> Duel<'a> {
    fn new(equipment: &Arc<Equipment>, cards: &'a naive::Cards, number: u64) -> Duel<'a> {
        let seats = 1 + (number % 3) as usize;
        let deal = Doodle::deal(equipment, seats, number).expect("so many seats can play");
        let game = Doodle::new(equipment, &deal).expect("a fresh deal");
        let naive = naive::State::new(cards, &in_naive_words(&deal)).expect("a fresh deal");
        let states = vec![State::NEW; seats];
        Duel { game, states, naive, chance: Dealer::new(number, 77), number }
    }

    fn play(mut self) {
        self.compare_state();
        while first_pending(&self.game).is_some() {
            let actions: Vec<Action> = (0..self.game.seats()).map(|seat| self.choose(seat)).collect();
            let moves: Vec<naive::Move> = actions.iter().map(|action| self.in_naive_move(action)).collect();
            self.try_spoilt(&actions, &moves);
            for (seat, action) in actions.iter().enumerate() {
                self.play_as_a_search(seat, action);
                self.game.play(seat, action).unwrap_or_else(|why| self.fail(&format!("seat {seat}: {why}")));
            }
            if let Err(why) = self.naive.play(&moves) {
                self.fail(&why);
            }
            self.compare_state();
        }
        assert_eq!(self.naive.phase(), naive::Phase::Over);
    }

    fn play_as_a_search(&mut self, seat: usize, action: &Action) {
        let table = self.game.table(seat);
        let state = &mut self.states[seat];
        let uses = state.moves(table).expect("the match goes on").check(action);
        state.apply(table.timeline, action, uses.expect("a legal action"));
    }

    fn fail(&self, why: &str) -> ! {
        panic!("game {}, decision {}: {why}", self.number, self.game.decision())
    }

    /// Returns a random legal action: few single cells, and whole patches as often as pieces. Uniform choice
    /// among all actions would hardly produce these kinds.
    fn choose(&mut self, seat: usize) -> Action {
        let moves = self.game.moves(seat).expect("the seat owes an action");
        let drawings: Vec<Drawing> = moves.drawings().collect();
        let wanted_cuts = self.chance.below(4) as u8;
        let some: Vec<Drawing> = drawings.iter().copied().filter(|d| d.cuts == wanted_cuts).collect();
        let pool = if some.is_empty() { &drawings } else { &some };
        let passes = moves.may_pass() && self.chance.below(12) == 0;
        let drawing = match pool.len() {
            0 => None,
            _ if passes => None,
            count => Some(pool[self.chance.below(count as u32) as usize]),
        };
        let draw = drawing.map(|drawing| drawing.draw);
        let free = !self.game.sheet(seat).board - draw.map_or(Bitboard::EMPTY, |draw| draw.cells);
        let singles_max = u32::from(moves.singles_max(drawing.as_ref()));
        self.compare_moves(seat, &drawings, drawing.as_ref());
        let wanted = self.chance.below(8).saturating_sub(5).min(singles_max);
        let singles = (0..wanted).fold(Bitboard::EMPTY, |chosen, _| chosen | self.any_cell(free - chosen));
        Action { draw, singles }
    }

    fn any_cell(&mut self, cells: Bitboard) -> Bitboard {
        match cells.len() {
            0 => Bitboard::EMPTY,
            count => cells.iter().nth(self.chance.below(count) as usize).into_iter().collect(),
        }
    }

    /// Compares the legal moves of a seat, one by one or by their number.
    fn compare_moves(&mut self, seat: usize, drawings: &[Drawing], chosen: Option<&Drawing>) {
        if self.chance.below(crate::oracle::listed_every()) != 0 {
            return;
        }
        let moves = self.states[seat].moves(self.game.table(seat)).expect("the seat owes an action");
        assert!(moves.drawings().eq(drawings.iter().copied()), "game {}", self.number);
        assert_eq!(moves.drawing_count() as usize, drawings.len());
        let some = (self.number % 7) as usize;
        for number in (some..drawings.len()).step_by(7) {
            assert_eq!(moves.nth_drawing(number as u32), Some(drawings[number]));
        }
        assert_eq!(moves.nth_drawing(drawings.len() as u32), None);
        let theirs = self.naive.drawings(seat);
        let mut ours: Vec<naive::Drawing> =
            drawings.iter().map(|drawing| self.in_naive_drawing(drawing)).collect();
        ours.sort_by(|a, b| (&a.card, &a.cells).cmp(&(&b.card, &b.cells)));
        assert_eq!(ours, theirs, "game {} decision {}", self.number, self.game.decision());
        let count = self.game.legal_count(seat);
        assert_eq!(count, self.naive.legal_count_with(seat, &theirs), "game {}", self.number);
        let singles_max = self.game.moves(seat).expect("asked").singles_max(chosen);
        let in_words = chosen.map(|drawing| self.in_naive_drawing(drawing));
        let free = self.naive.board(seat).iter().flatten().filter(|covered| !**covered).count()
            - in_words.as_ref().map_or(0, |drawing| drawing.cells.len());
        assert_eq!(usize::from(singles_max).min(free), self.naive.singles_max(seat, in_words.as_ref()));
        if count <= LISTED_MOVES_MAX {
            self.compare_listed_moves(seat, count);
        }
    }

    fn compare_listed_moves(&self, seat: usize, count: u64) {
        let key = |action: naive::Move| {
            let mut singles = action.singles;
            singles.sort_unstable();
            (action.draw, singles)
        };
        let mut ours: Vec<_> =
            self.game.legal_actions(seat).map(|action| key(self.in_naive_move(&action))).collect();
        let mut theirs: Vec<_> = self.naive.legal_moves(seat).into_iter().map(key).collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours.len() as u64, count);
        assert!(ours == theirs, "game {} decision {}: other moves", self.number, self.game.decision());
    }

    /// Changes one cell of one seat's move in a legal turn. Both implementations must judge it alike, and a
    /// refusal must change nothing.
    fn try_spoilt(&mut self, actions: &[Action], moves: &[naive::Move]) {
        let seat = self.chance.below(actions.len() as u32) as usize;
        let flipped = self.any_cell(Bitboard::FULL);
        let mut action = actions[seat];
        match (&mut action.draw, self.chance.below(2)) {
            (Some(draw), 0) => draw.cells = (draw.cells | flipped) - (draw.cells & flipped),
            _ => action.singles = (action.singles | flipped) - (action.singles & flipped),
        }
        let mut spoilt = moves.to_vec();
        spoilt[seat] = self.in_naive_move(&action);
        let mut ours = self.game.clone();
        let before = ours.observe(seat);
        let verdict = ours.play(seat, &action);
        let theirs = self.naive.clone().play(&spoilt);
        let place = format!("game {} decision {} seat {seat}: {action:?}", self.number, self.game.decision());
        assert_eq!(verdict.is_ok(), theirs.is_ok(), "{place}: {verdict:?}, {theirs:?}");
        if verdict.is_err() {
            assert_eq!(ours.observe(seat), before, "{place}");
            assert!(ours.owes(seat), "{place}");
        }
    }

    fn compare_state(&self) {
        let place = format!("game {} decision {}", self.number, self.game.decision());
        let outcome = self.game.outcome();
        for seat in 0..self.game.seats() {
            let seen = self.game.observe(seat);
            let sheet = self.naive.sheet(seat);
            let (view, rounds) = (&seen.players[seat], outcome.rounds.as_ref().expect("doodle has rounds"));
            assert_eq!(view.board, in_bits(&sheet.board), "{place}");
            assert_eq!(self.game.sheet(seat), &self.states[seat].sheet, "{place}");
            assert_eq!(rounds[seat], sheet.rounds, "{place}");
            assert_eq!(self.naive.score(seat).total, outcome.scores[seat], "{place}");
            assert_eq!(action_names(&view.actions), sheet.actions.names(), "{place}");
            if self.naive.phase() != naive::Phase::Over {
                self.compare_table(seat, &place);
            }
        }
    }

    fn compare_table(&self, seat: usize, place: &str) {
        let seen = self.game.observe(seat);
        let phase = serde_json::to_value(seen.phase).expect("a word");
        assert_eq!(phase, self.naive.phase().name(), "{place}");
        assert_eq!((seen.round, seen.turn), (self.naive.round(), self.naive.turn()), "{place}");
        let words = |names: &[engine::wire::name::CardName]| -> Vec<String> {
            names.iter().map(ToString::to_string).collect()
        };
        assert_eq!(words(&seen.circle), self.naive.circle(), "{place}");
        assert_eq!(words(&seen.offer), self.naive.offer(seat), "{place}");
        assert_eq!(words(&seen.unseen), self.naive.unseen(), "{place}");
    }

    fn in_naive_drawing(&self, drawing: &Drawing) -> naive::Drawing {
        naive::Drawing {
            card: self.game.equipment().name(drawing.draw.card).to_string(),
            cells: pairs(drawing.draw.cells),
            neighbor: drawing.neighbor,
            cuts: drawing.cuts,
        }
    }

    fn in_naive_move(&self, action: &Action) -> naive::Move {
        let name = |card| self.game.equipment().name(card).to_string();
        let draw = action.draw.map(|draw| (name(draw.card), pairs(draw.cells)));
        naive::Move { draw, singles: pairs(action.singles) }
    }
}

/// A playout in one call equals the game turn by turn. The duels have compared the turns.
#[test]
fn playouts_are_games_turn_by_turn() {
    let equipment = Arc::new(Equipment::standard());
    for number in 0..100 {
        let deal = Doodle::deal(&equipment, 3, number).expect("three can play");
        let game = Doodle::new(&equipment, &deal).expect("a fresh deal");
        let table = game.table((number % 3) as usize);
        let [mut one, mut other] = [(); 2].map(|()| Dealer::new(number, 76));
        let random = played(table, |_, places| match places.len() {
            0 => None,
            count => Some(places[one.below(count as u32) as usize]),
        });
        let mut at_once = State::NEW;
        assert_eq!((at_once.play_out(table, |bound| other.below(bound)), at_once), random);
        let greedy = played(table, |board, places| {
            let beside = |cells: &Bitboard| (cells.with_neighbors() - *cells - board).len();
            places.iter().copied().min_by_key(beside)
        });
        let mut at_once = State::NEW;
        assert_eq!((at_once.play_greedily(table), at_once), greedy);
    }
}

/// Plays a game in which `choose` takes one placement per turn. Returns the total number of placements
/// without special actions, and the final state.
fn played(
    table: Table<'_>,
    mut choose: impl FnMut(Bitboard, &[Bitboard]) -> Option<Bitboard>,
) -> (u32, State) {
    let (mut state, mut count) = (State::NEW, 0);
    while let Some(moves) = state.moves(table) {
        let plain: Vec<Drawing> =
            moves.drawings().filter(|drawing| drawing.uses(0) == Uses::default()).collect();
        let places: Vec<Bitboard> = plain.iter().map(|drawing| drawing.draw.cells).collect();
        count += places.len() as u32;
        let chosen = choose(state.sheet.board, &places);
        let drawing = chosen.and_then(|cells| plain.iter().find(|drawing| drawing.draw.cells == cells));
        let action = Action { draw: drawing.map(|drawing| drawing.draw), singles: Bitboard::EMPTY };
        state.apply(table.timeline, &action, Uses::default());
    }
    (count, state)
}

fn in_naive_words(deal: &Deal) -> naive::Deal {
    let words = |names: &[engine::wire::name::CardName]| names.iter().map(ToString::to_string).collect();
    naive::Deal { starts: words(&deal.starts), deck: words(&deal.deck), dice: deal.dice.clone() }
}

fn action_names(specials: &engine::doodle::Specials) -> Vec<String> {
    let json = serde_json::to_value(specials).expect("a list of words");
    serde_json::from_value(json).expect("a list of words")
}

fn pairs(cells: Bitboard) -> Vec<(u8, u8)> {
    cells.iter().map(|cell| (cell.row(), cell.col())).collect()
}

fn in_bits(board: &Board) -> Bitboard {
    let covered = |cell: &Cell| board[usize::from(cell.row())][usize::from(cell.col())];
    Cell::all().filter(covered).collect()
}
