"""Batches are many single states."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import quilt_engine as q
from quilt_engine import Bot, DoodleBatch, DoodleState, PatchworkBatch, PatchworkState

COUNT, STEPS, SEED = 64, 400, 100


def _unpacked(bits, numbers):
    return np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")[:, :numbers]


def test_a_batch_of_patchwork_is_its_matches():
    batch = PatchworkBatch(COUNT, SEED, last_observation=True)
    packed = PatchworkBatch(COUNT, SEED, mask="bits", observation=False, reward="margin")
    states, following = [PatchworkState(SEED + n) for n in range(COUNT)], SEED + COUNT
    seeds, arrays = list(range(SEED, SEED + COUNT)), [batch.mask, batch.observation, batch.rewards]
    for _ in range(STEPS):
        assert (_unpacked(packed.mask, q.PATCHWORK_ACTIONS) == batch.mask).all()
        for n, state in enumerate(states):
            assert (state.legal_mask() == batch.mask[n]).all() and state.to_move == batch.to_move[n]
            assert (state.observation() == batch.observation[n]).all()
        actions, movers = batch.sample(), batch.to_move.tolist()
        batch.step(actions)
        packed.step(actions.astype(np.int32))
        assert batch.seat.tolist() == movers and batch.seeds.tolist() == seeds
        for n, state in enumerate(states):
            state.play(int(actions[n]))
            assert state.is_over == batch.dones[n]
            if state.is_over:
                won = 1.0 if state.ranks[0] == 1 else -1.0
                assert batch.rewards[n].tolist() == [won, -won] and tuple(batch.scores[n]) == state.scores
                assert packed.rewards[n, 0] == state.scores[0] - state.scores[1]
                assert (batch.last_observation[n] == state.observation(movers[n])).all()
                states[n], seeds[n], following = PatchworkState(following), following, following + 1
            else:
                assert not (batch.rewards[n].any() or batch.scores[n].any() or batch.last_observation[n].any())
    assert batch.steps == COUNT * STEPS and batch.matches > 5 * COUNT
    assert all(now is before for now, before in zip([batch.mask, batch.observation, batch.rewards], arrays))


def test_a_batch_of_doodle_is_its_matches():
    batch, packed = DoodleBatch(COUNT, SEED, last_observation=True), DoodleBatch(COUNT, SEED, mask="bits", observation=False)
    states, following = [DoodleState(1, SEED + n) for n in range(COUNT)], SEED + COUNT
    seeds = list(range(SEED, SEED + COUNT))
    for _ in range(STEPS):
        assert (_unpacked(packed.mask, q.DOODLE_ACTIONS) == batch.mask).all()
        for n, state in enumerate(states):
            assert (state.legal_mask() == batch.mask[n]).all() and batch.mask.dtype == state.legal_mask().dtype
            assert (state.observation() == batch.observation[n]).all()
        actions = batch.sample()
        batch.step(actions)
        packed.step(actions.astype(np.uint16))
        assert batch.seeds.tolist() == seeds
        for n, state in enumerate(states):
            before = state.scores[0]
            state.step(0, int(actions[n]))
            assert state.is_over == batch.dones[n] and batch.rewards[n] == state.scores[0] - before
            if state.is_over:
                assert batch.scores[n] == state.scores[0]
                assert (batch.last_observation[n] == state.observation()).all()
                states[n], seeds[n], following = DoodleState(1, following), following, following + 1
            else:
                assert not batch.last_observation[n].any()
    assert batch.matches > 5 * COUNT and batch.mask is batch.mask


@pytest.mark.parametrize("make", [DoodleBatch, PatchworkBatch])
def test_a_renewal_leaves_arrays_as_they_are(make):
    batch, wanted = (make(8, SEED, mask="bits") for _ in range(2))
    kept, places = [], set()
    for step in range(120):
        actions, same = batch.sample(), batch.rewards
        for array in (batch.observation, batch.mask) if step % 3 else ():
            # A view of a view alone stays, or an array that its owner has changed.
            view = array[1:7][2:4] if step % 3 == 1 else array
            if view is array:
                array *= 2
                array.shape = -1
                array.setflags(write=False)
            kept.append((view, view.copy()))
            del array, view
        batch.step(actions, renew=True)
        wanted.step(actions)
        assert (batch.observation == wanted.observation).all() and (batch.mask == wanted.mask).all()
        assert batch.rewards is same and (batch.rewards == wanted.rewards).all()
    assert len(kept) == 160 and all((view == before).all() for view, before in kept)
    for _ in range(10):
        batch.step(batch.sample(), renew=True)
        places.add(batch.observation.ctypes.data)
    assert len(places) == 2, "dropped arrays are used again"
    seen = batch.observation
    with pytest.raises(q.IllegalMove):
        batch.step(np.full(8, q.LAST + 1), renew=True)
    assert batch.observation is seen and (seen == 0).mean() < 1
    with pytest.raises(TypeError, match="^renew: "):
        batch.step(batch.sample(), renew=3)


def _played(seed, opponent, actions):
    """Returns the match of a seed with these actions of the caller, and the caller's seat."""
    state, seat, bot = PatchworkState(seed), seed % 2, Bot(opponent, seed)
    actions = iter(actions)
    while not state.is_over:
        state.play(next(actions) if state.to_move == seat else bot.choose(state))
    return state, seat


