//! Patchwork: compares the engine with the naive rules, and with known means of random play.

use engine::wire::WireFormat;
use std::sync::Arc;

use engine::bitboard::{Bitboard, Cell};
use engine::dealer::Dealer;
use engine::game::Game;
use engine::patchwork::{
    Action, Equipment, Leather, Moves, Patchwork, PatchworkSetup, Playout, Rules, State,
};
use engine::perft::perft;

use crate::oracle::naive::patchwork as naive;
use crate::oracle::naive::shapes::Board;

const PATCHES: &str = include_str!("../../engine/data/patchwork-standard.json");

#[test]
fn engine_and_naive_rules_agree_on_random_games() {
    let patches = naive::Patches::parse(PATCHES).expect("the standard patches");
    let original = equipment(Leather::Original);
    let revised = equipment(Leather::Revised);
    crate::oracle::on_all_cores(|number| {
        let (equipment, edition) = match number % 2 {
            0 => (&original, naive::Edition::Original),
            _ => (&revised, naive::Edition::Revised),
        };
        Duel::new(equipment, &patches, edition, number).play();
    });
}

#[test]
fn engine_and_naive_rules_count_the_same_sequences_from_the_start() {
    let patches = naive::Patches::parse(PATCHES).expect("the standard patches");
    let equipment = equipment(Leather::Original);
    for number in 1..=5 {
        let duel = Duel::new(&equipment, &patches, naive::Edition::Original, number);
        let after = |played: &naive::Move| {
            let mut next = duel.naive.clone();
            next.play(played).expect("a listed move is legal");
            next.legal_moves().len() as u64
        };
        let theirs: u64 = duel.naive.legal_moves().iter().map(after).sum();
        assert_eq!(perft(&duel.game, 2), theirs, "seed {number}");
    }
}

fn equipment(leather: Leather) -> Arc<Equipment> {
    let setup = PatchworkSetup { rules: Rules { leather }, ..PatchworkSetup::default() };
    Arc::new(Equipment::new(&setup).expect("the standard patches"))
}

/// One game played by both implementations. All legal moves are equally likely.
struct Duel<'a> {
    game: Patchwork,
    naive: naive::State<'a>,
    chance: Dealer,
    number: u64,
}

