"""One seat of a match for Gymnasium, registered as `quilt/Doodle-v0` and `quilt/Patchwork-v0`.

>>> import gymnasium
>>> env = gymnasium.make("quilt_engine.solo:quilt/Doodle-v0")
>>> observation, info = env.reset(seed=7)
>>> over, total = False, 0.0
>>> while not over:
...     observation, reward, over, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
...     total += reward
>>> total == info["score"] + 81
True

`gymnasium.make_vec` with `vectorization_mode="vector_entry_point"` plays many matches in a batch: see `vector`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from . import (
    DOODLE_ACTIONS,
    DOODLE_PLANES,
    DOODLE_SCALE,
    PATCHWORK_ACTIONS,
    PATCHWORK_PLANES,
    PATCHWORK_SCALE,
    DoodleRules,
    DoodleState,
    PatchworkRules,
    PatchworkState,
)
from .patchwork_v0 import _box, _deal, _render_mode, _rendered, _Table


class _Solo(gymnasium.Env[NDArray[np.float32], np.int64]):
    """What both environments share."""

    metadata = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}
    match: Any
    _seat = 0

    def __init__(self, render_mode: str | None, illegal_reward: float, planes: bool) -> None:
        self.render_mode, self.illegal_reward = _render_mode(render_mode), float(illegal_reward)
        self._planes = planes

    def _begin(self, deal: int) -> None:
        raise NotImplementedError

    def _play(self, action: int) -> float:
        raise NotImplementedError

    def _seen(self, over: bool = False) -> tuple[NDArray[np.float32], dict[str, Any]]:
        info: dict[str, Any] = {"action_mask": self.match.legal_mask()}
        if over:
            info["score"] = self.match.scores[self._seat]
        return self.match.observation(self._seat, planes=self._planes), info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions as bool, for learners that ask for them under this name."""
        mask: NDArray[np.bool_] = self.match.legal_mask().astype(np.bool_)
        return mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self._begin(_deal(options, self.np_random))
        return self._seen()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        if self.match.legal_mask()[int(action)]:
            reward, over = self._play(int(action)), self.match.is_over
        else:
            reward, over = self.illegal_reward, True
        if self.render_mode == "human":
            self.render()
        seen, info = self._seen(over)
        return seen, reward, over, False, info

    def render(self) -> Any:
        return _rendered(self.match, self.render_mode)


class DoodleEnv(_Solo):
    """One seat of Patchwork Doodle.

    An observation is float32, shape (217,), with the parts of `DOODLE_SLICES`, or with `planes` shape (449,), with those of
    `DOODLE_PLANES`. `info["action_mask"]` is int8, shape (2029,), and at the end `info["score"]` has the points. The
    rewards are the changes of the score. An illegal action ends the match with `illegal_reward`. `reset(seed, options)` deals at random
    from `seed`; `options={"deal": N}` deals as seed N of the arena. `rules` are other components.
    """

    def __init__(
        self,
        render_mode: str | None = None,
        illegal_reward: float = -100.0,
        *,
        rules: DoodleRules | None = None,
        planes: bool = False,
    ) -> None:
        super().__init__(render_mode, illegal_reward, planes)
        self.observation_space = _box(DOODLE_SCALE, DOODLE_PLANES if planes else None, 0.0)
        self.action_space = spaces.Discrete(DOODLE_ACTIONS)
        self._rules = rules
        self._begin(0)

    def _begin(self, deal: int) -> None:
        self.match = DoodleState(1, deal, self._rules)

    def _play(self, action: int) -> float:
        before = self.match.scores[0]
        self.match.step(0, action)
        return float(self.match.scores[0] - before)


class PatchworkEnv(_Solo):
    """One seat of Patchwork against a bundled bot: seat 0 in deals with even seeds, otherwise seat 1.

    An observation is float32, shape (212,), with the parts of `PATCHWORK_SLICES`, or with `planes` shape (431,), with those
    of `PATCHWORK_PLANES`. `info["action_mask"]` is int8, shape (2026,), and at the end `info["score"]` has your points.
    `reward` is `"win"`, 1 or -1 at the end, or `"margin"` in points. An illegal action ends the match with `illegal_reward`. `nodes` bounds the
    search of the opponent; `master` needs it. Deals and `rules` are as in `DoodleEnv`.
    """

    def __init__(
        self,
        render_mode: str | None = None,
        illegal_reward: float = -1.0,
        *,
        opponent: str = "greedy",
        nodes: int | None = None,
        reward: str = "win",
        rules: PatchworkRules | None = None,
        planes: bool = False,
    ) -> None:
        super().__init__(render_mode, illegal_reward, planes)
        self.observation_space = _box(PATCHWORK_SCALE, PATCHWORK_PLANES if planes else None, -1.0)
        self.action_space = spaces.Discrete(PATCHWORK_ACTIONS)
        self._table = _Table(reward, opponent, nodes, rules)
        self._begin(0)

    def _begin(self, deal: int) -> None:
        self._seat = self._table.deal(deal) or 0
        self.match = self._table.match

    def _play(self, action: int) -> float:
        self._table.play(action)
        return self._table.reward(self._seat) if self.match.is_over else 0.0


for _name in ("Doodle", "Patchwork"):
    gymnasium.register(
        id=f"quilt/{_name}-v0",
        entry_point=f"quilt_engine.solo:{_name}Env",
        vector_entry_point=f"quilt_engine.vector:{_name}VectorEnv",
    )
