"""Learns the value of a state of Patchwork from matches against itself, with NumPy alone (TD(lambda), one hidden layer).

    python train.py --seconds 600 --opponent novice --out value.npz

plays a batch of matches, writes the weights for `value_bot.py`, and plays them against a bundled bot on 200 fresh deals.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the matrices are small

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quilt_engine import PATCHWORK_SCALE, PATCHWORK_SLICES, PatchworkBatch, PatchworkState, evaluate

Floats = NDArray[np.float32]
#: Brings the numbers of an observation near 1. The circle is left out: the value of an offer shows in what it leads to.
SCALE = 1 / np.array(PATCHWORK_SCALE, np.float32)
SCALE[PATCHWORK_SLICES["circle"]] = 0
HIDDEN, LAMBDA, EXPLORE, RATE, MATCHES, ROWS = 64, 0.8, 0.05, 1e-3, 256, 256
#: Margins are learned in units of this many points.
POINTS = 40.0
CELLS = np.arange(81).reshape(9, 9)
#: The cells of a quilt in its eight turns and flips.
TURNS = [np.rot90(side, turn).ravel() for side in (CELLS, CELLS.T) for turn in range(4)]


class Value:
    """The margin that a state leads to, for the seat that sees it."""

    def __init__(self, random: np.random.Generator) -> None:
        shapes = {(len(SCALE), HIDDEN): len(SCALE) ** -0.5, (HIDDEN,): 0.0, (HIDDEN, 1): 0.1 * HIDDEN**-0.5, (1,): 0.0}
        self.weights: list[Floats] = [(random.standard_normal(s) * size).astype(np.float32) for s, size in shapes.items()]
        self.means = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.steps = 0

    def of(self, seen: Floats) -> Floats:
        first, bias, second, last = self.weights
        values: Floats = (np.maximum(seen @ (first * SCALE[:, None]) + bias, 0) @ second + last)[:, 0]
        return values

    def learn(self, seen: Floats, goals: Floats, rate: float) -> None:
        """One step of Adam towards these values."""
        first, bias, second, last = self.weights
        rows = seen * SCALE
        hidden = np.maximum(rows @ first + bias, 0)
        error = ((hidden @ second + last)[:, 0] - goals)[:, None] / len(goals)
        back = (error @ second.T) * (hidden > 0)
        self.steps += 1
        gradients = [rows.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        for weight, gradient, mean, square in zip(self.weights, gradients, self.means, self.squares):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            weight -= rate * (mean / (1 - 0.9**self.steps)) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)

    def choose(self, state: PatchworkState) -> int:
        """The policy: the move after which the value is highest."""
        actions, seen = state.afterstates()
        return int(actions[self.of(seen).argmax()])


def train(value: Value, random: np.random.Generator, seed: int, seconds: float) -> None:
    batch = PatchworkBatch(MATCHES, seed, mask=None, observation=False, reward="margin")
    # What each seat of each match saw after its moves, and the values; and what is to be learned.
    chains: list[tuple[list[Any], list[Any]]] = [([], []) for _ in range(MATCHES)]
    rows: list[Floats] = []
    goals: list[float] = []
    begin, minutes = time.process_time(), 0
    while (spent := time.process_time() - begin) < seconds:
        if spent >= 60 * minutes:
            print(f"{spent:6.0f} CPU s, {batch.matches} matches", flush=True)
            minutes += 1
        match, actions, seen = batch.afterstates()
        values = value.of(seen)
        # The rows of a match are one below the other: the best one, or now and then any.
        starts = np.searchsorted(match, np.arange(MATCHES + 1))
        best = np.lexsort((values, match))[starts[1:] - 1]
        other = starts[:-1] + (random.random(MATCHES) * np.diff(starts)).astype(np.int64)
        place = np.where(random.random(MATCHES) < EXPLORE, other, best)
        batch.step(actions[place])
        for n, row, before in zip(range(MATCHES), seen[place], values[place]):
            chains[n][batch.seat[n]].append((row, before))
        for ended in np.flatnonzero(batch.dones):
            for chain, margin in zip(chains[ended], batch.rewards[ended]):
                goal = float(np.clip(margin / POINTS, -2, 2))
                for row, before in reversed(chain):
                    rows.append(row)
                    goals.append(goal)
                    goal = (1 - LAMBDA) * float(before) + LAMBDA * goal
                chain.clear()
        while len(rows) >= ROWS:
            part = np.array(rows[:ROWS])
            for quilt in (PATCHWORK_SLICES["own_quilt"], PATCHWORK_SLICES["other_quilt"]):
                part[:, quilt] = part[:, quilt][:, TURNS[random.integers(8)]]
            value.learn(part, np.array(goals[:ROWS], np.float32), RATE * (1 - 0.9 * spent / seconds))
            del rows[:ROWS], goals[:ROWS]


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn the value of a state of Patchwork from matches against itself.")
    parser.add_argument("--seconds", type=float, default=600, help="CPU seconds of learning [default: 600]")
    parser.add_argument("--seed", type=int, default=1, help="seed of weights, deals, and moves [default: 1]")
    parser.add_argument("--opponent", default="novice", help="bundled bot to play against at the end [default: novice]")
    parser.add_argument("--out", default="value.npz", help="file of the weights [default: value.npz]")
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    value = Value(random)
    train(value, random, args.seed, args.seconds)
    first, bias, second, _ = value.weights
    np.savez(args.out, first=first * SCALE[:, None], bias=bias, second=second[:, 0])
    found = evaluate(value.choose, args.opponent, deals=200)
    low, high = found.won_interval
    print(f"{found.won:.1%} of {found.matches} matches won against {args.opponent}, at 95 % {low:.1%} to {high:.1%}")


if __name__ == "__main__":
    main()
