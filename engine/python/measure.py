"""Steps a CPU second of one core, with random legal actions: batches, single states, environments, and others' games.

    pip install quilt-engine gymnasium "pettingzoo[classic]" open_spiel
    python measure.py

Each row is the median of five runs that alternate with the other rows, and the range. Gymnasium, PettingZoo, and OpenSpiel
are left out if they are not installed.
"""

from __future__ import annotations

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import quilt_engine as q

Run = Callable[[], int]


def steps(count: int, sample: Callable[[Any], Any], step: Callable[[Any], Any]) -> Run:
    actions = np.zeros(count, np.int64)

    def run() -> int:
        for _ in range(max(1, 200_000 // count)):
            sample(actions)
            step(actions)
        return max(1, 200_000 // count) * count

    return run


def batch(make: Any, count: int, **options: Any) -> Run:
    matches = make(count, 1, **options)
    return steps(count, matches.sample, matches.step)


def vector(make: Any, count: int, **options: Any) -> Run:
    """Gymnasium's loop with a batch below."""
    envs = make(count, mask="bits", **options)
    envs.reset(seed=1)
    return steps(count, envs.batch.sample, envs.step)


def states(masks: bool) -> Run:
    def run() -> int:
        steps, chance = 0, random.Random(1)
        while steps < 20_000:
            state = q.PatchworkState(steps)
            while state.to_move is not None:
                if masks:
                    state.observation()
                    legal = np.flatnonzero(state.legal_mask())
                    state.play(int(legal[int(chance.random() * len(legal))]))
                else:
                    state.play(chance.choice(state.legal_actions()))
                steps += 1
        return steps

    return run


def aec(make: Callable[[], Any]) -> Run:
    """PettingZoo's loop: `agent_iter`, `last`, `step`."""
    env, seeds = make(), iter(range(1 << 30))

    def run() -> int:
        steps = 0
        while steps < 3_000:
            env.reset(seed=next(seeds))
            for agent in env.agent_iter():
                seen, _, termination, truncation, info = env.last()
                over = termination or truncation
                mask = seen["action_mask"] if "action_mask" in seen else info["action_mask"]
                env.step(None if over else int(np.random.choice(np.flatnonzero(mask))))
                steps += not over
        return steps

    return run


def parallel() -> Run:
    from quilt_engine import doodle_v0

    env, seeds = doodle_v0.parallel_env(seats=2), iter(range(1 << 30))

    def run() -> int:
        steps = 0
        while steps < 3_000:
            seen, _ = env.reset(seed=next(seeds))
            while env.agents:
                choice = {a: int(np.random.choice(np.flatnonzero(seen[a]["action_mask"]))) for a in env.agents}
                seen, *_ = env.step(choice)
                steps += len(choice)
        return steps

    return run


def spiel(name: str, masks: bool) -> Run:
    import pyspiel

    game, chance = pyspiel.load_game(name), random.Random(1)

    def run() -> int:
        steps = 0
        while steps < 20_000:
            state = game.new_initial_state()
            while not state.is_terminal():
                if masks:
                    state.observation_tensor()
                    legal = np.flatnonzero(state.legal_actions_mask())
                    state.apply_action(int(legal[int(chance.random() * len(legal))]))
                else:
                    state.apply_action(chance.choice(state.legal_actions()))
                steps += 1
        return steps

    return run


def rows(count: int) -> dict[str, Run]:
    found = {
        f"PatchworkBatch({count}), masks as bytes": batch(q.PatchworkBatch, count, observation=False),
        f"PatchworkBatch({count}), masks as bits": batch(q.PatchworkBatch, count, mask="bits", observation=False),
        f"PatchworkBatch({count}), bytes and observation": batch(q.PatchworkBatch, count),
        f"DoodleBatch({count}), masks as bytes": batch(q.DoodleBatch, count, observation=False),
        f"DoodleBatch({count}), masks as bits": batch(q.DoodleBatch, count, mask="bits", observation=False),
        f"DoodleBatch({count}), bytes and observation": batch(q.DoodleBatch, count),
        "PatchworkState, list of actions": states(masks=False),
        "PatchworkState, mask and observation": states(masks=True),
    }
    try:
        from quilt_engine.vector import DoodleVectorEnv, PatchworkVectorEnv

        name = f"({count}), bits and observation"
        found[f"DoodleBatch{name}"] = batch(q.DoodleBatch, count, mask="bits")
        found[f"DoodleVectorEnv{name}"] = vector(DoodleVectorEnv, count)
        found[f"DoodleVectorEnv{name}, without copies"] = vector(DoodleVectorEnv, count, copy=False)
        found[f"PatchworkBatch{name}, against random"] = batch(q.PatchworkBatch, count, mask="bits", opponent="random")
        found[f"PatchworkVectorEnv{name}, against random"] = vector(PatchworkVectorEnv, count, opponent="random")
    except ImportError as error:
        print(f"without Gymnasium 1.1: {error}")
    try:
        from pettingzoo.classic import connect_four_v3, go_v5

        from quilt_engine import patchwork_v0

        found["PettingZoo loop: patchwork_v0"] = aec(patchwork_v0.env)
        found["PettingZoo loop: doodle_v0, parallel"] = parallel()
        found["PettingZoo loop: its connect_four_v3"] = aec(connect_four_v3.env)
        found["PettingZoo loop: its go_v5, 9x9"] = aec(lambda: go_v5.env(board_size=9))
    except ImportError as error:
        print(f"without PettingZoo's games: {error}")
    try:
        for name in ("connect_four", "go(board_size=9)", "chess"):
            found[f"OpenSpiel: {name}, list of actions"] = spiel(name, masks=False)
            found[f"OpenSpiel: {name}, mask and tensor"] = spiel(name, masks=True)
    except ImportError as error:
        print(f"without OpenSpiel: {error}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure steps a CPU second of one core.")
    parser.add_argument("--count", type=int, default=1024, help="matches of a batch [default: 1024]")
    parser.add_argument("--runs", type=int, default=5, help="runs of each row [default: 5]")
    args = parser.parse_args()
    found = rows(args.count)
    rates: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(args.runs + 1):
        for name, run in found.items():
            begin = time.process_time()
            steps = run()
            rates[name].append(steps / (time.process_time() - begin))
    print("| loop | steps/s | range |\n| --- | --- | --- |")
    for name, found_rates in rates.items():
        counted = sorted(found_rates[1:])  # the first run warms up
        print(f"| {name} | {statistics.median(counted):,.0f} | {counted[0]:,.0f} to {counted[-1]:,.0f} |")


if __name__ == "__main__":
    main()
