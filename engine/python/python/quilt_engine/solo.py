"""Patchwork Doodle with one seat for Gymnasium, registered as `quilt/Doodle-v0`.

>>> import gymnasium
>>> env = gymnasium.make("quilt_engine.solo:quilt/Doodle-v0")
>>> observation, info = env.reset(seed=7)
>>> over, total = False, 0.0
>>> while not over:
...     observation, reward, over, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
...     total += reward
>>> total == info["score"] + 81
True
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from . import DOODLE_ACTIONS, DOODLE_SCALE, DoodleState
from .patchwork_v0 import _deal, _render_mode, _rendered


class DoodleEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One seat of Patchwork Doodle.

    An observation is float32, shape (217,), with the parts of `DOODLE_SLICES`. `info["action_mask"]` is int8, shape
    (2029,). The rewards are the changes of the score. An illegal action ends the match with `illegal_reward`.
    `reset(seed, options)` deals at random from `seed`; `options={"deal": N}` deals as seed N of the arena.
    """

    metadata = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}

    def __init__(self, render_mode: str | None = None, illegal_reward: float = -100.0) -> None:
        self.render_mode, self.illegal_reward = _render_mode(render_mode), float(illegal_reward)
        self.observation_space = spaces.Box(0.0, np.inf, (len(DOODLE_SCALE),), np.float32)
        self.action_space = spaces.Discrete(DOODLE_ACTIONS)
        self.match = DoodleState()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.match.legal_mask(), "score": self.match.scores[0]}

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions as bool, shape (2029,), for learners that ask for them under this name."""
        return self.match.legal_mask().astype(np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self.match = DoodleState(1, _deal(options, self.np_random))
        return self.match.observation(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        state, before = self.match, self.match.scores[0]
        if state.legal_mask()[int(action)]:
            state.step(0, int(action))
            reward, over = float(state.scores[0] - before), state.is_over
        else:
            reward, over = self.illegal_reward, True
        if self.render_mode == "human":
            self.render()
        return state.observation(), reward, over, False, self._info()

    def render(self) -> Any:
        return _rendered(self.match, self.render_mode)


gymnasium.register(id="quilt/Doodle-v0", entry_point="quilt_engine.solo:DoodleEnv")