@pytest.mark.parametrize("opponent", ["random", "novice", "greedy"])
def test_rewards_against_an_opponent_are_the_callers(opponent):
    batch = PatchworkBatch(8, 40, opponent=opponent, reward="margin", last_observation=True)
    wins = PatchworkBatch(8, 40, opponent=opponent, mask="bits", observation=False)
    assert batch.to_move.tolist() == batch.seat.tolist() == [0, 1] * 4
    assert batch.rewards.shape == batch.scores.shape == wins.rewards.shape == (8,)
    actions, seats = [[] for _ in range(8)], set()
    while batch.matches < 20:
        chosen = batch.sample()
        batch.step(chosen)
        wins.step(chosen)
        for n, action in enumerate(chosen.tolist()):
            actions[n].append(action)
            if not batch.dones[n]:
                assert batch.rewards[n] == batch.scores[n] == wins.rewards[n] == 0
                continue
            state, seat = _played(int(batch.seeds[n]), opponent, actions[n])
            lead = state.scores[seat] - state.scores[1 - seat]
            assert (batch.seat[n], batch.scores[n], batch.rewards[n]) == (seat, state.scores[seat], lead)
            assert wins.rewards[n] == (1 if state.ranks[seat] == 1 else -1)
            assert (batch.last_observation[n] == state.observation(seat)).all()
            actions[n] = []
            seats.add(seat)
    assert seats == {0, 1}


def test_the_opponent_of_doodle_has_the_same_deal():
    doodle = DoodleBatch(4, 40, opponent="greedy", reward="margin")
    while not doodle.dones.any():
        doodle.step(doodle.sample())
    n = int(np.flatnonzero(doodle.dones)[0])
    state, bot = DoodleState(1, 40 + n), Bot("greedy")
    while not state.is_over:
        for number in bot.choose_steps(state):
            state.step(0, number)
    assert doodle.rewards[n] == doodle.scores[n] - state.scores[0]


@pytest.mark.parametrize("make", [PatchworkBatch, DoodleBatch])
def test_planes_of_a_batch_are_those_of_its_matches(make):
    batch = make(4, 3, planes=True, last_observation=True)
    states, following, ends = [PatchworkState(3 + n) if make is PatchworkBatch else DoodleState(1, 3 + n) for n in range(4)], 7, 0
    while ends < 8:
        for n, state in enumerate(states):
            assert (state.observation(planes=True) == batch.observation[n]).all()
        actions, movers = batch.sample(), [state.to_move if make is PatchworkBatch else 0 for state in states]
        matches, numbers, seen = batch.afterstates()
        batch.step(actions)
        for n, (state, action) in enumerate(zip(states, actions.tolist())):
            state.play(action) if make is PatchworkBatch else state.step(0, action)
            if make is PatchworkBatch:
                after = seen[(matches == n) & (numbers == action)]
                assert (after == state.observation(movers[n], planes=True)).all() and len(after) == 1
            if batch.dones[n]:
                assert (batch.last_observation[n] == state.observation(movers[n], planes=True)).all()
                states[n] = PatchworkState(following) if make is PatchworkBatch else DoodleState(1, following)
                following, ends = following + 1, ends + 1


@pytest.mark.parametrize("make", [PatchworkBatch, DoodleBatch])
def test_afterstates_of_a_batch_are_those_of_its_matches(make):
    batch = make(6, 3, observation=False)
    states = [PatchworkState(3 + n) if make is PatchworkBatch else DoodleState(1, 3 + n) for n in range(6)]
    for _ in range(12):
        actions = batch.sample()
        batch.step(actions)
        for state, action in zip(states, actions.tolist()):
            state.play(action) if make is PatchworkBatch else state.step(0, action)
    matches, numbers, seen = batch.afterstates(1, 5)
    wanted = [(n, *states[n].afterstates()) for n in range(1, 5)]
    assert matches.tolist() == [n for n, own, _ in wanted for _ in own]
    assert (numbers == np.concatenate([own for _, own, _ in wanted])).all()
    assert (seen == np.concatenate([rows for _, _, rows in wanted])).all()
    size = matches.nbytes + numbers.nbytes + seen.nbytes
    assert len(batch.afterstates(1, 5, max_bytes=size)[0]) == len(matches) < len(batch.afterstates()[0])
    with pytest.raises(ValueError, match=f"max_bytes: matches 1 to 5 need {size} bytes, not {size - 1}"):
        batch.afterstates(1, 5, max_bytes=size - 1)


