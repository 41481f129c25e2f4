"""Learns Patchwork Doodle through Gymnasium's vector form, with NumPy alone (actor-critic, one hidden layer).

    python vector.py --seconds 600

prints the mean score on 200 fresh deals, with its 95 % interval, and that of random moves. After 120 seconds, some two
million steps, the mean is 63.1 ± 2.3 points, and that of random moves 9.0 ± 1.3.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the matrices are small

import gymnasium
import numpy as np

COUNT, HIDDEN, RATE, POINTS = 512, 128, 1e-3, 20.0
random = np.random.default_rng(1)


def make(count: int) -> Any:
    name = "quilt_engine.solo:quilt/Doodle-v0"
    return gymnasium.make_vec(name, count, vectorization_mode="vector_entry_point", planes=True)


class Learner:
    """A policy, and the value of what it sees: how many points are to come."""

    def __init__(self, inputs: int, actions: int) -> None:
        first = random.standard_normal((inputs, HIDDEN)) / inputs**0.5
        self.weights = [first.astype(np.float32)]
        self.weights += [np.zeros(shape, np.float32) for shape in (HIDDEN, (HIDDEN, actions), (HIDDEN, 1))]
        self.squares = [np.zeros_like(weight) for weight in self.weights]

    def look(self, seen: Any) -> tuple[Any, Any]:
        """Returns the hidden layer, and the value."""
        first, bias, _, value = self.weights
        hidden = np.maximum(seen @ first + bias, 0)
        return hidden, (hidden @ value)[:, 0]

    def odds(self, hidden: Any, mask: Any) -> Any:
        """Returns the probability of each action. Illegal ones have 0."""
        scores = np.where(mask, hidden @ self.weights[2], -np.inf)
        odds = np.exp(scores - scores.max(1, keepdims=True))
        return odds / odds.sum(1, keepdims=True)

    def learn(self, seen: Any, hidden: Any, odds: Any, action: Any, gain: Any) -> None:
        """Makes actions with a gain likelier, and adds a part of the gain to the value (RMSprop)."""
        policy, value = odds * gain[:, None], -gain[:, None]
        policy[np.arange(len(action)), action] -= gain
        layer = (policy @ self.weights[2].T + value @ self.weights[3].T) * (hidden > 0)
        gradients = seen.T @ layer, layer.sum(0), hidden.T @ policy, hidden.T @ value
        for weight, square, gradient in zip(self.weights, self.squares, gradients):
            square += 0.01 * (gradient * gradient - square)
            weight -= RATE * gradient / (np.sqrt(square) + 1e-6)


def draw(odds: Any) -> Any:
    """Draws an action from each row."""
    return (odds.cumsum(1) > random.random((len(odds), 1)) * 0.99999).argmax(1)


def train(learner: Learner, seconds: float) -> None:
    envs, end = make(COUNT), time.process_time() + seconds
    seen, infos = envs.reset(seed=1)
    while time.process_time() < end:
        (hidden, value), before = learner.look(seen), seen
        odds = learner.odds(hidden, infos["action_mask"])
        action = draw(odds)
        seen, reward, over, _, infos = envs.step(action)
        # What came and is to come now, less what was to come: a match that is over has no more points to come.
        gain = reward / POINTS + ~over * learner.look(seen)[1] - value
        learner.learn(before, hidden, odds, action, gain.astype(np.float32))


def test(learner: Learner) -> tuple[float, float]:
    """Returns the mean score on 200 fresh deals, and half of its interval."""
    envs, scores = make(200), np.full(200, np.nan)
    seen, infos = envs.reset(options={"deal": 1 << 52})
    while np.isnan(scores).any():
        seen, _, over, _, infos = envs.step(draw(learner.odds(learner.look(seen)[0], infos["action_mask"])))
        ended = over & np.isnan(scores)
        scores[ended] = infos["final_info"]["score"][ended] if over.any() else 0
    return float(scores.mean()), 1.972 * float(scores.std(ddof=1)) / 200**0.5


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Learn Patchwork Doodle through Gymnasium's vector form.")
    parser.add_argument("--seconds", type=float, default=600, help="CPU seconds of learning [default: 600]")
    args = parser.parse_args()
    env = make(1)
    learner = Learner(env.single_observation_space.shape[0], env.single_action_space.n)
    print("random: %.1f ± %.1f" % test(learner), flush=True)
    train(learner, args.seconds)
    print("learned: %.1f ± %.1f" % test(learner))