impl<'a> Duel<'a> {
    fn new(
        equipment: &Arc<Equipment>,
        patches: &'a naive::Patches,
        edition: naive::Edition,
        number: u64,
    ) -> Duel<'a> {
        let deal = Patchwork::deal(equipment, 2, number).expect("two can play");
        let game = Patchwork::new(equipment, &deal).expect("a fresh deal");
        let circle = deal.circle.iter().map(ToString::to_string).collect();
        let naive = naive::State::new(patches, circle, edition).expect("a fresh deal");
        Duel { game, naive, chance: Dealer::new(number, 78), number }
    }

    fn play(mut self) {
        self.compare_state();
        while let Some(seat) = self.game.to_move() {
            let action = self.choose(seat);
            self.try_spoilt(seat, action);
            self.game.play(seat, &action).unwrap_or_else(|why| self.fail(&why.to_string()));
            let played = self.in_naive_move(action);
            self.naive.play(&played).unwrap_or_else(|why| self.fail(&why));
            self.compare_state();
        }
        assert_eq!(self.naive.phase(), naive::Phase::Over, "game {}", self.number);
        let winner = self.game.outcome().ranks.iter().position(|&rank| rank == 1);
        assert_eq!(winner, self.naive.winner(), "game {}", self.number);
    }

    fn fail(&self, why: &str) -> ! {
        panic!("game {}, decision {}: {why}", self.number, self.game.decision())
    }

    fn choose(&mut self, seat: usize) -> Action {
        let moves = self.game.moves().expect("a seat is asked");
        let count = moves.count();
        assert_eq!(u64::from(count), self.game.legal_count(seat));
        let theirs = self.naive.legal_moves();
        if count as usize != theirs.len() {
            self.fail(&format!("{count} legal moves against {}", theirs.len()));
        }
        let number = self.chance.below(count);
        let action = moves.nth(number).expect("below the count");
        if self.chance.below(crate::oracle::listed_every()) == 0 {
            self.compare_moves(seat, moves, theirs);
            assert_eq!(self.game.legal_actions(seat).nth(number as usize), Some(action));
            assert_eq!(moves.nth(count), None);
        }
        action
    }

    /// Compares the legal moves as a list, by number, and as sets. Also checks a `Moves` that reuses memory.
    fn compare_moves(&self, seat: usize, moves: Moves<'_>, mut theirs: Vec<naive::Move>) {
        assert!((0..moves.count()).map_while(|number| moves.nth(number)).eq(moves.iter()));
        let in_sets: u32 = moves.fits().map(|fits| fits.anchors.len()).sum();
        assert_eq!(in_sets + u32::from(moves.may_advance()) + moves.leather().len(), moves.count());
        let start = State::new(self.game.table());
        let mut again = Moves::new(self.game.table(), &start);
        again.find(self.game.table(), self.game.state());
        assert!(again.iter().eq(moves.iter()) && again.count() == moves.count());
        let mut ours: Vec<naive::Move> = moves.iter().map(|action| self.in_naive_move(action)).collect();
        ours.sort();
        theirs.sort();
        if ours != theirs {
            self.fail(&format!("seat {seat} has other moves"));
        }
        for action in moves.iter() {
            let word = Patchwork::write(self.game.equipment(), &action);
            assert_eq!(Patchwork::read(self.game.equipment(), &word), Ok(action));
        }
    }

    /// Tries a legal move with one cell changed, or a leather patch where none is due. Both implementations
    /// must judge it alike, and a refusal must change nothing.
    fn try_spoilt(&mut self, seat: usize, action: Action) {
        let flipped = Cell::from_index(self.chance.below(81) as u8).expect("on the board");
        let spoilt = match (action, self.chance.below(3)) {
            (Action::Advance, _) | (_, 0) => Action::Leather(flipped),
            (Action::Leather(_), _) => Action::Advance,
            (Action::Buy { patch, cells }, _) => {
                let flipped = Bitboard::from_iter([flipped]);
                Action::Buy { patch, cells: (cells | flipped) - (cells & flipped) }
            }
        };
        let mut ours = self.game.clone();
        let verdict = ours.play(seat, &spoilt);
        let theirs = self.naive.clone().play(&self.in_naive_move(spoilt));
        if verdict.is_ok() != theirs.is_ok() {
            self.fail(&format!("{spoilt:?}: {verdict:?} against {theirs:?}"));
        }
        if verdict.is_err() {
            assert_eq!(ours.state(), self.game.state(), "game {}", self.number);
        }
    }

    fn compare_state(&self) {
        let (seen, outcome) = (self.game.observe(0), self.game.outcome());
        let same = |alike: bool, what: &str| {
            if !alike {
                self.fail(&format!("{what} differs: {seen:?}"))
            }
        };
        same(self.game.to_move() == self.naive.to_move(), "who moves");
        for (seat, view) in seen.players.iter().enumerate() {
            let player = self.naive.player(seat);
            same(view.board == in_bits(&player.board), "the quilt");
            same(u32::from(view.buttons) == player.buttons, "buttons");
            same(u32::from(view.income) == player.income, "income");
            same(view.space == player.space, "the space");
            same(i64::from(outcome.scores[seat]) == self.naive.score(seat), "the score");
        }
        let circle: Vec<String> = seen.circle.iter().map(ToString::to_string).collect();
        same(circle == self.naive.circle(), "the circle");
        same(seen.leather == self.naive.leather(), "leather on the track");
        same(usize::from(seen.leather_due) == self.naive.leather_due(), "leather to place");
        same(seen.bonus == self.naive.bonus(), "the tile");
        let phase = serde_json::to_value(seen.phase).expect("a word");
        same(self.game.to_move().is_none() || phase == self.naive.phase().name(), "the phase");
    }

    fn in_naive_move(&self, action: Action) -> naive::Move {
        let pair = |cell: Cell| (cell.row(), cell.col());
        match action {
            Action::Advance => naive::Move::Advance,
            Action::Leather(cell) => naive::Move::Leather(pair(cell)),
            Action::Buy { patch, cells } => naive::Move::Buy {
                id: self.game.equipment().name(patch).to_string(),
                cells: cells.iter().map(pair).collect(),
            },
        }
    }
}

