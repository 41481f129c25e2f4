"""Learns Patchwork Doodle through Gymnasium's vector form, with NumPy alone (actor-critic, one hidden layer).

    python vector.py --seconds 600

prints the mean score on 200 fresh deals, with its 95 % interval, and that of random moves.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the matrices are small

import gymnasium
import numpy as np

NAME, COUNT, STEPS, HIDDEN, RATE, FADE, POINTS = "quilt_engine.solo:quilt/Doodle-v0", 128, 16, 128, 1e-3, 0.95, 20.0
random = np.random.default_rng(1)


def make(count: int) -> Any:
    return gymnasium.make_vec(NAME, count, vectorization_mode="vector_entry_point", planes=True)


def act(seen: Any, mask: Any, weights: list[Any]) -> tuple[Any, Any, Any]:
    """Returns the hidden layer, the probabilities of the legal actions, and the value."""
    hidden = np.maximum(seen @ weights[0] + weights[1], 0)
    scores = np.where(mask, hidden @ weights[2], -np.inf)
    odds = np.exp(scores - scores.max(1, keepdims=True))
    return hidden, odds / odds.sum(1, keepdims=True), (hidden @ weights[3])[:, 0]


def pick(odds: Any) -> Any:
    """Draws an action from each row."""
    return (odds.cumsum(1) > random.random((len(odds), 1)) * 0.99999).argmax(1)


def test(weights: list[Any]) -> tuple[float, float]:
    """Returns the mean score on 200 fresh deals, and half of its interval."""
    envs, scores = make(200), np.full(200, np.nan)
    seen, infos = envs.reset(options={"deal": 1 << 52})
    while np.isnan(scores).any():
        seen, _, over, _, infos = envs.step(pick(act(seen, infos["action_mask"], weights)[1]))
        ended = over & np.isnan(scores)
        scores[ended] = infos["final_info"]["score"][ended] if over.any() else 0
    return float(scores.mean()), 1.972 * float(scores.std(ddof=1)) / 200**0.5


def learn(seconds: float) -> list[Any]:
    envs = make(COUNT)
    inputs, actions = envs.single_observation_space.shape[0], envs.single_action_space.n
    shapes = {(inputs, HIDDEN): inputs**-0.5, (HIDDEN,): 0, (HIDDEN, actions): 0, (HIDDEN, 1): 0}
    weights: list[Any] = [(random.standard_normal(shape) * size).astype(np.float32) for shape, size in shapes.items()]
    means, squares, begin = [0 * w for w in weights], [0 * w for w in weights], time.process_time()
    print("random: %.1f ± %.1f" % test(weights), flush=True)
    (seen, infos), count = envs.reset(seed=1), 0
    while time.process_time() - begin < seconds:
        rows = []
        for _ in range(STEPS):
            _, odds, value = act(seen, infos["action_mask"], weights)
            action, before = pick(odds), (seen, infos["action_mask"])
            seen, reward, over, _, infos = envs.step(action)
            rows.append((*before, action, value, reward / POINTS, over))
        following, advantage, parts = act(seen, infos["action_mask"], weights)[2], 0.0, []
        for _, _, _, value, reward, over in reversed(rows):
            advantage = reward + ~over * (following + FADE * advantage) - value
            following = value
            parts.append(advantage)
        wins = np.concatenate(parts[::-1]).astype(np.float32)
        data, mask, action = (np.concatenate([row[part] for row in rows]) for part in range(3))
        hidden, odds, value = act(data, mask, weights)
        # The gradient of the policy with a little entropy, and of the value.
        back, size = odds * (wins / (wins.std() + 1e-6))[:, None], len(wins)
        back[np.arange(size), action] -= wins / (wins.std() + 1e-6)
        logs = np.log(odds + 1e-9)
        back += 0.01 * odds * (logs - (odds * logs).sum(1, keepdims=True))
        back, error = back / size, -wins[:, None] / size
        deep = (back @ weights[2].T + error @ weights[3].T) * (hidden > 0)
        gradients, count = [data.T @ deep, deep.sum(0), hidden.T @ back, hidden.T @ error], count + 1
        for weight, mean, square, gradient in zip(weights, means, squares, gradients):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            weight -= RATE * mean / (1 - 0.9**count) / (np.sqrt(square / (1 - 0.999**count)) + 1e-8)
    return weights


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Learn Patchwork Doodle through Gymnasium's vector form.")
    parser.add_argument("--seconds", type=float, default=600, help="CPU seconds of learning [default: 600]")
    print("learned: %.1f ± %.1f" % test(learn(parser.parse_args().seconds)))
