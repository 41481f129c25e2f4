"""Batches are many single states."""

import threading

import numpy as np
import pytest

import quilt_engine as q
from quilt_engine import Bot, DoodleBatch, DoodleState, PatchworkBatch, PatchworkState

COUNT, STEPS, SEED = 64, 400, 100


def _unpacked(bits, numbers):
    return np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")[:, :numbers]


def test_a_batch_of_patchwork_is_its_matches():
    batch = PatchworkBatch(COUNT, SEED)
    packed = PatchworkBatch(COUNT, SEED, mask="bits", observation=False, reward="margin")
    states, following = [PatchworkState(SEED + n) for n in range(COUNT)], SEED + COUNT
    arrays = [batch.mask, batch.observation, batch.rewards]
    for _ in range(STEPS):
        assert (_unpacked(packed.mask, q.PATCHWORK_ACTIONS) == batch.mask).all()
        for n, state in enumerate(states):
            assert (state.legal_mask() == batch.mask[n]).all() and state.to_move == batch.to_move[n]
            assert (state.observation() == batch.observation[n]).all()
        actions = batch.sample()
        batch.step(actions)
        packed.step(actions.astype(np.int32))
        for n, state in enumerate(states):
            state.play(int(actions[n]))
            assert state.is_over == batch.dones[n]
            if state.is_over:
                won = 1.0 if state.ranks[0] == 1 else -1.0
                assert batch.rewards[n].tolist() == [won, -won] and tuple(batch.scores[n]) == state.scores
                assert packed.rewards[n, 0] == state.scores[0] - state.scores[1]
                states[n], following = PatchworkState(following), following + 1
            else:
                assert not batch.rewards[n].any() and not batch.scores[n].any()
    assert batch.steps == COUNT * STEPS and batch.matches > 5 * COUNT
    assert all(now is before for now, before in zip([batch.mask, batch.observation, batch.rewards], arrays))


def test_a_batch_of_doodle_is_its_matches():
    batch, packed = DoodleBatch(COUNT, SEED), DoodleBatch(COUNT, SEED, mask="bits", observation=False)
    states, following = [DoodleState(1, SEED + n) for n in range(COUNT)], SEED + COUNT
    for _ in range(STEPS):
        assert (_unpacked(packed.mask, q.DOODLE_ACTIONS) == batch.mask).all()
        for n, state in enumerate(states):
            assert (state.legal_mask() == batch.mask[n]).all()
            assert (state.observation() == batch.observation[n]).all()
        actions = batch.sample()
        batch.step(actions)
        packed.step(actions.astype(np.uint16))
        for n, state in enumerate(states):
            before = state.scores[0]
            state.step(0, int(actions[n]))
            assert state.is_over == batch.dones[n] and batch.rewards[n] == state.scores[0] - before
            if state.is_over:
                assert batch.scores[n] == state.scores[0]
                states[n], following = DoodleState(1, following), following + 1
    assert batch.matches > 5 * COUNT and batch.mask is batch.mask


def test_opponents_play_inside():
    batch = PatchworkBatch(8, 40, opponent="greedy", reward="margin")
    assert batch.to_move.tolist() == [0, 1] * 4
    while batch.matches < 8:
        batch.step(batch.sample())
        for n in np.flatnonzero(batch.dones):
            assert batch.rewards[n, 0] == batch.scores[n, 0] - batch.scores[n, 1]
    doodle = DoodleBatch(4, 40, opponent="greedy", reward="margin")
    while not doodle.dones.any():
        doodle.step(doodle.sample())
    n = int(np.flatnonzero(doodle.dones)[0])
    state, bot = DoodleState(1, 40 + n), Bot("greedy")
    while not state.is_over:
        for number in bot.choose_steps(state):
            state.step(0, number)
    assert doodle.rewards[n] == doodle.scores[n] - state.scores[0]


def test_other_threads_run_meanwhile_and_cannot_step_the_same_batch():
    batch, stop = PatchworkBatch(1024, 1), threading.Event()
    illegal = np.full(1024, -1)

    def steps():
        while not stop.is_set():
            batch.step(batch.sample())

    thread = threading.Thread(target=steps)
    thread.start()
    said = ""
    try:
        # This thread runs inside of a step of the other one only if that releases the interpreter lock.
        while "another thread steps it" not in said and thread.is_alive():
            with pytest.raises((RuntimeError, ValueError)) as caught:
                batch.step(illegal)
            said = str(caught.value)
    finally:
        stop.set()
        thread.join()
    assert "another thread steps it" in said and batch.steps > 0