fn in_bits(board: &Board) -> Bitboard {
    let covered = |cell: &Cell| board[usize::from(cell.row())][usize::from(cell.col())];
    Cell::all().filter(covered).collect()
}

/// Results on which two other engines agree, for uniformly random play on the revised board: decisions per
/// game, legal moves per decision, and the scores of both seats. Placing a leather patch is a decision.
const KNOWN: [f64; 4] = [42.8, 78.5, -11.3, -11.15];
/// The precision of these results.
const KNOWN_WITHIN: f64 = 0.05;

/// `QUILT_STATISTIC_GAMES=1000000 cargo test --release --test rules random_play -- --nocapture` repeats the
/// full measurement. The default is 20,000 games.
#[test]
fn uniform_random_play_has_the_known_means() {
    let set = std::env::var("QUILT_STATISTIC_GAMES").ok();
    let count: u64 = set.map_or(20_000, |text| text.parse().expect("QUILT_STATISTIC_GAMES is a number"));
    let equipment = equipment(Leather::Revised);
    let games: Vec<RandomGame> = (0..count).map(|number| RandomGame::play(&equipment, number)).collect();
    let plies = mean_and_error(games.iter().map(|game| game.plies));
    let moves = mean_and_error(games.iter().map(|game| game.moves)).0 / plies.0;
    // The standard error of a ratio of sums follows from each game's deviation from the ratio.
    let beyond = mean_and_error(games.iter().map(|game| (game.moves - moves * game.plies) / plies.0));
    let scores = [0, 1].map(|seat| mean_and_error(games.iter().map(|game| game.scores[seat])));
    let figures = [plies, (moves, beyond.1), scores[0], scores[1]];
    println!("decisions, moves a decision, scores, each with its standard error: {figures:.4?}");
    for ((mean, error), known) in figures.into_iter().zip(KNOWN) {
        // Four standard errors. Chance alone would fail one run in 4,000, and the games are fixed.
        assert!((mean - known).abs() < KNOWN_WITHIN + 4.0 * error, "{mean} instead of {known}");
    }
}

/// Statistics of one game of uniformly random play.
struct RandomGame {
    plies: f64,
    moves: f64,
    scores: [f64; 2],
}

impl RandomGame {
    fn play(equipment: &Arc<Equipment>, number: u64) -> RandomGame {
        let deal = Patchwork::deal(equipment, 2, number).expect("two can play");
        let game = Patchwork::new(equipment, &deal).expect("a fresh deal");
        let (table, mut state) = (game.table(), *game.state());
        let mut chance = Dealer::new(number, 79);
        let (mut plies, mut moves) = (0, 0);
        while state.to_move(table).is_some() {
            let legal = Moves::new(table, &state);
            let action = legal.nth(chance.below(legal.count())).expect("below the count");
            state.apply(table, action);
            plies += 1;
            moves += legal.count();
        }
        let scores = state.players().map(|player| f64::from(player.score()));
        RandomGame { plies: plies.into(), moves: moves.into(), scores }
    }
}

/// A random playout in one call equals the game move by move, with the same random numbers.
#[test]
fn a_playout_is_the_game_move_by_move() {
    let equipment = equipment(Leather::Original);
    for number in 0..200 {
        let deal = Patchwork::deal(&equipment, 2, number).expect("two can play");
        let game = Patchwork::new(&equipment, &deal).expect("a fresh deal");
        let (mut by_moves, mut at_once) = (game.clone(), *game.state());
        let [mut one, mut other] = [(); 2].map(|()| Dealer::new(number, 77));
        let mut seen = Playout::default();
        while let Some(seat) = by_moves.to_move() {
            let count = by_moves.legal_count(seat) as u32;
            let action = by_moves.moves().and_then(|moves| moves.nth(one.below(count)));
            by_moves.play(seat, &action.expect("below the count")).expect("legal");
            seen = Playout { decisions: seen.decisions + 1, moves: seen.moves + count };
        }
        assert_eq!(at_once.play_out(game.table(), |bound| other.below(bound)), seen);
        assert_eq!(&at_once, by_moves.state());
    }
}

fn mean_and_error(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}
