"""Learns the value of a state of Patchwork from games against itself, with NumPy alone (TD(lambda), one hidden layer).

    python train.py --seconds 120 --seed 1 --out value.npz

writes the weights, which `value_bot.py` plays, and the share of matches that they win against `random` over time, as
numbers in `value.npz.csv` and as a picture in `value.npz.svg`.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the matrices are small

import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quilt_engine import PATCHWORK_SCALE, PATCHWORK_SLICES, PatchworkState

Floats = NDArray[np.float32]
#: The network sees quilts and numbers. The circle is left out: the value of an offer shows in what it leads to.
SEEN = np.delete(np.arange(len(PATCHWORK_SCALE)), PATCHWORK_SLICES["circle"])
SCALE = np.array(PATCHWORK_SCALE, np.float32)[SEEN]
HIDDEN, LAMBDA, EXPLORE, RATE, MATCHES = 40, 0.8, 0.05, 2e-3, 8
#: Margins are learned in units of this many points.
POINTS = 40.0


class Value:
    """The margin that a state leads to, for the seat that sees it."""

    def __init__(self, random: np.random.Generator) -> None:
        def layer(inputs: int, outputs: int, size: float = 1.0) -> Floats:
            weights: Floats = random.standard_normal((inputs, outputs), np.float32)
            return weights * np.float32(size / np.sqrt(inputs))

        self.weights = [layer(len(SEEN), HIDDEN), np.zeros(HIDDEN, np.float32), layer(HIDDEN, 1, 0.1), np.zeros(1, np.float32)]
        self.means = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.steps = 0

    def of(self, rows: Floats) -> Floats:
        first, bias, second, last = self.weights
        values: Floats = (np.maximum(rows @ first + bias, 0) @ second + last)[:, 0]
        return values

    def learn(self, rows: Floats, goals: Floats) -> None:
        """One step of Adam towards these values."""
        first, bias, second, last = self.weights
        hidden = np.maximum(rows @ first + bias, 0)
        error = ((hidden @ second + last)[:, 0] - goals)[:, None] / len(goals)
        back = (error @ second.T) * (hidden > 0)
        gradients = [rows.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        self.steps += 1
        for weight, gradient, mean, square in zip(self.weights, gradients, self.means, self.squares):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            size = np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8
            weight -= RATE * (mean / (1 - 0.9**self.steps)) / size


def choices(state: PatchworkState, value: Value) -> tuple[NDArray[np.uint16], Floats, Floats]:
    """The legal moves, what the mover sees after each, and its value."""
    actions, rows = state.afterstates()
    seen = rows[:, SEEN] / SCALE
    return actions, seen, value.of(seen)


def play_itself(seed: int, value: Value, random: np.random.Generator) -> list[tuple[Floats, float]]:
    """Plays a match, and returns its states with the values to learn."""
    state, chains = PatchworkState(seed), ([], [])  # type: tuple[PatchworkState, tuple[list[Any], list[Any]]]
    while state.to_move is not None:
        actions, seen, values = choices(state, value)
        place = random.integers(len(actions)) if random.random() < EXPLORE else values.argmax()
        chains[state.to_move].append((seen[place], values[place]))
        state.play(int(actions[place]))
    margin, learned = state.scores[0] - state.scores[1], []
    for chain, sign in zip(chains, (1, -1)):
        goal = float(np.clip(sign * margin / POINTS, -2, 2))
        for seen, before in reversed(chain):
            learned.append((seen, goal))
            goal = (1 - LAMBDA) * float(before) + LAMBDA * goal
    return learned


def against_random(value: Value, matches: int, seed: int) -> tuple[int, float]:
    """Matches won against random moves, each deal from both seats, and the mean margin in points."""
    random, margins = np.random.default_rng(seed), []
    for number in range(matches):
        own, state = number % 2, PatchworkState(1_000_000_000 + number // 2)
        while state.to_move is not None:
            if state.to_move == own:
                actions, _, values = choices(state, value)
                state.play(int(actions[values.argmax()]))
            else:
                state.play(int(random.choice(state.legal_actions())))
        margins.append((state.scores[0] - state.scores[1]) * (1 if own == 0 else -1))
    return sum(margin > 0 for margin in margins), float(np.mean(margins))


def lower_bound(won: int, matches: int) -> float:
    """The lower end of Wilson's interval with 95 %."""
    share, z = won / matches, 1.959964
    middle = share + z * z / (2 * matches)
    spread = z * np.sqrt(share * (1 - share) / matches + z * z / (4 * matches * matches))
    return float((middle - spread) / (1 + z * z / matches))


def plot(rows: list[dict[str, float]], path: Path) -> None:
    """Draws the curve as SVG: the share of matches won by CPU seconds, with its lower bound."""
    width, height, left, top = 640, 320, 50, 20
    last = max(row["cpu_s"] for row in rows) or 1.0

    def at(row: dict[str, float], name: str) -> str:
        return f"{left + row['cpu_s'] / last * (width - left - 20):.1f},{top + (1 - row[name]) * (height - top - 40):.1f}"

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">']
    lines.append(f'<rect width="{width}" height="{height}" fill="#fff"/>')
    for share in (0, 0.25, 0.5, 0.75, 0.9, 1):
        y = top + (1 - share) * (height - top - 40)
        lines.append(f'<path d="M{left} {y:.1f}H{width - 20}" stroke="#ddd"/><text x="8" y="{y + 4:.1f}">{share:.0%}</text>')
    for name, colour in (("lower", "#9db08f"), ("won", "#2f5d8a")):
        points = " ".join(at(row, name) for row in rows)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    lines.append(f'<text x="{left}" y="{height - 12}">matches won against random, and the lower 95 % bound, by CPU seconds to {last:.0f}</text></svg>')
    path.write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn the value of a state of Patchwork from games against itself.")
    parser.add_argument("--seconds", type=float, default=120, help="CPU seconds of learning, without the tests [default: 120]")
    parser.add_argument("--seed", type=int, default=1, help="seed of weights, deals, and moves [default: 1]")
    parser.add_argument("--tests", type=int, default=12, help="tests against random on the way [default: 12]")
    parser.add_argument("--matches", type=int, default=200, help="matches of a test; the last has twice as many [default: 200]")
    parser.add_argument("--out", type=Path, default=Path("value.npz"), help="file of the weights [default: value.npz]")
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    value, rows, pool, spent, games = Value(random), [], [], 0.0, 0  # type: Value, list[dict[str, float]], list[tuple[Floats, float]], float, int
    while True:
        if spent >= args.seconds * len(rows) / args.tests:
            is_last = spent >= args.seconds
            matches = 2 * args.matches if is_last else args.matches
            won, margin = against_random(value, matches, args.seed)
            rows.append({"cpu_s": spent, "games": games, "won": won / matches, "lower": lower_bound(won, matches), "margin": margin})
            print(f"{spent:6.0f} CPU s {games:6d} games, {won} of {matches} won (at least {rows[-1]['lower']:.1%}), margin {margin:+.1f}", flush=True)
            if is_last:
                break
        begin = time.process_time()
        pool += play_itself(args.seed * 1_000_000 + games, value, random)
        games += 1
        if games % MATCHES == 0:
            value.learn(np.array([seen for seen, _ in pool]), np.array([goal for _, goal in pool], np.float32))
            pool = []
        spent += time.process_time() - begin
    np.savez(args.out, first=value.weights[0], bias=value.weights[1], second=value.weights[2], last=value.weights[3])
    with open(f"{args.out}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    plot(rows, Path(f"{args.out}.svg"))


if __name__ == "__main__":
    main()
