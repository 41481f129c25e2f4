"""Wrong arguments raise an exception that names argument and rule, and no call panics."""

import json
import os
import pickle
import random
import re

import numpy as np
import pytest

import quilt_engine as q
from quilt_engine import (
    BadState,
    Bot,
    DoodleBatch,
    DoodleRules,
    DoodleState,
    IllegalMove,
    PatchworkBatch,
    PatchworkRules,
    PatchworkState,
)

#: Random calls; QUILT_CALLS sets more.
CALLS = int(os.environ.get("QUILT_CALLS", "30000"))
PATCHWORK, DOODLE = PatchworkState(1), DoodleState(2, 1)
SEEN = PATCHWORK.state_json()
BIG = 1 << 80


class Reentrant:
    """A number that pickles another object while it is read."""

    def __init__(self, thing):
        self.thing = thing

    def __index__(self):
        pickle.dumps(self.thing)
        return 1


def read_only(array):
    array.flags.writeable = False
    return array


WRONG = [
    (lambda: PatchworkState(-1), ValueError, "seed: -1 is not 0 to 18446744073709551615"),
    (lambda: PatchworkState(BIG), ValueError, "seed: a number of more than 64 bits is not 0 to"),
    (lambda: PatchworkState("1"), TypeError, "^seed: 'str' object"),
    (lambda: PatchworkState(1.5), TypeError, "seed"),
    (lambda: PatchworkState(1, DoodleRules()), TypeError, "rules"),
    (lambda: PATCHWORK.play(-1), IndexError, "action: -1 is not 0 to 2025"),
    (lambda: PATCHWORK.play(2026), IndexError, "action: 2026 is not 0 to 2025"),
    (lambda: PATCHWORK.play(BIG), IndexError, "action: a number of more than 64 bits"),
    (lambda: PATCHWORK.play(None), TypeError, "action"),
    (lambda: PATCHWORK.play(1944), IllegalMove, "action: 1944: there is no leather patch to place"),
    (lambda: PATCHWORK.play_move({"leather": [0, 0]}), IllegalMove, "move: there is no leather patch"),
    (lambda: PATCHWORK.play_move({"buy": "W99", "cells": [[0, 0]]}), IllegalMove, "move: there is no patch"),
    (lambda: PATCHWORK.play_move("[]"), BadState, "move: "),
    (lambda: PATCHWORK.play_move({"advance": {1, 2}}), TypeError, "move: Object of type set is not JSON serializable"),
    (lambda: PATCHWORK.action('{"advance":true} {}'), BadState, "move: trailing characters"),
    (lambda: PATCHWORK.observation(2), IndexError, "seat: 2 does not exist, seats are 0 to 1"),
    (lambda: PATCHWORK.observation(0, np.zeros(212)), TypeError, r"out: not a writable array of float32 with shape \(212,\)"),
    (lambda: PATCHWORK.observation(0, np.zeros(211, np.float32)), ValueError, "out: "),
    (lambda: PATCHWORK.observation(0, np.zeros((1, 212), np.float32)), TypeError, "out: "),
    (lambda: PATCHWORK.legal_mask(np.zeros(4052, np.int8)[::2]), ValueError, "out: "),
    (lambda: PATCHWORK.legal_mask(read_only(np.zeros(2026, np.int8))), ValueError, "out: "),
    (lambda: PATCHWORK.legal_mask([0] * 2026), TypeError, "out: "),
    (lambda: PATCHWORK.playouts(0), ValueError, "count: 0 is not 1 to 1000000"),
    (lambda: PATCHWORK.rgb_array(width=1), ValueError, "width: 1 is not 100 to 4000"),
    (lambda: PatchworkRules().state(SEEN, 2), IndexError, "seat: 2 does not exist"),
    (lambda: PatchworkRules().state("{}", 0), BadState, "state: missing field"),
    (lambda: PatchworkRules().state("[" * 10_000, 0), BadState, "state: "),
    (lambda: PatchworkRules().state(SEEN.replace('"space":0', '"space":77', 1), 0), BadState, "state: a token is on space 77"),
    (lambda: PatchworkRules(b"\xff"), ValueError, "start"),
    (lambda: PatchworkRules({"game": "doodle", "rules": {"leather": "original"}}), BadState, 'start: a match of "doodle"'),
    (lambda: PatchworkRules({"rules": {"leather": "original"}, "patches": []}), BadState, "start: a game needs 1 to 64 patches"),
    (lambda: DoodleRules({"game": "patchwork", "rules": {"leather": "original"}}), BadState, 'start: a match of "patchwork", not of doodle'),
    (lambda: PatchworkRules().state({"type": "turn", "state": {}}, 0), BadState, 'state: a whole turn message, give its "state" alone'),
    (lambda: DoodleRules().state({"type": "turn", "state": {}}, 0), BadState, "state: a whole turn message"),
    (lambda: DoodleRules(shared=1), TypeError, "shared: 'int' object"),
    (lambda: PATCHWORK.play({"advance": True}), TypeError, "action: 'dict' object"),
    (lambda: Bot(3), TypeError, "name: 'int' object"),
    (lambda: Bot("greedy").choose_steps(PATCHWORK), TypeError, "state: 'PatchworkState' object"),
    (lambda: PatchworkBatch(1, mask=False), TypeError, "mask: 'bool' object"),
    (lambda: PatchworkBatch(1, observation=1), TypeError, "observation: 'int' object"),
    (lambda: PatchworkBatch(1, last_observation=1), TypeError, "last_observation: 'int' object"),
    (lambda: PatchworkBatch(1, reward=None), TypeError, "reward: "),
    (lambda: DoodleBatch(1, opponent=lambda: 0), TypeError, "opponent: 'function' object"),
    (lambda: DoodleBatch(1, rules=PatchworkRules()), TypeError, "rules: 'PatchworkRules' object"),
    (lambda: q.read_patchwork("\0", bot=3), TypeError, "bot: 'int' object"),
    (lambda: DoodleState(0), ValueError, "seats: 0 is not 1 to 1000"),
    (lambda: DoodleState(11), ValueError, "seats: 11 seats need 11 start cards"),
    (lambda: DOODLE.step(2, 0), IndexError, "seat: 2 does not exist"),
    (lambda: DOODLE.step(0, 2029), IndexError, "action: 2029 is not 0 to 2028"),
    (lambda: DOODLE.step(0, 2025), IllegalMove, "action: 2025 is not legal for seat 0"),
    (lambda: DOODLE.stage(-1), IndexError, "seat: -1 does not exist"),
    (lambda: DOODLE.withdraw(9), IndexError, "seat: 9 does not exist"),
    (lambda: DOODLE.play_move(0, {"pass": True}), IllegalMove, "move: "),
    (lambda: DOODLE.redeal(-1), ValueError, "seed: -1"),
    (lambda: DoodleRules().state(SEEN, 0), BadState, "state: "),
    (lambda: DoodleRules().state(DOODLE.state_json(0), 5), IndexError, "seat: 5 does not exist"),
    (lambda: DoodleRules().state(DOODLE.state_json(0), 0, -1), ValueError, "future: -1 is not 0 to"),
    (lambda: DoodleRules({"rules": {"start_cards": "dealt"}}, shared=True), ValueError, "shared: "),
    (lambda: Bot("nobody"), ValueError, 'name: "nobody" is not one of random'),
    (lambda: Bot("greedy", nodes=0), ValueError, "nodes: 0 is not 1 to"),
    (lambda: Bot("greedy").choose(DOODLE), TypeError, "state: not a PatchworkState"),
    (lambda: Bot("greedy").choose(PATCHWORK, time_ms=0), ValueError, "time_ms: 0 is not 1 to"),
    (lambda: PatchworkBatch(0), ValueError, "count: 0 is not 1 to 1048576"),
    (lambda: PatchworkBatch(1, mask="words"), ValueError, 'mask: "words" is not'),
    (lambda: PatchworkBatch(1, reward="score"), ValueError, 'reward: "score" is not'),
    (lambda: PatchworkBatch(1, opponent="nobody"), ValueError, 'opponent: "nobody" is not one of'),
    (lambda: PatchworkBatch(1, opponent="master"), ValueError, 'nodes: "master" would search by the clock'),
    (lambda: DoodleBatch(1, opponent="master"), ValueError, 'nodes: "master" would search by the clock'),
    (lambda: PatchworkBatch(2).afterstates(3), ValueError, "start: 3 is not 0 to 2"),
    (lambda: DoodleBatch(2).afterstates(1, 0), ValueError, "stop: 0 is not 1 to 2"),
    (lambda: DoodleBatch._restored(DoodleRules(), "{}", {}), BadState, "not a pickled batch: missing field"),
    (lambda: PATCHWORK.play(Reentrant(PATCHWORK)), RuntimeError, "borrow"),
    (lambda: DOODLE.step(Reentrant(DOODLE), 0), RuntimeError, "borrow"),
    (lambda: DoodleBatch(1, reward="win"), ValueError, 'reward: "win" needs an opponent'),
    (lambda: q.read_patchwork(3), TypeError, "path"),
    (lambda: q.read_patchwork("\0"), OSError, "path: "),
    (lambda: q.read_doodle(open(os.devnull)), TypeError, "path"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_wrong_argument_is_named(number):
    call, kind, text = WRONG[number]
    before = PATCHWORK.clone(), DOODLE.clone()
    with pytest.raises(kind) as caught:
        call()
    assert re.search(text, str(caught.value)), caught.value  # before Python 3.11, exceptions have no notes
    assert before == (PATCHWORK, DOODLE), "and nothing has changed"


def test_an_illegal_move_has_its_rule_and_cells():
    state = PatchworkState(1)
    while True:
        buys = [number for number in state.legal_actions() if number < 1944]
        if buys:
            break
        state.play(q.LAST)
    word = state.move(buys[0])
    with pytest.raises(IllegalMove) as caught:
        state.play_move({**word, "cells": [*word["cells"], word["cells"][0]]})
    assert (caught.value.rule, caught.value.cells) == ("twice", [word["cells"][0]])


def illegal(batch):
    masks = batch.mask
    return np.array([int(np.flatnonzero(row == 0)[0]) for row in masks])


@pytest.mark.parametrize("make", [PatchworkBatch, DoodleBatch])
def test_wrong_actions_move_no_match(make):
    batch = make(4, 1)
    legal, mask = batch.sample(), batch.mask.copy()
    for actions, kind, text in [
        (np.where(np.arange(4) == 3, illegal(batch), legal), IllegalMove, "is not legal in match 3, no match has moved"),
        (legal - 100_000, IllegalMove, "is not legal in match 0"),
        (np.full(4, np.iinfo(np.int64).max), IllegalMove, "is not legal in match 0"),
        (legal[:3], ValueError, "actions: 3 for 4 matches"),
        (legal.astype(np.float32), TypeError, r"actions: not an array of int64, int32, or uint16 with shape \(4,\)"),
        (legal.reshape(4, 1), TypeError, "actions: "),
        (legal.tolist(), TypeError, "actions: "),
        (None, TypeError, "actions: "),
    ]:
        with pytest.raises(kind, match=text):
            batch.step(actions)
        assert (batch.mask == mask).all() and batch.steps == 0
    batch.step(np.repeat(legal, 2)[::2])  # strides are no hindrance
    with pytest.raises(ValueError, match="out: "):
        batch.sample(np.zeros(3, np.int64))


@pytest.mark.parametrize("make", [PatchworkBatch, DoodleBatch])
def test_arrays_that_a_caller_has_changed_are_refused(make):
    def changed(name, change):
        batch = make(4, 1, mask="bits")
        change(getattr(batch, name))
        actions = batch.sample()
        with pytest.raises(ValueError, match=f"{name}: its shape, dtype, or flags were changed"):
            batch.step(actions)

    changed("rewards", lambda array: setattr(array.flags, "writeable", False))
    changed("mask", lambda array: setattr(array, "dtype", np.uint8))
    changed("observation", lambda array: setattr(array, "dtype", np.uint16))
    batch = make(4, 1)
    for refcheck in (True, False):
        with pytest.raises(ValueError, match="own"):
            batch.mask.resize((1, 1), refcheck=refcheck)
    with pytest.raises(ValueError, match="read-only"):  # a step writes only what changes
        batch.mask[:] = 1
    bits = make(4, 1, mask="bits")
    bits.mask[:] = np.uint64(2**64 - 1)  # what a caller writes into a mask is not what counts
    with pytest.raises(IllegalMove):
        bits.step(np.full(4, 1944))
    bits.step(bits.sample())
    assert (bits.mask != np.uint64(2**64 - 1)).all()


def test_random_calls_never_panic():
    chance = random.Random(int(os.environ.get("QUILT_SEED", "1")))
    states = [PatchworkState(1), DoodleState(1, 1), DoodleState(3, 2)]
    batches = [
        PatchworkBatch(3, 1),
        DoodleBatch(3, 1, mask="bits"),
        PatchworkBatch(2, 1, opponent="random"),
        PatchworkBatch(2, 1, opponent="planner", nodes=1, last_observation=True, planes=True),
        DoodleBatch(2, 1, opponent="greedy", last_observation=True),
    ]
    things = [*states, *batches, PatchworkRules(), DoodleRules(), Bot("random"), Bot("greedy")]
    numbers = [0, 1, 2, -1, 5, 80, 1944, 2025, 2026, 2028, 2029, 1 << 31, 1 << 63, BIG, -BIG, True]

    def argument():
        return chance.choice(
            [
                lambda: chance.choice(numbers),
                lambda: chance.randrange(2030),
                lambda: chance.choice([None, 1.5, "", b"", "x", "\ud800", [], {}, object()]),
                lambda: chance.choice(states),
                lambda: chance.choice(things).state_json() if chance.random() < 0.5 else "{}",
                lambda: {"advance": True},
                lambda: Reentrant(chance.choice(things)),
                lambda: json.dumps(chance.choice(batches).__reduce__()[1][1]) if chance.random() < 0.5 else {},
                lambda: {chance.choice(["pass", "buy", "card", "cells", "singles"]): chance.choice([True, "P01", [[0, 0]]])},
                lambda: np.zeros(chance.choice([0, 1, 3, 212, 217, 2026, 2029]), chance.choice([np.int8, np.int64, np.float32, "S3"])),
                lambda: np.zeros((3, 3), np.int64).T[chance.randrange(3)],
            ]
        )()

    # A random number of playouts takes minutes, and a random size of a picture megabytes.
    skipped = {"playouts", "rgb_array", "__init__", "__init_subclass__", "__subclasshook__", "__dir__"}
    made = [PatchworkState, DoodleState, PatchworkRules, DoodleRules, Bot]
    done = 0
    for number in range(CALLS):
        thing = chance.choice([*things, *made])
        names = [name for name in dir(thing) if name not in skipped]
        name = chance.choice(names) if thing not in made else "__call__"
        try:
            member = getattr(thing, name)
            if callable(member):
                member(*(argument() for _ in range(chance.randrange(4))))
            done += 1
        except Exception:  # noqa: BLE001 a panic is no Exception
            pass
        if number % 200 == 0:
            states[:] = [PatchworkState(number), DoodleState(1, number), DoodleState(3, number)]
            things[:3] = states
            for state in states:
                for _ in range(chance.randrange(30)):
                    if not state.is_over:
                        seat = () if isinstance(state, PatchworkState) else (state.pending[0],)
                        move = state.play if isinstance(state, PatchworkState) else state.step
                        move(*seat, chance.choice(state.legal_actions(*seat)))
    assert done > CALLS / 20
