//! The steps of a search, one by one: `cargo bench --manifest-path arena/bench/Cargo.toml`.
//!
//! Times are wall time; for figures in CPU time there is `cargo lab --profile dist -- --engine`.

use std::hint::black_box;
use std::sync::Arc;

use divan::Bencher;
use engine::bitboard::Bitboard;
use engine::dealer::Dealer;
use engine::doodle::{self, Doodle, State};
use engine::game::Game;
use engine::patch::Placements;
use engine::patchwork::{self, Moves, Patchwork};

fn main() {
    divan::main();
}

/// Decisions into a random match of patchwork.
const DECISIONS: [u32; 3] = [0, 10, 20];

fn patchwork_after(decisions: u32) -> Patchwork {
    let equipment = Arc::new(patchwork::Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, 1).expect("two can play");
    let mut game = Patchwork::new(&equipment, &deal).expect("a fresh deal");
    let mut chance = Dealer::new(1, 0);
    for _ in 0..decisions {
        let moves = game.moves().expect("the match is not over yet");
        let action = moves.nth(chance.below(moves.count())).expect("below the count");
        game.play(game.to_move().expect("not over yet"), &action).expect("listed");
    }
    game
}

fn doodle() -> Doodle {
    let equipment = Arc::new(doodle::Equipment::standard());
    let deal = Doodle::deal(&equipment, 1, 1).expect("one can play");
    Doodle::new(&equipment, &deal).expect("a fresh deal")
}

#[divan::bench(args = DECISIONS)]
fn patchwork_legal_moves(bencher: Bencher<'_, '_>, decisions: u32) {
    let game = patchwork_after(decisions);
    let mut moves = Moves::none();
    bencher.bench_local(|| {
        moves.find(game.table(), black_box(game.state()));
        moves.count()
    });
}

#[divan::bench(args = DECISIONS)]
fn patchwork_nth_move(bencher: Bencher<'_, '_>, decisions: u32) {
    let game = patchwork_after(decisions);
    let moves = Moves::new(game.table(), game.state());
    let last = moves.count() - 1;
    bencher.bench_local(|| moves.nth(black_box(last)));
}

#[divan::bench(args = DECISIONS)]
fn patchwork_copy_and_apply(bencher: Bencher<'_, '_>, decisions: u32) {
    let game = patchwork_after(decisions);
    let moves = Moves::new(game.table(), game.state());
    let action = moves.nth(moves.count() - 1).expect("the last one");
    bencher.bench_local(|| {
        let mut state: patchwork::State = *black_box(game.state());
        state.apply(game.table(), action);
        state
    });
}

#[divan::bench]
fn patchwork_random_game(bencher: Bencher<'_, '_>) {
    let game = patchwork_after(0);
    let mut chance = Dealer::new(2, 0);
    bencher.bench_local(|| {
        let mut state = *game.state();
        state.play_out(game.table(), |bound| chance.below(bound))
    });
}

#[divan::bench]
fn doodle_random_game(bencher: Bencher<'_, '_>) {
    let game = doodle();
    let mut chance = Dealer::new(2, 0);
    bencher.bench_local(|| State { ..State::NEW }.play_out(game.table(0), |bound| chance.below(bound)));
}

#[divan::bench]
fn doodle_greedy_game(bencher: Bencher<'_, '_>) {
    let game = doodle();
    bencher.bench_local(|| State { ..State::NEW }.play_greedily(game.table(0)));
}

#[divan::bench]
fn doodle_all_actions_counted(bencher: Bencher<'_, '_>) {
    let game = doodle();
    let mut state = State::NEW;
    let start = state.moves(game.table(0)).and_then(|moves| moves.iter().next());
    state.apply(game.table(0).timeline, &start.expect("the start patch fits"), doodle::Uses::default());
    bencher.bench_local(|| black_box(state).moves(game.table(0)).map(|moves| moves.count()));
}

#[divan::bench]
fn places_of_a_patch(bencher: Bencher<'_, '_>) {
    let equipment = patchwork::Equipment::standard();
    let patch = equipment.patches().nth(20).expect("there are 33");
    bencher.bench_local(|| {
        Placements::new(equipment.patch(patch).shape.whole(), black_box(Bitboard::FULL)).count()
    });
}