ARRAYS = ("mask", "observation", "last_observation", "dones", "rewards", "scores", "seeds", "seat", "to_move")


@pytest.mark.parametrize("make", [PatchworkBatch, DoodleBatch])
@pytest.mark.parametrize("opponent", [None, "random", "novice", "greedy"])
def test_copies_go_on_like_their_batch(make, opponent):
    batch = make(8, 9, opponent=opponent, last_observation=True)
    for _ in range(30):
        batch.step(batch.sample())
    while not batch.dones.any():
        batch.step(batch.sample())
    copies = [copy.copy(batch), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for _ in range(60):
        for other in copies:
            assert (other.steps, other.matches) == (batch.steps, batch.matches)
            for name in ARRAYS:
                assert np.array_equal(getattr(other, name, None), getattr(batch, name, None)), name
        actions = batch.sample()
        assert all((other.sample() == actions).all() for other in copies)
        for one in [batch, *copies]:
            one.step(actions)


def test_bots_are_copied_without_what_they_found_and_searching_batches_are_not():
    state, bot = PatchworkState(2), Bot("planner", 3, nodes=50)
    state.play(bot.choose(state))
    for other in (copy.copy(bot), copy.deepcopy(bot), pickle.loads(pickle.dumps(bot))):
        assert other.__reduce__()[1] == ("planner", 3, 50)
        assert other.choose(state) == Bot("planner", 3, nodes=50).choose(state)
    for batch in (PatchworkBatch(1, opponent="scout", nodes=2), DoodleBatch(1, opponent="master", nodes=1)):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="no copies or pickles"):
                copied(batch)


#: Calls that take minutes, with what is prepared for them.
LONG = {
    "master by the clock": ("bot = q.Bot('master')", "bot.choose(q.PatchworkState(1), time_ms=600_000)"),
    "steps by nodes": ("bot = q.Bot('planner', nodes=10**9)", "bot.choose_steps(q.DoodleState())"),
    "a new batch of Patchwork": ("", "q.PatchworkBatch(4, 1, opponent='master', nodes=10**9)"),
    "a new batch of Doodle": ("", "q.DoodleBatch(100_000, 1, mask=None, observation=False, opponent='greedy')"),
    "playouts of Patchwork": ("state = q.PatchworkState(1)", "state.playouts(1_000_000)"),
    "playouts of Doodle": ("state = q.DoodleState()", "state.playouts(1_000_000)"),
    "a step": ("batch = q.PatchworkBatch(600, 1, opponent='planner')", "while True: batch.step(batch.sample())"),
}


@pytest.mark.parametrize("name", LONG)
def test_long_calls_notice_ctrl_c(name):
    before, call = LONG[name]
    code = f"""
import os, signal, time, numpy
import quilt_engine as q
threads = len(os.listdir("/proc/self/task"))
def send(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, send)
{before}
signal.setitimer(signal.ITIMER_REAL, 0.5)
began = time.monotonic()
try:
    {call}
except KeyboardInterrupt:
    print(time.monotonic() - began - 0.5)
assert len(os.listdir("/proc/self/task")) == threads, "a search goes on"
if "batch" in globals():
    for call in (batch.sample, batch.afterstates, batch.__reduce__, lambda: batch.step(None)):
        try:
            call()
        except RuntimeError as error:
            assert "batch: closed, since a step was interrupted by KeyboardInterrupt" in str(error), error
        else:
            raise AssertionError("it goes on")
"""
    late = 1.0
    for _ in range(5):  # a busy machine may be late itself
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)
        late = min(late, float(done.stdout))
        if late < 0.2:
            break
    assert late < 0.2


def test_what_does_not_fit_into_memory_is_a_memory_error():
    code = """
import resource
import quilt_engine as q
state, batch = q.PatchworkState(1), q.PatchworkBatch(1000)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
for call in (
    lambda: q.PatchworkBatch(1 << 20),
    lambda: q.DoodleBatch(1 << 17, mask="bits", observation=False),
    lambda: q.DoodleBatch(1 << 17, mask=None, last_observation=True),
    lambda: q.PatchworkBatch(100, opponent="greedy"),
    lambda: batch.afterstates(),
    lambda: state.rgb_array(4000, 4000),
):
    try:
        call()
    except MemoryError as error:
        print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert said.stdout.count("do not fit into memory") == 6, said


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
