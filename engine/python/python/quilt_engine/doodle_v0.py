"""Patchwork Doodle for PettingZoo, as a parallel environment with agents `player_0`, `player_1`, and so on.

>>> from quilt_engine import doodle_v0
>>> env = doodle_v0.parallel_env(seats=2)
>>> seen, infos = env.reset(seed=7)
>>> while env.agents:
...     actions = {agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents}
...     seen, rewards, terminations, truncations, infos = env.step(actions)
>>> sorted(infos["player_0"])
['rank', 'score']

All agents choose their moves at once and step by step. An agent that has chosen waits with action 2025. An observation
is a `dict`: `observation` is float32, shape (217,), with the parts of `DOODLE_SLICES`; `action_mask` is int8, shape
(2029,). With `planes=True`, `observation` is float32, shape (449,), with the parts of `DOODLE_PLANES`. The
rewards of a match are the changes of the score; their sum is the score plus 81.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pettingzoo
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from . import DOODLE_ACTIONS, DOODLE_PLANES, DOODLE_SCALE, DoodleRules, DoodleState
from .patchwork_v0 import _Agents, _box, _render_mode, _rendered

#: What an illegal action costs, beside the rest of the match.
ILLEGAL_REWARD = -100.0


def env(**kwargs: Any) -> AECEnv[Any, Any, Any]:
    """The same environment with one agent after the other."""
    return parallel_to_aec(parallel_env(**kwargs))


class parallel_env(_Agents, ParallelEnv[Any, Any, Any], EzPickle):
    """The environment.

    `seats` is the number of agents, and `shared` gives all the same start card. `illegal` is what an illegal action does:
    `"terminate"` takes its agent out of the match with `ILLEGAL_REWARD`, `"ignore"` does nothing, and `"raise"` raises
    `IllegalMove`. `reset(seed, options)` deals at random from `seed`; `options={"deal": N}` deals as seed N of the
    arena. `max_cycles` truncates a match after so many steps. `rules` are other components, instead of `shared`.
    """

    metadata = {
        "render_modes": ["human", "ansi", "rgb_array"],
        "name": "doodle_v0",
        "is_parallelizable": True,
        "render_fps": 2,
    }

    def __init__(
        self,
        seats: int = 2,
        render_mode: str | None = None,
        shared: bool = False,
        illegal: str = "terminate",
        max_cycles: int | None = None,
        *,
        rules: DoodleRules | None = None,
        planes: bool = False,
    ) -> None:
        EzPickle.__init__(self, seats, render_mode, shared, illegal, max_cycles, rules=rules, planes=planes)
        if illegal not in ("terminate", "ignore", "raise"):
            raise ValueError(f'illegal: {illegal!r} is not "terminate", "ignore", or "raise"')
        if shared and rules:
            raise ValueError("shared: the rules say it already")
        self._rules, self._planes = rules or DoodleRules(shared=shared), planes
        self.match = DoodleState(seats, 0, self._rules)
        self.render_mode, self.illegal, self.max_cycles = _render_mode(render_mode), illegal, max_cycles
        seen = _box(DOODLE_SCALE, DOODLE_PLANES if planes else None, 0.0)
        self._alike([f"player_{seat}" for seat in range(seats)], seen, DOODLE_ACTIONS)
        self._cycles = 0

    def _observe(self, seat: int) -> dict[str, NDArray[Any]]:
        state = self.match
        return {"observation": state.observation(seat, planes=self._planes), "action_mask": state.legal_mask(seat)}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.match = DoodleState(len(self.possible_agents), self._dealt(seed, options), self._rules)
        self.agents, self._cycles = self.possible_agents[:], 0
        return {agent: self._observe(seat) for seat, agent in enumerate(self.agents)}, {a: {} for a in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        state, before = self.match, self.match.scores
        seats = {agent: self.possible_agents.index(agent) for agent in self.agents}
        masks = {agent: state.legal_mask(seat) for agent, seat in seats.items()}
        out = set()
        for agent, seat in seats.items():
            action = int(actions[agent])
            if masks[agent][action]:
                if state.stage(seat) != "wait":
                    state.step(seat, action)
            elif self.illegal == "raise":
                state.step(seat, action)
            elif self.illegal == "terminate":
                out.add(agent)
                state.withdraw(seat)
        self._cycles += 1
        over, scores, ranks = state.is_over, state.scores, state.ranks
        late = self.max_cycles is not None and self._cycles >= self.max_cycles
        rewards = {a: float(scores[s] - before[s]) + (ILLEGAL_REWARD if a in out else 0.0) for a, s in seats.items()}
        terminations = {agent: over or agent in out for agent in seats}
        truncations = {agent: late and not terminations[agent] for agent in seats}
        infos = {agent: {"score": scores[s], "rank": ranks[s]} if over else {} for agent, s in seats.items()}
        seen = {agent: self._observe(seat) for agent, seat in seats.items()}
        self.agents = [agent for agent in seats if not (terminations[agent] or truncations[agent])]
        if self.render_mode == "human":
            self.render()
        return seen, rewards, terminations, truncations, infos

    def render(self) -> str | NDArray[np.uint8] | None:
        return _rendered(self.match, self.render_mode)


if hasattr(pettingzoo, "register"):  # from 1.26 on
    pettingzoo.register("parallel", "quilt/Doodle-v0", "quilt_engine.doodle_v0:parallel_env")
