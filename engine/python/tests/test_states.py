"""One match: copies, pickles, undo, observations, playouts, bots."""

import copy
import importlib.metadata
import json
import pickle
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import quilt_engine as q
from quilt_engine import Bot, DoodleRules, DoodleState, PatchworkRules, PatchworkState


def patchworks(seeds=30):
    for seed in range(seeds):
        state, chance = PatchworkState(seed), random.Random(seed)
        while not state.is_over:
            yield state, chance
            state.play(chance.choice(state.legal_actions()))
        yield state, chance


def doodles(seeds=15, seats=2):
    for seed in range(seeds):
        state, chance = DoodleState(seats, seed), random.Random(seed)
        while not state.is_over:
            yield state, chance
            seat = chance.choice(state.pending)
            state.step(seat, chance.choice(state.legal_actions(seat)))
        yield state, chance


def test_importing_needs_no_numpy():
    code = "import sys, quilt_engine as q; q.PatchworkState(1).legal_actions(); print('numpy' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "False\n"


def test_arrays_without_numpy_are_an_import_error():
    code = """
import sys
sys.modules["numpy"] = None
import quilt_engine as q
state, doodle = q.PatchworkState(1), q.DoodleState()
calls = [state.legal_mask, state.observation, state.afterstates, lambda: state.playouts(1), state.rgb_array]
calls += [lambda: doodle.legal_mask(out=[]), doodle.afterstates, q.PatchworkRules().patch_table, q.DoodleRules().card_table]
for call in [*calls, lambda: q.PatchworkBatch(1), lambda: q.DoodleBatch(1), lambda: q.read_doodle("/dev/null/..")]:
    try:
        call()
    except ImportError as error:
        print(error)
    except OSError:
        print("no file")
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.count("numpy") == 11 and said.count("no file") == 1, said


def test_the_version_is_that_of_the_package():
    assert q.__version__ == importlib.metadata.version("quilt-engine")


def test_patchwork_is_copied_pickled_and_restored():
    for state, _ in patchworks():
        copies = [state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
        if state.to_move is not None:
            copies.append(PatchworkRules().state(state.state_json(), state.to_move))
        for other in copies:
            assert other == state and hash(other) == hash(state)
            assert (other.to_move, other.scores, other.ranks) == (state.to_move, state.scores, state.ranks)
        assert pickle.loads(pickle.dumps(state)).decision == state.decision
    assert PatchworkState(1) != PatchworkState(2) and PatchworkState(1) != 1


def test_doodle_is_copied_and_pickled_with_moves_in_progress():
    for state, chance in doodles():
        for other in [state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]:
            assert other == state
            assert [other.stage(seat) for seat in (0, 1)] == [state.stage(seat) for seat in (0, 1)]
        again = state.redeal(chance.randrange(1 << 60))
        assert again == state and [again.legal_actions(s) for s in (0, 1)] == [state.legal_actions(s) for s in (0, 1)]
        assert pickle.loads(pickle.dumps(again)) == state


def test_a_seat_that_is_withdrawn_within_a_move_is_pickled():
    state = DoodleState(2, seed=7)
    while not (cuts := [n for n in state.legal_actions(0) if not state.clone().step(0, n)]):
        for seat in state.pending:
            while not state.step(seat, state.legal_actions(seat)[0]):
                pass
    state.step(0, cuts[0])
    state.withdraw(0)
    again = state.redeal(5)
    assert pickle.loads(pickle.dumps(state)) == state and pickle.loads(pickle.dumps(again)) == again
    again.undo()
    assert again == state


def test_moves_are_taken_back():
    for state, chance in patchworks(5):
        if not state.is_over:
            after = copy.copy(state)
            after.play(chance.choice(state.legal_actions()))
            assert after != state
            after.undo()
            assert after == state
    for state, chance in doodles(3):
        if not state.is_over:
            after, seat = state.clone(), state.pending[0]
            after.step(seat, chance.choice(state.legal_actions(seat)))
            after.undo()
            assert after == state
    for state in (PatchworkState(1), DoodleState(1), PatchworkState(1).clone()):
        with pytest.raises(IndexError, match="take back"):
            state.undo()


def test_observations_show_the_state():
    for state, _ in patchworks(5):
        seen = json.loads(state.state_json())
        for seat in (0, 1):
            row = state.observation(seat)
            assert row.shape == (len(q.PATCHWORK_SCALE),) and row.dtype == np.float32
            for part, other in (("own_quilt", seat), ("other_quilt", 1 - seat)):
                quilt = row[q.PATCHWORK_SLICES[part]].reshape(9, 9)
                board = seen["players"][other]["board"]
                assert [[mark == "#" for mark in line] for line in board] == quilt.astype(bool).tolist()
            circle = row[q.PATCHWORK_SLICES["circle"]]
            assert [f"W{int(number):02}" for number in circle[circle > 0]] == seen["circle"]
            for part in ("buttons", "income", "space"):
                numbers = [seen["players"][other][part] for other in (seat, 1 - seat)]
                assert row[q.PATCHWORK_SLICES[part]].tolist() == numbers
            assert row[q.PATCHWORK_SLICES["to_move"]] == (state.to_move == seat)
    for state, _ in doodles(5):
        for seat in (0, 1):
            row, seen = state.observation(seat), json.loads(state.state_json(seat))
            assert row.shape == (len(q.DOODLE_SCALE),)
            cells = [[int(place) // 9, int(place) % 9] for place in np.flatnonzero(row[q.DOODLE_SLICES["move"]])]
            assert cells == state.cells(seat)
            circle = row[q.DOODLE_SLICES["circle"]]
            assert [f"P{int(number):02}" for number in circle[circle > 0]] == seen["circle"]
            unseen = np.flatnonzero(row[q.DOODLE_SLICES["unseen"]]) + 1
            assert [f"P{int(number):02}" for number in unseen] == seen["unseen"]
            assert row[q.DOODLE_SLICES["stage"]] == ["move", "piece", "singles", "wait"].index(state.stage(seat))
    assert PatchworkRules().patch_table().shape == (34, 29)
    assert DoodleRules().card_table().shape == (41, 26)


def test_afterstates_show_what_playing_shows():
    for state, chance in patchworks(3):
        numbers, rows = state.afterstates()
        assert numbers.tolist() == state.legal_actions()
        for place in chance.sample(range(len(numbers)), min(5, len(numbers))):
            after, seat = state.clone(), state.to_move
            after.play(int(numbers[place]))
            assert (after.observation(seat) == rows[place]).all()
    for state, chance in doodles(3, seats=1):
        numbers, rows = state.afterstates()
        assert numbers.tolist() == state.legal_actions()
        boards = q.DOODLE_SLICES["board"]
        for place in chance.sample(range(len(numbers)), min(5, len(numbers))):
            after = state.clone()
            if after.step(0, int(numbers[place])):
                assert (after.observation()[boards] == rows[place][boards]).all()
            else:
                assert (after.observation() == rows[place]).all()


def test_playouts_are_repeatable_and_find_good_moves():
    state = PatchworkState(3)
    numbers, means = state.playouts(20, 1)
    assert numbers.tolist() == state.legal_actions()
    assert (state.playouts(20, 1)[1] == means).all() and (state.playouts(20, 2)[1] != means).any()
    assert state.decision == 0
    doodle = DoodleState(1, 3)
    doodle.step(0, doodle.legal_actions()[0])
    numbers, means = doodle.playouts(3, 1)
    assert numbers.tolist() == doodle.legal_actions() and means.max() > 40
    assert DoodleState(1, 1).playouts(1)[0].tolist() == DoodleState(1, 1).legal_actions()


def test_rules_come_from_the_start_message():
    start = {"game": "patchwork", "match": 1, "seat": 1, "rules": {"leather": "revised"}}
    rules = PatchworkRules(start)
    assert rules != PatchworkRules() and pickle.loads(pickle.dumps(rules)) == rules
    leather = [json.loads(PatchworkState(1, rules).state_json())["leather"] for rules in (rules, PatchworkRules())]
    assert leather[0] != leather[1]
    shared = DoodleState(40, 1, DoodleRules(shared=True))
    assert len({json.loads(shared.state_json(seat))["offer"][0] for seat in range(40)}) == 1
    for text in (json.dumps(start), json.dumps(start).encode()):
        assert PatchworkRules(text) == rules


def test_bots_play_in_this_process_and_in_other_threads():
    scores = []
    for name in ("random", "greedy"):
        state, bots = PatchworkState(5), [Bot(name, seed=1), Bot("random", seed=2)]
        while state.to_move is not None:
            state.play(bots[state.to_move].choose(state))
        scores.append(state.scores[0])
    assert scores[1] > scores[0]
    doodle, bot = DoodleState(2, 5), Bot("greedy")
    while not doodle.is_over:
        for seat in doodle.pending:
            for number in bot.choose_steps(doodle, seat):
                doodle.step(seat, number)
    assert min(doodle.scores) > 60
    chosen = []
    thread = threading.Thread(target=lambda: chosen.append(Bot("planner", nodes=100).choose(PatchworkState(1))))
    thread.start()
    thread.join()
    assert chosen == [Bot("planner", nodes=100).choose(PatchworkState(1))]
    assert set(q.BOTS) >= {"random", "greedy", "planner", "master"}


def test_given_arrays_are_filled():
    state = PatchworkState(1)
    mask, row = np.ones(q.PATCHWORK_ACTIONS, np.int8), np.ones(212, np.float32)
    assert state.legal_mask(mask) is mask and mask.sum() == state.legal_count()
    assert state.observation(1, row) is row and (row == state.observation(1)).all()
    doodle, mask = DoodleState(1), np.ones(q.DOODLE_ACTIONS, np.int8)
    assert doodle.legal_mask(0, mask) is mask and mask.sum() == len(doodle.legal_actions())


@pytest.mark.parametrize("state", [PatchworkState(5), DoodleState(2, 5)])
def test_planes_are_the_boards_the_offers_and_scaled_numbers(state):
    is_patchwork = isinstance(state, PatchworkState)
    parts, raw_parts = (q.PATCHWORK_PLANES, q.PATCHWORK_SLICES) if is_patchwork else (q.DOODLE_PLANES, q.DOODLE_SLICES)
    scale = np.array(q.PATCHWORK_SCALE if is_patchwork else q.DOODLE_SCALE, np.float32)
    table = state.rules.patch_table() if is_patchwork else state.rules.card_table()
    seen_offers = 0
    while not state.is_over:
        for seat in range(2):
            raw, row = state.observation(seat), state.observation(seat, planes=True)
            assert (row.dtype, row.shape) == (np.float32, (max(part.stop for part in parts.values()),))
            assert row.min() >= q.PLANES_BOUNDS[0] and row.max() <= q.PLANES_BOUNDS[1]
            offers = raw[raw_parts["circle"]][:3] if is_patchwork else raw[raw_parts["offer"]]
            shapes = row[parts["offers"]].reshape(3, 9, 9)
            for number, shape in zip(offers.astype(int), shapes):
                assert (shape[:5, :5].ravel() == table[number, -25:]).all() and shape.sum() == table[number, -26]
                seen_offers += number > 0
            if is_patchwork:
                wanted = table[offers.astype(int), :3] / np.float32([10, 6, 3])
                assert np.allclose(row[parts["offer_numbers"]].reshape(3, 3), wanted)
            for name in parts.keys() - {"offers", "offer_numbers"}:
                assert np.allclose(row[parts[name]], (raw / scale)[raw_parts[name]].clip(*q.PLANES_BOUNDS)), name
        for seat in [state.to_move] if is_patchwork else state.pending:
            state.play(state.legal_actions()[0]) if is_patchwork else state.step(seat, state.legal_actions(seat)[0])
    assert seen_offers > 50
