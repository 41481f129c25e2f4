"""Batches as vector environments for Gymnasium 1.1 and later.

>>> import gymnasium
>>> name = "quilt_engine.solo:quilt/Patchwork-v0"
>>> envs = gymnasium.make_vec(name, 8, vectorization_mode="vector_entry_point", opponent="novice")
>>> observations, infos = envs.reset(seed=7)
>>> for _ in range(100):
...     actions = envs.action_space.sample(tuple(infos["action_mask"]))
...     observations, rewards, terminations, truncations, infos = envs.step(actions)
>>> observations.shape, infos["action_mask"].shape
((8, 212), (8, 2026))

A match that ends is dealt anew in the same step, as in `SyncVectorEnv` with `AutoresetMode.SAME_STEP`: what you saw at its
end is in `infos["final_obs"]` and `infos["final_info"]`. `reset` deals match `n` of the beginning as seed `deal + n` of the
arena, and later ones with the next seeds; `options={"deal": N}` sets `deal`, otherwise it is random from `seed`. An illegal
action raises `IllegalMove`, and no match has moved. `batch` is the batch, whose `seeds` are those of the last step.

- `mask` is `"bytes"`, `"bits"`, or `None`: `infos["action_mask"]` is int8, a row of 0 and 1 for each match, or uint64, shape
  (N, 32), the lowest bit first.
- With `copy=False`, observations and masks are the arrays of the batch, which the next step overwrites; masks as bytes
  are read-only then.
- All other options are those of the environments in `solo`, without pictures and `illegal_reward`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from . import DoodleBatch, PatchworkBatch
from .patchwork_v0 import _deal
from .solo import DoodleEnv, PatchworkEnv


class _BatchEnv(VectorEnv[NDArray[np.float32], NDArray[Any], NDArray[Any]]):
    """What both environments share."""

    def __init__(
        self, single: gymnasium.Env[Any, Any], make: Any, num_envs: int, mask: str | None, copy: bool, options: Any
    ) -> None:
        self.num_envs, self._copy = num_envs, copy
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space, self.single_action_space = single.observation_space, single.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._make, self._options = make, {"mask": mask, "last_observation": True, **options}
        self.batch = make(num_envs, **self._options)
        # The same in each step, and so read-only. The mask of a match that is over is blank.
        self._every, self._none = np.ones(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
        self._blank = np.zeros_like(self.batch.mask) if mask else self._none
        for same in (self._every, self._none, self._blank):
            same.flags.writeable = False

    def _seen(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        mask, infos = self.batch.mask, {}
        if mask is not None:
            # `renew` leaves observations and bits to the caller, but not bytes.
            mask = mask.copy() if self._copy and mask.dtype == np.int8 else mask
            infos = {"action_mask": mask, "_action_mask": self._every}
        return self.batch.observation, infos

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self.batch = self._make(self.num_envs, _deal(options, self.np_random), **self._options)
        return self._seen()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        batch = self.batch
        batch.step(np.asarray(actions), renew=self._copy)
        over, (seen, infos) = batch.dones.copy(), self._seen()
        rows = over.nonzero()[0]
        if len(rows):
            ended, last = over.copy(), np.empty(self.num_envs, object)
            for place, row in zip(rows.tolist(), batch.last_observation.take(rows, 0)):
                last[place] = row
            final = {"score": batch.scores.astype(np.int64), "_score": ended}
            if batch.mask is not None:
                final |= {"action_mask": self._blank, "_action_mask": ended}
            infos |= {"final_obs": last, "_final_obs": ended, "final_info": final, "_final_info": ended}
        return seen, batch.rewards.astype(np.float64), over, self._none, infos


class DoodleVectorEnv(_BatchEnv):
    """Many `DoodleEnv` in a `DoodleBatch`."""

    def __init__(self, num_envs: int, *, mask: str | None = "bytes", copy: bool = True, **options: Any) -> None:
        super().__init__(DoodleEnv(**options), DoodleBatch, num_envs, mask, copy, options)


class PatchworkVectorEnv(_BatchEnv):
    """Many `PatchworkEnv` in a `PatchworkBatch`."""

    def __init__(
        self, num_envs: int, *, mask: str | None = "bytes", copy: bool = True, opponent: str = "greedy", **options: Any
    ) -> None:
        options = {"opponent": opponent, **options}
        super().__init__(PatchworkEnv(**options), PatchworkBatch, num_envs, mask, copy, options)
